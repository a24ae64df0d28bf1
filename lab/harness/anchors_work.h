/* Works on a matrix: choosing columns, and projecting all columns on those that were chosen. */
#pragma once

#include "harness/harness.h"
#include <conehull/anchors.h>

typedef struct bench_anchors {
    const bench_run *run;
    ch_context *context; /* the session's, unless it is replaced             */
    int threads;         /* of a work                                        */
    const ch_matrix *X;
    ch_anchors_settings set;
    ch_anchors_result found; /* by the last bench_anchors_find()                 */
    double *H;               /* by the last bench_anchors_project()              */
    ch_project_info info;    /* the same                                         */
} bench_anchors;

/* Selection alone, with default settings but for these; on run->threads threads. */
bench_anchors bench_anchors_plan(const bench_run *run, const ch_matrix *X, int64_t rank,
                                 int method);
void bench_anchors_free(bench_anchors *anchors);

/* Works; user is the bench_anchors. */
int bench_anchors_find(void *user, bench_time *time);
int bench_anchors_project(void *user, bench_time *time);
