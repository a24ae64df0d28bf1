/* A library together with weights and missing entries of the data. The library is complete and its
 * columns have no weights: what is complete gives the bits of a run without the option; a weight of
 * 0 is a missing entry; weighted columns are columns that were multiplied before; planted columns
 * are found next to the library although entries are missing; all is proven, rechecked, and the
 * same for any layout, thread count and way to search. */
#include "support_anchors.h"
#include <conehull/conehull.h>
#include <math.h>
#include <string.h>

enum { ROWS = 40, COLS = 200, TRUE = 6, KNOWN = 3, DECOYS = 5, SIZE = ROWS * COLS };
static const char *const losses[] = {
    "loss=l1",
    "loss=l2",
    "loss=kl",
    "loss=is reverse=1",
    "loss=beta beta=1.5",
    "loss=l1 hull=convex",
    "loss=l2 hull=convex0",
    "loss=kl hull=convex",
    "loss=l1 library-only=1",
    "loss=l2 library-only=1",
    "loss=l2 hull=convex0 library-only=1",
};
enum { WAYS = sizeof losses / sizeof *losses };

/* Components; mixtures of them in the data, of which the first `pure` are components; a library of
 * mixtures, or of the components that the data lack. */
typedef struct problem {
    double component[ROWS * TRUE], data[SIZE], library[ROWS * (TRUE + DECOYS)];
    ch_matrix X, L;
} problem;

static void make(ch_context *context, problem *p, int only, double noise, uint64_t seed) {
    ch_random random;
    int pure = only ? 0 : TRUE - KNOWN, decoys = only ? DECOYS : 0;
    double h[TRUE];
    support_seed(&random, "weights and a library", seed);
    for (int i = 0; i < ROWS * TRUE; i++) {
        double u = ch_random_uniform(&random);
        p->component[i] = u < 0.3 ? 0.01 : u;
    }
    for (int64_t j = 0; j < COLS + decoys; j++) {
        double *x = j < COLS ? p->data + j * ROWS : p->library + (j - COLS) * ROWS;
        support_shares(&random, h, TRUE, j < pure ? j : TRUE);
        for (int i = 0; i < ROWS; i++) {
            x[i] = noise * ch_random_uniform(&random);
            for (int k = 0; k < TRUE; k++) x[i] += p->component[i + k * ROWS] * h[k];
        }
    }
    memcpy(p->library + decoys * ROWS, p->component + pure * ROWS,
           (size_t)((TRUE - pure) * ROWS) * sizeof(double));
    p->X = support_dense(context, p->data, ROWS, COLS);
    p->L = support_dense(context, p->library, ROWS, decoys + TRUE - pure);
}

static int is_only(int way) {
    return strstr(losses[way], "library-only") != NULL;
}

static int is_cone(int way) {
    return strstr(losses[way], "hull") == NULL;
}

static int has_column_weights(int way) {
    return is_cone(way) && !strstr(losses[way], "loss=is");
}

static ch_anchors_settings settings_of(ch_context *context, const problem *p, int way) {
    ch_anchors_settings set = support_settings(context, TRUE, losses[way]);
    set.library = &p->L;
    return set;
}

/* 0 for about a share of the entries, 1 for others. */
static void draw_known(double *known, double share, uint64_t seed) {
    ch_random random;
    support_seed(&random, "weights and a library", seed);
    for (int e = 0; e < SIZE; e++) known[e] = ch_random_uniform(&random) >= share;
}

static void complete_data_keep_their_bits(void **state) {
    static problem p;
    static double ones[SIZE];
    support_memory memory;
    ch_context *context = support_context(&memory, 2);
    (void)state;
    draw_known(ones, 0, 1);
    for (int w = 0; w < WAYS; w++) {
        make(context, &p, is_only(w), 0.02, 1);
        ch_matrix one = support_dense(context, ones, ROWS, COLS);
        ch_anchors_settings set = settings_of(context, &p, w);
        ch_anchors_result plain = support_find(context, &p.X, &set, losses[w]);
        for (int way = 0; way < 3; way++) {
            ch_anchors_settings with = set;
            if (way == 0) with.missing = CH_MISSING_NAN;
            if (way == 1) with.observed = &one;
            if (way == 2 && has_column_weights(w)) support_give_columns(&with, ones, COLS);
            ch_anchors_result r = support_find(context, &p.X, &with, losses[w]);
            support_same_result(&plain, &r, losses[w]);
            ch_anchors_result_free(context, &r);
        }
        ch_anchors_result_free(context, &plain);
        ch_matrix_free(context, &one);
    }
    support_finish(context, &memory);
}

