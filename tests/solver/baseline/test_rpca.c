/* Robust PCA: planted answers, a plain version of the published algorithm, and its refusals. */
#include "support.h"
#include <conehull/decompose.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static ch_matrix view(const double *values, int64_t rows, int64_t cols) {
    return (ch_matrix){.rows = rows,
                       .cols = cols,
                       .layout = CH_COLUMN_MAJOR,
                       .type = CH_F64,
                       .values = values,
                       .stride = rows};
}

/* L = A B' with A, B ~ N(0, 1/n), and S: a share of the entries, of +-1 (Candes et al. 2011, 4.1).
 */
typedef struct planted {
    int64_t rows, cols, rank;
    double *L, *S, *X;
} planted;

static planted plant(ch_random *random, int64_t rows, int64_t cols, int64_t rank, double share) {
    int64_t count = rows * cols;
    planted p = {rows,
                 cols,
                 rank,
                 calloc((size_t)count, 8),
                 calloc((size_t)count, 8),
                 calloc((size_t)count, 8)};
    double scale = 1 / sqrt((double)(rows > cols ? rows : cols));
    double *A = calloc((size_t)(rows * rank), 8), *B = calloc((size_t)(cols * rank), 8);
    for (int64_t i = 0; i < rows * rank; i++) A[i] = scale * ch_random_normal(random);
    for (int64_t i = 0; i < cols * rank; i++) B[i] = scale * ch_random_normal(random);
    for (int64_t j = 0; j < cols; j++)
        for (int64_t k = 0; k < rank; k++)
            for (int64_t i = 0; i < rows; i++)
                p.L[i + j * rows] += A[i + k * rows] * B[j + k * cols];
    for (int64_t i = 0; i < count; i++) {
        if (ch_random_uniform(random) < share)
            p.S[i] = ch_random_uniform(random) < 0.5 ? -1.0 : 1.0;
        p.X[i] = p.L[i] + p.S[i];
    }
    free(A);
    free(B);
    return p;
}

static void unplant(planted *p) {
    free(p->L);
    free(p->S);
    free(p->X);
}

static double *product(const ch_decomposition *d) {
    double *L = calloc((size_t)(d->rows * d->cols + 1), sizeof *L);
    for (int64_t j = 0; j < d->cols; j++)
        for (int64_t k = 0; k < d->rank; k++)
            for (int64_t i = 0; i < d->rows; i++)
                L[i + j * d->rows] += d->W[i + k * d->rows] * d->H[k + j * d->rank];
    return L;
}

static double sparse_at(const ch_decomposition *d, int64_t i, int64_t j) {
    return d->S_layout == CH_ROW_MAJOR ? d->S[i * d->cols + j] : d->S[i + j * d->rows];
}

static double relative_error(const double *a, const double *b, int64_t count) {
    double top = 0, bottom = 0;
    for (int64_t i = 0; i < count; i++) {
        top += (a[i] - b[i]) * (a[i] - b[i]);
        bottom += b[i] * b[i];
    }
    return sqrt(top / bottom);
}

static ch_rpca_settings defaults(void) {
    ch_rpca_settings set;
    ch_rpca_defaults(&set);
    set.keep_sparse = 1;
    return set;
}

/* Everything that was reported, from X, W, H and S alone. */
static void recheck(const ch_decomposition *d, const ch_matrix *X, const ch_rpca_settings *set) {
    double lambda = set->lambda / sqrt((double)(d->rows > d->cols ? d->rows : d->cols));
    double square = 0, norm = 0, abs = 0, nuclear = 0;
    int64_t nonzeros = 0;
    double *L = product(d);
    for (int64_t j = 0; j < d->cols; j++)
        for (int64_t i = 0; i < d->rows; i++) {
            double x = ch_matrix_at(X, i, j), s = sparse_at(d, i, j);
            double r = x - L[i + j * d->rows] - s;
            square += r * r;
            norm += x * x;
            abs += fabs(s);
            nonzeros += s != 0;
        }
    for (int64_t k = 0; k < d->rank; k++) {
        nuclear += d->singular[k];
        support_check(k == 0 || d->singular[k] <= d->singular[k - 1] + 1e-8 * d->singular[0],
                      "singular values rise");
        for (int64_t l = 0; l <= k; l++) {
            double w = 0, h = 0;
            for (int64_t i = 0; i < d->rows; i++)
                w += d->W[i + k * d->rows] * d->W[i + l * d->rows];
            for (int64_t j = 0; j < d->cols; j++)
                h += d->H[k + j * d->rank] * d->H[l + j * d->rank];
            /* the longer side's vectors come through a product with X: small values blur them */
            double blur = d->singular[0] / d->singular[k] * d->singular[0] / d->singular[l];
            support_close(w, k == l, 1e-12 + (d->rows > d->cols ? 1e-14 * blur : 0));
            support_close(h, k == l ? d->singular[k] * d->singular[k] : 0,
                          1e-12 * d->singular[0] * d->singular[0]);
        }
    }
    support_close(d->residual, sqrt(square / norm), 1e-9 * (1 + d->residual));
    support_close(d->objective, nuclear + lambda * abs, 1e-9 * d->objective);
    assert_int_equal(d->nonzeros, nonzeros);
    if (d->status == CH_OK) support_check(d->residual <= set->tol, "residual %g", d->residual);
    free(L);
}

