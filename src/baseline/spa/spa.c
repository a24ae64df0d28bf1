/* Successive projection (SPA). With R = X D at the start, where D scales every column to sum 1 or
 * is the identity, rank times:
 *
 *     j = argmax |R_j|_2,   u = R_j / |R_j|,   R <- (I - u u') R.
 *
 * Araujo et al. (2001); Gillis and Vavasis (2014), Algorithm 1. R is never formed: u is orthogonal
 * to the directions before it, so u'R = u'X D, and |R_j|^2 falls by (u'X_j D_jj)^2. This takes one
 * pass over X per anchor. A norm that is downdated in this way has a known error bound, the slack.
 * Any norm that could be the largest is recomputed from the column and the directions before it is
 * used, so the choice does not depend on layout, type or threads.
 *
 * With several processes, each downdates its own columns; the chosen column is broadcast, and all
 * compute the same direction from it.
 *
 * Directions are stored only for the rows where some anchor is non-zero (live rows), which are few
 * for text. Cost: O(stored entries) per anchor, plus O(live rows * anchors) for every recomputed
 * column. */
#include "base/arena.h"
#include "baseline/baseline.h"
#include "linalg/distribution.h"
#include <float.h>
#include <math.h>
#include <string.h>

enum { COLUMNS_PER_BLOCK = 4096 }; /* a few microseconds of downdating */

static const double tie = 1e-12;  /* values within this share are equal: the lowest column wins */
static const double span = 1e-12; /* columns with residual / norm up to this are in the span */

typedef struct work {
    int32_t *index;   /* rows */
    double *value;    /* rows */
    double *residual; /* rows: the live part of a column's residual */
    double *inner;    /* rank: U'x */
} work;

typedef struct spa {
    ch_context *context;
    const ch_matrix *X; /* the columns of this process */
    chi_distribution spread;
    int64_t rank, count;
    double unit;    /* plain: the power of two that brings all norms below 1; else 1   */
    double round;   /* slack of a downdated square, relative to the square of the norm */
    double settled; /* columns with residual / norm up to this are in the span         */

    double *square; /* cols: |R_j|^2, downdated or exact         */
    double *scale;  /* cols: D_jj                                */
    float *slack;   /* cols: error bound of square; 0 when exact */
    float *norm;    /* cols: |X_j D_jj|_2                        */
    double *score;  /* cols: u'X_j                               */

    int64_t blocks, hot_count;
    double *lower, *upper; /* blocks: largest square - slack, square + slack   */
    int64_t *hot;          /* blocks that may hold the largest square          */
    double threshold;      /* columns with squares below this cannot be chosen */

    int64_t live;      /* rows where some anchor is non-zero, in order of appearance */
    int64_t *live_row; /* rows: row of each place                                    */
    int64_t *place;    /* rows: place of each row, or -1                             */
    double *U;         /* live x rank, by rows                                       */
    double *direction; /* rows: the last column of U, zero where not live            */

    work *works; /* one per thread */
    chi_arena arena;
} spa;

static double larger(double a, double b) {
    return a > b ? a : b; /* fmax() is a function call */
}

static int64_t block_end(const spa *run, int64_t block) {
    int64_t end = (block + 1) * COLUMNS_PER_BLOCK;
    return end < run->X->cols ? end : run->X->cols;
}

/* Computes the residual of the column in w->index, w->value with respect to the directions so far.
 * Returns its square; w->residual becomes its live part. */
static double project_out_entries(const spa *run, work *w, int64_t stored, double scale) {
    int64_t k = run->count;
    double square = 0.0, *inner = w->inner;
    memset(w->residual, 0, (size_t)run->live * sizeof(double));
    memset(inner, 0, (size_t)k * sizeof(double));
    for (int64_t e = 0; e < stored; e++) {
        double x = w->value[e] * scale;
        int64_t place = run->place[w->index[e]];
        if (place < 0) {
            square += x * x;
            continue;
        }
        const double *row = run->U + place * run->rank;
        w->residual[place] = x;
        for (int64_t a = 0; a < k; a++) inner[a] += x * row[a];
    }
    for (int64_t p = 0; p < run->live; p++) {
        const double *row = run->U + p * run->rank;
        double fitted = 0.0;
#pragma omp simd reduction(+ : fitted)
        for (int64_t a = 0; a < k; a++) fitted += row[a] * inner[a];
        w->residual[p] -= fitted;
        square += w->residual[p] * w->residual[p];
    }
    return square;
}

