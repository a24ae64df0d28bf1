/* Work split into blocks over OpenMP threads.
 *
 * Two traps are handled. Nesting: a call from inside a parallel region (the user's or ours) runs
 * serially instead of starting threads squared. Fork: libgomp's idle threads do not survive fork()
 * and the child would wait for them for ever, so they are let go before each fork. */
#include "base/context_internal.h"
#include <omp.h>
#include <pthread.h>

int chi_usable_cores(void) {
    int cores = omp_get_num_procs();
    return cores > 0 ? cores : 1;
}

static void let_threads_go(void) {
    if (!omp_in_parallel()) omp_pause_resource_all(omp_pause_soft);
}

static void watch_forks(void) {
    pthread_atfork(let_threads_go, NULL, NULL);
}

ch_status ch_context_set_threads(ch_context *context, int threads) {
    if (threads < 0 || threads > 4096)
        return chi_fail(context, CH_ERR_ARGUMENT, "threads must be 0 (all cores) to 4096, got %d",
                        threads);
    context->threads = threads ? threads : chi_usable_cores();
    return CH_OK;
}

int ch_context_threads(const ch_context *context) {
    return context->threads;
}

void chi_parallel(ch_context *context, int64_t blocks, chi_body body, void *user) {
    static pthread_once_t watched = PTHREAD_ONCE_INIT;
    int threads = context->threads;
    if (blocks < threads) threads = (int)blocks;
    if (threads <= 1 || omp_in_parallel()) {
        for (int64_t block = 0; block < blocks; block++) body(user, block, 0);
        return;
    }
    pthread_once(&watched, watch_forks);
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads)
    for (int64_t block = 0; block < blocks; block++) body(user, block, omp_get_thread_num());
}
