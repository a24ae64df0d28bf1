/* Every answer of the exact l1 projection is recomputed from X and A: the objective, the dual's
 * feasibility, the gap, and what Lemmas 3.1 and 3.2 say about the dual. The same for the quantile
 * loss |r|_1 - skew 1'r, of which l1 is skew 0. */
#include "project/lad/lad.h"
#include "support_files.h"
#include <conehull/io.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double TOL = 1e-9;

typedef struct area {
    ch_context *context;
    chi_cone cone;
    void *work;
    double *value, *b, *d, *exception;
    int32_t *index, *exception_row;
    int64_t columns, pivots;
    double worst;
} area;

static void open_area_with(area *a, int64_t rows, int64_t capacity, const char *kernel) {
    memset(a, 0, sizeof *a);
    a->context = support_context(NULL, 1);
    if (kernel) assert_int_equal(ch_context_set_kernel(a->context, kernel), CH_OK);
    assert_int_equal(chi_cone_create(a->context, &a->cone, rows, capacity), CH_OK);
    a->work = chi_nnlad_exact.create(&a->cone.arena, &a->cone, TOL);
    assert_non_null(a->work);
    a->value = malloc((size_t)rows * sizeof(double));
    a->d = malloc((size_t)rows * sizeof(double));
    a->exception = malloc((size_t)rows * sizeof(double));
    a->index = malloc((size_t)rows * sizeof(int32_t));
    a->exception_row = malloc((size_t)rows * sizeof(int32_t));
    a->b = calloc((size_t)capacity, sizeof(double));
}

static void open_area(area *a, int64_t rows, int64_t capacity) {
    open_area_with(a, rows, capacity, NULL);
}

static void close_area(area *a) {
    chi_cone_destroy(&a->cone);
    free(a->value);
    free(a->d);
    free(a->exception);
    free(a->index);
    free(a->exception_row);
    free(a->b);
    ch_context_destroy(a->context);
}

/* The dual rebuilt as a verifier would: signs, then the exceptions. */
static void check_exceptions(const area *a, const double *x, const double *residual) {
    int64_t rows = a->cone.rows, k = a->cone.count;
    int64_t count = chi_nnlad_exact.exceptions(a->work, a->exception_row, a->exception);
    long double bound = 0, sum = 0, shift = 0, skew = a->cone.skew;
    double *dual = malloc((size_t)rows * sizeof *dual);
    for (int64_t i = 0; i < rows; i++) dual[i] = x[i] == 0 || residual[i] < 0 ? -1 : 1;
    for (int64_t e = 0; e < count; e++) {
        support_check(e == 0 || a->exception_row[e] > a->exception_row[e - 1], "rows do not rise");
        support_check(fabs(a->exception[e]) <= 1, "exception %g", a->exception[e]);
        dual[a->exception_row[e]] = a->exception[e];
    }
    for (int64_t j = 0; j < k; j++) {
        long double product = 0, total = 0;
        for (int64_t i = 0; i < rows; i++) {
            product += (long double)a->cone.A[i + j * rows] * (dual[i] - skew);
            total += a->cone.A[i + j * rows];
        }
        if (total > 0 && product / total > shift) shift = product / total;
    }
    long double objective = 0;
    for (int64_t i = 0; i < rows; i++) {
        bound += x[i] * (dual[i] - skew - shift) / (1 + shift / (1 + skew));
        objective += fabs(residual[i]) - skew * residual[i];
        sum += x[i];
    }
    support_check(sum == 0 || (double)((objective - bound) / sum) <= TOL,
                  "gap %Lg from the exceptions", (objective - bound) / sum);
    free(dual);
}

/* Without d the answer may come another way (lad_single.h): as good, and as well proven. */
static void check_without_dual(const area *a, const double *x, const chi_column *column,
                               long double best) {
    int64_t rows = a->cone.rows, k = a->cone.count;
    double *b = calloc((size_t)k + 1, sizeof *b), *residual = malloc((size_t)rows * sizeof *b);
    long double objective = 0, sum = 0;
    chi_fit fit;
    chi_nnlad_exact.solve(a->work, &fit, b, NULL, column, 0);
    for (int64_t i = 0; i < rows; i++) {
        long double value = x[i];
        for (int64_t j = 0; j < k; j++) value -= (long double)a->cone.A[i + j * rows] * b[j];
        residual[i] = (double)value;
        objective += fabsl(value) - a->cone.skew * value;
        sum += x[i];
    }
    support_check(fit.proven, "not proven: gap %g", fit.gap);
    support_check(fabsl(objective - best) <= 2 * TOL * sum, "%.17Lg, and %.17Lg with a dual",
                  objective, best);
    support_check(fabsl(objective - fit.objective) <= 1e-12L * sum, "objective %.17g, true %.17Lg",
                  fit.objective, objective);
    check_exceptions(a, x, residual);
    free(residual);
    free(b);
}

