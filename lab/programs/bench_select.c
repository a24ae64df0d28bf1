/* What selection costs, as ratios in one run (RobustXray, l1):
 *
 *     documents   r = 50 anchors of Reuters (CSC) over SPA's time for the same, one thread
 *     dense       r = 20 anchors of 2000 x 100,000 f32, the paper's generator with delta = 0.1,
 *                 over the time of 20 plain reads of X; the share of columns that had to be
 *                 projected; one thread over two, and the same of plain reads, which is what the
 *                 memory allows
 *     video       final projection on r = 3 anchors of 200 frames, 8-bit, over one exact median
 *                 per pixel of the same bytes. BENCH_VIDEO names an .npy file of frames x pixels,
 *                 u8; without it a clip is made: a still scene, noise, and a moving square.
 *
 * --json prints an object a line. */
#include "programs/standalone.h"
#include <conehull/conehull.h>
#include <conehull/io.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct job {
    ch_context *context;
    const ch_matrix *X;
    ch_anchors_settings settings;
    ch_anchors_result result; /* of the last run */
    double *H;
} job;

static void stop(const char *why) {
    fprintf(stderr, "bench_select: %s\n", why);
    exit(1);
}

static void job_create(job *j, const ch_matrix *X, int64_t rank, int method, int threads) {
    memset(j, 0, sizeof *j);
    j->X = X;
    if (ch_context_create(&j->context, NULL) != CH_OK) stop("no context");
    if (ch_context_set_threads(j->context, threads) != CH_OK) stop("threads");
    ch_settings_defaults(&ch_anchors_table, &j->settings);
    j->settings.rank = rank;
    j->settings.method = method;
    j->settings.select_only = 1;
}

static void job_destroy(job *j) {
    ch_anchors_result_free(j->context, &j->result);
    ch_context_destroy(j->context);
    free(j->H);
}

static void run_select(void *user) {
    job *j = user;
    ch_anchors_result_free(j->context, &j->result);
    if (ch_anchors(j->context, &j->result, j->X, &j->settings) < 0)
        stop(ch_context_message(j->context));
}

static void run_project(void *user) {
    job *j = user;
    if (ch_project(j->context, j->H, NULL, j->X, j->result.W, j->result.rank, &j->settings) < 0)
        stop(ch_context_message(j->context));
}

static void say(const bench_options *options, const char *name, double ratio, double goal,
                double minimum, double median, double base, double base_median) {
    if (options->json)
        printf(
            "{\"name\": \"%s\", \"ratio\": %.4g, \"goal\": %.3g, \"turns\": %d, \"seconds\": %.6g, "
            "\"seconds_median\": %.6g, \"against_seconds\": %.6g, "
            "\"against_seconds_median\": %.6g}\n",
            name, ratio, goal, options->turns, minimum, median, base, base_median);
    else
        printf("%-42s ratio %7.2f (goal %.3g)   %9.2f ms (median %.2f) against %9.2f ms (median "
               "%.2f)\n",
               name, ratio, goal, 1e3 * minimum, 1e3 * median, 1e3 * base, 1e3 * base_median);
}

/* times[1] / units over times[0]. */
static void compare(const bench_options *options, const char *name, const bench_time *times,
                    double units, double goal) {
    say(options, name, times[1].min / (units * times[0].min), goal, times[1].min, times[1].median,
        units * times[0].min, units * times[0].median);
}

static void documents(const bench_options *options) {
    char path[1000];
    ch_context *context;
    ch_matrix X;
    bench_data_path(path, sizeof path, "text/reuters10/reuters10.mtx.gz");
    if (ch_context_create(&context, NULL) != CH_OK) stop("no context");
    if (ch_matrix_read(context, &X, path, NULL) != CH_OK) {
        fprintf(stderr, "documents: skipped, %s\n", ch_context_message(context));
        ch_context_destroy(context);
        return;
    }
    for (int64_t rank = 50; rank <= 150; rank += 100) {
        job spa, xray;
        bench_time times[2];
        char name[80];
        job_create(&spa, &X, rank, CH_METHOD_SPA, 1);
        job_create(&xray, &X, rank, CH_METHOD_XRAY, 1);
        bench_work works[2] = {{run_select, &spa}, {run_select, &xray}};
        bench_take_turns(times, works, 2, options);
        snprintf(name, sizeof name, "Reuters r = %d, xray l1 over spa", (int)rank);
        compare(options, name, times, 1, 5);
        if (!options->json)
            printf("    %lld projections of %lld\n", (long long)xray.result.projections,
                   (long long)(rank * X.cols));
        job_destroy(&spa);
        job_destroy(&xray);
    }
    ch_matrix_free(context, &X);
    ch_context_destroy(context);
}

