/* ENVI files where a matrix is asked for: the good bands are the rows, the pixels the columns. */
#include "io/cube/cube_source.h"

/* *list, for chi_free(): the good bands; NULL when all are. */
static ch_status good_bands(ch_context *context, int64_t **list, int64_t *count,
                            const ch_cube *cube, const char *path) {
    *list = NULL;
    *count = 0;
    for (int64_t b = 0; b < cube->bands && cube->good; b++) *count += cube->good[b];
    if (!cube->good || *count == cube->bands) return CH_OK;
    if (*count == 0)
        return chi_fail(context, CH_ERR_DATA, "%s: all %lld bands are bad, by its \"bbl\"", path,
                        (long long)cube->bands);
    *list = chi_alloc(context, *count, sizeof **list);
    if (!*list) return chi_no_memory(context, "a list of bands", *count, sizeof **list);
    for (int64_t b = 0, k = 0; b < cube->bands; b++)
        if (cube->good[b]) (*list)[k++] = b;
    chi_log(context, CH_LOG_INFO, "%s: %lld of %lld bands are bad (\"bbl\") and left out", path,
            (long long)(cube->bands - *count), (long long)cube->bands);
    return CH_OK;
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
    chi_free(context, bands);
    ch_cube_close(context, &cube);
    return status;
}