/* One column of dense doubles: solved, and everything checked. */
static double certify(area *a, const double *x, int warm) {
    int64_t rows = a->cone.rows, k = a->cone.count;
    ch_matrix X;
    ch_matrix_borrow(a->context, &X, &(ch_matrix){.rows = rows, .cols = 1, .values = x});
    chi_column column;
    chi_column_load(a->cone.kernels, &column, a->index, a->value, &X, 0);
    chi_fit fit;
    chi_nnlad_exact.solve(a->work, &fit, a->b, a->d, &column, warm);

    double *residual = malloc((size_t)rows * sizeof *residual);
    long double objective = 0, bound = 0, sum = 0;
    double skew = a->cone.skew, rounding = skew == 0 ? 0 : 1e-15;
    for (int64_t i = 0; i < rows; i++) {
        long double value = x[i];
        for (int64_t j = 0; j < k; j++) value -= (long double)a->cone.A[i + j * rows] * a->b[j];
        residual[i] = (double)value;
        objective += fabsl(value) - skew * value;
        bound += (long double)x[i] * a->d[i];
        sum += x[i];
        support_check(a->d[i] >= -1 - skew - rounding && a->d[i] <= 1 - skew + rounding,
                      "d_%ld = %g", (long)i, a->d[i]);
    }
    double gap = sum > 0 ? (double)((objective - bound) / sum) : 0;
    /* The gap is the sum of |r_i| (1 - sign(r_i) d_i) and of b_j (-A'd)_j, none of them negative
     * except for the rounding of A'd, which is allowed here too: Lemma 3.1, d_i is the residual's
     * sign, and Lemma 3.2, A_j'd = 0 where b_j > 0, to that. */
    long double slack = (gap + 1e-13L) * sum;
    long double *product = calloc((size_t)k + 1, sizeof *product);
    for (int64_t j = 0; j < k; j++) {
        long double total = 0;
        for (int64_t i = 0; i < rows; i++) {
            product[j] += (long double)a->cone.A[i + j * rows] * a->d[i];
            total += a->cone.A[i + j * rows];
        }
        support_check(a->b[j] >= 0, "b_%ld = %g", (long)j, a->b[j]);
        support_check(product[j] <= 1e-13L * total, "(A'd)_%ld = %Lg", (long)j, product[j]);
        if (product[j] > 0) slack += a->b[j] * product[j];
    }
    for (int64_t j = 0; j < k; j++)
        support_check(a->b[j] * -product[j] <= slack, "(A'd)_%ld = %Lg at b = %g", (long)j,
                      product[j], a->b[j]);
    free(product);
    for (int64_t i = 0; i < rows; i++)
        support_check(fabs(residual[i]) - (skew + a->d[i]) * residual[i] <= slack,
                      "d_%ld = %g where the residual is %g", (long)i, a->d[i], residual[i]);
    support_check(fit.proven, "not proven: gap %g", fit.gap);
    support_check(gap <= TOL, "gap %g, reported %g", gap, fit.gap);
    support_check(fabsl(objective - fit.objective) <= 1e-12L * sum, "objective %.17g, true %.17Lg",
                  fit.objective, objective);
    check_exceptions(a, x, residual);
    check_without_dual(a, x, &column, objective);
    a->worst = fmax(a->worst, gap);
    a->pivots += fit.pivots;
    a->columns++;
    free(residual);
    return fit.objective;
}

/* --- made-up columns -------------------------------------------------------------------------- */

enum family {
    UNIFORM,
    PLANTED,
    INTEGERS,
    BITS,
    CONSTANT,
    REPEATED,
    SPARSE,
    INSIDE,
    MIXED,
    FAMILIES
};
static const char *const family_name[] = {"uniform", "planted",  "integers",
                                          "0/1",     "constant", "repeated",
                                          "sparse",  "inside",   "mixed scales"};

