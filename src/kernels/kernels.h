/* The kernel sets: for each instruction set one table of all hot loops that differ between
 * processors.
 *
 * Each loop is written once, in a file of this folder or, where it is a whole solver, in the folder
 * that it belongs to (src/project/lad). CMake compiles that file once per instruction set, with the
 * flags of the set and three definitions (cmake/kernels.cmake): CHI_SET, which ends the names that
 * the file exports, CHI_LANES, the doubles in a register, and CHI_STEPS, the header with the few
 * steps for which the compiler needs to be given the instruction. kernel_sets_x86.c and
 * kernel_sets_other.c list the sets of a build; nothing else knows how many there are.
 *
 * The set in use is a setting of the context (ch_context_set_kernel()), not of the process: two
 * contexts in one process may use different sets, so tests compare them and no call depends on what
 * another thread chose. Code asks chi_kernels_of() once, when it starts, and hands the pointer on:
 * a workspace, a cone or a job keeps it. An inner loop therefore costs two loads and an indirect
 * call, and cannot use another set than the rest of its run.
 *
 * All loops are here rather than beside their callers because the table needs them all, and the
 * table is part of the core library while video and text are libraries of their own. The solver of
 * src/project/lad works on that folder's structures, so the table holds a pointer to a type that
 * only that folder completes.
 *
 * Promises of every set, on which "the same bits whatever the path" rests: what comes out for one
 * column depends on that column and its vector alone, not on its neighbours, its alignment or the
 * number of columns. Pointers need the alignment of their type only; count may be 0. Two sets agree
 * within rounding, not to the bit, except where a loop says so. */
#pragma once

#include "base/base.h"
#include <conehull/matrix.h>

/* --- passes over a matrix (dense_loops.c) ---------------------------------------------------- */

enum { CHI_PREPARED_EXTRA = 64 };

/* Loops over values of one storage type; x is const T *, widened to double in registers. */
typedef struct chi_typed_loops {
    /* sums[j] += sum_i d[i] x[i + j * stride] for j < columns, i < count <= chunk. d is what
     * prepare() made of the vector, or the vector itself where prepare is NULL. */
    void (*dots)(double *sums, const double *d, const void *x, int64_t stride, int64_t columns,
                 int64_t count);
    /* prepared has space for CHI_PREPARED_EXTRA + count doubles and is aligned to 64 bytes. */
    void (*prepare)(double *prepared, const double *d, int64_t count);
    int64_t chunk; /* rows per call; sums of longer columns are added chunk by chunk         */
    int64_t group; /* columns whose chunk should stay in the cache while vectors take turns  */
    /* The same for rows of columns: sums[j] += sum_i d[i] x[i * stride + j] for j < columns,
     * i < count. Between calls for one column count is a multiple of 4, or of chunk where there is
     * a prepare(). */
    void (*row_dots)(double *sums, const double *d, const void *x, int64_t stride, int64_t columns,
                     int64_t count);
    /* sum_e d[index[e]] x[e] */
    double (*gather)(const double *d, const int32_t *index, const void *x, int64_t count);
    /* *sum += sum_i x[i], *square += sum_i x[i]^2 */
    void (*moments)(double *sum, double *square, const void *x, int64_t count);
    /* sums[j] += sum_i x[i * stride + j], squares alike, i < count, j < columns */
    void (*row_moments)(double *sums, double *squares, const void *x, int64_t stride,
                        int64_t columns, int64_t count);
    /* The first i with x[i] NaN, infinite or negative, or count */
    int64_t (*first_bad)(const void *x, int64_t count);
    int64_t (*nonzeros)(const void *x, int64_t count);
} chi_typed_loops;

typedef struct chi_dense_loops {
    double (*dot)(const double *x, const double *y, int64_t count);
    double (*sum_abs)(const double *x, int64_t count);
    void (*axpy)(double *y, double a, const double *x, int64_t count);
    chi_typed_loops typed[4]; /* by ch_value_type */
} chi_dense_loops;

/* --- losses (kl_loops.c, is_loops.c) --------------------------------------------------------- */

