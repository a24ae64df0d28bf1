/* A stream of columns: what is refused, what is kept, and that chunks, threads, layouts and saving
 * change nothing. The promises against the batch answer are in
 * tests/solver/stream/test_stream_exact.c. */
#include "stream/stream_store.h"
#include "support_files.h"
#include <conehull/conehull.h>
#include <conehull/io.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 24, COLS = 300, RANK = 5 };

typedef struct fixture {
    ch_context *context;
    ch_matrix X;
    int64_t planted[RANK];
} fixture;

static void make(fixture *f, int threads, int noise, int64_t seed) {
    ch_synthetic_settings set = {.size = sizeof set,
                                 .rows = ROWS,
                                 .cols = COLS,
                                 .rank = RANK,
                                 .noise = noise,
                                 .level = 0.05,
                                 .shuffle = 1,
                                 .seed = seed};
    f->context = support_context(NULL, threads);
    assert_int_equal(ch_synthetic_make(f->context, &f->X, f->planted, &set), CH_OK);
}

static void finish(fixture *f) {
    ch_matrix_free(f->context, &f->X);
    support_finish(f->context, NULL);
}

static void defaults(ch_anchors_settings *anchors, ch_stream_settings *settings) {
    ch_anchors_defaults(anchors);
    ch_stream_defaults(settings);
    anchors->rank = RANK;
}

static ch_stream *start(ch_context *context, int64_t store, double tolerance) {
    ch_anchors_settings anchors;
    ch_stream_settings settings;
    ch_stream *stream = NULL;
    defaults(&anchors, &settings);
    settings.store = store;
    settings.tolerance = tolerance;
    ch_status status = ch_stream_create(context, &stream, ROWS, &anchors, &settings);
    support_check(status == CH_OK, "%s", ch_context_message(context));
    return stream;
}

/* Columns [lo, hi). */
static ch_matrix part(const ch_matrix *X, int64_t lo, int64_t hi) {
    ch_matrix view = *X;
    view.owner = NULL;
    view.release = NULL;
    view.cols = hi - lo;
    view.values = (const double *)X->values + lo * X->stride;
    return view;
}

static void push(ch_stream *stream, const ch_matrix *X, int64_t lo, int64_t hi, int64_t chunk) {
    for (int64_t at = lo; at < hi; at += chunk) {
        ch_matrix view = part(X, at, at + chunk < hi ? at + chunk : hi);
        assert_int_equal(ch_stream_push(stream, &view), CH_OK);
    }
}

/* Two streams are the same to the bit, and so are their answers. */
static void expect_same(ch_stream *a, ch_stream *b, ch_context *of_a, ch_context *of_b,
                        const char *what) {
    ch_stream_info info_a = {.size = sizeof info_a}, info_b = {.size = sizeof info_b};
    ch_matrix kept_a, kept_b;
    const int64_t *numbers_a, *numbers_b;
    ch_anchors_result answer_a = {.size = sizeof answer_a}, answer_b = {.size = sizeof answer_b};
    double bound_a, bound_b;
    ch_stream_get_info(a, &info_a);
    ch_stream_get_info(b, &info_b);
    support_check(memcmp(&info_a, &info_b, sizeof info_a) == 0, "%s: another state", what);
    ch_stream_kept(a, &kept_a, &numbers_a);
    ch_stream_kept(b, &kept_b, &numbers_b);
    support_check(kept_a.cols == kept_b.cols, "%s: %d and %d columns", what, (int)kept_a.cols,
                  (int)kept_b.cols);
    assert_memory_equal(numbers_a, numbers_b, (size_t)kept_a.cols * sizeof *numbers_a);
    assert_memory_equal(kept_a.values, kept_b.values, (size_t)kept_a.cols * ROWS * sizeof(double));
    ch_status status = ch_stream_anchors(a, &answer_a, &bound_a);
    assert_true(status >= 0);
    assert_int_equal(ch_stream_anchors(b, &answer_b, &bound_b), status);
    support_check(bound_a == bound_b, "%s: bounds %.17g and %.17g", what, bound_a, bound_b);
    assert_int_equal(answer_a.rank, answer_b.rank);
    assert_memory_equal(answer_a.anchors, answer_b.anchors,
                        (size_t)answer_a.rank * sizeof *answer_a.anchors);
    assert_memory_equal(answer_a.W, answer_b.W, (size_t)answer_a.rank * ROWS * sizeof(double));
    ch_anchors_result_free(of_a, &answer_a);
    ch_anchors_result_free(of_b, &answer_b);
}

