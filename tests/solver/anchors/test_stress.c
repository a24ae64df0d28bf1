/* Numbers at the edges: columns 300 orders of magnitude apart, denormals, anchors that are nearly
 * or wholly dependent, as many anchors as rows and more, full 16-bit integers, one row, one column.
 * The answer is right, by the planted anchors, a long double sum and the recheck, or it is refused.
 */
#include "support.h"
#include <conehull/conehull.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { M = 20, K = 4, N = 30 };

static const char *const losses[] = {"l1", "l2", "kl", "is", "beta:1.5"};
enum { LOSSES = sizeof losses / sizeof *losses };

static ch_matrix borrow(ch_context *context, const void *values, int64_t rows, int64_t cols,
                        ch_value_type type) {
    ch_matrix X;
    assert_int_equal(
        ch_matrix_borrow(context, &X,
                         &(ch_matrix){.rows = rows, .cols = cols, .type = type, .values = values}),
        CH_OK);
    return X;
}

static ch_anchors_settings settings(ch_context *context, const char *loss, int64_t rank) {
    ch_anchors_settings set;
    ch_anchors_defaults(&set);
    set.rank = rank;
    set.keep_duals = 1;
    assert_int_equal(ch_settings_set(context, ch_anchors_table(), &set, "loss", loss), CH_OK);
    return set;
}

static int column_is(const int64_t *list, int64_t count, int64_t column) {
    for (int64_t k = 0; k < count; k++)
        if (list[k] == column) return 1;
    return 0;
}

/* Separable: columns 0 .. K - 1 are the anchors, the others lie well inside their cone. */
static void plant(double *X, ch_random *random) {
    double h[K], alpha[K] = {1, 1, 1, 1};
    for (int i = 0; i < M * K; i++) X[i] = 0.2 * ch_random_uniform(random);
    for (int k = 0; k < K; k++) X[k * M + k] += 1;
    for (int j = K; j < N; j++) {
        ch_random_dirichlet(random, h, alpha, K);
        for (int i = 0; i < M; i++) {
            X[j * M + i] = 0;
            for (int k = 0; k < K; k++) X[j * M + i] += (0.8 * h[k] + 0.05) * X[k * M + i];
        }
    }
}

static void expect_holds(ch_context *context, const ch_matrix *X, const ch_anchors_result *result,
                         const ch_anchors_settings *set, const char *what) {
    ch_verification found = {.size = sizeof found};
    assert_int_equal(ch_verify(context, &found, X, result, set), CH_OK);
    support_check(found.ok, "%s: %s", what, found.why);
}

/* The answer is proven and the recheck confirms it, or a status says why there is none. 0:
 * there is no answer; 1: a status calls it inaccurate; 2: it is proven. */
static int answer_holds(ch_context *context, const ch_matrix *X, const ch_anchors_settings *set,
                        const char *loss, const char *what) {
    ch_anchors_result result = {.size = sizeof result};
    ch_status status = ch_anchors(context, &result, X, set);
    if (status < 0) {
        const char *said = ch_context_message(context);
        support_check(strstr(said, "2^500") ||
                          strstr(said, "exceeds the range of floating-point numbers") ||
                          strstr(said, " that can be an anchor; columns"),
                      "%s, %s: %d, %s", what, loss, (int)status, said);
        return 0;
    }
    support_check(status == CH_OK || status == CH_STOP_COMPLETE || status == CH_STOP_INACCURATE,
                  "%s, %s: %s", what, loss, ch_status_name(status));
    for (int64_t i = 0; i < result.rank * result.cols; i++)
        support_check(isfinite(result.H[i]) && result.H[i] >= 0, "%s, %s: H is %g", what, loss,
                      result.H[i]);
    if (status != CH_STOP_INACCURATE) {
        ch_verification found = {.size = sizeof found};
        assert_int_equal(ch_verify(context, &found, X, &result, set), CH_OK);
        support_check(found.ok, "%s, %s: %s", what, loss, found.why);
    }
    ch_anchors_result_free(context, &result);
    return status == CH_STOP_INACCURATE ? 1 : 2;
}

static int answers(ch_context *context, const ch_matrix *X, const char *loss, int64_t rank,
                   const char *what) {
    ch_anchors_settings set = settings(context, loss, rank);
    return answer_holds(context, X, &set, loss, what);
}

