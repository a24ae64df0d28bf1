/* Anchor columns of a non-negative matrix: settings, run, result and verification.
 *
 *     X  ~  W H,   W = X_A (columns of X, or of a library),   H >= 0,   loss(X, W H) small
 *
 * With settings.hull the columns of H also sum to 1, or to at most 1.
 *
 * Column indices count from 0. The largest column sum of X must lie between 2^-500 and 2^500, so
 * that squares can be computed; other data are refused (CH_ERR_DATA). Columns that sum to less than
 * 2^-500 are never anchors. Simple use:
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

/** The methods that choose anchors. Each has a page in docs/baselines, except xray, which is
 *  Algorithm 1 of the paper (docs/explanation/geometry.md). */
typedef enum ch_anchors_method {
    CH_METHOD_XRAY = 0,      /**< conical hull search, the only method that uses `loss` to choose */
    CH_METHOD_SPA = 1,       /**< successive projection algorithm                            */
    CH_METHOD_HOTTOPIXX = 2, /**< linear program over a cols x cols matrix of weights        */
    CH_METHOD_SMRS = 3,      /**< row-sparse self-representation, a cols x cols program      */
    /** SPA that projects onto the hull of the anchors and 0 instead of their span. */
    CH_METHOD_SNPA = 4,
    CH_METHOD_PSPA = 5,         /**< SPA after preconditioning by the minimum-volume ellipsoid  */
    CH_METHOD_SMOOTHED_SPA = 6, /**< SPA whose anchors are medians of several columns           */
    CH_METHOD_RANDOM_SPA = 7,   /**< the best of several randomised runs of SPA                 */
    CH_METHOD_FGNSR = 8         /**< Hottopixx with squared residuals, by fast gradients        */
} ch_anchors_method;
/** The solver that projects a column onto the cone. */
typedef enum ch_projection_method {
    /** Exact for l1, quantile and l2; coordinate descent for other losses. */
    CH_PROJECTION_AUTO = 0,
    CH_PROJECTION_EXACT = 1, /**< l1, quantile: a vertex method; l2: active sets */
    CH_PROJECTION_ADMM = 2,  /**< l1: alternating direction method of multipliers */
    CH_PROJECTION_CD = 3     /**< l2 and divergences: coordinate descent, then Newton steps */
} ch_projection_method;
/** xray: how a step chooses its exterior column, which is a column outside the cone of the anchors
 *  so far. The dual of the exterior column scores the candidates for the next anchor. */
typedef enum ch_exterior_rule {
    CH_EXTERIOR_MAX = 0,  /**< the column with the largest residual                             */
    CH_EXTERIOR_RAND = 1, /**< a random column outside the cone                                 */
    /** l2: the column i with the largest |(R_i' X)_+|_2, where R is the residual. */
    CH_EXTERIOR_DIST = 2,
    CH_EXTERIOR_GREEDY = 3, /**< l2: no exterior column; the anchor j has the largest
                                 |(R' X_j)_+|_2 / |X_j|_2                                         */
    CH_EXTERIOR_SHARE = 4   /**< the column whose residual is largest relative to its own norm    */
} ch_exterior_rule;
/** xray: what happens to the first anchor. It is chosen before there is a cone, so noise often
 *  misleads this choice. RESELECT: the first anchor is dropped at the end of the selection and
 *  chosen again. PAPER: it is kept, as in the paper. */
typedef enum ch_first_anchor { CH_FIRST_RESELECT = 0, CH_FIRST_PAPER = 1 } ch_first_anchor;
/** The constraint on each column h of the weights H. CONE: h >= 0. CONVEX: h >= 0 and sum h = 1.
 *  CONVEX0: h >= 0 and sum h <= 1. */
typedef enum ch_hull { CH_HULL_CONE = 0, CH_HULL_CONVEX = 1, CH_HULL_CONVEX0 = 2 } ch_hull;
/** What happens if X holds a negative value. REFUSE: the call fails with CH_ERR_DATA. CLIP: the
 *  value counts as 0. */
