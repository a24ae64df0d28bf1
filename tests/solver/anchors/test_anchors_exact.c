/* Theorem 3.1: on exactly separable data every anchor found is one, and all of them are found,
 * whatever is done to the columns: permuted, scaled, repeated, joined by points inside and zeros;
 * for l1, l2 and quantile, max, rand, share and balanced, dense and CSC. Simplicial cones and cones
 * over polygons. */
#include "support.h"
#include <conehull/conehull.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 120, ROWS = 40 };

/* An instance: columns in random order, and for each the first column on the same ray if that is
 * an anchor's ray, else -1. */
typedef struct instance {
    int64_t rows, rank, cols;
    double values[ROWS * MOST];
    int64_t ray[MOST];
    int source[MOST]; /* anchor that the column is a multiple of, or -1 */
} instance;

static void simplicial(double *W, int64_t rows, int64_t rank, ch_random *random) {
    int sparse = ch_random_below(random, 2) == 0;
    for (int64_t i = 0; i < rows * rank; i++) {
        W[i] = ch_random_uniform(random);
        if (sparse && ch_random_uniform(random) < 0.5) W[i] = 0;
    }
    for (int64_t k = 0; k < rank; k++) W[k * rows + k] += 1; /* independent, none zero */
}

/* Vertices of a polygon at height one: every one an extreme ray, however many. */
static void polygon(double *W, int64_t rank, ch_random *random) {
    double turn = ch_random_uniform(random);
    for (int64_t k = 0; k < rank; k++) {
        double angle =
            6.283185307179586 * ((double)k + 0.3 * ch_random_uniform(random) + turn) / (double)rank;
        W[3 * k] = 1;
        W[3 * k + 1] = 1 + 0.9 * cos(angle);
        W[3 * k + 2] = 1 + 0.9 * sin(angle);
    }
}

static void combine(double *x, const double *W, int64_t rows, int64_t rank, ch_random *random) {
    int64_t terms = 2 + ch_random_below(random, rank - 1);
    memset(x, 0, (size_t)rows * sizeof *x);
    for (int64_t t = 0; t < terms; t++) {
        int64_t k = ch_random_below(random, rank);
        double h = 0.05 + ch_random_uniform(random);
        for (int64_t i = 0; i < rows; i++) x[i] += h * W[k * rows + i];
    }
}

/* Multiples are exact, so that copies are copies to the bit. */
static double power(ch_random *random) {
    return ldexp(1, (int)ch_random_below(random, 9) - 4);
}

static void make(instance *a, ch_random *random) {
    double W[ROWS * 12], columns[ROWS * MOST];
    int source[MOST];
    int64_t order[MOST], first[12], cols = 0;
    int flat = ch_random_below(random, 4) == 0;
    a->rank = (flat ? 3 : 2) + ch_random_below(random, 7);
    a->rows = flat ? 3 : a->rank + ch_random_below(random, ROWS - a->rank);
    if (flat)
        polygon(W, a->rank, random);
    else
        simplicial(W, a->rows, a->rank, random);
    for (int64_t k = 0; k < a->rank; k++)
        for (int64_t copies = 1 + ch_random_below(random, 3); copies > 0; copies--) {
            double scale = power(random);
            for (int64_t i = 0; i < a->rows; i++)
                columns[cols * a->rows + i] = scale * W[k * a->rows + i];
            source[cols++] = (int)k;
        }
    for (int64_t more = ch_random_below(random, 60); more > 0; more--) {
        if (ch_random_below(random, 12) == 0)
            memset(columns + cols * a->rows, 0, (size_t)a->rows * sizeof *columns);
        else
            combine(columns + cols * a->rows, W, a->rows, a->rank, random);
        source[cols++] = -1;
    }
    a->cols = cols;
    ch_random_shuffle(random, order, cols);
    for (int64_t k = 0; k < a->rank; k++) first[k] = -1;
    for (int64_t j = 0; j < cols; j++) {
        memcpy(a->values + j * a->rows, columns + order[j] * a->rows,
               (size_t)a->rows * sizeof(double));
        a->source[j] = source[order[j]];
        if (a->source[j] >= 0 && first[a->source[j]] < 0) first[a->source[j]] = j;
        a->ray[j] = a->source[j] >= 0 ? first[a->source[j]] : -1;
    }
}

/* A combination of one anchor with itself is on its ray too; only rays count, not names. */
static int same_ray(const instance *a, int64_t j, int64_t k) {
    const double *x = a->values + j * a->rows, *y = a->values + k * a->rows;
    double sx = 0, sy = 0, apart = 0;
    for (int64_t i = 0; i < a->rows; i++) {
        sx += x[i];
        sy += y[i];
    }
    for (int64_t i = 0; i < a->rows; i++) apart = fmax(apart, fabs(x[i] / sx - y[i] / sy));
    return apart < 1e-12;
}

static void expect_planted(const instance *a, const ch_anchors_result *result, const char *what) {
    int seen[12] = {0};
    support_check(result->rank == a->rank, "%s: %d anchors instead of %d", what, (int)result->rank,
                  (int)a->rank);
    for (int64_t k = 0; k < result->rank; k++) {
        int64_t j = result->anchors[k];
        int found = a->source[j];
        for (int64_t other = 0; found < 0 && other < a->cols; other++)
            if (a->source[other] >= 0 && same_ray(a, j, other)) found = a->source[other];
        support_check(found >= 0, "%s: column %d is no anchor", what, (int)j);
        support_check(!seen[found], "%s: ray %d twice", what, found);
        seen[found] = 1;
        if (a->source[j] >= 0)
            support_check(a->ray[j] >= j, "%s: column %d is a copy of %d", what, (int)j,
                          (int)a->ray[j]);
    }
}