static void planted_parts_come_back(void **state) {
    (void)state;
    ch_random random;
    support_seed(&random, "robust PCA, planted", 11);
    for (int round = 0; round < 2; round++) {
        support_memory memory;
        ch_context *context = support_context(&memory, 2);
        planted p = plant(&random, 500, 500, 25, round ? 0.10 : 0.05);
        ch_matrix X = view(p.X, 500, 500);
        ch_rpca_settings set = defaults();
        ch_decomposition d = {.size = sizeof d};
        assert_int_equal(ch_robust_pca(context, &d, &X, &set), CH_OK);
        double *L = product(&d);
        double off = relative_error(L, p.L, 500 * 500);
        print_message("errors in %d %%: L off by %.2g, rank %d, %d iterations, %.2f s\n",
                      round ? 10 : 5, off, (int)d.rank, (int)d.iterations, d.seconds);
        support_check(off <= 1e-5, "L is off by %g", off);
        assert_int_equal(d.rank, 25);
        support_check(d.iterations >= 15 && d.iterations <= 40, "%d iterations", (int)d.iterations);
        for (int64_t i = 0; i < 500 * 500; i++)
            support_check((fabs(d.S[i]) > 0.5) == (p.S[i] != 0), "support of S differs at %d",
                          (int)i);
        recheck(&d, &X, &set);
        free(L);
        ch_decomposition_free(context, &d);
        unplant(&p);
        support_finish(context, &memory);
    }
}

/* One-sided Jacobi: A (rows x cols, rows >= cols) = U diag(s) V'. */
static void naive_svd(double *U, double *s, double *V, const double *A, int64_t rows,
                      int64_t cols) {
    memcpy(U, A, (size_t)(rows * cols) * sizeof *U);
    for (int64_t i = 0; i < cols * cols; i++) V[i] = i % (cols + 1) == 0;
    for (int sweep = 0; sweep < 60; sweep++)
        for (int64_t a = 0; a < cols; a++)
            for (int64_t b = a + 1; b < cols; b++) {
                double aa = 0, bb = 0, ab = 0;
                for (int64_t i = 0; i < rows; i++) {
                    aa += U[i + a * rows] * U[i + a * rows];
                    bb += U[i + b * rows] * U[i + b * rows];
                    ab += U[i + a * rows] * U[i + b * rows];
                }
                if (ab == 0) continue;
                double zeta = (bb - aa) / (2 * ab);
                double t = (zeta < 0 ? -1 : 1) / (fabs(zeta) + sqrt(1 + zeta * zeta));
                double c = 1 / sqrt(1 + t * t), z = c * t;
                for (int64_t i = 0; i < rows; i++) {
                    double u = U[i + a * rows], v = U[i + b * rows];
                    U[i + a * rows] = c * u - z * v;
                    U[i + b * rows] = z * u + c * v;
                }
                for (int64_t i = 0; i < cols; i++) {
                    double u = V[i + a * cols], v = V[i + b * cols];
                    V[i + a * cols] = c * u - z * v;
                    V[i + b * cols] = z * u + c * v;
                }
            }
    for (int64_t k = 0; k < cols; k++) {
        double square = 0;
        for (int64_t i = 0; i < rows; i++) square += U[i + k * rows] * U[i + k * rows];
        s[k] = sqrt(square);
        for (int64_t i = 0; i < rows && s[k] > 0; i++) U[i + k * rows] /= s[k];
    }
}