/* Columns times powers of ten from 1e-150 to 1e150, in one matrix: the same anchors. */
static void columns_of_any_size(void **state) {
    (void)state;
    ch_random random;
    ch_context *context = support_context(NULL, 1);
    double X[M * N], scaled[M * N];
    support_seed(&random, "columns of any size", 1);
    for (int turn = 0; turn < 20; turn++) {
        plant(X, &random);
        for (int j = 0; j < N; j++) {
            double scale = pow(10, 290 * ch_random_uniform(&random) - 145);
            for (int i = 0; i < M; i++) scaled[j * M + i] = scale * X[j * M + i];
        }
        ch_matrix view = borrow(context, scaled, M, N, CH_F64);
        for (int l = 0; l < 2; l++)
            for (int spa = 0; spa < 2; spa++) {
                ch_anchors_settings set = settings(context, losses[l], K);
                ch_anchors_result result = {.size = sizeof result};
                if (spa) set.method = CH_METHOD_SPA;
                ch_status status = ch_anchors(context, &result, &view, &set);
                support_check(status >= 0, "%s: %s", losses[l], ch_context_message(context));
                for (int k = 0; k < K; k++)
                    support_check(column_is(result.anchors, result.rank, k),
                                  "%s, spa %d: anchor %d was not found", losses[l], spa, k);
                support_check(isfinite(result.objective), "objective %g", result.objective);
                ch_anchors_result_free(context, &result);
            }
    }
    ch_context_destroy(context);
}

/* The very ends, 1e-150 and 1e150, one beside the other and beside 1, for every loss. */
static void columns_at_the_ends(void **state) {
    static const double mixes[][3] = {{1e-150, 1e150, 1},
                                      {1, 1e-150, 1},
                                      {1, 1e150, 1},
                                      {1e-150, 1e-150, 1e-150},
                                      {1e150, 1e150, 1e150}};
    (void)state;
    ch_random random;
    ch_context *context = support_context(NULL, 1);
    double X[M * N], scaled[M * N];
    support_seed(&random, "columns at the ends", 8);
    plant(X, &random);
    ch_matrix view = borrow(context, scaled, M, N, CH_F64);
    for (int mix = 0; mix < 5; mix++) {
        int answered = 0;
        for (int i = 0; i < M * N; i++) scaled[i] = 0.25 * X[i] * mixes[mix][i / M % 3];
        for (int l = 0; l < LOSSES; l++) {
            int one = answers(context, &view, losses[l], K, "the ends");
            support_check(one || l > 1, "mix %d, %s: %s", mix, losses[l],
                          ch_context_message(context));
            answered += one;
        }
        support_check(answered >= 2, "mix %d: %d answers", mix, answered);
    }
    ch_context_destroy(context);
}

/* The same data times a power of two: the same anchors and H, for every loss with its floor. */
static void data_of_any_size(void **state) {
    (void)state;
    ch_random random;
    ch_context *context = support_context(NULL, 1);
    double X[M * N], scaled[M * N];
    support_seed(&random, "data of any size", 2);
    plant(X, &random);
    for (int i = 0; i < M * N; i++) X[i] *= 0.9 + 0.2 * ch_random_uniform(&random);
    ch_matrix plain = borrow(context, X, M, N, CH_F64),
              view = borrow(context, scaled, M, N, CH_F64);
    for (int l = 0; l < LOSSES; l++)
        for (int power = -480; power <= 480; power += 160) {
            ch_anchors_settings set = settings(context, losses[l], K);
            ch_anchors_result one = {.size = sizeof one}, other = {.size = sizeof other};
            for (int i = 0; i < M * N; i++) scaled[i] = ldexp(X[i], power);
            assert_true(ch_anchors(context, &one, &plain, &set) >= 0);
            ch_status status = ch_anchors(context, &other, &view, &set);
            if (status >= 0) {
                support_check(!memcmp(one.anchors, other.anchors, K * sizeof *one.anchors),
                              "%s, 2^%d: other anchors", losses[l], power);
                /* far out a divergence may not be proven any more, and then it says so */
                support_check(support_difference(one.H, other.H, K * N) <= (l < 2 ? 1e-9 : 1e-5) ||
                                  (l > 1 && status == CH_STOP_INACCURATE),
                              "%s, 2^%d: another H", losses[l], power);
                ch_anchors_result_free(context, &other);
            } else
                support_check(l > 1 && strstr(ch_context_message(context),
                                              "exceeds the range of floating-point numbers"),
                              "%s, 2^%d was refused: %s", losses[l], power,
                              ch_context_message(context));
            ch_anchors_result_free(context, &one);
        }
    ch_context_destroy(context);
}

