/* Every method that finds anchors, on separable data without noise: all anchors, for sizes and
 * seeds; and what each says about its residuals. */
#include "support.h"

#include <conehull/conehull.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *words; /* "name=value name=value" */
    int program;       /* chooses all anchors at once */
} methods[] = {
    {"loss=l1", 0},
    {"loss=l2", 0},
    {"loss=l2 exterior=rand", 0},
    {"loss=l2 exterior=dist", 0},
    {"loss=l2 exterior=greedy", 0},
    {"method=spa", 0},
    {"method=spa plain=1", 0},
    {"method=snpa", 0},
    {"method=pspa", 0},
    {"method=smoothed-spa neighbours=1", 0},
    {"method=random-spa tries=5", 0},
    {"method=hottopixx gap=1e-7", 1},
    {"method=fgnsr gap=1e-7", 1},
    {"method=smrs", 1},
};
enum { METHODS = sizeof methods / sizeof *methods };

static ch_anchors_settings settings_of(ch_context *context, const char *words, int64_t rank) {
    ch_anchors_settings set;
    ch_anchors_defaults(&set);
    set.rank = rank;
    support_check(ch_settings_set_words(context, ch_anchors_table(), &set, words) == CH_OK, "%s",
                  ch_context_message(context));
    return set;
}

static int same_set(const int64_t *a, const int64_t *b, int64_t count) {
    for (int64_t i = 0; i < count; i++) {
        int found = 0;
        for (int64_t k = 0; k < count; k++) found |= a[i] == b[k];
        if (!found) return 0;
    }
    return 1;
}

enum { SEEDS = 5, FEW_SEEDS = 2 };

/* The programs take most of the time. Their logic is the same for every kernel set: few seeds with
 * each, all where none is asked for (long/baseline/selectors). */
static int program_seeds(void) {
    return getenv("CONEHULL_TEST_KERNEL") ? FEW_SEEDS : SEEDS;
}

static void all_anchors_of_separable_data(void **state) {
    (void)state;
    static const struct {
        int64_t rows, cols, rank;
    } shapes[] = {{12, 30, 4}, {40, 25, 6}, {30, 90, 8}, {60, 61, 5}};
    support_memory memory;
    ch_context *context = support_context(&memory, 2);
    for (size_t shape = 0; shape < sizeof shapes / sizeof *shapes; shape++)
        for (int seed = 0; seed < SEEDS; seed++) {
            int64_t rank = shapes[shape].rank, anchors[8];
            ch_matrix X = support_planted(context, anchors, shapes[shape].rows, shapes[shape].cols,
                                          rank, 0, seed);
            for (int m = 0; m < METHODS; m++) {
                if (methods[m].program && seed >= program_seeds()) continue;
                ch_anchors_settings set = settings_of(context, methods[m].words, rank);
                ch_anchors_result result = {.size = sizeof result};
                set.select_only = 1;
                ch_status status = ch_anchors(context, &result, &X, &set);
                support_check(status >= 0, "%s: %s", methods[m].words, ch_context_message(context));
                support_check(result.rank == rank && same_set(result.anchors, anchors, rank),
                              "%s, %d x %d, seed %d: not all anchors", methods[m].words,
                              (int)X.rows, (int)X.cols, seed);
                ch_anchors_result_free(context, &result);
            }
            ch_matrix_free(context, &X);
        }
    support_finish(context, &memory);
}

static double norm_of_residual(const ch_matrix *X, const ch_anchors_result *result, int64_t count,
                               int64_t j, int loss) {
    double total = 0;
    for (int64_t i = 0; i < X->rows; i++) {
        double off = ch_matrix_at(X, i, j);
        for (int64_t k = 0; k < count; k++)
            off -= result->W[i + k * X->rows] * result->H[k + j * result->rank];
        total += loss == CH_LOSS_L1 ? fabs(off) : off * off;
    }
    return loss == CH_LOSS_L1 ? total : sqrt(total);
}

/* The last residual is that of H in the norm of the loss, except for spa, where it belongs to the
 * same series as the others: columns scaled to sum 1, in l2; so for its relatives. */
static void residuals_are_of_one_kind(void **state) {
    (void)state;
    support_memory memory;
    ch_context *context = support_context(&memory, 1);
    ch_matrix X = support_planted(context, NULL, 30, 50, 5, 0.3, 0);
    for (int m = 0; m < METHODS; m++)
        for (int path = 0; path < 2; path++) {
            ch_anchors_settings set = settings_of(context, methods[m].words, 5);
            if (methods[m].program) set.loss = path ? CH_LOSS_L2 : CH_LOSS_L1;
            set.path = path;
            ch_anchors_result result = {.size = sizeof result};
            assert_true(ch_anchors(context, &result, &X, &set) >= 0);
            assert_int_equal(result.weights != NULL, methods[m].program);
            double largest = 0;
            for (int64_t j = 0; j < X.cols; j++)
                largest = fmax(largest, norm_of_residual(&X, &result, 5, j, set.loss));
            int own = set.method != CH_METHOD_XRAY && !methods[m].program;
            support_check(own || fabs(result.max_residual[4] - largest) <= 1e-6 * largest,
                          "%s: last residual %g, H's is %g", methods[m].words,
                          result.max_residual[4], largest);
            for (int k = 0; k + 1 < 5; k++) {
                int missing = methods[m].program && !path;
                support_check(isnan(result.max_residual[k]) == missing, "%s: residual %d is %g",
                              methods[m].words, k, result.max_residual[k]);
                int falls = result.max_residual[k + 1] <= result.max_residual[k] * (1 + 1e-9);
                support_check(!own || falls, "%s: residual %d rises to %g", methods[m].words, k + 1,
                              result.max_residual[k + 1]);
            }
            ch_anchors_result_free(context, &result);
        }
    ch_matrix_free(context, &X);
    support_finish(context, &memory);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_anchors_of_separable_data),
        cmocka_unit_test(residuals_are_of_one_kind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
