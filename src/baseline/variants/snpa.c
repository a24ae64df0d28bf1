/* Successive non-negative projection (SNPA), Gillis (2014), Algorithm 1, with the squared norm.
 * Rank times:
 *
 *     j = argmax_j min_{h in D} |x_j - W h|_2^2,   W <- [W, x_j],   D = {h : h >= 0, sum h <= 1}.
 *
 * Successive projection removes the span of the anchors; this removes the hull of the anchors and
 * the origin. So the anchors need not be independent, and rank may exceed the number of rows.
 *
 * The distance of a column only decreases while the hull grows. So a column whose last known
 * distance is below the largest known one needs no projection. The answer has the same bits as if
 * all columns were projected, because a projection depends on its column and the anchors alone.
 *
 * The projection is exact. Let b = argmin_{b >= 0} |x - W b|. If sum b <= 1, h = b. Otherwise sum h
 * = 1 at the optimum, and x - W h = -P h with P = W - x 1', so P h is the point of least norm in
 * the hull of P's columns. For s > 0 let v minimise |P v|^2 + s^2 (1'v - 1)^2 over v >= 0. On the
 * ray v = t u with 1'u = 1, the least value is s^2 |P u|^2 / (s^2 + |P u|^2), which increases with
 * |P u|. So h = v / 1'v, and a solver for non-negative least squares suffices.
 *
 * Cost of a projection: O(entries * anchors + anchors^3). Memory: rows x rank numbers. */
#include "baseline/baseline.h"
#include "baseline/variants/scaled_columns.h"
#include "project/nnls/nnls.h"
#include <math.h>
#include <string.h>

enum { COLUMNS_PER_BLOCK = 16 };

static const double tie = 1e-12;   /* values within this share are equal: the lowest column wins */
static const double steep = 1e-14; /* slopes up to this share of |x| are rounding errors */
/* Squares up to this share of |x|^2 are recomputed from x - W h. */
static const double near = 1e-8;
static const double span = 1e-12; /* columns with residual / norm up to this are in the hull */
/* A round projects the columns that reach this share of the largest. */
static const double share = 0.8;

typedef struct work {
    int32_t *index;           /* rows */
    double *value;            /* rows */
    double *c, *lifted_c, *h; /* rank */
    double *lifted_gram;      /* rank x rank */
    double *residual;         /* rows */
    chi_active_set *active;
} work;

typedef struct snpa {
    ch_context *context;
    chi_scaled_columns columns;
    int64_t rank, count;
    double settled; /* columns with residual / norm up to this are in the hull            */
    double *W;      /* rows x rank, by rows: the anchors, scaled                          */
    double *gram;   /* rank x rank: W'W                                                   */
    double *square; /* cols: squared distance from the hull of the first known[j] anchors */
    int64_t *known; /* cols                                                               */
    int64_t *list;  /* cols: columns to project now                                       */
    int64_t listed;
    work *works; /* one per thread */
    chi_arena arena;
} snpa;

/* Computes c = W'x from the entries of x. */
static void correlate(const snpa *run, work *w, int64_t stored) {
    memset(w->c, 0, (size_t)run->rank * sizeof(double));
    for (int64_t e = 0; e < stored; e++) {
        const double *row = run->W + w->index[e] * run->rank;
        for (int64_t a = 0; a < run->count; a++) w->c[a] += w->value[e] * row[a];
    }
}

/* Finds the h in D for which W h is nearest to x; xx = |x|^2. */
static void solve(const snpa *run, work *w, double xx) {
    int64_t k = run->count, stride = run->rank;
    double sum = 0, *G = w->lifted_gram;
    chi_quadratic cone = {run->gram, w->c, stride, k, 0, 0};
    chi_active_set_solve(w->active, w->h, &cone, steep * sqrt(xx), 0);
    for (int64_t a = 0; a < k; a++) sum += w->h[a];
    if (sum <= 1) return;
    for (int64_t a = 0; a < k; a++) {
        w->lifted_c[a] = xx; /* s^2 = |x|^2 keeps both terms in one range */
        for (int64_t b = 0; b < k; b++)
            G[a * stride + b] = run->gram[a * stride + b] - w->c[a] - w->c[b] + 2 * xx;
    }
    chi_quadratic lifted = {G, w->lifted_c, stride, k, 0, 0};
    chi_active_set_solve(w->active, w->h, &lifted, steep * sqrt(xx), 0);
    sum = 0;
    for (int64_t a = 0; a < k; a++) sum += w->h[a];
    for (int64_t a = 0; a < k; a++) w->h[a] /= sum;
}

