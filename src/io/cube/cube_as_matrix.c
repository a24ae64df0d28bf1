/* Reads ENVI files as matrices: the good bands are the rows, the pixels are the columns. */
#include "io/cube/cube_source.h"
#include <string.h>

/* Lists the good bands, for chi_free(); *list is NULL if all are good. */
static ch_status good_bands(ch_context *context, int64_t **list, int64_t *count,
                            const ch_cube *cube, const char *path) {
    *list = NULL;
    *count = 0;
    for (int64_t b = 0; b < cube->bands && cube->good; b++) *count += cube->good[b];
    if (!cube->good || *count == cube->bands) return CH_OK;
    if (*count == 0)
        return chi_fail(
            context, CH_ERR_DATA,
            "%s: the list \"bbl\" in the header marks all %lld bands as bad, so no data are left",
            path, (long long)cube->bands);
    *list = chi_alloc(context, *count, sizeof **list);
    if (!*list) return chi_no_memory(context, "a list of bands", *count, sizeof **list);
    for (int64_t b = 0, k = 0; b < cube->bands; b++)
        if (cube->good[b]) (*list)[k++] = b;
    chi_log(context, CH_LOG_INFO,
            "%s: %lld of %lld bands are left out, because the list \"bbl\" in the header marks "
            "them as bad",
            path, (long long)(cube->bands - *count), (long long)cube->bands);
    return CH_OK;
}

/* bands NULL means all bands. */
static ch_status name_all(ch_context *context, ch_matrix_names *names, const ch_cube *cube,
                          const int64_t *bands, int64_t count) {
    chi_list rows = {.context = context, .path = "bands"}, columns = {.context = context};
    int64_t pixels = cube->lines * cube->samples;
    ch_status status = CH_OK;
    columns.path = "spectra";
    for (int64_t k = 0; k < (bands ? count : cube->bands) && cube->names && status == CH_OK; k++) {
        const char *name = cube->names[bands ? bands[k] : k];
        status = chi_list_add(&rows, name, (int64_t)strlen(name));
    }
    for (int64_t j = 0; j < pixels && cube->spectra && status == CH_OK; j++)
        status = chi_list_add(&columns, cube->spectra[j], (int64_t)strlen(cube->spectra[j]));
    if (status == CH_OK) status = chi_list_give_names(&names->rows, &rows);
    if (status == CH_OK) status = chi_list_give_names(&names->columns, &columns);
    chi_list_free(&rows);
    chi_list_free(&columns);
    return status;
}

ch_status chi_envi_matrix_read(ch_context *context, ch_matrix *X, const char *path,
                               chi_request *request) {
    ch_cube cube = {.size = sizeof cube};
    ch_cube_part part = {.size = sizeof part, .scratch = request->place.folder};
    int64_t *bands;
    TRY_OK(ch_cube_open(context, &cube, path, NULL));
    ch_status status = good_bands(context, &bands, &part.band_count, &cube, path);
    part.bands = bands;
    if (status == CH_OK) status = ch_cube_matrix(context, X, &cube, &part);
    if (status == CH_OK && request->names) {
        status = name_all(context, request->names, &cube, bands, part.band_count);
        if (status != CH_OK) ch_matrix_free(context, X);
    }
    chi_free(context, bands);
    ch_cube_close(context, &cube);
    return status;
}
