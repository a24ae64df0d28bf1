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

/* Column j on the rows that it has, each times its weight: x (count rows) and A, of which it
 * returns the number of rows. */
static int own_problem(double *x, double *A, const double *X, const double *W, const double *known,
                       const double *rows, int m, int k) {
    int count = 0;
    for (int i = 0; i < m; i++) count += known[i] > 0;
    for (int i = 0, at = 0; i < m; i++) {
        double weight = known[i] * rows[i];
        if (!(known[i] > 0)) continue;
        x[at] = weight * X[i];
        for (int a = 0; a < k; a++) A[at + a * count] = weight * W[i + a * m];
        at++;
    }
    return count;
}

/* The same with missing entries, weights of rows and, on a cone, of entries. */
static void equals_clp_on_known_entries(void **state) {
    enum { ROWS = 23, COLS = 25, ANCHORS = 7 };
    support_memory memory;
    ch_context *context = support_context(&memory, 1);
    ch_anchors_settings set;
    double A[ROWS * ANCHORS], X[ROWS * COLS], H[ANCHORS * COLS], known[ROWS * COLS], rows[ROWS];
    double own_x[ROWS], own_A[ROWS * ANCHORS];
    int64_t compared = 0;
    (void)state;
    ch_anchors_defaults(&set);
    for (uint64_t seed = 0; seed < 12; seed++) {
        ch_random random;
        int k = 1 + (int)seed % ANCHORS, kind = (int)seed % 3;
        support_seed(&random, "known_lp", 1 + seed);
        for (int j = 0; j < k; j++) draw(&random, A + j * ROWS, NULL, ROWS, 0, kind);
        for (int j = 0; j < COLS; j++) draw(&random, X + j * ROWS, A, ROWS, k, kind);
        for (int i = 0; i < ROWS; i++) rows[i] = 0.25 + ch_random_uniform(&random);
        for (int hull = CH_HULL_CONE; hull <= CH_HULL_CONVEX0; hull++) {
            int shades = hull == CH_HULL_CONE && seed % 2;
            for (int e = 0; e < ROWS * COLS; e++) {
                double u = ch_random_uniform(&random);
                known[e] = u < 0.3 ? 0 : shades ? u : 1;
            }
            ch_matrix view = support_dense(context, X, ROWS, COLS);
            ch_matrix mask = support_dense(context, known, ROWS, COLS);
            set.hull = hull;
            set.quantile = seed % 4 == 3 ? 0.3 : 0.5;
            set.loss = seed % 4 == 3 ? CH_LOSS_QUANTILE : CH_LOSS_L1;
            set.observed = shades ? NULL : &mask;
            set.weights = shades ? &mask : NULL;
            set.row_weights = rows;
            set.row_weight_count = ROWS;
            assert_int_equal(ch_project(context, H, NULL, &view, A, k, &set), CH_OK);
            for (int j = 0; j < COLS; j++, compared++) {
                double ours = 0, size = 0;
                int m = own_problem(own_x, own_A, X + j * ROWS, A, known + j * ROWS, rows, ROWS, k);
                for (int i = 0; i < m; i++) {
                    double r = own_x[i];
                    size += r;
                    for (int a = 0; a < k; a++) r -= own_A[i + a * m] * H[a + j * k];
                    ours += r > 0 ? 2 * set.quantile * r : (2 * set.quantile - 2) * r;
                }
                double least = least_deviation(own_x, own_A, m, k, &set);
                support_check(fabs(ours - least) <= SAME * size + 1e-300,
                              "seed %d, hull %d, column %d: %.12g, by Clp %.12g", (int)seed, hull,
                              j, ours, least);
            }
            ch_matrix_free(context, &mask);
            ch_matrix_free(context, &view);
        }
    }
    assert_true(compared >= 900);
    support_finish(context, &memory);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(equals_clp),
                                       cmocka_unit_test(equals_clp_on_known_entries)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
