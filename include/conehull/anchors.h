/* Anchor columns of a non-negative matrix: settings, run, result and verification.
 *
 *     X  ~  W H,   W = X_A (columns of X, or of a library),   H >= 0,   loss(X, W H) small
 *
 * With settings.hull the columns of H also sum to 1, or to at most 1.
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
/** The constraint on a column h of H: h >= 0; also sum h = 1; also sum h <= 1. */
typedef enum ch_hull { CH_HULL_CONE = 0, CH_HULL_CONVEX = 1, CH_HULL_CONVEX0 = 2 } ch_hull;
/** Negative values in X are refused, or count as 0. */
typedef enum ch_negative_values { CH_NEGATIVE_REFUSE = 0, CH_NEGATIVE_CLIP = 1 } ch_negative_values;
/** NaN in X is refused, or marks a missing entry. */
typedef enum ch_missing_values { CH_MISSING_NONE = 0, CH_MISSING_NAN = 1 } ch_missing_values;
typedef enum ch_dual_source { CH_DUAL_EXACT = 0, CH_DUAL_PAPER = 1 } ch_dual_source;

struct ch_anchors_result;
/** Receives the anchors as soon as they are chosen, before any column is projected: rank, anchors,
 *  max_residual and W of `found` are set, H is NULL. Called once, by the thread that called
 *  ch_anchors(). */
typedef void (*ch_selected_fn)(void *user, const struct ch_anchors_result *found);
/** Receives columns first .. first + count - 1 of H (rank x count, column-major). Every column
 *  comes once, in increasing order. H is valid during the call. Return non-zero to cancel the
 *  run. */
typedef int (*ch_weights_fn)(void *user, const double *H, int64_t first, int64_t count);

/** Described, with defaults and bounds, by ch_anchors_table(). */
typedef struct ch_anchors_settings {
    size_t size;  /**< sizeof(ch_anchors_settings); ch_anchors_defaults() sets it */
    int64_t rank; /**< number of anchors; 0: chosen from the residuals (--rank auto)       */
    ch_anchors_method method;
    ch_loss loss;
    double beta;     /**< CH_LOSS_BETA: 2 is l2, 1 is kl, 0 is is                             */
    double quantile; /**< CH_LOSS_QUANTILE: approximate share of negative residuals; 0.5: l1    */
    int reverse;     /**< divergences: D(W H, X) instead of D(X, W H)                         */
    double floor;    /**< divergences: added to W H; negative: 1e-6 times the mean of X       */
    ch_projection_method projection;
    ch_exterior_rule exterior;
    ch_first_anchor first;
    ch_dual_source dual;
    int plain;          /**< SPA and its variants: do not normalise the columns                  */
    int64_t neighbours; /**< smoothed SPA: number of columns whose median is an anchor       */
    int64_t tries;      /**< random SPA: number of tries, of which the best counts           */
    double alpha;       /**< SMRS: lambda = largest useful lambda / alpha                        */
    int linear;         /**< SMRS: drop the constraint 1'C = 1'                                  */
    double gap;         /**< Hottopixx, FGNSR, SMRS: relative accuracy of the program solved    */
    double p;           /**< Hottopixx, FGNSR: costs of the diagonal are drawn from (0, p)       */
    int largest;        /**< Hottopixx: minimise the largest residual instead of their sum      */
    double tau;         /**< Hottopixx: bound every residual by tau instead; 0: no bound         */
    double faint; /**< xray: columns whose sum is below this share of the 99th percentile of all
                       sums are never chosen; they are projected like the others           */
    ch_hull hull; /**< xray, spa: what H must satisfy besides H >= 0: nothing; columns sum to 1;
                       columns sum to at most 1. Copies a sparse X                         */
    ch_negative_values negative; /**< refused, or taken for 0; copies a sparse X             */
    int library_only; /**< choose anchors from the library only                               */
    ch_missing_values missing; /**< NaN is refused, or marks a missing entry                  */
    double max_missing; /**< columns with a larger share of missing entries are never chosen   */
    int select_only;    /**< find anchors only, no H                                             */
    int eager;          /**< project every column at every step (the lazy run's reference)       */
    int path;           /**< report the objective for every smaller rank too                     */
    int64_t refine;     /**< rounds of refinement to free factors, from the anchors; 0: none   */
    double tol;         /**< accuracy of a projection: gap relative to the column's norm         */
    double stop;        /**< a column is in the cone if its residual <= stop * its norm; values
                         below 1e-13, the level of rounding, act as 1e-13                    */
    int64_t seed;

    /* The following are not in the table. */
    const int64_t *keep; /**< columns that are the first anchors, in order                    */
    int64_t keep_count;
    ch_bregman custom; /**< CH_LOSS_CUSTOM                                                    */
    int keep_duals;    /**< store the duals that ch_verify() needs                            */

    /* Weights (docs/explanation/weights-and-missing.md). All are >= 0; NULL means equal weights.
     * They need a copy of X and work in one process only. */
    const double *row_weights; /**< l1, quantile, l2, kl, beta: of the terms of a row */
    int64_t row_weight_count;  /**< rows of X                                                     */
    const double *column_weights; /**< xray on a cone, the same losses: of columns, in the objective
                                       and where the farthest is sought; 0: never chosen */
    int64_t column_weight_count; /**< columns of X                                                */
    const ch_matrix *observed; /**< shape of X, non-zero where an entry is known; if sparse, entries
                                      that are not stored are unknown                             */
    const ch_matrix *weights;  /**< l1, quantile and l2: weights of entries, shape of X; 0: missing.
                                      For l2, 1 / variance is a weight                            */
    const ch_checkpoint *checkpoint; /**< ch_anchors(): resumes from its records and adds to them;
                                          NULL: the run cannot be resumed                     */
    const ch_matrix *library; /**< xray, one process: known components, columns that need not be in
                                   X. They are the first anchors, before those of keep, and the rest
                                   is chosen from X; with library_only the anchors are the best
                                   `rank` of them. Takes a copy of a sparse X. NULL: none     */

    ch_selected_fn selected; /**< ch_anchors(): called before the projection, or NULL            */
    void *selected_user;
    ch_weights_fn take_weights; /**< ch_anchors(), one process, no refine: receives H in parts,
                                     so that H is never held as a whole; H of the result is then
                                     NULL. Without this callback H is in the result            */
    void *take_weights_user;
    const ch_bregman_arrays *custom_arrays; /**< CH_LOSS_CUSTOM: the functions of `custom`, which
                                                 must be given too, over arrays. NULL: none    */
} ch_anchors_settings;

