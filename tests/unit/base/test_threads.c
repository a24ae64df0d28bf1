/* Work over threads: every block once, the same result for any number of threads, serial inside a
 * parallel region, and alive after fork(). */
#include "base/base.h"
#include "support.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { BLOCKS = 1000 };

typedef struct work {
    int visits[BLOCKS];
    double sums[BLOCKS];
    int highest_thread;
} work;

static void visit(void *user, int64_t block, int thread) {
    work *w = user;
    __atomic_add_fetch(&w->visits[block], 1, __ATOMIC_SEQ_CST);
    double sum = 0.0;
    for (int i = 1; i < 200; i++) sum += 1.0 / (double)(i + block);
    w->sums[block] = sum;
    int seen = __atomic_load_n(&w->highest_thread, __ATOMIC_SEQ_CST);
    while (thread > seen && !__atomic_compare_exchange_n(&w->highest_thread, &seen, thread, 0,
                                                         __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
        continue;
}

static double run(ch_context *context, work *w, int64_t blocks) {
    memset(w, 0, sizeof *w);
    chi_parallel(context, blocks, visit, w);
    double sum = 0.0;
    for (int64_t b = 0; b < blocks; b++) {
        assert_int_equal(w->visits[b], 1);
        sum += w->sums[b];
    }
    assert_true(w->highest_thread < ch_context_threads(context));
    return sum;
}

static void every_block_runs_once_for_any_thread_count(void **state) {
    (void)state;
    static work w;
    double expected = 0.0;
    for (int threads = 1; threads <= 8; threads *= 2) {
        ch_context *context = support_context(NULL, threads);
        double sum = run(context, &w, BLOCKS);
        if (threads == 1) expected = sum;
        assert_true(sum == expected);
        run(context, &w, 3);
        run(context, &w, 1);
        run(context, &w, 0);
        ch_context_destroy(context);
    }
}

typedef struct nesting {
    ch_context *outer, *inner;
    int64_t right;
} nesting;

/* One outer block: its thread, and how many inner blocks ran as the thread they should. */
typedef struct nest {
    int thread, same;
} nest;

static void inner(void *user, int64_t block, int thread) {
    nest *n = user;
    (void)block;
    n->same += thread == n->thread;
}

static void outer(void *user, int64_t block, int thread) {
    nesting *n = user;
    (void)block;
    nest own = {.thread = n->inner == n->outer ? thread : 0};
    for (int i = 0; i < 100; i++) chi_parallel(n->inner, 10, inner, &own);
    __atomic_add_fetch(&n->right, own.same, __ATOMIC_SEQ_CST);
}

/* Serially as the outer thread, whose work area is its own; in another context as thread 0, the
 * only one that context is sure to have. */
static void nested_calls_run_serially(void **state) {
    (void)state;
    ch_context *context = support_context(NULL, 4), *other = support_context(NULL, 1);
    nesting n = {.outer = context, .inner = context};
    chi_parallel(context, 200, outer, &n);
    assert_int_equal(n.right, 200 * 1000);
    n = (nesting){.outer = context, .inner = other};
    chi_parallel(context, 200, outer, &n);
    assert_int_equal(n.right, 200 * 1000);
    ch_context_destroy(other);
    ch_context_destroy(context);
}

/* Several threads of the caller, each with a context of its own. */
static void *caller(void *result) {
    work *w = calloc(1, sizeof *w);
    ch_context *context = NULL;
    if (w && ch_context_create(&context, NULL) == CH_OK) {
        ch_context_set_threads(context, 2);
        for (int i = 0; i < 20; i++) {
            chi_parallel(context, BLOCKS, visit, w);
            for (int b = 0; b < BLOCKS; b++) *(int64_t *)result += w->visits[b] == i + 1;
        }
    }
    ch_context_destroy(context);
    free(w);
    return NULL;
}

static void contexts_are_independent(void **state) {
    (void)state;
    pthread_t threads[3];
    int64_t right[3] = {0};
    for (int t = 0; t < 3; t++)
        assert_int_equal(pthread_create(&threads[t], NULL, caller, &right[t]), 0);
    for (int t = 0; t < 3; t++) {
        pthread_join(threads[t], NULL);
        assert_int_equal(right[t], 20 * BLOCKS);
    }
}

/* In the child: 0 when a parallel call works, and death by alarm when it hangs. */
static int child_works(ch_context *context, double expected) {
    static work w;
    alarm(20);
    memset(&w, 0, sizeof w);
    chi_parallel(context, BLOCKS, visit, &w);
    double sum = 0.0;
    for (int b = 0; b < BLOCKS; b++) sum += w.sums[b];
    return sum == expected ? 0 : 1;
}

static void parallel_calls_survive_fork(void **state) {
    (void)state;
    /* qemu-aarch64 fails by an assertion of its own when a child of several threads starts one. */
    if (getenv("CONEHULL_TEST_EMULATED")) skip();
#if defined(__SANITIZE_THREAD__)
    skip(); /* the tool itself forbids threads after fork */
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
    skip();
#endif
#endif
    static work w;
    ch_context *context = support_context(NULL, 4);
    double expected = run(context, &w, BLOCKS);
    for (int round = 0; round < 3; round++) {
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) _exit(child_works(context, expected));
        int status;
        assert_int_equal(waitpid(child, &status, 0), child);
        support_check(WIFEXITED(status), "the child died of signal %d", WTERMSIG(status));
        assert_int_equal(WEXITSTATUS(status), 0);
        assert_true(run(context, &w, BLOCKS) == expected);
    }
    ch_context_destroy(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_block_runs_once_for_any_thread_count),
        cmocka_unit_test(nested_calls_run_serially),
        cmocka_unit_test(contexts_are_independent),
        cmocka_unit_test(parallel_calls_survive_fork),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