static void dense(const bench_options *options) {
    enum { RANK = 20 };
    ch_synthetic_settings data = {2000, 100000, RANK, CH_NOISE_SPARSE, 0.1, 1, CH_F32, 1};
    int64_t planted[RANK];
    ch_context *context;
    ch_matrix X;
    if (ch_context_create(&context, NULL) != CH_OK) stop("no context");
    if (ch_synthetic_make(context, &X, planted, &data) != CH_OK) stop(ch_context_message(context));
    bench_block block = {X.values, (size_t)(X.rows * X.cols) * sizeof(float), 1, 0}, both = block;
    job one, two;
    bench_time times[4], pair[2];
    both.threads = 2;
    job_create(&one, &X, RANK, CH_METHOD_XRAY, 1);
    job_create(&two, &X, RANK, CH_METHOD_XRAY, 2);
    bench_work works[4] = {{bench_plain_read, &block},
                           {run_select, &one},
                           {run_select, &two},
                           {bench_plain_read, &both}};
    bench_take_turns(times, works, 4, options);
    compare(options, "dense f32, selection over 20 plain reads", times, RANK, 3);
    if (!options->json)
        printf(
            "    %lld columns solved, %.2f %% of all columns at all steps; seconds select %.3f\n",
            (long long)one.result.projections,
            100.0 * (double)one.result.projections / (double)(RANK * X.cols),
            one.result.seconds_select);
    pair[0] = times[2];
    pair[1] = times[1];
    compare(options, "dense f32, one thread over two", pair, 1, 1.7);
    pair[0] = times[3];
    pair[1] = times[0];
    compare(options, "plain read, one thread over two", pair, 1, 0);
    job_destroy(&one);
    job_destroy(&two);
    ch_matrix_free(context, &X);
    ch_context_destroy(context);
}

/* A still scene of smooth brightness, noise of a few levels, and a square that moves across. */
static void make_clip(uint8_t *frames, int64_t count, int64_t width, int64_t height) {
    ch_random random;
    ch_random_seed(&random, 3);
    for (int64_t f = 0; f < count; f++)
        for (int64_t y = 0; y < height; y++)
            for (int64_t x = 0; x < width; x++) {
                double light = f < count / 2 ? 1 : 0.7;
                double value = light * (60 + 0.6 * (double)x + 0.4 * (double)y);
                if (x / 20 == f * 8 / count && y / 40 == 1) value = 220;
                value += 2 * ch_random_normal(&random);
                frames[(f * height + y) * width + x] = (uint8_t)(value < 1     ? 1
                                                                 : value > 255 ? 255
                                                                               : value);
            }
}

typedef struct medians {
    const ch_matrix *X;
    uint8_t *median;
} medians;

/* The lower median of every column by counting: two counts per value, 16 coarse bins and 256. */
static void run_medians(void *user) {
    medians *m = user;
    const uint8_t *values = m->X->values;
    int64_t rows = m->X->rows, half = (rows - 1) / 2;
    for (int64_t j = 0; j < m->X->cols; j++) {
        int coarse[16] = {0}, fine[256] = {0};
        for (int64_t i = 0; i < rows; i++) {
            uint8_t value = m->X->layout == CH_ROW_MAJOR ? values[i * m->X->stride + j]
                                                         : values[i + j * m->X->stride];
            coarse[value >> 4]++;
            fine[value]++;
        }
        int64_t below = 0;
        int bin = 0, value;
        while (below + coarse[bin] <= half) below += coarse[bin++];
        for (value = 16 * bin; below + fine[value] <= half; value++) below += fine[value];
        m->median[j] = (uint8_t)value;
    }
}

static void video(const bench_options *options) {
    enum { WIDTH = 160, HEIGHT = 128, FRAMES = 200 };
    const char *path = getenv("BENCH_VIDEO");
    ch_context *context;
    ch_matrix read, X;
    uint8_t *frames = NULL;
    if (ch_context_create(&context, NULL) != CH_OK) stop("no context");
    if (path) {
        if (ch_matrix_read(context, &read, path, NULL) != CH_OK) stop(ch_context_message(context));
        if (read.type != CH_U8) stop("BENCH_VIDEO must hold 8-bit values");
    } else {
        frames = malloc(FRAMES * WIDTH * HEIGHT);
        if (!frames) stop("no memory");
        make_clip(frames, FRAMES, WIDTH, HEIGHT);
        if (ch_matrix_borrow_dense(context, &read, frames, FRAMES, WIDTH * HEIGHT, WIDTH * HEIGHT,
                                   CH_ROW_MAJOR, CH_U8) != CH_OK)
            stop(ch_context_message(context));
    }
    /* Pixels as columns, one after the other: the layout in which video is kept. */
    if (ch_matrix_copy(context, &X, &read, NULL, read.cols) != CH_OK)
        stop(ch_context_message(context));
    job one, two;
    medians m = {&X, malloc((size_t)X.cols)};
    if (!m.median) stop("no memory");
    job_create(&one, &X, 3, CH_METHOD_XRAY, 1);
    job_create(&two, &X, 3, CH_METHOD_XRAY, 2);
    one.H = malloc((size_t)(3 * X.cols) * sizeof(double));
    two.H = malloc((size_t)(3 * X.cols) * sizeof(double));
    if (!one.H || !two.H) stop("no memory");
    run_select(&one);
    run_select(&two);
    bench_work works[3] = {{run_medians, &m}, {run_project, &one}, {run_project, &two}};
    bench_time times[3], pair[2];
    bench_take_turns(times, works, 3, options);
    compare(options,
            path ? "video, projection on 3 over a median" : "made clip, projection over a median",
            times, 1, 8);
    pair[0] = times[2];
    pair[1] = times[1];
    compare(options, "video, projection, one thread over two", pair, 1, 1.7);
    bench_work selections[2] = {{run_medians, &m}, {run_select, &one}};
    bench_take_turns(times, selections, 2, options);
    compare(options, "video, selection of 3 over a median", times, 1, 0);
    job_destroy(&one);
    job_destroy(&two);
    free(m.median);
    ch_matrix_free(context, &X);
    ch_matrix_free(context, &read);
    free(frames);
    ch_context_destroy(context);
}

int main(int count, char **words) {
    bench_options options = bench_start(count, words);
    documents(&options);
    video(&options);
    dense(&options);
    return 0;
}