/* Does the same for column j of this process. */
static double project_out(const spa *run, work *w, int64_t j) {
    int64_t stored = chi_column_support(w->index, w->value, run->X, j);
    return project_out_entries(run, w, stored, run->scale[j]);
}

/* Repeats the projection, because after strong cancellation the residual is no longer orthogonal to
 * the directions. Returns the square. */
static double project_out_again(const spa *run, work *w) {
    double square = 0.0, *inner = w->inner;
    memset(inner, 0, (size_t)run->count * sizeof(double));
    for (int64_t p = 0; p < run->live; p++)
        for (int64_t a = 0; a < run->count; a++)
            inner[a] += w->residual[p] * run->U[p * run->rank + a];
    for (int64_t p = 0; p < run->live; p++) {
        for (int64_t a = 0; a < run->count; a++)
            w->residual[p] -= run->U[p * run->rank + a] * inner[a];
        square += w->residual[p] * w->residual[p];
    }
    return square;
}

static void summarise(spa *run, int64_t block) {
    double lower = 0.0, upper = 0.0;
    for (int64_t j = block * COLUMNS_PER_BLOCK; j < block_end(run, block); j++) {
        lower = larger(lower, run->square[j] - (double)run->slack[j]);
        upper = larger(upper, run->square[j] + (double)run->slack[j]);
    }
    run->lower[block] = lower;
    run->upper[block] = upper;
}

/* Computes the exact square of every column of a hot block that may be the largest. */
static void refresh_block(void *user, int64_t number, int thread) {
    spa *run = user;
    int64_t block = run->hot[number];
    for (int64_t j = block * COLUMNS_PER_BLOCK; j < block_end(run, block); j++) {
        if (run->slack[j] == 0.0f) continue;
        if (run->square[j] + (double)run->slack[j] < run->threshold) continue;
        chi_prefetch_columns(run->context, run->X, j, j + 1);
        double square = project_out(run, &run->works[thread], j);
        double least = run->settled * (double)run->norm[j];
        run->square[j] = square > least * least ? square : 0.0; /* once in the span, always in it */
        run->slack[j] = 0.0f;
    }
    summarise(run, block);
}

/* Downdates the squares of the columns of a block, and their error bounds. */
static void downdate_block(void *user, int64_t block, int thread) {
    spa *run = user;
    (void)thread;
    for (int64_t j = block * COLUMNS_PER_BLOCK; j < block_end(run, block); j++) {
        double along = run->score[j] * run->scale[j], before = run->square[j];
        if (run->slack[j] == 0.0f) /* the error of u'x is relative to |x|; |u'x|^2 <= before */
            run->slack[j] = (float)(run->round * sqrt(before) * (double)run->norm[j]);
        run->square[j] = larger(before - along * along, 0.0);
    }
    summarise(run, block);
}

/* Finds the largest lower bound over all processes. */
static ch_status largest_lower(const spa *run, double *largest) {
    *largest = 0.0;
    for (int64_t block = 0; block < run->blocks; block++)
        *largest = larger(*largest, run->lower[block]);
    return chi_largest(run->context, largest, 1);
}

static ch_status find_hot_blocks(spa *run) {
    double largest;
    run->hot_count = 0;
    TRY(largest_lower(run, &largest));
    run->threshold = largest * (1.0 - tie);
    for (int64_t block = 0; block < run->blocks; block++)
        if (run->upper[block] >= run->threshold && run->upper[block] > 0.0)
            run->hot[run->hot_count++] = block;
    return CH_OK;
}

/* Returns whether some column of this process that may be the largest is not exact yet. */
static int unsure(const spa *run) {
    for (int64_t h = 0; h < run->hot_count; h++) {
        int64_t block = run->hot[h];
        for (int64_t j = block * COLUMNS_PER_BLOCK; j < block_end(run, block); j++)
            if (run->slack[j] > 0.0f && run->square[j] + (double)run->slack[j] >= run->threshold)
                return 1;
    }
    return 0;
}

