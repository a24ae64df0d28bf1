/* Anchor columns of a non-negative matrix: settings, the run, its result, and the recheck.
 *
 *     X  ~  W H,   W = X_A (columns of X, or of a library),   H >= 0,   loss(X, W H) small
 *
 * and, where settings.hull asks for it, columns of H that sum to 1, or to at most 1.
 *
 * Columns are numbered from 0. The largest column sum of X must lie between 2^-500 and 2^500, so
 * that squares can be computed; other data are refused (CH_ERR_DATA). Columns that sum to less
 * than 2^-500 are never anchors. Simple use:
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

typedef enum ch_anchors_method {
    CH_METHOD_XRAY = 0,
    CH_METHOD_SPA = 1,
    CH_METHOD_HOTTOPIXX = 2,
    CH_METHOD_SMRS = 3,
    CH_METHOD_SNPA = 4,
    CH_METHOD_PSPA = 5,
    CH_METHOD_SMOOTHED_SPA = 6,
    CH_METHOD_RANDOM_SPA = 7,
    CH_METHOD_FGNSR = 8
} ch_anchors_method;
typedef enum ch_projection_method {
    CH_PROJECTION_AUTO = 0,
    CH_PROJECTION_EXACT = 1,
    CH_PROJECTION_ADMM = 2,
    CH_PROJECTION_CD = 3
} ch_projection_method;
typedef enum ch_exterior_rule {
    CH_EXTERIOR_MAX = 0,
    CH_EXTERIOR_RAND = 1,
    CH_EXTERIOR_DIST = 2,
    CH_EXTERIOR_GREEDY = 3,
    CH_EXTERIOR_SHARE = 4
} ch_exterior_rule;
typedef enum ch_first_anchor { CH_FIRST_RESELECT = 0, CH_FIRST_PAPER = 1 } ch_first_anchor;
/** What the anchors span: h >= 0; h >= 0 with sum h = 1; h >= 0 with sum h <= 1. */
typedef enum ch_hull { CH_HULL_CONE = 0, CH_HULL_CONVEX = 1, CH_HULL_CONVEX0 = 2 } ch_hull;
/** What becomes of negative values: the data are refused, or the values are 0. */
typedef enum ch_negative_values { CH_NEGATIVE_REFUSE = 0, CH_NEGATIVE_CLIP = 1 } ch_negative_values;
/** What NaN is: an error, or an entry that is not known. */
typedef enum ch_missing_values { CH_MISSING_NONE = 0, CH_MISSING_NAN = 1 } ch_missing_values;
typedef enum ch_dual_source { CH_DUAL_EXACT = 0, CH_DUAL_PAPER = 1 } ch_dual_source;

struct ch_anchors_result;
/** The anchors, as soon as they are chosen and before any column is projected: rank, anchors,
 *  max_residual and W of `found` are set, H is NULL. Called by the thread that called ch_anchors(),
 *  once. */
typedef void (*ch_selected_fn)(void *user, const struct ch_anchors_result *found);
/** Columns first .. first + count - 1 of H (rank x count, column-major), by rising columns, each
 *  once; H is good during the call. Not zero: the run ends as cancelled. */
typedef int (*ch_weights_fn)(void *user, const double *H, int64_t first, int64_t count);

