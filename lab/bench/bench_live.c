/* Live separation compared with OpenCV's background subtractors: the same gray frames of our
 * generator, the same threads. A turn is all frames once, the first 60 not timed; reading is not
 * counted. Latency is that of single frames, over all turns. */
#include "bench/bench_table.h"
#include "common/exit_codes.h"
#include "common/interrupt.h"
#include "common/message.h"
#include "harness/python_peer.h"
#include <conehull/live.h>
#include <conehull/scene.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

extern const char bench_peer_opencv[]; /* made at build time */

enum { FRAMES = 120, WARM_UP = 60, TIMED = FRAMES - WARM_UP };

typedef struct film {
    const bench_run *run;
    int64_t width, height;
    uint8_t *frames;
    double *spent; /* seconds of every timed frame of every turn */
    int64_t taken;
} film;

/* Green, which is most of the luma. */
static int make_frames(film *f) {
    ch_context *context = f->run->session->context;
    ch_scene_settings scene;
    int64_t pixels = f->width * f->height;
    uint8_t *rgb = malloc((size_t)(3 * pixels));
    ch_scene_defaults(&scene);
    scene.width = f->width;
    scene.height = f->height;
    scene.frames = FRAMES;
    f->frames = malloc((size_t)(pixels * FRAMES));
    f->spent = malloc((size_t)(TIMED * f->run->turns) * sizeof *f->spent);
    int code = rgb && f->frames && f->spent ? EXIT_DONE : cli_no_memory();
    for (int64_t i = 0; i < FRAMES && code == EXIT_DONE; i++) {
        code = bench_code(f->run, ch_scene_make(context, rgb, NULL, i, &scene));
        for (int64_t p = 0; p < pixels; p++) f->frames[i * pixels + p] = rgb[3 * p + 1];
    }
    free(rgb);
    return code;
}

static int process(void *user, bench_time *time) {
    film *f = user;
    ch_context *context = f->run->session->context;
    ch_live *live = NULL;
    ch_live_settings set;
    ch_live_result now = {.size = sizeof now};
    bench_time start = bench_now();
    ch_live_defaults(&set);
    set.warm_up = WARM_UP;
    ch_status status =
        ch_live_create(context, &live, &(ch_frame_shape){f->width, f->height, 1}, &set);
    for (int64_t i = 0; i < FRAMES && status == CH_OK; i++) {
        const uint8_t *planes[] = {f->frames + i * f->width * f->height};
        bench_time begin = bench_now();
        if (i == WARM_UP) start = begin;
        status = ch_live_process(live, &now, planes, 0);
        if (i >= WARM_UP) f->spent[f->taken++] = bench_since(begin).wall;
    }
    *time = bench_since(start);
    ch_live_destroy(live);
    return bench_code(f->run, status);
}