/* Offers the first column of this process that reaches the threshold. All such columns must be
 * exact. */
static void offer_first(void *user, chi_offer *offer, double most) {
    const spa *run = user;
    (void)most; /* the threshold already uses the largest of all processes */
    offer->count = 0;
    for (int64_t h = 0; offer->count == 0 && h < run->hot_count; h++) {
        int64_t block = run->hot[h];
        for (int64_t j = block * COLUMNS_PER_BLOCK; j < block_end(run, block); j++)
            if (run->square[j] >= run->threshold) {
                offer->index[0] = run->spread.first + j;
                offer->count = 1;
                break;
            }
    }
}

/* Finds the column with the largest residual and its square; *j = -1 if all columns are in the
 * span. */
static ch_status pick(spa *run, int64_t *j, double *largest) {
    int64_t asking = 1;
    chi_offer offer = {0};
    while (asking > 0) {
        TRY(find_hot_blocks(run));
        asking = unsure(run);
        TRY(chi_total(run->context, &asking, 1));
        if (asking > 0) chi_parallel(run->context, run->hot_count, refresh_block, run);
    }
    *j = -1;
    TRY(largest_lower(run, largest));
    if (*largest == 0.0) return CH_OK;
    TRY(chi_argmax(run->context, &offer, 0, 0, offer_first, run));
    if (offer.count > 0) *j = offer.index[0];
    return CH_OK;
}

/* The chosen column, which all processes know: its entries are in the first workspace. */
typedef struct chosen {
    int64_t stored;
    double scale, norm;
} chosen;

static ch_status share_column(spa *run, chosen *column, int64_t j) {
    work *w = &run->works[0];
    int64_t own = chi_distribution_local(&run->spread, j);
    int owner = chi_distribution_owner(&run->spread, j);
    if (own >= 0) {
        column->stored = chi_column_support(w->index, w->value, run->X, own);
        column->scale = run->scale[own];
        column->norm = run->norm[own];
    }
    TRY(chi_broadcast(run->context, column, 1, sizeof *column, owner));
    TRY(chi_broadcast(run->context, w->index, column->stored, sizeof *w->index, owner));
    return chi_broadcast(run->context, w->value, column->stored, sizeof *w->value, owner);
}

static void make_live(spa *run, int64_t stored) {
    const work *w = &run->works[0];
    for (int64_t e = 0; e < stored; e++) {
        int64_t row = w->index[e];
        if (run->place[row] >= 0) continue;
        memset(run->U + run->live * run->rank, 0, (size_t)run->rank * sizeof(double));
        run->live_row[run->live] = row;
        run->place[row] = run->live++;
    }
}

/* Appends u = R_j / |R_j| as the last direction. Orthogonalising twice is sufficient (Giraud,
 * Langou and Rozloznik 2005), and once if less than half of the square was removed. */
static ch_status append_direction(spa *run, int64_t j) {
    work *w = &run->works[0];
    chosen column = {0};
    TRY(share_column(run, &column, j));
    make_live(run, column.stored);
    double square = project_out_entries(run, w, column.stored, column.scale);
    if (square < 0.5 * column.norm * column.norm) square = project_out_again(run, w);
    double length = sqrt(square);
    for (int64_t p = 0; p < run->live; p++) {
        double u = w->residual[p] / length;
        run->U[p * run->rank + run->count] = u;
        run->direction[run->live_row[p]] = u;
    }
    run->count++;
    int64_t own = chi_distribution_local(&run->spread, j);
    if (own < 0) return CH_OK;
    run->square[own] = 0.0; /* it is in the span now */
    run->slack[own] = 0.0f;
    return CH_OK;
}

/* Removes the last direction from every column, in one pass over X. */
static ch_status downdate(spa *run) {
    TRY(chi_score(run->context, run->score, run->X, run->direction, 1));
    chi_parallel(run->context, run->blocks, downdate_block, run);
    return CH_OK;
}

