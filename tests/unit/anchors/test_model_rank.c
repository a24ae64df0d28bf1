/* The rank of the model that estimates missing entries: that of planted data for l2. For other
 * losses the alternating fit of the planted rank may end in a local minimum, so that a larger rank
 * estimates better. The same for any number of threads. */
#include "anchors/data/completion.h"
#include "support.h"
#include <math.h>

enum { ROWS = 40, COLS = 300 };

/* Mixtures of `rank` columns with 1 % noise; every tenth entry is missing. */
static void fill(double *X, unsigned char *mark, int64_t rank, uint64_t seed) {
    ch_random random;
    double W[ROWS * 8], h[8];
    support_seed(&random, "model rank", seed);
    for (int64_t i = 0; i < ROWS * rank; i++) W[i] = -log(ch_random_uniform(&random) + 1e-3);
    for (int64_t j = 0; j < COLS; j++) {
        for (int64_t k = 0; k < rank; k++) h[k] = -log(ch_random_uniform(&random) + 1e-3);
        for (int64_t i = 0; i < ROWS; i++) {
            double x = 0, noise = 1 + 0.02 * (ch_random_uniform(&random) - 0.5);
            for (int64_t k = 0; k < rank; k++) x += W[i + k * ROWS] * h[k];
            mark[i + j * ROWS] = ch_random_uniform(&random) >= 0.1;
            X[i + j * ROWS] = mark[i + j * ROWS] ? x * noise : 0;
        }
    }
}

static void finds_the_planted_rank(void **state) {
    int64_t before[3][9] = {{0}};
    static const ch_loss losses[] = {CH_LOSS_L1, CH_LOSS_L2, CH_LOSS_KL};
    static double X[ROWS * COLS];
    static unsigned char mark[ROWS * COLS];
    (void)state;
    for (int threads = 1; threads <= 2; threads++) {
        support_memory memory;
        ch_context *context = support_context(&memory, threads);
        for (int64_t rank = 1; rank <= 8; rank++) {
            fill(X, mark, rank, (uint64_t)rank);
            for (size_t l = 0; l < sizeof losses / sizeof *losses; l++) {
                chi_incomplete given = {.X = X,
                                        .mark = mark,
                                        .rows = ROWS,
                                        .cols = COLS,
                                        .most = 1,
                                        .loss = (int)losses[l],
                                        .seed = 1};
                chi_arena arena = {.context = context};
                for (int64_t e = 0; e < (int64_t)ROWS * COLS; e++) given.known += mark[e];
                assert_int_equal(chi_model_rank(context, &arena, &given), CH_OK);
                int64_t found = given.rank;
                chi_arena_free(&arena);
                int64_t most = losses[l] == CH_LOSS_L2 ? rank : 2 * rank;
                support_check(found >= rank && found <= most, "loss %d: rank %lld, planted %lld",
                              (int)losses[l], (long long)found, (long long)rank);
                support_check(threads == 1 || before[l][rank] == found, "loss %d: other threads",
                              (int)losses[l]);
                before[l][rank] = found;
            }
        }
        support_finish(context, &memory);
    }
}

/* Without a known entry in the columns that are examined, any rank will do. */
static void nothing_is_known(void **state) {
    double X[6] = {0};
    unsigned char mark[6] = {0};
    support_memory memory;
    ch_context *context = support_context(&memory, 1);
    chi_incomplete given = {.X = X, .mark = mark, .rows = 2, .cols = 3, .most = 1};
    chi_arena arena = {.context = context};
    (void)state;
    assert_int_equal(chi_model_rank(context, &arena, &given), CH_OK);
    assert_int_equal(given.rank, 1);
    assert_true(given.start[0] == 0 && given.start[1] == 0);
    chi_arena_free(&arena);
    support_finish(context, &memory);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_the_planted_rank),
        cmocka_unit_test(nothing_is_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
