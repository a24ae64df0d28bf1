/* FGNSR, fast gradients for non-negative sparse regression with a self-dictionary (Gillis and Luce,
 * IEEE Trans. Image Processing 27, 2018). With the columns of X scaled to sum 1,
 *
 *     min  f(C) = 1/2 |X - X C|_F^2 + p'diag(C)
 *     s.t. tr(C) = r,  0 <= C_ij <= C_ii <= 1,
 *
 * and the anchors are the r columns with the largest C_ii. It is the model of Hottopixx with the
 * squared norm, so that a gradient method can solve it.
 *
 * Departure: the authors use mu p'diag(C) instead of tr(C) = r and adjust mu until the trace fits.
 * Both have the same solution, because mu is the multiplier of the trace; the constraint needs no
 * adjustment. p is drawn from (0, settings->p), which is so small that p only decides between equal
 * columns.
 *
 * The steps are Nesterov's, with momentum that restarts whenever f rises (O'Donoghue and Candes
 * 2015):
 *
 *     Z+ = nearest(Y - (X'(X Y - X) + diag(p)) / L),    Y+ = Z+ + momentum (Z+ - Z).
 *
 * L is the largest row sum of X: |X|_2^2 <= |X|_1 |X|_inf, and every column sums to 1. row_bounds.c
 * computes the nearest point. Since f is convex, with G = X'(X Z - X)
 *
 *     f(Z) - <G, Z> + sum of the r smallest of p_i + G_ii + sum_{j != i} min(G_ij, 0) - p'diag(Z)
 *
 * is a lower bound of the optimum: it is the linear model of f, minimised over the set row by row.
 *
 * Cost per iteration: O(m n^2) in matrix products, or O(nonzeros n) if X is sparse. */
#include "baseline/diagonal_choice.h"
#include "baseline/row_bounds.h"
#include "linalg/linalg.h"
#include <math.h>
#include <string.h>

enum { CHECK = 10, MOST = 40000 };

typedef struct program {
    chi_selfrep all;
    int64_t m, n, rank;
    chi_dictionary X;
    double *XZ;       /* m x n, column-major                                  */
    double *Z, *Q;    /* n x n, by rows; Q: Y, then the point to be projected */
    double *p, *best; /* n; best: diagonal of the best point so far           */
    double *own;      /* n: slopes of the rows                                */
    chi_row_bounds rows;
    double L, momentum;
    double scale; /* 1/2 |X|_F^2; the gap is relative to it */
    double objective, bound;
} program;

/* Computes Q = Y - X'(X Y - X) / L for a panel of columns. Stores its 1/2 |X - X Z|^2 as a partial
 * sum. */
static void step_columns(void *user, int64_t panel, int thread) {
    program *run = user;
    int64_t lo = panel * CHI_PANEL, w = chi_selfrep_width(&run->all, panel), count = run->m * w;
    const double *X = run->X.X + lo * run->m;
    double *XZ = run->XZ + lo * run->m, *fit = run->all.scratch[thread];
    double *work = fit + run->m * CHI_PANEL, square = 0;
    chi_dictionary_times(&run->X, fit, run->Z + lo, run->n, w, work);
#pragma omp simd reduction(+ : square)
    for (int64_t i = 0; i < count; i++) {
        double off = X[i] - fit[i], moved = fit[i] - XZ[i];
        square += off * off;
        XZ[i] = fit[i];
        fit[i] = (off - run->momentum * moved) / run->L;
    }
    chi_dictionary_correlate(&run->X, run->Q + lo, run->n, fit, w, 1, work);
    run->all.part[2 * panel] = 0.5 * square;
}

/* Computes Z+ = nearest(Q) and Y for a panel of rows; rows.t holds the diagonal of Z+. */
static void step_rows(void *user, int64_t panel, int thread) {
    program *run = user;
    int64_t n = run->n, lo = panel * CHI_PANEL;
    (void)thread;
    for (int64_t i = lo; i < lo + chi_selfrep_width(&run->all, panel); i++) {
        double *z = run->Z + i * n, *q = run->Q + i * n, t = run->rows.t[i];
        q[i] = t;
        for (int64_t j = 0; j < n; j++) {
            double next = q[j] < 0 ? 0 : q[j] > t ? t : q[j];
            q[j] = next + run->momentum * (next - z[j]);
            z[j] = next;
        }
    }
}

/* Computes G for a panel of columns. Stores <G, Z> as a partial sum, and for each row the sum of
 * G_ii and the negative entries. */
static void bound_columns(void *user, int64_t panel, int thread) {
    program *run = user;
    int64_t m = run->m, n = run->n, lo = panel * CHI_PANEL, w = chi_selfrep_width(&run->all, panel);
    double *off = run->all.scratch[thread], *G = off + 2 * m * CHI_PANEL, inner = 0;
    double *row_sum = run->all.row_part + panel * n;
    for (int64_t i = 0; i < m * w; i++) off[i] = run->XZ[lo * m + i] - run->X.X[lo * m + i];
    chi_dictionary_correlate(&run->X, G, w, off, w, 0, off + m * CHI_PANEL);
    for (int64_t i = 0; i < n; i++) {
        const double *z = run->Z + i * n + lo, *g = G + i * w;
        row_sum[i] = 0;
        for (int64_t c = 0; c < w; c++) {
            inner += g[c] * z[c];
            row_sum[i] += g[c] < 0 || i == lo + c ? g[c] : 0;
        }
    }
    run->all.part[2 * panel] = inner;
}

