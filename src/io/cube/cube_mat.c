/* Cubes in MATLAB files of versions 4 to 7, read into memory. Version 7.3 is HDF5 (cube_hdf5.c). */
#include "io/cube/cube_source.h"
#include "linalg/linalg.h"

static ch_status add(void *user, const chi_mat_array *array) {
    return chi_cube_arrays_add(user, array->name, array->dims, array->shape, array->type);
}

static ch_status numbers(void *user, double *values, int64_t count, const char *name) {
    const chi_cube_arrays *arrays = user;
    ch_matrix X = {0};
    TRY(chi_mat_array_read(arrays->context, &X, arrays->path, name));
    for (int64_t k = 0; k < count; k++)
        values[k] = X.rows == 1 ? ch_matrix_at(&X, 0, k) : ch_matrix_at(&X, k, 0);
    ch_matrix_free(arrays->context, &X);
    return CH_OK;
}

static ch_status load(ch_context *context, chi_cube_source *source, ch_matrix *values) {
    return chi_mat_array_read(context, values, source->path, source->var);
}

ch_status chi_cube_open_mat(ch_context *context, chi_cube_source *source, const char *path,
                            const ch_cube_open_settings *settings) {
    chi_cube_arrays arrays = {.context = context, .path = path, .numbers = numbers};
    const chi_cube_array *chosen;
    int hdf5;
    arrays.user = &arrays;
    ch_status status = chi_mat_arrays(context, path, &hdf5, add, &arrays);
    if (status == CH_OK && hdf5) return chi_cube_open_hdf5(context, source, path, settings);
    if (status == CH_OK) status = chi_cube_arrays_choose(&arrays, source, settings, &chosen);
    if (status == CH_OK) {
        source->load = load;
        source->path = chi_cube_keep_text(context, source, path);
        source->var = chi_cube_keep_text(context, source, chosen->name);
        if (!source->path || !source->var) status = CH_ERR_MEMORY;
    }
    chi_free(context, arrays.list);
    return status;
}
