/* Randomised successive projection, after Vandaele and Gillis (2022): the best of N tries. In each
 * try, rank times:
 *
 *     Q: rows x 4, normal entries, orthogonal to the span;   j = argmax |Q'x_j D_jj|_2,
 *
 * which chooses a vertex of the data in random directions instead of the farthest column. The first
 * try is plain successive projection. The try whose anchors explain the columns best is kept, that
 * is, the one with the smallest
 *
 *     sum_j min_{h >= 0} |x_j D_jj - W h|_2^2,   W: its anchors, scaled.
 *
 * The result depends on the seed alone, not on the threads. Cost: one pass over X per anchor and
 * try, and one projection of every column per try. */
#include "baseline/baseline.h"
#include "baseline/variants/span_residuals.h"
#include "linalg/linalg.h"
#include "project/nnls/nnls.h"
#include <cblas.h>
#include <conehull/random.h>
#include <math.h>
#include <string.h>

enum { DIRECTIONS = CHI_SCORE_MAX, COLUMNS_PER_BLOCK = 64 };

typedef struct work {
    int32_t *index;
    double *value; /* rows */
    double *c, *h; /* rank */
    chi_active_set *active;
} work;

typedef struct random_spa {
    ch_context *context;
    chi_scaled_columns columns;
    chi_span span;
    int64_t rows, rank;
    double *Q;        /* rows x DIRECTIONS                 */
    double *scores;   /* cols x DIRECTIONS                 */
    double *x;        /* rows                              */
    double *W, *gram; /* rows x rank, by rows; rank x rank */
    double *part;     /* blocks                            */
    int64_t *tried;   /* rank: anchors of a try            */
    int64_t count;
    work *works;
    chi_arena arena;
} random_spa;

/* Finds the column that is farthest in random directions outside the span; *j = -1 if there is
 * none. */
static ch_status draw(random_spa *run, ch_random *random, int64_t *j) {
    int64_t cols = run->columns.X->cols;
    double largest = 0;
    for (int c = 0; c < DIRECTIONS; c++) {
        double *q = run->Q + c * run->rows;
        for (int64_t i = 0; i < run->rows; i++) q[i] = ch_random_normal(random);
        chi_span_remove(&run->span, q);
    }
    TRY(chi_score(run->context, run->scores, run->columns.X, run->Q, DIRECTIONS));
    *j = -1;
    for (int64_t i = 0; i < cols; i++) {
        double square = 0;
        for (int c = 0; c < DIRECTIONS; c++) {
            double along = run->scores[c * cols + i] * run->columns.scale[i];
            square += along * along;
        }
        if (run->span.square[i] == 0 || square <= largest) continue; /* already in the span */
        largest = square;
        *j = i;
    }
    return CH_OK;
}

static ch_status append(random_spa *run, int64_t j, double *norm) {
    chi_scaled_column(&run->columns, run->x, j);
    *norm = chi_span_remove(&run->span, run->x);
    TRY(chi_span_append(&run->span, run->x, *norm));
    run->span.square[j] = 0;
    return CH_OK;
}

static ch_status try_anchors(random_spa *run, ch_random *random) {
    double norm;
    TRY(chi_span_clear(&run->span));
    for (run->count = 0; run->count < run->rank; run->count++) {
        int64_t j;
        TRY(draw(run, random, &j));
        if (j < 0) break;
        TRY(append(run, j, &norm));
        run->tried[run->count] = j;
    }
    return CH_OK;
}

static void project_block(void *user, int64_t block, int thread) {
    random_spa *run = user;
    work *w = &run->works[thread];
    int64_t end = (block + 1) * COLUMNS_PER_BLOCK, k = run->count;
    run->part[block] = 0;
    if (end > run->columns.X->cols) end = run->columns.X->cols;
    for (int64_t j = block * COLUMNS_PER_BLOCK; j < end; j++) {
        int64_t stored = chi_scaled_entries(&run->columns, w->index, w->value, j);
        double square = 0;
        memset(w->c, 0, (size_t)k * sizeof(double));
        for (int64_t e = 0; e < stored; e++) {
            const double *row = run->W + w->index[e] * run->rank;
            square += w->value[e] * w->value[e];
            for (int64_t a = 0; a < k; a++) w->c[a] += w->value[e] * row[a];
        }
        chi_quadratic problem = {run->gram, w->c, run->rank, k, 0, 0};
        chi_active_set_solve(w->active, w->h, &problem, 1e-12 * sqrt(square), 0);
        /* at the optimum h'G h = c'h */
        for (int64_t a = 0; a < k; a++) square -= w->c[a] * w->h[a];
        run->part[block] += fmax(square, 0);
    }
}