/** Described, with defaults and bounds, by ch_anchors_table(). */
typedef struct ch_anchors_settings {
    size_t size;  /**< sizeof(ch_anchors_settings); ch_anchors_defaults() sets it */
    int64_t rank; /**< anchors wanted; 0: chosen from the residuals (--rank auto)          */
    ch_anchors_method method;
    ch_loss loss;
    double beta;     /**< CH_LOSS_BETA: 2 is l2, 1 is kl, 0 is is                             */
    double quantile; /**< CH_LOSS_QUANTILE: share of residuals below zero, about; 0.5 is l1    */
    int reverse;     /**< divergences: D(W H, X) instead of D(X, W H)                         */
    double floor;    /**< divergences: added to W H; negative: 1e-6 times the mean of X       */
    ch_projection_method projection;
    ch_exterior_rule exterior;
    ch_first_anchor first;
    ch_dual_source dual;
    int plain;          /**< SPA and its relatives: columns as they are instead of normalised    */
    int64_t neighbours; /**< smoothed SPA: columns whose median is an anchor                 */
    int64_t tries;      /**< random SPA: the best of so many                                 */
    double alpha;       /**< SMRS: lambda = largest useful lambda / alpha                        */
    int linear;         /**< SMRS: without 1'C = 1'                                              */
    double gap;   /**< Hottopixx, FGNSR, SMRS: accuracy of the program that chooses, relative */
    double p;     /**< Hottopixx, FGNSR: costs of the diagonal are drawn from (0, p)       */
    int largest;  /**< Hottopixx: the largest residual instead of their sum                */
    double tau;   /**< Hottopixx: bound of every residual instead; 0: none                 */
    double faint; /**< xray: columns whose sum is below this share of the 99th percentile of all
                       sums are never chosen; they are projected as the others             */
    ch_hull hull; /**< xray, spa: what H must satisfy besides H >= 0: nothing; columns sum to 1;
                       columns sum to at most 1. Takes a copy of X                         */
    ch_negative_values negative; /**< refused, or 0 in a copy of X                            */
    int library_only; /**< with library: anchors are chosen from it alone                     */
    ch_missing_values missing; /**< NaN: refused, or an entry that is not known               */
    double max_missing; /**< a column of which a larger share is not known is never chosen     */
    int select_only;    /**< anchors alone, no H                                                 */
    int eager;          /**< project every column at every step (the lazy run's reference)       */
    int path;           /**< the objective for every smaller rank too                            */
    int64_t refine; /**< rounds that turn W and H into free factors, from the anchors; 0: none */
    double tol;     /**< accuracy of a projection: gap relative to the column's norm         */
    double stop;    /**< a column is in the cone when its residual <= stop * its norm; below
                         1e-13, which is rounding, as 1e-13                                  */
    int64_t seed;

    /* Not in the table; settings that are stand above. */
    const int64_t *keep; /**< anchors given in advance, in order                              */
    int64_t keep_count;
    ch_bregman custom; /**< CH_LOSS_CUSTOM                                                    */
    int keep_duals;    /**< keep what ch_verify() needs (per column, per step)                */

    /* What is trusted, and how much (docs/explanation/weights-and-missing.md); all >= 0, NULL: all
     * alike. They need a copy of X, and one process. */
    const double *row_weights; /**< l1, quantile, l2, kl, beta: of the terms of a row */
    int64_t row_weight_count;  /**< rows of X                                                     */
    const double *column_weights; /**< xray on a cone, the same losses: of columns, in the objective
                                       and where the farthest is sought; 0: never chosen */
    int64_t column_weight_count; /**< columns of X                                                */
    const ch_matrix *observed;   /**< the shape of X, not 0 where an entry is known; sparse: what is
                                      not stored is not known                                     */
    const ch_matrix *weights;    /**< the shape of X, l1, quantile and l2: of entries, 0: not known;
                                    for l2 also    1 / variance */
    const ch_checkpoint *checkpoint; /**< ch_anchors(): goes on from its records and adds to them;
                                          NULL: the run cannot be resumed                     */
    const ch_matrix *library; /**< xray, one process: known components, columns that need not be in
                                   X. They are the first anchors, before those of keep, and the rest
                                   is chosen from X; with library_only the anchors are the best
                                   `rank` of them. Takes a copy of X. NULL: none              */

    ch_selected_fn selected; /**< ch_anchors(): gets the anchors before the projection, or NULL  */
    void *selected_user;
    ch_weights_fn take_weights; /**< ch_anchors(), one process, no refine: gets H in parts, for
                                     which no memory of its whole size is taken; H of the result is
                                     NULL then. NULL: H is in the result                       */
    void *take_weights_user;
} ch_anchors_settings;