/* Computes the lower bound at Z; square is 1/2 |X - X Z|^2. */
static void update_bound(program *run, double square) {
    double bound = square - chi_selfrep_sweep(&run->all, bound_columns, run);
    memcpy(run->own, run->p, (size_t)run->n * sizeof(double));
    for (int64_t panel = 0; panel < run->all.panels; panel++)
        for (int64_t i = 0; i < run->n; i++) run->own[i] += run->all.row_part[panel * run->n + i];
    chi_select_value(run->own, run->n, run->rank - 1);
    for (int64_t i = 0; i < run->rank; i++) bound += run->own[i];
    if (!run->all.cancelled) run->bound = fmax(run->bound, bound);
}

static double cost_of(const program *run) {
    double cost = 0;
    for (int64_t i = 0; i < run->n; i++) cost += run->p[i] * run->rows.t[i];
    return cost;
}

static ch_status solve(program *run, chi_selection *found, double gap) {
    double inertia = 1, last = INFINITY;
    for (int64_t iteration = 0; iteration <= MOST; iteration++) {
        double square = chi_selfrep_sweep(&run->all, step_columns, run);
        double objective = square + cost_of(run);
        if (run->all.cancelled) return CH_STOP_CANCELLED;
        if (iteration > 0 && objective < run->objective) { /* the first Z = 0 is not feasible */
            run->objective = objective;
            memcpy(run->best, run->rows.t, (size_t)run->n * sizeof(double));
        }
        if (iteration > 0 && iteration % CHECK == 0) {
            update_bound(run, square);
            found->iterations = iteration;
            if (run->objective - run->bound <= gap * run->scale) return CH_OK;
        }
        if (run->all.cancelled || chi_notify(run->all.context, "select", iteration, 0, -1,
                                             (run->objective - run->bound) / run->scale))
            return CH_STOP_CANCELLED;
        double next = objective > last ? 1 : 0.5 * (1 + sqrt(1 + 4 * inertia * inertia));
        run->momentum = next > 1 ? (inertia - 1) / next : 0;
        inertia = next;
        last = iteration > 0 ? objective : INFINITY;
        chi_project_rows(&run->rows);
        chi_selfrep_sweep(&run->all, step_rows, run);
    }
    return CH_STOP_ITER;
}

static ch_status reserve(program *run) {
    chi_arena *arena = &run->all.arena;
    int64_t m = run->m, n = run->n;
    TRY(chi_selfrep_reserve(&run->all, "fgnsr", 2.0 * (double)n * (double)(m + n), 2 * m + n));
    TRY(chi_dictionary_create(arena, &run->X, m, n));
    run->XZ = chi_arena_alloc_zero(arena, m * n, sizeof(double));
    run->Z = chi_arena_alloc_zero(arena, n * n, sizeof(double));
    run->Q = chi_arena_alloc_zero(arena, n * n, sizeof(double));
    chi_row_bounds *rows = &run->rows;
    double **of_columns[] = {&run->p,         &run->best,   &run->own,   &rows->t,
                             &rows->diagonal, &rows->empty, &rows->slope};
    for (size_t k = 0; k < sizeof of_columns / sizeof *of_columns; k++)
        *of_columns[k] = chi_arena_doubles(arena, n);
    rows->context = run->all.context;
    rows->n = n;
    rows->rank = run->rank;
    rows->Q = run->Q;
    rows->p = run->p;
    return chi_arena_status(arena, "fgnsr");
}

/* Loads X with scaled columns, and sets L, p and the first point. */
static ch_status load(program *run, const ch_matrix *X, const ch_anchors_settings *settings) {
    int64_t m = run->m, n = run->n;
    double *row_sum = run->all.scratch[0];
    TRY_OK(chi_load_scaled(&run->all, &run->X, X));
    TRY(chi_dictionary_list(&run->all.arena, &run->X));
    chi_diagonal_costs(run->p, n, settings->p, settings->seed);
    memset(row_sum, 0, (size_t)m * sizeof(double));
    for (int64_t j = 0; j < n; j++) {
        run->rows.t[j] = (double)run->rank / (double)n;
        for (int64_t i = 0; i < m; i++) {
            double x = run->X.X[i + j * m];
            row_sum[i] += x;
            run->scale += 0.5 * x * x;
        }
    }
    for (int64_t i = 0; i < m; i++) run->L = fmax(run->L, row_sum[i]);
    run->rows.weight = 1 / run->L;
    return CH_OK;
}

static ch_status run_program(program *run, chi_selection *found, const ch_matrix *X,
                             const ch_anchors_settings *settings) {
    TRY(reserve(run));
    TRY_OK(load(run, X, settings));
    ch_status status = solve(run, found, settings->gap);
    if (status < 0 || !(run->objective < INFINITY)) return status;
    found->objective = run->objective;
    found->gap = fmax(run->objective - run->bound, 0);
    chi_choose_by_diagonal(&run->all, found, &run->X, run->best, run->own, settings);
    return status;
}

ch_status chi_fgnsr(ch_context *context, chi_selection *found, const ch_matrix *X,
                    const ch_anchors_settings *settings) {
    program run = {.m = X->rows, .rank = settings->rank, .objective = INFINITY, .bound = -INFINITY};
    found->rank = 0;
    ch_status status = chi_selfrep_create(context, &run.all, "fgnsr", X, settings, 1);
    run.n = run.all.n;
    if (status == CH_OK) status = run_program(&run, found, X, settings);
    chi_arena_free(&run.all.arena);
    return status;
}
