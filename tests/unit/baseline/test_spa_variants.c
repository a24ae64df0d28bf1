/* Relatives of successive projection, against definitions written down plainly and on data that
 * show what each is for. */
#include "baseline/baseline.h"
#include "baseline/variants/least_ellipsoid.h"
#include "support.h"
#include <conehull/conehull.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 64 };

typedef struct outcome {
    ch_status status;
    int64_t rank, anchors[MOST];
    double residual[MOST];
} outcome;

typedef ch_status (*selector)(ch_context *, chi_selection *, const ch_matrix *,
                              const ch_anchors_settings *);

static outcome choose(ch_context *context, selector select, const ch_matrix *X, const char *words) {
    ch_anchors_settings set;
    outcome out = {.rank = 0};
    chi_selection found = {.anchors = out.anchors, .max_residual = out.residual};
    ch_anchors_defaults(&set);
    assert_int_equal(ch_settings_set_words(context, ch_anchors_table(), &set, words), CH_OK);
    out.status = select(context, &found, X, &set);
    out.rank = found.rank;
    return out;
}

static int found_all(const outcome *out, const int64_t *anchors, int64_t rank) {
    int64_t hits = 0;
    for (int64_t k = 0; k < out->rank; k++)
        for (int64_t a = 0; a < rank; a++) hits += out->anchors[k] == anchors[a];
    return hits == rank;
}

static void same_choice(const outcome *a, const outcome *b, const char *what) {
    assert_int_equal(a->rank, b->rank);
    for (int64_t k = 0; k < a->rank; k++)
        support_check(a->anchors[k] == b->anchors[k], "%s: anchor %d is %d, not %d", what, (int)k,
                      (int)a->anchors[k], (int)b->anchors[k]);
}

/* ---- snpa ---------------------------------------------------------------------------------- */

static int falling(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? 1 : x > y ? -1 : 0;
}

/* The nearest point of {h >= 0, sum h <= 1}. */
static void onto_simplex(double *h, int64_t k) {
    double sum = 0, sorted[MOST], shift = 0, above = 0;
    for (int64_t a = 0; a < k; a++) sum += sorted[a] = h[a] = fmax(h[a], 0);
    if (sum <= 1) return;
    qsort(sorted, (size_t)k, sizeof *sorted, falling);
    for (int64_t a = 0; a < k; a++) {
        above += sorted[a];
        if (sorted[a] > (above - 1) / (double)(a + 1)) shift = (above - 1) / (double)(a + 1);
    }
    for (int64_t a = 0; a < k; a++) h[a] = fmax(h[a] - shift, 0);
}

/* Distance of x from the hull of the columns of W and 0, by projected gradients. */
static double naive_distance(const double *W, const double *x, int64_t rows, int64_t k) {
    double h[MOST] = {0}, size = 0, square = 0, r[MOST];
    for (int64_t i = 0; i < rows * k; i++) size += W[i] * W[i];
    for (int step = 0; step < 20000; step++) {
        double slope[MOST] = {0};
        square = 0;
        for (int64_t i = 0; i < rows; i++) {
            r[i] = x[i];
            for (int64_t a = 0; a < k; a++) r[i] -= W[i + a * rows] * h[a];
            square += r[i] * r[i];
            for (int64_t a = 0; a < k; a++) slope[a] += W[i + a * rows] * r[i];
        }
        for (int64_t a = 0; a < k; a++) h[a] += slope[a] / size;
        onto_simplex(h, k);
    }
    return sqrt(square);
}

