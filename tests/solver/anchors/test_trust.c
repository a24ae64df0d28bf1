/* Weights of rows, columns and entries, and missing entries: what is complete and counts alike
 * gives the bits of a run without the option; a weight of 0 is a missing entry; weighted rows are
 * rows that were multiplied before; a column with missing rows is a column of a matrix that never
 * had them; all is proven, rechecked, and the same for any layout, thread count and way to search.
 */
#include "support_anchors.h"
#include <conehull/conehull.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 24, COLS = 240, RANK = 4, SIZE = ROWS * COLS };

/* 'p': planted mixtures with noise, 'r': random numbers, 'd': small whole numbers with empty
 * columns, so that vertices are degenerate and scores tie. */
static void fill(double *X, char kind, uint64_t seed) {
    ch_random random;
    double W[ROWS * RANK];
    support_seed(&random, "trust", seed);
    for (int i = 0; i < ROWS * RANK; i++) W[i] = pow(ch_random_uniform(&random), 3);
    for (int64_t j = 0; j < COLS; j++) {
        double h[RANK];
        support_shares(&random, h, RANK, j);
        for (int i = 0; i < ROWS; i++) {
            double u = ch_random_uniform(&random), x = 0;
            for (int k = 0; k < RANK; k++) x += W[i + k * ROWS] * h[k];
            if (kind == 'r') x = u;
            if (kind == 'd') x = j % 17 == 3 ? 0 : floor(4 * u) / 4;
            if (kind == 'p') x *= 1 + 0.05 * (u - 0.5);
            X[i + j * ROWS] = x;
        }
    }
}

/* About a share of 0s in a matrix of ones, or of weights between 0 and 2. */
static void fill_weights(double *w, double share, int shades, uint64_t seed) {
    ch_random random;
    support_seed(&random, "trust", seed);
    for (int e = 0; e < SIZE; e++) {
        double u = ch_random_uniform(&random), shade = 2 * ch_random_uniform(&random);
        w[e] = u < share ? 0 : shades ? shade : 1;
    }
}

static const char *const losses[] = {"loss=l1",
                                     "loss=l2",
                                     "loss=kl",
                                     "loss=is",
                                     "loss=kl reverse=1",
                                     "loss=beta beta=1.5",
                                     "loss=l1 hull=convex",
                                     "loss=l2 hull=convex0",
                                     "loss=kl hull=convex",
                                     "loss=l1 faint=0.2 path=1"};
enum { WAYS = sizeof losses / sizeof *losses };

/* Returns whether entries can have weights. */
static int is_norm(int way) {
    return strstr(losses[way], "loss=l1") || strstr(losses[way], "loss=l2");
}

static int is_hull(int way) {
    return strstr(losses[way], "hull") != NULL;
}

static void complete_data_keep_their_bits(void **state) {
    static double values[SIZE], ones[SIZE];
    support_memory memory;
    ch_context *context = support_context(&memory, 2);
    (void)state;
    fill(values, 'p', 1);
    fill_weights(ones, 0, 0, 1);
    ch_matrix X = support_dense(context, values, ROWS, COLS);
    ch_matrix one = support_dense(context, ones, ROWS, COLS);
    for (int w = 0; w < WAYS; w++) {
        ch_anchors_settings set = support_settings(context, RANK, losses[w]);
        ch_anchors_result plain = support_find(context, &X, &set, losses[w]);
        for (int way = 0; way < 4; way++) {
            ch_anchors_settings with = set;
            if (way == 0) with.missing = CH_MISSING_NAN;
            if (way == 1) with.observed = &one;
            if (way == 2 && is_norm(w)) with.weights = &one;
            if (way == 3) support_give_rows(&with, ones, ROWS);
            ch_anchors_result r = support_find(context, &X, &with, losses[w]);
            support_same_result(&plain, &r, losses[w]);
            ch_anchors_result_free(context, &r);
        }
        ch_anchors_result_free(context, &plain);
    }
    ch_matrix_free(context, &one);
    ch_matrix_free(context, &X);
    support_finish(context, &memory);
}

