/* The settings of a separation, as one table. */
#include "base/settings_rows.h"
#include <conehull/separate.h>

static const char *const methods[] = {"robust-xray",    "xray-l2", "rpca", "robust-nmf",
                                      "robust-lowrank", "median",  NULL};

static const char *const choices[] = {"broad", "farthest", NULL};

#define AT(field) offsetof(ch_separate_settings, field)

static const ch_setting rows[] = {
    {"method", CH_SETTING_CHOICE, AT(method), CH_SEPARATE_ROBUST_XRAY, 0, CH_SEPARATE_MEDIAN,
     methods, "M",
     "robust-xray: anchor pixels in l1; xray-l2: in l2; rpca: robust PCA; robust-nmf, "
     "robust-lowrank: local search in l1; median: median of each pixel over time"},
    {"rank", CH_SETTING_INT, AT(rank), 0, 0, 1000, NULL, "N",
     "number of background factors; auto: chosen from the data; rpca has --lambda instead, "
     "median 1"},
    {"choose", CH_SETTING_CHOICE, AT(choose), CH_CHOOSE_BROAD, 0, CH_CHOOSE_FARTHEST, choices, "C",
     "which pixels robust-xray selects: broad: those whose changes over time many other pixels "
     "share (best on real clips); farthest: the one that the background explains worst, as in the "
     "paper"},
    {"learn", CH_SETTING_INT, AT(learn), 4096, 0, 1e12, NULL, "N",
     "robust-xray: number of pixels, evenly spread, from which W is learned; 0: all. H is always "
     "computed for all pixels"},
    {"refit", CH_SETTING_INT, AT(refit), 1, 0, 100, NULL, "N",
     "xray methods: rounds of fitting W to H and H to W, in l1, after the anchors are chosen"},
    {"lambda", CH_SETTING_REAL, AT(lambda), 1, 1e-9, 1e9, NULL, "L",
     "rpca: weight of the moving objects, in units of 1 / sqrt(max(frames, pixels))"},
    {"radius", CH_SETTING_INT, AT(radius), 0, 0, 1e9, NULL, "N",
     "median: frames on each side of the window; 0: all frames"},
    {"tol", CH_SETTING_REAL, AT(tol), 1e-9, 1e-14, 1e-2, NULL, "T",
     "xray methods: a projection is proven if (objective - dual bound) <= T * |x|_1"},
    {"restarts", CH_SETTING_INT, AT(restarts), 1, 1, 1e4, NULL, "N",
     "robust-nmf, robust-lowrank: number of random starts; the best is returned"},
    {"seed", CH_SETTING_INT, AT(seed), 0, 0, 9.2e18, NULL, "N", "seed of all random choices"},
};

CHI_SETTINGS_TABLE(ch_separate_table, "separate", rows, ch_separate_settings)
