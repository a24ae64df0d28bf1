/* The decompositions of video. Robust PCA against NumPy on the same numbers, the same BLAS, kernel
 * and number of threads; local search per iteration and medians against a plain read of the bytes.
 */
#include "programs/standalone.h"
#include <conehull/conehull.h>
#include <conehull/io.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void stop(const char *why) {
    fprintf(stderr, "bench_decompose: %s\n", why);
    exit(1);
}

static ch_context *new_context(int threads) {
    ch_context *context;
    if (ch_context_create(&context, NULL) != CH_OK) stop("no context");
    if (ch_context_set_threads(context, threads) != CH_OK) stop("threads");
    return context;
}

/* L + S of Candes et al. (2011), section 4.1: rank n / 20, one entry in ten +-1. */
static double *planted(int64_t n) {
    int64_t rank = n / 20;
    double *X = calloc((size_t)(n * n), sizeof *X), *A = malloc((size_t)(2 * n * rank) * sizeof *A);
    if (!X || !A) stop("no memory");
    ch_random random;
    ch_random_seed(&random, 1);
    for (int64_t i = 0; i < 2 * n * rank; i++) A[i] = ch_random_normal(&random) / sqrt((double)n);
    for (int64_t j = 0; j < n; j++)
        for (int64_t k = 0; k < rank; k++)
            for (int64_t i = 0; i < n; i++) X[i + j * n] += A[i + k * n] * A[n * rank + j + k * n];
    for (int64_t i = 0; i < n * n; i++)
        if (ch_random_uniform(&random) < 0.1) X[i] += ch_random_uniform(&random) < 0.5 ? -1 : 1;
    free(A);
    return X;
}

/* Frames by rows: a still picture under light that changes, noise, and a square that walks. */
static uint8_t *video(int64_t frames, int64_t width, int64_t height) {
    uint8_t *X = malloc((size_t)(frames * width * height)),
            *still = malloc((size_t)(width * height));
    if (!X || !still) stop("no memory");
    ch_random random;
    ch_random_seed(&random, 2);
    for (int64_t p = 0; p < width * height; p++)
        still[p] = (uint8_t)(40 + ch_random_below(&random, 150));
    for (int64_t f = 0; f < frames; f++)
        for (int64_t p = 0; p < width * height; p++) {
            int64_t x = p % width - f * width / frames, y = p / width - height / 3;
            int moving = x >= 0 && x < width / 8 && y >= 0 && y < height / 4;
            double light = 1 + 0.1 * sin(0.05 * (double)f);
            double value = moving ? 230 : light * still[p];
            X[f * width * height + p] = (uint8_t)(value + 2 * ch_random_normal(&random));
        }
    free(still);
    return X;
}

typedef struct separation {
    ch_context *context;
    const ch_matrix *X;
    int64_t iterations, rank;
    int method; /* 0: robust PCA, 1: robust NMF, 2: robust low rank */
} separation;

static void separate(void *user) {
    separation *s = user;
    ch_decomposition parts;
    ch_status status;
    if (s->method == 0) {
        ch_rpca_settings set;
        ch_settings_defaults(&ch_rpca_table, &set);
        status = ch_robust_pca(s->context, &parts, s->X, &set);
    } else {
        ch_factor_settings set;
        ch_settings_defaults(&ch_factor_table, &set);
        set.rank = 3;
        status = s->method == 1 ? ch_robust_nmf(s->context, &parts, s->X, &set)
                                : ch_robust_lowrank(s->context, &parts, s->X, &set);
    }
    if (status < 0) stop(ch_context_message(s->context));
    s->iterations = parts.iterations;
    s->rank = parts.rank;
    ch_decomposition_free(s->context, &parts);
}

/* Seconds of the NumPy version; 0 when there is no NumPy. */
static double numpy(const char *path, const char *how, const bench_options *options, int *its) {
    const char *core = strrchr(ch_blas_name(), ' ');
    char command[1000];
    double seconds = 0;
    int rank;
    snprintf(command, sizeof command,
             "OPENBLAS_CORETYPE=%s OPENBLAS_NUM_THREADS=%d /usr/bin/python3 "
             "lab/peers/rpca_numpy.py %s "
             "%s %d "
             "2>/dev/null",
             core ? core + 1 : "", options->threads, path, how, (options->turns + 2) / 3);
    FILE *pipe = popen(command, "r");
    if (!pipe) return 0;
    if (fscanf(pipe, "%lf %d %d", &seconds, its, &rank) != 3) seconds = 0;
    pclose(pipe);
    return seconds;
}