typedef enum ch_negative_values { CH_NEGATIVE_REFUSE = 0, CH_NEGATIVE_CLIP = 1 } ch_negative_values;
/** What happens if X holds a NaN. NONE: the call fails with CH_ERR_DATA. NAN: the NaN marks a
 *  missing entry. */
typedef enum ch_missing_values { CH_MISSING_NONE = 0, CH_MISSING_NAN = 1 } ch_missing_values;
/** xray with l1: how the dual of the exterior column is found in rows where the residual of that
 *  column is 0. EXACT: from the projection. PAPER: the dual is set to -1 there; if that does not
 *  satisfy Lemma 3.2 of the paper, the exact dual is used. */
typedef enum ch_dual_source { CH_DUAL_EXACT = 0, CH_DUAL_PAPER = 1 } ch_dual_source;

struct ch_anchors_result;
/** Receives the anchors as soon as they are chosen, before any column is projected: rank, anchors,
 *  max_residual and W of `found` are set, H is NULL. Called once, by the thread that called
 *  ch_anchors(). `found` is valid during the call. */
typedef void (*ch_selected_fn)(void *user, const struct ch_anchors_result *found);
/** Receives columns first .. first + count - 1 of H (rank x count, column-major). Every column of H
 *  is passed once, in increasing order. H is valid during the call. Return non-zero to cancel the
 *  run. */
typedef int (*ch_weights_fn)(void *user, const double *H, int64_t first, int64_t count);

/** Settings of ch_anchors(), ch_project() and ch_verify(). ch_anchors_defaults() fills them;
 *  ch_anchors_table() lists the default and the bounds of each. In the comments, l1, l2, kl, ...
 *  are losses (loss.h), xray, SPA, ... are methods, and divergences are all losses except l1,
 *  quantile and l2. */
