/* One set of numbers, every layout and type, 1, 2 and 4 threads, every kernel table:
 *  - scores, norms and counts have the same bits for any number of threads, for a column wherever
 * it stands, and for bytes in either dense order;
 *  - across layouts and types they agree to rounding;
 *  - columns and their supports are the same numbers. */
#include "support.h"

#include "linalg/linalg.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { VECTORS = 3 };

typedef struct outcome {
    double *scores; /* cols x VECTORS */
    double *norms;  /* cols x 2       */
    int64_t nonzeros;
} outcome;

static ch_random source;

static outcome compute(ch_context *context, const ch_matrix *X, const double *D) {
    outcome o = {calloc((size_t)(X->cols * VECTORS), sizeof(double)),
                 calloc((size_t)(X->cols * 2), sizeof(double)), 0};
    assert_int_equal(ch_matrix_check(context, X), CH_OK);
    assert_int_equal(chi_score(context, o.scores, X, D, VECTORS), CH_OK);
    assert_int_equal(chi_column_norms(context, o.norms, o.norms + X->cols, X), CH_OK);
    o.nonzeros = ch_matrix_nonzeros(context, X);
    return o;
}

static void discard(outcome *o) {
    free(o->scores);
    free(o->norms);
}

static int same_bits(const outcome *a, const outcome *b, int64_t cols) {
    return !memcmp(a->scores, b->scores, (size_t)(cols * VECTORS) * sizeof(double)) &&
           !memcmp(a->norms, b->norms, (size_t)(cols * 2) * sizeof(double)) &&
           a->nonzeros == b->nonzeros;
}

/* Small integers, exact in every type; a few dense columns and an all-zero one. */
static ch_matrix draw(ch_context *context, double *values, int64_t rows, int64_t cols) {
    ch_matrix X;
    for (int64_t j = 0; j < cols; j++)
        for (int64_t i = 0; i < rows; i++) {
            int dense = j % 7 == 0, zero = j % 11 == 5;
            int64_t v = ch_random_below(&source, 256);
            values[i + j * rows] = zero || (!dense && v % 3) ? 0 : (double)v;
        }
    X = support_dense(context, values, rows, cols);
    return X;
}

static void near(const outcome *a, const outcome *b, const ch_matrix *X, const double *D) {
    for (int64_t j = 0; j < X->cols; j++) {
        support_check(a->norms[j] == b->norms[j] && a->norms[X->cols + j] == b->norms[X->cols + j],
                      "norms of column %lld differ", (long long)j); /* exact for integers */
        for (int c = 0; c < VECTORS; c++) {
            double size = 0, largest = 0;
            for (int64_t i = 0; i < X->rows; i++) {
                double d = fabs(D[i + c * X->rows]);
                size += d * ch_matrix_at(X, i, j);
                largest = d > largest ? d : largest;
            }
            double bound = 0x1p-52 * (double)(X->rows + 2) * size + 0x1p-58 * largest * a->norms[j];
            support_close(a->scores[c * X->cols + j], b->scores[c * X->cols + j], bound);
        }
    }
    assert_int_equal(a->nonzeros, b->nonzeros);
}

static void same_columns(const ch_matrix *X, const ch_matrix *Y) {
    double *x = calloc((size_t)X->rows * 4, sizeof *x), *y = x + X->rows;
    double *u = y + X->rows, *v = u + X->rows;
    int32_t *p = calloc((size_t)X->rows * 2, sizeof *p), *q = p + X->rows;
    for (int64_t j = 0; j < X->cols; j += 3) {
        chi_column_gather(x, X, j);
        chi_column_gather(y, Y, j);
        assert_memory_equal(x, y, (size_t)X->rows * sizeof *x);
        int64_t count = chi_column_support(p, u, X, j);
        assert_int_equal(chi_column_support(q, v, Y, j), count);
        assert_memory_equal(p, q, (size_t)count * sizeof *p);
        assert_memory_equal(u, v, (size_t)count * sizeof *u);
    }
    free(x);
    free(p);
}

