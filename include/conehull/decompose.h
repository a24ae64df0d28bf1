/* Decompositions of a video X into background and moving objects, with which the paper (Kumar and
 * Sindhwani, arXiv 1312.7167) compares its method.
 *
 *     ch_robust_pca       min |L|_* + lambda |S|_1,  L + S = X       (convex)
 *     ch_robust_nmf       min |X - W H|_1,  W >= 0, H >= 0           (local search)
 *     ch_robust_lowrank   min |X - W H|_1                            (local search)
 *     ch_median_filter    the lower median of each pixel over all frames, or over a window of them
 *
 * In a video a column is a pixel and a row is a frame. All functions read X in place, whatever its
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
    ch_status status;   /**< status that the call returned: CH_OK or a positive status */
    int64_t rows, cols; /**< shape of X */
    /** Number of columns of W; for robust PCA the rank of L, which the method finds. */
    int64_t rank;
    double *W;        /**< rows x rank, column-major; for robust PCA its columns are orthonormal */
    double *H;        /**< rank x cols, column-major; for robust PCA its rows are orthogonal */
    double *singular; /**< robust PCA: the `rank` singular values of L, largest first; else NULL */
    /** Robust PCA with ch_rpca_settings.keep_sparse: the sparse part S, rows x cols, stored
     *  contiguously; otherwise NULL. */
    double *S;
    /** Layout of S: CH_ROW_MAJOR if X is row-major, else CH_COLUMN_MAJOR. */
    ch_matrix_layout S_layout;
    double objective; /**< robust PCA: |L|_* + lambda |S|_1; local search: |X - W H|_1 */
    /** Robust PCA: |X - L - S|_F / |X|_F at the end. Local search: the final primal residual of the
     *  alternating direction method of multipliers, divided by |X|_F. */
    double residual;
    int64_t nonzeros; /**< robust PCA: number of non-zero entries of S; local search: 0 */
    /** Number of iterations done; local search: summed over all random starts. */
    int64_t iterations;
    /** Local search: index, from 0, of the random start with the best result; else 0. */
    int64_t restart;
    double seconds; /**< wall-clock seconds of the call */
} ch_decomposition;

/** Frees the arrays of a decomposition. NULL is allowed. */
CH_API void ch_decomposition_free(ch_context *context, ch_decomposition *parts);

/** Settings of ch_robust_pca(), which minimises |L|_* + lambda |S|_1 with L + S = X.
 *  ch_rpca_defaults() fills them; ch_rpca_table() lists their bounds. */
typedef struct ch_rpca_settings {
    size_t size;   /**< sizeof(ch_rpca_settings); ch_rpca_defaults() sets it */
    double lambda; /**< weight of |S|_1, as a multiple of 1 / sqrt(max(rows, cols)) */
    double tol;    /**< iterations end when |X - L - S|_F <= tol * |X|_F */
    /** Factor by which the penalty of the augmented Lagrangian grows per iteration. */
    double growth;
    int64_t iterations; /**< maximum number of iterations */
    /** 1 stores the sparse part S in the result; 0 does not, which saves memory. */
    int keep_sparse;
} ch_rpca_settings;

/** Returns the constant table of the settings: name, default, bounds and help text of each. */
CH_API const ch_settings_table *ch_rpca_table(void);
/** Fills all settings with their defaults and sets `size`. */
static inline void ch_rpca_defaults(ch_rpca_settings *settings) {
    ch_settings_defaults(ch_rpca_table(), settings, sizeof *settings);
}

/** Computes a robust PCA of X by the inexact method of augmented Lagrange multipliers. X may hold
 *  negative values. The caller sets parts->size and later calls ch_decomposition_free(). The call
 *  needs memory for rows x cols doubles, for the factors W and H of L = W H, and for up to 16 s^2
 *  more doubles, where s = min(rows, cols). Returns CH_STOP_ITER if tol was not reached within
 *  settings->iterations iterations, and CH_STOP_CANCELLED if the progress callback cancelled; parts
 *  then holds L and S of the last iteration. */
CH_API ch_status ch_robust_pca(ch_context *context, ch_decomposition *parts, const ch_matrix *X,
                               const ch_rpca_settings *settings);

/** Settings of ch_robust_nmf() and ch_robust_lowrank(). ch_factor_defaults() fills them;
 *  ch_factor_table() lists their bounds. These functions find a local minimum, which depends on
 *  where the search starts. They therefore search several times, each time from a different random
 *  W. The comments call each of these searches a random start. */
typedef struct ch_factor_settings {
    size_t size;  /**< sizeof(ch_factor_settings); ch_factor_defaults() sets it */
    int64_t rank; /**< number of columns of W */
    /** Each random start iterates the alternating direction method of multipliers. It stops when
     *  the primal and the dual residual are both at most tol * |X|_F. */
    double tol;
    int64_t iterations; /**< maximum number of iterations per random start */
    int64_t restarts;   /**< number of random starts; the best result of all starts is returned */
    int64_t seed;       /**< seed of the random numbers; the same seed gives the same result */
} ch_factor_settings;

/** Returns the constant table of the settings: name, default, bounds and help text of each. */
CH_API const ch_settings_table *ch_factor_table(void);
/** Fills all settings with their defaults and sets `size`. */
static inline void ch_factor_defaults(ch_factor_settings *settings) {
    ch_settings_defaults(ch_factor_table(), settings, sizeof *settings);
}

/** Minimises |X - W H|_1 over W >= 0, H >= 0 for a non-negative X, from several random starts, by
 *  the alternating direction method of multipliers. *parts receives the best factors that were
 *  found. The caller sets parts->size and later calls ch_decomposition_free(). Besides X, the call
 *  needs memory for one double per value of X, for three copies of H and for up to 16 copies of
 *  W. */
CH_API ch_status ch_robust_nmf(ch_context *context, ch_decomposition *parts, const ch_matrix *X,
                               const ch_factor_settings *settings);
/** Like ch_robust_nmf(), but X, W and H may hold negative values. */
CH_API ch_status ch_robust_lowrank(ch_context *context, ch_decomposition *parts, const ch_matrix *X,
                                   const ch_factor_settings *settings);

/** Settings of ch_median_filter(). ch_median_defaults() fills them; ch_median_table() lists their
 *  bounds. */
typedef struct ch_median_settings {
    size_t size; /**< sizeof(ch_median_settings); ch_median_defaults() sets it */
    /** Each median is over 2 * radius + 1 rows (frames of a video); 0: over all rows. */
    int64_t radius;
} ch_median_settings;

/** Returns the constant table of the settings: name, default, bounds and help text of each. */
CH_API const ch_settings_table *ch_median_table(void);
/** Fills all settings with their defaults and sets `size`. */
static inline void ch_median_defaults(ch_median_settings *settings) {
    ch_settings_defaults(ch_median_table(), settings, sizeof *settings);
}

/** Computes medians within each column of X. With radius 0 each median is over all rows, and Y is 1
 *  x cols. Otherwise Y is rows x cols, and row i of Y holds the medians over rows i - radius to i +
 *  radius of X, as far as these exist. The median of an even number of values is the lower median:
 *  element (count - 1) / 2, counted from 0, of the sorted values. Y has the type of X and, if X is
 *  dense, the layout of X; free Y with ch_matrix_free(). The call needs memory for Y and for a few
 *  columns per thread. Returns CH_STOP_CANCELLED and an empty Y if the progress callback
 *  cancels. */
CH_API ch_status ch_median_filter(ch_context *context, ch_matrix *Y, const ch_matrix *X,
                                  const ch_median_settings *settings);

CH_END_DECLS
#endif