typedef struct ch_anchors_settings {
    size_t size;  /**< sizeof(ch_anchors_settings); ch_anchors_defaults() sets it */
    int64_t rank; /**< number of anchors; 0: xray and SMRS choose the number from the residuals */
    ch_anchors_method method; /**< how anchors are chosen */
    ch_loss loss; /**< loss of the projection; the method xray also uses it to choose anchors */
    double beta;  /**< CH_LOSS_BETA: exponent of the loss; 2 is l2, 1 is kl, 0 is Itakura-Saito */
    double quantile; /**< CH_LOSS_QUANTILE: about this share of residuals is negative; 0.5: l1 */
    int reverse;     /**< divergences: 1 minimises D(W H, X), 0 minimises D(X, W H) */
    /** Divergences: a number that is added to every entry of W H, because some losses are infinite
     *  where W H is 0. Negative: 1e-6 times the mean of X. */
    double floor;
    ch_projection_method projection; /**< solver that projects a column onto the cone */
    ch_exterior_rule exterior;       /**< xray: how the exterior column of a step is chosen */
    ch_first_anchor first; /**< xray: whether the first anchor is chosen again at the end */
    ch_dual_source dual;   /**< xray with l1: how the dual of the exterior column is found */
    int plain; /**< SPA and its variants: 0 scales the columns of X to sum 1 first, 1 does not */
    int64_t neighbours; /**< smoothed SPA: number of columns whose median is one anchor */
    int64_t tries;      /**< random SPA: number of random runs, the best of which is used */
    /** SMRS: the weight of the row-sparsity penalty is lambda_max / alpha, where lambda_max is the
     *  smallest weight that selects no column. A larger alpha selects more columns. */
    double alpha;
    /** SMRS represents X by X C: 0 requires that each column of C sums to 1, 1 does not. */
    int linear;
    /** Hottopixx, FGNSR, SMRS: the selection's optimisation problem is solved until its objective
     *  is proven to be within this relative distance of the optimum. */
    double gap;
    /** Hottopixx and FGNSR represent X by X C. The cost of each diagonal entry of C is a random
     *  number from (0, p). A p near 0 only decides between equal columns. */
    double p;
    /** Hottopixx: 1 minimises the largest residual of a column, 0 the sum of all residuals. */
    int largest;
    /** Hottopixx: if positive, the l1 residual of every column, scaled to sum 1, is at most tau,
     *  and residuals are not part of the objective (the published form). 0: residuals are part of
     *  the objective and have no bound. */
    double tau;
    /** xray: a column whose sum is below this share of the 99th percentile of all column sums is
     *  never an anchor. It is projected like the others. 0: every column may be an anchor. */
    double faint;
    /** xray, SPA: the constraint on the columns of H. With CH_HULL_CONVEX or CH_HULL_CONVEX0 the
     *  call makes a copy of a sparse X. */
    ch_hull hull;
    /** Whether negative values in X are refused or count as 0. With CH_NEGATIVE_CLIP the call makes
     *  a copy of a sparse X. */
    ch_negative_values negative;
    /** xray with a library: 1 takes all anchors from the library and none from X. */
    int library_only;
    ch_missing_values missing; /**< whether NaN in X is an error or marks a missing entry */
    /** xray with missing entries: a column with a larger share of missing entries is never an
     *  anchor; 0 to 1. */
    double max_missing;
    int select_only; /**< 1 ends after the selection: the result has anchors and W but no H */
    /** xray: 1 projects every column at every step; 0 projects only the columns that may decide the
     *  step. The result is the same for both. */
    int eager;
    int path; /**< 1 also reports the objective for every smaller rank (objective_path) */
    /** Maximum number of refinement rounds after the selection. A round improves W and H without
     *  requiring that the columns of W are columns of X (ch_anchors_result.refined_W). 0: no
     *  refinement. */
    int64_t refine;
    /** A projection is accurate enough if its gap is at most tol. The gap is the loss of the column
     *  minus a proven lower bound, relative to the size of the column (docs/notation.md). */
    double tol;
    /** xray: a column counts as inside the cone if its residual is at most stop times its norm; the
     *  run ends when all columns are inside. Values below 1e-13, the level of rounding, act as
     *  1e-13. */
    double stop;
    int64_t seed; /**< seed of all random choices; the same seed gives the same result */

    /* The table of the settings does not list the following members. The caller owns all arrays. */

    /** xray: indices, from 0, of keep_count columns of X that become the first anchors, in this
     *  order. NULL: no anchors are prescribed. */
    const int64_t *keep;
    int64_t keep_count; /**< length of keep */
    ch_bregman custom;  /**< CH_LOSS_CUSTOM: the functions of the divergence */
    int keep_duals;     /**< 1 stores in the result the duals that ch_verify() needs */

    /* Weights (docs/explanation/weights-and-missing.md): the term of row i and column j in the loss
     * is multiplied by row_weights[i], column_weights[j] and weights(i, j). A weight is between 0
     * and 2^500, and not all weights of a list may be 0; NULL means equal weights. A run with
     * weights makes a copy of X and works in one process only. */

    /** Weights of rows, for every loss. With is, logistic and custom: xray only, and each weight is
     *  0, or between 2^-100 and 2^100. */
    const double *row_weights;
    int64_t row_weight_count; /**< length of row_weights: the number of rows of X */
    /** Weights of columns, for xray on a cone with l1, quantile, l2, kl or beta > 0. The residual
     *  of each column is multiplied by its weight before the largest one is chosen. A column of
     *  weight 0 is never an anchor. */
    const double *column_weights;
    int64_t column_weight_count; /**< length of column_weights: the number of columns of X */
    /** xray: a matrix with the shape of X, non-zero where the entry of X is known and 0 where the
     *  entry is missing. In a sparse matrix, entries that are not stored are 0. NULL: all entries
     *  are known. */
    const ch_matrix *observed;
    /** Weights of entries, for xray on a cone with l1, quantile or l2: a matrix with the shape of
     *  X. An entry of weight 0 is missing. For l2, 1 / variance is a suitable weight. Not together
     *  with `observed`. NULL: equal weights. */
    const ch_matrix *weights;
    /** ch_anchors(): store of records (checkpoint.h). The run resumes from the records in the store
     *  and adds new ones. NULL: the run cannot be resumed. */
    const ch_checkpoint *checkpoint;
    /** xray, one process: a matrix of known columns that need not be in X, such as reference
     *  spectra, with as many rows as X. All of its columns are the first anchors, before those of
     *  `keep`, and the other anchors are chosen from X. With library_only, the best `rank` columns
     *  of the library are the only anchors. The call makes a copy of a sparse X. NULL: no
     *  library. */
    const ch_matrix *library;

    ch_selected_fn selected; /**< called with the anchors before H is computed; NULL: no call */
    void *selected_user;     /**< first argument of `selected` */
    /** ch_anchors(), one process, refine 0: receives H in parts, so that H is never in memory as a
     *  whole; H of the result is then NULL. NULL: H is stored in the result. */
    ch_weights_fn take_weights;
    void *take_weights_user; /**< first argument of take_weights */
    /** CH_LOSS_CUSTOM: the functions of `custom` over arrays, for speed; `custom` is needed too.
     *  NULL: only `custom` is called. */
    const ch_bregman_arrays *custom_arrays;
} ch_anchors_settings;