CH_API const ch_settings_table *ch_anchors_table(void);
static inline void ch_anchors_defaults(ch_anchors_settings *settings) {
    ch_settings_defaults(ch_anchors_table(), settings, sizeof *settings);
}

/** Bits of ch_anchors_result.warnings. */
enum ch_anchors_warnings {
    CH_WARN_ZERO_WEIGHTS = 1,  /**< more than half of the columns have no weights at all     */
    CH_WARN_EMPTY_ANCHORS = 2, /**< a quarter of the anchors or more are nearly empty columns */
    CH_WARN_UNEXPLAINED = 4    /**< more than half of the data are unexplained               */
};

/** The worst values over all columns, each relative to the column's norm. */
typedef struct ch_certificate {
    double gap;                /**< objective minus a rigorous lower bound; NaN for losses that
                                    are not convex, which have stationarity instead           */
    double dual_infeasibility; /**< of the duals as computed, before they are made rigorous   */
    double stationarity;       /**< projected gradient, of divergences                        */
} ch_certificate;

/** The result of a run. The result owns its arrays; those that were not asked for are NULL.
 *
 *  Anchors are in the order in which they were chosen. With CH_FIRST_RESELECT the first anchor is
 *  chosen again at the end and keeps the first place (after those of settings.keep), so
 *  anchors[0 .. k) equals the answer for rank k except for that anchor. If the run is cancelled
 *  before the first anchor, rank is 0 and all arrays may be NULL.
 *
 *  max_residual[k] belongs to the first k + 1 anchors. Its meaning depends on the method:
 *
 *  xray: the residual of the column that the exterior rule chose (l1: |r|_1, quantile: the loss,
 *  l2: |r|_2): the largest of all columns; for CH_EXTERIOR_RAND that of the column drawn; for
 *  CH_EXTERIOR_SHARE that of the column with the largest relative residual. With CH_FIRST_RESELECT
 *  it is measured while the first choice is still in place. The last entry is the largest residual
 *  of the final H; NaN with select_only.
 *
 *  spa, random-spa: the largest l2 distance of a column from the span of the anchors, columns
 *  having sum 1, or with plain their own scale. snpa: the distance from the hull of the anchors and
 *  the origin. smoothed-spa: from the span of the medians. pspa: from the span after the
 *  transformation. All entries are set, also with select_only.
 *
 *  hottopixx, fgnsr, smrs: all anchors are chosen at once. The last entry is the largest residual
 *  of the final H, measured as for xray. With path every entry is that of its own projection;
 *  without it the others are NaN. */
