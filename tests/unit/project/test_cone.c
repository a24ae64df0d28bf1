/* The cone's copies of A agree with each other after any mix of appends and removals. */
#include "project/cone.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

enum { ROWS = 13, CAPACITY = 11 };

static double drawn(uint64_t *state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 40);
}

static void check(const chi_cone *cone, double anchors[][ROWS], int64_t count) {
    assert_int_equal(cone->count, count);
    for (int64_t j = 0; j < count; j++) {
        double sum = 0;
        for (int64_t i = 0; i < ROWS; i++) {
            assert_true(cone->A[i + j * ROWS] == anchors[j][i]);
            assert_true(cone->At[i * cone->At_stride + j] == anchors[j][i]);
            sum += anchors[j][i];
        }
        assert_true(cone->sums[j] == sum); /* integers: exact in any order */
        for (int64_t l = 0; l < count; l++) {
            double product = 0;
            for (int64_t i = 0; i < ROWS; i++) product += anchors[j][i] * anchors[l][i];
            assert_true(cone->gram[j + l * CAPACITY] == product);
        }
    }
    for (int64_t i = 0; i < ROWS; i++) {
        int64_t first = 0;
        while (first < count && anchors[first][i] == 0) first++;
        assert_int_equal(cone->first[i], first < count ? first : CHI_NO_ANCHOR);
        for (int64_t j = count; j < cone->At_stride; j++)
            assert_true(cone->At[i * cone->At_stride + j] == 0);
    }
}

static void appends_and_removals_agree_with_a_list(void **state) {
    (void)state;
    ch_context *context = NULL;
    assert_int_equal(ch_context_create(&context, NULL), CH_OK);
    chi_cone cone;
    assert_int_equal(chi_cone_create(context, &cone, ROWS, CAPACITY), CH_OK);
    double anchors[CAPACITY][ROWS];
    int64_t count = 0;
    uint64_t seed = 20;
    for (int step = 0; step < 300; step++) {
        if (count < CAPACITY && (count == 0 || (int64_t)drawn(&seed) % 3)) {
            int64_t zeros = (int64_t)drawn(&seed) % 3; /* of 3 */
            for (int64_t i = 0; i < ROWS; i++)
                anchors[count][i] =
                    (int64_t)drawn(&seed) % 3 < zeros ? 0 : (double)((int64_t)drawn(&seed) % 999);
            chi_cone_append(&cone, anchors[count++]);
        } else {
            int64_t k = (int64_t)drawn(&seed) % count;
            for (int64_t j = k; j + 1 < count; j++)
                for (int64_t i = 0; i < ROWS; i++) anchors[j][i] = anchors[j + 1][i];
            count--;
            chi_cone_remove(&cone, k);
        }
        check(&cone, anchors, count);
    }
    chi_cone_destroy(&cone);
    assert_null(cone.A);
    ch_context_destroy(context);
}

static void assert_same(const void *a, const void *b, int64_t count, size_t size) {
    assert_memory_equal(a, b, (size_t)count * size);
}

/* Sparse and dense anchors, so many rows that several threads append them, fractions: any other
 * order of a sum would show. */
static void filling_is_appending(void **state) {
    enum { MANY = 9000, COUNT = 9 };
    (void)state;
    ch_context *context = NULL;
    chi_cone one_by_one, at_once, rows;
    uint64_t seed = 7;
    double *W = calloc(MANY * COUNT, sizeof *W);
    assert_non_null(W);
    for (int64_t e = 0; e < MANY * COUNT; e++)
        if (e / MANY % 2 || (int64_t)drawn(&seed) % 10 == 0) W[e] = drawn(&seed) / 7;
    assert_int_equal(ch_context_create(&context, NULL), CH_OK);
    assert_int_equal(ch_context_set_threads(context, 3), CH_OK);
    assert_int_equal(chi_cone_create(context, &one_by_one, MANY, COUNT), CH_OK);
    assert_int_equal(chi_cone_create(context, &at_once, MANY, COUNT), CH_OK);
    for (int64_t k = 0; k < COUNT; k++) chi_cone_append(&one_by_one, W + k * MANY);
    chi_cone_fill(context, &at_once, W, COUNT);
    assert_int_equal(chi_cone_create(context, &rows, MANY, COUNT), CH_OK);
    chi_cone_fill_rows(context, &rows, W, COUNT);
    assert_int_equal(rows.count, COUNT);
    assert_same(rows.A, one_by_one.A, MANY * COUNT, sizeof(double));
    assert_same(rows.At, one_by_one.At, MANY * rows.At_stride, sizeof(double));
    assert_same(rows.sums, one_by_one.sums, COUNT, sizeof(double));
    assert_same(rows.first, one_by_one.first, MANY, sizeof *rows.first);
    chi_cone_destroy(&rows);
    assert_int_equal(at_once.count, COUNT);
    assert_same(at_once.A, one_by_one.A, MANY * COUNT, sizeof(double));
    assert_same(at_once.At, one_by_one.At, MANY * at_once.At_stride, sizeof(double));
    assert_same(at_once.narrow, one_by_one.narrow, at_once.narrow_stride * COUNT, sizeof(float));
    assert_same(at_once.narrow_unit, one_by_one.narrow_unit, COUNT, sizeof(double));
    assert_same(at_once.sums, one_by_one.sums, COUNT, sizeof(double));
    assert_same(at_once.first, one_by_one.first, MANY, sizeof *at_once.first);
    assert_same(at_once.gram, one_by_one.gram, COUNT * COUNT, sizeof(double));
    chi_cone_destroy(&at_once);
    chi_cone_destroy(&one_by_one);
    ch_context_destroy(context);
    free(W);
}

