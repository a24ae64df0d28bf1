/* The settings of unmixing, as one table: those of ch_anchors() that matter for spectra, with the
 * defaults that docs/howto/imperfect-data.md measured. */
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
     "number of endmembers; auto: the smaller of two estimates, from the noise (HySime) and from "
     "the residuals; both are reported"},
    {"loss", CH_SETTING_CHOICE, AT(loss), CH_LOSS_L1, 0, CH_LOSS_KL, losses, "L",
     "l1: robust against spikes and bad pixels; l2: least squares; kl: photon counts"},
    {"hull", CH_SETTING_CHOICE, AT(hull), CH_HULL_CONVEX0, 0, CH_HULL_CONVEX0, hulls, "H",
     "abundances of a pixel: convex0: they sum to at most 1, the rest is shade; convex: they sum "
     "to 1; cone: any non-negative numbers, such as concentrations without a scale"},
    {"faint", CH_SETTING_REAL, AT(faint), 0.05, 0, 0.999, NULL, "S",
     "pixels whose sum is below S times the 99th percentile of all sums are never endmembers, "
     "because nearly dark pixels are mostly noise; 0: off"},
    {"negative", CH_SETTING_CHOICE, AT(negative), CH_NEGATIVE_CLIP, 0, CH_NEGATIVE_CLIP, negatives,
     "N",
     "values below zero, for instance after background subtraction: clip: count them as 0 (exact "
     "under l1) and report their number; refuse: report an error"},
    {"smooth", CH_SETTING_INT, AT(smooth), 0, 0, 1e6, NULL, "P",
     "in addition to the pixel itself, compute each endmember as the average of the P pixels "
     "nearest to its direction; 0: off"},
    {"average", CH_SETTING_CHOICE, AT(average), CH_AVERAGE_MEDIAN, 0, 1, averages, "A",
     "average of --smooth, band by band: median or mean"},
    {"tol", CH_SETTING_REAL, AT(tol), 1e-9, 1e-14, 1e-2, NULL, "T",
     "a pixel is proven if (loss - lower bound) <= T * the size of its spectrum"},
    {"missing", CH_SETTING_CHOICE, AT(missing), CH_MISSING_NAN, 0, CH_MISSING_NAN, missing_values,
     "M",
     "single values that are NaN or marked as no data by the file: nan: they are missing, and a "
     "pixel is fitted by the bands that it has; none: they are an error"},
    {"seed", CH_SETTING_INT, AT(seed), 0, 0, 9.2e18, NULL, "N", "seed of all random choices"},
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
