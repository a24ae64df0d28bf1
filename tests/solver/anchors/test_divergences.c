/* Divergences in the selection. Theorem 4.1: on exactly separable data all anchors are found and
 * nothing else, whatever is done to the columns: permuted, scaled, repeated, joined by points
 * inside. One answer, whatever the path. beta 2, 1 and 0, and x^2 as a custom loss, are the losses
 * that they are named after. Scaling by any power of two changes nothing. Recovery under the noise
 * that a divergence is made for. */
#include "support_anchors.h"
#include <conehull/conehull.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct kind {
    const char *name;
    int reverse;
} kinds[] = {
    {"kl", 0},       {"kl", 1},       {"is", 0},       {"is", 1},       {"beta:0.5", 0},
    {"beta:0.5", 1}, {"beta:1.5", 0}, {"beta:1.5", 1}, {"logistic", 0}, {"logistic", 1},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

static ch_anchors_settings settings(ch_context *context, const char *loss, int reverse,
                                    int64_t rank) {
    ch_anchors_settings set;
    ch_anchors_defaults(&set);
    set.rank = rank;
    set.reverse = reverse;
    assert_int_equal(ch_settings_set(context, ch_anchors_table(), &set, "loss", loss), CH_OK);
    return set;
}

static ch_matrix borrow(ch_context *context, const double *values, int64_t rows, int64_t cols) {
    ch_matrix X = support_dense(context, values, rows, cols);
    return X;
}

/* ---- planted anchors ----------------------------------------------------------------------- */

enum { ROWS = 24, RANK = 6, MOST = 48 };

typedef struct planted {
    int64_t rows, rank, cols;
    double values[ROWS * MOST];
    int source[MOST]; /* anchor that the column is a multiple of, or -1 */
} planted;

/* Independent anchors, half of the time with zeros; all numbers in [0, 1]. */
static void draw_anchors(planted *a, double *W, ch_random *random) {
    double zeros = ch_random_below(random, 2) ? 0.5 : 0;
    for (int64_t i = 0; i < a->rows * a->rank; i++)
        W[i] = ch_random_uniform(random) < zeros ? 0 : 0.3 * ch_random_uniform(random);
    for (int64_t k = 0; k < a->rank; k++) W[k * a->rows + k] += 0.7;
}

static void add_column(planted *a, const double *W, const double *h, int source) {
    double *x = a->values + a->cols * a->rows;
    memset(x, 0, (size_t)a->rows * sizeof *x);
    for (int64_t k = 0; k < a->rank; k++)
        for (int64_t i = 0; i < a->rows; i++) x[i] += h[k] * W[k * a->rows + i];
    a->source[a->cols++] = source;
}

/* Multiples are exact, so that copies are copies to the bit. */
static void draw(planted *a, ch_random *random) {
    double W[ROWS * RANK], h[RANK], alpha[RANK];
    a->rank = 2 + ch_random_below(random, RANK - 1);
    a->rows = a->rank + ch_random_below(random, ROWS - a->rank + 1);
    a->cols = 0;
    draw_anchors(a, W, random);
    for (int64_t k = 0; k < a->rank; k++)
        for (int64_t copies = 1 + ch_random_below(random, 3); copies > 0; copies--) {
            memset(h, 0, sizeof h);
            h[k] = ldexp(1, -(int)ch_random_below(random, 5));
            add_column(a, W, h, (int)k);
        }
    for (int64_t more = ch_random_below(random, 25); more > 0; more--) {
        for (int64_t k = 0; k < a->rank; k++) alpha[k] = 0.3;
        ch_random_dirichlet(random, h, alpha, a->rank);
        /* a point almost on a ray cannot be distinguished from it */
        for (int64_t k = 0; k < a->rank; k++) h[k] = 0.9 * h[k] + 0.1 / (double)a->rank;
        add_column(a, W, h, -1);
    }
}

static void permute(planted *a, ch_random *random) {
    planted before = *a;
    int64_t order[MOST];
    ch_random_shuffle(random, order, a->cols);
    for (int64_t j = 0; j < a->cols; j++) {
        memcpy(a->values + j * a->rows, before.values + order[j] * a->rows,
               (size_t)a->rows * sizeof(double));
        a->source[j] = before.source[order[j]];
    }
}

static void expect_planted(const planted *a, const ch_anchors_result *result, const char *what) {
    int seen[RANK] = {0};
    support_check(result->rank == a->rank, "%s: %d anchors instead of %d", what, (int)result->rank,
                  (int)a->rank);
    for (int64_t k = 0; k < result->rank; k++) {
        int source = a->source[result->anchors[k]];
        support_check(source >= 0, "%s: column %d is no anchor", what, (int)result->anchors[k]);
        support_check(!seen[source], "%s: ray %d twice", what, source);
        seen[source] = 1;
    }
    support_check(result->unproven == 0, "%s: %d columns unproven", what, (int)result->unproven);
}

static void finds_all_and_only_anchors(void **state) {
    (void)state;
    support_memory memory;
    ch_context *context = support_context(&memory, 1);
    ch_random random;
    planted *a = malloc(sizeof *a);
    support_seed(&random, "finds_all_and_only_anchors", 41);
    for (int round = 0; round < 200; round++) {
        draw(a, &random);
        permute(a, &random);
        ch_matrix dense = borrow(context, a->values, a->rows, a->cols);
        ch_matrix sparse = support_reshape(context, &dense, CH_CSC, CH_F64);
        for (int kind = 0; kind < KINDS; kind++) {
            char what[120];
            int more = a->cols > 3 * a->rank && round % 2; /* asked for more, it stops */
            ch_anchors_settings set =
                settings(context, kinds[kind].name, kinds[kind].reverse, a->rank + more);
            static const int rules[] = {CH_EXTERIOR_RAND, CH_EXTERIOR_SHARE, CH_EXTERIOR_MAX,
                                        CH_EXTERIOR_BALANCED};
            set.exterior = rules[round / 4 % 4];
            set.first = round % 4 ? CH_FIRST_RESELECT : CH_FIRST_PAPER;
            set.seed = round;
            snprintf(what, sizeof what, "round %d %s reverse %d, %dx%d rank %d", round,
                     kinds[kind].name, kinds[kind].reverse, (int)a->rows, (int)a->cols,
                     (int)a->rank);
            ch_anchors_result result =
                support_find(context, round % 2 ? &sparse : &dense, &set, what);
            expect_planted(a, &result, what);
            ch_anchors_result_free(context, &result);
        }
        ch_matrix_free(context, &sparse);
    }
    free(a);
    support_finish(context, &memory);
}

/* ---- one answer ---------------------------------------------------------------------------- */

static ch_matrix noisy(ch_context *context, int64_t *anchors, int64_t rows, int64_t cols,
                       int64_t rank, int noise, double level, int64_t seed) {
    ch_synthetic_settings make = {.size = sizeof make,
                                  .rows = rows,
                                  .cols = cols,
                                  .rank = rank,
                                  .noise = noise,
                                  .level = level,
                                  .shuffle = 1,
                                  .type = CH_F64,
                                  .seed = seed};
    ch_matrix X;
    assert_int_equal(ch_synthetic_make(context, &X, anchors, &make), CH_OK);
    return X;
}

static double *values_of(const ch_matrix *X) {
    return (double *)(uintptr_t)X->values; /* ours, and not const */
}

static void map_values(const ch_matrix *X, double (*map)(double)) {
    for (int64_t i = 0; i < X->rows * X->cols; i++) values_of(X)[i] = map(values_of(X)[i]);
}

/* Into [0, 1], a third of them zero. */
static double to_share(double x) {
    return fmin(1, fmax(0, 1.5 * x / (1 + x) - 0.25));
}

static void lazy_eager_layouts_threads(void **state) {
    (void)state;
    support_memory memory;
    ch_context *context = support_context(&memory, 1);
    for (int c = 0; c < 2 * KINDS; c++) {
        int64_t planted_at[5];
        int kind = c / 2;
        ch_matrix X = noisy(context, planted_at, 30, 60, 5, CH_NOISE_EXPONENTIAL, 1, 7 + kind);
        map_values(&X, to_share);
        ch_matrix sparse = support_reshape(context, &X, CH_CSC, CH_F64);
        ch_anchors_settings set = settings(context, kinds[kind].name, kinds[kind].reverse, 7);
        static const int rules[] = {CH_EXTERIOR_RAND, CH_EXTERIOR_SHARE, CH_EXTERIOR_BALANCED};
        set.exterior = rules[c % 3];
        ch_anchors_result first = support_find(context, &X, &set, kinds[kind].name);
        for (int way = 1; way < 8; way++) {
            char what[100];
            snprintf(what, sizeof what, "%s reverse %d, rule %d, eager %d, CSC %d, threads %d",
                     kinds[kind].name, kinds[kind].reverse, c % 3, way & 1, way / 2 & 1,
                     1 + way / 4);
            set.eager = way & 1;
            ch_context_set_threads(context, 1 + way / 4);
            ch_anchors_result other = support_find(context, way / 2 & 1 ? &sparse : &X, &set, what);
            support_same_answer(&first, &other, what);
            ch_anchors_result_free(context, &other);
        }
        ch_context_set_threads(context, 1);
        double H[7 * 60];
        set.floor = first.floor;
        assert_true(ch_project(context, H, NULL, &X, first.W, first.rank, &set) >= 0);
        support_check(!memcmp(H, first.H, (size_t)(first.rank * 60) * sizeof(double)),
                      "%s: training and projection differ", kinds[kind].name);
        ch_anchors_result_free(context, &first);
        ch_matrix_free(context, &sparse);
        ch_matrix_free(context, &X);
    }
    support_finish(context, &memory);
}

/* The last anchor is the one to be chosen once more: columns not looked at since the one before are
 * asked for the cone that they know already. */
static void lazy_is_eager_with_kept_anchors(void **state) {
    (void)state;
    support_memory memory;
    ch_context *context = support_context(&memory, 1);
    static const int64_t keep[] = {3, 11, 8, 29};
    for (int c = 0; c < 8 * KINDS; c++) {
        int64_t planted_at[5];
        int kind = c / 8;
        char what[100];
        ch_matrix X = noisy(context, planted_at, 30, 60, 5, CH_NOISE_EXPONENTIAL, 1, 90 + c);
        map_values(&X, to_share);
        ch_anchors_settings set =
            settings(context, kinds[kind].name, kinds[kind].reverse, 2 + c / 2 % 4);
        set.exterior = c % 2 ? CH_EXTERIOR_RAND : CH_EXTERIOR_MAX;
        set.keep = keep;
        set.keep_count = set.rank - 1;
        snprintf(what, sizeof what, "%s reverse %d, rand %d, rank %d", kinds[kind].name,
                 kinds[kind].reverse, c % 2, (int)set.rank);
        ch_anchors_result lazy = support_find(context, &X, &set, what);
        set.eager = 1;
        ch_anchors_result eager = support_find(context, &X, &set, what);
        support_same_answer(&lazy, &eager, what);
        ch_anchors_result_free(context, &eager);
        ch_anchors_result_free(context, &lazy);
        ch_matrix_free(context, &X);
    }
    support_finish(context, &memory);
}

/* The automatic rank looks ahead and takes several anchors back before the first is chosen once
 * more: no column may then be bounded by a distance from an anchor that has gone. */
static void lazy_is_eager_with_the_automatic_rank(void **state) {
    (void)state;
    support_memory memory;
    ch_context *context = support_context(&memory, 1);
    for (int c = 0; c < 4 * KINDS; c++) {
        int64_t planted_at[5];
        int kind = c / 4;
        char what[100];
        ch_matrix X = noisy(context, planted_at, 30, 60, 5, CH_NOISE_EXPONENTIAL, 1, 40 + c);
        map_values(&X, to_share);
        ch_anchors_settings set = settings(context, kinds[kind].name, kinds[kind].reverse, 0);
        set.keep_duals = 1;
        snprintf(what, sizeof what, "%s reverse %d, automatic rank, data %d", kinds[kind].name,
                 kinds[kind].reverse, c % 4);
        ch_anchors_result lazy = support_find(context, &X, &set, what);
        set.eager = 1;
        ch_anchors_result eager = support_find(context, &X, &set, what);
        support_same_answer(&lazy, &eager, what);
        support_check(lazy.steps == eager.steps, "%s: steps", what);
        for (int64_t s = 0; s < lazy.steps; s++)
            support_check(lazy.step_exterior[s] == eager.step_exterior[s],
                          "%s: step %d by column %d and %d", what, (int)s,
                          (int)lazy.step_exterior[s], (int)eager.step_exterior[s]);
        ch_anchors_result_free(context, &eager);
        ch_anchors_result_free(context, &lazy);
        ch_matrix_free(context, &X);
    }
    support_finish(context, &memory);
}

static void special_betas_to_the_bit(void **state) {
    (void)state;
    static const struct {
        const char *beta, *name;
    } pairs[] = {{"beta:2", "l2"}, {"beta:1", "kl"}, {"beta:0", "is"}};
    support_memory memory;
    ch_context *context = support_context(&memory, 1);
    for (int pair = 0; pair < 3; pair++)
        for (int reverse = 0; reverse < 2; reverse++) {
            int64_t planted_at[6];
            ch_matrix X = noisy(context, planted_at, 40, 50, 6, CH_NOISE_EXPONENTIAL, 3, 5);
            ch_anchors_settings family = settings(context, pairs[pair].beta, reverse, 8);
            ch_anchors_settings named = settings(context, pairs[pair].name, reverse, 8);
            ch_anchors_result one = support_find(context, &X, &family, pairs[pair].beta);
            ch_anchors_result two = support_find(context, &X, &named, pairs[pair].name);
            support_same_answer(&one, &two, pairs[pair].beta);
            support_check(one.floor == two.floor, "floors %g and %g", one.floor, two.floor);
            ch_anchors_result_free(context, &one);
            ch_anchors_result_free(context, &two);
            ch_matrix_free(context, &X);
        }
    support_finish(context, &memory);
}

static void square_is_l2(void **state) {
    (void)state;
    support_memory memory;
    ch_context *context = support_context(&memory, 1);
    for (int way = 0; way < 12; way++) { /* reversed or not, declared convex or not */
        int64_t planted_at[6];
        ch_matrix X = noisy(context, planted_at, 50, 70, 6, CH_NOISE_SPARSE, 0.4, 20 + way / 4);
        ch_anchors_settings set = settings(context, "l2", 0, 8), custom = set;
        custom.loss = CH_LOSS_CUSTOM;
        custom.reverse = way & 1;
        custom.custom = support_square;
        custom.custom.convex = way / 2 & 1;
        ch_anchors_result l2 = support_find(context, &X, &set, "l2");
        ch_anchors_result own = support_find(context, &X, &custom, "x^2");
        for (int64_t k = 0; k < 8; k++)
            support_check(l2.anchors[k] == own.anchors[k], "way %d: anchor %d is %d, not %d", way,
                          (int)k, (int)own.anchors[k], (int)l2.anchors[k]);
        support_close(support_difference(l2.H, own.H, 8 * X.cols), 0, 1e-9);
        support_close(own.objective, l2.objective, 1e-9 * l2.objective);
        support_check(own.unproven == 0, "way %d: %d unproven", way, (int)own.unproven);
        ch_anchors_result_free(context, &l2);
        ch_anchors_result_free(context, &own);
        ch_matrix_free(context, &X);
    }
    support_finish(context, &memory);
}

/* KL scales, IS does not change at all, betas scale by a power. */
static void powers_of_two_change_nothing(void **state) {
    (void)state;
    support_memory memory;
    ch_context *context = support_context(&memory, 1);
    for (int kind = 0; kind < 8; kind++) { /* shares have their own unit */
        int64_t planted_at[5];
        ch_matrix X = noisy(context, planted_at, 30, 40, 5, CH_NOISE_EXPONENTIAL, 1, 50 + kind);
        ch_anchors_settings set = settings(context, kinds[kind].name, kinds[kind].reverse, 6);
        ch_anchors_result first = support_find(context, &X, &set, kinds[kind].name);
        double *values = values_of(&X), before[30 * 40];
        memcpy(before, values, sizeof before);
        for (int exponent = -300; exponent <= 300; exponent += 150) {
            for (int i = 0; i < 30 * 40; i++) values[i] = ldexp(before[i], exponent);
            ch_anchors_result other = support_find(context, &X, &set, kinds[kind].name);
            for (int64_t k = 0; k < first.rank; k++)
                support_check(first.anchors[k] == other.anchors[k],
                              "%s reverse %d, 2^%d: anchor %d is %d, not %d", kinds[kind].name,
                              kinds[kind].reverse, exponent, (int)k, (int)other.anchors[k],
                              (int)first.anchors[k]);
            support_close(support_difference(first.H, other.H, first.rank * 40), 0, 1e-7);
            support_check(other.unproven == 0, "%s 2^%d: %d unproven", kinds[kind].name, exponent,
                          (int)other.unproven);
            ch_anchors_result_free(context, &other);
        }
        ch_anchors_result_free(context, &first);
        ch_matrix_free(context, &X);
    }
    support_finish(context, &memory);
}

/* ---- awkward data -------------------------------------------------------------------------- */

static int has_gap(int kind) {
    return kinds[kind].reverse || (kind / 2 != 1 && kind / 2 != 2);
}

static void expect_numbers(const ch_anchors_result *result, int64_t given, int kind,
                           const char *what) {
    support_check(isfinite(result->objective), "%s: objective %g", what, result->objective);
    for (int64_t k = given > 0 ? given - 1 : 0; k < result->rank; k++)
        support_check(isfinite(result->max_residual[k]), "%s: residual %d is %g", what, (int)k,
                      result->max_residual[k]);
    for (int64_t i = 0; i < result->rank * result->cols; i++)
        support_check(isfinite(result->H[i]) && result->H[i] >= 0, "%s: H %g", what, result->H[i]);
    double gap = result->certificate.gap;
    support_check(
        (has_gap(kind) ? isfinite(gap) : isnan(gap)) && isfinite(result->certificate.stationarity),
        "%s: certificate %g, %g", what, result->certificate.gap, result->certificate.stationarity);
}

static void expect_proven(const ch_anchors_result *result, const char *what) {
    support_check(result->unproven == 0, "%s: %d unproven, gap %g, stationarity %g", what,
                  (int)result->unproven, result->certificate.gap, result->certificate.stationarity);
}

/* 5 x 8: a row of zeros, columns with one entry, columns that are multiples, a zero column. */
static const double awkward[5 * 8] = {
    0.5, 0,   0,   0.25, 0, /**/ 0,    0.5, 0,  0, 0, /**/ 0.25, 0,   0,   0.125, 0, /**/
    0,   0,   0,   0,    0, /**/ 0,    0,   1,  0, 0, /**/ 0.1,  0.2, 0.3, 0.4,   0, /**/
    0.1, 0.2, 0.3, 0.3,  0, /**/ 1e-9, 0,   .5, 0, 0,
};

static void awkward_data_gives_numbers(void **state) {
    (void)state;
    static const double floors[] = {-1, 1e-30, 1e-12, 1, 1e3};
    static const int64_t keep[] = {0, 2}; /* multiples of each other */
    support_memory memory;
    ch_context *context = support_context(&memory, 1);
    for (int kind = 0; kind < KINDS; kind++)
        for (int at = 0; at < 5; at++)
            for (int rank = 1; rank <= 5; rank++) {
                char what[100];
                /* 1 + 1e-30 is 1, where logistic is infinite: refused, see below */
                if (kind >= 8 && floors[at] == 1e-30) continue;
                ch_matrix X = borrow(context, awkward, 5, 8);
                ch_anchors_settings set =
                    settings(context, kinds[kind].name, kinds[kind].reverse, rank);
                set.floor = floors[at];
                set.keep = keep;
                set.keep_count = rank > 2 && rank % 2 ? 2 : 0;
                snprintf(what, sizeof what, "%s reverse %d floor %g rank %d", kinds[kind].name,
                         kinds[kind].reverse, floors[at], rank);
                ch_anchors_result result = support_find(context, &X, &set, what);
                expect_numbers(&result, set.keep_count, kind, what);
                /* Slopes of 1 / floor round to more than tol; only a gap can prove them good. */
                int usual = floors[at] < 0 || floors[at] >= 1;
                if (usual || (has_gap(kind) && floors[at] > 1e-30)) expect_proven(&result, what);
                ch_anchors_result_free(context, &result);
            }
    support_finish(context, &memory);
}

/* Columns of sizes between 1e-10 and 1e10 under KL. The floor follows the mean of the data and
 * exceeds the small columns by many powers of ten; every column is proven all the same, and
 * ch_verify() agrees. */
static void kl_proves_columns_of_all_sizes(void **state) {
    (void)state;
    support_memory memory;
    ch_context *context = support_context(&memory, 1);
    for (uint64_t seed = 1; seed <= 5; seed++) {
        int64_t planted_at[6];
        ch_random random;
        ch_matrix X = noisy(context, planted_at, 30, 80, 6, CH_NOISE_EXPONENTIAL, 1, seed);
        double *values = values_of(&X);
        support_seed(&random, "sizes of columns", seed);
        for (int64_t j = 0; j < 80; j++) {
            double size = pow(10, 20 * ch_random_uniform(&random) - 10);
            for (int64_t i = 0; i < 30; i++) values[i + 30 * j] *= size;
        }
        ch_anchors_settings set = settings(context, "kl", 0, 6);
        set.keep_duals = 1;
        ch_anchors_result result = support_find(context, &X, &set, "sizes");
        expect_proven(&result, "columns of all sizes");
        ch_verification found = {.size = sizeof found};
        assert_int_equal(ch_verify(context, &found, &X, &result, &set), CH_OK);
        support_check(found.ok, "seed %d: not verified: %s", (int)seed, found.why);
        ch_anchors_result_free(context, &result);
        ch_matrix_free(context, &X);
    }
    support_finish(context, &memory);
}

static void one_row_and_many_anchors(void **state) {
    (void)state;
    support_memory memory;
    ch_context *context = support_context(&memory, 1);
    for (int kind = 0; kind < KINDS; kind++) {
        static const double row[4] = {0.5, 0, 0.25, 1};
        ch_matrix X = borrow(context, row, 1, 4);
        ch_anchors_settings set = settings(context, kinds[kind].name, kinds[kind].reverse, 1);
        ch_anchors_result result = support_find(context, &X, &set, "one row");
        expect_numbers(&result, 0, kind, kinds[kind].name);
        expect_proven(&result, kinds[kind].name);
        ch_anchors_result_free(context, &result);

        int64_t planted_at[12];
        ch_matrix wide = noisy(context, planted_at, 12, 40, 12, CH_NOISE_EXPONENTIAL, 1, 3);
        map_values(&wide, to_share);
        set.rank = 16; /* more anchors than rows */
        result = support_find(context, &wide, &set, "many anchors");
        expect_numbers(&result, 0, kind, kinds[kind].name);
        expect_proven(&result, kinds[kind].name);
        ch_anchors_result_free(context, &result);
        ch_matrix_free(context, &wide);
    }
    support_finish(context, &memory);
}

static void out_of_range_is_refused(void **state) {
    (void)state;
    static const struct {
        const char *loss;
        double scale, floor;
        const char *text;
    } cases[] = {
        {"beta:-5", 1e60, -1, "exceeds the range of floating-point numbers"},
        {"beta:6", 1e-60, -1, "exceeds the range of floating-point numbers"},
        {"is", 1, 1e-310, "exceeds the range of floating-point numbers"},
        {"kl", 1, 0, "the setting 'floor' must be positive"},
        {"logistic", 1, 1e-30, "exceeds the range of floating-point numbers"},
        {"logistic", 3, -1, "the loss logistic needs values from 0 to 1"},
    };
    support_memory memory;
    ch_context *context = support_context(&memory, 1);
    for (size_t at = 0; at < sizeof cases / sizeof *cases; at++) {
        double values[5 * 8];
        for (int i = 0; i < 40; i++) values[i] = cases[at].scale * awkward[i];
        ch_matrix X = borrow(context, values, 5, 8);
        ch_anchors_settings set = settings(context, cases[at].loss, 0, 2);
        ch_anchors_result result = {.size = sizeof result};
        set.floor = cases[at].floor;
        support_check(ch_anchors(context, &result, &X, &set) < 0, "%s accepted", cases[at].loss);
        support_message(context, cases[at].text);
    }
    support_finish(context, &memory);
}

/* ---- recovery under noise ------------------------------------------------------------------ */

static double recovered(const ch_anchors_result *result, const int64_t *anchors, int64_t rank) {
    int found = 0;
    for (int64_t k = 0; k < rank; k++)
        for (int64_t l = 0; l < result->rank; l++) found += result->anchors[l] == anchors[k];
    return found / (double)rank;
}

static double recovery(ch_context *context, const ch_matrix *X, const int64_t *anchors,
                       const char *loss, int method) {
    ch_anchors_settings set = settings(context, loss, 0, 20);
    set.method = method;
    set.select_only = 1;
    ch_anchors_result result = support_find(context, X, &set, loss);
    double share = recovered(&result, anchors, 20);
    ch_anchors_result_free(context, &result);
    return share;
}

/* The paper's second experiment: 200 x 210, rank 20, X_ij exponential with mean (W H)_ij. */
static void exponential_noise(void **state) {
    (void)state;
    support_memory memory;
    ch_context *context = support_context(&memory, 0);
    double is = 0, kl = 0, spa = 0, l2 = 0;
    for (int run = 0; run < 10; run++) {
        int64_t anchors[20];
        ch_matrix X = noisy(context, anchors, 200, 210, 20, CH_NOISE_EXPONENTIAL, 1, 900 + run);
        is += recovery(context, &X, anchors, "is", CH_METHOD_XRAY) / 10;
        kl += recovery(context, &X, anchors, "kl", CH_METHOD_XRAY) / 10;
        l2 += recovery(context, &X, anchors, "l2", CH_METHOD_XRAY) / 10;
        spa += recovery(context, &X, anchors, "l2", CH_METHOD_SPA) / 10;
        ch_matrix_free(context, &X);
    }
    print_message("recovery: is %.3f, kl %.3f, spa %.3f, l2 %.3f\n", is, kl, spa, l2);
    support_check(is >= 0.83, "is %g", is);
    support_check(is >= spa + 0.08, "is %g, spa %g", is, spa);
    support_check(is >= l2 + 0.2, "is %g, l2 %g", is, l2);
    support_finish(context, &memory);
}

/* The same draws times lambda: the same anchors, for any lambda. */
static void is_is_blind_to_scale(void **state) {
    (void)state;
    static const double lambdas[] = {0.1, 3, 1000};
    support_memory memory;
    ch_context *context = support_context(&memory, 0);
    for (int run = 0; run < 2; run++) {
        int64_t anchors[20];
        ch_matrix X = noisy(context, anchors, 200, 210, 20, CH_NOISE_EXPONENTIAL, 1, 900 + run);
        ch_anchors_settings set = settings(context, "is", 0, 20);
        set.select_only = 1;
        ch_anchors_result first = support_find(context, &X, &set, "is");
        for (int at = 0; at < 3; at++) {
            int64_t again[20];
            ch_matrix Y =
                noisy(context, again, 200, 210, 20, CH_NOISE_EXPONENTIAL, lambdas[at], 900 + run);
            support_close(values_of(&Y)[77], lambdas[at] * values_of(&X)[77],
                          1e-13 * values_of(&Y)[77]);
            ch_anchors_result other = support_find(context, &Y, &set, "is");
            for (int64_t k = 0; k < 20; k++)
                support_check(first.anchors[k] == other.anchors[k], "lambda %g: anchor %d",
                              lambdas[at], (int)k);
            ch_anchors_result_free(context, &other);
            ch_matrix_free(context, &Y);
        }
        ch_anchors_result_free(context, &first);
        ch_matrix_free(context, &X);
    }
    support_finish(context, &memory);
}

/* The paper's remark: counts grow, noise relative to them shrinks, every method finds all. */
static void poisson_noise_fades(void **state) {
    (void)state;
    static const struct {
        const char *loss;
        int method;
    } ways[] = {{"kl", CH_METHOD_XRAY},
                {"is", CH_METHOD_XRAY},
                {"l1", CH_METHOD_XRAY},
                {"l2", CH_METHOD_XRAY},
                {"l2", CH_METHOD_SPA}};
    support_memory memory;
    ch_context *context = support_context(&memory, 0);
    for (int way = 0; way < 5; way++) {
        double few = 0, many = 0;
        for (int run = 0; run < 3; run++) {
            int64_t anchors[20];
            ch_matrix X = noisy(context, anchors, 200, 210, 20, CH_NOISE_POISSON, 1, 60 + run);
            few += recovery(context, &X, anchors, ways[way].loss, ways[way].method) / 3;
            ch_matrix_free(context, &X);
            X = noisy(context, anchors, 200, 210, 20, CH_NOISE_POISSON, 1000, 60 + run);
            many += recovery(context, &X, anchors, ways[way].loss, ways[way].method) / 3;
            ch_matrix_free(context, &X);
        }
        print_message("%s method %d: %.2f, then %.2f\n", ways[way].loss, ways[way].method, few,
                      many);
        support_check(many >= 0.98 && many > few, "%s: %g, then %g", ways[way].loss, few, many);
    }
    support_finish(context, &memory);
}

/* Itakura-Saito. Cases 0 to 4: optima of several weights are about 1e-13, where the model is at the
 * floor. The others: a saddle, which steps of Fisher scoring leave slowly. */
static void slow_descents_are_proven(void **state) {
    static const struct {
        ch_hull hull;
        double floor;
        int64_t rows, rank;
        double W[24], x[8];
    } cases[] = {
        {CH_HULL_CONVEX, 1e-6, 5, 3, {0, 0, 3, 3, 1, 2, 0, 2, 1, 0, 3}, {0, 3, 0, 2}},
        {CH_HULL_CONVEX, 1e-6, 4, 3, {0, 3, 0, 1, 1, 3, 2, 0, 0, 0, 1, 2}, {0, 0, 2}},
        {CH_HULL_CONE,
         1e-5,
         7,
         3,
         {4, 0, 5, 0, 0, 6, 5, 9, 7, 3, 9, 1, 7, 0, 0, 2, 5, 4, 0, 0, 6},
         {0, 0, 8, 5, 2, 3}},
        {CH_HULL_CONE,
         1e-5,
         8,
         3,
         {0, 0, 5, 0, 1, 2, 2, 5, 0, 0, 0, 4, 7, 0, 0, 4, 0, 0, 0, 5, 9, 2},
         {5, 0, 8, 0, 7, 0, 0, 5}},
        {CH_HULL_CONE, 1e-5, 5, 3, {0, 9, 2, 1, 8, 8, 0, 8, 6, 0, 9, 0, 8, 9, 5}, {0, 0, 6, 2, 1}},
    };
    support_memory memory;
    ch_context *context = support_context(&memory, 1);
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        double H[3];
        ch_project_info info = {.size = sizeof info};
        ch_anchors_settings set = settings(context, "is", 0, cases[c].rank);
        set.hull = cases[c].hull;
        set.floor = cases[c].floor;
        ch_matrix X = support_dense(context, cases[c].x, cases[c].rows, 1);
        ch_status status = ch_project(context, H, &info, &X, cases[c].W, cases[c].rank, &set);
        support_check(status == CH_OK && info.unproven == 0, "case %d: stationarity %g", (int)c,
                      info.certificate.stationarity);
        ch_matrix_free(context, &X);
    }
    support_finish(context, &memory);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_all_and_only_anchors),
        cmocka_unit_test(lazy_eager_layouts_threads),
        cmocka_unit_test(lazy_is_eager_with_kept_anchors),
        cmocka_unit_test(lazy_is_eager_with_the_automatic_rank),
        cmocka_unit_test(special_betas_to_the_bit),
        cmocka_unit_test(square_is_l2),
        cmocka_unit_test(powers_of_two_change_nothing),
        cmocka_unit_test(awkward_data_gives_numbers),
        cmocka_unit_test(kl_proves_columns_of_all_sizes),
        cmocka_unit_test(slow_descents_are_proven),
        cmocka_unit_test(one_row_and_many_anchors),
        cmocka_unit_test(out_of_range_is_refused),
        cmocka_unit_test(exponential_noise),
        cmocka_unit_test(is_is_blind_to_scale),
        cmocka_unit_test(poisson_noise_fades),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
