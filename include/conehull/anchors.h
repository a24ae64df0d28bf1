/* Anchor columns of a non-negative matrix: settings, run, result and verification.
 *
 *     X  ~  W H,   H >= 0,   loss(X, W H) small
 *
 * The columns of W are the anchors: columns of X, or of a library of known columns
 * (ch_anchors_settings.library). ch_anchors_settings.hull can also require that each column of H
 * sums to 1 (CH_HULL_CONVEX) or to at most 1 (CH_HULL_CONVEX0). "The paper" is A. Kumar and V.
 * Sindhwani, "Near-separable Non-negative Matrix Factorization with l1- and Bregman Loss
 * Functions", arXiv 1312.7167. docs/notation.md explains the terms.
 *
 * Column indices count from 0. The largest column sum of X must lie between 2^-500 and 2^500, so
 * that its square neither overflows nor becomes 0; other data are refused (CH_ERR_DATA). Columns
 * that sum to less than 2^-500 are never anchors. Simple use:
 *
 *     ch_anchors_settings set;
 *     ch_anchors_defaults(&set);
 *     set.rank = 20;
 *     ch_anchors_result result = {.size = sizeof result};
 *     if (ch_anchors(context, &result, &X, &set) < 0) puts(ch_context_message(context));
 *     // result.anchors[0 .. result.rank): columns of X
 *     ch_anchors_result_free(context, &result); */
#ifndef CONEHULL_ANCHORS_H
#define CONEHULL_ANCHORS_H

#include <conehull/checkpoint.h>
#include <conehull/loss.h>
#include <conehull/matrix.h>
#include <conehull/settings.h>

CH_BEGIN_DECLS

/** The methods that choose anchors. docs/explanation/geometry.md describes xray, which is Algorithm
 *  1 of the paper; docs/baselines has a page for each of the other methods. In the comments, `cols`
 *  is the number of columns of X. */
typedef enum ch_anchors_method {
    /** Conical hull search; the only method that uses ch_anchors_settings.loss to choose
     *  anchors. */
    CH_METHOD_XRAY = 0,
    CH_METHOD_SPA = 1,       /**< successive projection algorithm */
    CH_METHOD_HOTTOPIXX = 2, /**< Hottopixx: linear program over a cols x cols matrix */
    /** Row-sparse self-representation: convex program over a cols x cols matrix. */
    CH_METHOD_SMRS = 3,
    /** Successive non-negative projection: SPA with distances from the convex hull of the anchors
     *  and the origin, instead of distances from the span of the anchors. */
    CH_METHOD_SNPA = 4,
    CH_METHOD_PSPA = 5, /**< SPA on data preconditioned by the minimum-volume ellipsoid */
    /** SPA in which each step uses the median of several columns instead of a single column; of
     *  these columns, the column nearest to the median becomes the anchor. */
    CH_METHOD_SMOOTHED_SPA = 6,
    CH_METHOD_RANDOM_SPA = 7, /**< the best of several randomised runs of SPA */
    CH_METHOD_FGNSR = 8 /**< Hottopixx with squared residuals, solved by a fast gradient method */
} ch_anchors_method;
/** The solver that projects a column onto the cone. */
typedef enum ch_projection_method {
    /** CH_PROJECTION_EXACT for l1, quantile and l2; CH_PROJECTION_CD for the other losses. */
    CH_PROJECTION_AUTO = 0,
    /** l1 and quantile: exact vertex method; l2: exact active-set method. */
    CH_PROJECTION_EXACT = 1,
    CH_PROJECTION_ADMM = 2, /**< only l1: alternating direction method of multipliers */
    /** l2 and divergences (such as kl): coordinate descent, then Newton steps. */
    CH_PROJECTION_CD = 3
} ch_projection_method;
/** xray: how each step chooses its exterior column, which is a column outside the cone of the
 *  anchors so far. The dual of the projection of this column gives every column a score, and the
 *  column with the highest score becomes the next anchor. In the formulas R = X - W H is the
 *  residual, X_i and R_i are columns, and (v)_+ is v with negative entries replaced by 0. */
typedef enum ch_exterior_rule {
    CH_EXTERIOR_MAX = 0,  /**< the column with the largest residual */
    CH_EXTERIOR_RAND = 1, /**< a random column outside the cone */
    /** Only l2: the column i with the largest |(R_i' X)_+|_2. */
    CH_EXTERIOR_DIST = 2,
    /** Only l2: there is no exterior column; the next anchor is the column j with the largest |(R'
     *  X_j)_+|_2 / |X_j|_2. */
    CH_EXTERIOR_GREEDY = 3,
    CH_EXTERIOR_SHARE = 4, /**< the column whose residual is largest relative to its own norm */
    /** The column with the largest ratio residual / max(norm of the column, M), where M is the
     *  median of the norms of all columns that are neither zero nor faint. */
    CH_EXTERIOR_BALANCED = 5
} ch_exterior_rule;
/** xray: what happens to the first anchor, which is often wrong on noisy data, because it is chosen
 *  before there is a cone. CH_FIRST_RESELECT: the first anchor is dropped at the end of the
 *  selection, and another column is chosen in its place. CH_FIRST_PAPER: the first anchor stays, as
 *  in the paper. */
