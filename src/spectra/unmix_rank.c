/* Estimates the number of endmembers by the noise and by the residuals. Both count everything that
 * varies by more than the noise, including variants of a material, so both tend to be too large.
 * The smaller is used, and both are reported. The noise gives too many if pure spectra vary (13 for
 * the three materials of Samson), the residuals if single pixels are odd (8 there, and 8 for five
 * planted spectra with spikes). */
#include "base/sized.h"
#include "linalg/linalg.h"
#include "spectra/noise.h"
#include <math.h>

static ch_status by_noise(ch_context *context, ch_unmix_rank *made, const ch_matrix *X,
                          int complete_only) {
    ch_spectra_noise noise = {.size = sizeof noise};
    made->by_noise = -1;
    made->snr = NAN;
    ch_status status = chi_spectra_noise(context, &noise, X, complete_only);
    if (status == CH_OK && noise.rank >= 0) {
        made->by_noise = noise.rank;
        made->snr = noise.snr;
    }
    ch_spectra_noise_free(context, &noise);
    return status;
}

ch_status ch_unmix_choose_rank(ch_context *context, ch_unmix_rank *chosen, const ch_matrix *X,
                               const ch_unmix_settings *settings) {
    if (!context || !chosen || !X) return CH_ERR_ARGUMENT;
    ch_unmix_rank made = {.size = sizeof made};
    ch_anchors_settings set;
    ch_anchors_result result = {.size = sizeof result};
    TRY(chi_sized_check(context, chosen, "ch_unmix_rank"));
    TRY(ch_unmix_prepare(context, &set, settings));
    set.rank = 0;
    set.select_only = 1;
    set.keep_duals = 0;
    TRY(chi_check_view(context, X));
    ch_status status = by_noise(context, &made, X, set.missing == CH_MISSING_NAN);
    if (status == CH_OK) status = ch_anchors(context, &result, X, &set);
    made.by_residual = result.rank;
    ch_anchors_result_free(context, &result);
    if (status < 0 || status == CH_STOP_CANCELLED) return status;
    made.rank = made.by_residual;
    if (made.by_noise > 0 && made.by_noise < made.rank) made.rank = made.by_noise;
    if (made.rank < 1) made.rank = 1;
    chi_result_give(chosen, &made, sizeof made);
    return CH_OK;
}
