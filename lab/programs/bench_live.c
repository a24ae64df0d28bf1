/* Live separation against nobody: lab/peers/compare_live.py runs it and OpenCV on the same
 * frames.
 *
 *     bench_live make FILE WIDTH HEIGHT FRAMES        frames of the generator, gray, one after
 * another bench_live run FILE WIDTH HEIGHT THREADS ROUNDS the frames ROUNDS times over after a
 * warm-up of 60; one JSON line: Mpixel/s, frames/s, latency in ms bench_live both, 640 x 360, two
 * threads */
#include <conehull/live.h>
#include <conehull/synthetic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int rising(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static int make(const char *path, int64_t width, int64_t height, int64_t frames) {
    ch_context *context = NULL;
    ch_scene_settings scene;
    size_t pixels = (size_t)(width * height);
    uint8_t *rgb = malloc(3 * pixels), *gray = malloc(pixels);
    FILE *file = fopen(path, "wb");
    int good = rgb && gray && file && ch_context_create(&context, NULL) == CH_OK;
    ch_settings_defaults(&ch_scene_table, &scene);
    scene.width = width;
    scene.height = height;
    scene.frames = frames;
    for (int64_t f = 0; good && f < frames; f++) {
        good = ch_scene_make(context, rgb, NULL, f, &scene) == CH_OK;
        for (size_t i = 0; i < pixels; i++) gray[i] = rgb[3 * i + 1];
        good = good && fwrite(gray, 1, pixels, file) == pixels;
    }
    if (file && fclose(file) != 0) good = 0;
    ch_context_destroy(context);
    free(rgb);
    free(gray);
    return good ? 0 : 1;
}

static uint8_t *read_all(const char *path, size_t *count) {
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END) != 0) return NULL;
    *count = (size_t)ftell(file);
    rewind(file);
    uint8_t *bytes = malloc(*count + 1);
    if (bytes && fread(bytes, 1, *count, file) != *count) *count = 0;
    fclose(file);
    return bytes;
}

static void print(double *spent, int64_t count, int64_t pixels) {
    double sum = 0;
    for (int64_t i = 0; i < count; i++) sum += spent[i];
    qsort(spent, (size_t)count, sizeof *spent, rising);
    printf("{\"mpixels\": %.2f, \"fps\": %.2f, \"p50\": %.2f, \"p95\": %.2f, \"p99\": %.2f, "
           "\"max\": %.2f}\n",
           1e-6 * (double)(count * pixels) / sum, (double)count / sum, 1e3 * spent[count / 2],
           1e3 * spent[count * 95 / 100], 1e3 * spent[count * 99 / 100], 1e3 * spent[count - 1]);
}

static int run(const char *path, int64_t width, int64_t height, int threads, int64_t rounds) {
    ch_context *context = NULL;
    ch_live *live = NULL;
    ch_live_settings set;
    ch_live_result now;
    size_t bytes = 0, pixels = (size_t)(width * height);
    uint8_t *frames = read_all(path, &bytes);
    int64_t count = (int64_t)(bytes / pixels), taken = 0;
    double *spent = malloc((size_t)(count * rounds + 1) * sizeof *spent);
    ch_live_defaults(&set);
    set.warm_up = 60;
    int good = frames && count > set.warm_up && spent &&
               ch_context_create(&context, NULL) == CH_OK &&
               ch_context_set_threads(context, threads) == CH_OK &&
               ch_live_create(context, &live, width, height, 1, &set) == CH_OK;
    for (int64_t f = 0; good && f < count * rounds; f++) {
        const uint8_t *planes[] = {frames + (size_t)(f % count) * pixels};
        double start = seconds();
        good = ch_live_process(live, &now, planes, 0) == CH_OK;
        if (f >= set.warm_up) spent[taken++] = seconds() - start;
    }
    if (good) print(spent, taken, width * height);
    ch_live_destroy(live);
    ch_context_destroy(context);
    free(spent);
    free(frames);
    return good ? 0 : 1;
}

static int make_and_run(void) {
    char path[] = "/tmp/bench_live_XXXXXX";
    int fd = mkstemp(path);
    if (fd < 0) return 1;
    close(fd);
    int code = make(path, 640, 360, 120);
    if (code == 0) code = run(path, 640, 360, 2, 1);
    unlink(path);
    return code;
}

int main(int count, char **words) {
    if (count == 1) return make_and_run();
    if (count == 6 && strcmp(words[1], "make") == 0)
        return make(words[2], atoll(words[3]), atoll(words[4]), atoll(words[5]));
    if (count == 7 && strcmp(words[1], "run") == 0)
        return run(words[2], atoll(words[3]), atoll(words[4]), atoi(words[5]), atoll(words[6]));
    fputs("bench_live make FILE WIDTH HEIGHT FRAMES | run FILE WIDTH HEIGHT THREADS ROUNDS\n",
          stderr);
    return 2;
}