/** The table of the settings: name, default, bounds and help of each. It is constant. */
CH_API const ch_settings_table *ch_anchors_table(void);
/** Fills all settings with their defaults and sets `size`. Call this first. */
static inline void ch_anchors_defaults(ch_anchors_settings *settings) {
    ch_settings_defaults(ch_anchors_table(), settings, sizeof *settings);
}

/** Bits of ch_anchors_result.warnings: signs that the anchors may not be useful. */
enum ch_anchors_warnings {
    /** More than half of the non-zero columns have only zero weights. */
    CH_WARN_ZERO_WEIGHTS = 1,
    /** A quarter of the anchors or more are nearly empty columns. */
    CH_WARN_EMPTY_ANCHORS = 2,
    /** l1, l2: the loss is more than half of the loss of H = 0. */
    CH_WARN_UNEXPLAINED = 4
};

/** A summary of how well a fit X ~ W H is proven. Each member is the worst value over all columns,
 *  relative to the size of the column (docs/notation.md). */
typedef struct ch_certificate {
    /** Loss of a column minus a proven lower bound of the smallest possible loss. NaN for losses
     *  that are not convex. */
    double gap;
    /** Largest violation of the constraint A'd <= 0 by the dual d that the solver computed, where A
     *  are the anchors. The dual is made feasible before the lower bound is computed from it. */
    double dual_infeasibility;
    /** Divergences: size of the projected gradient, which is 0 at a minimum. 0 for l1 and l2. */
    double stationarity;
} ch_certificate;

/** The result of a run. The result owns its arrays; those that were not asked for are NULL.
 *
 *  Anchors are in the order in which they were chosen. With CH_FIRST_RESELECT the first anchor is
 *  chosen again at the end and keeps the first place (after those of settings.keep), so
 *  anchors[0 .. k) equals the answer for rank k except for that anchor. If the run is cancelled
 *  before the first anchor, rank is 0 and all arrays may be NULL.
 *
 *  max_residual[k] is the residual when k + 1 anchors were known. Its meaning depends on the
 *  method:
 *
 *  xray: the residual of the exterior column of the next step, in l1 |r|_1, in l2 |r|_2, else the
 *  loss. By the default rule it is the largest residual of all columns; for CH_EXTERIOR_RAND it is
 *  that of the column drawn; for CH_EXTERIOR_SHARE that of the column with the largest relative
 *  residual. With CH_FIRST_RESELECT it is measured before the first anchor is replaced. The last
 *  entry is the largest residual of a column with the final H; NaN with select_only.
 *
 *  spa, random-spa: the largest l2 distance of a column from the span of the anchors; columns are
 *  scaled to sum 1 unless settings.plain is set. snpa: the distance from the hull of the anchors
 *  and the origin. smoothed-spa: from the span of the medians. pspa: from the span, after
 *  preconditioning. All entries are set, also with select_only.
 *
 *  hottopixx, fgnsr, smrs: these methods choose all anchors at once. The last entry is the largest
 *  residual of a column with the final H, as for xray. With settings.path, entry k is that of a
 *  projection onto the first k + 1 anchors; without it the other entries are NaN. */
