/* Who says stop is heard in the middle of a pass over the data, not only between two anchors.
 * Blocks of work are made to last, so that a pass is long; what is reported in the middle of work
 * has no column, and the callback says stop to that. A projection reports between its waves too:
 * there the callback waits for an event that is repeated, which only happens inside a wave. */
#include "base/base.h"
#include "support.h"
#include <conehull/conehull.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

enum { ROWS = 20, COLS = 10000, RANK = 3, REPEATED = -1 };

typedef struct listener {
    const char *phase;          /* where to stop: this phase, ...                       */
    int64_t done;               /* ... with so much done, or where an event is repeated */
    int64_t last;               /* done of the last event of this phase                 */
    _Atomic int slow;           /* blocks last: from there on                           */
    _Atomic int stopped, after; /* said stop; blocks done since then           */
} listener;

static void make_it_last(void *user) {
    listener *l = user;
    struct timespec time = {0, 6 * 1000 * 1000};
    if (l->stopped) l->after++;
    if (l->slow) nanosleep(&time, NULL);
}

static int hear(const ch_progress_event *event, void *user) {
    listener *l = user;
    if (strcmp(event->phase, "select") == 0 && event->done == RANK) l->slow = 1;
    if (strcmp(event->phase, l->phase) != 0) return 0;
    int repeated = event->done == l->last;
    l->last = event->done;
    if (l->done == REPEATED ? !repeated : event->done != l->done) return 0;
    l->slow = 1;
    l->stopped = event->column < 0;
    return l->stopped;
}

static ch_context *listen(listener *l, const char *phase, int64_t done, int threads, int slow) {
    ch_context *context = NULL;
    *l = (listener){.phase = phase, .done = done, .last = -1, .slow = slow};
    assert_int_equal(ch_context_create(&context, NULL), CH_OK);
    assert_int_equal(ch_context_set_threads(context, threads), CH_OK);
    ch_context_set_progress(context, hear, l);
    chi_context_set_pace(context, make_it_last, NULL, l);
    return context;
}

/* Blocks that other threads were inside of are finished. */
static void check_stopped(const listener *l, ch_status status, int threads) {
    support_check(status == CH_STOP_CANCELLED, "%s, %d: %s", l->phase, (int)l->done,
                  ch_status_name(status));
    support_check(l->stopped && l->after <= threads, "%s, %d: %d blocks after the word", l->phase,
                  (int)l->done, l->after);
}

static void count_block(void *user, int64_t block, int thread) {
    (void)block, (void)thread;
    atomic_fetch_add((_Atomic int *)user, 1);
}

static void blocks_are_left(void **state) {
    (void)state;
    for (int threads = 1; threads <= 3; threads += 2) {
        listener l;
        ch_context *context = listen(&l, "work", 0, threads, 1);
        _Atomic int done = 0;
        chi_begin_phase(context, "work", 0);
        ch_status status = chi_parallel_until(context, 10000, count_block, &done);
        assert_int_equal((int)status, CHI_CANCELLED);
        assert_true(done >= 2 && done < 10000);
        check_stopped(&l, chi_outside_status(status), threads);
        ch_context_destroy(context);
    }
}

/* Found before by a context that nobody interrupts. */
typedef struct example {
    ch_context *context;
    ch_matrix X;
    ch_anchors_settings set;
    ch_anchors_result found;
} example;

static void setup(example *e) {
    e->found.size = sizeof e->found;
    assert_int_equal(ch_context_create(&e->context, NULL), CH_OK);
    e->X = support_planted(e->context, NULL, ROWS, COLS, RANK, 0.3, 1);
    ch_anchors_defaults(&e->set);
    e->set.rank = RANK;
    e->set.first = CH_FIRST_PAPER;
    e->set.keep_duals = 1;
    assert_int_equal(ch_anchors(e->context, &e->found, &e->X, &e->set), CH_OK);
}

