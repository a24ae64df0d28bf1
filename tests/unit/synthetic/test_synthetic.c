/* The generator: anchors where it says, H' on the simplex, noise with the moments of its law. */
#include "support.h"
#include <conehull/synthetic.h>
#include <math.h>
#include <string.h>

static const ch_synthetic_settings small = {.size = sizeof small,
                                            .rows = 60,
                                            .cols = 300,
                                            .rank = 6,
                                            .level = 1.0,
                                            .type = CH_F64,
                                            .seed = 42};

static const double *values(const ch_matrix *X) {
    return X->values;
}

static void make(ch_context *context, ch_matrix *X, int64_t *anchors,
                 const ch_synthetic_settings *set) {
    support_check(ch_synthetic_make(context, X, anchors, set) == CH_OK, "%s",
                  ch_context_message(context));
}

/* Least squares x = A h by normal equations and Gauss-Jordan: enough for six well-spread columns.
 */
static void solve(double *h, const ch_matrix *X, const int64_t *anchors, int rank, int64_t j) {
    double M[8][9] = {{0}};
    for (int a = 0; a < rank; a++) {
        const double *xa = values(X) + anchors[a] * X->rows, *xj = values(X) + j * X->rows;
        for (int64_t i = 0; i < X->rows; i++) {
            for (int b = 0; b < rank; b++) M[a][b] += xa[i] * values(X)[anchors[b] * X->rows + i];
            M[a][rank] += xa[i] * xj[i];
        }
    }
    for (int k = 0; k < rank; k++)
        for (int a = 0; a < rank; a++) {
            double factor = a == k ? 0.0 : M[a][k] / M[k][k];
            for (int b = 0; b <= rank; b++) M[a][b] -= factor * M[k][b];
        }
    for (int k = 0; k < rank; k++) h[k] = M[k][rank] / M[k][k];
}

static void without_noise_anchors_explain_all(void **state) {
    (void)state;
    for (int shuffle = 0; shuffle < 2; shuffle++) {
        support_memory memory;
        ch_context *context = support_context(&memory, 1);
        ch_synthetic_settings set = small;
        set.shuffle = shuffle;
        ch_matrix X;
        int64_t anchors[6];
        double mean[6] = {0};
        make(context, &X, anchors, &set);
        for (int k = 0; k < 6 && !shuffle; k++) assert_int_equal(anchors[k], k);
        for (int64_t j = 0; j < X.cols; j++) {
            double h[6], sum = 0.0;
            solve(h, &X, anchors, 6, j);
            for (int k = 0; k < 6; k++) {
                support_check(h[k] > -1e-10, "h[%d] of column %d is %g", k, (int)j, h[k]);
                sum += h[k];
                mean[k] += h[k] / (double)X.cols;
            }
            support_close(sum, 1.0, 1e-10);
            for (int64_t i = 0; i < X.rows; i++) {
                double fitted = 0.0;
                for (int k = 0; k < 6; k++) fitted += h[k] * ch_matrix_at(&X, i, anchors[k]);
                support_close(ch_matrix_at(&X, i, j), fitted, 1e-10);
            }
        }
        double spread = 0.0; /* one set of parameters for all columns: the means differ */
        for (int k = 0; k < 6; k++) spread = fmax(spread, fabs(mean[k] - 1.0 / 6));
        assert_true(spread > 0.03);
        ch_matrix_free(context, &X);
        support_finish(context, &memory);
    }
}

static void shuffling_moves_columns_only(void **state) {
    (void)state;
    ch_context *context = support_context(NULL, 1);
    ch_synthetic_settings set = small;
    set.noise = CH_NOISE_SPARSE;
    ch_matrix X, Y;
    int64_t anchors[6];
    make(context, &X, NULL, &set);
    set.shuffle = 1;
    make(context, &Y, anchors, &set);
    int moved = 0;
    for (int k = 0; k < 6; k++) {
        assert_memory_equal(values(&X) + k * X.rows, values(&Y) + anchors[k] * Y.rows,
                            (size_t)X.rows * sizeof(double));
        moved += anchors[k] >= 6;
    }
    assert_true(moved >= 4);
    ch_matrix_free(context, &X);
    ch_matrix_free(context, &Y);
    ch_context_destroy(context);
}