static double shrink(double value, double limit) {
    return value > limit ? value - limit : value < -limit ? value + limit : 0;
}

/* The algorithm as published, word for word, with X of more rows than columns. Returns the number
 * of iterations. */
static int naive_rpca(double *L, double *S, const double *X, int64_t rows, int64_t cols,
                      double lambda, int64_t *rank) {
    int64_t count = rows * cols;
    double *U = calloc((size_t)count, 8), *V = calloc((size_t)(cols * cols), 8);
    double *s = calloc((size_t)cols, 8), *Y = calloc((size_t)count, 8),
           *A = calloc((size_t)count, 8);
    double norm2 = 0, largest = 0, frobenius = 0, off = 1;
    naive_svd(U, s, V, X, rows, cols);
    for (int64_t k = 0; k < cols; k++) norm2 = fmax(norm2, s[k]);
    for (int64_t i = 0; i < count; i++) {
        largest = fmax(largest, fabs(X[i]));
        frobenius += X[i] * X[i];
        S[i] = 0;
    }
    for (int64_t i = 0; i < count; i++) Y[i] = X[i] / fmax(norm2, largest / lambda);
    double mu = 1.25 / norm2, last = mu * 1e7;
    int iteration = 0;
    for (; off > 1e-7 && iteration < 200; iteration++) {
        for (int64_t i = 0; i < count; i++) A[i] = X[i] - S[i] + Y[i] / mu;
        naive_svd(U, s, V, A, rows, cols);
        memset(L, 0, (size_t)count * sizeof *L);
        *rank = 0;
        for (int64_t k = 0; k < cols; k++) {
            double value = shrink(s[k], 1 / mu);
            *rank += value > 0;
            for (int64_t j = 0; j < cols; j++)
                for (int64_t i = 0; i < rows; i++)
                    L[i + j * rows] += value * U[i + k * rows] * V[j + k * cols];
        }
        double square = 0;
        for (int64_t i = 0; i < count; i++) {
            S[i] = shrink(X[i] - L[i] + Y[i] / mu, lambda / mu);
            double r = X[i] - L[i] - S[i];
            Y[i] += mu * r;
            square += r * r;
        }
        mu = fmin(1.5 * mu, last);
        off = sqrt(square / frobenius);
    }
    free(U);
    free(V);
    free(s);
    free(Y);
    free(A);
    return iteration;
}

static void the_iterates_are_the_published_ones(void **state) {
    (void)state;
    ch_random random;
    support_seed(&random, "robust PCA against a plain version", 5);
    static const double lambdas[] = {1, 0.3, 3, 1};
    for (int round = 0; round < 12; round++) {
        int64_t rows = 20 + 7 * (round % 5), cols = 3 + round, rank = 0;
        planted p = plant(&random, rows, cols, 1 + round % 3, 0.1);
        double *L = calloc((size_t)(rows * cols), 8), *S = calloc((size_t)(rows * cols), 8);
        ch_rpca_settings set = defaults();
        set.lambda = lambdas[round % 4];
        int count = naive_rpca(L, S, p.X, rows, cols, set.lambda / sqrt((double)rows), &rank);
        ch_context *context = support_context(NULL, 1);
        ch_matrix X = view(p.X, rows, cols);
        ch_decomposition d = {.size = sizeof d};
        assert_int_equal(ch_robust_pca(context, &d, &X, &set), CH_OK);
        recheck(&d, &X, &set);
        double *got = product(&d);
        support_check(d.iterations == count, "%d iterations, not %d", (int)d.iterations, count);
        assert_int_equal(d.rank, rank);
        support_check(support_difference(got, L, rows * cols) < 2e-6, "L differs by %g",
                      support_difference(got, L, rows * cols));
        for (int64_t i = 0; i < rows; i++)
            for (int64_t j = 0; j < cols; j++)
                support_close(sparse_at(&d, i, j), S[i + j * rows], 2e-6);
        ch_decomposition_free(context, &d);
        ch_context_destroy(context);
        free(got);
        free(L);
        free(S);
        unplant(&p);
    }
}

static void same_decomposition(const ch_decomposition *a, const ch_decomposition *b) {
    assert_int_equal(a->rank, b->rank);
    assert_int_equal(a->iterations, b->iterations);
    assert_memory_equal(a->W, b->W, (size_t)(a->rows * a->rank) * sizeof(double));
    assert_memory_equal(a->H, b->H, (size_t)(a->rank * a->cols) * sizeof(double));
    assert_memory_equal(a->S, b->S, (size_t)(a->rows * a->cols) * sizeof(double));
}