static int by_size(const void *left, const void *right) {
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

typedef struct speed {
    double mpixels, frames;     /* per second, by the least time of a turn */
    double p50, p95, p99, most; /* milliseconds                            */
} speed;

static speed settle(film *f, double least) {
    qsort(f->spent, (size_t)f->taken, sizeof *f->spent, by_size);
    double frames = TIMED / least;
    return (speed){1e-6 * frames * (double)(f->width * f->height),
                   frames,
                   1e3 * f->spent[f->taken / 2],
                   1e3 * f->spent[f->taken * 95 / 100],
                   1e3 * f->spent[f->taken * 99 / 100],
                   1e3 * f->spent[f->taken - 1]};
}

/* ---- OpenCV ---- */

static int start_opencv(bench_python *other, const film *f, char *path, size_t size) {
    char width[24], height[24], threads[24], warm_up[24];
    char *words[] = {path, width, height, threads, warm_up};
    int code = bench_temporary(path, size, ".raw");
    if (code != EXIT_DONE) return code;
    size_t bytes = (size_t)(f->width * f->height * FRAMES);
    FILE *file = fopen(path, "wb");
    int whole = file && fwrite(f->frames, 1, bytes, file) == bytes;
    if (!file || fclose(file) != 0 || !whole) {
        cli_complain("%s: the file cannot be written; set TMPDIR to a folder for temporary files",
                     path);
        return EXIT_FILES;
    }
    snprintf(width, sizeof width, "%lld", (long long)f->width);
    snprintf(height, sizeof height, "%lld", (long long)f->height);
    snprintf(threads, sizeof threads, "%d", f->run->threads);
    snprintf(warm_up, sizeof warm_up, "%d", WARM_UP);
    bench_python_start(other, "OpenCV", f->run, bench_peer_opencv, words, 5);
    return cli_interrupted() ? EXIT_INTERRUPTED : EXIT_DONE;
}

static int ask_mog2(void *user, bench_time *time) {
    ((bench_python *)user)->line = "MOG2\n";
    return bench_python_ask(user, time);
}

static int ask_knn(void *user, bench_time *time) {
    ((bench_python *)user)->line = "KNN\n";
    return bench_python_ask(user, time);
}

/* ---- one size ---- */

static void print_speed(const char *size, const speed *s) {
    printf("live, %s: %.1f Mpixel/s, %.1f frames/s; latency p50 %.2f, p95 %.2f, p99 %.2f, max %.2f "
           "ms\n",
           size, s->mpixels, s->frames, s->p50, s->p95, s->p99, s->most);
}

static int keep_speed(bench_run *run, const char *size, const speed *s) {
    json_t *list = json_object_get(run->object, "live");
    if (!list && bench_set(run, "live", list = json_array()) != EXIT_DONE) return EXIT_MEMORY;
    json_t *row = json_pack("{ss sf sf sf sf sf sf}", "size", size, "mpixels", s->mpixels, "fps",
                            s->frames, "p50", s->p50, "p95", s->p95, "p99", s->p99, "max", s->most);
    return json_array_append_new(list, row) == 0 ? EXIT_DONE : cli_no_memory();
}

static int compare(bench_run *run, film *f, bench_python *other, const char *size) {
    enum { LIVE, MOG2, KNN, WORKS };
    bench_work works[WORKS] = {
        {"live", process, f}, {"OpenCV's MOG2", ask_mog2, other}, {"OpenCV's KNN", ask_knn, other}};
    const char *const names[WORKS] = {"", "MOG2 over live", "KNN over live"};
    bench_series series[WORKS];
    int there = other->peer.pid ? WORKS : 1;
    int code = bench_take_turns(run, series, works, there);
    if (code != EXIT_DONE) return code;
    speed own = settle(f, bench_span_of(series[LIVE].wall, series[LIVE].turns).min);
    if (bench_prints(run)) print_speed(size, &own);
    code = keep_speed(run, size, &own);
    for (int k = MOG2; k < WORKS && code == EXIT_DONE; k++) {
        bench_record record = k < there ? bench_ratio(run, &series[k], &series[LIVE], 1)
                                        : bench_absent("", other->about);
        snprintf(record.name, sizeof record.name, "%s, %s", names[k], size);
        snprintf(record.data, sizeof record.data, "generated film, %d frames of %s", TIMED, size);
        code = bench_add(run, &record);
    }
    return code;
}

static int measure(bench_run *run, int64_t width, int64_t height) {
    film f = {.run = run, .width = width, .height = height};
    bench_python other = {.name = NULL};
    char path[1000] = "", size[40];
    snprintf(size, sizeof size, "%lld x %lld", (long long)width, (long long)height);
    int code = make_frames(&f);
    if (code == EXIT_DONE) code = start_opencv(&other, &f, path, sizeof path);
    if (path[0]) unlink(path);
    if (code == EXIT_DONE) code = compare(run, &f, &other, size);
    bench_python_stop(&other);
    free(f.frames);
    free(f.spent);
    return code;
}

int bench_live(bench_run *run) {
    if (run->quick) return measure(run, 640, 360);
    int code = measure(run, 1280, 720);
    return code == EXIT_DONE ? measure(run, 1920, 1080) : code;
}
