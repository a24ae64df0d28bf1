/* The kernel sets: for each instruction set one table of all hot loops that differ between
 * processors.
 *
 * Each loop is written once, in a file of this folder or, where it is a whole solver, in the folder
 * that it belongs to (src/project/lad). CMake compiles that file once per instruction set, with the
 * flags of the set and three definitions (cmake/kernels.cmake): CHI_SET, the suffix of the names
 * that the file exports, CHI_LANES, the number of doubles in a register, and CHI_STEPS, the header
 * with the few steps that are written with processor instructions. kernel_sets_x86.c and
 * kernel_sets_other.c list the sets of a build; no other file depends on their number.
 *
 * The set in use is a setting of the context (ch_context_set_kernel()), not of the process: two
 * contexts in one process may use different sets, so tests can compare sets, and no call depends on
 * the choice of another thread. Code calls chi_kernels_of() once, at its start, and stores the
 * pointer in its workspace, cone or job. Calling a loop therefore costs two loads and an indirect
 * call, and a whole run uses the same set.
 *
 * All loops are in this folder instead of next to their callers, because the table is part of the
 * core library and needs all of them, while video and text are separate libraries. The solver of
 * src/project/lad uses structures of that folder, so the table holds a pointer to a type that only
 * that folder defines.
 *
 * Every set guarantees: the result for a column depends on that column and its vector alone, not on
 * other columns, the alignment or the number of columns. So results have the same bits for any
 * order of work. Pointers need only the alignment of their type; count may be 0. Results of two
 * sets differ by rounding errors, except where the comment of a loop promises the same bits. */
#pragma once

#include "base/base.h"
#include <conehull/matrix.h>

/* --- passes over a matrix (dense_loops.c) ---------------------------------------------------- */

enum { CHI_PREPARED_EXTRA = 64 };

/* Loops over values of one storage type T. x points to values of type T, which are converted to
 * double in registers. */
typedef struct chi_typed_loops {
    /* sums[j] += sum_i d[i] x[i + j * stride] for j < columns, i < count <= chunk. d is the output
     * of prepare() for the vector, or the vector itself if prepare is NULL. */
    void (*dots)(double *sums, const double *d, const void *x, int64_t stride, int64_t columns,
                 int64_t count);
    /* Converts the vector d to the form that dots() and row_dots() read; NULL if no conversion is
     * needed. `prepared` has space for CHI_PREPARED_EXTRA + count doubles and is aligned to 64
     * bytes. */
    void (*prepare)(double *prepared, const double *d, int64_t count);
    int64_t chunk; /* maximum number of rows per call; longer columns are added chunk by chunk */
    /* number of columns whose chunks should stay in the cache while all vectors are processed */
    int64_t group;
    /* sums[j] += sum_i d[i] x[i * stride + j] for j < columns, i < count: dots() for a row-major
     * matrix. In all calls for a column except the last, count is a multiple of 4, or of chunk if
     * prepare is not NULL. */
    void (*row_dots)(double *sums, const double *d, const void *x, int64_t stride, int64_t columns,
                     int64_t count);
    /* Returns sum_e d[index[e]] x[e] for e < count. */
    double (*gather)(const double *d, const int32_t *index, const void *x, int64_t count);
    /* *sum += sum_i x[i], *square += sum_i x[i]^2 */
    void (*moments)(double *sum, double *square, const void *x, int64_t count);
    /* sums[j] += sum_i x[i * stride + j], squares[j] += sum_i x[i * stride + j]^2 for i < count, j
     * < columns */
    void (*row_moments)(double *sums, double *squares, const void *x, int64_t stride,
                        int64_t columns, int64_t count);
    /* Returns the first i for which x[i] is NaN, infinite or negative, or count if there is
     * none. */
    int64_t (*first_bad)(const void *x, int64_t count);
    int64_t (*nonzeros)(const void *x, int64_t count);
} chi_typed_loops;

typedef struct chi_dense_loops {
    double (*dot)(const double *x, const double *y, int64_t count);
    /* products[j] = dot(x, A + j stride, count) for j < columns, with the bits of dot(). */
    void (*dot_columns)(double *products, const double *x, const double *A, int64_t stride,
                        int64_t columns, int64_t count);
    double (*sum_abs)(const double *x, int64_t count);
    void (*axpy)(double *y, double a, const double *x, int64_t count);
    chi_typed_loops typed[4]; /* indexed by ch_value_type */
} chi_dense_loops;