typedef struct ch_anchors_result {
    size_t size;        /**< sizeof(ch_anchors_result); the caller sets it */
    ch_status status;   /**< what ch_anchors() returned: CH_OK or a positive status */
    int64_t rows, cols; /**< shape of X; with several processes, cols of this process */
    int64_t rank;       /**< number of anchors found, which may be less than requested */
    /** The anchors: `rank` column indices of X, from 0, in the order in which they were chosen. An
     *  index cols + k, where cols counts the columns of all processes, means column k of
     *  settings.library. */
    int64_t *anchors;
    /** `rank` numbers: entry k is the largest residual when k + 1 anchors were known. The
     *  description of ch_anchors_result says how each method measures it. */
    double *max_residual;
    /** Settings.path: `rank` numbers; entry k is the loss with k + 1 anchors. Otherwise NULL. */
    double *objective_path;
    /** Hottopixx, FGNSR, SMRS: `rank` values by which the anchors were chosen. These methods
     *  represent X by X C. The value of anchor j is the entry C_jj; for SMRS it is the norm of row
     *  j of C. Other methods: NULL. */
    double *weights;
    /** Hottopixx, FGNSR, SMRS: objective of the optimisation problem that chooses anchors. Other
     *  methods: NaN. */
    double select_objective;
    double select_gap; /**< select_objective minus a proven lower bound of the optimum, or NaN */
    /** Hottopixx, FGNSR, SMRS: number of iterations of the selection; other methods: 0. */
    int64_t iterations;
    double objective;    /**< loss(X, W H) over all columns; NaN with select_only */
    double *W;           /**< the anchor columns, rows x rank, column-major */
    double *H;           /**< the weights, rank x cols, column-major; NULL with select_only */
    int64_t projections; /**< xray: number of columns projected during selection */
    /** Number of steps of all projections: pivots (exact l1 and l2) or iterations (other
     *  solvers). */
    int64_t pivots;
    int64_t unproven;      /**< number of columns of H whose gap stayed above settings.tol */
    int64_t duals_checked; /**< CH_DUAL_PAPER: number of steps in which the dual -1 was tested */
    /** CH_DUAL_PAPER: number of steps in which the dual -1 satisfied Lemma 3.2. */
    int64_t duals_valid;
    double floor; /**< divergences: the number that was added to W H; 0 for l1 and l2 */
    ch_certificate certificate;             /**< how well H is proven */
    double seconds_select, seconds_project; /**< wall-clock seconds of selection and projection */
    /** The part of seconds_select and seconds_project in which processes exchanged data. Waiting
     *  for slower processes is not included. 0 with one process. */
    double exchange_select, exchange_project;

    /* The proof of the selection and, for l1 and quantile, the duals of the final projections; only
     * with settings.keep_duals, else NULL. Step s projected column step_exterior[s], found the dual
     * step_dual[:, s], and chose column step_anchor[s]. */

    int64_t steps;          /**< number of selection steps stored */
    int64_t *step_exterior; /**< exterior column of each step; -1: the step had none (rule greedy,
                                 anchors of settings.keep or library) */
    int64_t *step_anchor;   /**< column chosen in each step */
    double *step_dual; /**< dual of each step's exterior column: dual_rows x steps, column-major */
    /** Seed of the positive vector p. The score of a candidate column is divided by the product of
     *  p and the column. p_i = 1 + a number drawn from U(0, 1e-5), row by row. */
    uint64_t p_seed;
    /** cols + 1 offsets into dual_row and dual_value. The dual of column j of the final projection
     *  is -1 in rows where X is 0 and the sign of the residual in all other rows, except for
     *  entries dual_start[j] .. dual_start[j + 1] - 1 of dual_row and dual_value. For quantile, 2 q
     *  - 1 is added to every entry of the dual. */
    int64_t *dual_start;
    int32_t *dual_row;  /**< rows of the exceptions that dual_start describes */
    double *dual_value; /**< value of the dual in each row of dual_row */

    int64_t nonzeros; /**< number of non-zero entries of X, over all processes */
    int64_t faint;    /**< number of columns that settings.faint excluded from becoming anchors */
    int64_t clipped;  /**< CH_NEGATIVE_CLIP: number of negative values of X */
    double clipped_mass; /**< CH_NEGATIVE_CLIP: sum of the magnitudes of the negative values of X */
    /** Number of rows of step_dual: that of X, or one more on a hull, where every column has a
     *  constant appended (docs/explanation/hulls.md). */
    int64_t dual_rows;
    int64_t library; /**< number of columns of settings.library; 0 without one */
    int64_t unknown; /**< number of missing entries of X */
    /** Number of columns that settings.max_missing excluded from becoming anchors. */
    int64_t incomplete;
    int64_t completed; /**< number of entries of W that were missing in X and were filled in */
    /** rows x rank, column-major: 1 where the entry of W was filled in, else 0. NULL: all entries
     *  are known. */
    unsigned char *completed_entries;

    /* Warnings and the figures they are based on, over all processes. */

    /** 1: warnings, zero_weights, empty_anchors and unexplained are set. 0: they are not, because
     *  there is no H, or because settings or X have weights or missing entries. */
    int measured;
    int warnings;          /**< sum of CH_WARN_ZERO_WEIGHTS, ...; 0: no warning */
    int64_t zero_weights;  /**< number of non-zero columns with only zero weights; 0 on a hull */
    int64_t empty_anchors; /**< number of anchors that sum to less than 5 % of the median column
                                sum; 0 on a hull */
    double unexplained;    /**< l1, l2: objective / objective of H = 0; other losses: NaN */

    /* Refined factors (settings.refine), else NULL or 0. refined_W refined_H explains X better than
     * W H, but the columns of refined_W are no longer columns of X. W and H are unchanged. */

    double *refined_W;      /**< rows x rank, column-major, non-negative */
    double *refined_H;      /**< rank x cols, column-major, optimal for refined_W */
    int64_t refined_rounds; /**< number of rounds done; a round updates W, then H */
    /** 2 * refined_rounds numbers: the loss after each update of W and of H, in turn. */
    double *refined_path;
    double refined_objective; /**< loss(X, refined_W refined_H); NaN without refinement */
    /** `rank` numbers: the angle in degrees between column k of refined_W and column k of W. */
    double *refined_angle;
    /** How well the refined factors are proven: the worst values over all updates of W and H. */
    ch_certificate refined_certificate;
    int64_t refined_unproven; /**< number of projections in all updates with a gap above tol */
} ch_anchors_result;

