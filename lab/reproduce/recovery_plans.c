/* The recovery figures of the paper (Section 5.1), and figures of every method that chooses
 * columns, under more kinds of noise (`selectors`, which is not part of `all`).
 *
 * "one scale": columns are compared as if each were scaled to sum 1, as SPA and Hottopixx do, which
 * is exterior share; the paper's selection step says that all points are normalised. Hottopixx is
 * solved to a gap of 1e-3, once with a p near 0 and once with p from (0, 1), as its authors draw
 * it. */
#include "reproduce/recovery_plans.h"
#include "harness/selectors.h"

static const cli_recovery_method recovery_l1_methods[] = {
    {"RobustXray max", "loss=l1"},
    {"RobustXray share", "loss=l1 exterior=share"},
    {"RobustXray max, first as published", "loss=l1 first=paper dual=paper"},
    {"RobustXray rand", "loss=l1 exterior=rand"},
    {"XRAY-l2 max", "loss=l2"},
    {"SPA", "method=spa"},
    {"Hottopixx", "method=hottopixx gap=1e-3"},
    {"Hottopixx, p from (0, 1)", "method=hottopixx gap=1e-3 p=1"},
    {"RobustXray rand, first as published", "loss=l1 exterior=rand first=paper dual=paper"},
    {"XRAY-l2 rand", "loss=l2 exterior=rand"},
    {NULL, NULL},
};
const struct recovery_plan recovery_l1 = {
    CH_NOISE_SPARSE,
    "delta",
    "noise level \xce\xb4 (standard deviation of the Laplace noise, cut at 0)",
    0,
    0.02,
    76,
    5,
    10,
    3,
    recovery_l1_methods};

static const cli_recovery_method recovery_is_methods[] = {
    {"XRAY-IS max", "loss=is"},
    {"XRAY-IS rand", "loss=is exterior=rand"},
    {"XRAY-KL max", "loss=kl"},
    {"RobustXray max", "loss=l1"},
    {"XRAY-l2 max", "loss=l2"},
    {"SPA", "method=spa"},
    {"Hottopixx", "method=hottopixx gap=1e-3"},
    {"XRAY-IS max, first as published", "loss=is first=paper"},
    {"XRAY-KL rand", "loss=kl exterior=rand"},
    {"RobustXray rand", "loss=l1 exterior=rand"},
    {"XRAY-l2 rand", "loss=l2 exterior=rand"},
    {"RobustXray share", "loss=l1 exterior=share"},
    {NULL, NULL},
};
const struct recovery_plan recovery_is = {
    CH_NOISE_EXPONENTIAL,
    "lambda",
    "\xce\xbb (mean of the exponential distribution, in units of W H)",
    0.5,
    0.5,
    20,
    4,
    10,
    5,
    recovery_is_methods};

static const cli_recovery_method recovery_kl_methods[] = {
    {"XRAY-KL max", "loss=kl"},
    {"XRAY-KL rand", "loss=kl exterior=rand"},
    {"XRAY-IS max", "loss=is"},
    {"RobustXray max", "loss=l1"},
    {"XRAY-l2 max", "loss=l2"},
    {"SPA", "method=spa"},
    {"Hottopixx", "method=hottopixx gap=1e-3"},
    {"XRAY-l2 rand", "loss=l2 exterior=rand"},
    {"RobustXray share", "loss=l1 exterior=share"},
    {NULL, NULL},
};
const struct recovery_plan recovery_kl = {
    CH_NOISE_POISSON,
    "lambda",
    "\xce\xbb (mean of the Poisson distribution, in units of W H)",
    0.5,
    0.5,
    20,
    4,
    10,
    3,
    recovery_kl_methods};

/* ---- every method ---- */

const struct recovery_plan selectors_sparse = {
    CH_NOISE_SPARSE,
    "delta",
    "noise level \xce\xb4 (standard deviation of the Laplace noise, cut at 0)",
    0.1,
    0.1,
    15,
    4,
    10,
    3,
    lab_selectors};

const struct recovery_plan selectors_two_sided = {
    CH_NOISE_TWO_SIDED,
    "delta",
    "noise level \xce\xb4 (standard deviation of Laplace noise of both signs in half of the "
    "entries)",
    0.1,
    0.2,
    8,
    3,
    10,
    3,
    lab_selectors};

const struct recovery_plan selectors_outliers = {CH_NOISE_OUTLIERS,
                                                 "share",
                                                 "share of the entries that are uniform in (0, 10)",
                                                 0.02,
                                                 0.02,
                                                 5,
                                                 2,
                                                 10,
                                                 3,
                                                 lab_selectors};

const struct recovery_plan selectors_exponential = {
    CH_NOISE_EXPONENTIAL,
    "lambda",
    "\xce\xbb (mean of the exponential distribution, in units of W H)",
    1,
    3,
    4,
    2,
    10,
    3,
    lab_selectors};

const struct recovery_plan selectors_poisson = {
    CH_NOISE_POISSON,
    "lambda",
    "\xce\xbb (mean of the Poisson distribution, in units of W H)",
    1,
    2,
    5,
    2,
    10,
    3,
    lab_selectors};

const struct recovery_plan selectors_gaussian = {
    CH_NOISE_GAUSSIAN, "sigma", "\xcf\x83 (standard deviation)", 0.1, 0.2, 5, 2, 10, 3,
    lab_selectors};