static void threads_give_the_same_bits(void **state) {
    (void)state;
    ch_random random;
    support_seed(&random, "robust PCA, threads", 3);
    planted p = plant(&random, 40, 2500, 3, 0.05);
    ch_matrix X = view(p.X, 40, 2500);
    ch_rpca_settings set = defaults();
    ch_decomposition one = {.size = sizeof one};
    ch_context *first = support_context(NULL, 1);
    assert_int_equal(ch_robust_pca(first, &one, &X, &set), CH_OK);
    for (int threads = 2; threads <= 5; threads++) {
        ch_context *context = support_context(NULL, threads);
        ch_decomposition d = {.size = sizeof d};
        assert_int_equal(ch_robust_pca(context, &d, &X, &set), CH_OK);
        same_decomposition(&d, &one);
        ch_decomposition_free(context, &d);
        ch_context_destroy(context);
    }
    ch_decomposition_free(first, &one);
    ch_context_destroy(first);
    unplant(&p);
}

/* Bytes of a video with a block that moves, in every layout and both ways round. */
static void layouts_and_types_agree(void **state) {
    (void)state;
    enum { FRAMES = 30, PIXELS = 700 };
    static const ch_matrix_layout layouts[] = {CH_COLUMN_MAJOR, CH_ROW_MAJOR, CH_CSC};
    static const ch_value_type types[] = {CH_F64, CH_F32, CH_U8, CH_U16};
    ch_random random;
    support_seed(&random, "robust PCA, layouts", 9);
    double *values = calloc(FRAMES * PIXELS, sizeof *values);
    for (int j = 0; j < PIXELS; j++) {
        double base = (double)ch_random_below(&random, 200);
        for (int i = 0; i < FRAMES; i++)
            values[i + j * FRAMES] = j / 20 == i ? 255 : base + (double)ch_random_below(&random, 4);
    }
    ch_matrix X = view(values, FRAMES, PIXELS);
    ch_context *context = support_context(NULL, 2);
    ch_rpca_settings set = defaults();
    ch_decomposition one = {.size = sizeof one};
    assert_int_equal(ch_robust_pca(context, &one, &X, &set), CH_OK);
    double *L = product(&one);
    for (int k = 0; k < 12; k++)
        for (int tall = 0; tall < 2; tall++) {
            ch_matrix Y = support_reshape(context, &X, layouts[k / 4], types[k % 4]), Yt;
            assert_int_equal(ch_matrix_transpose(context, &Yt, &Y), CH_OK);
            ch_decomposition d = {.size = sizeof d};
            assert_int_equal(ch_robust_pca(context, &d, tall ? &Yt : &Y, &set), CH_OK);
            recheck(&d, tall ? &Yt : &Y, &set);
            assert_int_equal(d.rank, one.rank);
            assert_int_equal(d.iterations, one.iterations);
            double *got = product(&d);
            for (int64_t i = 0; i < FRAMES; i++)
                for (int64_t j = 0; j < PIXELS; j++)
                    support_close(got[tall ? j + i * PIXELS : i + j * FRAMES], L[i + j * FRAMES],
                                  1e-6);
            free(got);
            ch_decomposition_free(context, &d);
            ch_matrix_free(context, &Yt);
            ch_matrix_free(context, &Y);
        }
    free(L);
    ch_decomposition_free(context, &one);
    ch_context_destroy(context);
    free(values);
}

