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

/** The result of a decomposition X ~ L + S with L = W H of low rank and S sparse. It owns its
 *  arrays; ch_decomposition_free() frees them. "Local search" means ch_robust_nmf() and
 *  ch_robust_lowrank(). */
typedef struct ch_decomposition {
    size_t size;        /**< sizeof(ch_decomposition); the caller sets it */
    ch_status status;   /**< what the call returned: CH_OK or a positive status */
    int64_t rows, cols; /**< shape of X */
    /** Number of columns of W; for robust PCA the rank of L, which the method finds. */
    int64_t rank;
    double *W;        /**< rows x rank, column-major; for robust PCA its columns are orthonormal */
    double *H;        /**< rank x cols, column-major; for robust PCA its rows are orthogonal */
    double *singular; /**< robust PCA: the `rank` singular values of L, largest first; else NULL */
    double *S; /**< robust PCA with keep_sparse: S, rows x cols without gaps; otherwise NULL */
    /** Layout of S: CH_ROW_MAJOR if X is row-major, else CH_COLUMN_MAJOR. */
    ch_matrix_layout S_layout;
    double objective; /**< robust PCA: |L|_* + lambda |S|_1; local search: |X - W H|_1 */
    /** Robust PCA: |X - L - S|_F / |X|_F. Local search: primal residual of the alternating
     *  direction method of multipliers, divided by |X|_F. */
    double residual;
    int64_t nonzeros;   /**< robust PCA: number of non-zero entries of S; local search: 0 */
    int64_t iterations; /**< number of iterations done, summed over all starts */
    /** Local search: index, from 0, of the random start with the best result; else 0. */
    int64_t restart;
    double seconds; /**< wall-clock seconds of the call */
} ch_decomposition;

/** Frees the arrays of a result. NULL is allowed. */
CH_API void ch_decomposition_free(ch_context *context, ch_decomposition *parts);

/** Settings of ch_robust_pca(); ch_rpca_defaults() fills them, ch_rpca_table() lists their
 *  bounds. */
typedef struct ch_rpca_settings {
    size_t size;        /**< sizeof(ch_rpca_settings); ch_rpca_defaults() sets it */
    double lambda;      /**< weight of |S|_1, in units of 1 / sqrt(max(rows, cols)) */
    double tol;         /**< the iteration ends when |X - L - S|_F <= tol * |X|_F */
    double growth;      /**< factor by which the penalty parameter mu grows per iteration */
    int64_t iterations; /**< maximum number of iterations */
    /** 1 stores the sparse part S in the result; 0 does not, which saves memory. */
    int keep_sparse;
} ch_rpca_settings;

/** The table of the settings: name, default, bounds and help of each. */
CH_API const ch_settings_table *ch_rpca_table(void);
/** Fills all settings with their defaults and sets `size`. */
static inline void ch_rpca_defaults(ch_rpca_settings *settings) {
    ch_settings_defaults(ch_rpca_table(), settings, sizeof *settings);
}

/** Computes a robust PCA of X by the inexact method of augmented Lagrange multipliers. X may hold
 *  negative values. The caller sets parts->size and later calls ch_decomposition_free(). The call
 *  takes one double of memory per value of X, W and H, and up to 16 matrices of s x s doubles,
 *  where s = min(rows, cols). Returns CH_STOP_ITER or CH_STOP_CANCELLED, with the L and S of the
 *  last iteration, if tol was not reached. */
CH_API ch_status ch_robust_pca(ch_context *context, ch_decomposition *parts, const ch_matrix *X,
                               const ch_rpca_settings *settings);

/** Settings of ch_robust_nmf() and ch_robust_lowrank(); ch_factor_defaults() fills them,
 *  ch_factor_table() lists their bounds. The search finds a local minimum, which depends on where
 *  it starts. It is therefore run several times, each time from another random W: these are the
 *  random starts. */
typedef struct ch_factor_settings {
    size_t size;  /**< sizeof(ch_factor_settings); ch_factor_defaults() sets it */
    int64_t rank; /**< number of columns of W */
    /** The iterations of a start end when the primal and the dual residual are <= tol * |X|_F. */
    double tol;
    int64_t iterations; /**< maximum number of iterations per random start */
    int64_t restarts;   /**< number of random starts; the best result of all starts is returned */
    int64_t seed;       /**< seed of the random starts */
} ch_factor_settings;

/** The table of the settings: name, default, bounds and help of each. */
CH_API const ch_settings_table *ch_factor_table(void);
/** Fills all settings with their defaults and sets `size`. */
static inline void ch_factor_defaults(ch_factor_settings *settings) {
    ch_settings_defaults(ch_factor_table(), settings, sizeof *settings);
}

/** Minimises |X - W H|_1 over W >= 0, H >= 0 for a non-negative X, from random starts, by the
 *  alternating direction method of multipliers. The result holds the best factors that were found.
 *  The caller sets parts->size and later calls ch_decomposition_free(). The call takes one double
 *  of memory per value of X, three times the memory of H and up to 16 times that of W. */
CH_API ch_status ch_robust_nmf(ch_context *context, ch_decomposition *parts, const ch_matrix *X,
                               const ch_factor_settings *settings);
/** Like ch_robust_nmf(), but X, W and H may hold negative values. */
CH_API ch_status ch_robust_lowrank(ch_context *context, ch_decomposition *parts, const ch_matrix *X,
                                   const ch_factor_settings *settings);

/** Settings of ch_median_filter(). */
typedef struct ch_median_settings {
    size_t size;    /**< sizeof(ch_median_settings); ch_median_defaults() sets it */
    int64_t radius; /**< the window is 2 radius + 1 rows (frames of a video); 0: all rows */
} ch_median_settings;

/** The table of the settings: name, default, bounds and help of each. */
CH_API const ch_settings_table *ch_median_table(void);
/** Fills all settings with their defaults and sets `size`. */
static inline void ch_median_defaults(ch_median_settings *settings) {
    ch_settings_defaults(ch_median_table(), settings, sizeof *settings);
}

/** Computes medians of each column of X. With radius 0 they are over all rows, and Y is 1 x cols.
 *  Otherwise Y is rows x cols, and row i of Y holds medians over rows i - radius .. i + radius, as
 *  far as they exist. For an even number of values this is the lower median: element (count - 1) /
 *  2 of the sorted values. Y has the type of X and, if dense, its layout; free it with
 *  ch_matrix_free(). Memory: Y and a few columns per thread. Returns CH_STOP_CANCELLED and an empty
 *  Y if the progress callback cancels. */
CH_API ch_status ch_median_filter(ch_context *context, ch_matrix *Y, const ch_matrix *X,
                                  const ch_median_settings *settings);

CH_END_DECLS
#endif
