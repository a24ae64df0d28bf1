/* Negative values become 0 in a copy of X. Under l1 that changes nothing but a constant: W and h
 * being non-negative, |x_i - (W h)_i| = |x_i| + (W h)_i for x_i <= 0, so that the same h is optimal
 * as for x_i = 0, and the objective is smaller by |x_i|, the mass that is reported. Under other
 * losses the data are other data. Cost: one pass, and the memory of X where something is negative.
 */
#include "anchors/data/negative_values.h"
#include "base/arena.h"
#include "base/processes.h"
#include "linalg/larger_copy.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { BLOCK = 64 }; /* columns looked at as one piece of work */

typedef struct search {
    const ch_matrix *X;
    int64_t *count;
    double *mass; /* per column, added up by rows in every layout */
} search;

#define NOTE(at, j)                      \
    do {                                 \
        if ((double)x[at] < 0) {         \
            s->count[j]++;               \
            s->mass[j] -= (double)x[at]; \
        }                                \
    } while (0)

#define LOOK(T)                                                           \
    const T *x = (const T *)X->values;                                    \
    for (int64_t i = 0; X->layout == CH_ROW_MAJOR && i < X->rows; i++)    \
        for (int64_t j = low; j < high; j++) NOTE(i * X->stride + j, j);  \
    for (int64_t j = low; X->layout == CH_COLUMN_MAJOR && j < high; j++)  \
        for (int64_t i = 0; i < X->rows; i++) NOTE(i + j * X->stride, j); \
    for (int64_t j = low; X->layout == CH_CSC && j < high; j++)           \
        for (int64_t e = X->column_start[j]; e < X->column_start[j + 1]; e++) NOTE(e, j);

static void look(void *user, int64_t block, int thread) {
    const search *s = user;
    const ch_matrix *X = s->X;
    int64_t low = block * BLOCK, high = low + BLOCK < X->cols ? low + BLOCK : X->cols;
    (void)thread;
    CHI_BY_TYPE(X->type, LOOK)
}

static void look_at_all(ch_context *context, search *s) {
    chi_parallel(context, (s->X->cols + BLOCK - 1) / BLOCK, look, s);
}

static ch_status create_search(chi_arena *arena, search *s, const ch_matrix *X) {
    *s = (search){.X = X};
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

/* What a process does by itself. */
static ch_status clip_part(ch_context *context, chi_clipped *c, chi_arena *arena, search *s) {
    const ch_matrix *X = c->X;
    TRY(chi_check_view(context, X));
    TRY(create_search(arena, s, X));
    if (!can_be_negative(X)) return CH_OK;
    TRY(chi_matrix_check_signed(context, X));
    look_at_all(context, s);
    c->count = total_count(s);
    if (c->count == 0) return CH_OK;
    chi_larger how = {.type = X->type, .clip = 1, .what = "a copy of the matrix"};
    TRY(chi_copy_larger(context, &c->own, X, &how));
    c->X = &c->own;
    return CH_OK;
}

ch_status chi_clip(ch_context *context, chi_clipped *c, const ch_matrix *X,
                   ch_negative_values negative) {
    chi_arena arena = {.context = context};
    search s;
    *c = (chi_clipped){.X = X};
    if (negative != CH_NEGATIVE_CLIP) return CH_OK;
    ch_status status = ch_comm_agree(context, clip_part(context, c, &arena, &s));
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
        return chi_fail(
            context, CH_ERR_DATA,
            "%s; where a gap is a gap, --missing nan (setting missing) explains columns "
            "by the entries that they have",
            why);
    if (can_be_negative(X) && chi_check_view(context, X) == CH_OK &&
        create_search(&arena, &s, X) == CH_OK) {
        look_at_all(context, &s);
        count = total_count(&s);
    }
    chi_arena_free(&arena);
    if (chi_total(context, &count, 1) < 0 || count == 0)
        return chi_fail(context, CH_ERR_DATA, "%s", why);
    return chi_fail(context, CH_ERR_DATA,
                    "%s; %.3g %% of the entries are negative: --negative clip (setting negative) "
                    "makes them 0",
                    why, 100 * (double)count / ((double)X->rows * (double)cols));
}
