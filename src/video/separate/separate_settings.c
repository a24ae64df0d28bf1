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
     "number of pictures from which the background of every frame is mixed (factors); 0: the "
     "number is chosen from the data. The methods rpca and median do not use this number"},
    {"choose", CH_SETTING_CHOICE, AT(choose), CH_CHOOSE_BROAD, 0, CH_CHOOSE_FARTHEST, choices, "C",
     "robust-xray: which pixels are selected as anchors. broad: pixels whose changes over time "
     "many other pixels share, which is best on real clips. farthest: in each step, the pixel "
     "that the anchors so far explain worst, as in the paper"},
    {"learn", CH_SETTING_INT, AT(learn), 4096, 0, 1e12, NULL, "N",
     "robust-xray: number of pixels, evenly spread over the picture, from which the changes of the "
     "background over time are learned (W); 0: all pixels. The weights of these changes in each "
     "pixel (H) are computed for all pixels, whatever N is"},
    {"refit", CH_SETTING_INT, AT(refit), 1, 0, 100, NULL, "N",
     "robust-xray, xray-l2: number of rounds that improve the background W H after the anchors are "
     "selected. Each round fits W with H fixed and then H with W fixed, both in l1"},
    {"lambda", CH_SETTING_REAL, AT(lambda), 1, 1e-9, 1e9, NULL, "L",
     "rpca: cost of moving objects, in units of 1 / sqrt(max(frames, pixels)). The smaller the "
     "cost, the more of the picture counts as moving"},
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
