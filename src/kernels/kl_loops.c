/* Loops of the Kullback-Leibler divergence, in both directions (chi_loss_loops). */
#include "kernels/loss_vectors.h"

/* Returns x log(x/y) - x + y. For x = 0 this is y, because log_of(0) is finite and multiplied by
 * 0. */
INLINE vec divergence_kl(vec x, vec y) {
    return at_least(x * log_of(x / y) + (y - x), 0);
}

INLINE void slopes_of_kl(vec *s, vec *n, vec *c, vec x, vec y) {
    vec inverse = 1 / y, ratio = x * inverse;
    *s = 1 - ratio;
    *n = ratio * inverse;
    *c = inverse;
}

INLINE vec divergence_kl_reverse(vec x, vec y) {
    return divergence_kl(y, x);
}

INLINE void slopes_of_kl_reverse(vec *s, vec *n, vec *c, vec x, vec y) {
    *s = log_of(y / x);
    *n = *c = 1 / y;
}

VALUE_LOOP(kl, divergence_kl)
VALUE_LOOP(kl_reverse, divergence_kl_reverse)
SLOPE_LOOPS(kl, slopes_of_kl)
SLOPE_LOOPS(kl_reverse, slopes_of_kl_reverse)

/* y += step before, then pull = sum_i a_i x_i / y_i and bend = sum_i a_i^2 x_i / y_i^2. */
INLINE void newton_sums(double *pull, double *bend, double *y, double step, const double *before,
                        const double *a, const double *x, int64_t count) {
    sum_vec first = {0}, second = {0};
    for (int64_t i = 0; i < count; i += LANES) {
        vec model = vec_load(y + i) + step * vec_load(before + i);
        vec share = vec_load(a + i) / model, part = share * vec_load(x + i);
        vec_store(y + i, model);
        sum_add(&first, part);
        sum_add_product(&second, part, share);
    }
    *pull = sum_total(first);
    *bend = sum_total(second);
}

/* One step of Newton's method in b_k of a column. The last step, in b_(k-1), reaches y in the same
 * pass. */
INLINE void newton_step(const chi_sweep_column *column, double *step, double sum, int64_t k) {
    const double *a = column->A + k * column->count, *before = k > 0 ? a - column->count : a;
    double pull, bend, *b = column->b + k;
    newton_sums(&pull, &bend, column->y, *step, before, a, column->x, column->count);
    double next = bend > 0 ? *b + (pull - sum) / bend : *b;
    *step = (next > 0 ? next : 0) - *b;
    *b += *step;
}

/* A step must wait for the sums of the last one. Steps of other columns fill this time. */
static void sweep_kl(const chi_sweep_column *columns, int together, const double *sums,
                     int64_t rank) {
    double step[CHI_SWEEP_TOGETHER] = {0};
    for (int64_t k = 0; k < rank; k++)
        for (int c = 0; c < together; c++) newton_step(&columns[c], &step[c], sums[k], k);
    for (int c = 0; c < together; c++) {
        const double *last = columns[c].A + (rank - 1) * columns[c].count;
        for (int64_t i = 0; i < columns[c].count; i++) columns[c].y[i] += step[c] * last[i];
    }
}

extern const chi_loss_loops IN_SET(chi_kl_loops)[2];
const chi_loss_loops IN_SET(chi_kl_loops)[2] = {
    {value_kl, slopes_kl, pull_kl, NULL, sweep_kl},
    {value_kl_reverse, slopes_kl_reverse, pull_kl_reverse, NULL, NULL}};
