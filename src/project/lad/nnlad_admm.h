/* The state of nnlad_admm.c, shared with nnlad_admm_block.c, which runs many columns through it at
 * once. */
#pragma once

#include "project/nnls/nnls.h"

enum { CHI_ADMM_ROUND = 10 /* iterations between looks at the gap */ };

/* One column under way. Vectors of a kind stand side by side, those of a slot behind those of the
 * slot before: x, z, u, v and d by rows, b, c and best by capacity. */
typedef struct chi_admm_slot {
    int64_t column;       /* which, in a block                                            */
    int64_t rows;         /* in play                                                      */
    const int32_t *index; /* which; NULL: all                                             */
    const double *gram;   /* A'A over the rows in play, leading dimension cone->capacity  */
    const double *linear; /* cost of b from the other rows; NULL: none                    */
    double *x, *z, *u, *v;
    double *b, *c;       /* anchors: coefficients; A'v                                   */
    double *best, *d;    /* the best b and the best d so far                             */
    double sum, norm;    /* |x|_1, |x|_2                                                 */
    double step;         /* s = 1 / rho                                                  */
    double primal, dual; /* residuals of the last iteration                              */
    double objective, bound, shift; /* of the best b; of the best d, and its t          */
    int64_t iterations;
} chi_admm_slot;

typedef struct chi_admm {
    const chi_cone *cone;
    double tol;
    int64_t width; /* slots; a function of the number of rows alone                      */
    chi_admm_slot *slots;
    chi_active_set *solver;
    double *support_gram, *support_linear; /* of a sparse column                         */
    double *gram;                          /* of the rows with z = 0                     */
    double *b, *e, *g;                     /* capacity                                   */
    double *v, *d, *value;                 /* rows                                       */
    int32_t *index;                        /* rows                                       */
    int64_t *used;                         /* capacity: anchors with b > 0 */
    chi_admm_slot last;                    /* the column that solve() ended with         */
} chi_admm;

/* Starts the slot's column x (already in slot->x) from slot->b. */
void chi_admm_start(chi_admm *work, chi_admm_slot *slot);
/* The steps of an iteration, between which the caller forms c = A'v and v = A b. */
void chi_admm_aim(chi_admm_slot *slot);
void chi_admm_fit(chi_admm *work, chi_admm_slot *slot);
void chi_admm_shrink(chi_admm_slot *slot);
/* After a round, with v = A b and c = A'u. Non-zero: the gap is closed, or the budget is spent. */
int chi_admm_look(chi_admm *work, chi_admm_slot *slot);
void chi_admm_report(const chi_admm *work, chi_fit *fit, const chi_admm_slot *slot);
void chi_admm_solve(void *work, chi_fit *fit, double *b, double *d, const chi_column *x, int warm);

/* nnlad_admm_block.c */
void chi_admm_solve_block(void *work, const chi_column_block *columns);