/* The entries of a column under one loss. Losses without loops here go through their scalar
 * functions (src/loss/divergence.c). x and y are positive and normal. */
typedef struct chi_loss_loops {
    /* sum_i l(x_i, y_i) */
    double (*value)(const double *x, const double *y, int64_t count);
    /* as chi_loss_slopes(), all three */
    void (*slopes)(double *slope, double *newton, double *scoring, const double *x, const double *y,
                   int64_t count);
    /* as chi_loss_pull() */
    void (*pull)(double *slope, double *bend, const double *a, const double *x, const double *y,
                 int64_t count);
    /* sum_i n_i l(x_i, y_i), or NULL */
    double (*weighted_value)(const double *n, const double *x, const double *y, int64_t count);
} chi_loss_loops;

/* --- Newton steps of divergences (weighted_gram.c, newton_loops.c) --------------------------- */

/* G[s * count + t] = sum_i w_i a_s[i] a_t[i] for t <= s < count; a holds the columns of A. What
 * lies above the diagonal is not set. The order of adding depends on rows alone. */
typedef void chi_weighted_gram(double *G, const double *const *a, int64_t count, const double *w,
                               int64_t rows);

enum { CHI_FACTOR_PAD = 4 }; /* a row of a factor is longer than `count` by less than this */

typedef struct chi_newton_loops {
    /* y = low + A b, of the b_q > 0 alone; A: rows x count */
    void (*model)(double *y, const double *A, const double *b, int64_t count, double low,
                  int64_t rows);
    /* sums += A'd; A: rows x count */
    void (*products)(double *sums, const double *d, const double *A, int64_t count, int64_t rows);
    /* U = upper Cholesky factor of G + diag(more), G as chi_weighted_gram makes it, more or NULL: 0.
     * U has count rows of count + CHI_FACTOR_PAD numbers at most. A pivot up to `dependent` of its
     * diagonal is replaced by the diagonal. Returns 0 when a pivot is below `least` of it. */
    int (*factorise)(double *U, const double *G, const double *more, int64_t count, double least,
                     double dependent);
    /* v = (U'U)^-1 r; r is overwritten, both have space for count + CHI_FACTOR_PAD numbers. */
    void (*solve)(double *v, double *r, const double *U, int64_t count);
} chi_newton_loops;

/* --- models of low rank (low_rank_loops.c) ---------------------------------------------------- */

enum { CHI_MODEL_PAD = 8 };

/* Entries of a row or a column, each with its vector u of the other side. */
typedef struct chi_model_entries {
    const double *vector; /* all of them, `width` numbers each, a multiple of CHI_MODEL_PAD */
    int64_t width;
    const int64_t *at;    /* of the entries: which; NULL: the first `count`                    */
    const double *weight; /* NULL: 1                                                          */
    const double *x;
    int64_t count;
} chi_model_entries;

/* The same bits in every set. */
typedef struct chi_model_loops {
    /* G = sum of weight u u' (width x width, the upper half; some below it is set too) */
    void (*products)(double *G, const chi_model_entries *entries);
    /* g = sum of weight x u */
    void (*multiples)(double *g, const chi_model_entries *entries);
    /* g = (G + ridge 1)^-1 g, of rank numbers and zeros up to width; G is overwritten */
    void (*solve)(double *G, double *g, int64_t rank, int64_t width, double ridge);
    /* y[e] = u'v; weight and x are not read */
    void (*evaluate)(double *y, const chi_model_entries *entries, const double *v);
} chi_model_loops;

/* --- medians (count_below.c) ----------------------------------------------------------------- */

enum { CHI_COUNTED_AT_ONCE = 64 };

/* count[l] += how many of x[l + 64 i], i < lines, are below bound[l], for l < 64 =
 * CHI_COUNTED_AT_ONCE. The same in every set. */
typedef void chi_count_below(uint32_t *count, const uint8_t *x, const uint8_t *bound,
                             int64_t lines);

/* --- robust decompositions (shrink_loops.c) -------------------------------------------------- */