/* |x - W h|_1 of a column, in long double. */
static long double l1_of(const double *x, const double *W, const double *h, int64_t m, int64_t k) {
    long double sum = 0;
    for (int64_t i = 0; i < m; i++) {
        long double rest = x[i];
        for (int64_t j = 0; j < k; j++) rest -= (long double)W[j * m + i] * h[j];
        sum += fabsl(rest);
    }
    return sum;
}

/* ch_project on W: the reported objective is that of H, and never above that of `other` weights. */
static double project_l1(ch_context *context, const double *X, int64_t n, const double *W,
                         int64_t k, double *H) {
    ch_anchors_settings set = settings(context, "l1", 0);
    ch_project_info info = {.size = sizeof info};
    ch_matrix view = borrow(context, X, M, n, CH_F64);
    ch_status status = ch_project(context, H, &info, &view, W, k, &set);
    support_check(status == CH_OK, "%d: %s", (int)status, ch_context_message(context));
    long double sum = 0, size = 0;
    for (int64_t j = 0; j < n; j++) {
        sum += l1_of(X + j * M, W, H + j * k, M, k);
        for (int i = 0; i < M; i++) size += X[j * M + i];
        for (int64_t a = 0; a < k; a++) support_check(H[j * k + a] >= 0, "H is %g", H[j * k + a]);
    }
    support_check(fabsl(sum - info.objective) <= 1e-12L * size, "%.17g, by long double %.17Lg",
                  info.objective, sum);
    support_check(info.unproven == 0 && info.certificate.gap <= set.tol, "unproven %d, gap %g",
                  (int)info.unproven, info.certificate.gap);
    return info.objective;
}

/* ch_project for any loss: weights are numbers, and every column is proven or counted as unproven.
 * For l2 the objective is that of H. */
static double project_any(ch_context *context, const char *loss, const double *X, int64_t n,
                          const double *W, int64_t k, double *H) {
    ch_anchors_settings set = settings(context, loss, 0);
    ch_project_info info = {.size = sizeof info};
    ch_matrix view = borrow(context, X, M, n, CH_F64);
    ch_status status = ch_project(context, H, &info, &view, W, k, &set);
    support_check(status == CH_OK || (status == CH_STOP_INACCURATE && info.unproven > 0),
                  "%s, %d anchors: %d, %s", loss, (int)k, (int)status, ch_context_message(context));
    for (int64_t i = 0; i < k * n; i++)
        support_check(isfinite(H[i]) && H[i] >= 0, "%s: H is %g", loss, H[i]);
    support_check(isfinite(info.objective), "%s: objective %g", loss, info.objective);
    if (strcmp(loss, "l2") == 0) {
        long double sum = 0, size = 0;
        for (int64_t j = 0; j < n; j++)
            for (int i = 0; i < M; i++) {
                long double rest = X[j * M + i];
                size += rest * rest;
                for (int64_t a = 0; a < k; a++) rest -= (long double)W[a * M + i] * H[j * k + a];
                sum += rest * rest;
            }
        support_check(fabsl(sum - info.objective) <= 1e-12L * size, "%.17g, by long double %.17Lg",
                      info.objective, sum);
    }
    return info.objective;
}

/* Anchors that differ by 1e-3 to 1e-14 of their size: what lies in the cone is found to, for every
 * loss, and every column is proven in l1. The selection finds them, or says what it did not. */