typedef enum ch_first_anchor { CH_FIRST_RESELECT = 0, CH_FIRST_PAPER = 1 } ch_first_anchor;
/** The constraint on each column h of the weights H. CH_HULL_CONE: h >= 0. CH_HULL_CONVEX: h >= 0
 *  and sum h = 1. CH_HULL_CONVEX0: h >= 0 and sum h <= 1. */
typedef enum ch_hull { CH_HULL_CONE = 0, CH_HULL_CONVEX = 1, CH_HULL_CONVEX0 = 2 } ch_hull;
/** What happens if X holds a negative value. CH_NEGATIVE_REFUSE: the call fails with CH_ERR_DATA.
 *  CH_NEGATIVE_CLIP: the value counts as 0. */
typedef enum ch_negative_values { CH_NEGATIVE_REFUSE = 0, CH_NEGATIVE_CLIP = 1 } ch_negative_values;
/** What happens if X holds a NaN. CH_MISSING_NONE: the call fails with CH_ERR_DATA. CH_MISSING_NAN:
 *  the NaN marks a missing entry, and the column is fitted to its other entries. */
typedef enum ch_missing_values { CH_MISSING_NONE = 0, CH_MISSING_NAN = 1 } ch_missing_values;
/** xray with l1: how the dual of the exterior column is computed in the rows where the residual of
 *  this column is 0. (In the other rows the dual is the sign of the residual.) CH_DUAL_EXACT: the
 *  solver of the projection computes these entries. CH_DUAL_PAPER: these entries are set to -1; if
 *  the resulting dual does not satisfy Lemma 3.2 of the paper, CH_DUAL_EXACT is used instead. */
typedef enum ch_dual_source { CH_DUAL_EXACT = 0, CH_DUAL_PAPER = 1 } ch_dual_source;

struct ch_anchors_result;
/** A callback that receives the anchors as soon as they are chosen, before H is computed: in
 *  `found` the members rank, anchors, max_residual and W are set, and H is NULL. ch_anchors() calls
 *  it once, on the thread of the caller. `found` is valid only during the call. `user` is
 *  ch_anchors_settings.selected_user. */
typedef void (*ch_selected_fn)(void *user, const struct ch_anchors_result *found);
/** A callback that receives columns first .. first + count - 1 of the weights H, as an array rank x
 *  count, column-major. Every column is passed exactly once, in increasing order. The array is
 *  valid only during the call. Return 0 to continue and non-zero to cancel the run. `user` is
 *  ch_anchors_settings.take_weights_user. */
typedef int (*ch_weights_fn)(void *user, const double *H, int64_t first, int64_t count);

/** Settings of ch_anchors(), ch_project() and ch_verify(). ch_anchors_defaults() fills them;
 *  ch_anchors_table() lists the default and the bounds of each. In the comments, l1, l2, kl, ...
 *  are losses (loss.h), xray, SPA, ... are methods (ch_anchors_method), and divergences are all
 *  losses except l1, quantile and l2. If a comment begins with a method or a loss, such as "xray:",
 *  the member is for this method or loss only. */