CH_API const ch_settings_table *ch_anchors_table(void);
static inline void ch_anchors_defaults(ch_anchors_settings *settings) {
    ch_settings_defaults(ch_anchors_table(), settings, sizeof *settings);
}

/** What there is to worry about in a result: bits of ch_anchors_result.warnings. */
enum ch_anchors_warnings {
    CH_WARN_ZERO_WEIGHTS = 1,  /**< more than half of the columns have no weights at all     */
    CH_WARN_EMPTY_ANCHORS = 2, /**< a quarter of the anchors or more are nearly empty columns */
    CH_WARN_UNEXPLAINED = 4    /**< more than half of the data are unexplained               */
};

/** Worst over all columns, each relative to the column's norm. */
typedef struct ch_certificate {
    double gap;                /**< objective minus a rigorous lower bound; NaN for losses that
                                    are not convex: stationarity counts there                 */
    double dual_infeasibility; /**< of the duals as computed, before they are made rigorous   */
    double stationarity;       /**< projected gradient, of divergences                        */
} ch_certificate;

/** Everything a run found. Arrays belong to the result; those not asked for are NULL.
 *
 *  Anchors stand in the order in which they were chosen. With CH_FIRST_RESELECT the one chosen in
 *  place of the first takes the first place (after those given in advance): up to that one anchor,
 *  anchors[0 .. k) is the answer of the smaller rank k. Cancelled before the first, there is none:
 *  rank 0, and all arrays may be NULL.
 *
 *  max_residual[k] belongs to the first k + 1 anchors; what it is depends on the method alone:
 *
 *  xray: the residual, as a norm of the loss (l1: |r|_1, quantile: the loss, l2: |r|_2), that the
 * exterior rule saw: the largest over all columns, for CH_EXTERIOR_RAND that of the column drawn,
 * for CH_EXTERIOR_SHARE that of the column of which the largest share is left. With
 *  CH_FIRST_RESELECT it is as measured on the way, with the first choice still in place. The last
 *  entry is the largest residual of the final H; NaN with select_only.
 *
 *  spa, random-spa: the largest l2 distance from the span of the anchors, of columns in the scale
 *  in which they were compared: sum 1, or with plain as they are. snpa: from the hull of the
 * anchors and the origin. smoothed-spa: from the span of the medians. pspa: from the span after the
 *  transformation. Every entry, select_only or not.
 *
 *  hottopixx, fgnsr, smrs: all anchors are chosen at once, so nothing is measured on the way. The
 * last entry is the largest residual of the final H as a norm of the loss, with path every entry is
 *  that of its own projection; the others are NaN. */
