/* The state of nnlad_admm.c. nnlad_admm_block.c uses it to solve many columns at once. */
#pragma once

#include "project/nnls/nnls.h"

enum { CHI_ADMM_ROUND = 10 /* iterations between two computations of the gap */ };

/* One column in progress. Vectors of the same kind are contiguous over the slots: x, z, u, v and d
 * with stride rows; b, c and best with stride capacity. */
typedef struct chi_admm_slot {
    int64_t column;       /* number of the column within its block                      */
    int64_t rows;         /* number of rows in use                                      */
    const int32_t *index; /* the rows in use; NULL for all                              */
    const double *gram;   /* A'A over the rows in use, leading dimension cone->capacity */
    const double *linear; /* cost of b from the other rows, or NULL                     */
    double *x, *z, *u, *v;
    double *b, *c;       /* per anchor: coefficients; A'v    */
    double *best, *d;    /* the best b and the best d so far */
    double sum, norm;    /* |x|_1, |x|_2                     */
    double step;         /* s = 1 / rho                      */
    double primal, dual; /* residuals of the last iteration  */
    /* objective of best; lower bound from d, and the shift t that makes d feasible */
    double objective, bound, shift;
    int64_t iterations;
} chi_admm_slot;

typedef struct chi_admm {
    const chi_cone *cone;
    double tol;
    int64_t width; /* number of slots; depends on the number of rows alone */
    chi_admm_slot *slots;
    chi_active_set *solver;
    double *support_gram, *support_linear; /* gram and linear of a sparse column   */
    double *gram;                          /* over the rows with z = 0             */
    double *b, *e, *g;                     /* capacity                             */
    double *v, *d, *value;                 /* rows                                 */
    int32_t *index;                        /* rows                                 */
    int64_t *used;                         /* capacity entries: anchors with b > 0 */
    chi_admm_slot last;                    /* the column of the last solve()       */
} chi_admm;

/* Starts to solve a column from slot->b. The caller has stored the column in slot->x. */
void chi_admm_start(chi_admm *work, chi_admm_slot *slot);
/* The three steps of an iteration, in this order. The caller computes slot->c = A'v after
 * chi_admm_aim() and slot->v = A b after chi_admm_fit(). */
void chi_admm_aim(chi_admm_slot *slot);
void chi_admm_fit(chi_admm *work, chi_admm_slot *slot);
void chi_admm_shrink(chi_admm_slot *slot);
/* Evaluates the slot after a round, given v = A b and c = A'u. Returns non-zero if the gap is
 * closed or the iterations are used up. */
int chi_admm_look(chi_admm *work, chi_admm_slot *slot);
void chi_admm_report(const chi_admm *work, chi_fit *fit, const chi_admm_slot *slot);
void chi_admm_solve(void *work, chi_fit *fit, double *b, double *d, const chi_column *x, int warm);

/* nnlad_admm_block.c */
void chi_admm_solve_block(void *work, const chi_column_block *columns);