typedef struct ch_anchors_settings {
    size_t size;  /**< sizeof(ch_anchors_settings); ch_anchors_defaults() sets it */
    int64_t rank; /**< number of anchors; 0 (xray and SMRS only): the method chooses the number */
    ch_anchors_method method; /**< the method that chooses the anchors */
    ch_loss loss; /**< loss that H minimises; the method xray also chooses anchors by it */
    /** CH_LOSS_BETA: exponent of the loss, -10 to 10. The loss equals l2 for beta = 2, kl for
     *  beta = 1 and Itakura-Saito for beta = 0. */
    double beta;
    /** CH_LOSS_QUANTILE: the quantile q, 0.001 to 0.999. About the share q of the residuals X - W H
     *  becomes negative. 0.5 gives l1. */
    double quantile;
    int reverse; /**< divergences D: 0 minimises D(X, W H), 1 minimises D(W H, X) */
    /** Divergences: the floor, a number that is added to every entry of W H, because some losses
     *  are infinite where W H is 0. A negative value means 1e-6 times the mean of X. */
    double floor;
    ch_projection_method projection; /**< solver that projects a column onto the cone */
    ch_exterior_rule exterior;       /**< xray: how the exterior column of a step is chosen */
    /** xray: whether the first anchor is replaced at the end of the selection. */
    ch_first_anchor first;
    ch_dual_source dual; /**< xray with l1: how the dual of the exterior column is computed */
    int plain; /**< SPA and its variants: 0 first scales each column of X to sum 1, 1 does not */
    /** Smoothed SPA: number of columns over which the median is taken in each step. */
    int64_t neighbours;
    int64_t tries; /**< random SPA: number of random runs; the best run gives the anchors */
    /** SMRS: the row-sparsity penalty has the weight lambda_max / alpha, where lambda_max is the
     *  smallest weight with which no column is selected. A larger alpha selects more columns. */
    double alpha;
    /** SMRS, which represents X by X C with a matrix C of weights: 0 requires that each column of C
     *  sums to 1, 1 does not. */
    int linear;
    /** Hottopixx, FGNSR, SMRS: the optimisation problem that chooses the anchors is solved until
     *  objective - bound <= gap * S, where bound is a proven lower bound of the optimum. For SMRS,
     *  S is the objective. For Hottopixx, S = max(objective, 1). For FGNSR, S = |X|_F^2 / 2, with
     *  the columns of X scaled to sum 1. */
    double gap;
    /** Hottopixx and FGNSR, which represent X by X C with a matrix C of weights: each diagonal
     *  entry of C has a random cost. The costs are uniform in (0, p), except for Hottopixx with a
     *  positive tau, where they are uniform in (0, 1). With p near 0 the costs decide between equal
     *  columns and have no other effect. */
    double p;
    /** Hottopixx: 0 minimises the sum of the residuals of all columns, 1 minimises the largest
     *  residual of a column. */
    int largest;
    /** Hottopixx: limit of the residuals. With a positive tau the problem is solved as published:
     *  columns are scaled to sum 1, the l1 residual of each column must be at most tau, and the sum
     *  of the random costs is minimised. With tau = 0, the default, there is no limit, and the
     *  residuals are minimised. */
    double tau;
    /** xray: a number from 0 to 0.999. A column whose sum is below faint * Q, where Q is the 99th
     *  percentile of all column sums, never becomes an anchor, but gets weights in H like other
     *  columns. 0: every column may become an anchor. */
    double faint;
    /** xray, SPA: the constraint on the columns of H. With CH_HULL_CONVEX and CH_HULL_CONVEX0, a
     *  sparse X is copied in memory. */
    ch_hull hull;
    /** Whether negative values in X are refused or count as 0. With CH_NEGATIVE_CLIP, a sparse X is
     *  copied in memory. */
    ch_negative_values negative;
    /** xray with `library`: 1 takes all anchors from the library and none from X. */
    int library_only;
    ch_missing_values missing; /**< whether NaN in X is an error or marks a missing entry */
    /** xray with missing entries: a column never becomes an anchor if more than this share, 0 to 1,
     *  of its entries is missing. With a negative number, the share is 0.5, and there is a second
     *  test, which compares each column that has missing entries with the cone of the complete
     *  columns. By this test, a column never becomes an anchor if two conditions hold. First, its
     *  estimated entries are farther from the cone than its known entries. Second, the distance of
     *  its known entries from the cone, divided by the norm of its known entries, is at most the
     *  largest such ratio in a sample of complete columns. There is no second test with `weights`,
     *  or if fewer than two columns are complete. */
    double max_missing;
    /** 1 ends the run after the selection: the result has anchors and W but no H. */
    int select_only;
    /** xray: 1 projects every column in every step; 0 projects only those columns whose residual
     *  can decide the step, which is faster. Both give the same result. */
    int eager;
    /** 1 also computes the loss for every smaller number of anchors
     *  (ch_anchors_result.objective_path). */
    int path;
    /** Maximum number of refinement rounds after the selection. A round fits W and then H to X
     *  again, without requiring that the columns of W are columns of X
     *  (ch_anchors_result.refined_W). 0: no refinement. */
    int64_t refine;
    /** The projection of a column is accepted as optimal if its gap is at most tol. The gap is the
     *  loss of the column minus a proven lower bound of the smallest possible loss, divided by the
     *  size of the column (docs/notation.md). */
    double tol;
    /** xray: the selection ends when every column x is inside the cone, which means close to its
     *  model y, the projection of x. With T = stop, x is inside if
     *    l1:          |x - y|_1 <= T |x|_1
     *    quantile:    loss(x, y) <= T |x|_1
     *    l2:          |x - y|_2 <= T |x|_2
     *    divergences: loss(x, y) <= loss(x, x) + T size(x)
     *  Here size(x) is the size of docs/notation.md, and loss(x, x) may be positive, because
     *  `floor` is added to the model. Because of rounding errors, a T below 1e-13 counts as 1e-13;
     *  if X is f32, a T below 1.2e-7 counts as 1.2e-7. */
    double stop;
    int64_t seed; /**< seed of all random numbers; the same seed gives the same result */

    /* The table of the settings does not list the following members. The caller owns all arrays. */

    /** xray: indices, from 0, of keep_count columns of X that become the first anchors, in this
     *  order. NULL: no anchor is prescribed. */
    const int64_t *keep;
    int64_t keep_count; /**< number of entries of `keep` */
    ch_bregman custom;  /**< CH_LOSS_CUSTOM: the functions that define the divergence */
    int keep_duals;     /**< 1 stores the duals that ch_verify() needs in the result; 0 does not */

    /* The next members set weights (docs/explanation/weights-and-missing.md). The term of row i and
     * column j in the loss is multiplied by row_weights[i], by column_weights[j] and by the value
     * (i, j) of `weights`. A weight is between 0 and 2^500, and at least one weight of each list
     * must be positive. A run with weights copies X and works in one process only. */

    /** Weights of the rows of X, for every method and loss. The losses Itakura-Saito, logistic and
     *  custom have two limits: row weights other than 0 and 1 need the method xray, and they must
     *  be between 2^-100 and 2^100. NULL: equal weights. */
    const double *row_weights;
    int64_t row_weight_count; /**< number of entries of `row_weights` */
    /** Weights of the columns of X, for xray with CH_HULL_CONE and the losses l1, quantile, l2, kl
     *  or beta > 0. The residual of each column is multiplied by the weight of the column before
     *  the largest residual is chosen. A column of weight 0 never becomes an anchor. NULL: equal
     *  weights. */
    const double *column_weights;
    int64_t column_weight_count; /**< number of entries of `column_weights` */
    /** xray: a matrix with the shape of X that is non-zero where the entry of X is known and 0
     *  where it is missing. If this matrix is sparse, an entry that is not stored marks a missing
     *  entry of X. NULL: all entries of X are known. */
    const ch_matrix *observed;
    /** Weights of the entries of X, for xray with CH_HULL_CONE and the losses l1, quantile or l2: a
     *  matrix with the shape of X. An entry of weight 0 counts as missing. For l2, a suitable
     *  weight is 1 / variance of the noise of the entry. `weights` and `observed` cannot both be
     *  set. NULL: equal weights. */
    const ch_matrix *weights;
    /** ch_anchors(): store for records of the progress of the run (checkpoint.h). The run continues
     *  from the records that the store holds and adds new records to it. NULL: no records are
     *  stored, and an interrupted run must start again. */
    const ch_checkpoint *checkpoint;
    /** xray, one process: a matrix of known columns that need not be in X, such as reference
     *  spectra, with as many rows as X. All columns of the library become anchors, before the
     *  columns of `keep`; the remaining anchors are chosen from X. With library_only, `rank`
     *  columns of the library are chosen instead, and they are the only anchors. If X is sparse, a
     *  library makes the call copy X in memory. NULL: no library. */
    const ch_matrix *library;

    /** Callback that receives the anchors before H is computed; NULL: no callback. */
    ch_selected_fn selected;
    void *selected_user; /**< first argument of `selected` */
    /** ch_anchors() in one process without refinement: callback that receives H in parts, so that H
     *  is never in memory as a whole; ch_anchors_result.H is then NULL. NULL: no callback, and H is
     *  stored in the result. */
    ch_weights_fn take_weights;
    void *take_weights_user; /**< first argument of take_weights */
    /** CH_LOSS_CUSTOM: the functions of `custom` for whole arrays, for speed; `custom` must be set
     *  too. NULL: only the functions of `custom` are called. */
    const ch_bregman_arrays *custom_arrays;
} ch_anchors_settings;