/* Row weights w are rows times w (l1, kl), sqrt(w) (l2) or w^(1/beta). */
static void weighted_rows_are_scaled_rows(void **state) {
    static const double power[WAYS] = {1, 0.5, 1, 0, 1, 1 / 1.5, 1, 0.5, 1, 1};
    static double values[SIZE], scaled[SIZE], weights[ROWS];
    support_memory memory;
    ch_context *context = support_context(&memory, 2);
    ch_random random;
    (void)state;
    fill(values, 'p', 2);
    support_seed(&random, "rows", 5);
    for (int i = 0; i < ROWS; i++) weights[i] = i % 7 == 2 ? 0 : 3 * ch_random_uniform(&random);
    ch_matrix X = support_dense(context, values, ROWS, COLS);
    for (int w = 0; w < WAYS; w++) {
        if (power[w] == 0) continue;
        for (int e = 0; e < SIZE; e++) {
            double t = weights[e % ROWS];
            scaled[e] = (power[w] == 1     ? t
                         : power[w] == 0.5 ? sqrt(t)
                                           : pow(t, power[w])) *
                        values[e];
        }
        ch_matrix S = support_dense(context, scaled, ROWS, COLS);
        ch_anchors_settings set = support_settings(context, RANK, losses[w]), with = set;
        support_give_rows(&with, weights, ROWS);
        ch_anchors_result by_hand = support_find(context, &S, &set, losses[w]);
        ch_anchors_result r = support_find(context, &X, &with, losses[w]);
        support_verifies(context, &X, &r, &with, losses[w]);
        for (int64_t e = 0; e < ROWS * r.rank; e++)
            assert_true(r.W[e] == values[e % ROWS + r.anchors[e / ROWS] * ROWS]);
        memcpy(r.W, by_hand.W, (size_t)(ROWS * r.rank) * sizeof *r.W);
        support_same_result(&by_hand, &r, losses[w]);
        ch_anchors_result_free(context, &r);
        ch_anchors_result_free(context, &by_hand);
        ch_matrix_free(context, &S);
    }
    ch_matrix_free(context, &X);
    support_finish(context, &memory);
}

static double custom_phi(double x, void *user) {
    (void)user;
    return x * x * x;
}
static double custom_slope(double x, void *user) {
    (void)user;
    return 3 * x * x;
}
static double custom_curvature(double x, void *user) {
    (void)user;
    return 6 * x;
}

static const double ROUNDED = 1e-11, SOLVED = 1e-8, NEAR = 1e-4;

/* Under every loss rows of weight 0 are left out, others of weight 1 count as they do without: the
 * answer is that of a matrix that never had the former. */
static void rows_can_be_left_out(void **state) {
    static const struct {
        const char *words;
        double cost;               /* of an entry that is zero in x and in W: l(0, floor) */
        double objective, weights; /* how far they may be: l1 and l2 are solved up to rounding, a
                                      convex divergence up to its tolerance, others where the
                                      descent ends, which rounding may move */
    } cases[] = {{"loss=l1", 0, ROUNDED, ROUNDED},
                 {"loss=l2", 0, ROUNDED, ROUNDED},
                 {"loss=kl floor=1e-6", 1e-6, SOLVED, NEAR},
                 {"loss=is floor=1e-6", 0, NEAR, 1e-3},
                 {"loss=is floor=1e-6 reverse=1", 0, SOLVED, NEAR},
                 {"loss=beta beta=-0.5 floor=1e-3", 0, NEAR, 1e-3},
                 {"loss=beta beta=0.5 floor=1e-6", 2e-3, NEAR, 1e-3},
                 {"loss=logistic floor=1e-6", 0, SOLVED, NEAR},
                 {"loss=custom floor=1e-6", 0, SOLVED, NEAR},
                 {"loss=is hull=convex floor=1e-6", 0, NEAR, 1e-3},
                 {"loss=logistic hull=convex0 floor=1e-6", 0, SOLVED, NEAR}};
    static double values[SIZE], left[SIZE], weights[ROWS];
    support_memory memory;
    ch_context *context = support_context(&memory, 2);
    int64_t rows = 0;
    (void)state;
    fill(values, 'p', 31);
    for (int e = 0; e < SIZE; e++) values[e] *= 0.9; /* logistic: shares */
    for (int i = 0; i < ROWS; i++) rows += (weights[i] = i % 5 != 3) != 0;
    for (int64_t j = 0; j < COLS; j++)
        for (int64_t i = 0, at = 0; i < ROWS; i++)
            if (weights[i] > 0) left[at++ + j * rows] = values[i + j * ROWS];
    ch_matrix X = support_dense(context, values, ROWS, COLS);
    ch_matrix L = support_dense(context, left, rows, COLS);
    for (size_t w = 0; w < sizeof cases / sizeof *cases; w++) {
        const char *words = cases[w].words;
        ch_anchors_settings set = support_settings(context, RANK, words), with;
        set.custom =
            (ch_bregman){.phi = custom_phi, .slope = custom_slope, .curvature = custom_curvature};
        with = set;
        support_give_rows(&with, weights, ROWS);
        ch_anchors_result without = support_find(context, &L, &set, words);
        ch_anchors_result r = support_find(context, &X, &with, words);
        support_verifies(context, &X, &r, &with, words);
        assert_int_equal(r.rank, without.rank);
        for (int64_t k = 0; k < r.rank; k++)
            support_check(r.anchors[k] == without.anchors[k], "%s: another anchor", words);
        support_close(r.objective - cases[w].cost * (double)((ROWS - rows) * COLS),
                      without.objective, cases[w].objective * fabs(without.objective) + 1e-12);
        double off = support_difference(r.H, without.H, r.rank * COLS);
        support_check(off <= cases[w].weights, "%s: H is off by %g", words, off);
        assert_int_equal(r.unproven, 0);
        support_projects(context, &X, &r, &with, words);
        ch_anchors_result_free(context, &r);
        ch_anchors_result_free(context, &without);
    }
    ch_matrix_free(context, &L);
    ch_matrix_free(context, &X);
    support_finish(context, &memory);
}

