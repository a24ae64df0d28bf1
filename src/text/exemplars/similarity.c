/* Similarities of columns by an inverted index: the entries of a matrix row after row.
 *
 *     cosine      s_ij = <z_i, z_j>,              z_j = x_j / |x_j|_2
 *     root        s_ij = <z_i, z_j>^(1/2),        z_j as for cosine
 *     hellinger   s_ij = <z_i, z_j>,              z_j = (x_j / |x_j|_1)^(1/2)
 *     l1          s_ij = sum_t min(z_ti, z_tj),   z_j = x_j / |x_j|_1;  1 - |z_i - z_j|_1 / 2
 *
 * Hellinger's is 1 - |z_i - z_j|^2 / 2, of columns as distributions (the affinity of
 * Bhattacharyya). All similarities with one column take one pass over the rows in which it is
 * non-zero. A row that a quarter of the columns have is also stored with its zeros: adding all of
 * it in order is faster than adding the entries one by one, and gives the same sums. */
#include "text/exemplars/similarity.h"
#include "linalg/linalg.h"
#include <math.h>
#include <string.h>

int64_t chi_similarity_column(const chi_similarity *alike, chi_similarity_room *room, int64_t j) {
    int64_t count = chi_column_support(room->index, room->value, alike->X, j);
    double scale = alike->scale[j];
    if (alike->kind == CH_SIMILARITY_HELLINGER)
        for (int64_t k = 0; k < count; k++) room->value[k] = sqrt(room->value[k] * scale);
    else
        for (int64_t k = 0; k < count; k++) room->value[k] *= scale;
    return count;
}

static int by_length(const chi_similarity *alike) {
    return alike->kind == CH_SIMILARITY_COSINE || alike->kind == CH_SIMILARITY_ROOT;
}

enum { PAUSE = 4096 }; /* columns between two questions whether to stop */

static ch_status find_scales(ch_context *context, chi_similarity *alike,
                             const chi_similarity_room *room) {
    const ch_matrix *X = alike->X;
    for (int64_t j = 0; j < X->cols; j++) {
        if (j % PAUSE == 0) TRY(chi_pause(context));
        int64_t count = chi_column_support(room->index, room->value, X, j);
        double size = 0;
        for (int64_t k = 0; k < count; k++) {
            double x = room->value[k];
            size += by_length(alike) ? x * x : x;
            alike->start[room->index[k] + 1]++;
        }
        if (by_length(alike)) size = sqrt(size);
        alike->scale[j] = size > 0 ? 1 / size : 0;
    }
    return CH_OK;
}

static ch_status fill_rows(ch_context *context, chi_similarity *alike, chi_similarity_room *room) {
    const ch_matrix *X = alike->X;
    int64_t *next = alike->start; /* each advanced by a row, restored at the end */
    for (int64_t j = 0; j < X->cols; j++) {
        if (j % PAUSE == 0) TRY(chi_pause(context));
        int64_t count = chi_similarity_column(alike, room, j);
        for (int64_t k = 0; k < count; k++) {
            int64_t at = next[room->index[k]]++;
            alike->column[at] = (int32_t)j;
            alike->value[at] = (float)room->value[k];
        }
    }
    memmove(next + 1, next, (size_t)X->rows * sizeof *next);
    next[0] = 0;
    return CH_OK;
}

/* At most 16 bytes per entry of these rows. */
static ch_status store_frequent(chi_arena *arena, chi_similarity *alike) {
    enum { SHARE = 4 }; /* loops in order are about four times as fast */
    int64_t rows = alike->X->rows, cols = alike->X->cols, used = 0;
    alike->place = chi_arena_alloc(arena, rows, sizeof *alike->place);
    TRY(chi_arena_status(arena, "similarities"));
    for (int64_t t = 0; t < rows; t++) {
        int64_t holders = alike->start[t + 1] - alike->start[t];
        alike->place[t] = holders * SHARE > cols ? used : -1;
        used += holders * SHARE > cols ? cols : 0;
    }
    alike->frequent = chi_arena_alloc_zero(arena, used, sizeof *alike->frequent);
    TRY(chi_arena_status(arena, "similarities"));
    for (int64_t t = 0; t < rows; t++)
        for (int64_t k = alike->start[t]; alike->place[t] >= 0 && k < alike->start[t + 1]; k++)
            alike->frequent[alike->place[t] + alike->column[k]] = alike->value[k];
    return CH_OK;
}