/** Returns the table of the settings: name, default, bounds and help text of each. The table is
 *  constant. */
CH_API const ch_settings_table *ch_anchors_table(void);
/** Fills all settings with their defaults and sets `size`. Call this before you change single
 *  settings. */
static inline void ch_anchors_defaults(ch_anchors_settings *settings) {
    ch_settings_defaults(ch_anchors_table(), settings, sizeof *settings);
}

/** Bits of ch_anchors_result.warnings: signs that the anchors may not be useful. */
enum ch_anchors_warnings {
    /** More than half of the non-zero columns of X have only zero weights in H. */
    CH_WARN_ZERO_WEIGHTS = 1,
    /** At least a quarter of the anchors are nearly empty columns, which sum to less than 5 % of
     *  the median column sum. */
    CH_WARN_EMPTY_ANCHORS = 2,
    /** The loss is more than half of the loss of a model without anchors
     *  (ch_anchors_result.unexplained). */
    CH_WARN_UNEXPLAINED = 4,
    /** Some anchors are parts of at most two columns each (ch_anchors_result.lonely_anchors),
     *  although on average an anchor is a part of at least ten columns. These rare anchors may be
     *  outliers. */
    CH_WARN_LONELY_ANCHORS = 8
};

/** A summary of how well a fit X ~ W H is proven. Each member is the worst value over all columns.
 *  Values are relative to the size of the column, as docs/notation.md defines it. */
typedef struct ch_certificate {
    /** Largest gap of a column: its loss minus a proven lower bound of its smallest possible loss.
     *  NaN for losses that are not convex. */
    double gap;
    /** Largest violation of the constraint A'd <= 0, where A is the matrix of the anchors and d is
     *  the dual of a column as the solver computed it. Before a lower bound is computed from d, d
     *  is changed so that it satisfies the constraint. */
    double dual_infeasibility;
    /** Divergences: largest size of the projected gradient of a column, which is 0 at a minimum.
     *  Other losses: 0. */
    double stationarity;
} ch_certificate;

/** Largest number of columns that ch_anchors_result.barred lists. */
#define CH_BARRED_MAX 10