static void run(ch_context *context, const instance *a, const ch_matrix *X, int loss, int exterior,
                int64_t rank, int64_t seed) {
    ch_anchors_settings set;
    ch_anchors_result result = {.size = sizeof result};
    char what[160];
    ch_anchors_defaults(&set);
    set.rank = rank;
    set.loss = loss;
    set.quantile = 0.3;
    set.exterior = exterior;
    set.seed = seed;
    set.first = seed % 3 == 0 ? CH_FIRST_PAPER : CH_FIRST_RESELECT;
    ch_status status = ch_anchors(context, &result, X, &set);
    snprintf(what, sizeof what, "%dx%d rank %d of %d loss %d exterior %d layout %d", (int)a->rows,
             (int)a->cols, (int)rank, (int)a->rank, loss, exterior, (int)X->layout);
    support_check(status >= 0, "%s: %s", what, ch_context_message(context));
    support_check(result.unproven == 0, "%s: %d columns unproven", what, (int)result.unproven);
    expect_planted(a, &result, what);
    double size = 0;
    for (int64_t i = 0; i < a->rows * a->cols; i++) size += a->values[i];
    support_check(result.objective <= 1e-9 * size, "%s: objective %g", what, result.objective);
    ch_anchors_result_free(context, &result);
}

static int64_t usable(const instance *a) {
    int64_t count = a->rank;
    for (int64_t j = 0; j < a->cols; j++) count += a->source[j] < 0 && a->values[j * a->rows] > 0;
    return count;
}

static void finds_all_and_only_anchors(void **state) {
    (void)state;
    static const int rules[] = {CH_EXTERIOR_MAX, CH_EXTERIOR_RAND, CH_EXTERIOR_SHARE,
                                CH_EXTERIOR_BALANCED};
    static const int losses[] = {CH_LOSS_L1, CH_LOSS_L2, CH_LOSS_QUANTILE};
    support_memory memory;
    ch_context *context = support_context(&memory, 1);
    ch_random random;
    instance *a = malloc(sizeof *a);
    support_seed(&random, "finds_all_and_only_anchors", 31);
    for (int round = 0; round < 300; round++) {
        ch_matrix dense, sparse;
        make(a, &random);
        dense = support_dense(context, a->values, a->rows, a->cols);
        sparse = support_reshape(context, &dense, CH_CSC, CH_F64);
        for (int l = 0; l < 3; l++)
            for (int e = 0; e < 4; e++) {
                run(context, a, &dense, losses[l], rules[e], a->rank, round);
                run(context, a, &sparse, losses[l], rules[e], a->rank, round);
                /* Asked for more, it stops by itself: a column inside is never taken. */
                if (usable(a) > a->rank)
                    run(context, a, &dense, losses[l], rules[e], a->rank + 1, round);
            }
        /* greedy divides by |X_j|_2, not by p'X_j, and has no such theorem. */
        if (round % 10 == 0) run(context, a, &dense, CH_LOSS_L2, CH_EXTERIOR_DIST, a->rank, round);
        ch_matrix_free(context, &sparse);
    }
    free(a);
    support_finish(context, &memory);
}

/* The rounding errors of data in single precision are no reason to go on: a run that asks for more
 * anchors than there are ends with those. */
static void rounded_to_single_precision(void **state) {
    (void)state;
    static const int rules[] = {CH_EXTERIOR_MAX, CH_EXTERIOR_RAND, CH_EXTERIOR_SHARE,
                                CH_EXTERIOR_BALANCED};
    static const int losses[] = {CH_LOSS_L1, CH_LOSS_L2, CH_LOSS_QUANTILE};
    support_memory memory;
    ch_context *context = support_context(&memory, 1);
    ch_random random;
    instance *a = malloc(sizeof *a);
    support_seed(&random, __func__, 23);
    for (int round = 0; round < 120; round++) {
        do make(a, &random);
        while (usable(a) == a->rank);
        ch_matrix dense = support_dense(context, a->values, a->rows, a->cols);
        ch_matrix X =
            support_reshape(context, &dense, round % 2 ? CH_CSC : CH_COLUMN_MAJOR, CH_F32);
        char what[100];
        ch_anchors_settings set;
        ch_anchors_result result = {.size = sizeof result};
        ch_anchors_defaults(&set);
        set.loss = losses[round % 3];
        set.quantile = 0.3;
        set.exterior = rules[round / 3 % 4];
        set.rank = a->rank + 1;
        ch_status status = ch_anchors(context, &result, &X, &set);
        snprintf(what, sizeof what, "round %d, loss %d, rule %d", round, set.loss, set.exterior);
        support_check(status == CH_STOP_COMPLETE, "%s: status %d with %d of %d anchors", what,
                      status, (int)result.rank, (int)a->rank);
        expect_planted(a, &result, what);
        ch_anchors_result_free(context, &result);
        ch_matrix_free(context, &X);
    }
    free(a);
    support_finish(context, &memory);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_all_and_only_anchors),
        cmocka_unit_test(rounded_to_single_precision),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