static double draw(ch_random *random, enum family family, int64_t i) {
    double u = ch_random_uniform(random);
    switch (family) {
    case INTEGERS:
        return floor(u * 6);
    case BITS:
        return u < 0.4;
    case CONSTANT:
        return 3;
    case REPEATED:
        return (double)((i / 5) % 4 + 1) * (u < 0.7 ? 1 : 2);
    case SPARSE:
        return u < 0.15 ? ch_random_exponential(random, 1) : 0;
    case MIXED:
        return ldexp(u, (int)ch_random_below(random, 40) - 20);
    default:
        return u;
    }
}

static void draw_anchors(area *a, ch_random *random, enum family family, int64_t k) {
    int64_t rows = a->cone.rows;
    double *anchor = malloc((size_t)rows * sizeof *anchor);
    while (a->cone.count > 0) chi_cone_remove(&a->cone, a->cone.count - 1);
    for (int64_t j = 0; j < k; j++) {
        int copy = j > 0 && family != UNIFORM && ch_random_uniform(random) < 0.15;
        int zero = family != UNIFORM && ch_random_uniform(random) < 0.05;
        for (int64_t i = 0; i < rows; i++)
            anchor[i] = zero   ? 0
                        : copy ? 2 * a->cone.A[i + (j - 1) * rows]
                               : draw(random, family, i);
        chi_cone_append(&a->cone, anchor);
    }
    free(anchor);
}

static void draw_column(const area *a, double *x, ch_random *random, enum family family) {
    int64_t rows = a->cone.rows, k = a->cone.count;
    int combine = family == PLANTED || family == INSIDE || ch_random_uniform(random) < 0.6;
    double *h = calloc((size_t)k, sizeof *h);
    for (int64_t j = 0; j < k; j++)
        if (ch_random_uniform(random) < 0.5)
            h[j] = family == INTEGERS || family == BITS ? (double)ch_random_below(random, 3)
                                                        : ch_random_uniform(random);
    for (int64_t i = 0; i < rows; i++) {
        double value = 0;
        for (int64_t j = 0; j < k; j++) value += a->cone.A[i + j * rows] * h[j];
        int spoil = family != INSIDE && ch_random_uniform(random) < 0.25;
        if (spoil || !combine) value = draw(random, family, i);
        x[i] = value;
    }
    free(h);
}

typedef int64_t shapes[2]; /* rows, anchors */

/* skews: 0 alone, or drawn anew for every ten columns. */
static void prove_families(const shapes *shape, size_t count, int64_t trials, int skewed) {
    static const double quantiles[] = {0.001, 0.05, 0.1, 0.2, 0.3, 0.45, 0.6, 0.75, 0.9, 0.999};
    for (int family = 0; family < FAMILIES; family++) {
        ch_random random;
        support_seed(&random, family_name[family], 100 + (uint64_t)family);
        int64_t columns = 0, pivots = 0;
        double worst = 0;
        for (size_t s = 0; s < count; s++) {
            area a;
            open_area(&a, shape[s][0], shape[s][1]);
            double *x = malloc((size_t)shape[s][0] * sizeof *x);
            for (int64_t trial = 0; trial < trials; trial++) {
                int64_t k = shape[s][1];
                if (trial % 10 == 0 && skewed)
                    a.cone.skew = 1 - 2 * quantiles[ch_random_below(&random, 10)];
                if (trial % 10 == 0) draw_anchors(&a, &random, (enum family)family, k);
                draw_column(&a, x, &random, (enum family)family);
                double cold = certify(&a, x, 0), sum = 0;
                for (int64_t i = 0; i < shape[s][0]; i++) sum += x[i];
                for (int64_t j = 0; j < k; j++)
                    if (ch_random_uniform(&random) < 0.2) a.b[j] = 0;
                support_close(certify(&a, x, 1), cold, 2 * TOL * sum);
            }
            columns += a.columns;
            pivots += a.pivots;
            worst = fmax(worst, a.worst);
            free(x);
            close_area(&a);
        }
        print_message("%-12s %6ld columns, %6.2f pivots each, worst gap %.1e\n",
                      family_name[family], (long)columns, (double)pivots / (double)columns, worst);
    }
}

