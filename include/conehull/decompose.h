/* Decompositions that the paper compares with on video: X is background plus moving objects.
 *
 *     ch_robust_pca       min |L|_* + lambda |S|_1,  L + S = X       (convex)
 *     ch_robust_nmf       min |X - W H|_1,  W >= 0, H >= 0           (local search)
 *     ch_robust_lowrank   min |X - W H|_1                            (local search)
 *     ch_median_filter    the lower median of each pixel over all frames, or over a window of them
 *
 * In a video a column is a pixel and a row is a frame. All of them read X in place, whatever its
 * layout and type, and give the same bits for any number of threads. Simple use:
 *
 *     ch_rpca_settings set;
 *     ch_rpca_defaults(&set);
 *     ch_decomposition parts = {.size = sizeof parts};
 *     if (ch_robust_pca(context, &parts, &X, &set) < 0) puts(ch_context_message(context));
 *     // L = parts.W * parts.H
 *     ch_decomposition_free(context, &parts); */
#ifndef CONEHULL_DECOMPOSE_H
#define CONEHULL_DECOMPOSE_H

#include <conehull/matrix.h>
#include <conehull/settings.h>

CH_BEGIN_DECLS

/** The result of a decomposition: X ~ W H, and S if it was asked for. It owns its arrays. */
typedef struct ch_decomposition {
    size_t size;      /**< sizeof(ch_decomposition); the caller sets it */
    ch_status status; /**< CH_OK or a positive status                                          */
    int64_t rows, cols, rank;
    double *W;        /**< rows x rank, column-major; robust PCA: orthonormal columns         */
    double *H;        /**< rank x cols, column-major; robust PCA: orthogonal rows             */
    double *singular; /**< robust PCA: the rank singular values of L, largest first; else NULL */
    double *S;        /**< rows x cols in S_layout, without padding (keep_sparse), else NULL  */
    ch_matrix_layout S_layout; /**< CH_ROW_MAJOR where X is so, else CH_COLUMN_MAJOR */
    double objective; /**< |L|_* + lambda |S|_1, or |X - W H|_1                              */
    double residual; /**< |X - L - S|_F / |X|_F; local search: primal residual, relative to |X|_F */
    int64_t nonzeros;   /**< of S; 0 for local search                                          */
    int64_t iterations; /**< of all restarts together                                          */
    int64_t restart;    /**< the best one, from 0                                               */
    double seconds;
} ch_decomposition;

CH_API void ch_decomposition_free(ch_context *context, ch_decomposition *parts);

/** Described, with defaults and bounds, by ch_rpca_table(). */
typedef struct ch_rpca_settings {
    size_t size;        /**< sizeof(ch_rpca_settings); ch_rpca_defaults() sets it */
    double lambda;      /**< in units of 1 / sqrt(max(rows, cols))                             */
    double tol;         /**< done when |X - L - S|_F <= tol * |X|_F                            */
    double growth;      /**< of the penalty mu, per iteration                                  */
    int64_t iterations; /**< at most                                                           */
    int keep_sparse;    /**< return S                                                          */
} ch_rpca_settings;

CH_API const ch_settings_table *ch_rpca_table(void);
static inline void ch_rpca_defaults(ch_rpca_settings *settings) {
    ch_settings_defaults(ch_rpca_table(), settings, sizeof *settings);
}

/** Robust PCA by inexact augmented Lagrange multipliers. X may hold negative values. Memory: one
 *  double per value of X, plus the factors, plus up to 16 squares of the shorter side.
 *  CH_STOP_ITER and CH_STOP_CANCELLED leave the current L and S. */
CH_API ch_status ch_robust_pca(ch_context *context, ch_decomposition *parts, const ch_matrix *X,
                               const ch_rpca_settings *settings);

/** Described, with defaults and bounds, by ch_factor_table(). */
typedef struct ch_factor_settings {
    size_t size; /**< sizeof(ch_factor_settings); ch_factor_defaults() sets it */
    int64_t rank;
    double tol;         /**< done when primal and dual residual <= tol * |X|_F                 */
    int64_t iterations; /**< at most, per restart                                              */
    int64_t restarts;   /**< random starts; the best is returned                               */
    int64_t seed;
} ch_factor_settings;

CH_API const ch_settings_table *ch_factor_table(void);
static inline void ch_factor_defaults(ch_factor_settings *settings) {
    ch_settings_defaults(ch_factor_table(), settings, sizeof *settings);
}

/** Local search from random starts by the alternating direction method of multipliers. Returns the
 *  factors with the lowest |X - W H|_1 seen. Memory: one double per value of X, plus three times
 *  H, plus up to 16 times W. X must be non-negative for ch_robust_nmf. */
CH_API ch_status ch_robust_nmf(ch_context *context, ch_decomposition *parts, const ch_matrix *X,
                               const ch_factor_settings *settings);
CH_API ch_status ch_robust_lowrank(ch_context *context, ch_decomposition *parts, const ch_matrix *X,
                                   const ch_factor_settings *settings);

/** Described, with defaults and bounds, by ch_median_table(). */
typedef struct ch_median_settings {
    size_t size;    /**< sizeof(ch_median_settings); ch_median_defaults() sets it */
    int64_t radius; /**< frames to each side of the window; 0: all frames                      */
} ch_median_settings;

CH_API const ch_settings_table *ch_median_table(void);
static inline void ch_median_defaults(ch_median_settings *settings) {
    ch_settings_defaults(ch_median_table(), settings, sizeof *settings);
}

/** The lower median (element (count - 1) / 2 of the sorted values) of each column. radius 0: over
 *  all rows, Y is 1 x cols. Otherwise Y is rows x cols, row i over the existing
 *  rows of i - radius .. i + radius. Y has the type of X and, if dense, its layout; free it with
 *  ch_matrix_free(). Memory: Y, and a few columns per thread. If the progress callback cancels,
 *  returns CH_STOP_CANCELLED and an empty Y. */
CH_API ch_status ch_median_filter(ch_context *context, ch_matrix *Y, const ch_matrix *X,
                                  const ch_median_settings *settings);

CH_END_DECLS
#endif
