/* Robust PCA: a low-rank matrix plus a sparse one,
 *
 *     min |L|_* + lambda |S|_1   with   L + S = X
 *
 * by inexact augmented Lagrange multipliers (Lin, Chen and Ma, arXiv 1009.5055, Algorithm 5):
 *
 *     L <- U shrink(Sigma, 1/mu) V'   where   U Sigma V' = X - S + Y/mu =: A
 *     S <- shrink(X - L + Y/mu, lambda/mu)
 *     Y <- Y + mu (X - L - S),   mu <- min(growth mu, mu_last)
 *
 * The constants are theirs: mu = 1.25 / |X|_2, growth 1.5, mu_last = 1e7 mu, Y = X / max(|X|_2,
 * |X|_inf / lambda), lambda = 1 / sqrt(max(m, n)), stop at |X - L - S|_F <= 1e-7 |X|_F.
 *
 * The departures do not change the iterates beyond rounding:
 *
 *   - Singular values and U come from A A' on the shorter side. Only those above 1/mu >= 8e-8 |X|_2
 *     are needed, and after squaring they are still above rounding, which is about 3e-8. L is then
 *     U D U'A without V.
 *   - S and Y are stored in one array T (chi_shrink_loops). One sweep over panels of columns makes
 *     L, the next T, the next A and its A A', so an iteration reads X and T once.
 *   - The returned L is the projection of X - S onto the last U, which is at least as close to X -
 *     S as the last iterate.
 *
 * O(m^2 n + 4 m n rank) per iteration for m <= n, plus O(m^3) on one thread. The published
 * prediction of the rank is not used: it saves a full SVD, which this method does not need. */
#include "base/sized.h"
#include "baseline/decompose/split.h"
#include <cblas.h>
#include <math.h>
#include <string.h>

static const double FIRST_PENALTY = 1.25; /* times 1 / |X|_2 */
static const double LAST_PENALTY = 1e7;   /* times the first */

typedef struct rpca {
    ch_context *context;
    chi_split split; /* T holds S and Y of the previous iteration */
    const ch_rpca_settings *set;
    int64_t m, n, rank;
    double lambda;
    double *U, *weighted;      /* m x rank: vectors; U D, or U D U' (m x m) when that is cheaper */
    double *values;            /* m: eigenvalues of A A'                                         */
    double *gram, *group_gram; /* m x m: A A', in total and for each group of panels             */
    double *H;                 /* rank x n, made at the end                                      */
    chi_eigen *eigen;
    double mu;    /* the penalty              */
    double share; /* at the start T = share X */
    double residual;
    int64_t iterations;
} rpca;

static double *gram_of(rpca *run, int64_t group) {
    return run->group_gram + group * run->m * run->m;
}

static void clear_grams(rpca *run) {
    memset(run->group_gram, 0,
           (size_t)(run->split.panels.groups * run->m * run->m) * sizeof *run->group_gram);
}

static void add_grams(rpca *run) {
    chi_add_groups(run->gram, run->group_gram, run->split.panels.groups, run->m * run->m);
}

static void gram_panel(void *user, chi_split_work *w, int64_t group, int64_t panel) {
    rpca *run = user;
    chi_panel_load(&run->split.panels, w->x, panel);
    chi_panel_gram(&run->split.panels, gram_of(run, group), w->x,
                   chi_panel_width(&run->split.panels, panel));
}

/* Sets T = share X, which means S = 0 and Y = X / J (see start()). */
static void start_panel(void *user, chi_split_work *w, int64_t group, int64_t panel) {
    rpca *run = user;
    const chi_panels *p = &run->split.panels;
    int64_t length = chi_panel_length(p, panel);
    (void)group;
    chi_panel_load(p, w->x, panel);
    for (int64_t line = 0; line < chi_panel_lines(p); line++) {
        double *t = chi_panel_line(p, run->split.T, panel, line);
        const double *x = w->x + line * length;
        for (int64_t i = 0; i < length; i++) t[i] = run->share * x[i];
    }
}