/* Fractions, in dense and sparse anchors and in one that is zero on the rows; the lift of a hull in
 * the last row. Every array has the bits of a cone to which the rows were appended. */
static void taking_rows_is_appending(void **state) {
    enum { ALL = 151, COUNT = 11 };
    (void)state;
    ch_context *context = NULL;
    chi_cone from, appended, taken;
    uint64_t seed = 9;
    double A[COUNT * ALL], own[ALL], ones[ALL], workspace[COUNT * 160];
    int32_t row[ALL];
    assert_int_equal(ch_context_create(&context, NULL), CH_OK);
    assert_int_equal(chi_cone_create(context, &from, ALL, COUNT), CH_OK);
    for (int64_t i = 0; i < ALL; i++) ones[i] = 1;
    for (int64_t k = 0; k < COUNT; k++) {
        int64_t zeros = k % 4 == 3 ? 9 : k % 4 == 2 ? 2 : 0; /* of 10 */
        for (int64_t i = 0; i < ALL; i++)
            A[i + k * ALL] = (int64_t)drawn(&seed) % 10 < zeros ? 0 : drawn(&seed) / 7;
        for (int64_t i = 0; k == 5 && i < ALL; i++) A[i + k * ALL] = i % 3 == 0;
        A[ALL - 1 + k * ALL] = k == 5 ? 0 : 3;
        chi_cone_append(&from, A + k * ALL);
        for (int kept = 1; kept < 10; kept++) {
            int64_t rows = 0;
            for (int64_t i = 0; i < ALL; i++)
                if (i == ALL - 1 || (i % 3 > 0 && (int64_t)drawn(&seed) % 10 < kept))
                    row[rows++] = (int32_t)i;
            assert_int_equal(chi_cone_create(context, &appended, rows, COUNT), CH_OK);
            assert_int_equal(chi_cone_create(context, &taken, rows, COUNT + 5), CH_OK);
            taken.capacity = COUNT; /* room for sums up to At_stride */
            for (int64_t j = 0; j <= k; j++) {
                for (int64_t i = 0; i < rows; i++) own[i] = A[row[i] + j * ALL];
                chi_cone_append(&appended, own);
            }
            assert_int_equal(chi_cone_take_rows(&taken, &from, row, rows, workspace, ones), 1);
            assert_int_equal(taken.count, k + 1);
            assert_int_equal(taken.narrow_stride, appended.narrow_stride);
            assert_same(taken.A, appended.A, rows * taken.count, sizeof(double));
            assert_same(taken.At, appended.At, rows * taken.At_stride, sizeof(double));
            assert_same(taken.narrow, appended.narrow, taken.narrow_stride * taken.count,
                        sizeof(float));
            assert_same(taken.narrow_unit, appended.narrow_unit, taken.count, sizeof(double));
            assert_same(taken.narrow_exact, appended.narrow_exact, taken.count, sizeof(int64_t));
            assert_same(taken.sums, appended.sums, taken.count, sizeof(double));
            assert_same(taken.first, appended.first, rows, sizeof *taken.first);
            assert_same(taken.gram, appended.gram, COUNT * taken.count, sizeof(double));
            assert_int_equal(taken.origin, appended.origin);
            chi_cone_destroy(&appended);
            chi_cone_destroy(&taken);
        }
    }
    chi_cone_destroy(&from);
    ch_context_destroy(context);
}

/* An anchor that is tiny on the rows would have a sum that a cone stores as zero. */
static void tiny_anchors_are_not_taken(void **state) {
    (void)state;
    ch_context *context = NULL;
    chi_cone from, taken;
    double a[3] = {1, 0x1p-600, 0}, workspace[32], ones[3] = {1, 1, 1};
    int32_t tiny[] = {1, 2}, zero[] = {2};
    assert_int_equal(ch_context_create(&context, NULL), CH_OK);
    assert_int_equal(chi_cone_create(context, &from, 3, 1), CH_OK);
    assert_int_equal(chi_cone_create(context, &taken, 3, 8), CH_OK);
    taken.capacity = 1;
    chi_cone_append(&from, a);
    assert_int_equal(chi_cone_take_rows(&taken, &from, tiny, 2, workspace, ones), 0);
    assert_int_equal(chi_cone_take_rows(&taken, &from, zero, 1, workspace, ones), 1);
    assert_true(taken.sums[0] == 0 && taken.gram[0] == 0);
    chi_cone_destroy(&taken);
    chi_cone_destroy(&from);
    ch_context_destroy(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(appends_and_removals_agree_with_a_list),
                                       cmocka_unit_test(filling_is_appending),
                                       cmocka_unit_test(taking_rows_is_appending),
                                       cmocka_unit_test(tiny_anchors_are_not_taken)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