/* Computes the sum of squares that the anchors of the try leave unexplained. */
static ch_status misfit(random_spa *run, double *total) {
    int64_t blocks = (run->columns.X->cols + COLUMNS_PER_BLOCK - 1) / COLUMNS_PER_BLOCK;
    memset(run->W, 0, (size_t)(run->rows * run->rank) * sizeof(double));
    for (int64_t a = 0; a < run->count; a++) {
        chi_scaled_column(&run->columns, run->x, run->tried[a]);
        cblas_dcopy((int)run->rows, run->x, 1, run->W + a, (int)run->rank);
    }
    for (int64_t a = 0; a < run->count; a++)
        for (int64_t b = 0; b < run->count; b++)
            run->gram[a * run->rank + b] =
                cblas_ddot((int)run->rows, run->W + a, (int)run->rank, run->W + b, (int)run->rank);
    TRY(chi_parallel_until(run->context, blocks, project_block, run));
    *total = 0;
    for (int64_t block = 0; block < blocks; block++) *total += run->part[block];
    return CH_OK;
}

static void keep(const random_spa *run, chi_selection *found) {
    memcpy(found->anchors, run->tried, (size_t)run->count * sizeof(int64_t));
    found->rank = run->count;
}

/* Computes the largest distance from the span after each anchor of the best try. */
static ch_status measure(random_spa *run, chi_selection *found) {
    double norm;
    TRY(chi_span_clear(&run->span));
    for (int64_t k = 0; k < found->rank; k++) {
        TRY(append(run, found->anchors[k], &norm));
        chi_span_farthest(&run->span, &norm);
        if (found->max_residual) found->max_residual[k] = norm / run->columns.unit;
    }
    return found->rank < run->rank ? CH_STOP_COMPLETE : CH_OK;
}

static ch_status select_anchors(random_spa *run, chi_selection *found,
                                const ch_anchors_settings *set) {
    double least, total;
    ch_random random;
    ch_random_seed(&random, (uint64_t)set->seed);
    chi_selection first = {.anchors = run->tried};
    TRY(chi_spa(run->context, &first, run->columns.X, set));
    run->count = first.rank;
    TRY(misfit(run, &least));
    keep(run, found);
    chi_begin_phase(run->context, "select", set->tries);
    for (int64_t t = 1; t < set->tries; t++) {
        TRY(try_anchors(run, &random));
        TRY(misfit(run, &total));
        if (total < least * (1 - 1e-12)) {
            least = total;
            keep(run, found);
        }
        if (chi_notify(run->context, "select", t + 1, set->tries, -1, sqrt(least)))
            return CH_STOP_CANCELLED;
    }
    return measure(run, found);
}

static ch_status reserve(random_spa *run) {
    chi_arena *arena = &run->arena;
    int64_t rows = run->rows, cols = run->columns.X->cols, rank = run->rank;
    int threads = ch_context_threads(run->context);
    run->Q = chi_arena_doubles(arena, rows * DIRECTIONS);
    run->scores = chi_arena_doubles(arena, cols * DIRECTIONS);
    run->x = chi_arena_doubles(arena, rows);
    run->W = chi_arena_alloc(arena, rows, (size_t)rank * sizeof(double));
    run->gram = chi_arena_alloc(arena, rank, (size_t)rank * sizeof(double));
    run->part = chi_arena_doubles(arena, (cols + COLUMNS_PER_BLOCK - 1) / COLUMNS_PER_BLOCK);
    run->tried = chi_arena_alloc(arena, rank, sizeof(int64_t));
    run->works = chi_arena_alloc(arena, threads, sizeof(work));
    for (int t = 0; t < threads && run->works; t++)
        run->works[t] =
            (work){.index = chi_arena_alloc(arena, rows, sizeof(int32_t)),
                   .value = chi_arena_doubles(arena, rows),
                   .c = chi_arena_doubles(arena, rank),
                   .h = chi_arena_doubles(arena, rank),
                   .active = chi_active_set_create(arena, chi_kernels_of(run->context), rank)};
    TRY(chi_arena_status(arena, "randomised successive projection"));
    return chi_span_create(arena, &run->span, &run->columns, rank);
}

ch_status chi_random_spa(ch_context *context, chi_selection *found, const ch_matrix *X,
                         const ch_anchors_settings *settings) {
    random_spa run = {
        .context = context, .arena.context = context, .rows = X->rows, .rank = settings->rank};
    found->rank = 0;
    ch_status status = chi_scaled_create(&run.arena, &run.columns, "random-spa", X, settings);
    if (status == CH_OK) status = reserve(&run);
    if (status == CH_OK) status = select_anchors(&run, found, settings);
    chi_arena_free(&run.arena);
    return status;
}