/** Finds anchors of X and, unless select_only, H. The caller sets result->size and later calls
 *  ch_anchors_result_free(); settings must not be NULL. Returns CH_OK or a positive status with a
 *  usable result: CH_STOP_COMPLETE if fewer than `rank` anchors explain all columns,
 *  CH_STOP_INACCURATE if the gap of a column of H, or of a projection that decided on an anchor,
 *  stayed above tol. A negative status leaves the result untouched. */
CH_API ch_status ch_anchors(ch_context *context, ch_anchors_result *result, const ch_matrix *X,
                            const ch_anchors_settings *settings);

/** Frees the arrays of a result and sets its members to 0, except size. NULL is allowed. */
CH_API void ch_anchors_result_free(ch_context *context, ch_anchors_result *result);

/** Writes the sentence of one warning (CH_WARN_ZERO_WEIGHTS, ...), with its numbers, to text, which
 *  has `size` bytes; 400 are enough. Returns 1, or 0 and an empty text if the result has no such
 *  warning. */
CH_API int ch_anchors_warning(char *text, size_t size, const ch_anchors_result *result,
                              int warning);

/** For a run of xray that chose its own rank (settings.rank 0): returns 1 if that rank is a clear
 *  choice, else 0. It is clear if the last anchor lowered max_residual by at least 20 % (by half,
 *  with fewer than four anchors), and by no smaller share than any anchor before it. */
CH_API int ch_anchors_rank_clear(const ch_anchors_result *result);

/** Collects a result that is spread over several processes (conehull/comm.h). After ch_anchors()
 *  each process has H and the duals of its own result.cols columns; everything else is the same on
 *  all. All processes make this call. It gives process 0 H and the duals of all columns; the
 *  results of the other processes do not change. The result of process 0 then equals that of a run
 *  in one process, except for projections, pivots and seconds. */