static void nearly_parallel_anchors(void **state) {
    (void)state;
    ch_random random;
    ch_context *context = support_context(NULL, 1);
    double W[M * K], X[M * (N + K)], H[K * N];
    support_seed(&random, "nearly parallel", 4);
    for (int power = 3; power <= 14; power++) {
        double far = pow(10, -power), size = 0;
        for (int i = 0; i < M; i++) W[i] = 0.1 + ch_random_uniform(&random);
        for (int i = M; i < M * K; i++) W[i] = W[i % M] * (1 + far * ch_random_uniform(&random));
        for (int j = 0; j < N; j++)
            for (int i = 0; i < M; i++) {
                X[j * M + i] = 0;
                for (int k = 0; k < K; k++) X[j * M + i] += (k + j % 3) * W[k * M + i];
                size += X[j * M + i];
            }
        memcpy(X + M * N, W, sizeof W);
        support_check(project_l1(context, X, N, W, K, H) <= 1e-9 * size, "1e-%d: outside", power);
        ch_matrix view = borrow(context, X, M, N + K, CH_F64);
        for (int l = 0; l < LOSSES; l++) {
            double objective = project_any(context, losses[l], X, N, W, K, H);
            support_check(objective <= 1e-6 * size, "1e-%d, %s: outside by %g", power, losses[l],
                          objective);
            int answered = answers(context, &view, losses[l], K, "nearly parallel");
            support_check(answered || power > 9, "1e-%d: %s", power, ch_context_message(context));
        }
    }
    ch_context_destroy(context);
}

/* Values of a column up to sixteen powers of ten apart, some of them zero, under every loss in both
 * directions. Slopes are then small differences of large numbers, and what proves a fit must not
 * depend on |x|_1. */
static void values_of_many_sizes(void **state) {
    (void)state;
    static const char *const all[] = {"l1", "l2", "kl", "is", "beta:0.5", "beta:1.5", "beta:3"};
    ch_random random;
    ch_context *context = support_context(NULL, 1);
    double X[M * N];
    int asked = 0, proven = 0;
    support_seed(&random, "values of many sizes", 8);
    for (int turn = 0; turn < 30; turn++) {
        double powers = 4 + 4 * (turn % 4);
        for (int i = 0; i < M * K; i++)
            X[i] = ch_random_below(&random, 4) || turn % 2
                       ? pow(10, powers * (ch_random_uniform(&random) - 0.5))
                       : 0;
        for (int j = K; j < N; j++)
            for (int i = 0; i < M; i++)
                X[j * M + i] = X[j % K * M + i] + j * X[(j + 1 + j / K % 3) % K * M + i];
        for (int i = K * M; i < M * N / 2; i++) X[i] *= 1 + 0.1 * ch_random_uniform(&random);
        ch_matrix view = borrow(context, X, M, N, CH_F64);
        for (size_t l = 0; l < sizeof all / sizeof *all; l++)
            for (int reverse = 0; reverse <= (l > 1); reverse++) {
                ch_anchors_settings set = settings(context, all[l], K + 2);
                set.reverse = reverse;
                const char *what = reverse ? "sizes, reversed" : "sizes";
                asked++;
                proven += answer_holds(context, &view, &set, all[l], what) == 2;
            }
    }
    support_check(proven >= 0.97 * asked, "%d of %d are proven", proven, asked);
    ch_context_destroy(context);
}

/* Denormal entries count as the little they are; a matrix of nothing else is refused. */
static void denormals(void **state) {
    (void)state;
    ch_random random;
    ch_context *context = support_context(NULL, 1);
    double X[M * N], W[M * (K + 1)], H[(K + 1) * N];
    support_seed(&random, "denormals", 3);
    plant(X, &random);
    for (int i = 0; i < M * N; i += 3) X[i] += 4e-320;
    for (int i = 0; i < M; i++) X[(N - 1) * M + i] = 0;
    X[(N - 1) * M] = 5e-324; /* no anchor: weights on it would be beyond all numbers */
    ch_matrix view = borrow(context, X, M, N, CH_F64);
    for (int l = 0; l < LOSSES; l++) {
        ch_anchors_settings set = settings(context, losses[l], K + 1);
        ch_anchors_result result = {.size = sizeof result};
        ch_status status = ch_anchors(context, &result, &view, &set);
        support_check(status >= 0, "%s: %s", losses[l], ch_context_message(context));
        for (int k = 0; l < 2 && k < K; k++)
            support_check(column_is(result.anchors, result.rank, k), "%s: anchor %d", losses[l], k);
        for (int64_t i = 0; i < result.rank * N; i++)
            support_check(isfinite(result.H[i]), "H is %g", result.H[i]);
        support_check(isfinite(result.objective), "objective %g", result.objective);
        support_check(!column_is(result.anchors, result.rank, N - 1), "%s: anchor %d", losses[l],
                      N - 1);
        ch_anchors_result_free(context, &result);
        memcpy(W, X, sizeof(double) * M * K);
        memcpy(W + M * K, X + M * (N - 1), sizeof(double) * M);
        double few = project_any(context, losses[l], X, N, W, K, H),
               more = project_any(context, losses[l], X, N, W, K + 1, H);
        support_check(fabs(few - more) <= 1e-9 * (1 + few), "%s: %g, with a denormal anchor %g",
                      losses[l], few, more);
    }
    for (int i = 0; i < M * N; i++) X[i] *= 1e-310;
    ch_anchors_settings set = settings(context, "l1", K);
    ch_anchors_result result = {.size = sizeof result};
    assert_int_equal(ch_anchors(context, &result, &view, &set), CH_ERR_DATA);
    support_message(context, "2^-500");
    ch_context_destroy(context);
}

