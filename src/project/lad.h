/* Inside the exact l1 projection (nnlad_exact.c): its vertex, its line search, its kernels.
 *
 *     min_{b >= 0}  sum_{i in S} |x_i - (A b)_i| + c'b        S: rows where x is not zero
 *
 * A vertex is a set F of p free variables and a set B of p rows of S with zero residual, A_BF
 * invertible. Rows are numbered within S throughout. */
#ifndef CONEHULL_LAD_H
#define CONEHULL_LAD_H

#include "project/cone.h"

/* One breakpoint of the line search: the step at which a residual changes sign, by how much (half)
 * the slope grows there, and whose it is. */
typedef struct chi_break {
    double step, weight;
    int32_t row;
} chi_break;

typedef struct chi_lad {
    const chi_cone *cone;
    double tol;
    double *noise; /* per row of X, in (-1, 1), for breaking ties */

    /* The problem at hand. */
    chi_column x;
    int64_t m, k, k_pad; /* |S|, anchors, anchors rounded up as the rows of At are */
    double *target;      /* m: x, its ties broken                                   */
    double *c;           /* k_pad: A'1 over the zero rows of x                      */
    double *scale;       /* k_pad: squared norms of A's columns over S              */
    double *unit;        /* k: 1 over those norms                                   */
    double *gathered;    /* columns of A over S, as they are needed                 */
    double **column;     /* k: where they are, or NULL                              */
    int64_t gathered_count;

    /* The vertex. */
    int64_t p;
    int32_t *F, *B;
    int32_t *place; /* k: position in F, or -1                                 */
    const double **F_column;
    double *inverse; /* (A_BF)^-1 by columns, position in F down, in B across   */
    int64_t ld;
    double *b;                   /* p: values of the free variables                         */
    double *r, *s;               /* m: residual of the target, its sign (0 for rows in B)    */
    double *q;                   /* k_pad: A's - c                                          */
    double *d, *z;               /* p: dual of B; k_pad: A'd - c                            */
    double *weight_B, *weight_j; /* p, k_pad: estimated squared lengths of the edges     */

    /* One pivot. */
    double *t;                 /* m: A delta                                              */
    double *delta, *u, *edge;  /* p, p, k_pad                                             */
    chi_break *breaks, *spare; /* m each                                                  */
    int32_t *flips;            /* m                                                       */

    /* The answer on S: true residual and dual before it is shifted. */
    double *residual, *dual;
    double *factor, *rhs, *solution; /* LU of A_BF and its vectors                               */
    int32_t *order;
    int64_t pivots;
} chi_lad;

/* --- lad_basis.c: the inverse of A_BF ------------------------------------------------------- */

const double *chi_lad_row(const chi_lad *w, int64_t i);            /* row i of A (k_pad entries) */
const double *chi_lad_column(chi_lad *w, int64_t j);               /* column j of A over S       */
void chi_lad_grow(chi_lad *w, int64_t j, int64_t i, double pivot); /* F + j, B + i    */
void chi_lad_shrink(chi_lad *w, int64_t f, int64_t l);             /* without F_f, B_l */
void chi_lad_swap_row(chi_lad *w, int64_t l, int64_t i);           /* B_l becomes i    */
void chi_lad_swap_column(chi_lad *w, int64_t f, int64_t j);        /* F_f becomes j    */
/* The inverse anew from A. 0 when A_BF is singular to working precision. */
int chi_lad_refactor(chi_lad *w);
/* LU of A_BF with F and B sorted, then A_BF y = rhs or A_BF' y = rhs, refined once. */
int chi_lad_factor(chi_lad *w);
void chi_lad_solve(chi_lad *w, double *y, const double *rhs, int transposed);

/* --- lad_start.c: the first vertex ----------------------------------------------------------- */

void chi_lad_start_cold(chi_lad *w);
/* From a feasible b; 0 when no vertex was found near it. */
int chi_lad_start_warm(chi_lad *w, const double *b);
/* Everything anew from B, F and the target. 0 when A_BF is singular. */
int chi_lad_refresh(chi_lad *w);

/* --- lad_search.c: how far to go along an edge ----------------------------------------------- */

/* The first breakpoint at which need <= sum of weights up to it, none of them beyond limit. Returns
 * its row or -1 (then the limit stops first, *step == limit); rows passed before it are left in
 * flips, their number in *passed. */
int64_t chi_lad_search(chi_lad *w, double *step, int64_t *passed, double need, double limit);

/* --- lad_kernels.c: loops over the rows ------------------------------------------------------ */

void chi_lad_combine(double *t, int64_t m, const double *const *column, const double *factor,
                     int64_t count); /* t = sum_f factor_f column_f */
double chi_lad_square(const double *t, int64_t m);
void chi_lad_product(const chi_lad *w, double *y, const double *s); /* y = A_S's, k_pad entries */

#endif
