/* The cone that the selection loop grows: A = [a_1 ... a_k], and what the projections keep of it.
 * Shared read-only by the threads while they project; changed only between projections. */
#pragma once

#include "base/arena.h"
#include "linalg/linalg.h"

enum { CHI_NO_ANCHOR = INT32_MAX };
enum { CHI_NARROW_PAD = 16 }; /* floats in the longest vector of any processor */

typedef struct chi_cone {
    chi_arena arena;
    int64_t rows, count, capacity;
    int64_t shrunk; /* how often anchors were taken out, or all replaced              */
    double *A;      /* rows x capacity, column-major, leading dimension rows            */
    double *At;     /* row i of A at At + i * At_stride, zero-padded: to gather a support   */
    int64_t At_stride;
    float *narrow; /* column j times narrow_unit[j], in single precision, zero-padded    */
    int64_t narrow_stride;
    double *narrow_unit;   /* powers of two that bring the largest entry into [1/2, 1)     */
    int64_t *narrow_exact; /* whether column j is so without rounding; NULL: none is known to be */
    double *sums;          /* A'1                                                          */
    int32_t *first;        /* per row, the first anchor that is not zero there, or CHI_NO_ANCHOR */
    double *gram;          /* A'A, leading dimension capacity                                  */
    const chi_kernels *kernels;
    const struct chi_loss *loss; /* the divergence; NULL for l1, quantile and l2      */
    double skew;         /* 1 - 2 q of the quantile loss |r|_1 - skew 1'r; 0: l1                  */
    int hull;            /* the last row of A is the lift of a convex hull: 1'b = 1 is a constraint,
                            and data columns have the same number there (docs/explanation/hulls.md) */
    const double *known; /* least squares: 0: a row that x does not have, and gram and sums leave
                            out; else 1; NULL: x has all rows                               */
    int64_t known_rows;  /* numbers in known; rows after them are known                     */
} chi_cone;

CHI_SHARED ch_status chi_cone_create(ch_context *context, chi_cone *cone, int64_t rows,
                                     int64_t capacity);
/* Adds a[0..rows) as the last anchor: O(rows * count). */
CHI_SHARED void chi_cone_append(chi_cone *cone, const double *a);
/* The same without single precision and products, for losses that need neither; and the products of
 * all columns at once, which are then rounded in another order: products (count x count) is space,
 * ones are `rows` numbers 1. */
enum { CHI_MULTIPLIED = 64 }; /* so many at most, otherwise one by one */
void chi_cone_append_rows(chi_cone *cone, const double *a);
void chi_cone_multiply(chi_cone *cone, double *products, const double *ones);
/* The same as chi_cone_append(), to the bit, for columns 0..count-1 of W, one after the other, into
 * an empty cone; on the threads of the context. */
void chi_cone_fill(ch_context *context, chi_cone *cone, const double *W, int64_t count);
/* Takes anchor number k out and closes the gap. */
CHI_SHARED void chi_cone_remove(chi_cone *cone, int64_t k);
CHI_SHARED void chi_cone_destroy(chi_cone *cone);

/* A data column as the projections see it: its non-zero rows, rising. index NULL means that all
 * rows are there (count == rows). Made by chi_column_load(); the zero rows need no storage since
 * for l1 and KL they only add a linear cost (A b)_i. */
typedef struct chi_column {
    int64_t rows, count;
    const int32_t *index;
    const double *value;
    double sum;    /* |x|_1      */
    double square; /* |x|_2^2    */
} chi_column;

/* Column j of X into the caller's buffers (each of X->rows entries). */
void chi_column_load(const chi_kernels *kernels, chi_column *x, int32_t *index, double *value,
                     const ch_matrix *X, int64_t j);

/* d = x on all rows. */
void chi_column_spread(double *d, const chi_column *x);
/* d'x, d having all rows. */
double chi_column_dot(const chi_column *x, const double *d);

/* How one projection ended. */
typedef struct chi_fit {
    double objective; /* sum |x - A b| or |x - A b|_2^2                                  */
    double gap;       /* (objective - rigorous dual bound) / norm of x, >= 0; see solver */
    double infeasibility;
    double stationarity; /* of losses without a duality gap, else 0                       */
    int64_t pivots;      /* or sweeps                                                       */
    int proven;          /* gap <= tol                                                      */
} chi_fit;

/* A residual r_i = x_i - (A b)_i counts as zero, so that its sign proves nothing, when
 * |r_i| <= CHI_EXCEPTION * (x_i + (A b)_i). The recheck uses the same rule. */
#define CHI_EXCEPTION 1e-9

/* A column that sums to less is no anchor, and zero in a cone: weights of columns up to 2^500 on
 * it, 1 over it, and squares, leave the range of numbers. */
#define CHI_ANCHOR_LEAST 0x1p-500

/* Columns [lo, hi) of X that are projected together. done (or NULL) is called for every column that
 * is not zero, in any order, when exceptions() can be asked about it. */
typedef struct chi_column_block {
    const ch_matrix *X;
    int64_t lo, hi;
    chi_fit *fits; /* fits[j - lo]                                      */
    double *H;     /* cone->count x (hi - lo), column-major             */
    void (*done)(void *user, int64_t j);
    void *user;
} chi_column_block;

/* One kind of projection; a table row. A work area belongs to one thread. */
typedef struct chi_projection {
    /* A work area in the arena, sized for cone->capacity, which keeps the pointer to the cone.
     * NULL: no memory, as chi_arena_status() says. */
    void *(*create)(chi_arena *arena, const chi_cone *cone, double tol);
    /* b[0..cone->count): warm != 0: the start, feasible; always the result. warm == 0: canonical, a
     * function of x, A and tol alone. d (rows entries, or NULL): the D* of the selection step with
     * A'd <= 0 and x'd > 0 for exterior x. Allocates nothing. Where the loss is not convex, the
     * canonical answer for k anchors goes on from the one for k - 1 (bregman.c): then warm says for
     * how many leading anchors b is the canonical answer, and the result is canonical again. */
    void (*solve)(void *work, chi_fit *fit, double *b, double *d, const chi_column *x, int warm);
    /* After a solve, x still alive: rows of the support whose dual is not implied by the residual's
     * sign (CHI_EXCEPTION), with their duals in [-1, 1], before the shift that makes d rigorous; up
     * to x->count entries; returns how many. NULL for losses without such rows. */
    int64_t (*exceptions)(const void *work, int32_t *row, double *value);
    /* The fits and H of a block, from cold starts. NULL: call solve() for each. Within the
     * tolerance the same answers as solve(), not the same bits: a function of the block. */
    void (*solve_block)(void *work, const chi_column_block *block);
} chi_projection;

extern CHI_SHARED const chi_projection chi_nnlad_exact; /* nnlad_exact.c */
extern const chi_projection chi_nnlad_admm;             /* nnlad_admm.c  */
extern const chi_projection chi_nnls_active;            /* nnls_active.c */
extern const chi_projection chi_nnls_cd;                /* nnls_cd.c     */
extern const chi_projection chi_bregman;                /* bregman.c     */

/* d (rows entries) = the paper's dual for b (Remark 1): the residual's sign, -1 where that is zero
 * by the rule above. Non-zero: valid, A'd <= tol A'1 and x'd > tol |x|_1 (Lemmas 3.1 and 3.2);
 * otherwise the dual of the exact solver serves. */
int chi_dual_paper(double *d, const chi_cone *cone, const chi_column *x, const double *b,
                   double tol);

/* The projection for these settings, or NULL with no entry applicable. */
const chi_projection *chi_projection_find(int loss, int projection);
