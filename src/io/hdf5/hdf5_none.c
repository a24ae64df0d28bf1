/* HDF5 in a build without it. */
#include "io/file/format.h"
#include <conehull/io.h>

ch_status chi_hdf5_read(ch_context *context, ch_matrix *X, const char *path, chi_request *request) {
    (void)X, (void)request;
    return chi_fail(
        context, CH_ERR_UNSUPPORTED,
        "%s: this build of conehull cannot read HDF5 files; save the matrix as .npy or .csv", path);
}

ch_status ch_h5ad_write(ch_context *context, const char *path, const char *from,
                        const ch_h5ad_results *results) {
    (void)from, (void)results;
    if (!context) return CH_ERR_ARGUMENT;
    return chi_fail(context, CH_ERR_UNSUPPORTED,
                    "%s: this build of conehull cannot write HDF5 files", path);
}