CH_API ch_status ch_anchors_result_collect(ch_context *context, ch_anchors_result *result);

/** Figures of a ch_project() call. Members that ch_anchors_result also has mean the same here. */
typedef struct ch_project_info {
    size_t size;                /**< sizeof(ch_project_info); the caller sets it */
    double objective;           /**< loss(X, W H) over all columns */
    int64_t pivots;             /**< number of steps of all projections, as in ch_anchors_result */
    int64_t unproven;           /**< number of columns of H whose gap stayed above settings->tol */
    ch_certificate certificate; /**< how well H is proven */
    double seconds;             /**< wall-clock seconds of the projection */
    int64_t nonzeros;           /**< number of non-zero entries of X, over all processes */
    int64_t clipped;            /**< CH_NEGATIVE_CLIP: number of negative values of X */
    double clipped_mass; /**< CH_NEGATIVE_CLIP: sum of the magnitudes of the negative values of X */
    int64_t unknown;     /**< number of missing entries of X */
} ch_project_info;

/** Computes H = argmin loss(X, W H) over H >= 0 for a given W, as the last part of ch_anchors()
 *  does; X may hold new columns. W is X->rows x rank and H is rank x X->cols, both column-major and
 *  owned by the caller. info may be NULL. Settings about the selection are not used. For
 *  divergences, set settings->floor to the floor of the ch_anchors_result. Returns
 *  CH_STOP_INACCURATE if the gap of a column stayed above settings->tol. */
CH_API ch_status ch_project(ch_context *context, double *H, ch_project_info *info,
                            const ch_matrix *X, const double *W, int64_t rank,
                            const ch_anchors_settings *settings);

/** Collects an H of ch_project() that is spread over several processes. All processes make this
 *  call with their own H (rank x cols). Process 0 receives the columns of all processes in `all`
 *  (rank x the sum of all cols, owned by the caller); `all` is not used in the others. */
CH_API ch_status ch_project_collect(ch_context *context, double *all, const double *H, int64_t rank,
                                    int64_t cols);

/** The outcome of ch_verify(). */
typedef struct ch_verification {
    size_t size;               /**< sizeof(ch_verification); the caller sets it */
    int ok;                    /**< 1: every check passed; 0: one failed */
    double gap;                /**< largest relative gap of a column, as in ch_certificate */
    double dual_infeasibility; /**< largest violation of A'd <= 0, as in ch_certificate */
    double stationarity;       /**< divergences: largest projected gradient, as in ch_certificate */
    double objective;          /**< loss(X, W H), computed again */
    char why[256];             /**< the first check that failed, in words; empty if ok is 1 */
} ch_verification;

/** Checks whether a result is the correct answer for X and the settings. The settings must be those
 *  of the run; floor and rank are the requested values, not those of the result. The call proves
 *  the fit and every step of xray by code that the solvers do not use. Then it repeats the
 *  selection and requires the same anchors, steps and figures; only projections, pivots and seconds
 *  may differ. What an accepted result proves is stated in docs/explanation/certificates.md. The
 *  result needs H and, for xray, the duals (settings.keep_duals). The call takes about as long as
 *  the run. Returns CH_OK also if a check fails (verification->ok is then 0). If the call returns
 *  CH_STOP_CANCELLED, verification is untouched. */
CH_API ch_status ch_verify(ch_context *context, ch_verification *verification, const ch_matrix *X,
                           const ch_anchors_result *result, const ch_anchors_settings *settings);

/** Computes the loss and the gap of every column of a fit, for instance to draw them as a map.
 *  losses[j] is the loss of column j. gaps[j] is its relative gap as in ch_certificate, or the
 *  projected gradient for a loss without a gap. Each array has X->cols entries and belongs to the
 *  caller; either may be NULL. The choice of the anchors is not checked. The result needs W, H and,
 *  for l1, the duals (settings.keep_duals). */
CH_API ch_status ch_column_proofs(ch_context *context, double *losses, double *gaps,
                                  const ch_matrix *X, const ch_anchors_result *result,
                                  const ch_anchors_settings *settings);

CH_END_DECLS
#endif