static void nothing_counts_as_missing(void **state) {
    static double values[SIZE], gaps[SIZE], known[SIZE];
    support_memory memory;
    ch_context *context = support_context(&memory, 2);
    (void)state;
    fill(values, 'p', 3);
    fill_weights(known, 0.3, 0, 4);
    for (int e = 0; e < SIZE; e++) gaps[e] = known[e] == 0 ? NAN : values[e];
    ch_matrix X = support_dense(context, values, ROWS, COLS);
    ch_matrix N = support_dense(context, gaps, ROWS, COLS);
    ch_matrix K = support_dense(context, known, ROWS, COLS);
    ch_matrix sparse = support_reshape(context, &K, CH_CSC, CH_F32);
    ch_matrix X_sparse = support_reshape(context, &X, CH_CSC, CH_F64);
    for (int w = 0; w < WAYS; w++) {
        ch_anchors_settings set = support_settings(context, RANK, losses[w]);
        set.missing = CH_MISSING_NAN;
        ch_anchors_result nan = support_find(context, &N, &set, losses[w]);
        assert_true(nan.unknown > SIZE / 4 && nan.completed > 0);
        set.missing = CH_MISSING_NONE;
        for (int way = 0; way < 4; way++) {
            ch_anchors_settings with = set;
            if (way < 3) with.observed = way == 1 ? &sparse : &K;
            if (way == 3) with.weights = &K;
            if (way == 3 && w > 1) continue;
            ch_anchors_result r =
                support_find(context, way == 2 ? &X_sparse : &X, &with, losses[w]);
            support_same_result(&nan, &r, losses[w]);
            assert_memory_equal(r.completed_entries, nan.completed_entries,
                                (size_t)(ROWS * r.rank));
            ch_anchors_result_free(context, &r);
        }
        ch_anchors_result_free(context, &nan);
    }
    ch_matrix *all[] = {&X, &N, &K, &sparse, &X_sparse};
    for (int k = 0; k < 5; k++) ch_matrix_free(context, all[k]);
    support_finish(context, &memory);
}

