/* Products with a dictionary, listed or not, against plain loops. */
#include "baseline/column_products.h"
#include "support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 90, COLS = 40, STRIDE = 50 };

static void fill(chi_dictionary *X, ch_random *random, double share) {
    for (int64_t i = 0; i < ROWS * COLS; i++)
        X->X[i] = ch_random_uniform(random) < share ? ch_random_uniform(random) : 0;
}

static double entry(const chi_dictionary *X, int64_t i, int64_t j) {
    return X->X[i + j * ROWS];
}

static void check_products(const chi_dictionary *X, ch_random *random, int64_t w, double scale) {
    double *C = calloc(COLS * STRIDE, sizeof *C), *before = calloc(COLS * STRIDE, sizeof *C);
    double *F = calloc((size_t)(3 * ROWS * w), sizeof *F), *out = F + ROWS * w;
    double *workspace = out + ROWS * w;
    for (int64_t i = 0; i < ROWS * w; i++) F[i] = ch_random_normal(random);
    for (int64_t i = 0; i < COLS * STRIDE; i++) before[i] = C[i] = ch_random_normal(random);
    chi_dictionary_times(X, out, C, STRIDE, w, workspace);
    for (int64_t c = 0; c < w; c++)
        for (int64_t i = 0; i < ROWS; i++) {
            double sum = 0;
            for (int64_t j = 0; j < COLS; j++) sum += entry(X, i, j) * C[j * STRIDE + c];
            support_close(out[i + c * ROWS], sum, 1e-12);
        }
    chi_dictionary_correlate(X, C, STRIDE, F, w, scale, workspace);
    for (int64_t j = 0; j < COLS; j++)
        for (int64_t c = 0; c < STRIDE; c++) {
            double sum = c < w ? scale * before[j * STRIDE + c] : before[j * STRIDE + c];
            for (int64_t i = 0; c < w && i < ROWS; i++) sum += entry(X, i, j) * F[i + c * ROWS];
            support_close(C[j * STRIDE + c], sum, 1e-12);
        }
    free(F);
    free(before);
    free(C);
}

static void products_are_those_of_loops(void **state) {
    (void)state;
    ch_random random;
    support_memory memory;
    support_seed(&random, "dictionary", 7);
    ch_context *context = support_context(&memory, 1);
    static const double shares[] = {0, 0.05, 0.5, 1};
    for (int s = 0; s < 4; s++) {
        chi_dictionary X;
        chi_arena arena = {.context = context};
        assert_int_equal(chi_dictionary_create(&arena, &X, ROWS, COLS), CH_OK);
        fill(&X, &random, shares[s]);
        assert_int_equal(chi_dictionary_list(&arena, &X), CH_OK);
        support_check((X.start != NULL) == (shares[s] < 0.1), "share %g", shares[s]);
        check_products(&X, &random, 1, 1);
        check_products(&X, &random, 33, 0);
        check_products(&X, &random, STRIDE, 0.25);
        chi_arena_free(&arena);
    }
    support_finish(context, &memory);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_are_those_of_loops),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
