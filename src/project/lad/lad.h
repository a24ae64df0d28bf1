/* Inside the exact l1 projection (nnlad_exact.c): its vertex, its line search, its kernels.
 *
 *     min_{b >= 0}  sum_{i in S} |x_i - (A b)_i| + c'b        S: rows where x is not zero
 *
 * The quantile loss |r|_1 - skew 1'r is the same problem with another c, whose entries may be
 * negative, and a constant -skew |x|_1.
 *
 * A vertex is a set F of p free variables and a set B of p rows of S with zero residual, A_BF
 * invertible. Rows are numbered within S throughout. */
#pragma once

#include "project/cone.h"

/* One breakpoint of the line search: the step at which a residual changes sign, by how much (half)
 * the slope grows there, and whose it is. */
typedef struct chi_break {
    double step, weight;
    int32_t row;
} chi_break;

/* So few anchors are worth loops of their own in single precision (lad_few.h). */
enum { CHI_NARROW_ANCHORS = 8 };

typedef struct chi_lad {
    const struct chi_lad_solver *solver;
    const chi_cone *cone;
    double tol;
    double *noise; /* per row of X, in (-1, 1), for breaking ties */

    /* The problem at hand. */
    chi_column x;
    int64_t m, k, k_pad; /* |S|, anchors, anchors rounded up to whole vectors    */
    double *target;      /* m: x, its ties broken                                */
    double *sums;        /* k: A'1 over S                                        */
    double *c;           /* k: (1 + skew) A'1 over the zero rows of x + skew sums */
    double *scale;       /* k: squared norms of A's columns, over all rows       */
    double *unit;        /* k: 1 over those norms                                */
    double *gathered;    /* columns of A over S, as they are needed              */
    double **column;     /* k: where they are, or NULL                           */
    int64_t gathered_count;

    /* The vertex. */
    int64_t p;
    int32_t *F, *B;
    int32_t *place;              /* k: position in F, or -1                              */
    const double **F_column;     /* p + 1: columns of A over S                           */
    const double **F_gram;       /* p + 1: columns of A'A                                */
    const double **B_row;        /* p: rows of A                                         */
    double *inverse;             /* (A_BF)^-1 by rows, position in F down, in B across   */
    double **inverse_row;        /* ld                                                   */
    int64_t ld;                  /* room for one more than the anchors, in whole vectors */
    double *b;                   /* p: values of the free variables                      */
    double *r, *s;               /* m: residual of the target, its sign (0 for rows of B) */
    double *q;                   /* k: A's - c                                           */
    int settled;                 /* q was summed over the rows for the present s         */
    double *d, *z;               /* p: dual of B; k: A'd - c                             */
    double *weight_B, *weight_j; /* p, k: squared lengths of the edges                   */

    /* One pivot. */
    double *t;                 /* m: A delta                                           */
    double *delta, *u;         /* p: the edge over F; over B                           */
    double *edge, *turn;       /* k: what edges do where this one stops; A't           */
    int32_t *flips;            /* m: rows whose sign changed                           */
    chi_break *breaks, *spare; /* m each                                               */

    /* In single precision. */
    float *narrow;               /* rows of x, of what follows from it, and of A if gathered */
    const float **narrow_column; /* k: columns of A over S                                */
    float *narrow_b;             /* k                                                     */
    double *narrow_cost;         /* k: c in their units                                   */
    double *narrow_sums;         /* a vector for each anchor                              */
    double *curvature;           /* ld x ld: H of the rows of a sample (lad_sample.h)     */

    /* Some of the rows in single precision: a sample of S, or those of a subset. */
    float *few_rows;                 /* as `narrow`, for few_rows_most rows                   */
    const float **few_column;        /* k                                                     */
    double *few_cost, *few_products; /* k: their cost; A's over all rows of S                 */
    double *few_b;                   /* k: where all rows were passed at last                 */
    int64_t few_rows_most;

    /* Some of the rows (lad_subset.h). */
    int32_t *subset, *subset_index; /* m: rows of S, and of X                                */
    double *subset_value;           /* m                                                     */
    double *subset_cost;            /* k: c with what the other rows add                     */

    /* The answer on S: true residual, and dual before it is shifted. */
    double *residual, *dual;
    double *factor, *rhs, *solution; /* LU of A_BF and its vectors                           */
    int32_t *order;
    int64_t pivots;
} chi_lad;

/* Rows of a sample or a subset that there is memory for, of so many (a multiple of
 * CHI_NARROW_PAD, and so is the result). */
static inline int64_t chi_few_rows_most(int64_t rows) {
    int64_t most = rows / (4 * CHI_NARROW_PAD) * CHI_NARROW_PAD + 64 * CHI_NARROW_PAD;
    return most < rows ? most : rows;
}

/* The solver, in the kernel set of the context (lad_solve.c). */
struct chi_lad_solver {
    void (*solve)(chi_lad *w, chi_fit *fit, double *b, double *d, const chi_column *x, int warm);
};