static void weight_zero_is_missing(void **state) {
    static problem p;
    static double gaps[SIZE], known[SIZE];
    support_memory memory;
    ch_context *context = support_context(&memory, 2);
    (void)state;
    draw_known(known, 0.2, 2);
    for (int w = 0; w < WAYS; w++) {
        make(context, &p, is_only(w), 0.02, 3);
        for (int e = 0; e < SIZE; e++) gaps[e] = known[e] == 0 ? NAN : p.data[e];
        ch_matrix N = support_dense(context, gaps, ROWS, COLS);
        ch_matrix K = support_dense(context, known, ROWS, COLS);
        ch_matrix sparse = support_reshape(context, &p.X, CH_CSC, CH_F64);
        ch_anchors_settings set = settings_of(context, &p, w);
        set.missing = CH_MISSING_NAN;
        ch_anchors_result nan = support_find(context, &N, &set, losses[w]);
        assert_true(nan.unknown > SIZE / 8);
        assert_true(is_only(w) ? nan.completed == 0 : nan.completed > 0);
        set.missing = CH_MISSING_NONE;
        int weights = is_cone(w) && (strstr(losses[w], "l1") || strstr(losses[w], "l2"));
        for (int way = 0; way < 2 + weights; way++) {
            ch_anchors_settings with = set;
            *(way == 2 ? &with.weights : &with.observed) = &K;
            ch_anchors_result r =
                support_find(context, way == 1 ? &sparse : &p.X, &with, losses[w]);
            support_same_result(&nan, &r, losses[w]);
            assert_memory_equal(r.completed_entries, nan.completed_entries,
                                (size_t)(ROWS * r.rank));
            ch_anchors_result_free(context, &r);
        }
        ch_anchors_result_free(context, &nan);
        ch_matrix *all[] = {&N, &K, &sparse};
        for (int k = 0; k < 3; k++) ch_matrix_free(context, all[k]);
    }
    support_finish(context, &memory);
}

/* Weights of columns are powers of 4, so that multiplying by them or by their roots is exact. */
static void weighted_columns_are_multiplied_columns(void **state) {
    static problem p;
    static double scaled[SIZE], columns[COLS];
    support_memory memory;
    ch_context *context = support_context(&memory, 2);
    (void)state;
    for (int j = 0; j < COLS; j++) columns[j] = j % 11 == 7 ? 0 : pow(4, j % 3 - 1);
    for (int w = 0; w < WAYS; w++) {
        int squares = strstr(losses[w], "l2") != NULL;
        if (!is_cone(w) || !(squares || strstr(losses[w], "l1"))) continue;
        make(context, &p, is_only(w), 0.05, 4);
        for (int e = 0; e < SIZE; e++)
            scaled[e] = p.data[e] * (squares ? sqrt(columns[e / ROWS]) : columns[e / ROWS]);
        ch_matrix S = support_dense(context, scaled, ROWS, COLS);
        ch_anchors_settings set = settings_of(context, &p, w);
        ch_anchors_result by_hand = support_find(context, &S, &set, losses[w]);
        support_give_columns(&set, columns, COLS);
        ch_anchors_result r = support_find(context, &p.X, &set, losses[w]);
        support_verifies(context, &p.X, &r, &set, losses[w]);
        assert_int_equal(r.rank, by_hand.rank);
        for (int64_t k = 0; k < r.rank; k++)
            support_check(r.anchors[k] == by_hand.anchors[k], "%s: another anchor", losses[w]);
        assert_memory_equal(r.step_dual, by_hand.step_dual,
                            (size_t)(r.steps * r.dual_rows) * sizeof(double));
        support_close(r.objective, by_hand.objective, 1e-9 * r.objective);
        ch_anchors_result_free(context, &r);
        ch_anchors_result_free(context, &by_hand);
        ch_matrix_free(context, &S);
    }
    support_finish(context, &memory);
}

