/* Row weights under losses that no factor of a row can weigh (is, logistic, custom): a row of
 * weight n is n equal rows; equal weights change the unit of the loss alone; every column is
 * proven; the optimality conditions hold, computed here from the formulas of the losses; all is
 * the same for any layout, thread count and way to search. */
#include "support_anchors.h"
#include <conehull/conehull.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 24, COLS = 120, RANK = 4, SIZE = ROWS * COLS, MOST = 3 * ROWS };
static const double FLOOR = 1e-3;

/* Planted mixtures with noise, between 0 and 0.9, some entries 0. */
static void fill(double *X, uint64_t seed) {
    ch_random random;
    double W[ROWS * RANK];
    support_seed(&random, "row weights", seed);
    for (int i = 0; i < ROWS * RANK; i++) W[i] = 0.9 * pow(ch_random_uniform(&random), 2);
    for (int64_t j = 0; j < COLS; j++) {
        double h[RANK];
        support_shares(&random, h, RANK, j);
        for (int i = 0; i < ROWS; i++) {
            double u = ch_random_uniform(&random), x = 0;
            for (int k = 0; k < RANK; k++) x += W[i + k * ROWS] * h[k];
            X[i + j * ROWS] = (i * 7 + j) % 31 == 0 ? 0 : x * (1 - 0.1 * u);
        }
    }
}

/* phi = x^3 / 6, for x > 0: D(x, y) = (x^3 - y^3) / 6 - y^2 (x - y) / 2, not convex in y. */
static double phi(double x, void *user) {
    (void)user;
    return x * x * x / 6;
}
static double phi_slope(double x, void *user) {
    (void)user;
    return x * x / 2;
}
static double phi_curvature(double x, void *user) {
    (void)user;
    return x;
}
static void phi_all(double *out, const double *x, int64_t count, void *user) {
    for (int64_t i = 0; i < count; i++) out[i] = phi(x[i], user);
}
static void phi_slope_all(double *out, const double *x, int64_t count, void *user) {
    for (int64_t i = 0; i < count; i++) out[i] = phi_slope(x[i], user);
}
static void phi_curvature_all(double *out, const double *x, int64_t count, void *user) {
    for (int64_t i = 0; i < count; i++) out[i] = phi_curvature(x[i], user);
}
static const ch_bregman_arrays arrays = {
    .phi = phi_all, .slope = phi_slope_all, .curvature = phi_curvature_all};

/* The slopes dl/dy by the formulas of the losses, for x and y with the floor added. */
static double slope_is(double x, double y) {
    return (y - x) / (y * y);
}
static double slope_is_reversed(double x, double y) {
    return 1 / x - 1 / y;
}
static double slope_logistic(double x, double y) {
    return (y - x) * (1 / y + 1 / (1 + 2 * FLOOR - y));
}
static double slope_custom(double x, double y) {
    return y * (y - x);
}

static const struct {
    const char *words;
    double (*slope)(double x, double y);
    int convex, hull, arrays;
} ways[] = {{"loss=is", slope_is, 0, 0, 0},
            {"loss=beta beta=0", slope_is, 0, 0, 0},
            {"loss=is reverse=1", slope_is_reversed, 1, 0, 0},
            {"loss=logistic", slope_logistic, 1, 0, 0},
            {"loss=custom", slope_custom, 0, 0, 0},
            {"loss=custom", slope_custom, 0, 0, 1},
            {"loss=is hull=convex", slope_is, 0, 1, 0},
            {"loss=is reverse=1 hull=convex", slope_is_reversed, 1, 1, 0},
            {"loss=logistic hull=convex", slope_logistic, 1, 1, 0},
            {"loss=custom hull=convex", slope_custom, 0, 1, 1}};
enum { WAYS = sizeof ways / sizeof *ways };

static ch_anchors_settings settings_of(ch_context *context, int way) {
    ch_anchors_settings set = support_settings(context, RANK, ways[way].words);
    set.floor = FLOOR;
    set.custom = (ch_bregman){.phi = phi, .slope = phi_slope, .curvature = phi_curvature};
    if (ways[way].arrays) set.custom_arrays = &arrays;
    return set;
}

