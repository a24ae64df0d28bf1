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
     "anchors wanted; auto (methods xray and smrs): stops where more anchors no longer help much"},
    {"method", CH_SETTING_CHOICE, AT(method), CH_METHOD_XRAY, 0, CH_METHOD_FGNSR, methods, "M",
     "xray: conical hull search with the loss below; spa: successive projection; hottopixx: linear "
     "program over all columns; fgnsr: the same in squares, by fast gradients; smrs: row-sparse "
     "self-representation (with -r auto it chooses the number too); these three keep columns x "
     "columns numbers: up to 20,000 columns. Relatives of spa: snpa "
     "(hull instead of span), pspa (columns preconditioned by their least ellipsoid), smoothed-spa "
     "(medians of neighbours), random-spa (the best of several random runs)"},
    {"loss", CH_SETTING_CHOICE, AT(loss), CH_LOSS_L1, 0, CH_LOSS_QUANTILE, losses, "L",
     "l1: sum |X - WH|, for outliers; quantile:Q: the same with residuals above zero weighing 2 Q "
     "and "
     "those below 2 (1 - Q), for outliers on one side (Q < 0.5: values too large); l2: ||X - "
     "WH||_F^2; kl: counts; is: multiplicative noise; "
     "beta:B: the family with 2 = l2, 1 = kl, 0 = is; logistic: shares in [0, 1]"},
    {"beta", CH_SETTING_REAL, AT(beta), 1, -10, 10, NULL, "B", "of loss beta; beta:B sets it too"},
    {"quantile", CH_SETTING_REAL, AT(quantile), 0.5, 0.001, 0.999, NULL, "Q",
     "of loss quantile; quantile:Q sets it too; 0.5: l1"},
    {"reverse", CH_SETTING_FLAG, AT(reverse), 0, 0, 1, NULL, NULL,
     "divergences: D(WH, X) instead of D(X, WH); a convex problem for every one of them"},
    {"floor", CH_SETTING_REAL, AT(floor), -1, -1, 1e300, NULL, "F",
     "divergences: added to WH, so that no zero gives an infinity; negative: 1e-6 times the mean "
     "of X"},
    {"projection", CH_SETTING_CHOICE, AT(projection), CH_PROJECTION_AUTO, 0, 3, projections, "P",
     "how columns are projected: exact (vertex method for l1, active sets for l2), admm (l1), cd "
     "(l2, and divergences, with Newton steps to finish); auto: exact where there is one, else cd"},
    {"exterior", CH_SETTING_CHOICE, AT(exterior), CH_EXTERIOR_MAX, 0, CH_EXTERIOR_SHARE, exteriors,
     "E",
     "which column outside the cone decides the next anchor: the farthest (max); the one of which "
     "the largest share is left, residual over the column's own size (share), which makes the "
     "answer independent of the columns' scale; a random one (rand); for l2 also dist and greedy, "
     "which use all residuals"},
    {"first", CH_SETTING_CHOICE, AT(first), CH_FIRST_RESELECT, 0, 1, firsts, "F",
     "reselect: the first anchor is dropped when all are there, and chosen once more; paper: kept"},
    {"dual", CH_SETTING_CHOICE, AT(dual), CH_DUAL_EXACT, 0, 1, duals, "D",
     "which dual D* of a column weighs the candidates (l1): exact: the one its projection ends "
     "with; paper: -1 wherever the residual is zero, checked, and exact at the steps where the "
     "check fails"},
    {"plain", CH_SETTING_FLAG, AT(plain), 0, 0, 1, NULL, NULL,
     "spa and its relatives: columns as they are instead of scaled to sum 1"},
    {"neighbours", CH_SETTING_INT, AT(neighbours), 5, 1, 1e6, NULL, "P",
     "smoothed-spa: an anchor is the median of the P columns farthest along its direction; 1: spa"},
    {"tries", CH_SETTING_INT, AT(tries), 20, 1, 1e6, NULL, "N",
     "random-spa: random runs, of which the one that explains the columns best is kept"},
    {"alpha", CH_SETTING_REAL, AT(alpha), 5, 1e-6, 1e9, NULL, "A",
     "smrs: lambda = lambda_max / A, lambda_max: the largest l2 norm of a row of X'X (columns "
     "centred, without --linear); larger A: more representatives"},
    {"linear", CH_SETTING_FLAG, AT(linear), 0, 0, 1, NULL, NULL,
     "smrs: any linear combinations of columns instead of affine ones (weights that sum to 1)"},
    {"gap", CH_SETTING_REAL, AT(gap), 1e-4, 1e-10, 0.5, NULL, "T",
     "hottopixx, fgnsr, smrs: the optimisation ends when (objective - dual bound) <= T * "
     "objective, "
     "or T where a hottopixx objective is below 1, for fgnsr T * half the squares of the scaled "
     "columns; or after 40,000 iterations (status iterations)"},
    {"p", CH_SETTING_REAL, AT(p), 1e-9, 0, 1e6, NULL, "P",
     "hottopixx, fgnsr: costs of the diagonal are drawn from (0, P); near 0 they decide between "
     "equal "
     "columns only; its authors draw them from (0, 1)"},
    {"largest", CH_SETTING_FLAG, AT(largest), 0, 0, 1, NULL, NULL,
     "hottopixx: minimises the largest residual of a column instead of their sum"},
    {"tau", CH_SETTING_REAL, AT(tau), 0, 0, 2, NULL, "T",
     "hottopixx: as published: every residual at most T (l1, columns scaled to sum 1), p from (0, "
     "1) alone in the objective; 0: residuals are in the objective"},
    {"faint", CH_SETTING_REAL, AT(faint), 0, 0, 0.999, NULL, "S",
     "xray: columns whose sum is below S times the 99th percentile of all sums are never chosen, "
     "as "
     "dark pixels, whose direction is noise; they get weights as the others; 0: off"},
    {"hull", CH_SETTING_CHOICE, AT(hull), CH_HULL_CONE, 0, CH_HULL_CONVEX0, hulls, "H",
     "xray, spa: what the weights of a column are: cone: >= 0; convex: they also sum to 1, for "
     "shares of a whole; convex0: to at most 1, for spectra with shade and dark pixels. A cone is "
     "about directions, and dark columns own extreme ones; a hull is about points"},
    {"negative", CH_SETTING_CHOICE, AT(negative), CH_NEGATIVE_REFUSE, 0, CH_NEGATIVE_CLIP,
     negatives, "N",
     "negative values, as of a detector that reads slightly below zero: refuse: they are an error; "
     "clip: they count as 0, which under l1 changes nothing but a constant. How many there were, "
     "and their sum, is reported"},
    {"library-only", CH_SETTING_FLAG, AT(library_only), 0, 0, 1, NULL, NULL,
     "xray, with a library: the anchors are the best of its columns, and none is a column of the "
     "data; ends when no other would lower any residual"},
    {"missing", CH_SETTING_CHOICE, AT(missing), CH_MISSING_NONE, 0, CH_MISSING_NAN, missing_values,
     "M",
     "entries that nobody measured (dropouts, clouds, a detector that was off): none: NaN is an "
     "error; nan: NaN is such an entry. A column is then explained by the entries that it has"},
    {"max-missing", CH_SETTING_REAL, AT(max_missing), 0.5, 0, 1, NULL, "S",
     "a column of which more than this share is missing is never chosen; by default an anchor has "
     "at least as many entries that were measured as entries that were made up"},
    {"select-only", CH_SETTING_FLAG, AT(select_only), 0, 0, 1, NULL, NULL, "anchors alone, no H"},
    {"eager", CH_SETTING_FLAG, AT(eager), 0, 0, 1, NULL, NULL,
     "project every column at every step; the same answer, slower"},
    {"path", CH_SETTING_FLAG, AT(path), 0, 0, 1, NULL, NULL,
     "the objective for every smaller rank too"},
    {"refine", CH_SETTING_INT, AT(refine), 0, 0, 1e6, NULL, "N",
     "up to N rounds that turn the anchors into free factors, W given H and H given W, each exact: "
     "a "
     "better fit by vectors that are no longer data columns; ends when a round gains less than "
     "0.001 %"},
    {"tol", CH_SETTING_REAL, AT(tol), 1e-9, 1e-14, 1e-2, NULL, "T",
     "a projection is proven when (objective - dual bound) <= T * the size of x: |x|_1 (l1, "
     "quantile, kl), "
     "|x|_2^2 (l2), rows (is, logistic), sum x^beta (beta); is and beta outside [1, 2] without "
     "--reverse are not convex: when the projected gradient is <= T, relative to that"},
    {"stop", CH_SETTING_REAL, AT(stop), 1e-9, 0, 1, NULL, "T",
     "a column is in the cone when its residual <= T * its norm (l1 or l2; divergences: its size "
     "as for tol, above what the floor costs), 1e-13 at least; the run ends when all are"},
    {"seed", CH_SETTING_INT, AT(seed), 0, 0, 9.2e18, NULL, "N", "seed of all random choices"},
};

CHI_SETTINGS_TABLE(ch_anchors_table, "anchors", rows, ch_anchors_settings)
