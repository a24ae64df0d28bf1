/* Background and moving objects apart: robust-xray (selection, projection, one refit) against our
 * own robust PCA at its best lambda and against the median of all frames, in one run and in turns,
 * as `seconds.separate` of `conehull video` counts it; and what a second thread brings. The
 * sequences of the paper where they are at hand, at the rank and lambda that score best there
 * (docs/video-methods.md); else a film that is made here.
 *
 *     --window     the windows of 200 frames alone, without the whole sequence */
#include "programs/standalone.h"
#include <conehull/clip.h>
#include <conehull/conehull.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WINDOW = 200, WIDTH = 160, HEIGHT = 120, LONG = 1500 };

typedef struct scene {
    const char *name;
    int64_t from, frames; /* frames 0: to the end */
    int64_t rank;
    double lambda;
    double goal; /* robust PCA takes so many times as long, at least */
} scene;

static const scene sequences[] = {{"restaurant", 243, WINDOW, 5, 0.5, 10},
                                  {"airport_hall", 2633, WINDOW, 1, 0.3, 10},
                                  {"lobby", 1315, WINDOW, 1, 0.3, 10},
                                  {"lobby", 0, 0, 3, 0.5, 30}};
static const scene made_films[] = {{"made film", 0, WINDOW, 2, 0.5, 10},
                                   {"made film", 0, LONG, 2, 0.5, 30}};

static _Noreturn void stop(const char *why) {
    fprintf(stderr, "bench_video: %s\n", why);
    exit(1);
}

/* ---- films ---- */

static int read_sequence(ch_context *context, ch_clip *clip, const scene *of) {
    char name[256], path[4096];
    ch_clip_settings set;
    ch_settings_defaults(&ch_clip_table, &set);
    set.from = of->from;
    set.frames = of->frames;
    set.gray = 1;
    snprintf(name, sizeof name, "video/%s/frames.mkv", of->name);
    bench_data_path(path, sizeof path, name);
    return ch_clip_read(context, clip, path, &set) == CH_OK;
}

/* Green, which is most of the luma. values is freed by the caller. */
static uint8_t *make_film(ch_context *context, ch_clip *clip, const scene *of) {
    ch_scene_settings set;
    ch_settings_defaults(&ch_scene_table, &set);
    set.frames = of->frames;
    set.width = WIDTH;
    set.height = HEIGHT;
    int64_t pixels = WIDTH * HEIGHT;
    uint8_t *values = malloc((size_t)(of->frames * pixels)), *rgb = malloc((size_t)(3 * pixels));
    if (!values || !rgb) stop("no memory");
    for (int64_t f = 0; f < of->frames; f++) {
        if (ch_scene_make(context, rgb, NULL, f, &set) < 0) stop(ch_context_message(context));
        for (int64_t j = 0; j < pixels; j++) values[f + j * of->frames] = rgb[3 * j + 1];
    }
    free(rgb);
    memset(clip, 0, sizeof *clip);
    clip->frames = of->frames;
    clip->width = WIDTH;
    clip->height = HEIGHT;
    if (ch_matrix_borrow_dense(context, &clip->luma, values, of->frames, pixels, of->frames,
                               CH_COLUMN_MAJOR, CH_U8) < 0)
        stop(ch_context_message(context));
    return values;
}

/* ---- works ---- */

typedef struct separation {
    ch_context *context;
    const ch_matrix *X;
    ch_separate_settings set;
} separation;

static void separate(void *user) {
    const separation *s = user;
    ch_separation parts;
    if (ch_separate(s->context, &parts, s->X, &s->set) < 0) stop(ch_context_message(s->context));
    ch_separation_free(s->context, &parts);
}

static separation plan(ch_context *context, const ch_matrix *X, int method, const scene *of) {
    separation s = {.context = context, .X = X};
    ch_settings_defaults(&ch_separate_table, &s.set);
    s.set.method = method;
    s.set.rank = method == CH_SEPARATE_ROBUST_XRAY ? of->rank : 0;
    s.set.lambda = of->lambda;
    return s;
}

enum { ROBUST_XRAY, ONE_THREAD, MEDIAN, RPCA, WORKS };