static ch_status reserve(spa *run) {
    chi_arena *arena = &run->arena;
    int64_t rows = run->X->rows, cols = run->X->cols;
    int threads = ch_context_threads(run->context);
    run->blocks = (cols + COLUMNS_PER_BLOCK - 1) / COLUMNS_PER_BLOCK;
    double **of_columns[] = {&run->square, &run->scale, &run->score};
    for (int k = 0; k < 3; k++) *of_columns[k] = chi_arena_doubles(arena, cols);
    run->slack = chi_arena_alloc(arena, cols, sizeof(float));
    run->norm = chi_arena_alloc(arena, cols, sizeof(float));
    run->lower = chi_arena_doubles(arena, run->blocks);
    run->upper = chi_arena_doubles(arena, run->blocks);
    run->hot = chi_arena_alloc(arena, run->blocks, sizeof(int64_t));
    run->live_row = chi_arena_alloc(arena, rows, sizeof(int64_t));
    run->place = chi_arena_alloc(arena, rows, sizeof(int64_t));
    run->direction = chi_arena_alloc_zero(arena, rows, sizeof(double));
    run->U = chi_arena_alloc(arena, rows, (size_t)run->rank * sizeof(double));
    run->works = chi_arena_alloc(arena, threads, sizeof(work));
    for (int t = 0; t < threads && run->works; t++)
        run->works[t] = (work){.index = chi_arena_alloc(arena, rows, sizeof(int32_t)),
                               .value = chi_arena_doubles(arena, rows),
                               .residual = chi_arena_doubles(arena, rows),
                               .inner = chi_arena_doubles(arena, run->rank)};
    return chi_arena_status(arena, "successive projection");
}

/* Checks the column sums of this process, which are in run->score. A subnormal sum counts as zero,
 * because division by it overflows. */
static ch_status check_sums(spa *run, int64_t *usable, double *largest) {
    *usable = 0;
    *largest = 0.0;
    for (int64_t j = 0; j < run->X->cols; j++) {
        double sum = run->score[j];
        if (!(sum < INFINITY))
            return chi_fail(run->context, CH_ERR_DATA,
                            "the sum of column %lld is too large for a floating-point number; "
                            "multiply the data by a small factor",
                            (long long)(run->spread.first + j));
        *usable += sum >= DBL_MIN;
        *largest = larger(*largest, sum);
    }
    return CH_OK;
}

/* Finds how many columns can be anchors, and the largest sum, over all processes. */
static ch_status count_usable(spa *run, int64_t *usable, double *largest) {
    TRY(ch_comm_agree(run->context, check_sums(run, usable, largest)));
    TRY(chi_total(run->context, usable, 1));
    TRY(chi_largest(run->context, largest, 1));
    if (*usable == 0)
        return chi_fail(run->context, CH_ERR_DATA,
                        "all %lld columns of the matrix are zero, so no column can be an anchor",
                        (long long)run->spread.cols);
    if (run->rank > *usable)
        return chi_fail(run->context, CH_ERR_SETTING,
                        "the rank is %lld, but the matrix has only %lld columns that are not zero",
                        (long long)run->rank, (long long)*usable);
    return CH_OK;
}

/* Sets scales and squares. If the square of a column is out of the range of double, the column is
 * scaled before it is squared. */
static ch_status start(spa *run, int plain) {
    int64_t usable;
    double largest;
    TRY(chi_column_norms(run->context, run->score, run->square, run->X));
    TRY(count_usable(run, &usable, &largest));
    run->unit = plain ? ldexp(1.0, -ilogb(largest) - 1) : 1.0;
    run->round = 1e-14 * sqrt((double)run->X->rows); /* generous: a large slack costs time only */
    memset(run->place, 0xFF, (size_t)run->X->rows * sizeof *run->place);
    for (int64_t j = 0; j < run->X->cols; j++) {
        double sum = run->score[j], square = run->square[j];
        run->scale[j] = sum < DBL_MIN ? 0.0 : plain ? run->unit : 1.0 / sum;
        if (run->scale[j] == 0.0)
            square = 0.0;
        else if (square > 1e-280 && square < 1e280)
            square *= run->scale[j], square *= run->scale[j];
        else
            square = project_out(run, &run->works[0], j);
        run->square[j] = square;
        run->norm[j] = (float)sqrt(square);
        run->slack[j] = (float)(run->round * square);
    }
    for (int64_t block = 0; block < run->blocks; block++) summarise(run, block);
    return CH_OK;
}

