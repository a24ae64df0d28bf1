/* CSC matrices from entries in any order, or from compressed arrays by column or by row.
 *
 * Input sorted by column, the usual case, is used without a copy; other input takes one counting
 * sort. Columns whose rows do not increase are sorted; entries at the same place are added in the
 * order of the file. O(entries + cols) when sorted. */
#include "io/file/format.h"
#include "linalg/view.h"
#include <stdlib.h>
#include <string.h>

ch_status chi_sparse_check_size(ch_context *context, const char *path, int64_t rows, int64_t cols) {
    if (rows >= 0 && rows <= INT32_MAX && cols >= 0 && cols < (int64_t)1 << 40) return CH_OK;
    return chi_fail(context, CH_ERR_UNSUPPORTED,
                    "%s: a sparse matrix of %lld rows x %lld columns is too large; at most 2^31 - "
                    "1 rows and 2^40 columns are supported",
                    path, (long long)rows, (long long)cols);
}

static ch_status enlarge(ch_context *context, chi_entries *entries, const char *path,
                         int64_t larger) {
    int64_t count = entries->count;
    entries->capacity = count; /* the capacity of the smallest of the three, if one fails */
    TRY(chi_array_enlarge(context, &entries->row, count, larger, sizeof(int32_t), path,
                          "row numbers"));
    TRY(chi_array_enlarge(context, &entries->col, count, larger, sizeof(int64_t), path,
                          "column numbers"));
    TRY(chi_array_enlarge(context, &entries->value, count, larger, sizeof(double), path, "values"));
    entries->capacity = larger;
    return CH_OK;
}

ch_status chi_entries_create(ch_context *context, chi_entries *entries, const char *path,
                             int64_t capacity) {
    *entries = (chi_entries){0};
    ch_status status = enlarge(context, entries, path, capacity);
    if (status != CH_OK) chi_entries_free(context, entries);
    return status;
}

ch_status chi_entries_grow(ch_context *context, chi_entries *entries, const char *path,
                           int64_t most) {
    int64_t larger = entries->capacity + entries->capacity / 2 + 64;
    return enlarge(context, entries, path, larger > most ? most : larger);
}

void chi_entries_free(ch_context *context, chi_entries *entries) {
    chi_free(context, entries->row);
    chi_free(context, entries->col);
    chi_free(context, entries->value);
    *entries = (chi_entries){0};
}

void chi_compressed_free(ch_context *context, chi_compressed *arrays) {
    chi_free(context, arrays->start);
    chi_free(context, arrays->index);
    chi_free(context, arrays->value);
    *arrays = (chi_compressed){0};
}

chi_narrowing chi_element_narrowing(chi_element element) {
    if (element.kind == 'f') return element.size <= 4 ? CHI_TRY_F32 : CHI_KEEP_F64;
    return CHI_TRY_UNSIGNED;
}

ch_status chi_index_check(ch_context *context, const char *path, const char *what,
                          const int64_t *wide, int64_t count, int64_t limit) {
    int64_t k = 0;
    while (k < count && wide[k] >= 0 && wide[k] < limit) k++;
    if (k == count) return CH_OK;
    return chi_fail(context, CH_ERR_FORMAT,
                    "%s: the %s %lld of entry %lld of the sparse matrix is out of range; it must "
                    "be from 0 to %lld",
                    path, what, (long long)wide[k], (long long)k, (long long)limit - 1);
}

ch_status chi_index_narrow(ch_context *context, const char *path, const char *what, int32_t **index,
                           const int64_t *wide, int64_t count, int64_t limit) {
    TRY(chi_index_check(context, path, what, wide, count, limit));
    *index = chi_take(context, path, "indices", count, sizeof **index);
    if (!*index) return CH_ERR_MEMORY;
    for (int64_t k = 0; k < count; k++) (*index)[k] = (int32_t)wide[k];
    return CH_OK;
}

ch_status chi_raw_indices(ch_context *context, const char *path, int64_t **indices,
                          const chi_raw *raw) {
    *indices = chi_take(context, path, "indices", raw->count, sizeof **indices);
    if (!*indices) return CH_ERR_MEMORY;
    chi_element_indices(*indices, raw->bytes, raw->count, raw->element);
    return CH_OK;
}

