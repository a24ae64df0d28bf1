/* The weighted Gram kernels against the plain sum, for all small sizes around a register's. */
#include "kernels/kernels.h"
#include "support.h"
#include <math.h>

enum { MOST = 9, ROWS = 21 };

static void grams_match_the_plain_sum(void **state) {
    (void)state;
    ch_random random;
    support_seed(&random, "gram", 3);
    for (int64_t rows = 0; rows <= ROWS; rows++)
        for (int64_t count = 0; count <= MOST; count++)
            for (int set = 0; set < chi_kernel_set_count; set++) {
                if (!ch_kernel_usable(set)) continue;
                double values[MOST][ROWS], w[ROWS], G[MOST * MOST];
                const double *a[MOST];
                for (int64_t k = 0; k < count; k++) {
                    a[k] = values[k];
                    for (int64_t i = 0; i < rows; i++) values[k][i] = ch_random_uniform(&random);
                }
                for (int64_t i = 0; i < rows; i++) w[i] = ch_random_uniform(&random) - 0.3;
                chi_kernel_sets[set].gram(G, a, count, w, rows);
                for (int64_t s = 0; s < count; s++)
                    for (int64_t t = 0; t <= s; t++) {
                        double sum = 0;
                        for (int64_t i = 0; i < rows; i++) sum += w[i] * a[s][i] * a[t][i];
                        support_close(G[s * count + t], sum, 1e-14 * (double)(rows + 1));
                    }
            }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(grams_match_the_plain_sum)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