static ch_status check(ch_context *context, const ch_matrix *X, int64_t cols,
                       const ch_anchors_settings *set) {
    if (set->rank < 1)
        return chi_fail(context, CH_ERR_SETTING,
                        "with the method spa the rank must be at least 1, got %lld",
                        (long long)set->rank);
    if (set->rank > X->rows)
        return chi_fail(
            context, CH_ERR_SETTING,
            "the rank is %lld, but for this matrix the method spa can select at most %lld "
            "columns, because its anchors are linearly independent",
            (long long)set->rank, (long long)X->rows);
    if (X->rows > INT32_MAX)
        return chi_fail(context, CH_ERR_UNSUPPORTED,
                        "the method spa supports at most 2^31 - 1 rows, got %lld",
                        (long long)X->rows);
    if (set->keep_count > set->rank)
        return chi_fail(context, CH_ERR_SETTING,
                        "the setting 'keep' lists %lld columns, but the rank is %lld; shorten the "
                        "list or raise the rank",
                        (long long)set->keep_count, (long long)set->rank);
    for (int64_t k = 0; k < set->keep_count; k++)
        if (set->keep[k] < 0 || set->keep[k] >= cols)
            return chi_fail(context, CH_ERR_SETTING,
                            "the setting 'keep' must list columns between 0 and %lld, got %lld",
                            (long long)cols - 1, (long long)set->keep[k]);
    return CH_OK;
}

/* Finds the next anchor: the next one given in advance, else the column with the largest
 * residual. */
static ch_status next_anchor(spa *run, int64_t *j, double *largest,
                             const ch_anchors_settings *set) {
    TRY(pick(run, j, largest));
    if (run->count >= set->keep_count) return CH_OK;
    *j = set->keep[run->count];
    int64_t own = chi_distribution_local(&run->spread, *j), independent = 0;
    if (own >= 0) {
        double square = project_out(run, &run->works[0], own);
        double least = run->settled * (double)run->norm[own];
        independent = square > least * least;
    }
    TRY(chi_total(run->context, &independent, 1));
    if (independent) return CH_OK;
    return chi_fail(run->context, CH_ERR_SETTING,
                    "the setting 'keep' lists column %lld, which is zero or linearly dependent on "
                    "the columns before it",
                    (long long)*j);
}

static ch_status select_anchors(spa *run, chi_selection *found, const ch_anchors_settings *set) {
    int64_t j;
    double largest;
    chi_begin_phase(run->context, "select", run->rank);
    TRY(start(run, set->plain));
    TRY(next_anchor(run, &j, &largest, set));
    for (;;) {
        TRY(append_direction(run, j));
        TRY(downdate(run));
        found->anchors[run->count - 1] = j;
        found->rank = run->count;
        int last = run->count == run->rank;
        int64_t taken = j;
        if (last) /* the residual after the last anchor */
            TRY(pick(run, &j, &largest));
        else
            TRY(next_anchor(run, &j, &largest, set));
        double residual = sqrt(largest) / run->unit;
        if (found->max_residual) found->max_residual[run->count - 1] = residual;
        int64_t stop =
            chi_notify(run->context, "select", run->count, run->rank, taken, residual) != 0;
        TRY(chi_total(run->context, &stop, 1));
        if (stop) return CH_STOP_CANCELLED;
        if (last) return CH_OK;
        if (j < 0) return CH_STOP_COMPLETE;
    }
}

ch_status chi_spa(ch_context *context, chi_selection *found, const ch_matrix *X,
                  const ch_anchors_settings *settings) {
    spa run = {.context = context,
               .arena.context = context,
               .X = X,
               .rank = settings->rank,
               .settled = larger(settings->stop, span)};
    found->rank = 0;
    ch_status status = chi_distribution_create(context, &run.spread, X);
    if (status == CH_OK) status = check(context, X, run.spread.cols, settings);
    if (status == CH_OK) status = ch_comm_agree(context, reserve(&run));
    if (status == CH_OK) status = select_anchors(&run, found, settings);
    chi_arena_free(&run.arena);
    chi_distribution_destroy(&run.spread);
    return status;
}