typedef struct ch_anchors_result {
    size_t size;      /**< sizeof(ch_anchors_result); the caller sets it */
    ch_status status; /**< CH_OK or a positive status                                         */
    int64_t rows, cols;
    int64_t rank;            /**< anchors found                                                */
    int64_t *anchors;        /**< rank columns of X, in order; see above. cols + k, cols being those
                                  of all processes: column k of settings.library               */
    double *max_residual;    /**< rank: largest residual after each anchor; see above          */
    double *objective_path;  /**< rank: loss for each smaller rank (settings.path)             */
    double *weights;         /**< rank, hottopixx: C_jj, smrs: norm of row j of C; else NULL    */
    double select_objective; /**< hottopixx, fgnsr, smrs: of the program that chose; else NaN */
    double select_gap;       /**< ... minus a rigorous lower bound                              */
    int64_t iterations;      /**< ... and the iterations that took                              */
    double objective;        /**< loss(X, W H); NaN with select_only                           */
    double *W;               /**< rows x rank, column-major: X_A                               */
    double *H;               /**< rank x cols, column-major                                    */
    int64_t projections;     /**< columns projected while selecting                            */
    int64_t pivots;          /**< simplex pivots, or sweeps                                    */
    int64_t unproven;        /**< columns of H whose gap stayed above tol                      */
    int64_t duals_checked;   /**< with CH_DUAL_PAPER: steps where u = -1 was tried ...         */
    int64_t duals_valid;     /**< ... and satisfied Lemma 3.2                                  */
    double floor;            /**< added to A b by divergences; 0 for l1 and l2                 */
    ch_certificate certificate;
    double seconds_select, seconds_project;
    double exchange_select, exchange_project; /**< of these, exchanges with other processes; waiting
                                                   for slower ones not included (conehull/comm.h) */

    /* The proof (settings.keep_duals). On a hull, columns have one row more, number `rows`, with
     * the same number in all: dual_rows is rows + 1, else rows (docs/explanation/hulls.md). Step s
     * looked at column step_exterior[s] with dual step_dual[:, s] and took column step_anchor[s].
     * For l1, the dual of column j is -1 where X_ij = 0, else the sign of the residual, except at
     * dual_row[dual_start[j] .. dual_start[j+1]), where it is dual_value. For quantile it is that
     * plus 2 q - 1. */
    int64_t steps;
    int64_t *step_exterior; /**< -1: a rule without exterior column, or a kept anchor         */
    int64_t *step_anchor;
    double *step_dual; /**< dual_rows x steps, column-major                                   */
    uint64_t p_seed;   /**< p = 1 + U(0, 1e-5), drawn row by row from this seed               */
    int64_t *dual_start;
    int32_t *dual_row;
    double *dual_value;

    int64_t nonzeros;    /**< of X, over all processes                                           */
    int64_t faint;       /**< columns that settings.faint kept from being chosen                 */
    int64_t clipped;     /**< values of X that were negative (CH_NEGATIVE_CLIP), ...              */
    double clipped_mass; /**< ... and the sum of their sizes                                   */
    int64_t dual_rows;   /**< rows of step_dual                                                 */
    int64_t library; /**< columns of settings.library; their numbers are cols .. cols + library */
    int64_t unknown; /**< entries of X that are not known, ...                              */
    int64_t incomplete; /**< ... columns that max_missing kept from being chosen, ...          */
    int64_t completed;  /**< ... and entries of W that were completed: ...                     */
    unsigned char *completed_entries; /**< rows x rank, 1: completed; NULL: all are known       */

    /* What the warnings are about; of a result with H, over all processes. */
    int measured;          /**< 1: the following are known                                     */
    int warnings;          /**< CH_WARN_ZERO_WEIGHTS, ...; 0: nothing                          */
    int64_t zero_weights;  /**< cone: columns that are not zero and whose weights are          */
    int64_t empty_anchors; /**< cone: anchors that sum to less than 5 % of the median column   */
    double unexplained;    /**< l1, l2: the objective over that of H = 0; others: NaN          */

    /* Free factors (settings.refine): refined_W refined_H explains X better than W H, but the
     * columns of refined_W are no columns of X any more. W and H stay as they are. */
    double *refined_W;                  /**< rows x rank, column-major, >= 0                  */
    double *refined_H;                  /**< rank x cols, column-major: optimal for refined_W */
    int64_t refined_rounds;             /**< rounds that were done                            */
    double *refined_path;               /**< 2 refined_rounds: loss after W, after H, ...     */
    double refined_objective;           /**< loss(X, refined_W refined_H); NaN without        */
    double *refined_angle;              /**< rank: degrees between a component and its anchor */
    ch_certificate refined_certificate; /**< worst of all halves of rounds                    */
    int64_t refined_unproven;           /**< projections whose gap stayed above tol           */
} ch_anchors_result;

/** Finds anchors and, unless select_only, H. Positive statuses leave a usable result;
 *  CH_STOP_INACCURATE: columns of H, or projections that decided on anchors, are not proven. */
