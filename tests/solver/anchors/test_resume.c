/* A run that goes on from the first k records of another ends with the same bits, for every k,
 * every loss, rule and method, whatever the threads; records of other data or settings are
 * refused, with what differs; records that do not fit are refused, not believed. */
#include "support_anchors.h"
#include "support_records.h"
#include <conehull/conehull.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double NO_TIME = 1e-9; /* seconds: waves are as small as can be */

/* ---- the same bits ---- */

static ch_anchors_result run(ch_context *context, const ch_matrix *X, ch_anchors_settings set,
                             const ch_checkpoint *checkpoint, int threads) {
    ch_anchors_result result = {.size = sizeof result};
    set.checkpoint = checkpoint;
    ch_context_set_threads(context, threads);
    ch_status status = ch_anchors(context, &result, X, &set);
    support_check(status >= 0, "%s", ch_context_message(context));
    return result;
}

/* every: of the records, so many apart are tried, and the last. seconds: of a wave of the first
 * run; those that go on have long ones and short ones. */
static void resume_everywhere(ch_context *context, const ch_matrix *X,
                              const ch_anchors_settings *set, const char *what, int every,
                              double seconds) {
    support_records all, part;
    support_records_begin(&all);
    all.table.seconds = seconds;
    ch_anchors_result plain = run(context, X, *set, NULL, 1),
                      whole = run(context, X, *set, &all.table, 2);
    support_same_result(&plain, &whole, what);
    for (int k = 0; k <= all.count; k += k < all.count - every ? every : 1) {
        support_records_from(&part, &all, k);
        part.table.seconds = k % 3 ? 0 : seconds;
        ch_anchors_result resumed = run(context, X, *set, &part.table, 1 + k % 2);
        char after[100];
        snprintf(after, sizeof after, "%s, after %d records", what, k);
        support_same_result(&plain, &resumed, after);
        support_check(part.count - part.added == k && (part.added == 0) == (k == all.count),
                      "%s: %d records made after %d of %d", what, part.added, k, all.count);
        ch_anchors_result_free(context, &resumed);
        support_records_cut(&part, 0);
    }
    ch_anchors_result_free(context, &whole);
    ch_anchors_result_free(context, &plain);
    support_records_cut(&all, 0);
}

/* ---- data and settings ---- */

static ch_matrix data(ch_context *context, int64_t rows, int64_t cols, int64_t rank) {
    ch_matrix X = support_planted(context, NULL, rows, cols, rank, 0.3, 11);
    double *values = (double *)(uintptr_t)X.values; /* ours, and not const */
    for (int64_t i = 0; i < rows * cols; i++) values[i] = fmax(0, values[i]);
    return X;
}

static ch_anchors_settings defaults(int64_t rank) {
    ch_anchors_settings set;
    ch_anchors_defaults(&set);
    set.rank = rank;
    return set;
}

/* Settings in words, and what has no word of its own. */
static const struct resumed {
    const char *words;
    int duals, csc, keep;
} cases[] = {
    {"loss=l1", 0, 0, 0},
    {"loss=l1", 1, 0, 0},
    {"loss=l1", 1, 1, 0},
    {"loss=l1 exterior=rand", 0, 1, 0},
    {"loss=l1 first=paper dual=paper", 1, 0, 0},
    {"loss=l1 exterior=share", 1, 0, 0},
    {"loss=kl exterior=share rank=0", 0, 1, 0},
    {"loss=quantile:0.2", 1, 1, 0},
    {"loss=quantile:0.7 path=1 exterior=rand", 0, 0, 1},
    {"loss=l1 exterior=rand seed=4 path=1", 0, 0, 0},
    {"loss=l1 rank=0", 1, 0, 0},
    {"loss=l1 exterior=rand rank=0", 0, 0, 0},
    {"loss=l1 path=1", 1, 0, 1},
    {"loss=l1 select-only=1 eager=1", 0, 0, 0},
    {"loss=l1 projection=admm", 0, 0, 0},
    {"loss=l2", 0, 0, 0},
    {"loss=l2 exterior=dist", 1, 0, 0},
    {"loss=l2 exterior=greedy rank=0", 0, 0, 0},
    {"loss=l2 projection=cd", 0, 0, 1},
    {"loss=kl", 0, 0, 0},
    {"loss=kl reverse=1 rank=0", 0, 1, 0},
    {"loss=is", 1, 0, 0},
    {"loss=is reverse=1 exterior=rand", 0, 0, 0},
    {"loss=beta beta=0.5 path=1", 0, 0, 0},
    {"loss=l1 hull=convex", 1, 0, 0},
    {"loss=l1 hull=convex0 path=1", 1, 1, 1},
    {"loss=l2 hull=convex0 exterior=rand", 1, 0, 0},
    {"loss=l2 hull=convex rank=0", 0, 0, 0},
    {"loss=kl hull=convex0", 0, 0, 0},
    {"loss=is hull=convex", 1, 0, 0},
    {"method=spa hull=convex loss=l2", 0, 0, 0},
    {"method=spa loss=l2", 0, 0, 0},
    {"method=hottopixx path=1", 0, 0, 0},
    {"method=hottopixx largest=1 p=0.5", 0, 0, 0},
    {"method=smrs loss=l1", 1, 0, 0},
};