/* ---- what changes nothing ------------------------------------------------------------------ */

static void chunks_and_threads_change_nothing(void **state) {
    static const int64_t chunks[] = {1, 2, 7, 64, COLS};
    fixture f, other;
    (void)state;
    for (int noise = CH_NOISE_NONE; noise <= CH_NOISE_SPARSE; noise++) {
        make(&f, 1, noise, 5);
        make(&other, 3, noise, 5);
        int64_t store = noise ? 40 : 256;
        ch_stream *whole = start(f.context, store, 1e-3);
        push(whole, &f.X, 0, COLS, COLS);
        for (size_t c = 0; c < sizeof chunks / sizeof *chunks; c++) {
            ch_stream *cut = start(other.context, store, 1e-3);
            push(cut, &other.X, 0, COLS, chunks[c]);
            expect_same(whole, cut, f.context, other.context, "chunks");
            ch_stream_destroy(cut);
        }
        ch_stream_destroy(whole);
        finish(&f);
        finish(&other);
    }
}

static int by_number(const void *a, const void *b) {
    int64_t one = *(const int64_t *)a, other = *(const int64_t *)b;
    return (one > other) - (one < other);
}

/* Without a store all columns wait, and the answer is that of the batch, in its order; when there
 * are too many the stream goes on with some of them. */
static void columns_wait_while_they_fit(void **state) {
    (void)state;
    for (int noise = 0; noise < 2; noise++) {
        fixture f;
        make(&f, 2, noise, 11 + noise);
        ch_anchors_settings set;
        ch_stream_settings unused;
        defaults(&set, &unused);
        ch_anchors_result batch = {.size = sizeof batch}, found = {.size = sizeof found};
        ch_stream_info info = {.size = sizeof info};
        double bound;
        assert_int_equal(ch_anchors(f.context, &batch, &f.X, &set), CH_OK);
        ch_stream *stream = start(f.context, 0, 1e-9), *full = start(f.context, 0, 1e-9);
        push(stream, &f.X, 0, COLS, 7);
        ch_stream_get_info(stream, &info);
        assert_true(info.kept == COLS && info.reduced == 0 && info.thinned == 0);
        assert_int_equal(ch_stream_anchors(stream, &found, &bound), CH_OK);
        assert_memory_equal(found.anchors, batch.anchors, RANK * sizeof *found.anchors);
        ch_anchors_result_free(f.context, &found);
        full->values = 1; /* so that 256 columns fit */
        push(full, &f.X, 0, COLS, 50);
        ch_stream_get_info(full, &info);
        assert_true(info.seen == COLS && info.most == 256 && info.reduced >= 1 && info.kept < 256);
        if (!noise) {
            assert_int_equal(ch_stream_anchors(full, &found, &bound), CH_OK);
            qsort(found.anchors, RANK, sizeof *found.anchors, by_number);
            qsort(batch.anchors, RANK, sizeof *batch.anchors, by_number);
            assert_memory_equal(found.anchors, batch.anchors, RANK * sizeof *found.anchors);
            assert_true(bound < 1e-8);
            ch_anchors_result_free(f.context, &found);
        }
        ch_stream *other = start(f.context, 0, 1e-9);
        other->values = 1;
        push(other, &f.X, 0, COLS, 300);
        expect_same(full, other, f.context, f.context, "columns that waited, in one chunk");
        ch_stream_destroy(other);
        ch_stream_destroy(full);
        ch_stream_destroy(stream);
        ch_anchors_result_free(f.context, &batch);
        finish(&f);
    }
}

static void layouts_and_types_change_nothing(void **state) {
    static const struct {
        ch_matrix_layout layout;
        ch_value_type type;
    } forms[] = {{CH_ROW_MAJOR, CH_F64}, {CH_CSC, CH_F64},          {CH_COLUMN_MAJOR, CH_U8},
                 {CH_CSC, CH_U8},        {CH_COLUMN_MAJOR, CH_F32}, {CH_ROW_MAJOR, CH_U16}};
    static double values[ROWS * COLS];
    ch_context *context = support_context(NULL, 2);
    ch_random random;
    ch_matrix X;
    (void)state;
    support_seed(&random, "layouts", 3);
    for (int i = 0; i < ROWS * COLS; i++)
        values[i] = ch_random_below(&random, 3) ? (double)ch_random_below(&random, 200) : 0;
    X = support_dense(context, values, ROWS, COLS);
    ch_stream *first = start(context, 64, 0.05);
    push(first, &X, 0, COLS, COLS);
    for (size_t n = 0; n < sizeof forms / sizeof *forms; n++) {
        ch_matrix Y = support_reshape(context, &X, forms[n].layout, forms[n].type);
        ch_stream *stream = start(context, 64, 0.05);
        assert_int_equal(ch_stream_push(stream, &Y), CH_OK);
        expect_same(first, stream, context, context, "layouts");
        ch_stream_destroy(stream);
        ch_matrix_free(context, &Y);
    }
    ch_stream_destroy(first);
    support_finish(context, NULL);
}