/* Every column is projected at every step; the farthest must be the one that was chosen. */
static void snpa_takes_the_farthest_from_the_hull(void **state) {
    (void)state;
    enum { ROWS = 5, COLS = 14, RANK = 6 };
    support_memory memory;
    ch_context *context = support_context(&memory, 2);
    for (int seed = 0; seed < 3; seed++) {
        double scaled[ROWS * COLS], W[ROWS * RANK];
        ch_matrix X = support_planted(context, NULL, ROWS, COLS, 4, 0.4, seed);
        outcome out = choose(context, chi_snpa, &X, "rank=6");
        assert_int_equal(out.rank, RANK); /* more than the rows: no span would allow it */
        for (int64_t j = 0; j < COLS; j++) {
            double sum = 0;
            for (int64_t i = 0; i < ROWS; i++) sum += ch_matrix_at(&X, i, j);
            for (int64_t i = 0; i < ROWS; i++) scaled[i + j * ROWS] = ch_matrix_at(&X, i, j) / sum;
        }
        for (int64_t k = 0; k < RANK; k++) {
            double largest = 0, taken = 0;
            for (int64_t j = 0; j < COLS; j++) {
                double far = naive_distance(W, scaled + j * ROWS, ROWS, k);
                largest = fmax(largest, far);
                if (j == out.anchors[k]) taken = far;
            }
            support_check(taken >= largest - 1e-6, "step %d: %g, farthest %g", (int)k, taken,
                          largest);
            double reported = k > 0 ? out.residual[k - 1] : largest;
            support_check(fabs(reported - largest) < 1e-6, "step %d: residual %g, not %g", (int)k,
                          reported, largest);
            memcpy(W + k * ROWS, scaled + out.anchors[k] * ROWS, ROWS * sizeof(double));
        }
        ch_matrix_free(context, &X);
    }
    support_finish(context, &memory);
}

/* ---- the ellipsoid ------------------------------------------------------------------------- */

static double determinant(double *A, int n) {
    double value = 1;
    for (int c = 0; c < n; c++) {
        value *= A[c + c * n]; /* positive definite: no pivoting */
        for (int i = c + 1; i < n; i++) {
            double factor = A[i + c * n] / A[c + c * n];
            for (int k = c; k < n; k++) A[i + k * n] -= factor * A[c + k * n];
        }
    }
    return value;
}

/* y'M^-1 y = 1 - det(M - y y') / det M. */
static double length(const double *M, const double *y, int n) {
    double A[MOST], B[MOST];
    for (int c = 0; c < n; c++)
        for (int i = 0; i < n; i++) {
            A[i + c * n] = M[i + c * n];
            B[i + c * n] = M[i + c * n] + y[i] * y[c];
        }
    return determinant(B, n) / determinant(A, n) - 1; /* det(M + y y') = det M (1 + y'M^-1 y) */
}

/* Holds every point, and is as small as what the multiplicative algorithm (Titterington 1976),
 * another method, arrives at. */
static void ellipsoid_is_the_least(void **state) {
    (void)state;
    enum { N = 4, POINTS = 60 };
    support_memory memory;
    ch_context *context = support_context(&memory, 1);
    for (int seed = 0; seed < 4; seed++) {
        double Y[N * POINTS], M[N * N], u[POINTS], slow[N * N];
        ch_random random;
        ch_random_seed(&random, (uint64_t)seed);
        for (int i = 0; i < N * POINTS; i++) Y[i] = ch_random_normal(&random) * (1 + i % N);
        chi_arena arena = {.context = context};
        int64_t start[N] = {0, 1, 2, 3};
        assert_int_equal(chi_least_ellipsoid(&arena, M, Y, N, POINTS, start, 1e-7), CH_OK);
        for (int j = 0; j < POINTS; j++) u[j] = 1.0 / POINTS;
        for (int step = 0; step < 3000; step++) {
            memset(slow, 0, sizeof slow);
            for (int j = 0; j < POINTS; j++)
                for (int c = 0; c < N; c++)
                    for (int i = 0; i < N; i++)
                        slow[i + c * N] += u[j] * Y[i + j * N] * Y[c + j * N];
            for (int j = 0; j < POINTS; j++) u[j] *= length(slow, Y + j * N, N) / N;
        }
        double largest = 0;
        for (int j = 0; j < POINTS; j++) largest = fmax(largest, length(M, Y + j * N, N));
        support_check(largest <= N * (1 + 1e-6), "a point lies outside: %.9g", largest / N);
        double mine = determinant(M, N), other = determinant(slow, N);
        support_check(mine >= other * (1 - 1e-6), "det %.9g, not %.9g", mine, other);
        chi_arena_free(&arena);
    }
    support_finish(context, &memory);
}

/* ---- pspa, smoothed, random ---------------------------------------------------------------- */

static ch_matrix dense(const double *values, int64_t rows, int64_t cols) {
    return (ch_matrix){.rows = rows,
                       .cols = cols,
                       .stride = rows,
                       .layout = CH_COLUMN_MAJOR,
                       .type = CH_F64,
                       .values = values};
}

typedef struct planted {
    ch_matrix X;
    double *values;
} planted;

