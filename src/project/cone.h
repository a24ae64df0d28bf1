/* The cone A = [a_1 ... a_k] that the selection loop grows, with the derived arrays that the
 * projections use. Threads share it read-only while they project; it changes only between
 * projections. */
#pragma once

#include "base/arena.h"
#include "linalg/linalg.h"

enum { CHI_NO_ANCHOR = INT32_MAX };
enum { CHI_NARROW_PAD = 16 }; /* floats in the longest vector of any supported processor */

typedef struct chi_cone {
    chi_arena arena;
    int64_t rows, count, capacity;
    int64_t shrunk; /* number of times that an anchor was removed or all anchors were replaced */
    double *A;      /* rows x capacity, column-major, leading dimension rows */
    double *At;     /* row i of A at At + i * At_stride, zero-padded; used to gather a support */
    int64_t At_stride;
    float *narrow; /* column j times narrow_unit[j] in single precision, zero-padded */
    int64_t narrow_stride;
    double *narrow_unit; /* powers of two that bring the largest entry into [1/2, 1) */
    /* Whether column j is exact in single precision; NULL if unknown for all. */
    int64_t *narrow_exact;
    double *sums;   /* A'1; At_stride entries */
    int32_t *first; /* per row, the first anchor that is not zero in it, or CHI_NO_ANCHOR */
    double *gram;   /* A'A, leading dimension capacity */
    const chi_kernels *kernels;
    const struct chi_loss *loss; /* the divergence; NULL: l1, quantile or l2 */
    const double *row_weight;    /* divergences: weights of the rows without the lift; NULL for 1 */
    double skew;                 /* 1 - 2 q for the quantile loss |r|_1 - skew 1'r; 0 for l1 */
    /* Whether the cone represents a convex hull. Then the last row of A is the lift: 1'b = 1 is a
     * constraint, and data columns have the same number in this row (docs/explanation/hulls.md). */
    int hull;
    int origin; /* whether the first anchor is zero in all rows but the last, the lift of a hull */
    /* For least squares: 1 for rows that x has, 0 for rows that x lacks and that gram and sums
     * leave out. NULL if x has all rows. */
    const unsigned char *known;
    int64_t known_rows; /* number of entries of `known`; all later rows are known */
} chi_cone;

CHI_SHARED ch_status chi_cone_create(ch_context *context, chi_cone *cone, int64_t rows,
                                     int64_t capacity);
/* Appends the vector a, which has cone->rows entries, as the last anchor; O(rows * count). */
CHI_SHARED void chi_cone_append(chi_cone *cone, const double *a);
/* chi_cone_append_rows() appends an anchor without single precision and products, for losses that
 * need neither. chi_cone_multiply() computes the products of all columns at once, with another
 * order of rounding. Its workspace is products (count x count); ones holds `rows` numbers 1. */
/* With more anchors chi_cone_multiply() makes the products column by column. */
enum { CHI_MULTIPLIED = 64 };
void chi_cone_append_rows(chi_cone *cone, const double *a);
void chi_cone_multiply(chi_cone *cone, double *products, const double *ones);
/* Sets `cone` to the listed rows of the cone `from`, which has the same capacity and stride, with
 * the bits of chi_cone_append() for the anchors on these rows. workspace: capacity x
 * chi_cone_padded(rows) numbers; ones: `rows` numbers 1; cone->sums has At_stride numbers. Returns
 * 0 if an anchor has a sum below CHI_ANCHOR_LEAST on these rows and is not zero there; then `cone`
 * must be filled in another way. */
int chi_cone_take_rows(chi_cone *cone, const chi_cone *from, const int32_t *row, int64_t rows,
                       double *workspace, const double *ones);
/* Returns rows, rounded up so that products have no remainder in any kernel set. */
static inline int64_t chi_cone_padded(int64_t rows) {
    return (rows + 31) / 32 * 32;
}
/* Appends columns 0..count-1 of W to an empty cone, on the threads of the context. The result has
 * the same bits as chi_cone_append() for each column in turn. */
void chi_cone_fill(ch_context *context, chi_cone *cone, const double *W, int64_t count);
/* The same as chi_cone_append_rows() for each column in turn. */
void chi_cone_fill_rows(ch_context *context, chi_cone *cone, const double *W, int64_t count);
/* Removes the anchor with index k, from 0; the index of each later anchor decreases by one. */
CHI_SHARED void chi_cone_remove(chi_cone *cone, int64_t k);
CHI_SHARED void chi_cone_destroy(chi_cone *cone);

/* A data column as the projections use it, filled by chi_column_load(): the `count` rows in which
 * it is not zero, in increasing order, and their values. index is NULL if all rows are present
 * (count == rows). Zero rows need no storage: for l1 and KL they only add the linear cost (A
 * b)_i. */
typedef struct chi_column {
    int64_t rows, count;
    const int32_t *index;
    const double *value;
    double sum;    /* |x|_1 */
    double square; /* |x|_2^2 */
} chi_column;

/* Loads column j of X into the caller's buffers (X->rows entries each). */
void chi_column_load(const chi_kernels *kernels, chi_column *x, int32_t *index, double *value,
                     const ch_matrix *X, int64_t j);

/* Loads column j without its square if it is dense and has no zero. Returns whether it did. */
int chi_column_load_full(const chi_kernels *kernels, chi_column *x, double *value,
                         const ch_matrix *X, int64_t j);