/* Moments of the noise against the same model without it, within 6 standard errors. */
static void noise_has_its_moments(void **state) {
    (void)state;
    ch_context *context = support_context(NULL, 2);
    ch_synthetic_settings set = small;
    ch_matrix clean, X;
    make(context, &clean, NULL, &set);
    int64_t count = clean.rows * clean.cols;
    double error = 6.0 / sqrt((double)count);

    set.noise = CH_NOISE_SPARSE, set.level = 0.8;
    make(context, &X, NULL, &set);
    double zero = 0.0, mean = 0.0, square = 0.0, scale = 0.8 / sqrt(2.0);
    for (int64_t i = 0; i < count; i++) {
        double n = values(&X)[i] - values(&clean)[i];
        assert_true(n >= 0.0);
        zero += n == 0.0, mean += n, square += n * n;
    }
    support_close(zero / (double)count, 0.5, error * 0.5);
    support_close(mean / (double)count, scale / 2, error * scale);
    support_close(square / (double)count, scale * scale, error * scale * scale * 3.5);
    ch_matrix_free(context, &X);

    set.noise = CH_NOISE_EXPONENTIAL, set.level = 2.5;
    make(context, &X, NULL, &set);
    for (int64_t i = mean = square = 0; i < count; i++) {
        double ratio = values(&X)[i] / (2.5 * values(&clean)[i]);
        mean += ratio, square += (ratio - 1) * (ratio - 1);
    }
    support_close(mean / (double)count, 1.0, error);
    support_close(square / (double)count, 1.0, error * sqrt(8.0));
    ch_matrix_free(context, &X);

    set.noise = CH_NOISE_POISSON, set.level = 30.0;
    make(context, &X, NULL, &set);
    for (int64_t i = mean = square = 0; i < count; i++) {
        double expected = 30.0 * values(&clean)[i], x = values(&X)[i];
        assert_true(x >= 0.0 && x == floor(x));
        mean += (x - expected) / sqrt(expected);
        square += (x - expected) * (x - expected) / expected;
    }
    support_close(mean / (double)count, 0.0, error);
    support_close(square / (double)count, 1.0, error * 3.0);
    ch_matrix_free(context, &X);

    /* Shares of entries that stay as they are: half, nine of ten, none. */
    static const double stay[] = {0.5, 0.9, 0}, levels[] = {0.01, 0.1, 0.01};
    for (int k = 0; k < 3; k++) {
        int64_t same = 0;
        set.noise = (ch_synthetic_noise)(CH_NOISE_TWO_SIDED + k), set.level = levels[k];
        make(context, &X, NULL, &set);
        for (int64_t i = 0; i < count; i++) {
            assert_true(values(&X)[i] >= 0);
            same += values(&X)[i] == values(&clean)[i];
        }
        support_close((double)same / (double)count, stay[k], error);
        ch_matrix_free(context, &X);
    }
    ch_matrix_free(context, &clean);
    ch_context_destroy(context);
}

static void threads_and_types_change_nothing(void **state) {
    (void)state;
    ch_synthetic_settings set = small;
    set.noise = CH_NOISE_SPARSE, set.shuffle = 1;
    ch_context *one = support_context(NULL, 1);
    ch_matrix X, Y;
    make(one, &X, NULL, &set);
    for (int threads = 2; threads <= 4; threads++) {
        ch_context *context = support_context(NULL, threads);
        make(context, &Y, NULL, &set);
        assert_memory_equal(X.values, Y.values, (size_t)(X.rows * X.cols) * sizeof(double));
        ch_matrix_free(context, &Y);
        ch_context_destroy(context);
    }
    set.type = CH_F32;
    make(one, &Y, NULL, &set);
    assert_int_equal(Y.type, CH_F32);
    for (int64_t i = 0; i < X.rows * X.cols; i++)
        assert_true(((const float *)Y.values)[i] == (float)values(&X)[i]);
    ch_matrix_free(one, &Y);
    set.type = CH_F64, set.seed = 43;
    make(one, &Y, NULL, &set);
    assert_true(support_difference(values(&X), values(&Y), X.rows * X.cols) > 0.1);
    ch_matrix_free(one, &Y);
    ch_matrix_free(one, &X);
    ch_context_destroy(one);
}

static void refuse(ch_context *context, const ch_synthetic_settings *set, const char *message) {
    ch_matrix X, before;
    int64_t anchors[8], anchors_before[8];
    memset(&X, 0x11, sizeof X);
    memset(anchors, 0x11, sizeof anchors);
    before = X;
    memcpy(anchors_before, anchors, sizeof anchors);
    assert_int_equal(ch_synthetic_make(context, &X, anchors, set), CH_ERR_SETTING);
    support_message(context, message);
    assert_memory_equal(&X, &before, sizeof X);
    assert_memory_equal(anchors, anchors_before, sizeof anchors);
}

static void bad_settings_are_refused(void **state) {
    (void)state;
    support_memory memory;
    ch_context *context = support_context(&memory, 1);
    ch_synthetic_settings set = small;
    set.rows = 0;
    refuse(context, &set, "rows and cols must be at least 1, got 0 x 300");
    set = small, set.rank = 301;
    refuse(context, &set,
           "the setting 'rank' must be between 1 and the number of columns, 300, got 301");
    set = small, set.rank = 0;
    refuse(context, &set, "got 0");
    set = small, set.noise = 7;
    refuse(context, &set,
           "the setting 'noise' must be a value of ch_synthetic_noise, from 0 to 6, got 7");
    set = small, set.noise = CH_NOISE_SPARSE, set.level = NAN;
    refuse(context, &set, "the setting 'level' must be between 0 and 1e12, got nan");
    set = small, set.noise = CH_NOISE_SPARSE, set.level = -1;
    refuse(context, &set, "got -1");
    set = small, set.type = CH_U8;
    refuse(context, &set, "f64 or f32");
    set = small, set.rows = INT64_MAX / 4;
    refuse(context, &set, "too large");
    support_finish(context, &memory);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_noise_anchors_explain_all),
        cmocka_unit_test(shuffling_moves_columns_only),
        cmocka_unit_test(noise_has_its_moments),
        cmocka_unit_test(threads_and_types_change_nothing),
        cmocka_unit_test(bad_settings_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
