/* The tasks of live_worker.c on systems without threads: the caller runs them immediately. Their
 * results take effect at the same frame as with a thread, so the answer has the same bits. */
#include "video/live/live_state.h"

ch_status chi_live_worker_start(ch_live *live) {
    chi_live_worker *worker = &live->worker;
    if (chi_context_beside(&worker->context, live->context) < 0)
        return chi_no_memory(live->context, "the context of a task", 1, sizeof *worker);
    worker->started = 1;
    return CH_OK;
}

void chi_live_worker_stop(ch_live *live) {
    ch_context_destroy(live->worker.context);
}

void chi_live_give(ch_live *live, chi_live_task task) {
    chi_live_worker *worker = &live->worker;
    worker->task = task;
    worker->status = chi_live_learn(worker->context, live);
}

chi_live_task chi_live_collect(ch_live *live, int late) {
    chi_live_worker *worker = &live->worker;
    chi_live_task done = worker->task;
    (void)late;
    worker->task = CHI_LIVE_IDLE;
    return done;
}