static const shapes small[] = {{1, 1}, {2, 4}, {7, 3}, {30, 5}, {60, 20}, {25, 40}, {200, 3}};
/* So many rows that a sample of them and those of uncertain sign take part, 9,000 of sparse data
 * too, which have 1,350 values; a number of rows that fills no vectors; and the fewest rows of
 * which a sample is taken. */
static const shapes tall[] = {{2000, 12}, {1501, 9}, {9000, 10}, {4500, 20}, {354, 9}};

static void every_family_is_proven(void **state) {
    (void)state;
    prove_families(small, sizeof small / sizeof *small, 340, 0);
}

static void every_quantile_is_proven(void **state) {
    (void)state;
    prove_families(small, sizeof small / sizeof *small, 340, 1);
}

static void tall_columns_are_proven(void **state) {
    (void)state;
    prove_families(tall, sizeof tall / sizeof *tall, 10, 0);
    prove_families(tall, sizeof tall / sizeof *tall, 10, 1);
}

/* Sparse noise of one sign, as in Section 5.1 of the paper, on the anchors and on the columns.
 * Returns the number of pivots per column. */
static double pivots_of_tall_columns(int64_t rows, double quantile) {
    enum { K = 20, COLUMNS = 60 };
    area a;
    ch_random random;
    open_area(&a, rows, K);
    a.cone.skew = 1 - 2 * quantile;
    support_seed(&random, "tall columns under a quantile loss", 12);
    double *W = malloc((size_t)(rows * K) * sizeof *W), *x = malloc((size_t)rows * sizeof *x);
    double ones[K], h[K];
    for (int64_t n = 0; n < K + COLUMNS; n++) {
        for (int64_t j = 0; j < K; j++) ones[j] = 1;
        ch_random_dirichlet(&random, h, ones, K);
        for (int64_t i = 0; i < rows; i++) {
            if (n < K) W[i + n * rows] = ch_random_uniform(&random);
            x[i] = fmax(ch_random_laplace(&random, 0.5), 0);
            for (int64_t j = 0; n >= K && j < K; j++) x[i] += W[i + j * rows] * h[j];
            if (n < K) x[i] += W[i + n * rows];
        }
        if (n < K)
            chi_cone_append(&a.cone, x);
        else
            certify(&a, x, 0);
    }
    double pivots = (double)a.pivots / (double)a.columns;
    free(W);
    free(x);
    close_area(&a);
    return pivots;
}

/* Steps of a fixed length from the sample's solution are too long under quantile losses: with them
 * quantile 0.1 took three times as many pivots as l1. */
static void quantiles_take_few_more_pivots(void **state) {
    (void)state;
    static const double quantile[] = {0.1, 0.2, 0.3, 0.7};
    double median = pivots_of_tall_columns(2000, 0.5);
    for (int q = 0; q < 4; q++) {
        double pivots = pivots_of_tall_columns(2000, quantile[q]);
        print_message("quantile %.1f: %.1f pivots per column, l1 %.1f\n", quantile[q], pivots,
                      median);
        support_check(pivots <= 2.5 * median, "quantile %.1f: %g pivots, l1 %g", quantile[q],
                      pivots, median);
    }
}

/* From 4096 rows on, the last steps pass over a band of rows with uncertain signs and use the sums
 * of the other rows. If these sums were wrong, the start would be poor. */
static void bands_of_rows_take_few_pivots(void **state) {
    (void)state;
    static const double quantile[] = {0.5, 0.2};
    for (int q = 0; q < 2; q++) {
        double all = pivots_of_tall_columns(4000, quantile[q]);
        double band = pivots_of_tall_columns(6000, quantile[q]);
        print_message("quantile %.1f: %.1f pivots per column with a band, %.1f without\n",
                      quantile[q], band, all);
        support_check(band <= 1.5 * all, "quantile %.1f: %g pivots with a band, %g without",
                      quantile[q], band, all);
    }
}