/* Without noise the missing entries are completed nearly exactly, and the planted columns are
 * those that the library lacks, or the components of the library. */
static void planted_columns_are_found(void **state) {
    static problem p;
    static double known[SIZE];
    support_memory memory;
    ch_context *context = support_context(&memory, 2);
    (void)state;
    for (int w = 0; w < WAYS; w++)
        for (uint64_t seed = 0; seed < 3; seed++) {
            draw_known(known, 0.2, 50 + seed);
            make(context, &p, is_only(w), 0, 20 + seed);
            ch_matrix K = support_dense(context, known, ROWS, COLS);
            ch_anchors_settings set = settings_of(context, &p, w);
            set.observed = &K;
            ch_anchors_result r = support_find(context, &p.X, &set, losses[w]);
            assert_int_equal(r.rank, TRUE);
            for (int64_t k = 0; k < TRUE; k++) {
                int64_t j = r.anchors[k];
                int right = is_only(w)  ? j >= COLS + DECOYS
                            : k < KNOWN ? j == COLS + k
                                        : j < TRUE - KNOWN;
                support_check(right, "%s: anchor %d is column %d", losses[w], (int)k, (int)j);
            }
            for (int64_t e = 0; !is_only(w) && e < ROWS * KNOWN; e++) {
                assert_true(r.W[e] == p.library[e]); /* the library comes first and is complete */
                assert_int_equal(r.completed_entries[e], 0);
            }
            ch_anchors_result_free(context, &r);
            ch_matrix_free(context, &K);
        }
    support_finish(context, &memory);
}

/* Everything at once. */
static void all_is_proven(void **state) {
    static problem p;
    static double known[SIZE], rows[ROWS], columns[COLS];
    support_memory memory;
    ch_context *context = support_context(&memory, 2), *alone = support_context(NULL, 1);
    (void)state;
    for (int i = 0; i < ROWS; i++) rows[i] = i % 9 == 4 ? 0 : 0.5 + i % 3;
    for (int j = 0; j < COLS; j++) columns[j] = j % 9 == 4 ? 0 : 0.2 + j % 5;
    for (int w = 0; w < WAYS; w++) {
        draw_known(known, 0.25, 60 + (uint64_t)w);
        make(context, &p, is_only(w), 0.05, 5 + (uint64_t)w);
        int shades = w < 2;
        for (int e = 0; shades && e < SIZE; e++) known[e] *= 0.3 + e % 7;
        ch_matrix K = support_dense(context, known, ROWS, COLS);
        ch_anchors_settings set = settings_of(context, &p, w), other;
        *(shades ? &set.weights : &set.observed) = &K;
        support_give_rows(&set, rows, ROWS);
        if (has_column_weights(w)) support_give_columns(&set, columns, COLS);
        set.faint = 0.1;
        ch_anchors_result r = support_find(context, &p.X, &set, losses[w]);
        support_check(r.unproven == 0 && !(r.certificate.gap > 1e-9), "%s: gap", losses[w]);
        support_verifies(context, &p.X, &r, &set, losses[w]);
        support_projects(context, &p.X, &r, &set, losses[w]);
        ch_anchors_result one = support_find(alone, &p.X, &set, losses[w]);
        support_same_result(&r, &one, losses[w]);
        ch_anchors_result_free(alone, &one);
        set.eager = 1;
        ch_anchors_result eager = support_find(context, &p.X, &set, losses[w]);
        support_same_answer(&r, &eager, losses[w]);
        ch_anchors_result_free(context, &eager);
        set.eager = 0;
        other = set;
        other.library = NULL;
        other.library_only = 0;
        support_refutes(context, &p.X, &r, &other, "no library");
        double kept = known[17];
        known[17] = kept == 0;
        support_refutes(context, &p.X, &r, &set, "another mask");
        known[17] = kept;
        ch_anchors_result_free(context, &r);
        ch_matrix_free(context, &K);
    }
    ch_context_destroy(alone);
    support_finish(context, &memory);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(complete_data_keep_their_bits),
        cmocka_unit_test(weight_zero_is_missing),
        cmocka_unit_test(weighted_columns_are_multiplied_columns),
        cmocka_unit_test(planted_columns_are_found),
        cmocka_unit_test(all_is_proven),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
