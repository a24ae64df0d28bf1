/* The state of a stream from a stranger, who can write checksums too: every number that no stream
 * can have is refused, and memory follows the record. */
#include "support.h"
#include <conehull/conehull.h>
#include <math.h>
#include <string.h>

enum { ROWS = 3, COLS = 4, STREAM = 6 };

/* The layout of src/stream/stream_state.c. */
typedef struct state {
    int64_t format;
    double tol;
    struct {
        int64_t store;
        double tolerance;
    } settings;
    struct {
        int64_t rows, seen, zeros, kept, most, reduced, thinned;
        double tolerance, bound;
    } info;
    double total;
    int64_t limit;
    int64_t numbers[COLS - 1];
    double kept[COLS - 1][ROWS];
} state;

/* A checkpoint in memory with the last state that was added. */
typedef struct box {
    state now;
    int64_t bytes;
    int there;
} box;

static int box_has(void *user, int kind) {
    return kind == STREAM && ((const box *)user)->there;
}

static ch_status box_take(void *user, const void **bytes, int64_t *count, int kind) {
    box *b = user;
    (void)kind;
    *bytes = &b->now;
    *count = b->bytes;
    b->there = 0;
    return CH_OK;
}

static ch_status box_add(void *user, const ch_record_piece *pieces, int count, int kind) {
    box *b = user;
    char *to = (char *)&b->now;
    if (kind != STREAM) return CH_OK;
    b->bytes = 0;
    for (int i = 0; i < count; i++) {
        assert_true(b->bytes + pieces[i].count <= (int64_t)sizeof b->now);
        if (pieces[i].count) memcpy(to + b->bytes, pieces[i].bytes, (size_t)pieces[i].count);
        b->bytes += pieces[i].count;
    }
    b->there = 1;
    return CH_OK;
}

static ch_checkpoint table(box *b) {
    return (ch_checkpoint){sizeof(ch_checkpoint), b, "a box", box_has, box_take, box_add, 0};
}

/* Three columns kept of four, the second being zero; or none of one. */
static void save(ch_context *context, box *b, int kept) {
    static const double values[COLS][ROWS] = {{1, 0, 0}, {0, 0, 0}, {0, 1, 0}, {0, 1, 1}};
    ch_anchors_settings anchors;
    ch_stream_settings settings;
    ch_stream *stream;
    ch_matrix X;
    ch_checkpoint kept_in = table(b);
    ch_anchors_defaults(&anchors);
    ch_stream_defaults(&settings);
    anchors.rank = 2;
    assert_int_equal(ch_stream_create(context, &stream, ROWS, &anchors, &settings), CH_OK);
    X = support_dense(context, kept ? values[0] : values[1], ROWS, kept ? COLS : 1);
    assert_int_equal(ch_stream_push(stream, &X), CH_OK);
    assert_int_equal(ch_stream_save(stream, &kept_in), CH_OK);
    ch_stream_destroy(stream);
    assert_int_equal(b->now.info.kept, kept);
}

static ch_status restore(ch_context *context, const box *b, ch_stream **stream) {
    box copy = *b;
    ch_checkpoint from = table(&copy);
    ch_anchors_settings anchors;
    ch_anchors_defaults(&anchors);
    anchors.rank = 2;
    return ch_stream_restore(context, stream, &anchors, &from);
}

static void expect_refused(ch_context *context, const box *b, const char *what) {
    ch_stream *stream = NULL;
    ch_status status = restore(context, b, &stream);
    support_check(status == CH_ERR_FORMAT, "%s: status %d", what, (int)status);
    support_message(context, "a box contains a record that does not belong to this run");
    assert_null(stream);
}

/* Of a number at this place of the state. */
typedef struct lie {
    const char *what;
    size_t at;
    double real;
    int64_t whole; /* where real is 0 */
} lie;

#define AT(field) #field, offsetof(state, field)
#define LARGE ((INT64_C(1) << 52) + 1)

