/* The settings of a run, as one table. */
#include "base/settings_rows.h"
#include <conehull/anchors.h>

static const char *const methods[] = {"xray", "spa",          "hottopixx",  "smrs",  "snpa",
                                      "pspa", "smoothed-spa", "random-spa", "fgnsr", NULL};
static const char *const losses[] = {"l1",       "l2",     "kl",       "is", "beta",
                                     "logistic", "custom", "quantile", NULL};
static const char *const projections[] = {"auto", "exact", "admm", "cd", NULL};
static const char *const exteriors[] = {"max", "rand", "dist", "greedy", "share", NULL};
static const char *const firsts[] = {"reselect", "paper", NULL};
static const char *const negatives[] = {"refuse", "clip", NULL};
static const char *const missing_values[] = {"none", "nan", NULL};
static const char *const hulls[] = {"cone", "convex", "convex0", NULL};
static const char *const duals[] = {"exact", "paper", NULL};

#define AT(field) offsetof(ch_anchors_settings, field)

static const ch_setting rows[] = {
    {"rank", CH_SETTING_INT, AT(rank), 0, 0, 1e6, NULL, "N",
     "number of anchors; auto (methods xray and smrs): stops when more anchors no longer help "
     "much"},
    {"method", CH_SETTING_CHOICE, AT(method), CH_METHOD_XRAY, 0, CH_METHOD_FGNSR, methods, "M",
     "xray: conical hull search with the loss below; spa: successive projection; snpa: spa with "
     "the hull instead of the span; pspa: spa after preconditioning by the minimum-volume "
     "ellipsoid; smoothed-spa: medians of neighbours; random-spa: the best of several random "
     "runs; hottopixx: linear program over all columns; fgnsr: the same with squares, by fast "
     "gradients; smrs: row-sparse self-representation, which with -r auto also chooses the "
     "number. The last three need columns x columns numbers: up to 20,000 columns"},
    {"loss", CH_SETTING_CHOICE, AT(loss), CH_LOSS_L1, 0, CH_LOSS_QUANTILE, losses, "L",
     "l1: sum |X - WH|, for outliers; quantile:Q: l1 with weight 2 Q for positive residuals and "
     "2 (1 - Q) for negative ones, for outliers on one side (Q < 0.5: values too large); l2: ||X "
     "- WH||_F^2; kl: counts; is: multiplicative noise; beta:B: the family with 2 = l2, 1 = kl, "
     "0 = is; logistic: shares in [0, 1]"},
    {"beta", CH_SETTING_REAL, AT(beta), 1, -10, 10, NULL, "B",
     "parameter of loss beta; the same as beta:B"},
    {"quantile", CH_SETTING_REAL, AT(quantile), 0.5, 0.001, 0.999, NULL, "Q",
     "parameter of loss quantile; the same as quantile:Q; 0.5 is l1"},
    {"reverse", CH_SETTING_FLAG, AT(reverse), 0, 0, 1, NULL, NULL,
     "divergences: D(WH, X) instead of D(X, WH), which is always a convex problem"},
    {"floor", CH_SETTING_REAL, AT(floor), -1, -1, 1e300, NULL, "F",
     "divergences: added to WH so that zeros do not give infinite values; negative: 1e-6 times "
     "the mean of X"},
    {"projection", CH_SETTING_CHOICE, AT(projection), CH_PROJECTION_AUTO, 0, 3, projections, "P",
     "solver of the projections: exact (vertex method for l1, active sets for l2), admm (l1), cd "
     "(l2 and divergences, with final Newton steps); auto: exact if there is one, else cd"},
    {"exterior", CH_SETTING_CHOICE, AT(exterior), CH_EXTERIOR_MAX, 0, CH_EXTERIOR_SHARE, exteriors,
     "E",
     "which column outside the cone decides the next anchor: max: the farthest; share: the one "
     "with the largest residual relative to its own size, so that the scale of columns does not "
     "matter; rand: a random one; for l2 also dist and greedy, which use all residuals"},
    {"first", CH_SETTING_CHOICE, AT(first), CH_FIRST_RESELECT, 0, 1, firsts, "F",
     "reselect: the first anchor is dropped at the end and chosen again; paper: it is kept"},
    {"dual", CH_SETTING_CHOICE, AT(dual), CH_DUAL_EXACT, 0, 1, duals, "D",
     "l1: how D* is computed, the dual of the exterior column by which candidates are scored. "
     "exact: from the projection of that column; paper: as -1 where its residual is zero. This is "
     "checked in each step, and exact is used where the check fails"},
    {"plain", CH_SETTING_FLAG, AT(plain), 0, 0, 1, NULL, NULL,
     "spa and its variants: do not scale columns to sum 1"},
    {"neighbours", CH_SETTING_INT, AT(neighbours), 5, 1, 1e6, NULL, "P",
     "smoothed-spa: an anchor is the median of the P columns farthest along its direction; 1: spa"},
    {"tries", CH_SETTING_INT, AT(tries), 20, 1, 1e6, NULL, "N",
     "random-spa: number of random runs; the one that explains the columns best is used"},
    {"alpha", CH_SETTING_REAL, AT(alpha), 5, 1e-6, 1e9, NULL, "A",
     "smrs: lambda = lambda_max / A, where lambda_max is the largest l2 norm of a row of X'X "
     "(columns centred unless --linear); larger A: more representatives"},
    {"linear", CH_SETTING_FLAG, AT(linear), 0, 0, 1, NULL, NULL,
     "smrs: linear instead of affine combinations of columns (weights need not sum to 1)"},
    {"gap", CH_SETTING_REAL, AT(gap), 1e-4, 1e-10, 0.5, NULL, "T",
     "hottopixx, fgnsr, smrs: the optimisation ends when objective - dual bound <= T * S, or "
     "after 40,000 iterations (status iterations). S is the objective for smrs, the objective but "
     "at least 1 for hottopixx, and half the sum of squares of the scaled columns for fgnsr"},
    {"p", CH_SETTING_REAL, AT(p), 1e-9, 0, 1e6, NULL, "P",
     "hottopixx, fgnsr: costs of the diagonal are drawn from (0, P). Near 0 they only decide "
     "between equal columns; the authors of hottopixx draw them from (0, 1)"},
    {"largest", CH_SETTING_FLAG, AT(largest), 0, 0, 1, NULL, NULL,
     "hottopixx: minimise the largest residual of a column instead of the sum"},
    {"tau", CH_SETTING_REAL, AT(tau), 0, 0, 2, NULL, "T",
     "hottopixx: as published: every residual at most T (l1, columns scaled to sum 1), and the "
     "objective contains only p, drawn from (0, 1); 0: the residuals are in the objective"},
    {"faint", CH_SETTING_REAL, AT(faint), 0, 0, 0.999, NULL, "S",
     "xray: never choose columns whose sum is below S times the 99th percentile of all sums, "
     "such as dark pixels, whose direction is mostly noise; they are still projected; 0: off"},
    {"hull", CH_SETTING_CHOICE, AT(hull), CH_HULL_CONE, 0, CH_HULL_CONVEX0, hulls, "H",
     "xray, spa: weights of a column: cone: >= 0; convex: they also sum to 1, for shares of a "
     "whole; convex0: they sum to at most 1, for spectra with shade and dark pixels. A cone "
     "compares directions, and dark columns have extreme directions; a hull compares points"},
    {"negative", CH_SETTING_CHOICE, AT(negative), CH_NEGATIVE_REFUSE, 0, CH_NEGATIVE_CLIP,
     negatives, "N",
     "negative values, for instance of a detector that reads slightly below zero: refuse: report "
     "an error; clip: count them as 0, which changes the l1 loss only by a constant. Their "
     "number and sum are reported"},
    {"library-only", CH_SETTING_FLAG, AT(library_only), 0, 0, 1, NULL, NULL,
     "xray, with a library: the anchors are the best of its columns, and none is a column of the "
     "data; ends when no other would lower any residual"},
    {"missing", CH_SETTING_CHOICE, AT(missing), CH_MISSING_NONE, 0, CH_MISSING_NAN, missing_values,
     "M",
     "entries that were not measured (dropouts, clouds, a detector that was off): none: NaN is "
     "an error; nan: NaN marks such an entry, and a column is fitted by the entries that it has"},
    {"max-missing", CH_SETTING_REAL, AT(max_missing), 0.5, 0, 1, NULL, "S",
     "never choose columns with more than this share of missing entries; by default at least "
     "half of an anchor's entries were measured"},
    {"select-only", CH_SETTING_FLAG, AT(select_only), 0, 0, 1, NULL, NULL,
     "find anchors only, no H"},
    {"eager", CH_SETTING_FLAG, AT(eager), 0, 0, 1, NULL, NULL,
     "project every column at every step: same answer, slower"},
    {"path", CH_SETTING_FLAG, AT(path), 0, 0, 1, NULL, NULL,
     "also report the objective for every smaller rank"},
    {"refine", CH_SETTING_INT, AT(refine), 0, 0, 1e6, NULL, "N",
     "up to N rounds that turn the anchors into free factors (W given H, then H given W, each "
     "exact): a better fit, but by vectors that are no longer data columns; ends when a round "
     "gains less than 0.001 %"},
    {"tol", CH_SETTING_REAL, AT(tol), 1e-9, 1e-14, 1e-2, NULL, "T",
     "a projection is proven if (objective - dual bound) <= T * size of x: |x|_1 (l1, quantile, "
     "kl), |x|_2^2 (l2), rows (is, logistic), sum x^beta (beta). is and beta outside [1, 2] are "
     "not convex without --reverse; they require a projected gradient <= T, relative to that size"},
    {"stop", CH_SETTING_REAL, AT(stop), 1e-9, 0, 1, NULL, "T",
     "a column is in the cone if its residual <= T * its norm (l1 or l2; divergences: its size "
     "as for tol, plus the cost of the floor), at least 1e-13; the run ends when all columns are"},
    {"seed", CH_SETTING_INT, AT(seed), 0, 0, 9.2e18, NULL, "N", "seed of all random choices"},
};

CHI_SETTINGS_TABLE(ch_anchors_table, "anchors", rows, ch_anchors_settings)