static void asking_and_more_threads_change_nothing(void **state) {
    fixture f;
    (void)state;
    make(&f, 1, CH_NOISE_SPARSE, 8);
    ch_stream *quiet = start(f.context, 40, 1e-3), *asked = start(f.context, 40, 1e-3);
    push(quiet, &f.X, 0, COLS, COLS);
    for (int64_t at = 0; at < COLS; at += 50) {
        ch_anchors_result result = {.size = sizeof result};
        push(asked, &f.X, at, at + 50, 9);
        assert_true(ch_stream_anchors(asked, &result, NULL) >= 0);
        ch_anchors_result_free(f.context, &result);
        ch_context_set_threads(f.context, 1 + (int)(at / 50) % 3);
    }
    expect_same(quiet, asked, f.context, f.context, "asking");
    ch_stream_destroy(quiet);
    ch_stream_destroy(asked);
    finish(&f);
}

static void a_saved_stream_goes_on_as_if_nothing_was(void **state) {
    fixture f;
    ch_checkpoint_file *file;
    ch_anchors_settings anchors;
    ch_stream_settings settings;
    (void)state;
    make(&f, 2, CH_NOISE_SPARSE, 4);
    defaults(&anchors, &settings);
    for (int64_t at = 0; at <= COLS; at += 75) {
        const char *path = support_path("state%d", (int)at);
        ch_stream *whole = start(f.context, 40, 1e-3), *cut = start(f.context, 40, 1e-3), *again;
        push(whole, &f.X, 0, COLS, 30);
        push(cut, &f.X, 0, at, 30);
        assert_int_equal(ch_checkpoint_file_open(f.context, &file, path, 0), CH_OK);
        assert_int_equal(ch_stream_save(cut, ch_checkpoint_file_interface(file)), CH_OK);
        assert_int_equal(ch_checkpoint_file_close(file, 0), CH_OK);
        ch_stream_destroy(cut);
        assert_int_equal(ch_checkpoint_file_open(f.context, &file, path, 1), CH_OK);
        ch_status status =
            ch_stream_restore(f.context, &again, &anchors, ch_checkpoint_file_interface(file));
        support_check(status == CH_OK, "%s", ch_context_message(f.context));
        assert_int_equal(ch_checkpoint_file_close(file, 0), CH_OK);
        push(again, &f.X, at, COLS, 30);
        expect_same(whole, again, f.context, f.context, "saved");
        ch_stream_destroy(whole);
        ch_stream_destroy(again);
    }
    finish(&f);
}

/* ---- what is refused ----------------------------------------------------------------------- */

static void settings_are_refused_with_words(void **state) {
    ch_context *context = support_context(NULL, 1);
    ch_anchors_settings anchors;
    ch_stream_settings settings;
    ch_stream *stream = NULL;
    int64_t column = 0;
    (void)state;
    defaults(&anchors, &settings);
    settings.store = 9;
    assert_int_equal(ch_stream_create(context, &stream, 3, &anchors, &settings), CH_ERR_SETTING);
    support_message(
        context, "the setting 'store' is 9 columns, which is too few for 5 anchors; at least 10");
    defaults(&anchors, &settings);
    anchors.method = CH_METHOD_SMRS;
    assert_int_equal(ch_stream_create(context, &stream, 3, &anchors, &settings),
                     CH_ERR_UNSUPPORTED);
    support_message(context, "with the methods xray and spa only");
    defaults(&anchors, &settings);
    anchors.keep = &column;
    anchors.keep_count = 1;
    assert_int_equal(ch_stream_create(context, &stream, 3, &anchors, &settings),
                     CH_ERR_UNSUPPORTED);
    defaults(&anchors, &settings);
    anchors.method = CH_METHOD_SPA;
    anchors.rank = 0;
    assert_int_equal(ch_stream_create(context, &stream, 3, &anchors, &settings), CH_ERR_SETTING);
    defaults(&anchors, &settings);
    settings.tolerance = NAN;
    assert_int_equal(ch_stream_create(context, &stream, 3, &anchors, &settings), CH_ERR_SETTING);
    defaults(&anchors, &settings);
    assert_int_equal(ch_stream_create(context, &stream, 0, &anchors, &settings), CH_ERR_ARGUMENT);
    assert_null(stream);
    ch_stream_destroy(NULL);
    support_finish(context, NULL);
}

