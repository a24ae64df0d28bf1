/* What threads gain: RobustXray (l1) on 1, 2, 4, ... threads compared with a plain read of the same
 * bytes, by the clock:
 *
 *     dense       r = 20 anchors of 2000 x 100,000 f32, the paper's generator with delta = 0.1
 *     documents   r = 150 of Reuters (CSC)
 *     video       r = 3 of 200 frames of the Lobby, 8-bit
 *
 * The read is the yardstick: where it stops gaining, memory is the limit, and a selection of dense
 * columns, which is passes over X, cannot gain more; the projection H of all columns stays in
 * cache. The job is what a user runs: checks, selection and H with its certificate in one call. The
 * folder of the run gets scaling-threads.svg, of the dense case. */
#include "bench/bench_table.h"
#include "common/exit_codes.h"
#include "harness/anchors_work.h"
#include "harness/documents.h"
#include "harness/film.h"
#include "harness/plain_read.h"
#include "report_chart.h"
#include <conehull/synthetic.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { COUNTS = 7 }; /* up to 64 threads */
enum { READ, JOB, SELECT, PROJECT, PARTS };
static const char *const part_names[PARTS] = {"plain read", "whole job", "selection", "projection"};

/* Parts of the job that has just run, as it reports them. */
static int selection_of(void *user, bench_time *time) {
    time->wall = ((const bench_anchors *)user)->found.seconds_select;
    return EXIT_DONE;
}

static int projection_of(void *user, bench_time *time) {
    time->wall = ((const bench_anchors *)user)->found.seconds_project;
    return EXIT_DONE;
}

static int draw(bench_run *run, const bench_series *series, int counts, const char *data) {
    double x[COUNTS], y[PARTS][COUNTS];
    report_chart chart = {.title = "Gain against threads", .subtitle = data};
    for (int c = 0; c < counts; c++) {
        x[c] = 1 << c;
        for (int p = 0; p < PARTS; p++)
            y[p][c] = bench_ratio(run, &series[p], &series[c * PARTS + p], 1).ratio;
    }
    for (int p = 0; p < PARTS; p++)
        chart.lines[chart.count++] =
            (report_line){.name = part_names[p], .x = x, .y = y[p], .count = counts};
    chart.lines[chart.count++] =
        (report_line){.name = "linear", .x = x, .y = x, .count = counts, .guide = 1};
    chart.x = (report_axis){"threads", 1, x[counts - 1], 1, 0};
    chart.y = (report_axis){"times faster than one thread", 0, x[counts - 1] + 0.5, 0.5, 1};
    FILE *to = bench_file_open(run, "scaling-threads.svg");
    if (to) report_chart_write(to, &chart);
    return bench_file_close(to);
}

/* One thread over each of the other numbers, part by part. series[c * PARTS + p] is part p on 2^c
 * threads. */
static int add_gains(bench_run *run, const bench_series *series, int counts, const char *name,
                     const char *data) {
    int code = EXIT_DONE;
    for (int c = 1; c < counts; c++)
        for (int p = 0; p < PARTS && code == EXIT_DONE; p++) {
            bench_record record = bench_ratio(run, &series[p], &series[c * PARTS + p], 1);
            snprintf(record.name, sizeof record.name, "%s, %s, one thread over %d", name,
                     part_names[p], 1 << c);
            snprintf(record.data, sizeof record.data, "%s", data);
            record.threads = 1 << c;
            record.details = json_pack("{ss ss}", "case", name, "part", part_names[p]);
            code = bench_add(run, &record);
        }
    return code;
}

static int measure(bench_run *run, const char *name, const ch_matrix *X, int64_t rank,
                   const char *data) {
    bench_series *series = malloc(COUNTS * PARTS * sizeof *series);
    bench_work works[COUNTS * PARTS];
    bench_block blocks[COUNTS];
    bench_anchors jobs[COUNTS];
    int counts = 0;
    if (!series) return cli_no_memory();
    for (; counts < COUNTS && 1 << counts <= run->threads; counts++) {
        bench_anchors *job = &jobs[counts];
        bench_work *parts = &works[counts * PARTS];
        blocks[counts] = bench_block_of(X, 1 << counts);
        *job = bench_anchors_plan(run, X, rank, CH_METHOD_XRAY);
        job->set.select_only = 0;
        job->threads = 1 << counts;
        parts[READ] = (bench_work){part_names[READ], bench_plain_read, &blocks[counts]};
        parts[JOB] = (bench_work){part_names[JOB], bench_anchors_find, job};
        parts[SELECT] = (bench_work){part_names[SELECT], selection_of, job};
        parts[PROJECT] = (bench_work){part_names[PROJECT], projection_of, job};
    }
    int code = bench_take_turns(run, series, works, counts * PARTS);
    if (code == EXIT_DONE) code = add_gains(run, series, counts, name, data);
    if (code == EXIT_DONE && counts > 1 && X->type == CH_F32)
        code = draw(run, series, counts, data);
    for (int c = 0; c < counts; c++) bench_anchors_free(&jobs[c]);
    free(series);
    return code;
}

static int measure_dense(bench_run *run) {
    ch_synthetic_settings make = {
        sizeof make, 2000, run->quick ? 5000 : 100000, 20, CH_NOISE_SPARSE, 0.1, 1, CH_F32, 1};
    ch_matrix X = {0};
    char data[BENCH_TEXT];
    snprintf(data, sizeof data, "dense f32, %d x %d, 20 anchors, delta 0.1", (int)make.rows,
             (int)make.cols);
    int code = bench_code(run, ch_synthetic_make(run->session->context, &X, NULL, &make));
    if (code == EXIT_DONE) code = measure(run, "dense", &X, make.rank, data);
    ch_matrix_free(run->session->context, &X);
    return code;
}

static int measure_documents(bench_run *run) {
    bench_documents documents;
    int code = bench_documents_open(&documents, run, "reuters10");
    if (code == EXIT_DONE) code = measure(run, "documents", &documents.X, 150, documents.data);
    bench_documents_close(&documents, run);
    return code;
}

static int measure_video(bench_run *run) {
    bench_film film;
    int code = bench_film_open(run, &film, &bench_window);
    if (code == EXIT_DONE) code = measure(run, "video", &film.X, 3, film.data);
    bench_film_close(run, &film);
    return code;
}

int bench_threads(bench_run *run) {
    if (run->threads == 1) {
        bench_record record = bench_absent("gain", "only one thread is used (--threads)");
        return bench_add(run, &record);
    }
    int code = measure_dense(run);
    if (code == EXIT_DONE) code = measure_documents(run);
    return code == EXIT_DONE ? measure_video(run) : code;
}
