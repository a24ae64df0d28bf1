/* The loops over the entries of a column that take the time: KL and IS in both directions, in the
 * widest registers the processor has. Losses without a row here loop over their scalar functions
 * (divergence.c). */
#ifndef CONEHULL_LOSS_LOOPS_H
#define CONEHULL_LOSS_LOOPS_H

#include "loss/divergence.h"

typedef struct chi_loss_loops {
    /* sum_i l(x_i, y_i) */
    double (*value)(const double *x, const double *y, int64_t count);
    /* as chi_loss_slopes(), all three */
    void (*slopes)(double *slope, double *newton, double *scoring, const double *x, const double *y,
                   int64_t count);
    /* as chi_loss_pull() */
    void (*pull)(double *slope, double *bend, const double *a, const double *x, const double *y,
                 int64_t count);
} chi_loss_loops;

/* By loss and direction. */
enum { CHI_LOOPS_KL, CHI_LOOPS_KL_REVERSE, CHI_LOOPS_IS, CHI_LOOPS_IS_REVERSE, CHI_LOOPS };

extern const chi_loss_loops chi_loss_loops_portable[CHI_LOOPS];
extern const chi_loss_loops chi_loss_loops_avx2[CHI_LOOPS];

/* The table for this processor (loss_pick_*.c); level as of chi_processor_level(). */
const chi_loss_loops *chi_loss_pick(int level);

#endif
