/* Work on a matrix that is measured: selecting columns, and projecting all columns onto the
 * selected ones. */
#pragma once

#include "harness/harness.h"
#include <conehull/anchors.h>

typedef struct bench_anchors {
    const bench_run *run;
    ch_context *context; /* context of the session, unless it is replaced */
    int threads;         /* number of threads of the work */
    const ch_matrix *X;
    ch_anchors_settings set;
    ch_anchors_result found; /* result of the last bench_anchors_find() */
    double *H;               /* result of the last bench_anchors_project() */
    ch_project_info info;    /* information of the last bench_anchors_project() */
} bench_anchors;

/* Returns a work that only selects, with this rank and method and otherwise default settings, on
 * run->threads threads. */
bench_anchors bench_anchors_plan(const bench_run *run, const ch_matrix *X, int64_t rank,
                                 int method);
void bench_anchors_free(bench_anchors *anchors);

/* Functions for bench_work.run; user is the bench_anchors. */
int bench_anchors_find(void *user, bench_time *time);
int bench_anchors_project(void *user, bench_time *time);