/* Every mode on random, planted and degenerate data: 21,600 columns. */
static void all_is_proven(void **state) {
    static double values[SIZE], known[SIZE], columns[COLS];
    static const char kinds[] = "prd";
    support_memory memory;
    ch_context *context = support_context(&memory, 2), *alone = support_context(NULL, 1);
    (void)state;
    for (int j = 0; j < COLS; j++) columns[j] = j % 9 == 4 ? 0 : 0.2 + j % 5;
    int64_t proven = 0;
    for (int turn = 0; turn < 9; turn++) {
        int kind = turn % 3;
        fill(values, kinds[kind], 7 + (uint64_t)turn / 3);
        ch_matrix X = support_dense(context, values, ROWS, COLS);
        for (int w = 0; w < WAYS; w++) {
            int cone = !is_hull(w), q = !strstr(losses[w], "loss=is");
            int norm = is_norm(w) && (w < 2 || turn % 2); /* others in turn with a mask */
            fill_weights(known, 0.25, norm, 11 + (uint64_t)(w + WAYS * (turn / 3)));
            ch_matrix K = support_dense(context, known, ROWS, COLS);
            ch_anchors_settings set = support_settings(context, RANK, losses[w]);
            *(norm ? &set.weights : &set.observed) = &K;
            if (cone && q) support_give_columns(&set, columns, COLS);
            ch_anchors_result r = support_find(context, &X, &set, losses[w]);
            support_check(r.unproven == 0 && !(r.certificate.gap > 1e-9),
                          "%s, data %c: %lld unproven, gap %g", losses[w], kinds[kind],
                          (long long)r.unproven, r.certificate.gap);
            proven += r.cols;
            support_verifies(context, &X, &r, &set, losses[w]);
            for (int64_t k = 0; cone && q && k < r.rank; k++)
                assert_true(columns[r.anchors[k]] > 0);
            ch_anchors_result one = support_find(alone, &X, &set, losses[w]);
            support_same_result(&r, &one, losses[w]);
            ch_anchors_result_free(alone, &one);
            set.eager = 1;
            ch_anchors_result eager = support_find(context, &X, &set, losses[w]);
            support_same_answer(&r, &eager, losses[w]);
            ch_anchors_result_free(context, &eager);
            support_projects(context, &X, &r, &set, losses[w]);
            ch_anchors_result_free(context, &r);
            ch_matrix_free(context, &K);
        }
        ch_matrix_free(context, &X);
    }
    support_check(proven >= 20000, "only %d columns were looked at", (int)proven);
    ch_context_destroy(alone);
    support_finish(context, &memory);
}

/* Each column by itself, without its missing rows, gives the same weights. */
static void missing_rows_are_no_rows(void **state) {
    static double values[SIZE], known[SIZE], x[ROWS], W[ROWS * RANK], h[RANK];
    support_memory memory;
    ch_context *context = support_context(&memory, 1);
    (void)state;
    fill(values, 'p', 8);
    ch_matrix X = support_dense(context, values, ROWS, COLS);
    for (int way = 0; way < 12; way++) { /* four losses with weights; six, few or many gone */
        static const int with_weights[] = {0, 1, 6, 7};
        int weighted = way < 4, w = weighted ? with_weights[way] : (way - 4) % 6;
        int squares = strstr(losses[w], "loss=l2") != NULL;
        fill_weights(known, way < 10 ? 0.4 : 0.6, weighted, 9);
        ch_matrix K = support_dense(context, known, ROWS, COLS);
        ch_anchors_settings set = support_settings(context, RANK, losses[w]), plain;
        set.max_missing = 0.7;
        *(weighted ? &set.weights : &set.observed) = &K;
        ch_anchors_result r = support_find(context, &X, &set, losses[w]);
        plain = support_settings(context, RANK, losses[w]);
        if (r.floor > 0) plain.floor = r.floor;
        for (int64_t j = 0; j < 60; j++) {
            int64_t rows = 0;
            for (int64_t i = 0; i < ROWS; i++) {
                double t = known[i + j * ROWS], f = weighted && squares ? sqrt(t) : t;
                if (t == 0) continue;
                x[rows] = f * values[i + j * ROWS];
                for (int64_t k = 0; k < r.rank; k++) W[rows + k * ROWS] = f * r.W[i + k * ROWS];
                rows++;
            }
            for (int64_t k = 0; k < r.rank; k++)
                memmove(W + k * rows, W + k * ROWS, (size_t)rows * sizeof *W);
            ch_matrix column = support_dense(context, x, rows, 1);
            assert_true(ch_project(context, h, NULL, &column, W, r.rank, &plain) >= 0);
            /* Blocks of l2 round in another way, and so does another lift of a hull. */
            double slack = squares || is_hull(w) ? 1e-9 : 0;
            support_check(support_difference(h, r.H + j * r.rank, r.rank) <= slack,
                          "%s: column %lld", losses[w], (long long)j);
            ch_matrix_free(context, &column);
        }
        ch_anchors_result_free(context, &r);
        ch_matrix_free(context, &K);
    }
    ch_matrix_free(context, &X);
    support_finish(context, &memory);
}