/* Writes up to CHI_LOSS_BLOCK consecutive entries of x, zeros included, from row `low` on, plus
 * lift, and the weights of these rows. Returns their number. *at is the position in x->value where
 * row `low` begins; the call moves it on. */
int64_t chi_column_rows(const chi_cone *cone, const chi_column *x, int64_t low, int64_t *at,
                        double lift, double *value, double *weight);

/* Sets d, which has entries for all rows, to x. */
void chi_column_spread(double *d, const chi_column *x);
/* Returns d'x, where d has all rows. */
double chi_column_dot(const chi_column *x, const double *d);

/* The result of one projection, apart from the weights b. */
typedef struct chi_fit {
    double objective; /* sum |x - A b|, |x - A b|_2^2 or the divergence */
    /* The gap: (objective - proven lower bound from the dual) / size of x, >= 0; each solver
     * defines the size. */
    double gap;
    double infeasibility;
    double stationarity; /* losses without a gap: size of the projected gradient; other losses: 0 */
    int64_t pivots;      /* number of pivots or sweeps */
    int proven;          /* whether gap <= tol (or stationarity <= tol) */
} chi_fit;

/* A residual r_i = x_i - (A b)_i counts as zero if |r_i| <= CHI_EXCEPTION * (x_i + (A b)_i). Then
 * its sign does not determine the dual. `conehull verify` uses the same rule. */
#define CHI_EXCEPTION 1e-9

/* A column with a smaller sum is never an anchor, and a cone stores it as zero. Otherwise its
 * weights for columns with sums up to 2^500, its reciprocal or squares could overflow. */
#define CHI_ANCHOR_LEAST 0x1p-500

/* Columns [lo, hi) of X that are projected together. done, if not NULL, is called for every
 * non-zero column, in any order, at a time when exceptions() describes that column. */
typedef struct chi_column_block {
    const ch_matrix *X;
    int64_t lo, hi;
    chi_fit *fits; /* fits[j - lo] */
    double *H;     /* cone->count x (hi - lo), column-major */
    void (*done)(void *user, int64_t j);
    void *user;
} chi_column_block;

/* Blocks of columns that are projected together have at most this many. */
enum { CHI_MOST_TOGETHER = 64 };

/* One projection method: a row of the table of methods. A work area is used by one thread at a
 * time. */
typedef struct chi_projection {
    /* Creates a work area in the arena, for up to cone->capacity anchors. The work area stores the
     * pointer to the cone. Returns NULL if memory runs out; chi_arena_status() then describes the
     * error. */
    void *(*create)(chi_arena *arena, const chi_cone *cone, double tol);
    /* Projects x. b[0..cone->count) receives the result. With warm == 0 the result is canonical: it
     * depends only on x, A and tol. With warm != 0, b is also the feasible start. d (rows entries,
     * or NULL) receives the D* of the selection step, with A'd <= 0 and x'd > 0 for exterior x.
     * Allocates nothing.
     *
     * If the loss is not convex, the canonical answer for k anchors continues from the answer for k
     * - 1 (bregman.c). Then `warm` is the number of leading anchors for which b is the canonical
     * answer, and the result is canonical as well. */
    void (*solve)(void *work, chi_fit *fit, double *b, double *d, const chi_column *x, int warm);
    /* After a solve, while x is still valid: lists the rows of the support whose dual is not
     * implied by the sign of the residual (CHI_EXCEPTION), with their duals in [-1, 1] before the
     * shift that makes d feasible. Writes up to x->count entries and returns their number. NULL for
     * losses without such rows. */
    int64_t (*exceptions)(const void *work, int32_t *row, double *value);
    /* Computes fits and H of a block from cold starts; NULL if only solve() is available. */
    void (*solve_block)(void *work, const chi_column_block *block);
    /* Returns the number of columns of a block, or 0 if columns should be projected one by one. */
    int64_t (*block_columns)(const chi_cone *cone);
    /* Whether the weights of solve_block() have the same bits as those of solve(), and columns that
     * it leaves unproven must be projected by solve(). Nothing is promised for the bits of the
     * objective and the gap, which may be rounded differently, and the pivots depend on the block.
     * Otherwise its answers agree with those of solve() within the tolerance and depend on the
     * block, and it calls BLAS. */
    int block_is_exact;
} chi_projection;

extern CHI_SHARED const chi_projection chi_nnlad_exact; /* nnlad_exact.c */
extern const chi_projection chi_nnlad_admm;             /* nnlad_admm.c */
extern const chi_projection chi_nnls_active;            /* nnls_active.c */
extern const chi_projection chi_nnls_cd;                /* nnls_cd.c */
extern const chi_projection chi_bregman;                /* bregman.c */

/* Sets d (rows entries) to the paper's dual for b (Remark 1): the sign of the residual, and -1
 * where the residual is zero by the rule of CHI_EXCEPTION. Returns whether d is valid: A'd <= tol
 * A'1 and x'd > tol |x|_1 (Lemmas 3.1 and 3.2). If it is not, the dual of the exact solver must be
 * used. */
int chi_dual_paper(double *d, const chi_cone *cone, const chi_column *x, const double *b,
                   double tol);

/* Returns the projection for a ch_loss and a ch_projection_method, or NULL if there is none for
 * this combination. */
const chi_projection *chi_projection_find(int loss, int projection);
