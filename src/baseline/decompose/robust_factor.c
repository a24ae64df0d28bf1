/* Local search for two factors in l1, non-negative or of any sign:
 *
 *     min |Z|_1   with   W H + Z = X      over W, H (in some set) and Z
 *
 * The method is the alternating direction method of multipliers (Boyd et al. 2011, section 9.2, for
 * problems that are convex in each factor alone). In scaled form with U, and s = 1 / rho:
 *
 *     M = X - Z - U;   W, then H: least squares fits of M      the rule's fit_W and fit_H
 *     Z <- shrink(X - W H - U, s),   U <- U + W H + Z - X
 *
 * |U_ij| <= s always, so the primal residual |W H + Z - X| is at most 2 s per value. s falls by a
 * fixed factor per iteration, slowly enough for the factors to follow, and the residual goes to
 * zero with s. The start decides which local minimum is reached: columns of W are averages of
 * random columns of X, and several restarts can be requested. The objective may rise from one
 * iterate to the next; the best pair seen, by |X - W H|_1, is returned.
 *
 * Z and U are stored in one array T (chi_shrink_loops). One sweep over panels of columns does
 * everything except the fit of W, in O(6 m n rank) per iteration, and reads X and T once. */
#include "baseline/decompose/robust_factor.h"
#include "base/sized.h"
#include "baseline/decompose/split.h"
#include <cblas.h>
#include <math.h>
#include <string.h>

enum { AVERAGED = 5 /* columns of X in a first column of W */, ATTEMPTS = 100 };
static const double FIRST_STEP = 0.5; /* s at the start, times the mean of |X - W H| there */
static const double FALL = 0.97;      /* factor of s per iteration */

typedef struct search {
    ch_context *context;
    const ch_factor_settings *set;
    const chi_factor_rule *rule;
    chi_split split; /* T holds Z and U; limit is s */
    ch_random random;
    int64_t m, n, rank;

    double *W, *best_W;        /* m x rank                                                */
    double *H, *next_H;        /* rank x n: before and after the current sweep            */
    double *best_H;            /* the one of H_buffer with the lowest objective           */
    double *H_buffer[3];       /* for the current H, the next and the best, in some order */
    double *gram;              /* W'W                                                     */
    double *P, *Q;             /* M H', and H H' followed by scratch                      */
    double *group_P, *group_Q; /* the same for each group of panels                       */

    double objective, primal, move; /* results of the last sweep */
    double best;                    /* lowest objective, reached by best_W and best_H */
    int64_t iterations, best_restart;
    ch_status best_status; /* status and primal residual at the end of that restart */
    double best_primal;
} search;

static void step_panel(void *user, chi_split_work *w, int64_t group, int64_t panel) {
    search *run = user;
    const chi_panels *p = &run->split.panels;
    int64_t width = chi_panel_width(p, panel), k = run->rank, from = chi_panel_start(p, panel) * k;
    double *H = run->next_H + from;
    chi_split_aim(&run->split, w, panel);
    chi_panel_inner(p, w->v, run->W, w->m, k, width);
    if (!run->rule->exact) memcpy(H, run->H + from, (size_t)(k * width) * sizeof *H);
    run->rule->fit_H(H, w->v, run->gram, k, width);
    chi_panel_outer(p, w->l, run->W, H, k, width);
    chi_split_step(&run->split, w, group, panel);
    chi_panel_gather(p, run->group_P + group * run->m * k, w->m, H, k, width);
    cblas_dsyrk(CblasColMajor, CblasUpper, CblasNoTrans, (int)k, (int)width, 1, H, (int)k, 1,
                run->group_Q + group * k * k, (int)k);
}

static void mirror(double *G, int64_t order) {
    for (int64_t j = 0; j < order; j++)
        for (int64_t i = 0; i < j; i++) G[j + i * order] = G[i + j * order];
}

