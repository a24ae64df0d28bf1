/* The rank of the model that estimates missing entries: that of planted data for l2. For other
 * losses the alternating fit of the planted rank may end in a local minimum, so that a larger rank
 * estimates better. The same for any number of threads, and never above the limit. */
#include "anchors/data/completion.h"
#include "support.h"
#include <math.h>

enum { ROWS = 40, COLS = 300, MOST_ROWS = 60, MOST_RANK = 30, MOST_ENTRIES = 60000 };

/* Planted data, and the fractions of noise and of missing entries. */
typedef struct planted {
    int64_t rows, cols, rank;
    double noise, missing;
} planted;

/* Mixtures of `rank` columns. */
static void fill(double *X, unsigned char *mark, planted p, uint64_t seed) {
    ch_random random;
    double W[MOST_ROWS * MOST_RANK], h[MOST_RANK];
    support_seed(&random, "model rank", seed);
    for (int64_t i = 0; i < p.rows * p.rank; i++) W[i] = -log(ch_random_uniform(&random) + 1e-3);
    for (int64_t j = 0; j < p.cols; j++) {
        for (int64_t k = 0; k < p.rank; k++) h[k] = -log(ch_random_uniform(&random) + 1e-3);
        for (int64_t i = 0; i < p.rows; i++) {
            double x = 0, noise = 1 + 2 * p.noise * (ch_random_uniform(&random) - 0.5);
            for (int64_t k = 0; k < p.rank; k++) x += W[i + k * p.rows] * h[k];
            mark[i + j * p.rows] = ch_random_uniform(&random) >= p.missing;
            X[i + j * p.rows] = mark[i + j * p.rows] ? x * noise : 0;
        }
    }
}

/* Returns the rank that is found. */
static int64_t find_rank(ch_context *context, chi_incomplete given) {
    chi_arena arena = {.context = context};
    given.most = 1;
    given.seed = 1;
    for (int64_t e = 0; e < given.rows * given.cols; e++) given.known += given.mark[e];
    assert_int_equal(chi_model_rank(context, &arena, &given), CH_OK);
    chi_arena_free(&arena);
    return given.rank;
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
            fill(X, mark, (planted){ROWS, COLS, rank, 0.01, 0.1}, (uint64_t)rank);
            for (size_t l = 0; l < sizeof losses / sizeof *losses; l++) {
                chi_incomplete given = {
                    .X = X, .mark = mark, .rows = ROWS, .cols = COLS, .loss = (int)losses[l]};
                int64_t found = find_rank(context, given);
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

/* With few rows and many columns, a small sample of columns is tried first. If its best rank is the
 * limit, a larger sample begins with that rank. */
static void respects_the_limit(void **state) {
    static const planted data[] = {{60, 1000, 30, 0.001, 0.03}, {20, 2000, 10, 0.001, 0.03}};
    static const ch_loss losses[] = {CH_LOSS_L1, CH_LOSS_L2};
    static double X[MOST_ENTRIES];
    static unsigned char mark[MOST_ENTRIES];
    support_memory memory;
    ch_context *context = support_context(&memory, 1);
    (void)state;
    for (size_t d = 0; d < sizeof data / sizeof *data; d++) {
        fill(X, mark, data[d], d);
        for (size_t l = 0; l < sizeof losses / sizeof *losses; l++) {
            chi_incomplete given = {.X = X,
                                    .mark = mark,
                                    .rows = data[d].rows,
                                    .cols = data[d].cols,
                                    .loss = (int)losses[l]};
            int64_t found = find_rank(context, given), limit = chi_model_rank_limit(&given);
            support_check(found >= 1 && found <= limit, "%lld rows, loss %d: rank %lld, limit %lld",
                          (long long)data[d].rows, (int)losses[l], (long long)found,
                          (long long)limit);
        }
    }
    support_finish(context, &memory);
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
        cmocka_unit_test(respects_the_limit),
        cmocka_unit_test(nothing_is_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