/* --- losses (kl_loops.c, is_loops.c) --------------------------------------------------------- */

enum { CHI_SWEEP_PAD = 8, CHI_SWEEP_TOGETHER = 4 };

/* A column x > 0 for coordinate descent, with y = A b + floor, where A is count x rank. count is a
 * multiple of CHI_SWEEP_PAD; rows of padding have x = 0, A = 0 and y > 0. */
typedef struct chi_sweep_column {
    double *b, *y;
    const double *A, *x;
    int64_t count;
} chi_sweep_column;

/* Loops over the entries of a column x and its model y under one loss l. Losses without such loops
 * use their scalar functions (src/loss/divergence.c). x and y are positive normal numbers. */
typedef struct chi_loss_loops {
    /* Returns sum_i l(x_i, y_i). */
    double (*value)(const double *x, const double *y, int64_t count);
    /* Computes slope, newton and scoring as chi_loss_slopes() does. */
    void (*slopes)(double *slope, double *newton, double *scoring, const double *x, const double *y,
                   int64_t count);
    /* Computes slope and bend as chi_loss_pull() does. */
    void (*pull)(double *slope, double *bend, const double *a, const double *x, const double *y,
                 int64_t count);
    /* Returns sum_i n_i l(x_i, y_i). The pointer may be NULL. */
    double (*weighted_value)(const double *n, const double *x, const double *y, int64_t count);
    /* One step of Newton's method in each b_k in turn, kept at 0 or above, for the loss of a column
     * plus sums'b; y follows. `sums` are those of A over all rows of the data, also where x = 0.
     * Takes 1 to CHI_SWEEP_TOGETHER columns; each has the same bits as alone. rank >= 1. The
     * pointer is NULL except for KL. */
    void (*sweep)(const chi_sweep_column *columns, int together, const double *sums, int64_t rank);
} chi_loss_loops;

/* --- Newton steps of divergences (weighted_gram.c, newton_loops.c) --------------------------- */

/* G[s * count + t] = sum_i w_i a_s[i] a_t[i] for t <= s < count; a holds the columns of A. Entries
 * above the diagonal are not set. The order of additions depends on rows alone. */
typedef void chi_weighted_gram(double *G, const double *const *a, int64_t count, const double *w,
                               int64_t rows);

enum { CHI_FACTOR_PAD = 8 }; /* a row of a factor is longer than `count` by less than this */

typedef struct chi_newton_loops {
    /* y = low + A b, where only b_q > 0 count; A: rows x count */
    void (*model)(double *y, const double *A, const double *b, int64_t count, double low,
                  int64_t rows);
    /* sums += A'd; A: rows x count */
    void (*products)(double *sums, const double *d, const double *A, int64_t count, int64_t rows);
    /* U = upper Cholesky factor of G + diag(more), with reciprocals on its diagonal. G is as
     * chi_weighted_gram computes it; more = NULL means 0. U has count rows of less than count +
     * CHI_FACTOR_PAD numbers. A pivot of at most `dependent` times its diagonal entry is replaced
     * by the diagonal entry. Returns 0 if a pivot is below `least` times its diagonal entry. */
    int (*factorise)(double *U, const double *G, const double *more, int64_t count, double least,
                     double dependent);
    /* v = (U'U)^-1 r. Overwrites r. v and r have space for count + CHI_FACTOR_PAD numbers. */
    void (*solve)(double *v, double *r, const double *U, int64_t count);
} chi_newton_loops;

/* --- weights of a column under KL (kl_weights.c) ---------------------------------------------- */

/* A column x on the rows where it is not zero, and the anchors there. Arrays over the anchors have
 * whole blocks of eight numbers, arrays over the rows have space for seven more. */
typedef struct chi_kl_column {
    const double *At; /* the anchors by rows, At_stride numbers apart; zero from `count` on */
    int64_t At_stride;
    const int32_t *row; /* the rows of At                                             */
    int64_t rows, count, blocks, stride; /* blocks: of eight anchors; stride = 8 blocks */
    const double *x;
    const double *sums, *unit; /* A'1 over all rows; 1 / sums, or 0 where sums is 0     */
    double floor, mass;        /* mass: 1'x */
    double aim, enough;        /* requested stationarity; what is enough if rounding prevents it */
    double *b, *gradient, *y;  /* results: y = A b + floor                             */
    double *here, *ratio;      /* results: A'1 over these rows; x / y                  */
    double *A, *before, *weight, *free; /* workspace; A: rows x stride, free: rows x CHI_KL_FREE, or
                                           rows x stride if that is less */
    int64_t steps;
} chi_kl_column;

