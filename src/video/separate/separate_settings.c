/* The settings of a separation as a table. */
#include "base/settings_rows.h"
#include <conehull/separate.h>

static const char *const methods[] = {"robust-xray",    "xray-l2", "rpca", "robust-nmf",
                                      "robust-lowrank", "median",  NULL};

static const char *const choices[] = {"broad", "farthest", NULL};

#define AT(field) offsetof(ch_separate_settings, field)

static const ch_setting rows[] = {
    {"method", CH_SETTING_CHOICE, AT(method), CH_SEPARATE_ROBUST_XRAY, 0, CH_SEPARATE_MEDIAN,
     methods, "M",
     "how the background is found. robust-xray: anchor pixels, in l1. xray-l2: anchor pixels, in "
     "l2. rpca: robust PCA. robust-nmf, robust-lowrank: local search in l1. median: the median of "
     "each pixel over time"},
    {"rank", CH_SETTING_INT, AT(rank), 0, 0, 1000, NULL, "N",
     "number of background factors; auto: chosen from the data. rpca uses --lambda instead; median "
     "always has 1"},
    {"choose", CH_SETTING_CHOICE, AT(choose), CH_CHOOSE_BROAD, 0, CH_CHOOSE_FARTHEST, choices, "C",
     "robust-xray: which pixels are selected as anchors. broad: pixels whose changes over time "
     "many other pixels share (best on real clips). farthest: the pixel that the background "
     "explains worst, as in the paper"},
    {"learn", CH_SETTING_INT, AT(learn), 4096, 0, 1e12, NULL, "N",
     "robust-xray: number of pixels, evenly spread, from which the changes of the background "
     "over time (W) are learned; 0: all pixels. Weights (H) are always computed for all pixels"},
    {"refit", CH_SETTING_INT, AT(refit), 1, 0, 100, NULL, "N",
     "robust-xray, xray-l2: number of rounds that improve the background after the anchors are "
     "chosen. Each round fits W to H, then H to W, in l1"},
    {"lambda", CH_SETTING_REAL, AT(lambda), 1, 1e-9, 1e9, NULL, "L",
     "rpca: cost of moving objects, in units of 1 / sqrt(max(frames, pixels)); with smaller values "
     "more of the picture counts as moving"},
    {"radius", CH_SETTING_INT, AT(radius), 0, 0, 1e9, NULL, "N",
     "median: the background of a frame is the median of this frame, N frames before and N frames "
     "after it; 0: the median of all frames"},
    {"tol", CH_SETTING_REAL, AT(tol), 1e-9, 1e-14, 1e-2, NULL, "T",
     "robust-xray, xray-l2: required accuracy T. The fit of a pixel x is accepted as optimal if no "
     "other fit can have a loss that is smaller by more than T * |x|_1"},
    {"restarts", CH_SETTING_INT, AT(restarts), 1, 1, 1e4, NULL, "N",
     "robust-nmf, robust-lowrank: number of random starts; the best result is used"},
    {"seed", CH_SETTING_INT, AT(seed), 0, 0, 9.2e18, NULL, "N",
     "seed of the random numbers; the same seed gives the same result"},
};

CHI_SETTINGS_TABLE(ch_separate_table, "separate", rows, ch_separate_settings)