static const lie lies[] = {
    {AT(format), 0, 1},
    {AT(format), 0, 3},
    {AT(tol), NAN, 0},
    {AT(tol), -1, 0},
    {AT(settings.store), 0, 1},
    {AT(settings.store), 0, INT64_MAX},
    {AT(settings.tolerance), NAN, 0},
    {AT(settings.tolerance), -1, 0},
    {AT(info.rows), 0, 0},
    {AT(info.rows), 0, 2},
    {AT(info.rows), 0, 4},
    {AT(info.rows), 0, INT64_C(1) << 61},
    {AT(info.seen), 0, 2},
    {AT(info.seen), 0, 3},
    {AT(info.seen), 0, LARGE},
    {AT(info.seen), 0, INT64_MAX},
    {AT(info.zeros), 0, -1},
    {AT(info.zeros), 0, 2},
    {AT(info.zeros), 0, INT64_MIN},
    {AT(info.kept), 0, -1},
    {AT(info.kept), 0, 0},
    {AT(info.kept), 0, 2},
    {AT(info.kept), 0, INT64_MAX},
    {AT(info.most), 0, 2},
    {AT(info.most), 0, 5},
    {AT(info.most), 0, INT64_MAX},
    {AT(info.reduced), 0, -1},
    {AT(info.reduced), 0, INT64_MAX},
    {AT(info.thinned), 0, -1},
    {AT(info.thinned), 0, INT64_MAX},
    {AT(info.tolerance), NAN, 0},
    {AT(info.tolerance), 1e-12, 0},
    {AT(info.tolerance), 1.5, 0},
    {AT(info.bound), NAN, 0},
    {AT(info.bound), -1e-9, 0},
    {AT(info.bound), INFINITY, 0},
    {AT(total), NAN, 0},
    {AT(total), -1, 0},
    {AT(total), INFINITY, 0},
    {AT(limit), 0, 0},
    {AT(limit), 0, -1},
    {AT(limit), 0, 33},
    {AT(limit), 0, INT64_MAX},
    {AT(numbers[0]), 0, -1},
    {AT(numbers[1]), 0, 0},
    {AT(numbers[2]), 0, 2},
    {AT(numbers[2]), 0, 4},
    {AT(numbers[2]), 0, INT64_MAX},
    {AT(kept[0][0]), NAN, 0},
    {AT(kept[0][0]), INFINITY, 0},
    {AT(kept[1][1]), -1, 0},
    {AT(kept[0][0]), 0, 0},
    {AT(kept[2][2]), 0x1p600, 0},
    {AT(kept[0][0]), 0x1p-600, 0},
};

static void every_lie_is_refused(void **unused) {
    support_memory memory;
    ch_context *context = support_context(&memory, 1);
    box honest;
    ch_stream *stream;
    (void)unused;
    save(context, &honest, 3);
    assert_int_equal(honest.bytes, sizeof(state));
    assert_int_equal(restore(context, &honest, &stream), CH_OK);
    ch_stream_destroy(stream);
    for (size_t n = 0; n < sizeof lies / sizeof *lies; n++) {
        box b = honest;
        char *at = (char *)&b.now + lies[n].at;
        if (lies[n].real != 0)
            memcpy(at, &lies[n].real, sizeof lies[n].real);
        else
            memcpy(at, &lies[n].whole, sizeof lies[n].whole);
        expect_refused(context, &b, lies[n].what);
    }
    for (int64_t bytes = 0; bytes < honest.bytes; bytes += 7) {
        box b = honest;
        b.bytes = bytes;
        expect_refused(context, &b, "a part");
    }
    support_finish(context, &memory);
}

/* Nothing kept yet: columns seen were zero, and the rows, which no record bears out, cost nothing
 * before columns of so many rows come. */
static void an_empty_state_takes_no_memory(void **unused) {
    support_memory memory;
    ch_context *context = support_context(&memory, 1);
    box honest, b;
    ch_stream *stream;
    ch_stream_info info = {.size = sizeof info};
    (void)unused;
    save(context, &honest, 0);
    b = honest;
    b.now.info.rows = INT64_C(1) << 40;
    b.now.settings.store = 100000;
    ch_context_set_memory_limit(context, 1 << 20);
    assert_int_equal(restore(context, &b, &stream), CH_OK);
    ch_stream_get_info(stream, &info);
    assert_true(info.rows == INT64_C(1) << 40);
    ch_stream_destroy(stream);
    b = honest;
    b.now.info.zeros = 0;
    expect_refused(context, &b, "a column that was not zero, and none kept");
    b = honest;
    b.now.settings.store = b.now.limit = 100000;
    expect_refused(context, &b, "a limit without columns");
    b = honest;
    b.now.limit = 0;
    expect_refused(context, &b, "no limit");
    support_finish(context, &memory);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_lie_is_refused),
        cmocka_unit_test(an_empty_state_takes_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