/* Makes one iteration over a panel: A from T, L, the next T, the next A and its A A'. */
static void step_panel(void *user, chi_split_work *w, int64_t group, int64_t panel) {
    rpca *run = user;
    const chi_panels *p = &run->split.panels;
    int64_t width = chi_panel_width(p, panel);
    chi_split_aim(&run->split, w, panel);
    if (2 * run->rank > run->m) {
        chi_panel_apply(p, w->l, run->weighted, w->m, width);
    } else {
        chi_panel_inner(p, w->v, run->U, w->m, run->rank, width);
        chi_panel_outer(p, w->l, run->weighted, w->v, run->rank, width);
    }
    chi_split_step(&run->split, w, group, panel);
    chi_panel_gram(p, gram_of(run, group), w->m, width);
}

/* T becomes S in the units of X, and w->x becomes X - S. Adds |S|_1 to abs and the number of
 * non-zeros of S to move. */
static void split_panel(void *user, chi_split_work *w, int64_t group, int64_t panel) {
    rpca *run = user;
    const chi_panels *p = &run->split.panels;
    int64_t length = chi_panel_length(p, panel);
    double limit = run->split.limit, abs = 0, nonzeros = 0;
    chi_panel_load(p, w->x, panel);
    for (int64_t line = 0; line < chi_panel_lines(p); line++) {
        double *t = chi_panel_line(p, run->split.T, panel, line), *rest = w->x + line * length;
        for (int64_t i = 0; i < length; i++) {
            double s = t[i] > limit ? t[i] - limit : t[i] < -limit ? t[i] + limit : 0;
            rest[i] -= s;
            t[i] = s / p->unit;
            abs += fabs(s);
            nonzeros += s != 0;
        }
    }
    run->split.group_sums[group].abs += abs;
    run->split.group_sums[group].move += nonzeros;
}

/* Computes H = U'(X - S), H H', and |X - S - U H|_F^2. */
static void finish_panel(void *user, chi_split_work *w, int64_t group, int64_t panel) {
    rpca *run = user;
    const chi_panels *p = &run->split.panels;
    int64_t width = chi_panel_width(p, panel), k = run->rank;
    double *v = run->H + chi_panel_start(p, panel) * k, square = 0;
    split_panel(run, w, group, panel);
    chi_panel_inner(p, v, run->U, w->x, k, width);
    chi_panel_outer(p, w->l, run->U, v, k, width);
    for (int64_t i = 0; i < run->m * width; i++)
        square += (w->x[i] - w->l[i]) * (w->x[i] - w->l[i]);
    run->split.group_sums[group].square += square;
    if (k > 0)
        cblas_dsyrk(CblasColMajor, CblasUpper, CblasNoTrans, (int)k, (int)width, 1, v, (int)k, 1,
                    gram_of(run, group), (int)run->m);
}

/* H <- R'H / unit, where run->weighted holds R (rank x rank). */
static void rotate_panel(void *user, chi_split_work *w, int64_t group, int64_t panel) {
    rpca *run = user;
    int64_t width = chi_panel_width(&run->split.panels, panel), k = run->rank;
    double *v = run->H + chi_panel_start(&run->split.panels, panel) * k;
    (void)group;
    memcpy(w->v, v, (size_t)(k * width) * sizeof *v);
    cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, (int)k, (int)width, (int)k,
                1 / run->split.panels.unit, run->weighted, (int)k, w->v, (int)k, 0, v, (int)k);
}

static ch_status reserve(rpca *run) {
    chi_arena *arena = &run->split.arena;
    int64_t m = run->m;
    run->weighted = chi_arena_doubles(arena, m * m);
    run->gram = chi_arena_doubles(arena, m * m);
    run->group_gram = chi_arena_doubles(arena, run->split.panels.groups * m * m);
    TRY(chi_arena_status(arena, "robust PCA"));
    run->U = chi_alloc(run->context, m * m, sizeof(double));
    run->values = chi_alloc(run->context, m, sizeof(double));
    if (!run->U || !run->values)
        return chi_no_memory(run->context, "robust PCA", m * (m + 1), sizeof(double));
    return chi_eigen_create(arena, &run->eigen, m);
}

static void release(rpca *run) {
    chi_free(run->context, run->U);
    chi_free(run->context, run->values);
    chi_free(run->context, run->H);
    chi_split_destroy(&run->split);
}

static ch_status spectral_norm(rpca *run, double *norm) {
    int64_t m = run->m, found;
    double largest = 0;
    memcpy(run->weighted, run->gram, (size_t)(m * m) * sizeof *run->gram);
    for (int64_t i = 0; i < m; i++) largest = fmax(largest, run->gram[i + i * m]);
    TRY(chi_eigen_above(run->eigen, &found, run->values, run->U, run->weighted, m,
                        0.999 * largest)); /* the largest eigenvalue is >= any diagonal entry */
    *norm = sqrt(found ? run->values[0] : largest);
    return CH_OK;
}