enum { CHI_KL_FREE = 64 }; /* maximum number of free weights */

/* Returns the stationarity of b. If it is above aim, the caller goes on from b. */
typedef double chi_kl_weights(chi_kl_column *c);

/* --- models of low rank (low_rank_loops.c) ---------------------------------------------------- */

enum { CHI_MODEL_PAD = 8 };

/* The known entries x of a row (or column) of a low-rank model, each with the vector u of its
 * column (or row). */
typedef struct chi_model_entries {
    const double *vector; /* the vectors u, of `width` numbers, a multiple of CHI_MODEL_PAD */
    int64_t width;
    const int64_t *at;    /* per entry: index of its vector; NULL: the first `count` vectors */
    const double *weight; /* NULL: 1                                                         */
    const double *x;
    int64_t count;
} chi_model_entries;

/* All sets give the same bits. */
typedef struct chi_model_loops {
    /* G = sum over the entries of weight u u' (width x width). The upper half is valid; some
     * entries below the diagonal are overwritten. */
    void (*products)(double *G, const chi_model_entries *entries);
    /* g = sum over the entries of weight x u */
    void (*multiples)(double *g, const chi_model_entries *entries);
    /* g = (G + ridge I)^-1 g, where g holds `rank` numbers, followed by zeros up to `width`.
     * Overwrites G. */
    void (*solve)(double *G, double *g, int64_t rank, int64_t width, double ridge);
    /* y[e] = u'v for the vector u of entry e. Does not read weight and x. */
    void (*evaluate)(double *y, const chi_model_entries *entries, const double *v);
} chi_model_loops;

/* --- medians (count_below.c) ----------------------------------------------------------------- */

enum { CHI_COUNTED_AT_ONCE = 64 };

/* For l < 64 = CHI_COUNTED_AT_ONCE: adds to count[l] the number of values x[l + 64 i], i < lines,
 * that are below bound[l]. */
typedef void chi_count_below(uint32_t *count, const uint8_t *x, const uint8_t *bound,
                             int64_t lines);

/* --- robust decompositions (shrink_loops.c) -------------------------------------------------- */

typedef struct chi_shrink_sums {
    double square; /* squares of X - L - S, the primal residual */
    double abs;    /* |X - L|, the objective of W H */
    double move;   /* squares of the change of S in this iteration */
} chi_shrink_sums;

/* Element-wise steps shared by robust PCA and the local searches. Both split X into L + S with
 * multipliers Y and a penalty mu. With T = X - L + Y / mu at the moment when S is chosen,
 *
 *     S = shrink(T, limit) = T - C,     Y' = mu C,     C = clamp(T, limit)
 *
 * so T alone represents S and Y, and the state is one array of the size of X. If the next penalty
 * is mu' = mu / keep, then Y' / mu' = keep C, and L is next fitted to
 *
 *     M = X - S + Y' / mu' = X - T + (1 + keep) C */
typedef struct chi_shrink_loops {
    /* m = x - t + factor clamp(t, limit) */
    void (*aim)(double *m, const double *x, const double *t, double limit, double factor,
                int64_t count);
    /* t <- x - l + keep clamp(t, before), then m = x - t + factor clamp(t, limit). Adds to
     * *sums. */
    void (*step)(double *m, double *t, chi_shrink_sums *sums, const double *x, const double *l,
                 double before, double keep, double limit, double factor, int64_t count);
} chi_shrink_loops;

/* --- video: the choice of anchors (residual_share.c) ----------------------------------------- */

/* Returns |r - t v|_1 for a nearly optimal t. Residuals below `small` get the weight of `small`
 * while t is fitted. */
typedef float chi_residual_share(const float *r, const float *v, int64_t count, float small);

/* --- video: masks (mask_loops.c) ------------------------------------------------------------- */

/* Indices of the three sums over the square around a pixel: of min(|d| / f, 2 t), of d and of
 * d^2. */
enum { CHI_MASK_SIZE, CHI_MASK_MEAN, CHI_MASK_SQUARE, CHI_MASK_SUMS };

/* Classes of pixels. NONE: the pixel does not look like a shadow, or its score without the
 * reduction for shadows is below half of the threshold. NEAR: it looks like a shadow, and that
 * score is from half of the threshold to the threshold. OFF: it looks like a shadow, and that score
 * reaches the threshold. */
