/* The worker thread. It does one task at a time, which the caller gives and collects. It reads the
 * model in use and the window, and writes only the other model, so the caller can read the model in
 * use at the same time. */
#include "base/thread_start.h"
#include "video/live/live_state.h"
#include <sys/resource.h>

/* With a caller that never waits (late), learning must not compete with the caller for a core. A
 * niceness of 5 more gives the worker a quarter of the caller's share of a busy core, so it still
 * makes progress. */
enum { NICER = 5 };

/* On Linux, niceness belongs to the calling thread and the threads it starts. Elsewhere it would
 * apply to the whole process, including the caller. A failure does no harm. */
#ifdef __linux__
static void step_back(void) {
    setpriority(PRIO_PROCESS, 0, getpriority(PRIO_PROCESS, 0) + NICER);
}
#else
static void step_back(void) {
}
#endif

static void *serve(void *argument) {
    ch_live *live = argument;
    chi_live_worker *worker = &live->worker;
    if (live->set.late) step_back();
    pthread_mutex_lock(&worker->lock);
    for (;;) {
        while (!worker->quit && !worker->busy) pthread_cond_wait(&worker->wake, &worker->lock);
        if (worker->quit) break;
        pthread_mutex_unlock(&worker->lock);
        worker->status = chi_live_learn(worker->context, live);
        pthread_mutex_lock(&worker->lock);
        worker->busy = 0;
        pthread_cond_signal(&worker->done);
    }
    pthread_mutex_unlock(&worker->lock);
    return NULL;
}

static void destroy_lock(chi_live_worker *worker) {
    pthread_cond_destroy(&worker->done);
    pthread_cond_destroy(&worker->wake);
    pthread_mutex_destroy(&worker->lock);
}

ch_status chi_live_worker_start(ch_live *live) {
    chi_live_worker *worker = &live->worker;
    if (chi_context_beside(&worker->context, live->context) < 0)
        return chi_no_memory(live->context, "the context of a thread", 1, sizeof *worker);
    pthread_mutex_init(&worker->lock, NULL);
    pthread_cond_init(&worker->wake, NULL);
    pthread_cond_init(&worker->done, NULL);
    worker->started = chi_thread_start(&worker->thread, serve, live);
    if (worker->started) return CH_OK;
    destroy_lock(worker);
    return chi_fail(
        live->context, CH_ERR_MEMORY,
        "another thread cannot be started, because the limit of threads or of memory is reached");
}

void chi_live_worker_stop(ch_live *live) {
    chi_live_worker *worker = &live->worker;
    if (worker->started) {
        pthread_mutex_lock(&worker->lock);
        while (worker->busy) pthread_cond_wait(&worker->done, &worker->lock);
        worker->quit = 1;
        pthread_cond_signal(&worker->wake);
        pthread_mutex_unlock(&worker->lock);
        pthread_join(worker->thread, NULL);
        destroy_lock(worker);
    }
    ch_context_destroy(worker->context);
}

void chi_live_give(ch_live *live, chi_live_task task) {
    chi_live_worker *worker = &live->worker;
    pthread_mutex_lock(&worker->lock);
    worker->task = task;
    worker->busy = 1;
    pthread_cond_signal(&worker->wake);
    pthread_mutex_unlock(&worker->lock);
}

chi_live_task chi_live_collect(ch_live *live, int late) {
    chi_live_worker *worker = &live->worker;
    pthread_mutex_lock(&worker->lock);
    while (worker->busy && !late) pthread_cond_wait(&worker->done, &worker->lock);
    chi_live_task done = worker->busy ? CHI_LIVE_IDLE : worker->task;
    if (!worker->busy) worker->task = CHI_LIVE_IDLE;
    pthread_mutex_unlock(&worker->lock);
    return done;
}
