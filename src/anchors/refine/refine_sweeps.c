/* Coordinate descent on both factors under l2 or KL, between the exact half-steps of a refinement:
 * one sweep over the columns of X changes H while W is fixed, the next one changes W in the same
 * way from the rows of X (sweep_squares.c, sweep_kl.c).
 *
 * Both factors are extrapolated in their last direction (Ang and Gillis, Neural Computation 31,
 * 2019, Algorithm 2). After a sweep that raises the loss, the next one does not extrapolate, and
 * later extrapolations are shorter. A sweep costs a small part of an exact half-step and gains
 * nearly as much, but proves nothing; the exact half-steps of refine.c prove the result. Once two
 * sweeps in a row hardly change the loss, more of them gain less than they cost. */
#include "anchors/refine/refine_sweeps.h"
#include <math.h>
#include <string.h>

enum { STILL = 2 }; /* sweeps in a row without a change, after which no more are made */
/* A sweep that changes the loss by less than this share of the loss before the sweeps is without a
 * change. One alone may lie between a rise and a fall. */
static const double hardly = 2e-5;
static const double first_carry = 0.5, longer = 1.05, limit_longer = 1.01, shorter = 1.5;

/* carried = max(0, now + carry (now - before)); before = now. */
static void carry_on(double *carried, double *before, const double *now, int64_t count,
                     double carry) {
    for (int64_t i = 0; i < count; i++) {
        carried[i] = fmax(now[i] + carry * (now[i] - before[i]), 0);
        before[i] = now[i];
    }
}

/* The solutions W and H; pair->W and pair->H are their extrapolations. */
typedef struct descent {
    const chi_sweeps *pair;
    double *W, *W_before, *H, *H_before;
    int64_t of_W, of_H; /* lengths of W and H */
    double carry, limit, loss;
    int still; /* sweeps without a change up to now */
} descent;

static void copy(double *to, const double *from, int64_t count) {
    memcpy(to, from, (size_t)count * sizeof *to);
}

static ch_status sweep_both(descent *run) {
    const chi_sweeps *pair = run->pair;
    chi_sweep_side *sweep = pair->kl ? chi_sweep_kl : chi_sweep_squares;
    double loss;
    copy(run->W, pair->W, run->of_W);
    TRY_OK(sweep(pair, run->W, pair->H, pair->across, NULL));
    carry_on(pair->W, run->W_before, run->W, run->of_W, run->carry);
    copy(run->H, pair->H, run->of_H);
    TRY_OK(sweep(pair, run->H, pair->W, pair->X, &loss));
    int rose = loss > run->loss;
    carry_on(pair->H, run->H_before, run->H, run->of_H, rose ? 0 : run->carry);
    if (rose) {
        copy(pair->W, run->W, run->of_W);
        run->limit = run->carry;
        run->carry /= shorter;
    } else {
        run->limit = fmin(1, run->limit * limit_longer);
        run->carry = fmin(run->limit, run->carry * longer);
    }
    run->still = fabs(run->loss - loss) < hardly * pair->loss ? run->still + 1 : 0;
    run->loss = loss;
    return CH_OK;
}

ch_status chi_refine_sweeps(const chi_sweeps *pair, int count) {
    chi_arena arena = {.context = pair->context};
    descent run = {.pair = pair,
                   .of_W = pair->rank * pair->X->rows,
                   .of_H = pair->rank * pair->X->cols,
                   .carry = first_carry,
                   .limit = 1,
                   .loss = INFINITY};
    run.W = chi_arena_doubles(&arena, run.of_W);
    run.W_before = chi_arena_doubles(&arena, run.of_W);
    run.H = chi_arena_doubles(&arena, run.of_H);
    run.H_before = chi_arena_doubles(&arena, run.of_H);
    ch_status status = chi_arena_status(&arena, "refinement");
    if (status == CH_OK) {
        copy(run.W_before, pair->W, run.of_W);
        copy(run.H_before, pair->H, run.of_H);
    }
    for (int k = 0; k < count && run.still < STILL && status == CH_OK; k++)
        status = sweep_both(&run);
    if (status == CH_OK) copy(pair->H, run.H, run.of_H);
    chi_arena_free(&arena);
    return status;
}