CH_API ch_status ch_anchors(ch_context *context, ch_anchors_result *result, const ch_matrix *X,
                            const ch_anchors_settings *settings);

CH_API void ch_anchors_result_free(ch_context *context, ch_anchors_result *result);

/** The sentence of one warning, with its numbers; 0, and an empty text, if the result has no such
 *  warning. 400 characters are enough. */
CH_API int ch_anchors_warning(char *text, size_t size, const ch_anchors_result *result,
                              int warning);

/** Over several processes (conehull/comm.h) ch_anchors() leaves on each the H and the duals of its
 *  own columns, result.cols of them; the rest is the same everywhere. Collective: gives process 0
 * those of all columns, so that it holds what one process alone would have found, but for the
 * counts of work done (projections, pivots) and the seconds. Others keep what they have. */
CH_API ch_status ch_anchors_result_collect(ch_context *context, ch_anchors_result *result);

/** What happened in ch_project(). */
typedef struct ch_project_info {
    size_t size; /**< sizeof(ch_project_info); the caller sets it */
    double objective;
    int64_t pivots, unproven;
    ch_certificate certificate;
    double seconds;
    int64_t nonzeros; /**< of X, over all processes */
    int64_t clipped;  /**< as in ch_anchors_result  */
    double clipped_mass;
    int64_t unknown;
} ch_project_info;

/** H (rank x X->cols, column-major, caller's) = argmin loss(X, W H), H >= 0, for W rows x rank:
 *  the very projection that ends ch_anchors(). Uses loss, projection and tol of the settings; for
 *  divergences, set floor to that of the result. */
CH_API ch_status ch_project(ch_context *context, double *H, ch_project_info *info,
                            const ch_matrix *X, const double *W, int64_t rank,
                            const ch_anchors_settings *settings);

/** Over several processes ch_project() gives each the H of its own columns. Collective: all of H,
 * rank x the columns of all processes, on process 0; `all` is not used on others. */
CH_API ch_status ch_project_collect(ch_context *context, double *all, const double *H, int64_t rank,
                                    int64_t cols);

/** The recheck of a result, from X and the settings. */
typedef struct ch_verification {
    size_t size; /**< sizeof(ch_verification); the caller sets it */
    int ok;
    double gap;                /**< worst relative gap over the columns, NaN as above         */
    double dual_infeasibility; /**< worst, before the duals are made rigorous                 */
    double stationarity;       /**< worst, of divergences                                     */
    double objective;          /**< recomputed                                                */
    char why[256];             /**< the first thing that does not hold; empty when ok         */
} ch_verification;

/** Believes X and the settings, which are those of the run, floor and rank as they were asked for.
 *  The fit and every step of xray are proven by arithmetic that the solvers do not share; then the
 *  selection is repeated by the settings, and everything in the result that follows from it must be
 *  the same: all but the counts of work done and the seconds. docs/explanation/certificates.md
 *  states what an accepted result proves. Needs a result with H and, of xray, keep_duals. Takes
 *  about as long as the run. CH_STOP_CANCELLED leaves verification untouched. */
CH_API ch_status ch_verify(ch_context *context, ch_verification *verification, const ch_matrix *X,
                           const ch_anchors_result *result, const ch_anchors_settings *settings);

/** What the recheck finds column by column: losses[j] = the loss of column j, gaps[j] = its
 * distance from a lower bound relative to the column's size, as in ch_verification (the projected
 * gradient of a loss that has no gap). X->cols entries each; either may be NULL. For maps: it
 * checks the fit, not the choice of the anchors. Needs W, H and, for l1, keep_duals. */
CH_API ch_status ch_column_proofs(ch_context *context, double *losses, double *gaps,
                                  const ch_matrix *X, const ch_anchors_result *result,
                                  const ch_anchors_settings *settings);

CH_END_DECLS
#endif