void chi_similarity_reserve(chi_arena *arena, chi_similarity_room *room, const ch_matrix *X) {
    room->index = chi_arena_alloc(arena, X->rows, sizeof *room->index);
    room->value = chi_arena_doubles(arena, X->rows);
    room->sum = chi_arena_doubles(arena, X->cols);
}

ch_status chi_similarity_create(chi_arena *arena, chi_similarity *alike, const ch_matrix *X,
                                ch_similarity kind) {
    chi_similarity_room room;
    *alike = (chi_similarity){.X = X, .kind = kind};
    if (X->cols > INT32_MAX)
        return chi_fail(
            arena->context, CH_ERR_UNSUPPORTED,
            "the data have more than 2^31 - 1 columns, which this method does not support");
    chi_similarity_reserve(arena, &room, X);
    alike->scale = chi_arena_doubles(arena, X->cols);
    alike->start = chi_arena_alloc_zero(arena, X->rows + 1, sizeof *alike->start);
    TRY(chi_arena_status(arena, "similarities"));
    TRY(find_scales(arena->context, alike, &room));
    for (int64_t t = 0; t < X->rows; t++) alike->start[t + 1] += alike->start[t];
    alike->column = chi_arena_alloc(arena, alike->start[X->rows], sizeof *alike->column);
    alike->value = chi_arena_alloc(arena, alike->start[X->rows], sizeof *alike->value);
    TRY(chi_arena_status(arena, "similarities"));
    TRY(fill_rows(arena->context, alike, &room));
    return store_frequent(arena, alike);
}

static void add_products(double *restrict s, const int32_t *restrict column,
                         const float *restrict value, int64_t count, double x) {
    for (int64_t k = 0; k < count; k++) s[column[k]] += x * (double)value[k];
}

static void add_least(double *restrict s, const int32_t *restrict column,
                      const float *restrict value, int64_t count, double x) {
    for (int64_t k = 0; k < count; k++) s[column[k]] += x < (double)value[k] ? x : (double)value[k];
}

/* The same for all values of a row, in order. */
static void add_all(double *restrict s, const float *restrict value, int64_t count, double x,
                    int l1) {
    if (l1)
        for (int64_t i = 0; i < count; i++) s[i] += x < (double)value[i] ? x : (double)value[i];
    else
        for (int64_t i = 0; i < count; i++) s[i] += x * (double)value[i];
}

void chi_similarity_row(const chi_similarity *alike, chi_similarity_room *room, float *s,
                        int64_t j) {
    const ch_matrix *X = alike->X;
    int64_t count = chi_similarity_column(alike, room, j);
    int l1 = alike->kind == CH_SIMILARITY_L1;
    double *sum = room->sum;
    memset(sum, 0, (size_t)X->cols * sizeof *sum);
    for (int64_t k = 0; k < count; k++) {
        int64_t t = room->index[k], from = alike->start[t], to = alike->start[t + 1];
        if (alike->place[t] >= 0) {
            add_all(sum, alike->frequent + alike->place[t], X->cols, room->value[k], l1);
            continue;
        }
        (l1 ? add_least : add_products)(sum, alike->column + from, alike->value + from, to - from,
                                        room->value[k]);
    }
    if (alike->kind == CH_SIMILARITY_ROOT)
        for (int64_t i = 0; i < X->cols; i++) s[i] = (float)sqrt(sum[i]);
    else
        for (int64_t i = 0; i < X->cols; i++) s[i] = (float)sum[i];
}