ch_status chi_raw_values(ch_context *context, const char *path, double **values,
                         const chi_raw *raw) {
    *values = chi_take(context, path, "values", raw->count, sizeof **values);
    if (!*values) return CH_ERR_MEMORY;
    if (chi_element_convert(*values, CH_F64, raw->bytes, raw->count, raw->element))
        chi_log(context, CH_LOG_WARNING,
                "%s: integers beyond 2^53 were rounded to the nearest floating-point number", path);
    return CH_OK;
}

static ch_status check_start(ch_context *context, const char *path, const chi_compressed *arrays,
                             int64_t major) {
    const int64_t *start = arrays->start;
    int64_t j = 0;
    while (j < major && start[j] <= start[j + 1]) j++;
    if (j == major && start[0] == 0 && start[major] == arrays->count) return CH_OK;
    return chi_fail(
        context, CH_ERR_FORMAT,
        "%s: the offsets (indptr or jc) of the sparse matrix must not decrease, and "
        "lead from 0 to its number of entries, %lld; they begin with %lld and end with %lld%s",
        path, (long long)arrays->count, (long long)start[0], (long long)start[major],
        j < major ? ", and they decrease in between" : "");
}

static int rises(const chi_compressed *arrays, int64_t major) {
    for (int64_t j = 0; j < major; j++)
        for (int64_t k = arrays->start[j] + 1; k < arrays->start[j + 1]; k++)
            if (arrays->index[k - 1] >= arrays->index[k]) return 0;
    return 1;
}

typedef struct place {
    int32_t index;
    int64_t order; /* in the file: makes the sum of duplicates the same everywhere */
    double value;
} place;

static int compare_places(const void *left, const void *right) {
    const place *a = left, *b = right;
    if (a->index != b->index) return a->index < b->index ? -1 : 1;
    return a->order < b->order ? -1 : a->order > b->order;
}

/* Sorts each line and merges duplicates; writing at `to` never overtakes reading. */
static ch_status tidy(ch_context *context, const char *path, chi_compressed *arrays,
                      int64_t major) {
    int64_t longest = 0, to = 0, from = 0;
    for (int64_t j = 0; j < major; j++) {
        int64_t length = arrays->start[j + 1] - arrays->start[j];
        if (length > longest) longest = length;
    }
    place *line = chi_take(context, path, "a column to sort", longest, sizeof *line);
    if (!line) return CH_ERR_MEMORY;
    for (int64_t j = 0; j < major; j++) {
        int64_t length = arrays->start[j + 1] - from, first = to;
        for (int64_t k = 0; k < length; k++, from++)
            line[k] = (place){arrays->index[from], k, arrays->value[from]};
        qsort(line, (size_t)length, sizeof *line, compare_places);
        for (int64_t k = 0; k < length; k++) {
            if (to > first && arrays->index[to - 1] == line[k].index) {
                arrays->value[to - 1] += line[k].value;
            } else {
                arrays->index[to] = line[k].index;
                arrays->value[to++] = line[k].value;
            }
        }
        arrays->start[j + 1] = to;
    }
    arrays->count = to;
    chi_free(context, line);
    return CH_OK;
}

static ch_value_type smallest_type(const chi_compressed *arrays, chi_narrowing narrowing) {
    double most = 0;
    if (narrowing == CHI_KEEP_F64) return CH_F64;
    for (int64_t k = 0; k < arrays->count; k++) {
        double value = arrays->value[k];
        int fits = narrowing == CHI_TRY_F32
                       ? value != value || (double)(float)value == value
                       : value >= 0 && value <= 65535 && (double)(uint16_t)value == value;
        if (!fits) return CH_F64;
        if (value > most) most = value;
    }
    return narrowing == CHI_TRY_F32 ? CH_F32 : most <= 255 ? CH_U8 : CH_U16;
}

ch_status chi_csc_retype(ch_context *context, ch_matrix *X, const char *path, ch_value_type type) {
    chi_store *store = X->owner;
    int64_t count = ch_matrix_stored(X);
    void *values = chi_take(context, path, "values", count, ch_value_type_size(type));
    if (!values) return CH_ERR_MEMORY;
    for (int64_t k = 0; k < count; k++) chi_value_put(values, type, k, chi_number_at(X, k));
    chi_free(context, store->values);
    X->values = store->values = values;
    X->type = type;
    return CH_OK;
}

