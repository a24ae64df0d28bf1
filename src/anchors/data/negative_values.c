/* Shows negative values as 0 in a view of X. Under l1 that only changes a constant: since W and h
 * are non-negative, |x_i - (W h)_i| = |x_i| + (W h)_i for x_i <= 0, so the same h is optimal as for
 * x_i = 0, and the objective is smaller by |x_i|, the reported mass. Under other losses the result
 * changes. Cost: one pass; a sparse matrix with negative values is copied. */
#include "anchors/data/negative_values.h"
#include "base/arena.h"
#include "base/processes.h"
#include "linalg/larger_copy.h"
#include "linalg/shown.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

enum {
    BLOCK = 64,  /* columns per work item ...                      */
    STRIP = 1024 /* ... and in row-major order, for ranges of rows */
};

typedef struct search {
    ch_context *context;
    const ch_matrix *X;
    const chi_typed_loops *typed;
    int64_t width; /* of a block */
    int64_t *count;
    double *mass;    /* per column, added by rows in every layout */
    _Atomic int odd; /* some value is NaN or infinite             */
} search;

/* Reads a line of values: of column j or, with step 1, of the columns from j on. Most lines have
 * nothing to record. */
#define LOOK(T)                                              \
    const T *x = chi_value_at(s->X, at);                     \
    for (int64_t k = first; k < count; k++) {                \
        double value = (double)x[k];                         \
        if (!(value - value == 0)) atomic_store(&s->odd, 1); \
        if (!(value < 0)) continue;                          \
        s->count[j + k * step]++;                            \
        s->mass[j + k * step] -= value;                      \
    }

static void look_along(search *s, int64_t at, int64_t count, int64_t j, int64_t step) {
    int64_t first = s->typed->first_bad(chi_value_at(s->X, at), count);
    if (first == count) return;
    CHI_BY_TYPE(s->X->type, LOOK)
}

static void look(void *user, int64_t block, int thread) {
    search *s = user;
    const ch_matrix *X = s->X;
    int64_t low = block * s->width, high = low + s->width < X->cols ? low + s->width : X->cols;
    (void)thread;
    chi_prefetch_block(s->context, X, s->width, block);
    for (int64_t i = 0; X->layout == CH_ROW_MAJOR && i < X->rows; i++)
        look_along(s, i * X->stride + low, high - low, low, 1);
    for (int64_t j = low; X->layout == CH_COLUMN_MAJOR && j < high; j++)
        look_along(s, j * X->stride, X->rows, j, 0);
    for (int64_t j = low; X->layout == CH_CSC && j < high; j++)
        look_along(s, X->column_start[j], X->column_start[j + 1] - X->column_start[j], j, 0);
}

static ch_status look_at_all(search *s) {
    return chi_pass(s->context, s->X, s->width, 1, look, s);
}

static ch_status create_search(chi_arena *arena, search *s, const ch_matrix *X) {
    ch_context *context = arena->context;
    *s = (search){.context = context,
                  .X = X,
                  .typed = &chi_kernels_of(context)->dense->typed[X->type],
                  .width = X->layout == CH_ROW_MAJOR ? STRIP : BLOCK};
    s->count = chi_arena_alloc_zero(arena, X->cols, sizeof *s->count);
    s->mass = chi_arena_alloc_zero(arena, X->cols, sizeof *s->mass);
    return chi_arena_status(arena, "negative values");
}

static int64_t total_count(const search *s) {
    int64_t total = 0;
    for (int64_t j = 0; j < s->X->cols; j++) total += s->count[j];
    return total;
}

static int can_be_negative(const ch_matrix *X) {
    return X->type == CH_F64 || X->type == CH_F32;
}

/* Makes c->X without negative values. ours: its values, if they may be changed, else NULL. */
static ch_status show_clipped(ch_context *context, chi_clipped *c, double *ours) {
    const ch_matrix *X = c->X;
    for (int64_t e = 0; ours && e < X->rows * X->cols; e++) ours[e] = ours[e] < 0 ? 0 : ours[e];
    if (ours) return CH_OK;
    if (X->layout == CH_CSC) {
        chi_larger how = {.type = X->type, .clip = 1, .what = "a copy of the matrix"};
        TRY(chi_copy_larger(context, &c->own, X, &how));
    } else {
        chi_showing how = {.type = X->type, .clip = 1, .what = "a view of the matrix"};
        TRY(chi_show(context, &c->own, X, &how));
    }
    c->X = &c->own;
    return CH_OK;
}

/* The part of the work that is not collective. */
static ch_status clip_part(ch_context *context, chi_clipped *c, chi_arena *arena, search *s,
                           double *ours) {
    const ch_matrix *X = c->X;
    TRY(chi_check_view(context, X));
    TRY(create_search(arena, s, X));
    if (!can_be_negative(X)) return CH_OK;
    if (X->layout == CH_CSC) TRY(chi_matrix_check_signed(context, X)); /* its structure too */
    TRY(look_at_all(s));
    if (s->odd) TRY(chi_matrix_check_signed(context, X)); /* returns the message */
    c->count = total_count(s);
    return c->count == 0 ? CH_OK : show_clipped(context, c, ours);
}

ch_status chi_clip(ch_context *context, chi_clipped *c, const ch_matrix *X,
                   ch_negative_values negative, double *ours) {
    chi_arena arena = {.context = context};
    search s;
    *c = (chi_clipped){.X = X};
    if (negative != CH_NEGATIVE_CLIP) return CH_OK;
    ch_status status = ch_comm_agree(context, clip_part(context, c, &arena, &s, ours));
    if (status == CH_OK) status = chi_sum(context, &c->mass, s.mass, X->cols);
    if (status == CH_OK) status = chi_total(context, &c->count, 1);
    chi_arena_free(&arena);
    if (status < 0) {
        chi_clipped_free(context, c);
        c->X = X;
    }
    return status;
}

void chi_clipped_free(ch_context *context, chi_clipped *c) {
    ch_matrix_free(context, &c->own);
    *c = (chi_clipped){0};
}

ch_status chi_advise_clipping(ch_context *context, const ch_matrix *X, int64_t cols) {
    chi_arena arena = {.context = context};
    char why[256];
    int64_t count = 0;
    search s;
    snprintf(why, sizeof why, "%s", ch_context_message(context));
    if (strstr(why, "NaN") && chi_process_count(context) == 1)
        return chi_fail(context, CH_ERR_DATA,
                        "%s. If NaN marks values that are not known (in a text table also empty "
                        "cells and NA), use --missing nan (setting missing = nan), which fits each "
                        "data point to its known values",
                        why);
    const chi_shown *shown = chi_shown_of(X); /* a library after the data has no negative values */
    if (shown) X = &shown->X;
    if (can_be_negative(X) && !(shown && shown->clip) && chi_check_view(context, X) == CH_OK &&
        create_search(&arena, &s, X) == CH_OK && look_at_all(&s) == CH_OK)
        count = total_count(&s);
    chi_arena_free(&arena);
    if (chi_total(context, &count, 1) < 0 || count == 0)
        return chi_fail(context, CH_ERR_DATA, "%s", why);
    return chi_fail(context, CH_ERR_DATA,
                    "%s. %.3g %% of the entries are negative; --negative clip (setting negative = "
                    "clip) makes them 0",
                    why, 100 * (double)count / ((double)X->rows * (double)cols));
}