/* Starts with S = 0 and Y = X / J, as an iteration with mu / growth would have left them: T = C =
 * growth X / (J mu). This is within its limit because J >= |X|_inf / lambda. */
static ch_status start(rpca *run) {
    double norm2, growth = run->set->growth;
    clear_grams(run);
    chi_split_sweep(&run->split, gram_panel, run);
    add_grams(run);
    TRY(spectral_norm(run, &norm2));
    double J = fmax(norm2, run->split.largest / run->lambda);
    run->mu = FIRST_PENALTY / norm2;
    run->share = growth / (J * run->mu);
    run->split.keep = 1 / growth;
    run->split.limit = run->lambda * growth / run->mu;
    chi_split_sweep(&run->split, start_panel, run);
    double factor = 1 + 1 / (J * run->mu); /* A = factor X */
    for (int64_t i = 0; i < run->m * run->m; i++) run->gram[i] *= factor * factor;
    return CH_OK;
}

/* Computes U and D = 1 - 1 / (mu sigma) for the singular values above 1 / mu. */
static ch_status truncate_values(rpca *run) {
    int64_t m = run->m;
    TRY(chi_eigen_above(run->eigen, &run->rank, run->values, run->U, run->gram, m,
                        1 / (run->mu * run->mu)));
    double *scaled = 2 * run->rank > m ? run->gram : run->weighted;
    for (int64_t k = 0; k < run->rank; k++) {
        double d = 1 - 1 / (run->mu * sqrt(run->values[k]));
        for (int64_t i = 0; i < m; i++) scaled[i + k * m] = d * run->U[i + k * m];
    }
    if (scaled == run->gram)
        cblas_dgemm(CblasColMajor, CblasNoTrans, CblasTrans, (int)m, (int)m, (int)run->rank, 1,
                    scaled, (int)m, run->U, (int)m, 0, run->weighted, (int)m);
    return CH_OK;
}

static ch_status iterate(rpca *run) {
    double last = LAST_PENALTY * run->mu;
    while (run->iterations < run->set->iterations) {
        double next = fmin(run->mu * run->set->growth, last);
        TRY(truncate_values(run));
        run->split.next_limit = run->lambda / run->mu;
        run->split.next_keep = run->mu / next;
        clear_grams(run);
        chi_split_sweep(&run->split, step_panel, run);
        add_grams(run);
        chi_split_advance(&run->split);
        run->residual = sqrt(chi_split_sums(&run->split).square) / run->split.norm;
        run->mu = next;
        run->iterations++;
        if (chi_notify(run->context, "separate", run->iterations, run->set->iterations, -1,
                       run->residual))
            return CH_STOP_CANCELLED;
        if (run->residual <= run->set->tol) return CH_OK;
    }
    return CH_STOP_ITER;
}

/* Computes the singular values as the norms of the rows of H, which is more accurate than square
 * roots of eigenvalues. */
static void measure_rows(rpca *run) {
    int64_t k = run->rank;
    memset(run->values, 0, (size_t)k * sizeof *run->values);
    for (int64_t j = 0; j < run->n; j++)
        for (int64_t i = 0; i < k; i++) {
            double h = run->H[i + j * k] * run->split.panels.unit;
            run->values[i] += h * h;
        }
    for (int64_t i = 0; i < k; i++) run->values[i] = sqrt(run->values[i]) / run->split.panels.unit;
}

/* U <- U R and H <- R'H, which makes them singular vectors; run->values become the singular
 * values. */
