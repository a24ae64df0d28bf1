/* The settings of unmixing as a table: those of ch_anchors() that matter for spectra, with the
 * defaults measured in docs/howto/imperfect-data.md. */
#include "base/settings_rows.h"
#include "base/sized.h"
#include <conehull/spectra.h>

static const char *const losses[] = {"l1", "l2", "kl", NULL};
static const char *const hulls[] = {"cone", "convex", "convex0", NULL};
static const char *const negatives[] = {"refuse", "clip", NULL};
static const char *const missing_values[] = {"none", "nan", NULL};
static const char *const averages[] = {"median", "mean", NULL};

#define AT(field) offsetof(ch_unmix_settings, field)

static const ch_setting rows[] = {
    {"rank", CH_SETTING_INT, AT(rank), 0, 0, 1e6, NULL, "N",
     "number of endmembers. auto uses the smaller of two estimates, one from the noise (HySime) "
     "and one from the residuals, and reports both"},
    {"loss", CH_SETTING_CHOICE, AT(loss), CH_LOSS_L1, 0, CH_LOSS_KL, losses, "L",
     "the error that is minimised. l1: sum of absolute errors, robust against spikes and bad "
     "pixels. l2: sum of squared errors. kl: Kullback-Leibler divergence, for photon counts"},
    {"hull", CH_SETTING_CHOICE, AT(hull), CH_HULL_CONVEX0, 0, CH_HULL_CONVEX0, hulls, "H",
     "constraint on the abundances of a pixel, which are never negative. convex0: their sum is "
     "at most 1, and the rest counts as shade. convex: their sum is 1. cone: any sum, for "
     "example for concentrations without a scale"},
    {"faint", CH_SETTING_REAL, AT(faint), 0.05, 0, 0.999, NULL, "S",
     "never choose a pixel as an endmember if the sum of its spectrum is below S times the 99th "
     "percentile of all such sums, because nearly dark pixels are mostly noise. 0: any pixel may "
     "be chosen"},
    {"negative", CH_SETTING_CHOICE, AT(negative), CH_NEGATIVE_CLIP, 0, CH_NEGATIVE_CLIP, negatives,
     "N",
     "what to do with negative values, which occur if a detector reads slightly below zero or a "
     "background was subtracted. clip: count them as 0 and report their number; under l1 this does "
     "not change the best abundances. refuse: end with an error"},
    {"smooth", CH_SETTING_INT, AT(smooth), 0, 0, 1e6, NULL, "P",
     "also compute a smoother spectrum for each endmember, the average of the P pixels whose "
     "direction is nearest to it. 0: no average"},
    {"average", CH_SETTING_CHOICE, AT(average), CH_AVERAGE_MEDIAN, 0, 1, averages, "A",
     "how --smooth averages the values of each band: median or mean"},
    {"tol", CH_SETTING_REAL, AT(tol), 1e-9, 1e-14, 1e-2, NULL, "T",
     "required accuracy T. The abundances of a pixel are accepted as optimal if no other "
     "abundances can have a loss that is smaller by more than T times the size of the spectrum "
     "of the pixel"},
    {"missing", CH_SETTING_CHOICE, AT(missing), CH_MISSING_NAN, 0, CH_MISSING_NAN, missing_values,
     "M",
     "how to treat missing values: NaN, values that the file marks as no data, and in a .csv or "
     ".tsv file empty cells and NA. nan: the pixel is fitted to the bands that have values. none: "
     "a missing value is an error"},
    {"seed", CH_SETTING_INT, AT(seed), 0, 0, 9.2e18, NULL, "N",
     "seed of the random numbers; the same seed gives the same result"},
};

CHI_SETTINGS_TABLE(ch_unmix_table, "unmix", rows, ch_unmix_settings)

ch_status ch_unmix_prepare(ch_context *context, ch_anchors_settings *anchors,
                           const ch_unmix_settings *settings) {
    ch_unmix_settings set = {.size = sizeof set};
    if (!context || !anchors) return CH_ERR_ARGUMENT;
    TRY(chi_settings_take(context, &set, ch_unmix_table(), settings));
    ch_anchors_defaults(anchors);
    anchors->rank = set.rank;
    anchors->loss = set.loss;
    anchors->hull = set.hull;
    anchors->faint = set.faint;
    anchors->negative = set.negative;
    anchors->tol = set.tol;
    anchors->seed = set.seed;
    anchors->missing = set.missing;
    anchors->keep_duals = 1;
    return CH_OK;
}