typedef struct ch_anchors_result {
    size_t size;      /**< sizeof(ch_anchors_result); the caller sets it */
    ch_status status; /**< CH_OK or a positive status                                         */
    int64_t rows, cols;
    int64_t rank;            /**< number of anchors found                                       */
    int64_t *anchors;        /**< rank columns of X, in order; see above. A number cols + k, cols
                                  of all processes together, is column k of settings.library    */
    double *max_residual;    /**< rank: largest residual after each anchor; see above          */
    double *objective_path;  /**< rank: loss for each smaller rank (settings.path)             */
    double *weights;         /**< rank, hottopixx: C_jj, smrs: norm of row j of C; else NULL    */
    double select_objective; /**< hottopixx, fgnsr, smrs: optimum of their program; else NaN  */
    double select_gap;       /**< ... minus a rigorous lower bound                              */
    int64_t iterations;      /**< ... and the number of iterations                              */
    double objective;        /**< loss(X, W H); NaN with select_only                           */
    double *W;               /**< rows x rank, column-major: X_A                               */
    double *H;               /**< rank x cols, column-major                                    */
    int64_t projections;     /**< number of projections during selection                       */
    int64_t pivots;          /**< simplex pivots, or sweeps                                    */
    int64_t unproven;        /**< columns of H whose gap stayed above tol                      */
    int64_t duals_checked;   /**< with CH_DUAL_PAPER: steps where u = -1 was tried ...         */
    int64_t duals_valid;     /**< ... and satisfied Lemma 3.2                                  */
    double floor;            /**< added to W H by divergences; 0 for l1 and l2                 */
    ch_certificate certificate;
    double seconds_select, seconds_project;
    double exchange_select, exchange_project; /**< the part of these seconds spent in exchanges
                                                   with other processes; waiting for slower
                                                   processes is not included (comm.h) */

    /* The proof (settings.keep_duals). Step s used exterior column step_exterior[s] with dual
     * step_dual[:, s] and chose column step_anchor[s]. dual_rows equals rows; on a hull it is
     * rows + 1, because columns have a constant row appended (docs/explanation/hulls.md). For l1,
     * the dual of column j is -1 where X_ij = 0 and else the sign of the residual, except in rows
     * dual_row[dual_start[j] .. dual_start[j+1]), where it is dual_value. For quantile, 2 q - 1 is
     * added. */
    int64_t steps;
    int64_t *step_exterior; /**< -1: the rule has no exterior column, or the anchor was given */
    int64_t *step_anchor;
    double *step_dual; /**< dual_rows x steps, column-major                                   */
    uint64_t p_seed;   /**< p = 1 + U(0, 1e-5), drawn row by row from this seed               */
    int64_t *dual_start;
    int32_t *dual_row;
    double *dual_value;

    int64_t nonzeros; /**< of X, over all processes                                           */
    int64_t faint;    /**< number of columns excluded by settings.faint                       */
    int64_t clipped;  /**< number of negative values of X (CH_NEGATIVE_CLIP), ...               */
    double clipped_mass; /**< ... and the sum of their magnitudes                               */
    int64_t dual_rows;   /**< rows of step_dual                                                 */
    int64_t library; /**< columns of settings.library; their numbers are cols .. cols + library */
    int64_t unknown; /**< number of missing entries of X, ...                               */
    int64_t incomplete; /**< ... columns excluded by max_missing, ...                          */
    int64_t completed;  /**< ... and entries of W that were filled in: ...                     */
    unsigned char *completed_entries; /**< rows x rank, 1: filled in; NULL: all are known       */

    /* What the warnings rest on; set if the result has H. Over all processes. */
    int measured;          /**< 1: the following members are set                                */
    int warnings;          /**< bits CH_WARN_ZERO_WEIGHTS, ...; 0: no warning                   */
    int64_t zero_weights;  /**< cone: non-zero columns whose weights are all zero               */
    int64_t empty_anchors; /**< cone: anchors that sum to less than 5 % of the median column   */
    double unexplained;    /**< l1, l2: objective / objective of H = 0; others: NaN             */

    /* Free factors (settings.refine): refined_W refined_H explains X better than W H, but the
     * columns of refined_W are no longer columns of X. W and H are unchanged. */
    double *refined_W;                  /**< rows x rank, column-major, >= 0                  */
    double *refined_H;                  /**< rank x cols, column-major: optimal for refined_W */
    int64_t refined_rounds;             /**< number of rounds done                            */
    double *refined_path;               /**< 2 refined_rounds: loss after W, after H, ...     */
    double refined_objective;           /**< loss(X, refined_W refined_H); NaN if none        */
    double *refined_angle;              /**< rank: degrees between a component and its anchor */
    ch_certificate refined_certificate; /**< worst of all half-rounds                         */
    int64_t refined_unproven;           /**< projections whose gap stayed above tol           */
} ch_anchors_result;