static void every_record(void **state) {
    (void)state;
    support_memory memory;
    ch_context *context = support_context(&memory, 1);
    ch_matrix dense = data(context, 30, 60, 6), X;
    ch_matrix sparse = support_reshape(context, &dense, CH_CSC, CH_F64);
    static const int64_t given[] = {7, 31};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        ch_anchors_settings set = defaults(6);
        const struct resumed *it = &cases[c];
        assert_int_equal(ch_settings_set_words(context, ch_anchors_table(), &set, it->words),
                         CH_OK);
        set.keep_duals = it->duals;
        set.keep = it->keep ? given : NULL;
        set.keep_count = it->keep ? 2 : 0;
        X = it->csc ? sparse : dense;
        resume_everywhere(context, &X, &set, it->words, 1, 0);
    }
    ch_matrix_free(context, &sparse);
    ch_matrix_free(context, &dense);
    support_finish(context, &memory);
}

/* Several waves, whose width with duals depends on the rows. */
static void every_block_of_h(void **state) {
    (void)state;
    support_memory memory;
    ch_context *context = support_context(&memory, 1);
    ch_matrix X = data(context, 12, 9000, 3), tall = data(context, 9000, 700, 2);
    ch_anchors_settings set = defaults(3);
    set.path = set.keep_duals = 1;
    resume_everywhere(context, &X, &set, "9000 columns", 2, 0);
    set = defaults(2);
    set.first = CH_FIRST_PAPER;
    set.keep_duals = 1;
    resume_everywhere(context, &tall, &set, "9000 rows", 7, 0);
    ch_matrix_free(context, &tall);
    ch_matrix_free(context, &X);
    support_finish(context, &memory);
}

/* Waves of one block a thread, as a run has them whose columns take seconds; the gaps that a run
 * finds when these records are those of several. */
static void tiny_waves(void **state) {
    (void)state;
    static const char *const words[] = {"loss=l1", "loss=l1 path=1", "loss=l1 projection=admm",
                                        "loss=kl"};
    support_memory memory;
    ch_context *context = support_context(&memory, 1);
    ch_matrix X = data(context, 12, 1500, 3);
    for (size_t c = 0; c < sizeof words / sizeof *words; c++) {
        ch_anchors_settings set = defaults(3);
        assert_int_equal(ch_settings_set_words(context, ch_anchors_table(), &set, words[c]), CH_OK);
        set.keep_duals = c == 0;
        resume_everywhere(context, &X, &set, words[c], 29, NO_TIME);
    }
    ch_matrix_free(context, &X);
    support_finish(context, &memory);
}

/* A wave begins with a block a thread and never has much more than it has time for: as many records
 * as blocks without time, a few with plenty. */
static void waves_follow_the_time(void **state) {
    (void)state;
    enum { COLS = 4000, BLOCK = 16 };
    support_memory memory;
    ch_context *context = support_context(&memory, 1);
    ch_matrix X = data(context, 12, COLS, 3);
    ch_anchors_settings set = defaults(3);
    int before = 1 + 3 + 1 + 1; /* the run, its anchors, the first again, the selection */
    for (int plenty = 0; plenty < 2; plenty++) {
        support_records all;
        support_records_begin(&all);
        all.table.seconds = plenty ? 1e9 : NO_TIME;
        ch_anchors_result result = run(context, &X, set, &all.table, 1);
        int want = plenty ? 4 : COLS / BLOCK; /* 16, 128, 1,024 and the rest */
        support_check(all.count == before + want, "%d records of H, not %d", all.count - before,
                      want);
        ch_anchors_result_free(context, &result);
        support_records_cut(&all, 0);
    }
    ch_matrix_free(context, &X);
    support_finish(context, &memory);
}

