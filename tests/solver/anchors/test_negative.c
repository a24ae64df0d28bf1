/* Negative values (settings.negative): refused with their share and the option that helps, or 0, as
 * if the caller had clipped them, in every layout and type; counted, and known to ch_verify(). */
#include "support_anchors.h"
#include <conehull/conehull.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 18, COLS = 150, RANK = 5 };

/* Planted mixtures with noise about zero; every value is one of single precision. */
static void fill(double *X, double *clipped, int64_t *count, double *mass) {
    ch_random random;
    double W[ROWS * RANK];
    support_seed(&random, "negative", 3);
    *count = 0;
    *mass = 0;
    for (int i = 0; i < ROWS * RANK; i++) {
        double u = ch_random_uniform(&random);
        W[i] = u < 0.8 ? 0 : u;
    }
    for (int64_t j = 0; j < COLS; j++) {
        double h[RANK], sum = 0;
        for (int k = 0; k < RANK; k++) sum += h[k] = ch_random_uniform(&random);
        for (int i = 0; i < ROWS; i++) {
            double x = 0.1 * (ch_random_uniform(&random) - 0.5);
            for (int k = 0; k < RANK; k++) x += W[i + k * ROWS] * (j < RANK ? j == k : h[k] / sum);
            x = (float)x;
            X[i + j * ROWS] = x;
            clipped[i + j * ROWS] = fmax(0, x);
            *count += x < 0;
            *mass -= fmin(0, x);
        }
    }
}

static void as_if_clipped_before(void **state) {
    static const char *const words[] = {"loss=l1",
                                        "loss=l2",
                                        "loss=kl",
                                        "loss=l1 hull=convex0",
                                        "loss=l2 method=spa",
                                        "loss=l1 faint=0.3 path=1"};
    static const struct {
        ch_matrix_layout layout;
        ch_value_type type;
    } views[] = {
        {CH_COLUMN_MAJOR, CH_F64}, {CH_ROW_MAJOR, CH_F32}, {CH_CSC, CH_F64}, {CH_CSC, CH_F32}};
    static double values[ROWS * COLS], positive[ROWS * COLS];
    support_memory memory;
    ch_context *context = support_context(&memory, 2);
    int64_t count;
    double mass;
    (void)state;
    fill(values, positive, &count, &mass);
    support_check(count > 100 && mass > 1, "the data are not what they should be");
    ch_matrix X = support_dense(context, values, ROWS, COLS);
    ch_matrix P = support_dense(context, positive, ROWS, COLS);
    for (size_t w = 0; w < sizeof words / sizeof *words; w++) {
        ch_anchors_settings set;
        ch_anchors_defaults(&set);
        set.rank = RANK;
        set.keep_duals = 1;
        assert_int_equal(ch_settings_set_words(context, ch_anchors_table(), &set, words[w]), CH_OK);
        ch_anchors_result plain = support_find(context, &P, &set, words[w]);
        assert_int_equal(plain.clipped, 0);
        set.negative = CH_NEGATIVE_CLIP;
        ch_anchors_result same = support_find(context, &P, &set, words[w]);
        support_same_result(&plain, &same, words[w]);
        ch_anchors_result_free(context, &same);
        for (size_t v = 0; v < sizeof views / sizeof *views; v++) {
            ch_matrix view = support_reshape(context, &X, views[v].layout, views[v].type);
            ch_anchors_result r = support_find(context, &view, &set, words[w]);
            ch_verification found = {.size = sizeof found};
            support_same_result(&plain, &r, words[w]);
            assert_int_equal(r.clipped, count);
            support_close(r.clipped_mass, mass, 1e-12 * mass);
            assert_int_equal(ch_verify(context, &found, &view, &r, &set), CH_OK);
            support_check(found.ok, "%s: %s", words[w], found.why);
            r.clipped--;
            assert_int_equal(ch_verify(context, &found, &view, &r, &set), CH_OK);
            support_check(!found.ok, "%s: another count is accepted", words[w]);
            double *H = malloc((size_t)(r.rank * COLS) * sizeof *H);
            ch_project_info info = {.size = sizeof info};
            assert_int_equal(ch_project(context, H, &info, &view, r.W, r.rank, &set), CH_OK);
            support_check(!memcmp(H, r.H, (size_t)(r.rank * COLS) * sizeof *H), "%s: project",
                          words[w]);
            assert_int_equal(info.clipped, count);
            free(H);
            ch_anchors_result_free(context, &r);
            ch_matrix_free(context, &view);
        }
        ch_anchors_result_free(context, &plain);
    }
    ch_matrix_free(context, &P);
    ch_matrix_free(context, &X);
    support_finish(context, &memory);
}

/* Under l1, sum |X - W H| of the data themselves is larger by the mass, for the same H. */
static void exact_under_l1(void **state) {
    static double values[ROWS * COLS], positive[ROWS * COLS];
    support_memory memory;
    ch_context *context = support_context(&memory, 1);
    int64_t count;
    double mass, deviation = 0;
    (void)state;
    fill(values, positive, &count, &mass);
    ch_matrix X = support_dense(context, values, ROWS, COLS);
    ch_anchors_settings set;
    ch_anchors_defaults(&set);
    set.rank = RANK;
    set.negative = CH_NEGATIVE_CLIP;
    ch_anchors_result r = support_find(context, &X, &set, "l1");
    for (int64_t j = 0; j < COLS; j++)
        for (int64_t i = 0; i < ROWS; i++) {
            double residual = values[i + j * ROWS];
            for (int64_t k = 0; k < r.rank; k++)
                residual -= r.W[i + k * ROWS] * r.H[k + j * r.rank];
            deviation += fabs(residual);
        }
    support_close(deviation, r.objective + r.clipped_mass, 1e-9 * deviation);
    ch_anchors_result_free(context, &r);
    ch_matrix_free(context, &X);
    support_finish(context, &memory);
}

static void refusals(void **state) {
    static double values[ROWS * COLS], positive[ROWS * COLS];
    support_memory memory;
    ch_context *context = support_context(&memory, 1);
    int64_t count;
    double mass;
    (void)state;
    fill(values, positive, &count, &mass);
    ch_matrix X = support_dense(context, values, ROWS, COLS);
    ch_anchors_settings set;
    ch_anchors_result r = {.size = sizeof r};
    ch_anchors_defaults(&set);
    set.rank = RANK;
    assert_int_equal(ch_anchors(context, &r, &X, &set), CH_ERR_DATA);
    support_message(context, "of the entries are negative; --negative clip");
    ch_matrix_free(context, &X);
    positive[7] = NAN;
    ch_matrix N = support_dense(context, positive, ROWS, COLS);
    for (int negative = 0; negative < 2; negative++) {
        set.negative = (ch_negative_values)negative;
        assert_int_equal(ch_anchors(context, &r, &N, &set), CH_ERR_DATA);
        support_message(context, "row 7, column 0 (counted from 0) is NaN");
    }
    ch_matrix_free(context, &N);
    support_finish(context, &memory);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_if_clipped_before),
        cmocka_unit_test(exact_under_l1),
        cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
