/* Work on a matrix that is measured. Threads and memory are prepared before the measurement
 * starts. */
#include "harness/anchors_work.h"
#include "common/exit_codes.h"
#include <stdlib.h>
#include <string.h>

bench_anchors bench_anchors_plan(const bench_run *run, const ch_matrix *X, int64_t rank,
                                 int method) {
    bench_anchors anchors = {
        .run = run, .context = run->session->context, .threads = run->threads, .X = X};
    ch_anchors_defaults(&anchors.set);
    anchors.set.rank = rank;
    anchors.set.method = method;
    anchors.set.select_only = 1;
    return anchors;
}

void bench_anchors_free(bench_anchors *anchors) {
    ch_anchors_result_free(anchors->context, &anchors->found);
    free(anchors->H);
}

int bench_anchors_find(void *user, bench_time *time) {
    bench_anchors *a = user;
    ch_anchors_result_free(a->context, &a->found);
    a->found.size = sizeof a->found;
    ch_status status = ch_context_set_threads(a->context, a->threads);
    bench_time start = bench_now();
    if (status == CH_OK) status = ch_anchors(a->context, &a->found, a->X, &a->set);
    *time = bench_since(start);
    return bench_code(a->run, status);
}

int bench_anchors_project(void *user, bench_time *time) {
    bench_anchors *a = user;
    a->info.size = sizeof a->info;
    if (!a->H) a->H = malloc((size_t)(a->found.rank * a->X->cols) * sizeof *a->H);
    if (!a->H) return cli_no_memory();
    ch_status status = ch_context_set_threads(a->context, a->threads);
    bench_time start = bench_now();
    if (status == CH_OK)
        status = ch_project(a->context, a->H, &a->info, a->X, a->found.W, a->found.rank, &a->set);
    *time = bench_since(start);
    return bench_code(a->run, status);
}