/** The result of ch_anchors(). The result owns its arrays; arrays that were not requested are NULL.
 *  ch_anchors_result_free() frees them.
 *
 *  Anchors are in the order in which they were chosen. For spa, snpa and xray with CH_FIRST_PAPER,
 *  anchors[0 .. k) is therefore also the answer for rank k. For xray with CH_FIRST_RESELECT, the
 *  default, the first anchor is dropped at the end of the selection; the column that is then chosen
 *  instead becomes anchors[0]. If the run is cancelled before the first anchor, rank is 0 and all
 *  arrays may be NULL.
 *
 *  max_residual[k] is the residual after k + 1 anchors were selected. Its meaning depends on the
 *  method:
 *
 *  xray: the residual r of the exterior column of the next step, measured as |r|_1 for l1, |r|_2
 *  for l2 and as the loss otherwise. ch_anchors_settings.exterior decides which column this is.
 *  With the default rule, CH_EXTERIOR_MAX, it is the column with the largest residual. The entries
 *  are measured before CH_FIRST_RESELECT replaces the first anchor. The last entry is the largest
 *  residual of a column with the final H; NaN with select_only.
 *
 *  spa and its variants: the largest l2 distance of a column from a set. Columns are first scaled
 *  to sum 1, unless ch_anchors_settings.plain is set. The set is
 *    spa, random-spa: the span of the anchors
 *    snpa:            the convex hull of the anchors and the origin
 *    smoothed-spa:    the span of the medians, one median per step
 *    pspa:            the span of the anchors; columns and anchors are first preconditioned
 *  All entries are set even with select_only.
 *
 *  hottopixx, fgnsr, smrs: these methods choose all anchors at once. The last entry is the largest
 *  residual of a column with the final H, as for xray. With ch_anchors_settings.path, entry k is
 *  the largest residual of a projection onto the first k + 1 anchors; otherwise all entries but the
 *  last are NaN. */
