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
    chi_cone_destroy(context, &cone);
    assert_null(cone.A);
    ch_context_destroy(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(appends_and_removals_agree_with_a_list)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
