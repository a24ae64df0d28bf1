/* NumPy cubes: lines x samples x bands. In C order this is BIP; in Fortran order the bands follow
 * one another as pictures, each column by column. Or bands x lines x samples, with the opposite
 * orders. A matrix is bands x pixels or, transposed, pixels x bands. */
#include "io/cube/cube_source.h"
#include <string.h>

static ch_status read_header(ch_context *context, chi_npy *npy, const char *path) {
    const unsigned char *bytes;
    int64_t size;
    chi_store *store = chi_store_create(context);
    if (!store) return CH_ERR_MEMORY;
    ch_status status = chi_load_source(context, store, &bytes, &size, path);
    if (status == CH_OK) status = chi_npy_parse(context, npy, path, bytes, size);
    if (status == CH_OK) status = chi_npy_check_numbers(context, npy, path);
    if (status == CH_OK) status = chi_npy_check_length(context, npy, path, size);
    chi_store_release(context, store);
    return status;
}

ch_status chi_cube_open_npy(ch_context *context, chi_cube_source *source, const char *path,
                            const ch_cube_open_settings *settings) {
    chi_npy npy;
    ch_cube *cube = &source->cube;
    TRY_OK(read_header(context, &npy, path));
    if (npy.dims != 2 && npy.dims != 3)
        return chi_fail(context, CH_ERR_UNSUPPORTED,
                        "%s: the array has %d dimensions, but a cube must have 3 (lines x samples "
                        "x bands) and a matrix of spectra 2 (bands x pixels)",
                        path, npy.dims);
    source->element = npy.element;
    source->offset = npy.offset;
    source->mappable = 1;
    source->path = chi_cube_keep_text(context, source, path);
    if (!source->path) return CH_ERR_MEMORY;
    if (npy.dims == 3) {
        int first = settings->bands_first != 0;
        cube->lines = npy.shape[first];
        cube->samples = npy.shape[first + 1];
        cube->bands = npy.shape[first ? 0 : 2];
        cube->interleave = npy.fortran != first ? CH_BSQ : CH_BIP;
        cube->by_sample = npy.fortran;
        return CH_OK;
    }
    int turned = settings->transpose != 0; /* by pixel: the bands of a pixel are contiguous */
    cube->bands = npy.shape[turned];
    cube->interleave = npy.fortran != turned ? CH_BIP : CH_BSQ;
    return chi_cube_shape(context, source, path, npy.shape[!turned], settings);
}