typedef struct ch_anchors_result {
    size_t size;      /**< sizeof(ch_anchors_result); the caller sets it */
    ch_status status; /**< what ch_anchors() returned: CH_OK or a positive status */
    /** Shape of X; with several processes, cols counts the columns of this process. */
    int64_t rows, cols;
    int64_t rank; /**< number of anchors found, which may be less than requested */
    /** The anchors: `rank` column indices of X, from 0, in the order described above. An index n +
     *  k means column k of ch_anchors_settings.library, where n is the number of columns of X in
     *  all processes. */
    int64_t *anchors;
    /** `rank` numbers: entry k is the largest residual after k + 1 anchors were selected. The
     *  description of ch_anchors_result says how each method measures it. */
    double *max_residual;
    /** With ch_anchors_settings.path: `rank` numbers; entry k is the loss with only the first k + 1
     *  anchors. Otherwise NULL. */
    double *objective_path;
    /** Hottopixx, FGNSR, SMRS: `rank` scores by which the anchors were chosen. These methods
     *  represent X by X C with a matrix C of weights. The score of anchor j is the entry C_jj; for
     *  SMRS it is the norm of row j of C. Other methods: NULL. */
    double *weights;
    /** Hottopixx, FGNSR, SMRS: objective of the optimisation problem that chooses the anchors.
     *  Other methods: NaN. */
    double select_objective;
    /** select_objective minus a proven lower bound of the optimum; other methods: NaN. */
    double select_gap;
    /** Hottopixx, FGNSR, SMRS: number of iterations of the selection; other methods: 0. */
    int64_t iterations;
    double objective; /**< loss(X, W H) over all columns; NaN with select_only */
    double *W;        /**< the anchor columns, rows x rank, column-major */
    double *H; /**< the weights, rank x cols, column-major; NULL with select_only or take_weights */
    /** xray: number of projections made during the selection; other methods: 0. */
    int64_t projections;
    /** Number of steps of the solver, summed over all projections: pivots for CH_PROJECTION_EXACT,
     *  iterations for the other solvers. */
    int64_t pivots;
    int64_t unproven; /**< number of columns of H whose gap stayed above ch_anchors_settings.tol */
    /** CH_DUAL_PAPER: number of steps that tested a dual with -1 in the rows where the residual of
     *  the exterior column is 0. */
    int64_t duals_checked;
    /** CH_DUAL_PAPER: number of steps in which the dual with -1 in the rows of residual 0 satisfied
     *  Lemma 3.2 of the paper and was used. */
    int64_t duals_valid;
    /** Divergences: the number that was added to every entry of W H; other losses: 0. */
    double floor;
    ch_certificate certificate;             /**< how well H is proven */
    double seconds_select, seconds_project; /**< wall-clock seconds of selection and projection */
    /** Seconds that exchanges of data between processes took, without the time of waiting for
     *  slower processes: exchange_select is a part of seconds_select, and exchange_project is a
     *  part of seconds_project. Both are 0 with one process. */
    double exchange_select, exchange_project;

    /* The next members are what ch_verify() needs: the record of the selection and, for l1 and
     * quantile, the duals of the final projections. They are set only with
     * ch_anchors_settings.keep_duals; otherwise the arrays are NULL. Step s projected column
     * step_exterior[s], computed the dual step_dual[:, s] of this projection, and chose column
     * step_anchor[s]. */

    int64_t steps; /**< number of selection steps stored */
    /** Index, from 0, of the exterior column of each step; -1: the step had no exterior column
     *  (rule greedy, and anchors from ch_anchors_settings.keep or from the library). */
    int64_t *step_exterior;
    int64_t *step_anchor; /**< index, from 0, of the column that each step chose as an anchor */
    /** Dual of the exterior column of each step: dual_rows x steps, column-major. */
    double *step_dual;
    /** Seed of the random vector p in the score d'X_j / p'X_j, by which a selection step compares
     *  the columns X_j; d is the dual of this step. Entry i of p, for row i of X, is 1 + u_i, where
     *  the u_i are uniform random numbers between 0 and 1e-5, generated in the order of the rows.
     *  With CH_HULL_CONVEX and CH_HULL_CONVEX0, p is instead 1 in the appended row (dual_rows) and
     *  0 in all other rows. */
    uint64_t p_seed;
    /** The duals of the final projections are stored in compressed form; dual_start holds cols + 1
     *  offsets into dual_row and dual_value. The dual of column j has the value dual_value[e] in
     *  row dual_row[e], for dual_start[j] <= e < dual_start[j + 1]. In a row that is not stored,
     *  the dual is -1 if column j of X is 0 there; otherwise it is the sign of the residual. For
     *  quantile, 2 q - 1 is added to every entry of the dual. */
    int64_t *dual_start;
    /** Compressed duals of the final projections (`dual_start`): row index, from 0, of each stored
     *  entry. */
    int32_t *dual_row;
    /** Compressed duals of the final projections (`dual_start`): value of each stored entry. */
    double *dual_value;

    int64_t nonzeros; /**< number of non-zero entries of X, over all processes */
    /** Number of columns that could not become anchors because of ch_anchors_settings.faint. */
    int64_t faint;
    int64_t clipped;     /**< CH_NEGATIVE_CLIP: number of negative values of X */
    double clipped_mass; /**< CH_NEGATIVE_CLIP: sum of the magnitudes of the negative values of X */
    /** Number of rows of step_dual: the number of rows of X, or one more with CH_HULL_CONVEX and
     *  CH_HULL_CONVEX0, where a constant is appended to every column
     *  (docs/explanation/hulls.md). */
    int64_t dual_rows;
    int64_t library; /**< number of columns of ch_anchors_settings.library; 0 without a library */
    int64_t unknown; /**< number of missing entries of X */
    /** Number of columns that could not become anchors because of
     *  ch_anchors_settings.max_missing. */
    int64_t incomplete;
    int64_t completed; /**< number of entries of W that are missing in X and were estimated */
    /** rows x rank, column-major: 1 where the entry of W is missing in X and was estimated, else 0.
     *  NULL: all entries of W are known. */
    unsigned char *completed_entries;

    /* Warnings and the figures they are based on, over all processes. */

    /** 1: the members warnings, zero_weights, empty_anchors and unexplained are set. 0: these
     *  members are not set, because there is no H. */
    int measured;
    int warnings; /**< sum of the bits of ch_anchors_warnings that apply; 0: no warning */
    /** Number of columns of X that have only zero weights in H. Columns without a known entry above
     *  0 are not counted. Always 0 with CH_HULL_CONVEX and CH_HULL_CONVEX0. */
    int64_t zero_weights;
    /** Number of anchors that sum to less than 5 % of the median column sum. Always 0 with
     *  CH_HULL_CONVEX and CH_HULL_CONVEX0, and if rows, columns or entries have weights. */
    int64_t empty_anchors;
    /** loss(X, W H) divided by the loss of a model M without anchors. Both losses use the known
     *  entries with their weights. For l1, quantile and l2, every entry of M is 0. For divergences,
     *  which are infinite at 0, each column of M holds the mean of the same column of X; if the
     *  loss of M is smaller than the size of the data (docs/notation.md), the size takes its place.
     *  NaN if the loss of M is 0 or infinite. */
    double unexplained;

    /* Refined factors, only with ch_anchors_settings.refine; else NULL or 0. The product refined_W
     * refined_H explains X better than W H, but the columns of refined_W are no longer columns of
     * X. W and H are unchanged. */

    double *refined_W; /**< the refined W: rows x rank, column-major, non-negative */
    double *refined_H; /**< the optimal weights for refined_W: rank x cols, column-major */
    /** Number of rounds done; each round updates refined_W, then refined_H. */
    int64_t refined_rounds;
    /** 2 * refined_rounds numbers: the losses after each round's update of refined_W and after its
     *  update of refined_H. */
    double *refined_path;
    double refined_objective; /**< loss(X, refined_W refined_H); NaN without refinement */
    /** `rank` numbers: the angle in degrees between column k of refined_W and column k of W. */
    double *refined_angle;
    /** Certificate of the refinement: the worst values over all updates of refined_W and refined_H.
     *  Each update is proven optimal with the other factor held fixed; the pair is not. */
    ch_certificate refined_certificate;
    /** Number of projections, over all updates of refined_W and refined_H, whose gap stayed above
     *  ch_anchors_settings.tol. */
    int64_t refined_unproven;
    /** Indices, from 0, of at most CH_BARRED_MAX of the `incomplete` columns. First come the
     *  columns that failed the comparison of a negative max_missing, the column with the most
     *  extreme estimates first; then columns with too many missing entries. The number of entries
     *  is the smaller of `incomplete` and CH_BARRED_MAX. */
    int64_t barred[CH_BARRED_MAX];
    /** If `measured` is 1: number of anchors that are a part of at most two columns. Anchors from
     *  ch_anchors_settings.keep, anchors from the library and the nearly empty anchors counted in
     *  empty_anchors are left out. An anchor w_k is a part of a column with the weights h if h_k
     *  |w_k|_1 is more than a tenth of the sum of h_i |w_i|_1 over all anchors i. */
    int64_t lonely_anchors;
    /** Column index, from 0, of the first anchor that lonely_anchors counts; -1 if lonely_anchors
     *  is 0. */
    int64_t lonely_column;
    /** Mean, over all anchors, of the number of columns of which the anchor is a part
     *  (lonely_anchors). */
    double mean_shared;
} ch_anchors_result;