/* Exact data: every column is in the cone before the rank is reached; many ties. */
static void complete_and_ties(void **state) {
    (void)state;
    support_memory memory;
    ch_context *context = support_context(&memory, 1);
    double values[4 * 40];
    ch_random random;
    support_seed(&random, "ties", 5);
    for (int i = 0; i < 4 * 40; i++) values[i] = (double)ch_random_below(&random, 3);
    ch_matrix X = support_dense(context, values, 4, 40);
    for (int loss = CH_LOSS_L1; loss <= CH_LOSS_KL; loss++) {
        ch_anchors_settings set = defaults(5);
        set.loss = loss;
        set.keep_duals = 1;
        resume_everywhere(context, &X, &set, "ties", 1, 0);
    }
    support_finish(context, &memory);
}

/* Nearly parallel anchors and more precision than ADMM reaches: most columns of a block stay
 * unproven, which is as good a record as any. */
static void unproven_columns(void **state) {
    (void)state;
    enum { ROWS = 24, COLS = 64, GIVEN = 4 };
    support_memory memory;
    ch_context *context = support_context(&memory, 1);
    static const int64_t given[GIVEN] = {0, 1, 2, 3};
    double values[ROWS * COLS];
    ch_random random;
    support_seed(&random, "parallel", 3);
    for (int i = 0; i < ROWS; i++) values[i] = 0.1 + ch_random_uniform(&random);
    for (int i = ROWS; i < ROWS * COLS; i++)
        values[i] = values[i % ROWS] * (1 + 1e-4 * ch_random_uniform(&random));
    ch_matrix X = support_dense(context, values, ROWS, COLS);
    ch_anchors_settings set = defaults(GIVEN);
    set.keep = given;
    set.keep_count = GIVEN;
    set.projection = CH_PROJECTION_ADMM;
    set.tol = 1e-14;
    ch_anchors_result plain = run(context, &X, set, NULL, 1);
    support_check(plain.unproven > COLS / 2, "only %lld are unproven", (long long)plain.unproven);
    ch_anchors_result_free(context, &plain);
    resume_everywhere(context, &X, &set, "unproven", 1, 0);
    support_finish(context, &memory);
}

/* ---- refusals ---- */

static void refused(ch_context *context, const ch_matrix *X, ch_anchors_settings set,
                    const support_records *all, const char *why) {
    support_records copy;
    ch_anchors_result result = {.size = sizeof result, .rank = -1};
    support_records_from(&copy, all, all->count);
    set.checkpoint = &copy.table;
    ch_status status = ch_anchors(context, &result, X, &set);
    support_check(status == CH_ERR_ARGUMENT, "%s: status %d", why, (int)status);
    support_message(context, why);
    assert_int_equal(result.rank, -1);
    assert_int_equal(copy.added, 0);
    support_records_cut(&copy, 0);
}

/* Weights, a mask and a library: resumed from every record; other ones are another run. */
static void imperfect_data(void **state) {
    static const char *const words[] = {"loss=l1",
                                        "loss=l2 path=1",
                                        "loss=kl",
                                        "loss=kl hull=convex",
                                        "loss=l1 hull=convex0",
                                        "loss=l2 exterior=rand"};
    enum { ROWS = 20, COLS = 40, RANK = 4 };
    support_memory memory;
    ch_context *context = support_context(&memory, 1);
    ch_matrix X = data(context, ROWS, COLS, RANK);
    double known[ROWS * COLS], rows[ROWS], columns[COLS];
    ch_random random;
    (void)state;
    support_seed(&random, "imperfect", 8);
    for (int e = 0; e < ROWS * COLS; e++) known[e] = ch_random_uniform(&random) > 0.2;
    for (int i = 0; i < ROWS; i++) rows[i] = 0.5 + ch_random_uniform(&random);
    for (int j = 0; j < COLS; j++) columns[j] = 0.5 + ch_random_uniform(&random);
    ch_matrix K = support_dense(context, known, ROWS, COLS);
    ch_matrix L = support_dense(context, (const double *)X.values + ROWS, ROWS, 1);
    for (size_t c = 0; c < sizeof words / sizeof *words; c++) {
        for (int way = 0; way < 4; way++) {
            ch_anchors_settings set = defaults(RANK), other;
            support_records all;
            assert_int_equal(ch_settings_set_words(context, ch_anchors_table(), &set, words[c]),
                             CH_OK);
            if (way == 2 && set.hull != CH_HULL_CONE) continue;
            if (way == 0) set.observed = &K;
            if (way < 2) set.row_weights = rows;
            if (way == 2) set.column_weights = columns;
            if (way == 3) set.library = &L;
            set.row_weight_count = ROWS;
            set.column_weight_count = COLS;
            resume_everywhere(context, &X, &set, words[c], 1, 0);
            support_records_begin(&all);
            ch_anchors_result result = run(context, &X, set, &all.table, 1);
            other = set;
            double *changed = way == 0 ? known : way == 1 ? rows : way == 2 ? columns : NULL;
            double before = changed ? changed[3] : 0;
            if (changed) changed[3] = way == 0 ? !before : before + 1;
            if (way == 3) L.values = (const double *)L.values + ROWS;
            refused(context, &X, other, &all, "other data");
            if (changed) changed[3] = before;
            if (way == 3) L.values = (const double *)L.values - ROWS;
            ch_anchors_result_free(context, &result);
            support_records_cut(&all, 0);
        }
    }
    ch_matrix_free(context, &L);
    ch_matrix_free(context, &K);
    ch_matrix_free(context, &X);
    support_finish(context, &memory);
}