/* Updates H, Z and U for the current W, then computes P and Q for the next W. */
static void sweep(search *run) {
    int64_t groups = run->split.panels.groups, k = run->rank;
    cblas_dsyrk(CblasColMajor, CblasUpper, CblasTrans, (int)k, (int)run->m, 1, run->W, (int)run->m,
                0, run->gram, (int)k);
    mirror(run->gram, k);
    memset(run->group_P, 0, (size_t)(groups * run->m * k) * sizeof *run->P);
    memset(run->group_Q, 0, (size_t)(groups * k * k) * sizeof *run->Q);
    chi_split_sweep(&run->split, step_panel, run);
    chi_split_advance(&run->split);
    chi_add_groups(run->P, run->group_P, groups, run->m * k);
    chi_add_groups(run->Q, run->group_Q, groups, k * k);
    mirror(run->Q, k);
    chi_shrink_sums sums = chi_split_sums(&run->split);
    run->objective = sums.abs;
    run->primal = sqrt(sums.square) / run->split.norm;
    run->move = sqrt(sums.move) / run->split.norm;
}

/* Returns a buffer that holds neither the current H nor the best. */
static double *free_H(const search *run) {
    int b = 0;
    while (run->H_buffer[b] == run->H || run->H_buffer[b] == run->best_H) b++;
    return run->H_buffer[b];
}

static void keep_best(search *run, int64_t restart) {
    run->H = run->next_H;
    if (!(run->objective < run->best)) return;
    run->best = run->objective;
    run->best_H = run->H;
    run->best_restart = restart;
    memcpy(run->best_W, run->W, (size_t)(run->m * run->rank) * sizeof *run->W);
}

/* Fills w with an average of random columns of X that is not zero; if X is mostly zero, with random
 * numbers. */
static void draw_column(search *run, double *w) {
    double *x = run->split.works[0].x;
    memset(w, 0, (size_t)run->m * sizeof *w);
    for (int a = 0;
         a < AVERAGED || (a < ATTEMPTS && chi_sum_abs(run->split.kernels, w, run->m) == 0); a++) {
        chi_column_gather(x, &run->split.panels.X, ch_random_below(&run->random, run->n));
        chi_axpy(run->split.kernels, w, run->split.panels.unit / AVERAGED, x, run->m);
    }
    if (chi_sum_abs(run->split.kernels, w, run->m) > 0) return;
    for (int64_t i = 0; i < run->m; i++) w[i] = ch_random_uniform(&run->random);
}

/* Draws W and sets T = 0, so that the first M is X. */
static void start(search *run) {
    chi_split *split = &run->split;
    for (int64_t k = 0; k < run->rank; k++) draw_column(run, run->W + k * run->m);
    run->rule->start(run->split.kernels, run->W, run->m, run->rank, &run->random);
    memset(split->T, 0, (size_t)(run->m * run->n) * sizeof *split->T);
    run->H = run->H_buffer[run->H_buffer[0] == run->best_H];
    memset(run->H, 0, (size_t)(run->rank * run->n) * sizeof *run->H);
    split->limit = split->keep = 0;
    split->next_limit = 0; /* the first sweep leaves Z = X - W H and U = 0 */
}

static ch_status descend(search *run, int64_t restart) {
    int64_t last = run->set->iterations;
    double step = 0;
    start(run);
    for (int64_t it = 0; it < last; it++) {
        run->next_H = free_H(run);
        run->split.next_limit = step;
        run->split.next_keep = FALL;
        sweep(run);
        keep_best(run, restart);
        if (it == 0) step = FIRST_STEP * run->objective / (double)run->m / (double)run->n;
        if (it > 0) step *= FALL;
        run->iterations++;
        chi_log(run->context, CH_LOG_DEBUG,
                "restart %d, iteration %d: |X - W H|_1 %.9g, primal %.3g, change of S %.3g",
                (int)restart, (int)it, run->objective, run->primal, run->move);
        if (chi_notify(run->context, "separate", restart * last + it + 1, run->set->restarts * last,
                       -1, run->primal))
            return CH_STOP_CANCELLED;
        if (it > 0 && run->primal <= run->set->tol && run->move <= run->set->tol) return CH_OK;
        run->rule->fit_W(run->split.kernels, run->W, run->P, run->Q, run->m, run->rank,
                         &run->random);
    }
    return CH_STOP_ITER;
}