enum { CHI_SHADE_NONE, CHI_SHADE_NEAR, CHI_SHADE_OFF };

/* Rows of log ratios d and of 1 / f = calm. */
typedef struct chi_mask_rows {
    const float *d, *calm;
    int64_t apart, count; /* number of values from one row to the next; number of rows */
} chi_mask_rows;

/* The steps of the score of a pixel; mask_loops.c has the formula. All sets give the same bits,
 * because products and sums are not contracted. */
typedef struct chi_mask_loops {
    /* ratio[i] = log((x + c) / (b + c)). If `beside`, ratio holds the ratios of another plane, and
     * an entry changes only if the new value is farther from 0. */
    void (*ratio)(float *ratio, const uint8_t *x, const float *b, int64_t count, int beside);
    /* d: ratios of brightness in two rows of pixels. colour: ratios of red and of blue, one value
     * per square of two by two pixels. Each d becomes the farthest from 0 of d and, for both
     * colours, d + (colour - mean of the four d of the square). */
    void (*add_colours)(float *const d[2], const float *const colour[2], int64_t count);
    /* Computes, for each of `width` columns, the sums over rows->count rows: sums[CHI_MASK_SIZE] of
     * min(|d| / f, most), where most = 2 t, and the other two of d and d^2. */
    void (*add_rows)(float *const *sums, const chi_mask_rows *rows, float most, int64_t width);
    /* totals[x] = the sum of sums[x .. x + 2 radius] */
    void (*add_columns)(float *totals, const float *sums, int64_t width, int64_t radius);
    /* Computes score[x] from the sums around x. share[x] is 1 / the number of pixels in these sums,
     * even = 1 / (4 noise), keep is the share w of their score that shadows keep, and unit is a
     * factor of the result. */
    void (*score)(float *score, float *const *sums, const float *share, float even, float keep,
                  float unit, int64_t width);
    /* mask[i] = 255 if score[i] is at least `least`, else 0 */
    void (*cut)(uint8_t *mask, const float *score, float least, int64_t count);
    /* Sets shade[x] to the class (CHI_SHADE_NONE, ...) of a pixel, given its score, the sum size[x]
     * of min(|d| / f, 2 t), and the threshold `least`. */
    void (*shade)(uint8_t *shade, const float *score, const float *size, const float *share,
                  float least, float unit, int64_t width);
    /* If shade is not CHI_SHADE_NONE at both i - step and i + step, adds X B - B^2 / 2 to gain[i],
     * where X = x[i + step] - x[i - step] and B = b[i + step] - b[i - step]. */
    void (*gains)(float *gain, const float *x, const float *b, const uint8_t *shade, int64_t step,
                  int64_t count);
} chi_mask_loops;

/* --- video: pixels that are certainly background (tile_loops.c) ------------------------------- */

enum { CHI_TILE_UNIT = 640 }; /* the unit of (x - b) / (b + c) is 1 / CHI_TILE_UNIT */

/* A row of a frame and of the reference that it is compared with. */
typedef struct chi_tile_rows {
    const uint8_t *x;
    const int16_t *base, *scale;
} chi_tile_rows;

/* All sets give the same bits. */
typedef struct chi_tile_loops {
    /* Computes the reference of a background b for squares(): base and scale of every value. */
    void (*hold_shares)(int16_t *base, int16_t *scale, const float *b, int64_t count);
    /* Computes the reference of a background b for outside(): a value within [low[i], high[i]] is
     * certainly background, because |x - b'| <= share[i / tile] (b' + c) for every b' with |b' - b|
     * <= slack (b + c). low > high: no value is certainly background. */
    void (*hold_bounds)(uint8_t *low, uint8_t *high, const float *b, const float *share,
                        float slack, int64_t count, int64_t tile);
    /* Sets out[i], which must be 0 or 1, to 1 if x[i] is outside [low[i], high[i]], else leaves it
     * unchanged. */
    void (*outside)(uint8_t *out, const uint8_t *x, const uint8_t *low, const uint8_t *high,
                    int64_t count);
    /* For `count` squares of two by two pixels, with e = (x - b) / (b + c). rows: two rows of
     * brightness, then red, then blue. Raises near[i] to the largest |e| of all planes in square i,
     * and far[i] to the largest |e + (colour - mean of the four e)|, where e is that of a pixel's
     * brightness and colour is e of red or blue. */
    void (*squares)(int16_t *near, int16_t *far, const chi_tile_rows rows[4], int64_t count);
    /* Returns non-zero if |d[i]| > most for some i. */
    int (*beyond)(const float *d, float most, int64_t count);
} chi_tile_loops;