static void powers_of_two_change_nothing(void **state) {
    (void)state;
    enum { ROWS = 40, K = 6 };
    ch_random random;
    support_seed(&random, "scaling", 7);
    static const int power[] = {-300, -30, 30, 300};
    for (int trial = 0; trial < 40; trial++) {
        area a, scaled;
        open_area(&a, ROWS, K);
        draw_anchors(&a, &random, trial % 2 ? PLANTED : INTEGERS, K);
        double x[ROWS], y[ROWS], anchor[ROWS];
        draw_column(&a, x, &random, trial % 2 ? PLANTED : INTEGERS);
        double objective = certify(&a, x, 0);
        for (size_t n = 0; n < sizeof power / sizeof *power; n++) {
            open_area(&scaled, ROWS, K);
            for (int64_t j = 0; j < K; j++) {
                for (int64_t i = 0; i < ROWS; i++)
                    anchor[i] = ldexp(a.cone.A[i + j * ROWS], j % 2 ? power[n] : power[n] / 2);
                chi_cone_append(&scaled.cone, anchor);
            }
            for (int64_t i = 0; i < ROWS; i++) y[i] = ldexp(x[i], power[n]);
            support_close(ldexp(certify(&scaled, y, 0), -power[n]), objective, 0);
            for (int64_t j = 0; j < K; j++)
                support_close(ldexp(scaled.b[j], j % 2 ? 0 : power[n] / 2 - power[n]), a.b[j], 0);
            close_area(&scaled);
        }
        close_area(&a);
    }
}

/* k = 1 is a weighted quantile and takes one step; w = 1 gives the lower quantile, for l1 the lower
 * median: a filter. */
static void one_anchor_is_a_quantile(void **state) {
    (void)state;
    enum { ROWS = 101 };
    static const double quantiles[] = {0.5, 0.1, 0.25, 0.8};
    ch_random random;
    support_seed(&random, "median", 3);
    area a;
    open_area(&a, ROWS, 1);
    double x[ROWS], sorted[ROWS];
    for (int64_t i = 0; i < ROWS; i++) x[i] = 1;
    chi_cone_append(&a.cone, x);
    for (int trial = 0; trial < 200; trial++) {
        for (int64_t i = 0; i < ROWS; i++) x[i] = 1 + (double)ch_random_below(&random, 30);
        memcpy(sorted, x, sizeof x);
        for (int64_t i = 1; i < ROWS; i++)
            for (int64_t n = i; n > 0 && sorted[n - 1] > sorted[n]; n--) {
                double swap = sorted[n];
                sorted[n] = sorted[n - 1];
                sorted[n - 1] = swap;
            }
        int64_t before = a.pivots;
        double q = quantiles[trial % 4];
        a.cone.skew = 1 - 2 * q;
        certify(&a, x, 0);
        support_close(a.b[0], sorted[(int)ceil(q * ROWS) - 1], 0);
        assert_int_equal(a.pivots - before, 1);
    }
    close_area(&a);
}

static void zero_column_and_empty_cone(void **state) {
    (void)state;
    area a;
    open_area(&a, 5, 2);
    double x[5] = {1, 0, 2, 3, 0}, zero[5] = {0};
    assert_true(certify(&a, x, 0) == 6);
    assert_true(certify(&a, zero, 0) == 0);
    chi_cone_append(&a.cone, x);
    assert_true(certify(&a, zero, 0) == 0 && a.b[0] == 0);
    assert_true(certify(&a, x, 0) <= 1e-15 && fabs(a.b[0] - 1) < 1e-15);
    close_area(&a);
}

/* The same numbers in any layout and type: the same bits. */
static void layouts_agree_to_the_bit(void **state) {
    (void)state;
    enum { ROWS = 50, COLS = 60, K = 5 };
    ch_random random;
    support_seed(&random, "layouts", 11);
    static double values[ROWS * COLS];
    for (int64_t i = 0; i < ROWS * COLS; i++)
        values[i] = ch_random_uniform(&random) < 0.1 ? 0 : (double)ch_random_below(&random, 200);
    area a;
    open_area(&a, ROWS, K);
    for (int64_t j = 0; j < K; j++) chi_cone_append(&a.cone, values + j * ROWS);
    ch_matrix X;
    ch_matrix_borrow(a.context, &X, &(ch_matrix){.rows = ROWS, .cols = COLS, .values = values});
    ch_matrix shape[] = {support_reshape(a.context, &X, CH_ROW_MAJOR, CH_F32),
                         support_reshape(a.context, &X, CH_CSC, CH_F64),
                         support_reshape(a.context, &X, CH_COLUMN_MAJOR, CH_U8)};
    for (int64_t j = 0; j < COLS; j++) {
        double b[K], d[ROWS];
        chi_fit fit, again;
        chi_column column;
        chi_column_load(a.cone.kernels, &column, a.index, a.value, &X, j);
        chi_nnlad_exact.solve(a.work, &fit, b, d, &column, 0);
        for (size_t s = 0; s < 3; s++) {
            chi_column_load(a.cone.kernels, &column, a.index, a.value, &shape[s], j);
            chi_nnlad_exact.solve(a.work, &again, a.b, a.d, &column, 0);
            assert_memory_equal(b, a.b, sizeof b);
            assert_memory_equal(d, a.d, sizeof d);
            assert_memory_equal(&fit.objective, &again.objective, sizeof fit.objective);
        }
    }
    for (size_t s = 0; s < 3; s++) ch_matrix_free(a.context, &shape[s]);
    close_area(&a);
}