/* The lift of a hull outweighs weights of any size, so that the weights of a column sum to 1 as
 * they do without weights of entries. */
static void sums_on_a_hull_are_exact(void **state) {
    static double values[SIZE], weights[SIZE];
    static const char *const hulls[] = {"loss=l1 hull=convex", "loss=l2 hull=convex",
                                        "loss=quantile quantile=0.2 hull=convex"};
    support_memory memory;
    ch_context *context = support_context(&memory, 1);
    (void)state;
    fill(values, 'p', 18);
    ch_matrix X = support_dense(context, values, ROWS, COLS);
    for (int h = 0; h < 3; h++) {
        /* columns of weights from 1e-8 to 1e8, with noise */
        fill_weights(weights, 0.1, 1, 19);
        for (int e = 0; e < SIZE; e++) weights[e] *= pow(10, e / ROWS % 17 - 8);
        ch_matrix K = support_dense(context, weights, ROWS, COLS);
        ch_anchors_settings set = support_settings(context, RANK, hulls[h]);
        set.weights = &K;
        ch_anchors_result r = support_find(context, &X, &set, hulls[h]);
        assert_int_equal(r.unproven, 0);
        for (int64_t j = 0; j < COLS; j++) {
            double sum = 0;
            for (int64_t k = 0; k < r.rank; k++) sum += r.H[k + j * r.rank];
            support_check(fabs(sum - 1) <= 1e-14, "%s: column %lld sums to 1 + %g", hulls[h],
                          (long long)j, sum - 1);
        }
        support_verifies(context, &X, &r, &set, hulls[h]);
        ch_anchors_result_free(context, &r);
        ch_matrix_free(context, &K);
    }
    ch_matrix_free(context, &X);
    support_finish(context, &memory);
}

/* The same numbers as a sparse matrix, with everything but absent entries stored. */
static ch_matrix stored_entries(const double *values, const unsigned char *absent) {
    static double stored[2][SIZE];
    static int32_t row[2][SIZE];
    static int64_t start[2][COLS + 1];
    static int turn;
    int64_t count = 0, t = turn++ % 2;
    for (int64_t j = 0; j < COLS; j++) {
        for (int64_t i = 0; i < ROWS; i++) {
            if (absent[i + j * ROWS]) continue;
            row[t][count] = (int32_t)i;
            stored[t][count++] = values[i + j * ROWS];
        }
        start[t][j + 1] = count;
    }
    return (ch_matrix){.rows = ROWS,
                       .cols = COLS,
                       .layout = CH_CSC,
                       .values = stored[t],
                       .row_index = row[t],
                       .column_start = start[t]};
}

static ch_anchors_result find_verified(ch_context *context, const ch_matrix *X,
                                       const ch_anchors_settings *set, const char *what) {
    ch_anchors_result r = support_find(context, X, set, what);
    support_verifies(context, X, &r, set, what);
    return r;
}

/* One sparse matrix, column SHOWN of which has a stored zero, an absent zero and an unknown entry.
 * As it is, both zeros are zeros, and NaN alone is unknown. With the pattern of what is stored as
 * the mask the stored zero is a measurement, the absent one is not. */