/* rank pure columns first, each `copies` times, then mixtures; noise added, nothing below 0. */
static planted plant(int64_t rows, int64_t rank, int64_t copies, int64_t cols, const double *W,
                     double noise, uint64_t seed) {
    planted made = {.values = calloc((size_t)(rows * cols), sizeof(double))};
    ch_random random;
    ch_random_seed(&random, seed);
    for (int64_t j = 0; j < cols; j++) {
        double h[MOST] = {0}, ones[MOST];
        for (int64_t a = 0; a < rank; a++) ones[a] = 1;
        if (j < rank * copies)
            h[j / copies] = 1;
        else
            ch_random_dirichlet(&random, h, ones, rank);
        for (int64_t i = 0; i < rows; i++) {
            double x = noise * ch_random_normal(&random);
            for (int64_t a = 0; a < rank; a++) x += W[i + a * rows] * h[a];
            made.values[i + j * rows] = fmax(x, 0);
        }
    }
    made.X = dense(made.values, rows, cols);
    return made;
}

/* The experiment of Gillis and Vavasis: nearly dependent pure columns, the points half-way between
 * any two of them, and noise that pushes these outwards, away from the middle of all. */
static void pspa_stands_what_spa_does_not(void **state) {
    (void)state;
    static const double delta = 0.1;
    enum { ROWS = 40, RANK = 8, COLS = RANK + RANK * (RANK - 1) / 2 };
    support_memory memory;
    ch_context *context = support_context(&memory, 2);
    int by_spa = 0, by_pspa = 0;
    for (uint64_t seed = 0; seed < 10; seed++) {
        double W[ROWS * RANK], *X = calloc(ROWS * COLS, sizeof *X);
        int64_t anchors[RANK], column = RANK;
        ch_random random;
        ch_random_seed(&random, 100 + seed);
        for (int i = 0; i < ROWS; i++) {
            double common = 1 + ch_random_uniform(&random), middle = 0;
            for (int a = 0; a < RANK; a++) {
                X[i + a * ROWS] = W[i + a * ROWS] =
                    common + 0.5 * pow(0.4, a) * ch_random_uniform(&random);
                middle += W[i + a * ROWS] / RANK;
            }
            column = RANK;
            for (int a = 0; a < RANK; a++)
                for (int b = 0; b < a; b++) {
                    double x = (W[i + a * ROWS] + W[i + b * ROWS]) / 2;
                    X[i + column++ * ROWS] = x + delta * (x - middle);
                }
        }
        for (int a = 0; a < RANK; a++) anchors[a] = a;
        ch_matrix view = dense(X, ROWS, COLS);
        outcome spa = choose(context, chi_spa, &view, "rank=8 plain=1");
        outcome pspa = choose(context, chi_preconditioned_spa, &view, "rank=8 plain=1");
        by_spa += found_all(&spa, anchors, RANK);
        by_pspa += found_all(&pspa, anchors, RANK);
        free(X);
    }
    support_check(by_pspa >= 9 && by_spa <= 1, "all by pspa in %d of 10, by spa in %d", by_pspa,
                  by_spa);
    support_finish(context, &memory);
}

static void smoothed_is_spa_with_one_neighbour(void **state) {
    (void)state;
    support_memory memory;
    ch_context *context = support_context(&memory, 2);
    for (int seed = 0; seed < 5; seed++)
        for (int plain = 0; plain < 2; plain++) {
            char words[64];
            ch_matrix X = support_planted(context, NULL, 30, 80, 6, 0.3, seed);
            snprintf(words, sizeof words, "rank=6 neighbours=1 plain=%d", plain);
            outcome smoothed = choose(context, chi_smoothed_spa, &X, words);
            outcome spa = choose(context, chi_spa, &X, words);
            same_choice(&smoothed, &spa, "one neighbour");
            for (int k = 0; k < 5; k++)
                assert_true(fabs(smoothed.residual[k] - spa.residual[k]) < 1e-7);
            ch_matrix_free(context, &X);
        }
    support_finish(context, &memory);
}

/* Ten noisy copies of every pure column: one of them, the farthest, carries the noise of its own
 * into the span, the median of several does not. */
