/* Smoothed successive projection, after Nadisic, Gillis and Kervazo (2021). An anchor is not one
 * column but the median, row by row, of the P columns that are farthest along its direction, so
 * that no single bad entry or column decides. With R = (I - U U') X D, rank times:
 *
 *     j = argmax |R_j|_2,   K = the P columns i of largest <R_j, x_i D_ii>,
 *     w = median of the columns of K,   U <- [U, (I - U U') w / |.|].
 *
 * The reported anchor is the column of K nearest to w, in l2, that is not an anchor yet. P = 1 is
 * successive projection. Cost: two passes over X per anchor. */
#include "baseline/baseline.h"
#include "baseline/variants/span_residuals.h"
#include "linalg/linalg.h"
#include <math.h>
#include <string.h>

typedef struct smoothed {
    ch_context *context;
    chi_scaled_columns columns;
    chi_span span;
    int64_t rows, neighbours;
    int64_t *near;   /* neighbours: the columns of K, by increasing index */
    double *members; /* rows x neighbours: these columns, scaled          */
    double *sorted;  /* the larger of cols and neighbours: workspace      */
    double *median;  /* rows                                              */
    double *direction;
    unsigned char *taken; /* cols: whether the column is an anchor */
    chi_arena arena;
} smoothed;

/* Finds K for the direction R_j; ties for the last place go to the lowest columns. */
static ch_status find_neighbours(smoothed *run, const double *direction) {
    int64_t cols = run->columns.X->cols, p = run->neighbours, above = 0, found = 0;
    double *score = run->span.score;
    TRY(chi_score(run->context, score, run->columns.X, direction, 1));
    for (int64_t j = 0; j < cols; j++) score[j] *= run->columns.scale[j];
    memcpy(run->sorted, score, (size_t)cols * sizeof(double));
    double least = chi_select_value(run->sorted, cols, cols - p);
    for (int64_t j = 0; j < cols; j++) above += score[j] > least;
    for (int64_t j = 0, ties = p - above; j < cols; j++)
        if (score[j] > least || (score[j] == least && ties-- > 0)) run->near[found++] = j;
    return CH_OK;
}

static void take_median(smoothed *run) {
    int64_t p = run->neighbours;
    for (int64_t a = 0; a < p; a++)
        chi_scaled_column(&run->columns, run->members + a * run->rows, run->near[a]);
    for (int64_t i = 0; i < run->rows; i++) {
        for (int64_t a = 0; a < p; a++) run->sorted[a] = run->members[i + a * run->rows];
        double upper = chi_select_value(run->sorted, p, p / 2);
        double lower = p % 2 ? upper : chi_select_value(run->sorted, p, p / 2 - 1);
        run->median[i] = (lower + upper) / 2;
    }
}

/* Returns the column of K nearest to the median that is not an anchor yet, or -1. */
static int64_t representative(const smoothed *run) {
    int64_t best = -1;
    double least = INFINITY;
    for (int64_t a = 0; a < run->neighbours; a++) {
        double square = 0;
        for (int64_t i = 0; i < run->rows; i++) {
            double off = run->members[i + a * run->rows] - run->median[i];
            square += off * off;
        }
        if (run->taken[run->near[a]] || square >= least) continue;
        least = square;
        best = run->near[a];
    }
    return best;
}

/* Finds the anchor for the farthest column j; *anchor = -1 if its neighbourhood adds nothing to the
 * span. */
static ch_status smooth_anchor(smoothed *run, int64_t j, int64_t *anchor) {
    double length = 0;
    chi_scaled_column(&run->columns, run->direction, j);
    chi_span_remove(&run->span, run->direction);
    TRY(find_neighbours(run, run->direction));
    take_median(run);
    *anchor = representative(run);
    for (int64_t i = 0; i < run->rows; i++) length += run->median[i] * run->median[i];
    double norm = chi_span_remove(&run->span, run->median);
    if (norm <= 1e-12 * sqrt(length)) *anchor = -1;
    if (*anchor < 0) return CH_OK;
    run->taken[*anchor] = 1;
    return chi_span_append(&run->span, run->median, norm);
}

static ch_status select_anchors(smoothed *run, chi_selection *found, int64_t rank) {
    double distance;
    int64_t anchor;
    chi_begin_phase(run->context, "select", rank);
    TRY(chi_span_clear(&run->span));
    while (found->rank < rank) {
        int64_t j = chi_span_farthest(&run->span, &distance);
        if (j < 0) return CH_STOP_COMPLETE;
        TRY(smooth_anchor(run, j, &anchor));
        if (anchor < 0) return CH_STOP_COMPLETE;
        found->anchors[found->rank] = anchor;
        chi_span_farthest(&run->span, &distance);
        distance /= run->columns.unit;
        if (found->max_residual) found->max_residual[found->rank] = distance;
        found->rank++;
        if (chi_notify(run->context, "select", found->rank, rank, anchor, distance))
            return CH_STOP_CANCELLED;
    }
    return CH_OK;
}

static ch_status reserve(smoothed *run, int64_t rank) {
    chi_arena *arena = &run->arena;
    int64_t cols = run->columns.X->cols, p = run->neighbours;
    if (p > run->columns.usable)
        return chi_fail(
            run->context, CH_ERR_SETTING,
            "the setting 'neighbours' is %lld, but the matrix has only %lld columns that "
            "are not zero",
            (long long)p, (long long)run->columns.usable);
    if (rank > run->rows)
        return chi_fail(run->context, CH_ERR_SETTING,
                        "the rank is %lld, but the matrix has only %lld rows; the method "
                        "smoothed-spa finds linearly independent columns only",
                        (long long)rank, (long long)run->rows);
    run->near = chi_arena_alloc(arena, p, sizeof(int64_t));
    run->members = chi_arena_alloc(arena, run->rows, (size_t)p * sizeof(double));
    run->sorted = chi_arena_doubles(arena, cols);
    run->median = chi_arena_doubles(arena, run->rows);
    run->direction = chi_arena_doubles(arena, run->rows);
    run->taken = chi_arena_alloc_zero(arena, cols, 1);
    TRY(chi_arena_status(arena, "smoothed successive projection"));
    return chi_span_create(arena, &run->span, &run->columns, rank);
}

ch_status chi_smoothed_spa(ch_context *context, chi_selection *found, const ch_matrix *X,
                           const ch_anchors_settings *settings) {
    smoothed run = {.context = context,
                    .arena.context = context,
                    .rows = X->rows,
                    .neighbours = settings->neighbours};
    found->rank = 0;
    ch_status status = chi_scaled_create(&run.arena, &run.columns, "smoothed-spa", X, settings);
    if (status == CH_OK) status = reserve(&run, settings->rank);
    if (status == CH_OK) status = select_anchors(&run, found, settings->rank);
    chi_arena_free(&run.arena);
    return status;
}