/* Hulls, faint columns, weights, gaps and libraries need all columns at once. */
static void what_needs_all_columns_is_refused(void **state) {
    static const char *const messages[] = {
        "with hull = cone only",
        "the setting 'faint' cannot",
        "negative = clip cannot be used with a stream",
        "weights and missing entries cannot be used with a stream",
        "weights and missing entries cannot",
        "a library cannot be used with a stream"};
    ch_context *context = support_context(NULL, 1);
    double numbers[] = {1, 2, 3};
    ch_matrix known;
    (void)state;
    ch_matrix_borrow(context, &known, &(ch_matrix){.rows = 3, .cols = 1, .values = numbers});
    for (int way = 0; way < 6; way++) {
        ch_anchors_settings anchors;
        ch_stream_settings settings;
        ch_stream *stream = NULL;
        defaults(&anchors, &settings);
        if (way == 0) anchors.hull = CH_HULL_CONVEX0;
        if (way == 1) anchors.faint = 0.05;
        if (way == 2) anchors.negative = CH_NEGATIVE_CLIP;
        if (way == 3) anchors.missing = CH_MISSING_NAN;
        if (way == 4) anchors.row_weights = numbers;
        if (way == 4) anchors.row_weight_count = 3;
        if (way == 5) anchors.library = &known;
        assert_int_equal(ch_stream_create(context, &stream, 3, &anchors, &settings),
                         CH_ERR_UNSUPPORTED);
        support_message(context, messages[way]);
        assert_null(stream);
    }
    support_finish(context, NULL);
}

static void bad_columns_are_named_and_nothing_is_taken(void **state) {
    ch_context *context = support_context(NULL, 1);
    ch_stream *stream = start(context, 16, 1e-9);
    ch_stream_info info = {.size = sizeof info};
    double values[3 * ROWS];
    ch_matrix X;
    ch_anchors_result result = {.size = sizeof result};
    (void)state;
    memset(values, 0, sizeof values);
    ch_matrix_borrow(context, &X, &(ch_matrix){.rows = ROWS, .cols = 3, .values = values});
    assert_int_equal(ch_stream_push(stream, &X), CH_OK);
    ch_stream_get_info(stream, &info);
    assert_int_equal(info.seen, 3);
    assert_int_equal(info.zeros, 3);
    assert_int_equal(info.kept, 0);
    assert_int_equal(ch_stream_anchors(stream, &result, NULL), CH_ERR_DATA);
    support_message(context, "all 3 columns seen so far are zero");
    values[0] = 1;
    values[ROWS + 4] = -2;
    assert_int_equal(ch_stream_push(stream, &X), CH_ERR_DATA);
    support_message(context, "row 4, column 4");
    values[ROWS + 4] = ldexp(1, 600);
    assert_int_equal(ch_stream_push(stream, &X), CH_ERR_DATA);
    support_message(context, "the sum of column 4 is");
    X.rows = ROWS - 1;
    assert_int_equal(ch_stream_push(stream, &X), CH_ERR_ARGUMENT);
    support_message(context, "the new columns have 23 rows, but the stream has 24");
    ch_stream_get_info(stream, &info);
    assert_int_equal(info.seen, 3);
    X.rows = ROWS;
    X.cols = 0;
    assert_int_equal(ch_stream_push(stream, &X), CH_OK);
    ch_stream_destroy(stream);
    support_finish(context, NULL);
}