/* The optimality conditions of column j: g = W' (n slope) is zero where h > 0 and not negative
 * elsewhere; on a hull relative to its mean h'g, where the tolerance is relative to a scale that
 * includes the lift. known: 0: missing; or NULL. */
static void must_be_optimal(int way, const double *x, const double *W, const double *h,
                            const double *n, const double *known) {
    double g[RANK] = {0}, terms = 0, level = 0;
    for (int i = 0; i < ROWS; i++) {
        double y = FLOOR;
        if (n[i] == 0 || (known && known[i] == 0)) continue;
        for (int k = 0; k < RANK; k++) y += W[i + k * ROWS] * h[k];
        double slope = n[i] * ways[way].slope(x[i] + FLOOR, y);
        for (int k = 0; k < RANK; k++) {
            g[k] += W[i + k * ROWS] * slope;
            terms = fmax(terms, fabs(W[i + k * ROWS] * slope));
        }
    }
    for (int k = 0; ways[way].hull && k < RANK; k++) level += h[k] * g[k];
    for (int k = 0; k < RANK; k++) {
        double apart = g[k] - level, off = h[k] > 0 ? fabs(apart) : -apart;
        support_check(off <= (ways[way].hull ? 1e-5 : 1e-6) * (terms + 1),
                      "%s: the gradient is off by %g of %g", ways[way].words, off, terms);
    }
}

static void all_is_proven(void **state) {
    static double values[SIZE], known[SIZE], weights[ROWS];
    support_memory memory;
    ch_context *context = support_context(&memory, 2), *alone = support_context(NULL, 1);
    (void)state;
    for (int i = 0; i < ROWS; i++) weights[i] = i == 5 ? 0 : pow(4, i % 5 - 2);
    for (int turn = 0; turn < 4 * WAYS; turn++) {
        int way = turn % WAYS, gaps = turn / WAYS % 2;
        const char *words = ways[way].words;
        fill(values, 3 + (uint64_t)turn);
        for (int e = 0; e < SIZE; e++) known[e] = !gaps || (e * 13 + e / ROWS) % 10 < 8;
        ch_matrix X = support_dense(context, values, ROWS, COLS);
        ch_matrix K = support_dense(context, known, ROWS, COLS);
        ch_matrix sparse = support_reshape(context, &X, CH_CSC, CH_F64);
        ch_anchors_settings set = settings_of(context, way);
        support_give_rows(&set, weights, ROWS);
        if (gaps) set.observed = &K;
        ch_anchors_result r = support_find(context, &X, &set, words);
        support_check(r.unproven == 0, "%s: %d unproven", words, (int)r.unproven);
        if (ways[way].convex) support_check(r.certificate.gap <= 1e-9, "%s: gap", words);
        for (int64_t j = 0; j < COLS; j++)
            must_be_optimal(way, values + j * ROWS, r.W, r.H + j * r.rank, weights,
                            gaps ? known + j * ROWS : NULL);
        support_verifies(context, &X, &r, &set, words);
        ch_anchors_result one = support_find(alone, &sparse, &set, words);
        support_same_result(&r, &one, words);
        ch_anchors_result_free(alone, &one);
        set.eager = 1;
        ch_anchors_result eager = support_find(context, &X, &set, words);
        support_same_answer(&r, &eager, words);
        ch_anchors_result_free(context, &eager);
        support_projects(context, &X, &r, &set, words);
        weights[3] *= 1.5;
        support_refutes(context, &X, &r, &set, words);
        weights[3] /= 1.5;
        ch_anchors_result_free(context, &r);
        ch_matrix *all[] = {&X, &K, &sparse};
        for (int k = 0; k < 3; k++) ch_matrix_free(context, all[k]);
    }
    ch_context_destroy(alone);
    support_finish(context, &memory);
}

/* A row of weight 2 or 3 is two or three such rows. Descents of losses that are not convex begin
 * elsewhere, because the repeated rows add to the sum of the column. */