/** Finds anchors of X and, unless settings->select_only is set, the weights H. The caller sets
 *  result->size before the call and later frees the result with ch_anchors_result_free(). settings
 *  must not be NULL.
 *
 *  Returns CH_OK or a positive status with a usable result: CH_STOP_COMPLETE if fewer than
 *  settings->rank anchors explain all columns; CH_STOP_CANCELLED if the progress callback stopped
 *  the run; CH_STOP_INACCURATE if the gap of a projection stayed above settings->tol. This may be
 *  the final projection of a column (a column of H), a projection of the refinement, or a
 *  projection that decided which column became an anchor. A negative status leaves the result
 *  untouched. */
CH_API ch_status ch_anchors(ch_context *context, ch_anchors_result *result, const ch_matrix *X,
                            const ch_anchors_settings *settings);

/** Frees the arrays of a result and sets its members to 0, except size. NULL is allowed. */
CH_API void ch_anchors_result_free(ch_context *context, ch_anchors_result *result);

/** Writes a sentence that explains one warning of a result to `text`, a buffer of `size` bytes; 400
 *  bytes are enough. `warning` is one bit, such as CH_WARN_ZERO_WEIGHTS. Returns 1, or 0 and an
 *  empty text if the result does not have this warning. */
CH_API int ch_anchors_warning(char *text, size_t size, const ch_anchors_result *result,
                              int warning);

/** Advice on the loss and the exterior rule, and the figures that it is based on: statistics of the
 *  residuals X - W H over a sample of columns that are neither anchors nor dark. A column is dark
 *  if its sum is below a tenth of the 99th percentile of the column sums. */
typedef struct ch_loss_advice {
    size_t size; /**< sizeof(ch_loss_advice); the caller sets it */
    /** The recommended settings as words for ch_settings_set_words(), such as "loss=quantile:0.2
     *  exterior=share"; empty if the residuals do not say. */
    char settings[100];
    char because[1200]; /**< the reasons: sentences, one per line */
    int64_t columns;    /**< number of columns of the sample */
    int64_t entries;    /**< number of entries of these columns where X or W H is not 0 */
    double zeros;       /**< share of the entries that are fitted exactly */
    /** Of the largest tenth of the other residuals, the share above 0. NaN: almost all entries are
     *  fitted exactly. */
    double above;
    /** Slope of the logarithm of large residuals over that of W H: about 0 for noise of the same
     *  size everywhere, 1/2 for counts, 1 for noise in proportion to the values. NaN: the values
     *  vary too little. */
    double growth;
    /** The 99th percentile of |X - W H| divided by the median: 3.8 for a normal distribution. */
    double tail;
    double dark; /**< share of dark columns */
    double cut;  /**< share of the entries where X is 0 and W H is positive */
    double deep; /**< share of the entries where X is above 0 and below half of W H */
    int whole;   /**< 1: all entries are whole numbers */
} ch_loss_advice;

/** Recommends a loss and an exterior rule from the residuals of a run of ch_anchors() with any
 *  loss; l1 is best, because outliers hardly change its fit. X is the matrix of the run, in which
 *  negative values count as 0 and NaN are left out. The result must have W and H, and the run must
 *  be of one process. docs/howto/choose-loss.md shows on which data the thresholds were set. The
 *  caller sets advice->size. */
CH_API ch_status ch_advise_loss(ch_context *context, ch_loss_advice *advice, const ch_matrix *X,
                                const ch_anchors_result *result);

/** For a run of xray that chose its own rank (ch_anchors_settings.rank 0): returns 1 if this rank
 *  is a clear choice, else 0. The rank is clear if the last anchor lowered max_residual by at least
 *  20 % (by at least 50 % if there are fewer than four anchors), and no earlier anchor lowered
 *  max_residual by a larger percentage. */