/* Repeated, zero and dependent anchors add nothing and cost nothing: the objective of the rest. */
static void dependent_anchors(void **state) {
    (void)state;
    ch_random random;
    ch_context *context = support_context(NULL, 1);
    double W[M * (K + 4)] = {0}, X[M * N], H[(K + 4) * N];
    support_seed(&random, "dependent", 5);
    for (int turn = 0; turn < 10; turn++) {
        for (int i = 0; i < M * K; i++) W[i] = ch_random_uniform(&random);
        for (int i = 0; i < M * N; i++) X[i] = ch_random_uniform(&random);
        for (int i = 0; i < M; i++) {
            W[(K + 0) * M + i] = 2 * W[i];
            W[(K + 1) * M + i] = 0;
            W[(K + 2) * M + i] = W[i] + W[M + i];
            W[(K + 3) * M + i] = W[M + i];
        }
        double few = project_l1(context, X, N, W, K, H),
               all = project_l1(context, X, N, W, K + 4, H);
        support_check(fabs(few - all) <= 2e-9 * M * N, "%.15g and %.15g", few, all);
        for (int l = 1; l < LOSSES; l++) {
            few = project_any(context, losses[l], X, N, W, K, H);
            all = project_any(context, losses[l], X, N, W, K + 4, H);
            /* is, which is not convex, may end in another valley */
            support_check(fabs(few - all) <= 1e-5 * few || strcmp(losses[l], "is") == 0,
                          "%s: %.15g and %.15g", losses[l], few, all);
        }
    }
    ch_context_destroy(context);
}

/* As many anchors as rows, and more: the identity among them explains everything. */
static void as_many_anchors_as_rows(void **state) {
    (void)state;
    enum { MORE = M + 5 };
    ch_random random;
    ch_context *context = support_context(NULL, 1);
    double W[M * MORE] = {0}, X[M * N], H[MORE * N];
    support_seed(&random, "k near m", 6);
    for (int i = 0; i < M * N; i++) X[i] = ch_random_uniform(&random);
    for (int j = M; j < MORE; j++)
        for (int i = 0; i < M; i++) W[j * M + i] = ch_random_uniform(&random);
    for (int k = M - 2; k <= MORE; k++) {
        for (int i = 0; i < M; i++) W[i * M + i] = 1 + i;
        double objective = project_l1(context, X, N, W, k, H);
        if (k >= M) support_check(objective <= 1e-9 * M * N, "%d anchors: %g", k, objective);
        for (int l = 1; l < LOSSES; l++) {
            objective = project_any(context, losses[l], X, N, W, k, H);
            if (k >= M)
                support_check(objective <= 1e-6 * M * N, "%d anchors, %s: %g", k, losses[l],
                              objective);
        }
        ch_matrix view = borrow(context, X, M, N, CH_F64);
        for (int l = 0; l < LOSSES; l++)
            support_check(answers(context, &view, losses[l], k, "k near m"), "%s", losses[l]);
    }
    ch_context_destroy(context);
}

