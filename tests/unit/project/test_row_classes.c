/* Classes of equal rows agree with a comparison of all rows, for every number of leading anchors
 * and after removals. */
#include "project/bregman/row_classes.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

enum { ROWS = 60, CAPACITY = 7 };

static int drawn(uint64_t *state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (int)(*state >> 40) & 1023;
}

static int alike(const chi_cone *cone, int64_t i, int64_t l, int64_t k) {
    for (int64_t j = 0; j < k; j++)
        if (cone->A[i + j * ROWS] != cone->A[l + j * ROWS]) return 0;
    return 1;
}

static int is_zero(const chi_cone *cone, int64_t i, int64_t k) {
    for (int64_t j = 0; j < k; j++)
        if (cone->A[i + j * ROWS] != 0) return 0;
    return 1;
}

/* The classes of the first k anchors. */
static void check(const chi_row_classes *c, const chi_cone *cone, int64_t k) {
    double size[ROWS + 1], found[ROWS + 1] = {0};
    int64_t used = 0, classes = chi_row_classes_count(c, k);
    chi_row_classes_sizes(c, size, k);
    for (int64_t i = 0; i < ROWS; i++) {
        int64_t n = chi_row_classes_of(c, i, k);
        assert_in_range(n, 0, classes - 1);
        assert_int_equal(n == 0, is_zero(cone, i, k));
        for (int64_t j = 0; n > 0 && j < k; j++)
            assert_true(chi_row_classes_column(c, j)[n] == cone->A[i + j * ROWS]);
        for (int64_t l = 0; l < i; l++)
            assert_int_equal(n == chi_row_classes_of(c, l, k), alike(cone, i, l, k));
        found[n]++;
        used += n > 0;
    }
    for (int64_t n = 0; n < classes; n++)
        assert_true(size[n] == found[n] && (n == 0 || size[n] > 0));
    assert_int_equal(chi_row_classes_used(c, k), used);
}

/* The first anchors have the classes that they had when they were all. */
static void check_all(const chi_row_classes *c, const chi_cone *cone, ch_context *context) {
    chi_arena arena = {.context = context};
    chi_row_classes *other = chi_row_classes_create(&arena, ROWS, CAPACITY);
    chi_cone fewer = *cone;
    assert_non_null(other);
    for (int64_t k = 0; k <= cone->count; k++) {
        check(c, cone, k);
        fewer.count = k;
        chi_row_classes_follow(other, &fewer);
        assert_int_equal(chi_row_classes_count(other, k), chi_row_classes_count(c, k));
        for (int64_t i = 0; i < ROWS; i++)
            assert_int_equal(chi_row_classes_of(other, i, k), chi_row_classes_of(c, i, k));
    }
    chi_arena_free(&arena);
}

static void classes_agree_with_comparisons(void **state) {
    (void)state;
    ch_context *context = NULL;
    chi_cone cone;
    assert_int_equal(ch_context_create(&context, NULL), CH_OK);
    assert_int_equal(chi_cone_create(context, &cone, ROWS, CAPACITY), CH_OK);
    chi_row_classes *c = chi_row_classes_create(&cone.arena, ROWS, CAPACITY);
    assert_non_null(c);
    uint64_t random = 7;
    for (int step = 0; step < 200; step++) {
        double a[ROWS];
        int zeros = 100 * (drawn(&random) % 11), values = 1 + drawn(&random) % 3;
        for (int64_t i = 0; i < ROWS; i++)
            a[i] = drawn(&random) < zeros ? 0 : 1 + drawn(&random) % values;
        if (cone.count == CAPACITY || (cone.count > 0 && drawn(&random) < 200))
            chi_cone_remove(&cone, drawn(&random) % cone.count);
        else
            chi_cone_append(&cone, a);
        if (drawn(&random) < 300) continue; /* several changes at a time */
        chi_row_classes_follow(c, &cone);
        check_all(c, &cone, context);
    }
    chi_cone_destroy(&cone);
    ch_context_destroy(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(classes_agree_with_comparisons)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