static void against_numpy(const bench_options *options, const char *name, const char *path,
                          const separation *s, double own) {
    static const char *const hows[] = {"svd", "gram"};
    for (int h = 0; h < 2; h++) {
        int its = 0;
        double seconds = numpy(path, hows[h], options, &its);
        if (seconds == 0) {
            if (!options->json) printf("rpca %s against NumPy: skipped, no NumPy\n", name);
            return;
        }
        if (options->json)
            printf("{\"name\": \"rpca %s, numpy %s\", \"threads\": %d, \"seconds\": %.6g, "
                   "\"numpy_seconds\": %.6g, \"iterations\": %d, \"numpy_iterations\": %d, "
                   "\"rank\": %d, \"blas\": \"%s\", \"ratio\": %.3f, \"goal\": 1}\n",
                   name, hows[h], options->threads, own, seconds, (int)s->iterations, its,
                   (int)s->rank, ch_blas_name(), own / seconds);
        else
            printf("rpca %-23s %9.1f ms, %d iterations, rank %d   NumPy by %-4s %9.1f ms, %d "
                   "iterations   ratio %5.2f  (goal 1)\n",
                   name, 1e3 * own, (int)s->iterations, (int)s->rank, hows[h], 1e3 * seconds, its,
                   own / seconds);
    }
}

static void rpca(const bench_options *options, const char *name, const ch_matrix *X) {
    separation s = {.context = new_context(options->threads), .X = X};
    bench_work work = {separate, &s};
    bench_time time;
    char path[] = "/tmp/bench-rpca-XXXXXX.npy";
    int file = mkstemps(path, 4);
    if (file < 0) stop("no temporary file");
    close(file);
    if (ch_matrix_write(s.context, path, X) != CH_OK) stop(ch_context_message(s.context));
    bench_take_turns(&time, &work, 1, options);
    against_numpy(options, name, path, &s, time.min);
    unlink(path);
    ch_context_destroy(s.context);
}

static void local_search(const bench_options *options, const char *name, const ch_matrix *X,
                         int method) {
    separation s = {.context = new_context(options->threads), .X = X, .method = method};
    double bytes = (double)X->rows * (double)X->cols;
    bench_block block = {X->values, (size_t)bytes, options->threads, 0};
    bench_work works[2] = {{bench_plain_read, &block}, {separate, &s}};
    bench_time times[2];
    bench_take_turns(times, works, 2, options);
    bench_report(options, name, &times[1], (double)s.iterations, &times[0], bytes, 0);
    ch_context_destroy(s.context);
}

typedef struct medians {
    ch_context *context;
    const ch_matrix *X;
    int64_t radius;
} medians;

static void run_median(void *user) {
    medians *m = user;
    ch_median_settings set = {m->radius};
    ch_matrix Y;
    if (ch_median_filter(m->context, &Y, m->X, &set) != CH_OK) stop(ch_context_message(m->context));
    ch_matrix_free(m->context, &Y);
}

static void median(const bench_options *options, const char *name, const ch_matrix *X,
                   int64_t radius) {
    medians m = {new_context(options->threads), X, radius};
    double pixels = (double)X->rows * (double)X->cols;
    bench_block block = {X->values, (size_t)pixels, options->threads, 0};
    bench_work works[2] = {{bench_plain_read, &block}, {run_median, &m}};
    bench_time times[2];
    char label[100];
    bench_take_turns(times, works, 2, options);
    snprintf(label, sizeof label, "%s, %.0f Mpixel/s", name, pixels / times[1].min / 1e6);
    bench_report(options, label, &times[1], 1, &times[0], pixels, 0);
    ch_context_destroy(m.context);
}

static ch_matrix view(const void *values, int64_t rows, int64_t cols, ch_matrix_layout layout,
                      ch_value_type type) {
    return (ch_matrix){.rows = rows,
                       .cols = cols,
                       .layout = layout,
                       .type = type,
                       .values = values,
                       .stride = layout == CH_ROW_MAJOR ? cols : rows};
}

int main(int count, char **words) {
    bench_options options = bench_start(count, words);
    if (!options.json) printf("%s, %d threads\n", ch_blas_name(), options.threads);
    double *square = planted(500);
    ch_matrix X = view(square, 500, 500, CH_COLUMN_MAJOR, CH_F64);
    rpca(&options, "500 x 500, rank 25", &X);
    free(square);
    uint8_t *frames = video(200, 160, 128);
    ch_matrix V = view(frames, 200, 160 * 128, CH_ROW_MAJOR, CH_U8);
    rpca(&options, "video 200 x 20480", &V);
    local_search(&options, "robust nmf, an iteration", &V, 1);
    local_search(&options, "robust low rank, the same", &V, 2);
    free(frames);
    frames = video(600, 160, 128);
    ch_matrix long_video = view(frames, 600, 160 * 128, CH_ROW_MAJOR, CH_U8);
    median(&options, "median", &long_video, 0);
    median(&options, "median, radius 127", &long_video, 127);
    ch_matrix by_columns = view(frames, 600, 160 * 128, CH_COLUMN_MAJOR, CH_U8);
    median(&options, "median by columns", &by_columns, 0);
    free(frames);
    return 0;
}