static void zeros_of_sparse_data_and_unknowns(void **state) {
    enum { SHOWN = 20, STORED = 2, ABSENT = 3, UNKNOWN = 4 };
    static double values[SIZE], pattern[SIZE], gaps[SIZE];
    static unsigned char absent[SIZE];
    support_memory memory;
    ch_context *context = support_context(&memory, 2);
    int64_t gone = 0, at = SHOWN * ROWS;
    (void)state;
    fill(values, 'p', 41);
    for (int e = 0; e < SIZE; e++) absent[e] = e % 11 == 5;
    absent[at + STORED] = absent[at + UNKNOWN] = 0;
    absent[at + ABSENT] = 1;
    for (int e = 0; e < SIZE; e++) {
        if (absent[e]) values[e] = 0;
        pattern[e] = !absent[e];
        gone += absent[e];
    }
    values[at + STORED] = 0;
    values[at + UNKNOWN] = NAN;
    ch_matrix S = stored_entries(values, absent), P = stored_entries(pattern, absent);
    ch_matrix D = support_dense(context, values, ROWS, COLS);
    for (int w = 0; w < 2; w++) {
        ch_anchors_settings set = support_settings(context, RANK, losses[w]);
        set.missing = CH_MISSING_NAN;
        ch_anchors_result zeros = find_verified(context, &S, &set, "zeros");
        ch_anchors_result dense = support_find(context, &D, &set, "zeros, dense");
        assert_int_equal(zeros.unknown, 1);
        support_same_result(&dense, &zeros, losses[w]);

        set.observed = &P;
        ch_anchors_result some = find_verified(context, &S, &set, "pattern");
        memcpy(gaps, values, sizeof gaps);
        for (int e = 0; e < SIZE; e++)
            if (absent[e]) gaps[e] = NAN;
        ch_matrix G = support_dense(context, gaps, ROWS, COLS);
        set.observed = NULL;
        ch_anchors_result by_nan = support_find(context, &G, &set, "NaN in their place");
        assert_int_equal(some.unknown, gone + 1);
        support_same_result(&by_nan, &some, losses[w]);

        double *shown = some.H + SHOWN * some.rank; /* the zero that is stored counts */
        gaps[at + STORED] = NAN;
        ch_anchors_result fewer = support_find(context, &G, &set, "without the stored zero");
        assert_int_equal(fewer.unknown, gone + 2);
        assert_true(support_difference(shown, fewer.H + SHOWN * some.rank, some.rank) > 1e-3);
        assert_true(support_difference(shown, zeros.H + SHOWN * some.rank, some.rank) > 1e-3);
        ch_anchors_result_free(context, &fewer);
        ch_anchors_result_free(context, &by_nan);
        ch_anchors_result_free(context, &some);
        ch_anchors_result_free(context, &dense);
        ch_anchors_result_free(context, &zeros);
        ch_matrix_free(context, &G);
    }
    ch_matrix_free(context, &D);
    support_finish(context, &memory);
}

static void forgeries_are_refused(void **state) {
    static double values[SIZE], known[SIZE], other[SIZE], rows[ROWS], columns[COLS];
    support_memory memory;
    ch_context *context = support_context(&memory, 1);
    (void)state;
    fill(values, 'p', 12);
    fill_weights(known, 0.3, 0, 13);
    memcpy(other, known, sizeof other);
    other[5] = known[5] == 0;
    for (int i = 0; i < ROWS; i++) rows[i] = 1 + i % 3;
    for (int j = 0; j < COLS; j++) columns[j] = 1 + j % 4;
    ch_matrix X = support_dense(context, values, ROWS, COLS);
    ch_matrix K = support_dense(context, known, ROWS, COLS);
    ch_matrix O = support_dense(context, other, ROWS, COLS);
    ch_anchors_settings set = support_settings(context, RANK, "loss=l1");
    set.observed = &K;
    support_give_rows(&set, rows, ROWS);
    support_give_columns(&set, columns, COLS);
    ch_anchors_result r = support_find(context, &X, &set, "honest");
    support_verifies(context, &X, &r, &set, "honest");
    int64_t at = 0;
    while (!r.completed_entries[at]) at++;
    r.completed_entries[at] = 0;
    support_refutes(context, &X, &r, &set, "an entry that is not marked");
    r.completed--;
    support_refutes(context, &X, &r, &set, "an entry that is neither marked nor counted");
    r.completed++;
    r.completed_entries[at] = 1;
    double kept = r.W[at];
    r.W[at] *= 1.0001;
    support_refutes(context, &X, &r, &set, "another completion");
    r.W[at] = kept;
    r.unknown++;
    support_refutes(context, &X, &r, &set, "another number of missing entries");
    r.unknown--;
    r.incomplete++;
    support_refutes(context, &X, &r, &set, "another number of incomplete columns");
    r.incomplete--;
    set.observed = &O;
    support_refutes(context, &X, &r, &set, "another mask");
    set.observed = &K;
    rows[3] *= 1.01;
    support_refutes(context, &X, &r, &set, "another row weight");
    rows[3] /= 1.01;
    rows[3] = 1;
    columns[7] *= 1.01;
    support_refutes(context, &X, &r, &set, "another column weight");
    columns[7] = 4;
    support_verifies(context, &X, &r, &set, "honest again");
    ch_anchors_result_free(context, &r);
    ch_matrix_free(context, &O);
    ch_matrix_free(context, &K);
    ch_matrix_free(context, &X);
    support_finish(context, &memory);
}