static void smoothed_averages_noise_away(void **state) {
    (void)state;
    enum { ROWS = 30, RANK = 8, COPIES = 10, COLS = 200 };
    support_memory memory;
    ch_context *context = support_context(&memory, 2);
    int by_spa = 0, by_smoothed = 0;
    for (uint64_t seed = 0; seed < 10; seed++) {
        double W[ROWS * RANK];
        ch_random random;
        ch_random_seed(&random, 200 + seed);
        for (int i = 0; i < ROWS * RANK; i++) W[i] = ch_random_uniform(&random);
        planted data = plant(ROWS, RANK, COPIES, COLS, W, 0.2, seed);
        outcome spa = choose(context, chi_spa, &data.X, "rank=8");
        outcome smoothed = choose(context, chi_smoothed_spa, &data.X, "rank=8 neighbours=7");
        for (int a = 0; a < RANK; a++) {
            int one = 0, several = 0;
            for (int k = 0; k < RANK; k++) {
                one |= spa.anchors[k] / COPIES == a;
                several |= smoothed.anchors[k] / COPIES == a;
            }
            by_spa += one;
            by_smoothed += several;
        }
        free(data.values);
    }
    support_check(by_smoothed >= by_spa + 4, "%d of 80 kinds, spa %d", by_smoothed, by_spa);
    support_finish(context, &memory);
}

/* What the anchors leave, by the library's own projection. */
static double misfit(ch_context *context, const ch_matrix *X, const outcome *out) {
    double W[MOST * MOST], *H = calloc((size_t)(out->rank * X->cols), sizeof *H);
    ch_anchors_settings set;
    ch_project_info info = {.size = sizeof info};
    ch_anchors_defaults(&set);
    set.loss = CH_LOSS_L2;
    for (int64_t k = 0; k < out->rank; k++)
        for (int64_t i = 0; i < X->rows; i++)
            W[i + k * X->rows] = ch_matrix_at(X, i, out->anchors[k]);
    assert_true(ch_project(context, H, &info, X, W, out->rank, &set) >= 0);
    free(H);
    return info.objective;
}

/* Never worse than successive projection, better on some data; the answer follows from the seed,
 * for any number of threads. */
static void random_tries_improve_the_fit(void **state) {
    (void)state;
    support_memory memory;
    ch_context *context = support_context(&memory, 1);
    int better = 0;
    for (int seed = 0; seed < 6; seed++) {
        ch_matrix X = support_planted(context, NULL, 20, 90, 6, 0.8, seed);
        outcome spa = choose(context, chi_spa, &X, "rank=6 plain=1");
        outcome one = choose(context, chi_random_spa, &X, "rank=6 plain=1 tries=20");
        ch_context_set_threads(context, 4);
        outcome four = choose(context, chi_random_spa, &X, "rank=6 plain=1 tries=20");
        ch_context_set_threads(context, 1);
        double by_spa = misfit(context, &X, &spa), by_random = misfit(context, &X, &one);
        same_choice(&one, &four, "threads");
        assert_true(by_random <= by_spa * (1 + 1e-9));
        better += by_random < by_spa * 0.999;
        ch_matrix_free(context, &X);
    }
    assert_true(better >= 3);
    support_finish(context, &memory);
}

static void bad_requests_are_refused(void **state) {
    (void)state;
    static const selector all[] = {chi_snpa, chi_preconditioned_spa, chi_smoothed_spa,
                                   chi_random_spa};
    support_memory memory;
    ch_context *context = support_context(&memory, 1);
    double zero[12] = {0}, some[12] = {1, 2, 3, 0, 0, 0, 3, 2, 1, 1, 1, 1};
    ch_matrix X = dense(zero, 3, 4);
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        X.values = zero;
        assert_int_equal(choose(context, all[k], &X, "rank=2").status, CH_ERR_DATA);
        X.values = some;
        assert_int_equal(choose(context, all[k], &X, "rank=4").status, CH_ERR_SETTING);
        outcome out = choose(context, all[k], &X, "rank=2 neighbours=1");
        assert_true(out.status >= 0 && out.rank == 2);
    }
    assert_int_equal(choose(context, chi_smoothed_spa, &X, "rank=2 neighbours=4").status,
                     CH_ERR_SETTING);
    support_finish(context, &memory);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(snpa_takes_the_farthest_from_the_hull),
        cmocka_unit_test(ellipsoid_is_the_least),
        cmocka_unit_test(pspa_stands_what_spa_does_not),
        cmocka_unit_test(smoothed_is_spa_with_one_neighbour),
        cmocka_unit_test(smoothed_averages_noise_away),
        cmocka_unit_test(random_tries_improve_the_fit),
        cmocka_unit_test(bad_requests_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