/* Nearly equal anchors: A_BF is nearly singular, the answer must be proven all the same. */
static void nearly_equal_anchors_are_proven(void **state) {
    (void)state;
    enum { ROWS = 60, K = 8 };
    ch_random random;
    support_seed(&random, "nearly equal", 31);
    static const double apart[] = {1e-4, 1e-6, 1e-8, 3e-9, 1e-12};
    area a;
    open_area(&a, ROWS, K);
    double x[ROWS], anchor[ROWS];
    for (int trial = 0; trial < 500; trial++) {
        while (a.cone.count > 0) chi_cone_remove(&a.cone, 0);
        for (int64_t j = 0; j < K; j++) {
            for (int64_t i = 0; i < ROWS; i++) {
                double u = ch_random_uniform(&random);
                anchor[i] = j % 2 ? a.cone.A[i + (j - 1) * ROWS] * (1 + apart[trial % 5] * u) : u;
            }
            chi_cone_append(&a.cone, anchor);
        }
        draw_column(&a, x, &random, PLANTED);
        certify(&a, x, 0);
        certify(&a, x, 1);
    }
    close_area(&a);
}

/* A tolerance out of reach: the answer is the best one all the same, and said not to be proven. */
static void what_is_not_proven_is_said(void **state) {
    (void)state;
    enum { ROWS = 50, K = 7 };
    ch_random random;
    support_seed(&random, "out of reach", 37);
    area a;
    open_area(&a, ROWS, K);
    void *strict = chi_nnlad_exact.create(&a.cone.arena, &a.cone, -1);
    assert_non_null(strict);
    double x[ROWS], b[K], d[ROWS], value[ROWS];
    int32_t index[ROWS];
    for (int trial = 0; trial < 50; trial++) {
        draw_anchors(&a, &random, PLANTED, K);
        draw_column(&a, x, &random, PLANTED);
        double objective = certify(&a, x, 0);
        ch_matrix X;
        chi_column column;
        chi_fit fit;
        ch_matrix_borrow(a.context, &X, &(ch_matrix){.rows = ROWS, .cols = 1, .values = x});
        chi_column_load(a.cone.kernels, &column, index, value, &X, 0);
        chi_nnlad_exact.solve(strict, &fit, b, d, &column, 0);
        support_check(!fit.proven && fit.gap < 1e-12, "proven %d, gap %g", fit.proven, fit.gap);
        support_close(fit.objective, objective, 1e-12 * column.sum);
        assert_true(chi_nnlad_exact.exceptions(strict, a.exception_row, a.exception) <= ROWS);
    }
    close_area(&a);
}

static void agree(const char *kernel) {
    enum { ROWS = 150, K = 12 };
    ch_random random;
    support_seed(&random, "portable", 23);
    area a, portable;
    open_area_with(&a, ROWS, K, kernel);
    open_area_with(&portable, ROWS, K, "portable");
    double x[ROWS];
    for (int trial = 0; trial < 400; trial++) {
        enum family family = (enum family)(trial % FAMILIES);
        draw_anchors(&a, &random, family, K);
        while (portable.cone.count > 0) chi_cone_remove(&portable.cone, 0);
        for (int64_t j = 0; j < K; j++) chi_cone_append(&portable.cone, a.cone.A + j * ROWS);
        draw_column(&a, x, &random, family);
        double sum = 0;
        for (int64_t i = 0; i < ROWS; i++) sum += x[i];
        support_close(certify(&portable, x, 0), certify(&a, x, 0), 1e-9 * sum);
        support_close(certify(&portable, x, 1), certify(&a, x, 1), 1e-9 * sum);
    }
    close_area(&a);
    close_area(&portable);
}

