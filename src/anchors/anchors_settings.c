/* The settings of a run, as one table. */
#include "base/settings_rows.h"
#include <conehull/anchors.h>

static const char *const methods[] = {"xray", "spa",          "hottopixx",  "smrs",  "snpa",
                                      "pspa", "smoothed-spa", "random-spa", "fgnsr", NULL};
static const char *const losses[] = {"l1",       "l2",     "kl",       "is", "beta",
                                     "logistic", "custom", "quantile", NULL};
static const char *const projections[] = {"auto", "exact", "admm", "cd", NULL};
static const char *const exteriors[] = {"max", "rand", "dist", "greedy", "share", "balanced", NULL};
static const char *const firsts[] = {"reselect", "paper", NULL};
static const char *const negatives[] = {"refuse", "clip", NULL};
static const char *const missing_values[] = {"none", "nan", NULL};
static const char *const hulls[] = {"cone", "convex", "convex0", NULL};
static const char *const duals[] = {"exact", "paper", NULL};

#define AT(field) offsetof(ch_anchors_settings, field)

static const ch_setting rows[] = {
    {"rank", CH_SETTING_INT, AT(rank), 0, 0, 1e6, NULL, "N",
     "number of anchors. auto (methods xray and smrs only) ends the search when more anchors no "
     "longer lower the residual much"},
    {"method", CH_SETTING_CHOICE, AT(method), CH_METHOD_XRAY, 0, CH_METHOD_FGNSR, methods, "M",
     "how anchors are selected. xray: conical hull search with the loss of --loss. spa: "
     "successive projection (SPA). snpa: SPA with distances from the convex hull of the anchors "
     "and 0. pspa: SPA after preconditioning by the minimum-volume ellipsoid. smoothed-spa: SPA "
     "with the median of the --neighbours farthest columns in place of a single column. "
     "random-spa: the best of --tries randomised SPA runs. hottopixx: linear program over all "
     "columns. fgnsr: like hottopixx, but with squared errors, solved by a fast gradient method. "
     "smrs: row-sparse self-representation; with -r auto it also chooses the number of anchors. "
     "hottopixx, fgnsr and smrs store a matrix of columns x columns and accept at most 20,000 "
     "columns"},
    {"loss", CH_SETTING_CHOICE, AT(loss), CH_LOSS_L1, 0, CH_LOSS_QUANTILE, losses, "L",
     "the error between X and WH that is minimised. l1: sum |X - WH|; the fit of a column is "
     "robust against outliers, the choice of anchors is not. l2: sum (X - WH)^2, for noise of the "
     "same size at all values. kl: Kullback-Leibler divergence, for counts. is: Itakura-Saito "
     "divergence, for noise in proportion to the values. quantile:Q: l1 with weight 2 Q on "
     "positive and 2 (1 - Q) on negative residuals, for outliers on one side; choose Q < 0.5 if "
     "outliers lie above the true values. beta:B: beta divergence; it equals l2 for B = 2, kl for "
     "B = 1 and 'is' for B = 0. logistic: logistic loss, for values in [0, 1]"},
    {"beta", CH_SETTING_REAL, AT(beta), 1, -10, 10, NULL, "B",
     "parameter B of the beta divergence (--loss beta); --loss beta:B sets both"},
    {"quantile", CH_SETTING_REAL, AT(quantile), 0.5, 0.001, 0.999, NULL, "Q",
     "parameter Q of the quantile loss (--loss quantile); --loss quantile:Q sets both. Q = 0.5 is "
     "the same as l1"},
    {"reverse", CH_SETTING_FLAG, AT(reverse), 0, 0, 1, NULL, NULL,
     "losses kl, is, beta and logistic: minimise D(WH, X) instead of D(X, WH). D(WH, X) is "
     "convex in H for all of these losses, D(X, WH) only for some of them"},
    {"floor", CH_SETTING_REAL, AT(floor), -1, -1, 1e300, NULL, "F",
     "losses kl, is, beta and logistic: a small number that is added to WH, because these losses "
     "are infinite where WH is 0 and X is not. A negative number means 1e-6 times "
     "the mean of X"},
    {"projection", CH_SETTING_CHOICE, AT(projection), CH_PROJECTION_AUTO, 0, 3, projections, "P",
     "solver that computes the weights of a column. exact: vertex method for l1 and quantile, "
     "active sets for l2. admm: alternating direction method, for l1. cd: coordinate descent with "
     "final Newton steps, for l2, kl, is, beta and logistic. auto: exact if it supports the loss, "
     "otherwise cd"},
    {"exterior", CH_SETTING_CHOICE, AT(exterior), CH_EXTERIOR_MAX, 0, CH_EXTERIOR_BALANCED,
     exteriors, "E",
     "xray: each step starts from a column that the anchors so far do not explain; this rule "
     "chooses that column. max: the column with the largest residual. share: the column with the "
     "largest residual relative to its own size, so that the scale of columns does not matter. "
     "balanced: the column with the largest residual / max(size, M), where M is the median of the "
     "sizes. rand: a random column that the anchors so far do not explain. dist, greedy: rules for "
     "l2 that use the residuals of all columns"},
    {"first", CH_SETTING_CHOICE, AT(first), CH_FIRST_RESELECT, 0, 1, firsts, "F",
     "xray: what happens to the first anchor, which is selected before any residual is known and "
     "is often wrong on noisy data. reselect: it is dropped at the end, and another column is "
     "selected in its place. paper: it is kept, as in the paper"},
    {"dual", CH_SETTING_CHOICE, AT(dual), CH_DUAL_EXACT, 0, 1, duals, "D",
     "xray with l1: how a step computes the vector D* with which it scores the candidates for the "
     "next anchor. exact: the dual of the projection of the column that --exterior chose. paper: "
     "the signs of the residual of that column, and -1 where the residual is 0; each step checks "
     "that these signs are a valid dual, and uses exact if they are not"},
    {"plain", CH_SETTING_FLAG, AT(plain), 0, 0, 1, NULL, NULL,
     "spa and its variants: use the columns as they are. By default every column is first scaled "
     "to sum 1"},
    {"neighbours", CH_SETTING_INT, AT(neighbours), 5, 1, 1e6, NULL, "P",
     "smoothed-spa: each step uses the median of the P columns that reach farthest in the "
     "direction of the step; P = 1 gives spa"},
    {"tries", CH_SETTING_INT, AT(tries), 20, 1, 1e6, NULL, "N",
     "random-spa: number of random runs; the run whose anchors explain the columns best is used"},
    {"alpha", CH_SETTING_REAL, AT(alpha), 5, 1e-6, 1e9, NULL, "A",
     "smrs: larger values select more columns. The penalty is lambda = lambda_max / A, where "
     "lambda_max is the largest l2 norm of a row of X'X. Without --linear, the mean of all columns "
     "is first subtracted from each column"},
    {"linear", CH_SETTING_FLAG, AT(linear), 0, 0, 1, NULL, NULL,
     "smrs: represent columns by linear combinations, whose weights may have any sum. By default "
     "the weights of a column sum to 1"},
    {"gap", CH_SETTING_REAL, AT(gap), 1e-4, 1e-10, 0.5, NULL, "T",
     "hottopixx, fgnsr, smrs: accuracy of the optimisation. It ends when the objective is within "
     "T * S of its proven lower bound, or after 40,000 iterations (the status is then "
     "\"iterations\"). S is the objective for smrs, max(1, objective) for hottopixx, and half "
     "the sum of squares of the scaled columns for fgnsr"},
    {"p", CH_SETTING_REAL, AT(p), 1e-9, 0, 1e6, NULL, "P",
     "hottopixx, fgnsr: each column has a cost of being selected, a random number that is uniform "
     "in (0, P). If P is near 0, the costs decide between equal columns and have no other effect; "
     "the authors of hottopixx use P = 1"},
    {"largest", CH_SETTING_FLAG, AT(largest), 0, 0, 1, NULL, NULL,
     "hottopixx: minimise the largest residual of all columns instead of the sum of their "
     "residuals"},
    {"tau", CH_SETTING_REAL, AT(tau), 0, 0, 2, NULL, "T",
     "hottopixx: limit of the residuals. With T > 0 the problem is solved as published: the "
     "columns are scaled to sum 1, no residual may have an l1 norm above T, and the sum of the "
     "random costs, uniform in (0, 1), is minimised. 0: there is no limit, and the "
     "residuals are minimised"},
    {"faint", CH_SETTING_REAL, AT(faint), 0, 0, 0.999, NULL, "S",
     "xray: never select a column whose sum is below S times the 99th percentile of all column "
     "sums, such as a dark pixel, whose direction is mostly noise. Such columns still get weights. "
     "0: any column may be selected"},
    {"hull", CH_SETTING_CHOICE, AT(hull), CH_HULL_CONE, 0, CH_HULL_CONVEX0, hulls, "H",
     "xray, spa: which weights a column may have. cone: any weights >= 0. convex: weights >= 0 "
     "that sum to 1, for shares of a whole. convex0: weights >= 0 that sum to at most 1, for "
     "spectra with shade and dark pixels. With cone only the directions of columns matter, and "
     "noise easily makes a dark column extreme; with convex and convex0 their sizes matter too"},
    {"negative", CH_SETTING_CHOICE, AT(negative), CH_NEGATIVE_REFUSE, 0, CH_NEGATIVE_CLIP,
     negatives, "N",
     "what to do with negative values, which occur if a detector reads slightly below zero or a "
     "background was subtracted. refuse: end with an error. clip: count them as 0 and report their "
     "number and sum; under l1 this does not change the best weights"},
    {"library-only", CH_SETTING_FLAG, AT(library_only), 0, 0, 1, NULL, NULL,
     "xray with a library: select all anchors from the library and none from the data. The run "
     "ends early when no other column of the library would lower a residual"},
    {"missing", CH_SETTING_CHOICE, AT(missing), CH_MISSING_NONE, 0, CH_MISSING_NAN, missing_values,
     "M",
     "what NaN means. none: NaN is an error. nan: NaN marks an entry that was not measured (a "
     "dropout, a cloud, a detector that was off), and each column is fitted to its known entries"},
    {"max-missing", CH_SETTING_REAL, AT(max_missing), -1, -1, 1, NULL, "S",
     "never select a column if more than the fraction S, 0 to 1, of its entries is missing. With a "
     "negative number, the fraction is 0.5, and there is a second test, which compares every "
     "incomplete column with the cone of the complete columns. By this test, a column is never "
     "selected if two conditions hold: (1) its estimated entries are farther from the cone than "
     "its known entries; (2) its known entries, relative to their size, are no farther from the "
     "cone than the entries of some complete column"},
    {"select-only", CH_SETTING_FLAG, AT(select_only), 0, 0, 1, NULL, NULL,
     "find the anchors only and do not compute the weights H, which is much faster"},
    {"eager", CH_SETTING_FLAG, AT(eager), 0, 0, 1, NULL, NULL,
     "compute the residuals of all columns in every step, instead of only those that can matter. "
     "The result is the same, but the run takes longer"},
    {"path", CH_SETTING_FLAG, AT(path), 0, 0, 1, NULL, NULL,
     "also report the objective for every smaller number of anchors"},
    {"refine", CH_SETTING_INT, AT(refine), 0, 0, 1e6, NULL, "N",
     "after the selection, improve the fit in up to N rounds, each of which fits W to H and then "
     "H to W. The columns of the refined W are no longer columns of the data. The refinement "
     "ends early when a round lowers the objective by less than 0.001 %. 0: no refinement"},
    {"tol", CH_SETTING_REAL, AT(tol), 1e-9, 1e-14, 1e-2, NULL, "T",
     "required accuracy of the weights. The weights of a column x are proven if no other weights "
     "can lower its loss by more than T * size(x). Here size(x) is |x|_1 for the losses l1, "
     "quantile and kl, |x|_2^2 for l2, the number of rows for 'is' and logistic, and sum x^B for "
     "beta. Two losses are not convex unless --reverse is given: 'is', and beta with B < 1 or B > "
     "2. With them, the weights are proven if the projected gradient is at most T * size(x)"},
    {"stop", CH_SETTING_REAL, AT(stop), 1e-9, 0, 1, NULL, "T",
     "end early when every column x is close to its model y = W h. l1: |x - y|_1 <= T |x|_1. "
     "quantile: loss(x, y) <= T |x|_1. l2: |x - y|_2 <= T |x|_2. Other losses: loss(x, y) <= "
     "loss(x, x) + T size(x), where size(x) is defined at --tol; loss(x, x) may be positive, "
     "because --floor is added to the model. T counts as at least 1e-13 and, if the data are "
     "stored "
     "in single precision (f32), as at least 1.2e-7, the rounding error of such data"},
    {"seed", CH_SETTING_INT, AT(seed), 0, 0, 9.2e18, NULL, "N",
     "seed of the random numbers; the same seed gives the same result"},
};

CHI_SETTINGS_TABLE(ch_anchors_table, "anchors", rows, ch_anchors_settings)
