/* Runs blocks of work on the threads of a context.
 *
 * Why not OpenMP: between two parallel regions the threads of libgomp spin for milliseconds, and a
 * library cannot change this (only the environment can, before the program starts). On a busy
 * machine, or with several processes on it, the selection loop with its many short regions ran 30
 * times slower on two threads than on one. Here an idle thread spins for about as long as waking it
 * would take, then sleeps. The caller never waits for a thread that has not started: it runs the
 * blocks itself.
 *
 * Nesting: a call from inside a body runs serially on the calling thread. Fork: a child process has
 * none of its parent's threads, so it drops its copy of the pool and creates a new one when
 * needed. */
#include "base/context_internal.h"
#include "base/thread_start.h"
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

enum { SPINS = 20000 }; /* checks before sleeping: about 40 microseconds, the cost of a wake-up */

typedef struct worker {
    chi_pool *pool;
    pthread_t thread;
    int index; /* 1 and up; 0 is the caller */
} worker;

struct chi_pool {
    pthread_mutex_t lock;
    pthread_cond_t wake, idle;
    ch_context *context;
    worker *workers;
    int count;
    pid_t process;

    /* the current round; written under the lock */
    chi_body body;
    void *user;
    int64_t blocks;
    _Atomic int64_t next;   /* next block to take                         */
    _Atomic uint64_t round; /* counts the calls                           */
    int wanted;             /* workers up to this index may still join    */
    _Atomic int busy;       /* workers inside the body                    */
    int asks;               /* the progress callback may cancel the round */
    int stopped;            /* ... and has done so                        */
    int quit;
};

/* The pool whose body this thread is running, or NULL, and its thread number there. */
static _Thread_local const chi_pool *inside;
static _Thread_local int own_index;

void chi_context_set_pace(ch_context *context, chi_pace pace, chi_fetch fetch, void *user) {
    context->pace = pace;
    context->fetch = fetch;
    context->pace_user = user;
}

void chi_records_pace(const ch_context *context) {
    if (context->pace) context->pace(context->pace_user);
}

int chi_prefetches(const ch_context *context) {
    return context->fetch != NULL;
}

void chi_prefetch(const ch_context *context, const void *address, size_t bytes, int in_order) {
    if (context->fetch) context->fetch(context->pace_user, address, bytes, in_order);
}

void chi_count_read(ch_context *context, double bytes) {
    atomic_fetch_add_explicit(&context->read, (int64_t)bytes, memory_order_relaxed);
}

double ch_context_data_read(const ch_context *context) {
    return (double)context->read;
}

static void take_blocks(chi_pool *pool, int thread) {
    int64_t block;
    inside = pool;
    own_index = thread;
    while ((block = atomic_fetch_add(&pool->next, 1)) < pool->blocks) {
        pool->body(pool->user, block, thread);
        chi_records_pace(pool->context);
        if (thread > 0 || !pool->asks || !chi_ask(pool->context)) continue;
        pool->stopped = 1;
        atomic_store(&pool->next, pool->blocks);
    }
    inside = NULL;
}

static void *work(void *argument) {
    const worker *self = argument;
    chi_pool *pool = self->pool;
    uint64_t seen = 0;
    for (;;) {
        for (int spin = 0; spin < SPINS && atomic_load(&pool->round) == seen; spin++) continue;
        pthread_mutex_lock(&pool->lock);
        while (!pool->quit && atomic_load(&pool->round) == seen)
            pthread_cond_wait(&pool->wake, &pool->lock);
        int quit = pool->quit, join = self->index <= pool->wanted;
        seen = atomic_load(&pool->round);
        if (join) atomic_fetch_add(&pool->busy, 1);
        pthread_mutex_unlock(&pool->lock);
        if (quit) return NULL;
        if (!join) continue;
        take_blocks(pool, self->index);
        pthread_mutex_lock(&pool->lock);
        if (atomic_fetch_sub(&pool->busy, 1) == 1) pthread_cond_signal(&pool->idle);
        pthread_mutex_unlock(&pool->lock);
    }
}

int chi_thread_start(pthread_t *thread, void *(*body)(void *), void *user) {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int runs = pthread_create(thread, NULL, body, user) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return runs;
}

/* Starts as many workers as the system allows, none if memory is short. Workers block all signals,
 * so that these go to the caller's threads. */
