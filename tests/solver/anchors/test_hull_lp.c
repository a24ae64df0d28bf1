/* The projection in l1, and in the quantile loss, on a convex hull and on a cone against a linear
 * programming solver that is not ours, Clp; with t the quantile, of l1 1/2:
 *
 *     min 1'(2 t p + 2 (1 - t) q)   with  A h + p - q = x,  1'h = 1 (convex) or 1'h <= 1 (convex0),
 *                                         h, p, q >= 0
 *
 * Columns are random, planted with noise, and of small whole numbers, where vertices are
 * degenerate; anchors repeat and are multiples of each other. */
#include "support.h"
#include <coin/Clp_C_Interface.h>
#include <conehull/conehull.h>
#include <math.h>
#include <stdlib.h>

static const double SAME = 1e-9; /* of |x|_1 */

static double least_deviation(const double *x, const double *A, int m, int k,
                              const ch_anchors_settings *set) {
    int cols = k + 2 * m, rows = m + 1, entries = 0;
    int *start = malloc((size_t)(cols + 1) * sizeof *start);
    int *index = malloc((size_t)(k * rows + 2 * m) * sizeof *index);
    double *value = malloc((size_t)(k * rows + 2 * m) * sizeof *value);
    double *cost = calloc((size_t)(3 * cols), sizeof *cost), *low = cost + cols, *high = low + cols;
    double *row_low = malloc((size_t)(2 * rows) * sizeof *row_low), *row_high = row_low + rows;
    for (int j = 0; j < cols; j++) {
        start[j] = entries;
        cost[j] = j < k ? 0 : j - k < m ? 2 * set->quantile : 2 - 2 * set->quantile;
        high[j] = INFINITY;
        for (int i = 0; j < k && i < rows; i++, entries++) {
            index[entries] = i;
            value[entries] = i < m ? A[i + j * m] : 1;
        }
        if (j < k) continue;
        index[entries] = (j - k) % m;
        value[entries++] = j - k < m ? 1 : -1;
    }
    start[cols] = entries;
    for (int i = 0; i < m; i++) row_low[i] = row_high[i] = x[i];
    row_low[m] = set->hull == CH_HULL_CONVEX ? 1 : -INFINITY;
    row_high[m] = set->hull == CH_HULL_CONE ? INFINITY : 1;
    Clp_Simplex *model = Clp_newModel();
    Clp_setLogLevel(model, 0);
    Clp_setPrimalTolerance(model, 1e-10);
    Clp_setDualTolerance(model, 1e-10);
    Clp_loadProblem(model, cols, rows, start, index, value, low, high, cost, row_low, row_high);
    Clp_dual(model, 0);
    assert_int_equal(Clp_status(model), 0);
    double least = Clp_objectiveValue(model);
    Clp_deleteModel(model);
    free(start);
    free(index);
    free(value);
    free(cost);
    free(row_low);
    return least;
}

/* kind 0: random; 1: mixtures and noise; 2: whole numbers. */
static void draw(ch_random *random, double *x, const double *A, int m, int k, int kind) {
    double h[8], sum = 0;
    for (int j = 0; j < k; j++) sum += h[j] = ch_random_uniform(random);
    for (int i = 0; i < m; i++) {
        double mixture = 0, u = ch_random_uniform(random);
        for (int j = 0; j < k && A; j++) mixture += A[i + j * m] * h[j] / sum;
        x[i] = kind == 0 ? u : kind == 1 ? (A ? mixture + 0.2 * u * u : u) : floor(4 * u);
    }
}

static void equals_clp(void **state) {
    enum { ROWS = 23, COLS = 25, ANCHORS = 7 };
    support_memory memory;
    ch_context *context = support_context(&memory, 1);
    ch_anchors_settings set;
    double A[ROWS * ANCHORS], X[ROWS * COLS], H[ANCHORS * COLS];
    int64_t compared = 0;
    (void)state;
    ch_anchors_defaults(&set);
    for (uint64_t seed = 0; seed < 25; seed++) {
        ch_random random;
        int k = 1 + (int)seed % ANCHORS, kind = (int)seed % 3;
        support_seed(&random, "hull_lp", 1 + seed);
        for (int j = 0; j < k; j++) draw(&random, A + j * ROWS, NULL, ROWS, 0, kind);
        for (int i = 0; seed % 2 && k > 2 && i < ROWS; i++) { /* a copy, and a multiple */
            A[i + ROWS] = A[i];
            A[i + 2 * ROWS] = 2 * A[i];
        }
        for (int j = 0; j < COLS; j++) draw(&random, X + j * ROWS, A, ROWS, k, kind);
        ch_matrix view = support_dense(context, X, ROWS, COLS);
        for (int hull = CH_HULL_CONE; hull <= CH_HULL_CONVEX0; hull++) {
            static const double quantiles[] = {0.5, 0.2, 0.95, 0.01, 0.7};
            set.hull = hull;
            set.quantile = quantiles[seed % 5];
            set.loss = seed % 5 ? CH_LOSS_QUANTILE : CH_LOSS_L1;
            assert_int_equal(ch_project(context, H, NULL, &view, A, k, &set), CH_OK);
            for (int j = 0; j < COLS; j++, compared++) {
                double ours = 0, size = 0;
                for (int i = 0; i < ROWS; i++) {
                    double r = X[i + j * ROWS];
                    size += r;
                    for (int a = 0; a < k; a++) r -= A[i + a * ROWS] * H[a + j * k];
                    ours += r > 0 ? 2 * set.quantile * r : (2 * set.quantile - 2) * r;
                }
                double least = least_deviation(X + j * ROWS, A, ROWS, k, &set);
                support_check(fabs(ours - least) <= SAME * size,
                              "seed %d, hull %d, column %d: %.12g, by Clp %.12g", (int)seed, hull,
                              j, ours, least);
            }
        }
        ch_matrix_free(context, &view);
    }
    assert_true(compared >= 1800);
    support_finish(context, &memory);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(equals_clp)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
