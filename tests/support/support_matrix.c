#include "support.h"
#include <conehull/synthetic.h>
#include <stdlib.h>
#include <string.h>

void support_store(void *values, int64_t place, ch_value_type type, double value) {
    switch (type) {
    case CH_F64:
        ((double *)values)[place] = value;
        break;
    case CH_F32:
        ((float *)values)[place] = (float)value;
        break;
    case CH_U8:
        ((uint8_t *)values)[place] = (uint8_t)value;
        break;
    case CH_U16:
        ((uint16_t *)values)[place] = (uint16_t)value;
        break;
    }
}

static void free_block(ch_context *context, void *owner) {
    (void)context;
    free(owner);
}

static ch_matrix reshape_csc(const ch_matrix *X, ch_value_type type) {
    int64_t count = 0, *start;
    for (int64_t j = 0; j < X->cols; j++)
        for (int64_t i = 0; i < X->rows; i++) count += ch_matrix_at(X, i, j) != 0.0;
    size_t size = ch_value_type_size(type);
    char *block = calloc(1, (size_t)(X->cols + 1) * 8 + (size_t)count * (4 + size) + 16);
    assert_non_null(block);
    start = (int64_t *)block;
    void *values = start + X->cols + 1;
    int32_t *rows = (int32_t *)((char *)values + (size_t)count * size + (8 - count * size % 8) % 8);
    int64_t at = 0;
    for (int64_t j = 0; j < X->cols; j++) {
        for (int64_t i = 0; i < X->rows; i++) {
            double value = ch_matrix_at(X, i, j);
            if (value == 0.0) continue;
            support_store(values, at, type, value);
            rows[at++] = (int32_t)i;
        }
        start[j + 1] = at;
    }
    return (ch_matrix){.rows = X->rows,
                       .cols = X->cols,
                       .layout = CH_CSC,
                       .type = type,
                       .values = values,
                       .column_start = start,
                       .row_index = rows,
                       .owner = block,
                       .release = free_block};
}

ch_matrix support_reshape(ch_context *context, const ch_matrix *X, ch_matrix_layout layout,
                          ch_value_type type) {
    (void)context;
    if (layout == CH_CSC) return reshape_csc(X, type);
    int64_t stride = 1 + (layout == CH_ROW_MAJOR ? X->cols : X->rows);
    int64_t lines = layout == CH_ROW_MAJOR ? X->rows : X->cols;
    size_t bytes = (size_t)(stride * lines) * ch_value_type_size(type);
    void *values = malloc(bytes + 1);
    assert_non_null(values);
    memset(values, 0xFF, bytes); /* NaN, or the largest integer */
    for (int64_t j = 0; j < X->cols; j++)
        for (int64_t i = 0; i < X->rows; i++) {
            int64_t place = layout == CH_ROW_MAJOR ? i * stride + j : i + j * stride;
            support_store(values, place, type, ch_matrix_at(X, i, j));
        }
    return (ch_matrix){.rows = X->rows,
                       .cols = X->cols,
                       .layout = layout,
                       .type = type,
                       .values = values,
                       .stride = stride,
                       .owner = values,
                       .release = free_block};
}

ch_matrix support_dense(ch_context *context, const double *values, int64_t rows, int64_t cols) {
    ch_matrix X;
    assert_int_equal(
        ch_matrix_borrow(context, &X, &(ch_matrix){.rows = rows, .cols = cols, .values = values}),
        CH_OK);
    return X;
}

ch_matrix support_planted(ch_context *context, int64_t *anchors, int64_t rows, int64_t cols,
                          int64_t rank, double level, int64_t seed) {
    const ch_synthetic_settings set = {.size = sizeof set,
                                       .rows = rows,
                                       .cols = cols,
                                       .rank = rank,
                                       .noise = level > 0 ? CH_NOISE_SPARSE : CH_NOISE_NONE,
                                       .level = level,
                                       .shuffle = 1,
                                       .seed = seed};
    ch_matrix X;
    ch_status status = ch_synthetic_make(context, &X, anchors, &set);
    support_check(status == CH_OK, "%s", ch_context_message(context));
    return X;
}
