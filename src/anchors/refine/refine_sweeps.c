/* Coordinate descent on both factors under l2, between the exact half-steps of a refinement:
 *
 *     H_kj <- max(0, H_kj + (W'(X - W H))_kj / (W'W)_kk)   for k = 1 .. rank, every column j;
 *     then W in the same way from the rows of X
 *
 * (hierarchical least squares with repeated passes: Gillis and Glineur, Neural Computation 24,
 * 2012). Both factors are extrapolated in their last direction (Ang and Gillis, Neural Computation
 * 31, 2019, Algorithm 2). After a sweep that raises the loss, the next one does not extrapolate,
 * and later extrapolations are shorter. A sweep costs a small part of an exact half-step and gains
 * nearly as much, but proves nothing; the exact half-steps of refine.c prove the result.
 *
 * Cost per sweep: O(nonzeros rank + rank^2 (rows + cols)) for the products of X with both factors,
 * their Gram matrices, and up to PASSES passes over the rank numbers of every row and column. */
#include "anchors/refine/refine_sweeps.h"
#include "project/nnls/nnls.h"
#include <math.h>
#include <string.h>

enum { COLUMNS_PER_BLOCK = 64, PASSES = 3 };
static const double first_carry = 0.5, longer = 1.05, limit_longer = 1.01, shorter = 1.5;
/* A column is done when a pass moves it by less than this share of its first pass. */
static const double settled = 0.1;

/* Workspace of a thread for a column: its non-zero rows, A'x and the gradient. */
typedef struct workspace {
    int32_t *index;
    double *value, *c, *g;
} workspace;

typedef struct sweep {
    const chi_cone *cone;
    const ch_matrix *X;
    double *b;    /* rank x columns */
    double *loss; /* per block      */
    workspace *of_thread;
    int64_t rank;
} sweep;

static double sweep_column(const sweep *s, const workspace *own, int64_t j) {
    const chi_cone *cone = s->cone;
    chi_column x;
    double *b = s->b + j * s->rank, first = 0;
    chi_column_load(cone->kernels, &x, own->index, own->value, s->X, j);
    chi_nnls_correlate(own->c, cone, &x, 0);
    chi_quadratic problem = chi_nnls_problem(cone, own->c);
    chi_nnls_gradient(cone->kernels, own->g, &problem, b);
    for (int pass = 0; pass < PASSES; pass++) {
        double move = chi_nnls_sweep(cone->kernels, b, own->g, &problem);
        if (pass == 0) first = move;
        if (move <= settled * first) break;
    }
    double square = x.square;
    for (int64_t k = 0; k < s->rank; k++) square -= b[k] * (own->c[k] + own->g[k]);
    return square;
}

static void sweep_block(void *user, int64_t block, int thread) {
    const sweep *s = user;
    int64_t end = (block + 1) * COLUMNS_PER_BLOCK;
    s->loss[block] = 0;
    for (int64_t j = block * COLUMNS_PER_BLOCK; j < end && j < s->X->cols; j++)
        s->loss[block] += sweep_column(s, &s->of_thread[thread], j);
}

static workspace *reserve_workspaces(chi_arena *arena, int threads, int64_t rows, int64_t rank) {
    workspace *all = chi_arena_alloc_zero(arena, threads, sizeof *all);
    for (int t = 0; all && t < threads; t++) {
        all[t].index = chi_arena_alloc(arena, rows, sizeof(int32_t));
        all[t].value = chi_arena_doubles(arena, rows);
        all[t].c = chi_arena_doubles(arena, rank);
        all[t].g = chi_arena_doubles(arena, rank);
    }
    return all;
}

/* Makes one sweep over the columns of X: updates b (rank x columns) while the other factor, rank
 * numbers per row of X, is fixed. *loss becomes the loss of the pair. */
static ch_status sweep_side(ch_context *context, double *b, const double *fixed, const ch_matrix *X,
                            int64_t rank, double *loss) {
    int64_t blocks = (X->cols + COLUMNS_PER_BLOCK - 1) / COLUMNS_PER_BLOCK;
    chi_arena arena = {.context = context};
    chi_cone cone;
    sweep s = {.cone = &cone, .X = X, .b = b, .rank = rank};
    double *basis = chi_arena_doubles(&arena, X->rows * rank);
    s.loss = chi_arena_doubles(&arena, blocks);
    s.of_thread = reserve_workspaces(&arena, ch_context_threads(context), X->rows, rank);
    ch_status status = chi_arena_status(&arena, "refinement");
    ch_status made = chi_cone_create(context, &cone, X->rows, rank);
    if (status == CH_OK) status = made;
    if (status == CH_OK) {
        for (int64_t i = 0; i < X->rows; i++)
            for (int64_t k = 0; k < rank; k++) basis[i + k * X->rows] = fixed[k + i * rank];
        chi_cone_fill(context, &cone, basis, rank);
        status = chi_parallel_until(context, blocks, sweep_block, &s);
    }
    *loss = 0;
    for (int64_t block = 0; block < blocks && status == CH_OK; block++) *loss += s.loss[block];
    chi_cone_destroy(&cone);
    chi_arena_free(&arena);
    return status;
}

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
} descent;

static void copy(double *to, const double *from, int64_t count) {
    memcpy(to, from, (size_t)count * sizeof *to);
}

static ch_status sweep_both(descent *run) {
    const chi_sweeps *pair = run->pair;
    double loss, unused;
    copy(run->W, pair->W, run->of_W);
    TRY_OK(sweep_side(pair->context, run->W, pair->H, pair->across, pair->rank, &unused));
    carry_on(pair->W, run->W_before, run->W, run->of_W, run->carry);
    copy(run->H, pair->H, run->of_H);
    TRY_OK(sweep_side(pair->context, run->H, pair->W, pair->X, pair->rank, &loss));
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
    for (int k = 0; k < count && status == CH_OK; k++) status = sweep_both(&run);
    if (status == CH_OK) copy(pair->H, run.H, run.of_H);
    chi_arena_free(&arena);
    return status;
}