/* 16 bits used to the last: the same bits as from doubles. */
static void full_integers(void **state) {
    (void)state;
    enum { TALL = 3000, WIDE = 12 };
    ch_random random;
    ch_context *context = support_context(NULL, 2);
    uint16_t *small = malloc(sizeof *small * TALL * WIDE);
    double *large = malloc(sizeof *large * TALL * WIDE);
    support_seed(&random, "full integers", 7);
    for (int i = 0; i < TALL * WIDE; i++) {
        small[i] = (uint16_t)(65535 - ch_random_below(&random, i % 5 ? 2 : 60000));
        large[i] = small[i];
    }
    ch_matrix narrow = borrow(context, small, TALL, WIDE, CH_U16),
              wide = borrow(context, large, TALL, WIDE, CH_F64);
    for (int l = 0; l < 3; l++) {
        ch_anchors_settings set = settings(context, losses[l], 5);
        ch_anchors_result one = {.size = sizeof one}, other = {.size = sizeof other};
        assert_int_equal(ch_anchors(context, &one, &narrow, &set), CH_OK);
        assert_int_equal(ch_anchors(context, &other, &wide, &set), CH_OK);
        support_check(!memcmp(one.anchors, other.anchors, 5 * sizeof *one.anchors), "%s",
                      losses[l]);
        support_check(!memcmp(one.H, other.H, 5 * WIDE * sizeof *one.H), "%s: H", losses[l]);
        expect_holds(context, &narrow, &one, &set, losses[l]);
        ch_anchors_result_free(context, &one);
        ch_anchors_result_free(context, &other);
    }
    free(small);
    free(large);
    ch_context_destroy(context);
}

/* One row: any column explains all; one column: it explains itself; one number. */
static void one_row_one_column(void **state) {
    (void)state;
    static const int64_t shapes[][2] = {{1, 9}, {9, 1}, {1, 1}, {2, 1}, {1, 2}};
    double values[] = {3, 1, 4, 1, 5, 9, 2, 6, 5};
    ch_context *context = support_context(NULL, 1);
    for (int s = 0; s < 5; s++)
        for (int l = 0; l < LOSSES; l++) {
            ch_matrix X = borrow(context, values, shapes[s][0], shapes[s][1], CH_F64);
            ch_anchors_settings set = settings(context, losses[l], 1);
            ch_anchors_result result = {.size = sizeof result};
            ch_status status = ch_anchors(context, &result, &X, &set);
            support_check(status >= 0 && result.rank == 1, "%s: %s", losses[l],
                          ch_context_message(context));
            support_check(result.objective <= 1e-9, "%lld x %lld, %s: %g", (long long)shapes[s][0],
                          (long long)shapes[s][1], losses[l], result.objective);
            expect_holds(context, &X, &result, &set, losses[l]);
            ch_anchors_result_free(context, &result);
            set.rank = 2;
            status = ch_anchors(context, &result, &X, &set);
            if (status >= 0)
                ch_anchors_result_free(context, &result);
            else
                support_message(context, " that can be an anchor; columns");
        }
    ch_context_destroy(context);
}

/* One row of many: all columns are on one ray, and none is tried for each of the others. */
static void one_long_row(void **state) {
    (void)state;
    enum { COLUMNS = 3000, FEW = 50 };
    double values[COLUMNS];
    ch_random random;
    ch_random_seed(&random, 7);
    for (int j = 0; j < COLUMNS; j++) values[j] = 0.1 + ch_random_uniform(&random);
    ch_context *context = support_context(NULL, 1);
    ch_matrix X = borrow(context, values, 1, COLUMNS, CH_F64);
    for (int l = 0; l < LOSSES; l++) {
        ch_anchors_settings set = settings(context, losses[l], 1);
        set.select_only = 1;
        ch_anchors_result result = {.size = sizeof result};
        ch_status status = ch_anchors(context, &result, &X, &set);
        support_check(status >= 0 && result.rank == 1, "%s: %s", losses[l],
                      ch_context_message(context));
        support_check(result.projections < FEW, "%s: %lld projections", losses[l],
                      (long long)result.projections);
        ch_anchors_result_free(context, &result);
    }
    ch_context_destroy(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_of_any_size), cmocka_unit_test(columns_at_the_ends),
        cmocka_unit_test(data_of_any_size),    cmocka_unit_test(values_of_many_sizes),
        cmocka_unit_test(denormals),           cmocka_unit_test(nearly_parallel_anchors),
        cmocka_unit_test(dependent_anchors),   cmocka_unit_test(as_many_anchors_as_rows),
        cmocka_unit_test(full_integers),       cmocka_unit_test(one_row_one_column),
        cmocka_unit_test(one_long_row),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
