/* Internal state of the exact l1 projection (nnlad_exact.c): its vertex, its line search, its
 * kernels.
 *
 *     min_{b >= 0}  sum_{i in S} |x_i - (A b)_i| + c'b        S: rows where x is not zero
 *
 * The quantile loss |r|_1 - skew 1'r leads to a problem of this form with another c, whose entries
 * may be negative, and a constant -skew |x|_1.
 *
 * A vertex is a set F of p free variables and a set B of p rows of S with zero residual, such that
 * A_BF is invertible. Rows are numbered within S throughout. */
#pragma once

#include "project/cone.h"

/* A breakpoint of the line search: the step at which the residual of `row` changes sign, and half
 * of the increase of the slope there. */
typedef struct chi_break {
    double step, weight;
    int32_t row;
} chi_break;

/* The size of the noise that breaks ties, in the first attempt. */
#define CHI_FIRST_NOISE 0x1p-36

/* With up to this many anchors, special loops are faster (lad_few.h). */
enum { CHI_NARROW_ANCHORS = 8 };

typedef struct chi_lad {
    const struct chi_lad_solver *solver;
    const chi_cone *cone;
    double tol;
    double *noise; /* per row of X, in (-1, 1), for breaking ties */

    /* The current problem. */
    chi_column x;
    /* |S|, the number of anchors, and that number rounded up to whole vectors. */
    int64_t m, k, k_pad;
    double *target;   /* m: x with its ties broken                             */
    double *sums;     /* k: A'1 over S                                         */
    double *c;        /* k: (1 + skew) A'1 over the zero rows of x + skew sums */
    double *scale;    /* k: squared norms of A's columns, over all rows        */
    double *unit;     /* k: reciprocal norms of A's columns                    */
    double *gathered; /* memory for columns of A over S, gathered on demand    */
    double **column;  /* k: the gathered columns, or NULL                      */
    int64_t gathered_count;

    /* The vertex. */
    int64_t p;
    int32_t *F, *B;
    int32_t *place;          /* k: position in F, or -1                            */
    const double **F_column; /* p + 1: columns of A over S                         */
    const double **F_gram;   /* p + 1: columns of A'A                              */
    const double **B_row;    /* p: rows of A                                       */
    double *inverse;         /* (A_BF)^-1 by rows, position in F down, in B across */
    double **inverse_row;    /* ld                                                 */
    /* Leading dimension: at least two more than the number of anchors, in whole vectors. */
    int64_t ld;
    double *b;                   /* p: values of the free variables                       */
    double *r, *s;               /* m: residual of the target, its sign (0 for rows of B) */
    double *q;                   /* k: A's - c                                            */
    int settled;                 /* whether q was summed over all rows for the current s  */
    double *d, *z;               /* p: dual of B; k: A'd - c                              */
    double *weight_B, *weight_j; /* p, k: squared lengths of the edges                    */

    /* One pivot. */
    double *t;                 /* m: A delta                                              */
    double *delta, *u;         /* p: the edge over F; over B                              */
    double *edge, *turn;       /* k: the effect of every edge at the end of this one; A't */
    int32_t *flips;            /* m: rows whose sign changed                              */
    chi_break *breaks, *spare; /* m entries each                                          */

    /* Copies in single precision. */
    /* X, arrays derived from it, and A if gathered, over the rows of S. */
    float *narrow;
    const float **narrow_column; /* k: columns of A over S                        */
    float *narrow_b;             /* k                                             */
    double *narrow_cost;         /* k: c in the units of single precision         */
    double *narrow_sums;         /* one vector for each anchor                    */
    double *curvature;           /* ld x ld: H of a sample of rows (lad_sample.h) */

    double *near; /* the rows near a point, for a few anchors (lad_few.h) */

    /* A block of columns, for a few anchors (lad_lanes.h); NULL without blocks. */
    struct chi_lane_block *lanes;

    /* A part of the rows in single precision: a sample of S, or a subset. */
    float *few_rows;                 /* like `narrow`, for up to few_rows_most rows        */
    const float **few_column;        /* k                                                  */
    double *few_cost, *few_products; /* k: cost of these rows; A's over all rows of S      */
    double *few_b;                   /* k: the best point at which all rows were evaluated */
    int64_t few_rows_most;

    /* The problem on a subset of the rows (lad_subset.h). */
    int32_t *subset, *subset_index; /* m: numbers of these rows in S, and in X      */
    double *subset_value;           /* m                                            */
    double *subset_cost;            /* k: c plus the contribution of the other rows */

    /* The answer on S: the residual of x itself, and the dual before it is shifted. */
    double *residual, *dual;
    double *factor, *rhs, *solution; /* LU factors of A_BF, and workspace */
    int32_t *order;
    int64_t pivots;
} chi_lad;

/* Returns the maximum number of rows of a sample or subset, given the number of all rows. Both are
 * multiples of CHI_NARROW_PAD. */
static inline int64_t chi_few_rows_most(int64_t rows) {
    int64_t most = rows / (4 * CHI_NARROW_PAD) * CHI_NARROW_PAD + 64 * CHI_NARROW_PAD;
    return most < rows ? most : rows;
}

/* The solver, compiled for the kernel set of the context (lad_solve.c). */
struct chi_lad_solver {
    void (*solve)(chi_lad *w, chi_fit *fit, double *b, double *d, const chi_column *x, int warm);
    int64_t (*exceptions)(const chi_lad *w, int32_t *row, double *value);
    /* Proves the vertex with the given rows and bounds, one of the two per anchor (the other is
     * -1). Returns 0 unless it is the only optimal vertex. */
    int (*prove)(chi_lad *w, chi_fit *fit, double *b, const chi_column *x, const int32_t *row,
                 const int32_t *bound);
};