static void whole_weights_are_repeated_rows(void **state) {
    static double values[SIZE], more[MOST * COLS], W[ROWS * RANK], W_more[MOST * RANK];
    static double H[RANK * COLS], H_more[RANK * COLS], weights[ROWS];
    support_memory memory;
    ch_context *context = support_context(&memory, 2);
    (void)state;
    fill(values, 61);
    memcpy(W, values, sizeof W);
    int64_t rows = 0;
    for (int i = 0; i < ROWS; i++) rows += (int)(weights[i] = 1 + i % 3);
    for (int64_t i = 0, at = 0; i < ROWS; i++)
        for (int copy = 0; copy < (int)weights[i]; copy++, at++) {
            for (int64_t j = 0; j < COLS; j++) more[at + j * rows] = values[i + j * ROWS];
            for (int k = 0; k < RANK; k++) W_more[at + k * rows] = W[i + k * ROWS];
        }
    ch_matrix X = support_dense(context, values, ROWS, COLS);
    ch_matrix M = support_dense(context, more, rows, COLS);
    for (int way = 0; way < WAYS; way++) {
        ch_anchors_settings set = settings_of(context, way);
        ch_project_info once = {.size = sizeof once}, repeated = {.size = sizeof repeated};
        assert_true(ch_project(context, H_more, &repeated, &M, W_more, RANK, &set) >= 0);
        support_give_rows(&set, weights, ROWS);
        assert_true(ch_project(context, H, &once, &X, W, RANK, &set) >= 0);
        support_close(once.objective, repeated.objective, 1e-8 * repeated.objective);
        double off = support_difference(H, H_more, RANK * COLS);
        support_check(off <= 1e-5, "%s: H is off by %g", ways[way].words, off);
    }
    ch_matrix_free(context, &M);
    ch_matrix_free(context, &X);
    support_finish(context, &memory);
}

static void equal_weights_are_a_unit(void **state) {
    static double values[SIZE], weights[ROWS];
    support_memory memory;
    ch_context *context = support_context(&memory, 2);
    (void)state;
    fill(values, 71);
    for (int i = 0; i < ROWS; i++) weights[i] = 8;
    ch_matrix X = support_dense(context, values, ROWS, COLS);
    for (int way = 0; way < WAYS; way++) {
        ch_anchors_settings set = settings_of(context, way);
        ch_anchors_result without = support_find(context, &X, &set, ways[way].words);
        support_give_rows(&set, weights, ROWS);
        ch_anchors_result r = support_find(context, &X, &set, ways[way].words);
        for (int k = 0; k < RANK; k++)
            support_check(r.anchors[k] == without.anchors[k], "%s: another anchor",
                          ways[way].words);
        support_close(r.objective, 8 * without.objective, 1e-7 * r.objective);
        ch_anchors_result_free(context, &r);
        ch_anchors_result_free(context, &without);
    }
    ch_matrix_free(context, &X);
    support_finish(context, &memory);
}

static void refusals(void **state) {
    static double values[SIZE], weights[ROWS];
    support_memory memory;
    ch_context *context = support_context(&memory, 1);
    (void)state;
    fill(values, 81);
    for (int i = 0; i < ROWS; i++) weights[i] = 1 + i;
    ch_matrix X = support_dense(context, values, ROWS, COLS);
    ch_anchors_settings set = settings_of(context, 0);
    support_give_rows(&set, weights, ROWS);
    set.method = CH_METHOD_SPA;
    support_refuses(context, &X, &set, CH_ERR_UNSUPPORTED,
                    "weights other than 0 and 1 can be used with the method xray only");
    set.method = CH_METHOD_XRAY;
    weights[3] = 1e-40;
    support_refuses(context, &X, &set, CH_ERR_SETTING,
                    "row_weights: weight 3 (counted from 0) is 1e-40");
    ch_matrix_free(context, &X);
    support_finish(context, &memory);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_is_proven),
        cmocka_unit_test(whole_weights_are_repeated_rows),
        cmocka_unit_test(equal_weights_are_a_unit),
        cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