/* Columns scored by themselves have the same bits, and others are left alone. */
static void same_in_other_ways(ch_context *context, const ch_matrix *X, const double *D,
                               const outcome *whole) {
    int64_t *list = calloc((size_t)X->cols, sizeof *list), listed = 0;
    double *scores = calloc((size_t)X->cols, sizeof *scores);
    for (int64_t j = X->cols - 1; j >= 0; j--)
        if (ch_random_below(&source, 3) == 0) list[listed++] = j;
    for (int64_t j = 0; j < X->cols; j++) scores[j] = NAN;
    chi_score_columns(context, scores, X, D, list, listed);
    for (int64_t at = 0; at < listed; at++) {
        support_check(scores[list[at]] == whole->scores[list[at]],
                      "%s, layout %d: column %lld has other bits in a list",
                      ch_value_type_name(X->type), X->layout, (long long)list[at]);
        scores[list[at]] = NAN;
    }
    for (int64_t j = 0; j < X->cols; j++)
        support_check(isnan(scores[j]), "column %lld is not in the list", (long long)j);
    free(scores);
    free(list);
}

/* A column's bits in a copy of some columns, in another order, are its bits here. */
static void same_in_a_copy(ch_context *context, const ch_matrix *X, const double *D,
                           const outcome *whole) {
    enum { COUNT = 13 };
    int64_t list[COUNT];
    ch_matrix part;
    for (int k = 0; k < COUNT; k++) list[k] = ch_random_below(&source, X->cols);
    assert_int_equal(ch_matrix_copy(context, &part, X, list, COUNT), CH_OK);
    if (X->layout == CH_ROW_MAJOR) { /* copies are column-major: turn back */
        ch_matrix turned = support_reshape(context, &part, CH_ROW_MAJOR, X->type);
        ch_matrix_free(context, &part);
        part = turned;
    }
    outcome o = compute(context, &part, D);
    for (int k = 0; k < COUNT; k++)
        for (int c = 0; c < VECTORS; c++)
            support_check(o.scores[c * COUNT + k] == whole->scores[c * X->cols + list[k]],
                          "%s, layout %d: column %lld has other bits in a copy",
                          ch_value_type_name(X->type), X->layout, (long long)list[k]);
    discard(&o);
    ch_matrix_free(context, &part);
}

static void compare(const char *kernel, int64_t rows, int64_t cols) {
    static const int threads[] = {2, 4};
    ch_context *context = support_context(NULL, 1);
    assert_int_equal(ch_context_set_kernel(context, kernel), CH_OK);
    double *values = calloc((size_t)(rows * cols), sizeof *values);
    double *D = calloc((size_t)(rows * VECTORS), sizeof *D);
    ch_matrix X = draw(context, values, rows, cols);
    for (int64_t i = 0; i < rows * VECTORS; i++) D[i] = ch_random_normal(&source);
    outcome truth = compute(context, &X, D), bytes = {0};
    for (int layout = CH_COLUMN_MAJOR; layout <= CH_CSC; layout++)
        for (int type = CH_F64; type <= CH_U16; type++) {
            ch_matrix Y = support_reshape(context, &X, layout, type);
            ch_context_set_threads(context, 1);
            outcome one = compute(context, &Y, D);
            near(&one, &truth, &X, D);
            same_columns(&Y, &X);
            same_in_a_copy(context, &Y, D, &one);
            for (int t = 0; t < 2; t++) {
                ch_context_set_threads(context, threads[t]);
                outcome more = compute(context, &Y, D);
                same_in_other_ways(context, &Y, D, &one);
                support_check(same_bits(&one, &more, cols), "%s, layout %d: %d threads differ",
                              ch_value_type_name(type), layout, threads[t]);
                discard(&more);
            }
            if (type == CH_U8 && layout == CH_COLUMN_MAJOR) bytes = compute(context, &Y, D);
            if (type == CH_U8 && layout == CH_ROW_MAJOR)
                support_check(same_bits(&one, &bytes, cols), "orders of bytes differ");
            discard(&one);
            ch_matrix_free(context, &Y);
        }
    discard(&truth);
    discard(&bytes);
    free(values);
    free(D);
    support_finish(context, NULL);
}

static void layouts_types_and_threads_agree(void **state) {
    (void)state;
    support_seed(&source, "layouts", 71);
    for (int s = 0; ch_kernel_name(s); s++) {
        const char *kernel = ch_kernel_name(s);
        if (!ch_kernel_usable(s)) continue;
        compare(kernel, 1, 1);
        compare(kernel, 37, 1301); /* several strips and blocks, on several threads */
        compare(kernel, 2500, 23); /* several chunks of rows                        */
        compare(kernel, 9001, 5);  /* more rows than are prepared at once           */
        compare(kernel, 130, 4111);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(layouts_types_and_threads_agree)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