/* The anchors so far are those of the whole run. */
static void stop_selection(const example *e, const char *phase, int64_t done, int method) {
    listener l;
    int projects = strcmp(phase, "project") == 0;
    ch_context *context = listen(&l, phase, done, 1, done == 0 && !projects);
    ch_anchors_settings set = e->set;
    ch_anchors_result result = {.size = sizeof result};
    set.method = method;
    check_stopped(&l, ch_anchors(context, &result, &e->X, &set), 1);
    assert_int_equal(result.rank, projects ? RANK : done);
    assert_null(result.H);
    for (int64_t k = 0; k < result.rank && method == CH_METHOD_XRAY; k++)
        assert_int_equal(result.anchors[k], e->found.anchors[k]);
    ch_anchors_result_free(context, &result);
    ch_context_destroy(context);
}

/* Other ways through the loop, each with its own passes: all columns every time, a divergence, a
 * rank that is found on the way and a first anchor that is chosen again. */
static void stop_other_ways(const example *e) {
    ch_anchors_settings ways[] = {e->set, e->set, e->set};
    ways[0].eager = 1;
    ways[1].loss = CH_LOSS_KL;
    ways[2].rank = 0;
    ways[2].first = CH_FIRST_RESELECT;
    for (size_t k = 0; k < sizeof ways / sizeof *ways; k++) {
        listener l;
        ch_context *context = listen(&l, "select", 1, 1, 0);
        ch_anchors_result result = {.size = sizeof result};
        check_stopped(&l, ch_anchors(context, &result, &e->X, &ways[k]), 1);
        assert_int_equal(result.rank, 1);
        assert_null(result.H);
        ch_anchors_result_free(context, &result);
        ch_context_destroy(context);
    }
}

/* A checkpoint that is empty and stays so. */
static int has_none(void *user, int kind) {
    (void)user, (void)kind;
    return 0;
}

static ch_status add_none(void *user, const ch_record_piece *pieces, int count, int kind) {
    (void)pieces, (void)count, (void)kind;
    *(int *)user += 1;
    return CH_OK;
}

/* With a checkpoint the check hashes the data too: stopped there, nothing is kept. */
static void stop_hashing(const example *e) {
    for (int threads = 1; threads <= 2; threads++) {
        listener l;
        int added = 0;
        ch_checkpoint none = {
            .size = sizeof none, .user = &added, .name = "none", .has = has_none, .add = add_none};
        ch_context *context = listen(&l, "check", 0, threads, 1);
        ch_anchors_settings set = e->set;
        ch_anchors_result result = {.size = sizeof result};
        set.checkpoint = &none;
        check_stopped(&l, ch_anchors(context, &result, &e->X, &set), threads);
        assert_int_equal(result.rank, 0);
        assert_int_equal(added, 0);
        ch_anchors_result_free(context, &result);
        ch_context_destroy(context);
    }
}

static void stop_other_calls(const example *e) {
    double *H = malloc(RANK * COLS * sizeof *H);
    ch_verification verdict = {.size = sizeof verdict};
    listener l;
    assert_non_null(H);
    ch_context *context = listen(&l, "project", REPEATED, 1, 1);
    check_stopped(&l, ch_project(context, H, NULL, &e->X, e->found.W, RANK, &e->set), 1);
    ch_context_destroy(context);
    context = listen(&l, "verify", 0, 1, 1);
    check_stopped(&l, ch_verify(context, &verdict, &e->X, &e->found, &e->set), 1);
    ch_context_destroy(context);
    free(H);
}

static void every_phase_can_be_stopped(void **state) {
    example e;
    (void)state;
    setup(&e);
    stop_selection(&e, "check", 0, CH_METHOD_XRAY);
    stop_selection(&e, "select", 0, CH_METHOD_XRAY);
    stop_selection(&e, "select", 1, CH_METHOD_XRAY);
    stop_selection(&e, "project", REPEATED, CH_METHOD_XRAY);
    stop_selection(&e, "select", 0, CH_METHOD_SPA);
    stop_other_ways(&e);
    stop_hashing(&e);
    stop_other_calls(&e);
    ch_anchors_result_free(e.context, &e.found);
    ch_matrix_free(e.context, &e.X);
    ch_context_destroy(e.context);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(blocks_are_left),
                                       cmocka_unit_test(every_phase_can_be_stopped)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