/* Computes |x - W h|^2 from x itself, because |x|^2 - 2 c'h + h'G h has an error of about 1e-16
 * |x|^2. */
static double square_of_residual(const snpa *run, work *w, int64_t stored) {
    double square = 0;
    memset(w->residual, 0, (size_t)run->columns.X->rows * sizeof(double));
    for (int64_t e = 0; e < stored; e++) w->residual[w->index[e]] = w->value[e];
    for (int64_t i = 0; i < run->columns.X->rows; i++) {
        double fitted = 0;
        for (int64_t a = 0; a < run->count; a++) fitted += run->W[i * run->rank + a] * w->h[a];
        square += (w->residual[i] - fitted) * (w->residual[i] - fitted);
    }
    return square;
}

/* Returns the squared distance of column j, or 0 if it is in the hull. */
static double distance(const snpa *run, work *w, int64_t j) {
    int64_t stored = chi_scaled_entries(&run->columns, w->index, w->value, j), k = run->count;
    double xx = 0, square;
    for (int64_t e = 0; e < stored; e++) xx += w->value[e] * w->value[e];
    if (k == 0 || xx == 0) return xx;
    correlate(run, w, stored);
    solve(run, w, xx);
    square = xx;
    for (int64_t a = 0; a < k; a++) {
        double fitted = 0;
        for (int64_t b = 0; b < k; b++) fitted += run->gram[a * run->rank + b] * w->h[b];
        square += w->h[a] * (fitted - 2 * w->c[a]);
    }
    if (square < near * xx) square = square_of_residual(run, w, stored);
    return square > run->settled * run->settled * xx ? square : 0;
}

static void project_block(void *user, int64_t block, int thread) {
    snpa *run = user;
    int64_t end = (block + 1) * COLUMNS_PER_BLOCK;
    for (int64_t e = block * COLUMNS_PER_BLOCK; e < end && e < run->listed; e++) {
        int64_t j = run->list[e];
        run->square[j] = distance(run, &run->works[thread], j);
        run->known[j] = run->count;
    }
}

/* Finds the largest square among the columns whose distance is current, and among the others. */
static void largest_squares(const snpa *run, double *exact, double *stale) {
    *exact = *stale = 0;
    for (int64_t j = 0; j < run->columns.X->cols; j++) {
        double *of = run->known[j] == run->count ? exact : stale;
        *of = fmax(*of, run->square[j]);
    }
}

/* Finds the farthest column and its squared distance; *j = -1 if all are in the hull. */
static ch_status farthest(snpa *run, int64_t *j, double *largest) {
    int64_t cols = run->columns.X->cols;
    double stale;
    for (;;) {
        largest_squares(run, largest, &stale);
        if (stale == 0 || stale < *largest * (1 - tie)) break;
        double least = fmax(*largest * (1 - tie), share * stale);
        run->listed = 0;
        for (int64_t i = 0; i < cols; i++)
            if (run->known[i] != run->count && run->square[i] >= least)
                run->list[run->listed++] = i;
        TRY(chi_parallel_until(run->context,
                               (run->listed + COLUMNS_PER_BLOCK - 1) / COLUMNS_PER_BLOCK,
                               project_block, run));
    }
    *j = -1;
    for (int64_t i = 0; *j < 0 && *largest > 0 && i < cols; i++)
        if (run->known[i] == run->count && run->square[i] >= *largest * (1 - tie)) *j = i;
    return CH_OK;
}