static void a_file_without_a_stream_is_refused(void **state) {
    ch_context *context = support_context(NULL, 1);
    ch_checkpoint_file *file;
    ch_anchors_settings anchors;
    ch_stream_settings settings;
    ch_stream *stream = NULL;
    (void)state;
    defaults(&anchors, &settings);
    assert_int_equal(ch_checkpoint_file_open(context, &file, support_path("empty"), 0), CH_OK);
    assert_int_equal(
        ch_stream_restore(context, &stream, &anchors, ch_checkpoint_file_interface(file)),
        CH_ERR_FORMAT);
    support_message(context, "does not contain the state of a stream");
    int64_t wrong[40] = {1, 2, 3};
    ch_record_piece piece = {wrong, sizeof wrong};
    const ch_checkpoint *table = ch_checkpoint_file_interface(file);
    assert_int_equal(table->add(table->user, &piece, 1, 1), CH_OK);
    assert_int_equal(table->add(table->user, &piece, 1, 6), CH_OK);
    assert_int_equal(ch_checkpoint_file_close(file, 0), CH_OK);
    assert_int_equal(ch_checkpoint_file_open(context, &file, support_path("empty"), 1), CH_OK);
    assert_int_equal(
        ch_stream_restore(context, &stream, &anchors, ch_checkpoint_file_interface(file)),
        CH_ERR_FORMAT);
    support_message(context, "does not belong to this run");
    assert_null(stream);
    assert_int_equal(ch_checkpoint_file_close(file, 1), CH_OK);
    support_finish(context, NULL);
}

/* ---- stopping ------------------------------------------------------------------------------ */

/* Every third event, or every seventh of the selection that reduces the store, some times. */
static int stop_sometimes(const ch_progress_event *event, void *user) {
    int call = ++*(int *)user, selecting = strcmp(event->phase, "select") == 0;
    return selecting ? call < 200 && call % 7 == 0 : call % 3 == 0;
}

static void a_cancelled_push_goes_on_where_it_was(void **state) {
    fixture f;
    int calls = 0, stops = 0;
    ch_stream_info info = {.size = sizeof info};
    (void)state;
    make(&f, 2, CH_NOISE_SPARSE, 6);
    ch_stream *whole = start(f.context, 40, 1e-3), *stopped = start(f.context, 40, 1e-3);
    push(whole, &f.X, 0, COLS, COLS);
    while (info.seen < COLS) {
        ch_matrix rest = part(&f.X, info.seen, COLS);
        ch_context_set_progress(f.context, stop_sometimes, &calls);
        ch_status status = ch_stream_push(stopped, &rest);
        stops += status == CH_STOP_CANCELLED;
        assert_true(status == CH_OK || status == CH_STOP_CANCELLED);
        ch_stream_get_info(stopped, &info);
    }
    ch_context_set_progress(f.context, NULL, NULL);
    assert_true(stops > 3);
    expect_same(whole, stopped, f.context, f.context, "cancelled");
    ch_stream_destroy(whole);
    ch_stream_destroy(stopped);
    finish(&f);
}

/* Every allocation of a push that reduces the store fails once; pushed again from where it stood,
 * the stream ends with the same bits. */
static void failing_memory_loses_no_column(void **state) {
    fixture f;
    support_memory memory;
    (void)state;
    make(&f, 1, CH_NOISE_SPARSE, 7);
    enum { PART = 70 };
    ch_stream *whole = start(f.context, 40, 1e-3);
    push(whole, &f.X, 0, PART, PART);
    for (int64_t fail = 1;; fail += 3) {
        ch_context *context = support_context(&memory, 1);
        ch_stream *stream = start(context, 40, 1e-3);
        ch_stream_info info = {.size = sizeof info};
        ch_matrix rest = part(&f.X, 0, PART);
        memory.fail_at = memory.requests + fail;
        ch_status status = ch_stream_push(stream, &rest);
        assert_true(status == CH_OK || status == CH_ERR_MEMORY);
        memory.fail_at = 0;
        ch_stream_get_info(stream, &info);
        push(stream, &f.X, info.seen, PART, PART);
        expect_same(whole, stream, f.context, context, "memory");
        ch_stream_destroy(stream);
        support_finish(context, &memory);
        if (status == CH_OK) break;
        assert_true(memory.failed > 0);
    }
    ch_stream_destroy(whole);
    finish(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chunks_and_threads_change_nothing),
        cmocka_unit_test(columns_wait_while_they_fit),
        cmocka_unit_test(layouts_and_types_change_nothing),
        cmocka_unit_test(asking_and_more_threads_change_nothing),
        cmocka_unit_test(a_saved_stream_goes_on_as_if_nothing_was),
        cmocka_unit_test(settings_are_refused_with_words),
        cmocka_unit_test(what_needs_all_columns_is_refused),
        cmocka_unit_test(bad_columns_are_named_and_nothing_is_taken),
        cmocka_unit_test(a_file_without_a_stream_is_refused),
        cmocka_unit_test(a_cancelled_push_goes_on_where_it_was),
        cmocka_unit_test(failing_memory_loses_no_column),
    };
    return cmocka_run_group_tests(tests, support_folder_make, support_folder_remove);
}