/* Moves the arrays into an owning view. */
static ch_status adopt(ch_context *context, ch_matrix *X, const char *path, chi_compressed *arrays,
                       int64_t rows, int64_t cols, chi_narrowing narrowing) {
    ch_value_type type = smallest_type(arrays, narrowing);
    chi_store *store = chi_store_create(context);
    if (!store) return CH_ERR_MEMORY;
    *store = (chi_store){.values = arrays->value, .start = arrays->start, .index = arrays->index};
    *arrays = (chi_compressed){0};
    chi_store_csc(X, store, rows, cols, CH_F64);
    ch_status status = type == CH_F64 ? CH_OK : chi_csc_retype(context, X, path, type);
    if (status != CH_OK) ch_matrix_free(context, X);
    return status;
}

ch_status chi_csc_from_compressed(ch_context *context, ch_matrix *X, const char *path,
                                  chi_compressed *arrays, int64_t rows, int64_t cols, int by_row,
                                  chi_narrowing narrowing) {
    int64_t major = by_row ? rows : cols;
    ch_matrix made;
    ch_status status = check_start(context, path, arrays, major);
    if (status == CH_OK && !rises(arrays, major)) status = tidy(context, path, arrays, major);
    if (status == CH_OK)
        status = adopt(context, by_row ? &made : X, path, arrays, by_row ? cols : rows, major,
                       narrowing);
    chi_compressed_free(context, arrays);
    if (status != CH_OK || !by_row) return status;
    status = ch_matrix_transpose(context, X, &made);
    ch_matrix_free(context, &made);
    return status;
}

ch_status chi_csc_from_raw(ch_context *context, ch_matrix *X, const char *path,
                           const chi_raw arrays[3], const int64_t shape[2], int by_row,
                           const char *what) {
    chi_compressed made = {.count = arrays[2].count};
    int64_t *wide = NULL;
    ch_status status = chi_raw_indices(context, path, &made.start, &arrays[0]);
    if (status == CH_OK) status = chi_raw_indices(context, path, &wide, &arrays[1]);
    if (status == CH_OK)
        status =
            chi_index_narrow(context, path, what, &made.index, wide, made.count, shape[by_row]);
    chi_free(context, wide);
    if (status == CH_OK) status = chi_raw_values(context, path, &made.value, &arrays[2]);
    if (status == CH_OK)
        return chi_csc_from_compressed(context, X, path, &made, shape[0], shape[1], by_row,
                                       chi_element_narrowing(arrays[2].element));
    chi_compressed_free(context, &made);
    return status;
}

/* start[j + 1] = entries in columns 0..j; returns whether columns never decrease. */
static int count_columns(int64_t *start, const chi_entries *entries, int64_t cols) {
    int sorted = 1;
    memset(start, 0, (size_t)(cols + 1) * sizeof *start);
    for (int64_t k = 0; k < entries->count; k++) {
        start[entries->col[k] + 1]++;
        sorted &= k == 0 || entries->col[k - 1] <= entries->col[k];
    }
    for (int64_t j = 0; j < cols; j++) start[j + 1] += start[j];
    return sorted;
}

/* Stable; start[j] advances to the end of column j and is restored afterwards. */
static void scatter(chi_compressed *arrays, const chi_entries *entries, int64_t cols) {
    for (int64_t k = 0; k < entries->count; k++) {
        int64_t to = arrays->start[entries->col[k]]++;
        arrays->index[to] = entries->row[k];
        arrays->value[to] = entries->value[k];
    }
    memmove(arrays->start + 1, arrays->start, (size_t)cols * sizeof *arrays->start);
    arrays->start[0] = 0;
}

ch_status chi_csc_from_entries(ch_context *context, ch_matrix *X, const char *path,
                               chi_entries *entries, int64_t rows, int64_t cols,
                               chi_narrowing narrowing) {
    chi_compressed arrays = {.count = entries->count};
    arrays.start = chi_take(context, path, "column offsets", cols + 1, sizeof *arrays.start);
    if (arrays.start && count_columns(arrays.start, entries, cols)) {
        arrays.index = entries->row;
        arrays.value = entries->value;
        entries->row = NULL;
        entries->value = NULL;
    } else if (arrays.start) {
        arrays.index = chi_take(context, path, "row numbers", arrays.count, sizeof *arrays.index);
        if (arrays.index)
            arrays.value = chi_take(context, path, "values", arrays.count, sizeof *arrays.value);
        if (arrays.value) scatter(&arrays, entries, cols);
    }
    chi_entries_free(context, entries);
    if (arrays.value)
        return chi_csc_from_compressed(context, X, path, &arrays, rows, cols, 0, narrowing);
    chi_compressed_free(context, &arrays);
    return CH_ERR_MEMORY;
}