static void report(const bench_options *options, const scene *of, const ch_clip *clip,
                   const bench_time times[WORKS]) {
    double own = times[ROBUST_XRAY].min, rate = (double)clip->frames / own;
    if (options->json)
        printf("{\"name\": \"%s\", \"frames\": %lld, \"pixels\": %lld, \"rank\": %lld, \"lambda\": "
               "%g, \"threads\": %d, \"turns\": %d, \"seconds\": %.6g, \"frames_per_second\": "
               "%.1f, \"rpca_seconds\": %.6g, \"median_seconds\": %.6g, \"one_thread_seconds\": "
               "%.6g, \"rpca_ratio\": %.2f, \"goal\": %g, \"median_ratio\": %.2f, "
               "\"thread_ratio\": %.2f, \"blas\": \"%s\"}\n",
               of->name, (long long)clip->frames, (long long)(clip->width * clip->height),
               (long long)of->rank, of->lambda, options->threads, options->turns, own, rate,
               times[RPCA].min, times[MEDIAN].min, times[ONE_THREAD].min, times[RPCA].min / own,
               of->goal, own / times[MEDIAN].min, times[ONE_THREAD].min / own, ch_blas_name());
    else
        printf("%-12s %4lld frames of %lld x %lld, rank %lld: %7.3f s, %6.0f frames/s; rpca takes "
               "%.1f times as long (goal %g), one thread %.2f times; it takes %.1f times the "
               "median's\n",
               of->name, (long long)clip->frames, (long long)clip->width, (long long)clip->height,
               (long long)of->rank, own, rate, times[RPCA].min / own, of->goal,
               times[ONE_THREAD].min / own, own / times[MEDIAN].min);
}

/* Robust PCA of a long film takes minutes: once. The others are repeated as always. */
static void measure(const bench_options *options, ch_context *const contexts[2], const scene *of,
                    const ch_clip *clip) {
    const ch_matrix *X = &clip->luma;
    separation parts[WORKS] = {
        [ROBUST_XRAY] = plan(contexts[0], X, CH_SEPARATE_ROBUST_XRAY, of),
        [ONE_THREAD] = plan(contexts[1], X, CH_SEPARATE_ROBUST_XRAY, of),
        [MEDIAN] = plan(contexts[0], X, CH_SEPARATE_MEDIAN, of),
        [RPCA] = plan(contexts[0], X, CH_SEPARATE_RPCA, of),
    };
    bench_work works[WORKS];
    bench_time times[WORKS];
    bench_options turns = *options;
    for (int k = 0; k < WORKS; k++) works[k] = (bench_work){separate, &parts[k]};
    turns.turns = (options->turns + 2) / 3;
    if (clip->frames <= WINDOW) {
        bench_take_turns(times, works, WORKS, &turns);
    } else {
        bench_take_turns(times, works, RPCA, &turns);
        turns.turns = 1;
        bench_take_turns(&times[RPCA], &works[RPCA], 1, &turns);
    }
    report(options, of, clip, times);
}

/* 1: it was there */
static int measure_sequence(const bench_options *options, ch_context *const contexts[2],
                            const scene *of) {
    ch_clip clip;
    if (!read_sequence(contexts[0], &clip, of)) return 0;
    measure(options, contexts, of, &clip);
    ch_clip_free(contexts[0], &clip);
    return 1;
}

static void measure_made(const bench_options *options, ch_context *const contexts[2],
                         const scene *of) {
    ch_clip clip;
    uint8_t *values = make_film(contexts[0], &clip, of);
    measure(options, contexts, of, &clip);
    free(values);
}

static int take_flag(int *count, char **words, const char *flag) {
    for (int i = 1; i < *count; i++)
        if (strcmp(words[i], flag) == 0) {
            memmove(words + i, words + i + 1, (size_t)(*count - i) * sizeof *words);
            --*count;
            return 1;
        }
    return 0;
}

int main(int count, char **words) {
    bench_choose_blas_kernel(words);
    int window = take_flag(&count, words, "--window");
    bench_options options = bench_start(count, words);
    ch_context *contexts[2];
    int found = 0;
    for (int c = 0; c < 2; c++)
        if (ch_context_create(&contexts[c], NULL) != CH_OK ||
            ch_context_set_threads(contexts[c], c ? 1 : options.threads) != CH_OK)
            stop("no context");
    for (size_t k = 0; k < sizeof sequences / sizeof *sequences; k++)
        if (!window || sequences[k].frames)
            found += measure_sequence(&options, contexts, &sequences[k]);
    for (size_t k = 0; !found && k < sizeof made_films / sizeof *made_films; k++)
        if (!window || made_films[k].frames == WINDOW)
            measure_made(&options, contexts, &made_films[k]);
    for (int c = 0; c < 2; c++) ch_context_destroy(contexts[c]);
    return 0;
}