/** Finds anchors and, unless select_only, H. Positive statuses leave a usable result;
 *  CH_STOP_INACCURATE: columns of H, or projections that decided on anchors, are not proven. */
CH_API ch_status ch_anchors(ch_context *context, ch_anchors_result *result, const ch_matrix *X,
                            const ch_anchors_settings *settings);

CH_API void ch_anchors_result_free(ch_context *context, ch_anchors_result *result);

/** Writes the sentence of one warning, with its numbers, to text (400 characters are enough).
 *  Returns 0 and an empty text if the result has no such warning. */
CH_API int ch_anchors_warning(char *text, size_t size, const ch_anchors_result *result,
                              int warning);

/** For a run that chose its rank (rank 0, method xray): returns 1 if the path of the largest residual
 *  bends at the rank. The last anchor then took away at least 20 % of it (half, with fewer than
 *  four anchors), and no less than any anchor before it. */
CH_API int ch_anchors_rank_clear(const ch_anchors_result *result);

/** With several processes (conehull/comm.h) ch_anchors() gives each process H and duals of its own
 *  result.cols columns; everything else is the same on all. This collective call gives process 0
 *  those of all columns. Its result is then that of a run in one process, except for the counts of
 *  work (projections, pivots) and the seconds. The other processes keep their results. */
CH_API ch_status ch_anchors_result_collect(ch_context *context, ch_anchors_result *result);

/** Figures of a ch_project() call. */
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

/** Computes H = argmin loss(X, W H), H >= 0, for W of rows x rank; H (rank x X->cols, column-major)
 *  belongs to the caller. This is the projection that ends ch_anchors(). Uses loss, projection and
 *  tol of the settings; for divergences, set floor to that of the result. */
CH_API ch_status ch_project(ch_context *context, double *H, ch_project_info *info,
                            const ch_matrix *X, const double *W, int64_t rank,
                            const ch_anchors_settings *settings);

/** With several processes ch_project() gives each process H of its own columns. This collective
 *  call writes all of H, rank x the columns of all processes, to `all` of process 0; the others do
 *  not use `all`. */
CH_API ch_status ch_project_collect(ch_context *context, double *all, const double *H, int64_t rank,
                                    int64_t cols);

/** The verification of a result from X and the settings. */
typedef struct ch_verification {
    size_t size; /**< sizeof(ch_verification); the caller sets it */
    int ok;
    double gap;                /**< worst relative gap of a column, as in ch_certificate      */
    double dual_infeasibility; /**< worst, before the duals are made rigorous                 */
    double stationarity;       /**< worst, of divergences                                     */
    double objective;          /**< recomputed                                                */
    char why[256];             /**< the first check that failed; empty if ok                  */
} ch_verification;

/** Verifies a result. It trusts X and the settings only; the settings are those of the run, with
 *  floor and rank as they were requested. It proves the fit and every step of xray by arithmetic
 *  that the solvers do not share. Then it repeats the selection and requires that everything in the
 *  result that follows from it is the same, except for the counts of work and the seconds.
 *  docs/explanation/certificates.md states what an accepted result proves. The result needs H and,
 *  for xray, the duals of keep_duals. Takes about as long as the run. CH_STOP_CANCELLED leaves
 *  verification untouched. */
CH_API ch_status ch_verify(ch_context *context, ch_verification *verification, const ch_matrix *X,
                           const ch_anchors_result *result, const ch_anchors_settings *settings);

/** The verification of the fit column by column, for maps: losses[j] is the loss of column j,
 *  gaps[j] its relative gap as in ch_verification, or the projected gradient for a loss that has no
 *  gap. Each array has X->cols entries; either may be NULL. The choice of the anchors is not
 *  checked. Needs W, H and, for l1, the duals of keep_duals. */
CH_API ch_status ch_column_proofs(ch_context *context, double *losses, double *gaps,
                                  const ch_matrix *X, const ch_anchors_result *result,
                                  const ch_anchors_settings *settings);

CH_END_DECLS
#endif