static ch_status diagonalise(rpca *run) {
    int64_t m = run->m, k = run->rank, found = 0;
    if (k == 0) return CH_OK;
    add_grams(run);
    double trace = 0, *square = run->group_gram;
    for (int64_t j = 0; j < k; j++) {
        memcpy(square + j * k, run->gram + j * m, (size_t)k * sizeof *square);
        trace += run->gram[j + j * m];
    }
    TRY(chi_eigen_above(run->eigen, &found, run->values, run->weighted, square, k, -1 - trace));
    if (found != k)
        return chi_fail(run->context, CH_ERR_INTERNAL,
                        "only %lld of %lld singular values were found; this is a bug in conehull, "
                        "please report it",
                        (long long)found, (long long)k);
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, (int)m, (int)k, (int)k, 1, run->U,
                (int)m, run->weighted, (int)k, 0, run->gram, (int)m);
    memcpy(run->U, run->gram, (size_t)(m * k) * sizeof *run->U);
    chi_shrink_sums kept[CHI_PANEL_GROUPS];
    memcpy(kept, run->split.group_sums, sizeof kept);
    chi_split_sweep(&run->split, rotate_panel, run);
    memcpy(run->split.group_sums, kept, sizeof kept);
    measure_rows(run);
    return CH_OK;
}

/* If X is tall, its transpose was decomposed, and H holds the singular values. This moves them to
 * the other factor. */
static void move_values(rpca *run) {
    for (int64_t i = 0; run->split.panels.transposed && i < run->rank; i++) {
        double value = run->values[i];
        for (int64_t j = 0; j < run->m; j++) run->U[j + i * run->m] *= value;
        for (int64_t j = 0; j < run->n && value > 0; j++) run->H[i + j * run->rank] /= value;
    }
}

static void report(const rpca *run, ch_decomposition *parts) {
    chi_shrink_sums sums = chi_split_sums(&run->split);
    double nuclear = 0;
    for (int64_t i = 0; i < run->rank; i++) nuclear += run->values[i];
    parts->objective = nuclear + run->lambda * sums.abs / run->split.panels.unit;
    parts->residual = run->split.norm > 0 ? sqrt(sums.square) / run->split.norm : 0;
    parts->nonzeros = (int64_t)sums.move;
    parts->iterations = run->iterations;
    parts->rank = run->rank;
}

/* Writes L as factors to the result, which takes over their arrays. */
static ch_status finish(rpca *run, ch_decomposition *parts) {
    ch_context *context = run->context;
    run->H = chi_alloc(context, run->rank, (size_t)run->n * sizeof(double));
    if (!run->H) return chi_no_memory(context, "the factors", run->rank * run->n, sizeof(double));
    clear_grams(run);
    chi_split_sweep(&run->split, finish_panel, run);
    TRY(diagonalise(run));
    report(run, parts);
    move_values(run);
    TRY(chi_panels_turn(context, &run->split.panels, &run->U, &run->H, run->rank));
    parts->W = run->U;
    parts->H = run->H;
    parts->singular = run->values;
    run->U = run->H = run->values = NULL;
    if (!run->set->keep_sparse) return CH_OK;
    parts->S = run->split.T;
    parts->S_layout = run->split.panels.by_rows ? CH_ROW_MAJOR : CH_COLUMN_MAJOR;
    if (run->split.panels.transposed)
        parts->S_layout = run->split.panels.by_rows ? CH_COLUMN_MAJOR : CH_ROW_MAJOR;
    run->split.T = NULL;
    return CH_OK;
}

static ch_status separate(rpca *run, ch_decomposition *parts) {
    ch_status status = CH_OK;
    if (run->split.norm > 0) {
        TRY(start(run));
        status = iterate(run);
        if (status < 0) return status;
    } else {
        memset(run->split.T, 0, (size_t)(run->m * run->n) * sizeof *run->split.T);
    }
    TRY(finish(run, parts));
    return status;
}

ch_status ch_robust_pca(ch_context *context, ch_decomposition *parts, const ch_matrix *X,
                        const ch_rpca_settings *settings) {
    TRY(chi_check_view(context, X));
    double begin = chi_seconds();
    ch_rpca_settings set;
    TRY(chi_sized_check(context, parts, "ch_decomposition"));
    TRY(chi_settings_take(context, &set, ch_rpca_table(), settings));
    TRY(chi_matrix_check_signed(context, X));
    rpca run = {.context = context, .set = &set};
    ch_decomposition found = {.size = sizeof found, .rows = X->rows, .cols = X->cols};
    int64_t shorter = X->rows < X->cols ? X->rows : X->cols;
    ch_status status = chi_split_create(context, &run.split, X, shorter);
    run.m = run.split.m;
    run.n = run.split.n;
    run.lambda = set.lambda / sqrt((double)run.n);
    if (status == CH_OK) status = reserve(&run);
    if (status == CH_OK) status = separate(&run, &found);
    release(&run);
    return chi_split_finish(parts, &found, status, begin);
}