static void other_runs_are_refused(void **state) {
    (void)state;
    support_memory memory;
    ch_context *context = support_context(&memory, 1);
    ch_matrix X = data(context, 20, 30, 4), narrow = X, other;
    support_records all;
    ch_anchors_settings set = defaults(4), now = set;
    support_records_begin(&all);
    ch_anchors_result result = run(context, &X, set, &all.table, 1);
    now.loss = CH_LOSS_KL;
    refused(context, &X, now, &all, "loss is now 'kl', but it was 'l1' in that run");
    now = set;
    now.tol = 1e-8;
    refused(context, &X, now, &all, "tol is now '1e-08'");
    now = set;
    now.keep_duals = 1;
    refused(context, &X, now, &all, "keep_duals is now '1', but it was '0' in that run");
    static const int64_t given[] = {3};
    now = set;
    now.keep = given;
    now.keep_count = 1;
    refused(context, &X, now, &all, "keep is now '1 columns");
    narrow.cols--;
    refused(context, &narrow, set, &all, "columns is now '29', but it was '30' in that run");
    assert_int_equal(ch_matrix_copy(context, &other, &X, NULL, 0), CH_OK);
    double *last = (double *)(uintptr_t)other.values + 20 * 30 - 1;
    *last = nextafter(*last, 2);
    refused(context, &other, set, &all, "other data");
    ch_matrix_free(context, &other);
    other = support_reshape(context, &X, CH_ROW_MAJOR, CH_F64);
    refused(context, &other, set, &all, "storage is now 'row-major f64'");
    ch_matrix_free(context, &other);
    support_records_cut(&all, 0);
    ch_anchors_result_free(context, &result);
    ch_matrix_free(context, &X);
    support_finish(context, &memory);
}

/* A record whose words were replaced one at a time, as no damage passes the checksum but a hostile
 * file might: the run ends in order, with an error or with an answer. */
static void records_are_not_believed(void **state) {
    (void)state;
    static const int64_t wild[] = {-1, INT64_MIN, INT64_MAX, 1 << 20, INT64_C(1) << 61};
    support_memory memory;
    ch_context *context = support_context(&memory, 1);
    ch_matrix X = data(context, 10, 20, 3);
    ch_anchors_settings set = defaults(3);
    set.keep_duals = 1;
    support_records all, copy;
    support_records_begin(&all);
    ch_anchors_result result = run(context, &X, set, &all.table, 1);
    ch_anchors_result_free(context, &result);
    for (int k = 1; k < all.count; k++) {
        int64_t words = all.record[k].count / 8;
        for (int64_t w = 0; w < (words < 40 ? words : 40); w++)
            for (size_t v = 0; v < sizeof wild / sizeof *wild; v++) {
                support_records_from(&copy, &all, k + 1);
                memcpy(copy.record[k].bytes + 8 * w, &wild[v], 8);
                set.checkpoint = &copy.table;
                ch_status status = ch_anchors(context, &result, &X, &set);
                if (status >= 0) ch_anchors_result_free(context, &result);
                if (status < 0) assert_int_equal(status, CH_ERR_FORMAT);
                support_records_cut(&copy, 0);
            }
        for (int64_t left = 0; left < all.record[k].count; left += 8) {
            support_records_from(&copy, &all, k + 1);
            copy.record[k].count = left;
            set.checkpoint = &copy.table;
            assert_int_equal(ch_anchors(context, &result, &X, &set), CH_ERR_FORMAT);
            support_records_cut(&copy, 0);
        }
    }
    support_records_cut(&all, 0);
    ch_matrix_free(context, &X);
    support_finish(context, &memory);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_record),
        cmocka_unit_test(every_block_of_h),
        cmocka_unit_test(tiny_waves),
        cmocka_unit_test(waves_follow_the_time),
        cmocka_unit_test(complete_and_ties),
        cmocka_unit_test(unproven_columns),
        cmocka_unit_test(imperfect_data),
        cmocka_unit_test(other_runs_are_refused),
        cmocka_unit_test(records_are_not_believed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