/* --- video: live backgrounds (live_loops.c) -------------------------------------------------- */

/* A range of pixels of a plane. Factor k of pixel i is at H[k * stride + i]. */
typedef struct chi_live_stretch {
    const float *H;
    int64_t stride, rank, count; /* count: number of pixels */
    const float *w;              /* rank weights */
} chi_live_stretch;

/* An update of the factors of a range of pixels. */
typedef struct chi_live_step {
    float *made; /* result: the new H, in the layout of H; may be H itself */
    const uint8_t *x, *mask;
    const float *along; /* w / |w|^2                                     */
    float share, most;  /* factor of the residual; limit of the residual */
    float *spare;       /* workspace: count numbers                      */
} chi_live_step;

/* All sets give the same bits, because products and sums are not contracted. */
typedef struct chi_live_loops {
    /* b = w'H */
    void (*render)(float *b, const chi_live_stretch *s);
    /* b = w'H. made = max(0, H + along share clip(x - b, -most, most)) where mask is 0, else H. */
    void (*follow)(float *b, const chi_live_stretch *s, const chi_live_step *step);
    /* Raises most[k] to the largest H_k / (b + c) over the pixels, and most[rank] to the largest 1
     * / (b + c). */
    void (*most)(float *most, const chi_live_stretch *s, const float *b);
    /* Splits `count` pixels of three adjacent values each into three planes; join() does the
     * opposite. */
    void (*split)(uint8_t *const planes[3], const uint8_t *pixels, int64_t count);
    void (*join)(uint8_t *pixels, const uint8_t *const planes[3], int64_t count);
    /* b = A w, for the columns A of a cone. Sums are in double precision, in the order of the
     * columns. */
    void (*explain)(float *b, const double *A, const double *w, int64_t rows, int64_t columns);
    /* Returns the number of pixels where x + c > most (y + c) or y + c > most (x + c) in some
     * plane. x and y: plane after plane, `count` pixels each. */
    int64_t (*apart)(const float *x, const float *y, double most, int64_t count, int64_t planes);
} chi_live_loops;

/* --- the table ------------------------------------------------------------------------------- */

typedef struct chi_kernels {
    const char *name;
    int level; /* minimum of chi_processor_level(); ch_kernel_usable() compares them */
    const chi_dense_loops *dense;
    const chi_loss_loops *kl, *is; /* arrays of two: forward and reversed divergence */
    /* exact l1 projection; src/project/lad/lad.h defines the type */
    const struct chi_lad_solver *lad;
    const struct chi_lane_solver *lanes; /* the same; src/project/lad/lad_lanes.h */
    chi_weighted_gram *gram;
    const chi_newton_loops *newton;
    chi_kl_weights *kl_weights;
    const chi_model_loops *model;
    chi_count_below *count_below;
    const chi_shrink_loops *shrink;
    chi_residual_share *residual_share;
    const chi_mask_loops *mask;
    const chi_tile_loops *tile;
    const chi_live_loops *live;
} chi_kernels;

/* The sets of this build, best first; the last one, "portable", is usable everywhere. */
extern const chi_kernels chi_kernel_sets[];
extern const int chi_kernel_set_count;

/* Returns the kernel set that calls with this context use. */
CHI_SHARED const chi_kernels *chi_kernels_of(const ch_context *context);

/* Returns the level of this processor: 1: any processor, 2: AVX2 and FMA, 3: AVX-512 (F, BW, DQ,
 * VL). src/linalg/blas.c derives from it which kernel OpenBLAS should use; this does not depend on
 * the kernel set of a context. */
int chi_processor_level(void);

static inline double chi_dot(const chi_kernels *kernels, const double *x, const double *y,
                             int64_t count) {
    return kernels->dense->dot(x, y, count);
}

static inline double chi_sum_abs(const chi_kernels *kernels, const double *x, int64_t count) {
    return kernels->dense->sum_abs(x, count);
}

/* y += a x */
static inline void chi_axpy(const chi_kernels *kernels, double *y, double a, const double *x,
                            int64_t count) {
    kernels->dense->axpy(y, a, x, count);
}