typedef struct chi_shrink_sums {
    double square; /* of X - L - S: the primal residual */
    double abs;    /* of X - L: the objective of W H    */
    double move;   /* of the squares of S - S before    */
} chi_shrink_sums;

/* The element-wise steps that robust PCA and the local searches share. Both split X into L + S with
 * multipliers Y and a penalty mu. With T = X - L + Y / mu at the moment when S is chosen,
 *
 *     S = shrink(T, limit) = T - C,     Y' = mu C,     C = clamp(T, limit)
 *
 * so T alone holds S and Y, and one array of the size of X is all the state there is. When the next
 * penalty is mu' = mu / keep, Y' / mu' = keep C, and what L is next fitted to is
 *
 *     M = X - S + Y' / mu' = X - T + (1 + keep) C */
typedef struct chi_shrink_loops {
    /* m = x - t + factor clamp(t, limit) */
    void (*aim)(double *m, const double *x, const double *t, double limit, double factor,
                int64_t count);
    /* t <- x - l + keep clamp(t, before), m = x - t + factor clamp(t, limit); sums grow. */
    void (*step)(double *m, double *t, chi_shrink_sums *sums, const double *x, const double *l,
                 double before, double keep, double limit, double factor, int64_t count);
} chi_shrink_loops;

/* --- video: the choice of anchors (residual_share.c) ----------------------------------------- */

/* |r - t v|_1 for nearly the best t; `small`: a residual that is nearly none. */
typedef float chi_residual_share(const float *r, const float *v, int64_t count, float small);

/* --- video: masks (mask_loops.c) ------------------------------------------------------------- */

/* Sums around the pixels of a row: of min(|d| / f, 2 t), of d and of d^2. */
enum { CHI_MASK_SIZE, CHI_MASK_MEAN, CHI_MASK_SQUARE, CHI_MASK_SUMS };

/* What looks like a shadow: not; so, and half as far from the background as foreground is; as far.
 */
enum { CHI_SHADE_NONE, CHI_SHADE_NEAR, CHI_SHADE_OFF };

/* Rows of log ratios d and of 1 / f = calm. */
typedef struct chi_mask_rows {
    const float *d, *calm;
    int64_t apart, count; /* from one row to the next; rows */
} chi_mask_rows;

/* The steps of a pixel's score; mask_loops.c has the formula. The same bits in every set, since no
 * product and sum are contracted. */
typedef struct chi_mask_loops {
    /* ratio[i] = log((x + c) / (b + c)); with `beside`, only where it is farther from 0 than what
     * is there, the ratio of another plane. */
    void (*ratio)(float *ratio, const uint8_t *x, const float *b, int64_t count, int beside);
    /* d: two rows of ratios of brightness; colour: rows of two colours, whose values stand for two
     * by two pixels each. d becomes the one farthest from 0 of brightness and the colours, whose
     * detail is that of brightness: d + (colour - mean of the four d). */
    void (*add_colours)(float *const d[2], const float *const colour[2], int64_t count);
    /* Adds up rows->count rows, for each of `width` columns: sums[CHI_MASK_SIZE] gets the sum of
     * min(|d| / f, most), where most = 2 t, and the other two those of d and d^2. */
    void (*add_rows)(float *const *sums, const chi_mask_rows *rows, float most, int64_t width);
    /* totals[x] = sums[x .. x + 2 radius] added up */
    void (*add_columns)(float *totals, const float *sums, int64_t width, int64_t radius);
    /* score[x] from the sums around x, of which share[x] makes means; even: 1 / (4 noise), keep:
     * the share w that shadows keep, unit: of the score */
    void (*score)(float *score, float *const *sums, const float *share, float even, float keep,
                  float unit, int64_t width);
    /* mask: 255 where the score is at least `least`, else 0 */
    void (*cut)(uint8_t *mask, const float *score, float least, int64_t count);
    /* shade: whether score was held back, for the sums of |d| that it was made of */
    void (*shade)(uint8_t *shade, const float *score, const float *size, const float *share,
                  float least, float unit, int64_t width);
    /* gain[i] grows by X B - B^2 / 2 where both pixels of a pair look like a shadow, with the steps
     * X of x and B of b from i - step to i + step */
    void (*gains)(float *gain, const float *x, const float *b, const uint8_t *shade, int64_t step,
                  int64_t count);
} chi_mask_loops;