static ch_status reserve(search *run) {
    chi_arena *arena = &run->split.arena;
    int64_t m = run->m, k = run->rank, groups = run->split.panels.groups;
    size_t row = (size_t)run->n * sizeof(double);
    run->W = chi_arena_doubles(arena, m * k);
    run->gram = chi_arena_doubles(arena, k * k);
    run->P = chi_arena_doubles(arena, m * k);
    run->Q = chi_arena_doubles(arena, k * (k + 2));
    run->group_P = chi_arena_doubles(arena, groups * m * k);
    run->group_Q = chi_arena_doubles(arena, groups * k * k);
    TRY(chi_arena_status(arena, "the local search"));
    run->best_W = chi_alloc_zero(run->context, m * k, sizeof(double));
    for (int b = 0; b < 3; b++) run->H_buffer[b] = chi_alloc_zero(run->context, k, row);
    if (run->best_W && run->H_buffer[0] && run->H_buffer[1] && run->H_buffer[2]) return CH_OK;
    return chi_no_memory(run->context, "the local search", k * (m + 3 * run->n), sizeof(double));
}

static void release(search *run) {
    chi_free(run->context, run->best_W);
    for (int b = 0; b < 3; b++) chi_free(run->context, run->H_buffer[b]);
    chi_split_destroy(&run->split);
}

/* Moves the best pair to the result. */
static ch_status finish(search *run, ch_decomposition *parts) {
    const chi_panels *panels = &run->split.panels;
    int b = 0;
    while (run->H_buffer[b] != run->best_H) b++;
    for (int64_t i = 0; i < run->rank * run->n; i++) run->best_H[i] /= panels->unit;
    TRY(chi_panels_turn(run->context, panels, &run->best_W, &run->H_buffer[b], run->rank));
    parts->W = run->best_W;
    parts->H = run->H_buffer[b];
    run->best_W = run->H_buffer[b] = NULL;
    parts->rank = run->rank;
    parts->objective = run->best / panels->unit;
    parts->residual = run->best_primal;
    parts->iterations = run->iterations;
    parts->restart = run->best_restart;
    return CH_OK;
}

static ch_status run_restarts(search *run, ch_decomposition *parts) {
    ch_status status = CH_OK;
    double norm = run->split.norm;
    run->best = INFINITY;
    run->best_H = run->H_buffer[0];
    ch_random_seed(&run->random, (uint64_t)run->set->seed);
    for (int64_t restart = 0; restart < run->set->restarts && norm > 0; restart++) {
        status = descend(run, restart);
        if (run->best_restart == restart) {
            run->best_status = status;
            run->best_primal = run->primal;
        }
        if (status == CH_STOP_CANCELLED) break;
    }
    if (norm == 0) run->best = 0;
    TRY(finish(run, parts));
    return status == CH_STOP_CANCELLED ? status : run->best_status;
}

ch_status chi_robust_factor(ch_context *context, ch_decomposition *parts, const ch_matrix *X,
                            const ch_factor_settings *settings, const chi_factor_rule *rule) {
    double begin = chi_seconds();
    ch_factor_settings set;
    TRY(chi_sized_check(context, parts, "ch_decomposition"));
    TRY(chi_settings_take(context, &set, ch_factor_table(), settings));
    TRY(rule->check(context, X));
    if (set.rank > X->rows || set.rank > X->cols)
        return chi_fail(context, CH_ERR_SETTING,
                        "the rank is %lld, but it must not exceed the number of rows or columns of "
                        "the %lld x %lld matrix",
                        (long long)set.rank, (long long)X->rows, (long long)X->cols);
    search run = {.context = context, .set = &set, .rule = rule, .rank = set.rank};
    ch_decomposition found = {.size = sizeof found, .rows = X->rows, .cols = X->cols};
    ch_status status = chi_split_create(context, &run.split, X, run.rank);
    run.m = run.split.m;
    run.n = run.split.n;
    if (status == CH_OK) status = reserve(&run);
    if (status == CH_OK) status = run_restarts(&run, &found);
    release(&run);
    return chi_split_finish(parts, &found, status, begin);
}