static chi_pool *create(ch_context *context) {
    int wanted = context->threads - 1;
    chi_pool *pool = chi_alloc_zero(context, 1, sizeof *pool);
    worker *workers = chi_alloc_zero(context, wanted, sizeof *workers);
    if (!pool || !workers) {
        chi_free(context, pool);
        chi_free(context, workers);
        return NULL;
    }
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->wake, NULL);
    pthread_cond_init(&pool->idle, NULL);
    pool->context = context;
    pool->workers = workers;
    pool->process = getpid();
    for (; pool->count < wanted; pool->count++) {
        worker *next = &workers[pool->count];
        next->pool = pool;
        next->index = pool->count + 1;
        if (!chi_thread_start(&next->thread, work, next)) break;
    }
    return pool;
}

void chi_pool_destroy(ch_context *context) {
    chi_pool *pool = context->pool;
    context->pool = NULL;
    if (!pool) return;
    if (pool->process == getpid()) {
        pthread_mutex_lock(&pool->lock);
        pool->quit = 1;
        pthread_cond_broadcast(&pool->wake);
        pthread_mutex_unlock(&pool->lock);
        for (int t = 0; t < pool->count; t++) pthread_join(pool->workers[t].thread, NULL);
        pthread_cond_destroy(&pool->idle);
        pthread_cond_destroy(&pool->wake);
        pthread_mutex_destroy(&pool->lock);
    }
    chi_free(context, pool->workers);
    chi_free(context, pool);
}

ch_status ch_context_set_threads(ch_context *context, int threads) {
    if (threads < 0 || threads > 4096)
        return chi_fail(context, CH_ERR_ARGUMENT,
                        "the number of threads must be from 1 to 4096, or 0 for all cores, got %d",
                        threads);
    chi_pool_destroy(context);
    context->threads = threads ? threads : chi_usable_cores();
    return CH_OK;
}

int ch_context_threads(const ch_context *context) {
    return context->threads;
}

/* Opens a round for as many workers as there are blocks and takes part in it. Then closes it to
 * workers that have not begun, and waits for the others. */
static int run_round(chi_pool *pool, int64_t blocks, chi_body body, void *user, int asks) {
    pthread_mutex_lock(&pool->lock);
    pool->asks = asks;
    pool->stopped = 0;
    pool->body = body;
    pool->user = user;
    pool->blocks = blocks;
    pool->wanted = blocks - 1 < pool->count ? (int)(blocks - 1) : pool->count;
    atomic_store(&pool->next, 0);
    atomic_fetch_add(&pool->round, 1);
    pthread_cond_broadcast(&pool->wake);
    pthread_mutex_unlock(&pool->lock);

    take_blocks(pool, 0);

    pthread_mutex_lock(&pool->lock);
    pool->wanted = 0;
    pthread_mutex_unlock(&pool->lock);
    for (int spin = 0; spin < SPINS && atomic_load(&pool->busy) > 0; spin++) continue;
    pthread_mutex_lock(&pool->lock);
    while (atomic_load(&pool->busy) > 0) pthread_cond_wait(&pool->idle, &pool->lock);
    pthread_mutex_unlock(&pool->lock);
    return pool->stopped;
}

/* Runs all blocks. Returns whether the progress callback requested a stop. */
static int run_blocks(ch_context *context, int64_t blocks, chi_body body, void *user, int asks) {
    if (blocks > 1 && context->threads > 1 && !inside) {
        if (context->pool && context->pool->process != getpid()) chi_pool_destroy(context);
        if (!context->pool) context->pool = create(context);
        if (context->pool && context->pool->count > 0)
            return run_round(context->pool, blocks, body, user, asks);
    }
    /* Several threads may work for the same context; each uses its own workspace. */
    int thread = inside && inside == context->pool ? own_index : 0;
    for (int64_t block = 0; block < blocks; block++) {
        body(user, block, thread);
        chi_records_pace(context);
        if (asks && chi_ask(context)) return 1;
    }
    return 0;
}

void chi_parallel(ch_context *context, int64_t blocks, chi_body body, void *user) {
    run_blocks(context, blocks, body, user, 0);
}

ch_status chi_parallel_apart(ch_context *context, int64_t blocks, chi_body body, void *user) {
    int stopped = run_blocks(context, blocks, body, user, !inside);
    return stopped ? (ch_status)CHI_CANCELLED : CH_OK;
}

ch_status chi_parallel_until(ch_context *context, int64_t blocks, chi_body body, void *user) {
    int alone = !context->comm || context->comm->processes == 1;
    if (alone) return chi_parallel_apart(context, blocks, body, user);
    chi_parallel(context, blocks, body, user);
    return CH_OK;
}

ch_status chi_pause(ch_context *context) {
    int alone = !context->comm || context->comm->processes == 1;
    chi_records_pace(context);
    return alone && !inside && chi_ask(context) ? (ch_status)CHI_CANCELLED : CH_OK;
}