static void any_scale_and_nothing_at_all(void **state) {
    (void)state;
    ch_random random;
    support_seed(&random, "robust PCA, scales", 2);
    ch_context *context = support_context(NULL, 1);
    ch_rpca_settings set = defaults();
    planted p = plant(&random, 15, 40, 2, 0.05);
    double *scaled = calloc(15 * 40, sizeof *scaled);
    ch_matrix X = view(p.X, 15, 40), Z = view(scaled, 15, 40);
    ch_decomposition one = {.size = sizeof one}, d = {.size = sizeof d};
    assert_int_equal(ch_robust_pca(context, &d, &Z, &set), CH_OK); /* all zero */
    assert_int_equal(d.rank, 0);
    assert_int_equal(d.nonzeros, 0);
    assert_true(d.objective == 0 && d.residual == 0);
    ch_decomposition_free(context, &d);
    assert_int_equal(ch_robust_pca(context, &one, &X, &set), CH_OK);
    static const double scales[] = {0x1p-700, 0x1p700};
    for (int k = 0; k < 2; k++) {
        for (int i = 0; i < 15 * 40; i++) scaled[i] = p.X[i] * scales[k];
        assert_int_equal(ch_robust_pca(context, &d, &Z, &set), CH_OK);
        assert_int_equal(d.rank, one.rank);
        assert_int_equal(d.iterations, one.iterations);
        for (int i = 0; i < 15 * 40; i++) support_close(d.S[i] / scales[k], one.S[i], 1e-9);
        for (int i = 0; i < (int)d.rank; i++)
            support_close(d.singular[i] / scales[k], one.singular[i], 1e-9);
        ch_decomposition_free(context, &d);
    }
    ch_decomposition_free(context, &one);
    ch_context_destroy(context);
    free(scaled);
    unplant(&p);
}

static int stop_at_three(const ch_progress_event *event, void *user) {
    *(int64_t *)user = event->done;
    assert_string_equal(event->phase, "separate");
    return event->done == 3;
}

static void it_can_be_stopped(void **state) {
    (void)state;
    ch_random random;
    support_seed(&random, "robust PCA, stopped", 2);
    support_memory memory;
    ch_context *context = support_context(&memory, 2);
    planted p = plant(&random, 30, 80, 2, 0.05);
    ch_matrix X = view(p.X, 30, 80);
    ch_rpca_settings set = defaults();
    ch_decomposition d = {.size = sizeof d};
    int64_t seen = 0;
    ch_context_set_progress(context, stop_at_three, &seen);
    assert_int_equal(ch_robust_pca(context, &d, &X, &set), CH_STOP_CANCELLED);
    assert_int_equal(d.status, CH_STOP_CANCELLED);
    assert_int_equal(seen, 3);
    assert_int_equal(d.iterations, 3);
    recheck(&d, &X, &set);
    ch_decomposition_free(context, &d);
    ch_context_set_progress(context, NULL, NULL);
    set.iterations = 5;
    assert_int_equal(ch_robust_pca(context, &d, &X, &set), CH_STOP_ITER);
    assert_int_equal(d.iterations, 5);
    recheck(&d, &X, &set);
    ch_decomposition_free(context, &d);
    unplant(&p);
    support_finish(context, &memory);
}

static void bad_input_is_refused(void **state) {
    (void)state;
    double values[6] = {1, 2, 3, -4, 5, 6};
    ch_matrix X = view(values, 2, 3);
    ch_context *context = support_context(NULL, 1);
    ch_rpca_settings set = defaults();
    ch_decomposition d = {.size = sizeof d}, before = {.size = sizeof before};
    memset(&d, 0x5A, sizeof d);
    d.size = sizeof d;
    before = d;
    set.lambda = 0;
    assert_int_equal(ch_robust_pca(context, &d, &X, &set), CH_ERR_SETTING);
    support_message(context, "'lambda' must be between");
    set.lambda = -1;
    assert_int_equal(ch_robust_pca(context, &d, &X, &set), CH_ERR_SETTING);
    set.lambda = NAN;
    assert_int_equal(ch_robust_pca(context, &d, &X, &set), CH_ERR_SETTING);
    set = defaults();
    values[4] = NAN;
    assert_int_equal(ch_robust_pca(context, &d, &X, &set), CH_ERR_DATA);
    support_message(context, "row 0, column 2 (counted from 0) is NaN");
    values[4] = -INFINITY;
    assert_int_equal(ch_robust_pca(context, &d, &X, &set), CH_ERR_DATA);
    support_message(context, "row 0, column 2 (counted from 0) is infinite");
    X.cols = 0;
    assert_int_equal(ch_robust_pca(context, &d, &X, &set), CH_ERR_DATA);
    support_message(context, "empty");
    assert_memory_equal(&d, &before, sizeof d);
    ch_context_destroy(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(planted_parts_come_back),
        cmocka_unit_test(the_iterates_are_the_published_ones),
        cmocka_unit_test(threads_give_the_same_bits),
        cmocka_unit_test(layouts_and_types_agree),
        cmocka_unit_test(any_scale_and_nothing_at_all),
        cmocka_unit_test(it_can_be_stopped),
        cmocka_unit_test(bad_input_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