/* Every kernel set gives the answers of the portable one, to rounding. */
static void kernel_sets_agree(void **state) {
    (void)state;
    for (int s = 0; ch_kernel_name(s); s++)
        if (ch_kernel_usable(s)) agree(ch_kernel_name(s));
}

static void create_fails_cleanly_without_memory(void **state) {
    (void)state;
    support_memory memory;
    ch_context *context = support_context(&memory, 1);
    chi_arena arena = {.context = context};
    chi_cone cone;
    assert_int_equal(chi_cone_create(context, &cone, 9, 4), CH_OK);
    int64_t held = memory.live, before = memory.requests;
    assert_non_null(chi_nnlad_exact.create(&arena, &cone, TOL));
    int64_t needed = memory.requests - before;
    chi_arena_free(&arena);
    for (int64_t n = 1; n <= needed; n++) {
        memory.fail_at = memory.requests + n;
        assert_null(chi_nnlad_exact.create(&arena, &cone, TOL));
        assert_int_equal(chi_arena_status(&arena, "a test"), CH_ERR_MEMORY);
        chi_arena_free(&arena);
        assert_int_equal(memory.live, held);
    }
    memory.fail_at = 0;
    chi_cone_destroy(&cone);
    support_finish(context, &memory);
}

/* --- real columns ------------------------------------------------------------------------------
 */

/* Anchors: columns of rising length, so that short documents meet long ones. Every column is
 * projected and must be proven; every fiftieth is checked in full. */
static void every_document_is_proven(void **state) {
    (void)state;
    static const char *const name[] = {"text/reuters10/reuters10.mtx.gz", "text/bbc/bbc.mtx.gz"};
    enum { ANCHORS = 60 };
    for (int n = 0; n < 2; n++) {
        const char *path = support_data(name[n]);
        if (!path) continue;
        ch_context *context = support_context(NULL, 1);
        ch_matrix X;
        assert_int_equal(ch_matrix_read(context, &X, path, NULL), CH_OK);
        area a;
        open_area(&a, X.rows, ANCHORS);
        double *x = malloc((size_t)X.rows * sizeof *x);
        for (int64_t k = 0; k < ANCHORS; k++) {
            chi_column_gather(x, &X, (k * k * 7 + k) % X.cols);
            chi_cone_append(&a.cone, x);
        }
        int64_t pivots = 0;
        double worst = 0;
        for (int64_t j = 0; j < X.cols; j++) {
            chi_column column;
            chi_fit fit;
            chi_column_load(a.cone.kernels, &column, a.index, a.value, &X, j);
            chi_nnlad_exact.solve(a.work, &fit, a.b, a.d, &column, 0);
            assert_true(fit.proven && fit.gap <= TOL);
            pivots += fit.pivots;
            worst = fmax(worst, fit.gap);
            if (j % 50 == 0) {
                chi_column_gather(x, &X, j);
                certify(&a, x, 0);
                certify(&a, x, 1);
            }
        }
        print_message("%s: %ld columns, %.2f pivots each, worst gap %.1e\n", name[n], (long)X.cols,
                      (double)pivots / (double)X.cols, worst);
        free(x);
        close_area(&a);
        ch_matrix_free(context, &X);
        ch_context_destroy(context);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_family_is_proven),
        cmocka_unit_test(every_quantile_is_proven),
        cmocka_unit_test(tall_columns_are_proven),
        cmocka_unit_test(quantiles_take_few_more_pivots),
        cmocka_unit_test(bands_of_rows_take_few_pivots),
        cmocka_unit_test(powers_of_two_change_nothing),
        cmocka_unit_test(one_anchor_is_a_quantile),
        cmocka_unit_test(zero_column_and_empty_cone),
        cmocka_unit_test(layouts_agree_to_the_bit),
        cmocka_unit_test(nearly_equal_anchors_are_proven),
        cmocka_unit_test(what_is_not_proven_is_said),
        cmocka_unit_test(kernel_sets_agree),
        cmocka_unit_test(create_fails_cleanly_without_memory),
        cmocka_unit_test(every_document_is_proven),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
