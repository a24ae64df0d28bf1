/* Anchors under the paper's sparse noise (Section 5.1, 200 x 210, rank 20, columns shuffled, ten
 * runs each): the share of planted anchors found, and the automatic rank. */
#include "support.h"
#include <conehull/conehull.h>

enum { RUNS = 10, RANK = 20 };

static ch_anchors_result find(ch_context *context, double level, int64_t seed, int first,
                              int64_t rank, double *found) {
    ch_synthetic_settings make = {.size = sizeof make,
                                  .rows = 200,
                                  .cols = 210,
                                  .rank = RANK,
                                  .noise = level > 0 ? CH_NOISE_SPARSE : CH_NOISE_NONE,
                                  .level = level,
                                  .shuffle = 1,
                                  .type = CH_F64,
                                  .seed = seed};
    ch_anchors_settings set;
    ch_matrix X;
    ch_anchors_result result = {.size = sizeof result};
    int64_t planted[RANK];
    ch_anchors_defaults(&set);
    set.rank = rank;
    set.first = first;
    set.select_only = 1;
    assert_int_equal(ch_synthetic_make(context, &X, planted, &make), CH_OK);
    support_check(ch_anchors(context, &result, &X, &set) >= 0, "%s", ch_context_message(context));
    *found = 0;
    for (int64_t k = 0; k < result.rank; k++)
        for (int64_t i = 0; i < RANK; i++) *found += result.anchors[k] == planted[i];
    *found /= RANK;
    ch_matrix_free(context, &X);
    return result;
}

static double recovery(ch_context *context, double level, int first) {
    double sum = 0, found;
    for (int64_t run = 0; run < RUNS; run++) {
        ch_anchors_result result = find(context, level, 100 + run, first, RANK, &found);
        ch_anchors_result_free(context, &result);
        sum += found;
    }
    return sum / RUNS;
}

static const struct bound {
    double level, reselect, paper; /* not below these */
} curve[] = {
    {0.0, 1, 1},       {0.1, 0.99, 0.94}, {0.3, 0.99, 0.94}, {0.4, 0.99, 0.94},
    {0.6, 0.97, 0.94}, {0.7, 0.89, 0.88}, {1.0, 0.58, 0.58}, {1.5, 0, 0.28},
};

static void recovers_what_it_should(void **state) {
    (void)state;
    support_memory memory;
    ch_context *context = support_context(&memory, 1);
    for (size_t k = 0; k < sizeof curve / sizeof *curve; k++) {
        double reselect = recovery(context, curve[k].level, CH_FIRST_RESELECT);
        double paper = recovery(context, curve[k].level, CH_FIRST_PAPER);
        print_message("delta %.1f: reselect %.3f, paper %.3f\n", curve[k].level, reselect, paper);
        support_check(reselect >= curve[k].reselect, "delta %g: %.3f, not %.2f", curve[k].level,
                      reselect, curve[k].reselect);
        support_check(paper >= curve[k].paper, "delta %g, first = paper: %.3f, not %.2f",
                      curve[k].level, paper, curve[k].paper);
    }
    support_finish(context, &memory);
}

static void automatic_rank(void **state) {
    (void)state;
    support_memory memory;
    ch_context *context = support_context(&memory, 1);
    static const struct {
        double level;
        int64_t low, high;
    } cases[] = {{0, 20, 20}, {0.1, 20, 20}, {0.3, 19, 21}};
    for (int64_t run = 0; run < 3; run++)
        for (int k = 0; k < 3; k++) {
            double found;
            ch_anchors_result result =
                find(context, cases[k].level, 200 + run, CH_FIRST_RESELECT, 0, &found);
            support_check(result.rank >= cases[k].low && result.rank <= cases[k].high,
                          "delta %g, run %d: rank %d", cases[k].level, (int)run, (int)result.rank);
            support_check(found >= 0.95, "delta %g, run %d: %g of the anchors", cases[k].level,
                          (int)run, found);
            ch_anchors_result_free(context, &result);
        }
    support_finish(context, &memory);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(recovers_what_it_should),
        cmocka_unit_test(automatic_rank),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