/* --- video: what is certainly background (tile_loops.c) --------------------------------------- */

enum { CHI_TILE_UNIT = 640 }; /* of (x - b) / (b + c) */

/* A row of a frame and of the reference that it is compared with. */
typedef struct chi_tile_rows {
    const uint8_t *x;
    const int16_t *base, *scale;
} chi_tile_rows;

/* The same bits in every set. */
typedef struct chi_tile_loops {
    /* the reference of a background: base and scale of every value ... */
    void (*hold_shares)(int16_t *base, int16_t *scale, const float *b, int64_t count);
    /* ... or low and high, by share[i / tile], where the background may move by `slack` of b + c;
     * low > high: nothing is certain */
    void (*hold_bounds)(uint8_t *low, uint8_t *high, const float *b, const float *share,
                        float slack, int64_t count, int64_t tile);
    /* out[i] becomes non-zero where x is not within [low, high] */
    void (*outside)(uint8_t *out, const uint8_t *x, const uint8_t *low, const uint8_t *high,
                    int64_t count);
    /* rows: two of brightness, then red and blue, for count squares: near[i] and far[i] grow to the
     * largest |e| of a plane, and of brightness with a colour, e + (colour - mean of the four e) */
    void (*squares)(int16_t *near, int16_t *far, const chi_tile_rows rows[4], int64_t count);
    /* non-zero: |d[i]| > most for some i */
    int (*beyond)(const float *d, float most, int64_t count);
} chi_tile_loops;

/* --- video: live backgrounds (live_loops.c) -------------------------------------------------- */

/* A stretch of a plane: factor k of pixel i at H[k * stride + i]. */
typedef struct chi_live_stretch {
    const float *H;
    int64_t stride, rank, count; /* count: pixels */
    const float *w;              /* rank of them  */
} chi_live_stretch;

/* What an update moves it by. */
typedef struct chi_live_step {
    float *made; /* the other H, laid out as H                */
    const uint8_t *x, *mask;
    const float *along; /* w / |w|^2                                 */
    float share, most;  /* of the residual, which counts up to most  */
    float *spare;       /* count of them                             */
} chi_live_step;

/* The same bits in every set, since no product and sum are contracted. */
typedef struct chi_live_loops {
    /* b = w'H */
    void (*render)(float *b, const chi_live_stretch *s);
    /* b = w'H, and made = max(0, H + along share clip(x - b, -most, most)) where mask is 0, or H */
    void (*follow)(float *b, const chi_live_stretch *s, const chi_live_step *step);
    /* most[k] grows to the largest of H_k / (b + c), and most[rank] to that of 1 / (b + c) */
    void (*most)(float *most, const chi_live_stretch *s, const float *b);
    /* pixels of three values side by side, apart: three planes */
    void (*split)(uint8_t *const planes[3], const uint8_t *pixels, int64_t count);
} chi_live_loops;

/* --- the table ------------------------------------------------------------------------------- */

typedef struct chi_kernels {
    const char *name;
    int level; /* of chi_processor_level(), at least; ch_kernel_usable() compares them */
    const chi_dense_loops *dense;
    const chi_loss_loops *kl, *is;    /* two each: forward and reversed */
    const struct chi_lad_solver *lad; /* exact l1 projection; src/project/lad/lad.h completes it */
    chi_weighted_gram *gram;
    const chi_newton_loops *newton;
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

/* What calls with this context compute with. */
CHI_SHARED const chi_kernels *chi_kernels_of(const ch_context *context);

/* 1: any processor, 2: AVX2 and FMA, 3: AVX-512 (F, BW, DQ, VL). src/linalg/blas.c derives from
 * it which kernel OpenBLAS should use, whichever set of ours is in use. */
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
