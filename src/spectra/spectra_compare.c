/* Compares endmembers and abundances with a reference: one-to-one pairs, angles, errors. */
#include "base/arena.h"
#include "base/sized.h"
#include "linalg/linalg.h"
#include <conehull/spectra.h>
#include <math.h>

static ch_status check_sets(ch_context *context, const ch_spectra_set *found,
                            const ch_spectra_set *truth) {
    if (found->count < 1 || truth->count < 1)
        return chi_fail(context, CH_ERR_ARGUMENT,
                        "spectra cannot be compared, because the found or the reference endmembers "
                        "are missing");
    int spectra = found->endmembers && truth->endmembers;
    int shares = found->abundances && truth->abundances;
    if (!spectra && !shares)
        return chi_fail(
            context, CH_ERR_ARGUMENT,
            "the two results cannot be compared: both must have endmembers, or both must "
            "have abundances");
    if (spectra && found->bands != truth->bands)
        return chi_fail(
            context, CH_ERR_DATA,
            "the reference spectra have %lld bands, but the spectra that were found have %lld",
            (long long)truth->bands, (long long)found->bands);
    if (shares && found->pixels != truth->pixels)
        return chi_fail(context, CH_ERR_DATA,
                        "the reference abundances have %lld pixels, but the abundances that were "
                        "found have %lld",
                        (long long)truth->pixels, (long long)found->pixels);
    return CH_OK;
}

/* Returns the root mean square error over the pixels that both have, or NaN if there are none. */
static double rmse_of(const ch_spectra_set *found, int64_t k, const ch_spectra_set *truth,
                      int64_t c) {
    double sum = 0;
    int64_t pixels = 0;
    for (int64_t j = 0; j < found->pixels; j++) {
        double off =
            found->abundances[k + j * found->count] - truth->abundances[c + j * truth->count];
        if (!isfinite(off)) continue;
        sum += off * off;
        pixels++;
    }
    return pixels ? sqrt(sum / (double)pixels) : NAN;
}

/* Fills cost (truth->count x found->count) with angles, or with errors if spectra are missing. */
static void fill_costs(double *cost, const ch_spectra_set *found, const ch_spectra_set *truth) {
    for (int64_t k = 0; k < found->count; k++)
        for (int64_t c = 0; c < truth->count; c++) {
            double value =
                found->endmembers && truth->endmembers
                    ? ch_spectral_angle(found->endmembers + k * found->bands,
                                        truth->endmembers + c * truth->bands, found->bands)
                    : rmse_of(found, k, truth, c);
            cost[c + k * truth->count] = isnan(value) ? M_PI / 2 : value;
        }
}

static void measure(ch_spectra_score *score, const ch_spectra_set *found,
                    const ch_spectra_set *truth, const double *cost) {
    double angles = 0, errors = 0;
    int64_t pairs = 0;
    for (int64_t c = 0; c < truth->count; c++) {
        int64_t k = score->match[c];
        if (score->angle) score->angle[c] = k < 0 ? NAN : cost[c + k * truth->count];
        if (score->rmse) score->rmse[c] = k < 0 ? NAN : rmse_of(found, k, truth, c);
        if (k < 0) continue;
        pairs++;
        if (score->angle) angles += score->angle[c];
        if (score->rmse) errors += score->rmse[c];
    }
    score->mean_angle = score->angle ? angles / (double)pairs : NAN;
    score->mean_rmse = score->rmse ? errors / (double)pairs : NAN;
}

static ch_status compare(ch_context *context, ch_spectra_score *score, const ch_spectra_set *found,
                         const ch_spectra_set *truth) {
    score->count = truth->count;
    score->match = chi_alloc(context, truth->count, sizeof *score->match);
    int spectra = found->endmembers && truth->endmembers;
    int shares = found->abundances && truth->abundances;
    if (spectra) score->angle = chi_alloc(context, truth->count, sizeof(double));
    if (shares) score->rmse = chi_alloc(context, truth->count, sizeof(double));
    double *cost = chi_alloc(context, truth->count * found->count, sizeof(double));
    ch_status status = CH_OK;
    if (!score->match || !cost || (spectra && !score->angle) || (shares && !score->rmse))
        status = chi_no_memory(context, "a comparison", truth->count * found->count, 8);
    if (status == CH_OK) {
        fill_costs(cost, found, truth);
        status = ch_spectra_match(context, score->match, NULL, cost, truth->count, found->count);
    }
    if (status == CH_OK) measure(score, found, truth, cost);
    chi_free(context, cost);
    return status;
}

ch_status ch_spectra_compare(ch_context *context, ch_spectra_score *score,
                             const ch_spectra_set *found, const ch_spectra_set *truth) {
    if (!context || !score || !found || !truth) return CH_ERR_ARGUMENT;
    ch_spectra_score made = {.size = sizeof made};
    TRY(chi_sized_check(context, score, "ch_spectra_score"));
    TRY(check_sets(context, found, truth));
    ch_status status = compare(context, &made, found, truth);
    if (status == CH_OK)
        chi_result_give(score, &made, sizeof made);
    else
        ch_spectra_score_free(context, &made);
    return status;
}

void ch_spectra_score_free(ch_context *context, ch_spectra_score *score) {
    if (!context || !score) return;
    chi_free(context, score->match);
    chi_free(context, score->angle);
    chi_free(context, score->rmse);
    score->match = NULL;
    score->angle = score->rmse = NULL;
}