static void append(snpa *run, int64_t j) {
    work *w = &run->works[0];
    int64_t k = run->count, stored = chi_scaled_entries(&run->columns, w->index, w->value, j);
    double square = 0;
    correlate(run, w, stored);
    for (int64_t e = 0; e < stored; e++) {
        run->W[w->index[e] * run->rank + k] = w->value[e];
        square += w->value[e] * w->value[e];
    }
    for (int64_t a = 0; a < k; a++)
        run->gram[k * run->rank + a] = run->gram[a * run->rank + k] = w->c[a];
    run->gram[k * run->rank + k] = square;
    run->square[j] = 0; /* it is in the hull now */
    run->count++;
}

static ch_status reserve(snpa *run) {
    chi_arena *arena = &run->arena;
    int64_t rows = run->columns.X->rows, cols = run->columns.X->cols, rank = run->rank;
    int threads = ch_context_threads(run->context);
    const chi_kernels *kernels = chi_kernels_of(run->context); /* for the active sets */
    run->W = chi_arena_alloc_zero(arena, rows, (size_t)rank * sizeof(double));
    run->gram = chi_arena_alloc_zero(arena, rank, (size_t)rank * sizeof(double));
    run->square = chi_arena_doubles(arena, cols);
    run->known = chi_arena_alloc(arena, cols, sizeof(int64_t));
    run->list = chi_arena_alloc(arena, cols, sizeof(int64_t));
    run->works = chi_arena_alloc(arena, threads, sizeof(work));
    for (int t = 0; t < threads && run->works; t++)
        run->works[t] =
            (work){.index = chi_arena_alloc(arena, rows, sizeof(int32_t)),
                   .value = chi_arena_doubles(arena, rows),
                   .c = chi_arena_doubles(arena, rank),
                   .lifted_c = chi_arena_doubles(arena, rank),
                   .h = chi_arena_doubles(arena, rank),
                   .lifted_gram = chi_arena_alloc(arena, rank, (size_t)rank * sizeof(double)),
                   .residual = chi_arena_doubles(arena, rows),
                   .active = chi_active_set_create(arena, kernels, rank)};
    return chi_arena_status(arena, "successive non-negative projection");
}

/* Computes the first distances: without anchors the distance of a column is its norm. */
static ch_status start(snpa *run) {
    int64_t cols = run->columns.X->cols;
    run->listed = cols;
    for (int64_t j = 0; j < cols; j++) run->list[j] = j;
    return chi_parallel_until(run->context, (cols + COLUMNS_PER_BLOCK - 1) / COLUMNS_PER_BLOCK,
                              project_block, run);
}

static ch_status select_anchors(snpa *run, chi_selection *found) {
    int64_t j;
    double largest;
    chi_begin_phase(run->context, "select", run->rank);
    TRY(start(run));
    TRY(farthest(run, &j, &largest));
    while (j >= 0 && run->count < run->rank) {
        append(run, j);
        found->anchors[run->count - 1] = j;
        found->rank = run->count;
        int64_t taken = j;
        TRY(farthest(run, &j, &largest));
        double residual = sqrt(largest) / run->columns.unit;
        if (found->max_residual) found->max_residual[run->count - 1] = residual;
        if (chi_notify(run->context, "select", run->count, run->rank, taken, residual))
            return CH_STOP_CANCELLED;
    }
    return run->count < run->rank ? CH_STOP_COMPLETE : CH_OK;
}

ch_status chi_snpa(ch_context *context, chi_selection *found, const ch_matrix *X,
                   const ch_anchors_settings *settings) {
    snpa run = {.context = context,
                .arena.context = context,
                .rank = settings->rank,
                .settled = fmax(settings->stop, span)};
    found->rank = 0;
    ch_status status = chi_scaled_create(&run.arena, &run.columns, "snpa", X, settings);
    if (status == CH_OK) status = reserve(&run);
    if (status == CH_OK) status = select_anchors(&run, found);
    chi_arena_free(&run.arena);
    return status;
}
