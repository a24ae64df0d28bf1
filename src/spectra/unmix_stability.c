/* The stability of endmembers. The selection is repeated on random halves of the pixels. An
 * endmember counts as found again if one is selected within an angle of it. An endmember that
 * depends on a single pixel is found in half of the halves. */
#include "linalg/linalg.h"
#include <conehull/random.h>
#include <conehull/spectra.h>

static ch_status try_half(ch_context *context, double *stability, const ch_matrix *half,
                          const ch_anchors_result *result, const ch_anchors_settings *settings,
                          const ch_unmix_halves *how) {
    ch_anchors_result found = {.size = sizeof found};
    ch_status status = ch_anchors(context, &found, half, settings);
    for (int64_t k = 0; status >= 0 && k < result->rank; k++) {
        int near = 0;
        for (int64_t e = 0; e < found.rank && !near; e++)
            near = ch_spectral_angle(result->W + k * half->rows, found.W + e * half->rows,
                                     half->rows) <= how->angle;
        stability[k] += (double)near / (double)how->halves;
    }
    ch_anchors_result_free(context, &found);
    return status == CH_STOP_CANCELLED ? status : status < 0 ? status : CH_OK;
}

static ch_status try_halves(ch_context *context, double *stability, int64_t *list,
                            const ch_matrix *X, const ch_anchors_result *result,
                            const ch_unmix_halves *how, const ch_anchors_settings *settings) {
    int64_t count = (X->cols + 1) / 2;
    ch_anchors_settings set = *settings;
    ch_status status = CH_OK;
    ch_random random;
    set.select_only = 1;
    set.keep_duals = 0;
    set.rank = result->rank;
    set.checkpoint = NULL;
    ch_random_seed(&random, (uint64_t)settings->seed);
    for (int64_t k = 0; k < result->rank; k++) stability[k] = 0;
    for (int64_t h = 0; h < how->halves && status == CH_OK; h++) {
        ch_matrix half;
        for (int64_t j = 0; j < X->cols; j++) list[j] = j;
        ch_random_shuffle(&random, list, X->cols);
        TRY_OK(ch_matrix_copy(context, &half, X, list, count));
        status = try_half(context, stability, &half, result, &set, how);
        ch_matrix_free(context, &half);
    }
    return status;
}

ch_status ch_unmix_stability(ch_context *context, double *stability, const ch_matrix *X,
                             const ch_anchors_result *result, const ch_anchors_settings *settings,
                             const ch_unmix_halves *how) {
    if (!context || !stability || !X || !result || !settings || !how) return CH_ERR_ARGUMENT;
    TRY(chi_check_view(context, X));
    if (!result->W || result->rank < 1 || result->rows != X->rows || X->cols < 2)
        return chi_fail(context, CH_ERR_ARGUMENT,
                        "the stability of endmembers cannot be measured, because the result has no "
                        "endmembers of these pixels");
    if (how->halves < 1 || !(how->angle > 0))
        return chi_fail(
            context, CH_ERR_SETTING,
            "the number of halves and the angle between matching endmembers must be positive");
    if (settings->library || settings->keep_count)
        return chi_fail(context, CH_ERR_UNSUPPORTED,
                        "the stability can be measured only for endmembers that were chosen from "
                        "the pixels, not for endmembers from a library");
    int64_t *list = chi_alloc(context, X->cols, sizeof *list);
    double *made = chi_alloc(context, result->rank, sizeof *made);
    ch_status status = list && made ? try_halves(context, made, list, X, result, how, settings)
                                    : chi_no_memory(context, "halves", X->cols, sizeof *list);
    for (int64_t k = 0; status == CH_OK && k < result->rank; k++) stability[k] = made[k];
    chi_free(context, list);
    chi_free(context, made);
    return status;
}