static void refusals(void **state) {
    static double values[SIZE], weights[SIZE];
    support_memory memory;
    ch_context *context = support_context(&memory, 1);
    (void)state;
    fill(values, 'p', 14);
    fill_weights(weights, 0.2, 1, 15);
    ch_matrix X = support_dense(context, values, ROWS, COLS);
    ch_matrix K = support_dense(context, weights, ROWS, COLS);
    ch_matrix small = support_dense(context, weights, ROWS, COLS - 1);
    const struct {
        const char *words;
        const ch_matrix *observed, *weights;
        int64_t rows, columns; /* numbers given */
        ch_status status;
        const char *message;
    } cases[] = {
        {"loss=kl", NULL, &K, 0, 0, CH_ERR_UNSUPPORTED, "with the losses l1, quantile and l2 only"},
        {"loss=l1", &K, &K, 0, 0, CH_ERR_SETTING,
         "'observed' and 'weights' cannot be used together"},
        {"loss=l1", &small, NULL, 0, 0, CH_ERR_SETTING, "observed: the matrix is 24 x 239"},
        {"loss=is", NULL, NULL, 0, COLS, CH_ERR_UNSUPPORTED,
         "column_weights can be used with the losses l1"},
        {"loss=beta beta=-1", NULL, NULL, 0, COLS, CH_ERR_UNSUPPORTED, "and beta above 0"},
        {"loss=l1", NULL, NULL, ROWS - 1, 0, CH_ERR_SETTING, "the list has 23 numbers"},
        {"loss=l1", NULL, NULL, 0, COLS + 1, CH_ERR_SETTING, "the list has 241 numbers"},
        {"loss=l1 hull=convex", NULL, NULL, 0, COLS, CH_ERR_UNSUPPORTED, "with hull = cone only"},
        {"loss=l1 method=spa", &K, NULL, 0, 0, CH_ERR_UNSUPPORTED,
         "can be used with the method xray only"},
        {"loss=l1 method=smrs", NULL, NULL, 0, COLS, CH_ERR_UNSUPPORTED,
         "can be used with the method xray only"},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        ch_anchors_settings set = support_settings(context, RANK, cases[c].words);
        set.observed = cases[c].observed;
        set.weights = cases[c].weights;
        if (cases[c].rows) set.row_weights = weights;
        if (cases[c].columns) set.column_weights = weights;
        set.row_weight_count = cases[c].rows;
        set.column_weight_count = cases[c].columns;
        support_refuses(context, &X, &set, cases[c].status, cases[c].message);
    }
    ch_anchors_settings set = support_settings(context, RANK, "loss=l1");
    weights[2] = -1;
    support_give_rows(&set, weights, ROWS);
    support_refuses(context, &X, &set, CH_ERR_SETTING, "weight 2 (counted from 0) is -1");
    set.row_weights = NULL;
    set.weights = &K;
    support_refuses(context, &X, &set, CH_ERR_SETTING, "weights: the value at row 2, column 0");
    for (int e = 0; e < SIZE; e++) values[e] = NAN;
    set.weights = NULL;
    support_refuses(context, &X, &set, CH_ERR_DATA, "--missing nan");
    set.missing = CH_MISSING_NAN;
    support_refuses(context, &X, &set, CH_ERR_DATA,
                    "no entry of the matrix is known; all of them are missing or have weight 0");
    ch_matrix_free(context, &small);
    ch_matrix_free(context, &K);
    ch_matrix_free(context, &X);
    support_finish(context, &memory);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(complete_data_keep_their_bits),
        cmocka_unit_test(weighted_rows_are_scaled_rows),
        cmocka_unit_test(rows_can_be_left_out),
        cmocka_unit_test(nothing_counts_as_missing),
        cmocka_unit_test(all_is_proven),
        cmocka_unit_test(missing_rows_are_no_rows),
        cmocka_unit_test(sums_on_a_hull_are_exact),
        cmocka_unit_test(zeros_of_sparse_data_and_unknowns),
        cmocka_unit_test(forgeries_are_refused),
        cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