CH_API int ch_anchors_rank_clear(const ch_anchors_result *result);

/** Collects a result that is distributed over several processes (conehull/comm.h). After
 *  ch_anchors() each process has H and the duals of its own columns only; the other members are the
 *  same in all processes. All processes must make this call. After it, process 0 has H and
 *  the duals of all columns, and the result of process 0 equals that of a run in one process,
 *  except for the members `projections` and `pivots` and the measured times. The results of the
 *  other processes do not change. */
CH_API ch_status ch_anchors_result_collect(ch_context *context, ch_anchors_result *result);

/** Figures of one ch_project() call. Members with the names of members of ch_anchors_result have
 *  the same meaning. */
typedef struct ch_project_info {
    size_t size;                /**< sizeof(ch_project_info); the caller sets it */
    double objective;           /**< loss(X, W H) over all columns */
    int64_t pivots;             /**< number of steps of the solver, summed over all projections */
    int64_t unproven;           /**< number of columns of H whose gap stayed above settings->tol */
    ch_certificate certificate; /**< how well H is proven */
    double seconds;             /**< wall-clock seconds of the projection */
    int64_t nonzeros;           /**< number of non-zero entries of X, over all processes */
    int64_t clipped;            /**< CH_NEGATIVE_CLIP: number of negative values of X */
    double clipped_mass; /**< CH_NEGATIVE_CLIP: sum of the magnitudes of the negative values of X */
    int64_t unknown;     /**< number of missing entries of X */
} ch_project_info;

/** Computes the weights of any columns X for a given W: H = argmin loss(X, W H) over H >= 0, with
 *  the constraint of settings->hull. ch_anchors() does the same after the selection; here X may
 *  hold new columns. W is X->rows x rank and H is rank x X->cols; both are column-major and belong
 *  to the caller. info may be NULL. Settings of the selection have no effect. For divergences, set
 *  settings->floor to ch_anchors_result.floor of the run that found W. Returns CH_STOP_INACCURATE
 *  if the gap of a column stayed above settings->tol. */
CH_API ch_status ch_project(ch_context *context, double *H, ch_project_info *info,
                            const ch_matrix *X, const double *W, int64_t rank,
                            const ch_anchors_settings *settings);

/** Collects an H of ch_project() that is distributed over several processes (conehull/comm.h). All
 *  processes must make this call, each with its own H (rank x cols). Process 0 receives the columns
 *  of all processes in `all`, an array of the caller with rank x (sum of all cols) entries; the
 *  other processes do not use `all`. */
CH_API ch_status ch_project_collect(ch_context *context, double *all, const double *H, int64_t rank,
                                    int64_t cols);

/** What ch_verify() found. */
typedef struct ch_verification {
    size_t size;               /**< sizeof(ch_verification); the caller sets it */
    int ok;                    /**< 1: every check passed; 0: at least one check failed */
    double gap;                /**< largest gap of a column, as in ch_certificate */
    double dual_infeasibility; /**< largest violation of A'd <= 0, as in ch_certificate */
    double stationarity;       /**< divergences: largest projected gradient, as in ch_certificate */
    double objective;          /**< loss(X, W H), computed again */
    char why[256];             /**< description of the first check that failed; empty if ok is 1 */
} ch_verification;

/** Checks whether `result` is the correct answer of ch_anchors() for X and the settings. Pass the
 *  settings with which the run was started. Do not replace settings->rank and settings->floor by
 *  the values in the result. The result must have H and, for xray, the duals
 *  (ch_anchors_settings.keep_duals).
 *
 *  The call first checks the fit and, for xray, every selection step with code that is independent
 *  of the solvers. Then it repeats the selection. The anchors, the steps and all numbers of the
 *  result must be the same, with these exceptions, which are not compared: the counters
 *  `projections` and `pivots`, the list `barred` and the measured times.
 *  docs/explanation/certificates.md states what a passed verification proves. The call takes about
 *  as long as the run.
 *
 *  The caller sets verification->size. Returns CH_OK even if a check fails; verification->ok is
 *  then 0. If the call returns CH_STOP_CANCELLED, *verification is untouched. */
CH_API ch_status ch_verify(ch_context *context, ch_verification *verification, const ch_matrix *X,
                           const ch_anchors_result *result, const ch_anchors_settings *settings);

/** Computes the loss and the gap of every column of a fit, for instance to draw them as a map.
 *  losses[j] receives the loss of column j. gaps[j] receives the gap of column j as in
 *  ch_certificate, or for losses without a gap the size of its projected gradient. Each array has
 *  X->cols entries and belongs to the caller; losses or gaps may be NULL. The choice of the anchors
 *  is not checked. The result must have W, H and, for l1, the duals
 *  (ch_anchors_settings.keep_duals); pass the settings of the run. */
CH_API ch_status ch_column_proofs(ch_context *context, double *losses, double *gaps,
                                  const ch_matrix *X, const ch_anchors_result *result,
                                  const ch_anchors_settings *settings);

CH_END_DECLS
#endif
