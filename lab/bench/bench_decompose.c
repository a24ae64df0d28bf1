/* The decompositions of video: robust PCA over NumPy on the same numbers, BLAS, kernel and number
 * of threads; an iteration of local search, and medians, over a plain read of the bytes. */
#include "bench/bench_table.h"
#include "common/exit_codes.h"
#include "harness/plain_read.h"
#include "harness/python_peer.h"
#include <conehull/conehull.h>
#include <conehull/io.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

extern const char bench_peer_rpca[]; /* generated at build time */

/* ---- data ---- */

/* Returns L + S as in Candes et al. (2011), section 4.1: rank n / 20, one entry in ten of S is
 * +-1. */
static double *make_planted(int64_t n) {
    int64_t rank = n / 20;
    double *X = calloc((size_t)(n * n), sizeof *X), *A = malloc((size_t)(2 * n * rank) * sizeof *A);
    ch_random random;
    ch_random_seed(&random, 1);
    for (int64_t i = 0; X && A && i < 2 * n * rank; i++)
        A[i] = ch_random_normal(&random) / sqrt((double)n);
    for (int64_t j = 0; X && A && j < n; j++)
        for (int64_t k = 0; k < rank; k++)
            for (int64_t i = 0; i < n; i++) X[i + j * n] += A[i + k * n] * A[n * rank + j + k * n];
    for (int64_t i = 0; X && A && i < n * n; i++)
        if (ch_random_uniform(&random) < 0.1) X[i] += ch_random_uniform(&random) < 0.5 ? -1 : 1;
    free(A);
    return X;
}

enum { WIDTH = 160, HEIGHT = 128, PIXELS = WIDTH * HEIGHT };

/* Returns frames, one per row: a still picture under changing light, noise, and a moving square. */
static uint8_t *make_frames(int64_t frames) {
    uint8_t *X = malloc((size_t)(frames * PIXELS)), still[PIXELS];
    ch_random random;
    ch_random_seed(&random, 2);
    for (int64_t p = 0; p < PIXELS; p++) still[p] = (uint8_t)(40 + ch_random_below(&random, 150));
    for (int64_t f = 0; X && f < frames; f++)
        for (int64_t p = 0; p < PIXELS; p++) {
            int64_t x = p % WIDTH - f * WIDTH / frames, y = p / WIDTH - HEIGHT / 3;
            int moving = x >= 0 && x < WIDTH / 8 && y >= 0 && y < HEIGHT / 4;
            double light = 1 + 0.1 * sin(0.05 * (double)f);
            double value = moving ? 230 : light * still[p];
            X[f * PIXELS + p] = (uint8_t)(value + 2 * ch_random_normal(&random));
        }
    return X;
}

static int borrow_frames(const bench_run *run, ch_matrix *X, const uint8_t *frames, int64_t count,
                         ch_matrix_layout layout) {
    if (!frames) return cli_no_memory();
    const ch_matrix of = {
        .rows = count, .cols = PIXELS, .layout = layout, .type = CH_U8, .values = frames};
    return bench_code(run, ch_matrix_borrow(run->session->context, X, &of));
}

/* ---- decompositions ---- */

typedef struct decomposition {
    const bench_run *run;
    const ch_matrix *X;
    enum { ROBUST_PCA, ROBUST_NMF, ROBUST_LOWRANK } method;
    int64_t iterations, rank; /* results of the last run */
} decomposition;

static int decompose(void *user, bench_time *time) {
    decomposition *d = user;
    ch_context *context = d->run->session->context;
    ch_rpca_settings rpca;
    ch_factor_settings factor;
    ch_decomposition parts = {.size = sizeof parts};
    ch_status status;
    (void)time;
    ch_rpca_defaults(&rpca);
    ch_factor_defaults(&factor);
    factor.rank = 3;
    if (d->method == ROBUST_PCA)
        status = ch_robust_pca(context, &parts, d->X, &rpca);
    else if (d->method == ROBUST_NMF)
        status = ch_robust_nmf(context, &parts, d->X, &factor);
    else
        status = ch_robust_lowrank(context, &parts, d->X, &factor);
    if (status >= 0) {
        d->iterations = parts.iterations;
        d->rank = parts.rank;
        ch_decomposition_free(context, &parts);
    }
    return bench_code(d->run, status);
}

static int compare_numpy(bench_run *run, const char *data, decomposition *own,
                         bench_python *other) {
    static const char *const hows[] = {"svd", "gram"};
    int code = EXIT_DONE;
    for (int h = 0; h < 2 && code == EXIT_DONE; h++) {
        char line[8], what[BENCH_TEXT], name[BENCH_TEXT];
        bench_work above = {"robust PCA", decompose, own}, below = {what, bench_python_ask, other};
        bench_record record;
        snprintf(line, sizeof line, "%s\n", hows[h]);
        snprintf(what, sizeof what, "NumPy %.20s, %s", other->about, hows[h]);
        snprintf(name, sizeof name, "rpca %s over NumPy's %s", data, hows[h]);
        other->line = line;
        if (!other->peer.pid) {
            record = bench_absent(name, other->about);
        } else {
            code = bench_compare(run, &record, &above, &below, 1);
            if (code != EXIT_DONE) return code;
            snprintf(record.name, sizeof record.name, "%s", name);
            record.at_most = 1;
            record.details =
                json_pack("{sI sI si}", "iterations", (json_int_t)own->iterations, "rank",
                          (json_int_t)own->rank, "numpy_iterations", (int)other->values[0]);
        }
        snprintf(record.data, sizeof record.data, "%s", data);
        code = bench_add(run, &record);
    }
    return code;
}

static int measure_rpca(bench_run *run, const char *data, const ch_matrix *X) {
    decomposition own = {.run = run, .X = X, .method = ROBUST_PCA};
    bench_python other = {.name = NULL};
    char path[1000], *words[] = {path};
    int code = bench_temporary(path, sizeof path, ".npy");
    if (code != EXIT_DONE) return code;
    code = bench_code(run, ch_matrix_write(run->session->context, path, X));
    if (code == EXIT_DONE) bench_python_start(&other, "NumPy", run, bench_peer_rpca, words, 1);
    if (code == EXIT_DONE) code = compare_numpy(run, data, &own, &other);
    bench_python_stop(&other);
    unlink(path);
    return code;
}

/* ---- over plain reads ---- */

/* Adds the ratio of the time of `work` to the time of plain reads of X: as many reads as
 * *iterations, or one if iterations is NULL. */
static int compare_read(bench_run *run, const char *data, const ch_matrix *X,
                        const bench_work *work, const int64_t *iterations) {
    bench_block block = bench_block_of(X, run->threads);
    const bench_work works[2] = {*work, {"a plain read", bench_plain_read, &block}};
    bench_series series[2];
    int code = bench_take_turns(run, series, works, 2);
    if (code != EXIT_DONE) return code;
    bench_record record =
        bench_ratio(run, &series[0], &series[1], iterations ? (double)*iterations : 1);
    snprintf(record.name, sizeof record.name, "%s%s", work->what,
             iterations ? ", an iteration" : "");
    snprintf(record.data, sizeof record.data, "%s", data);
    record.bytes = bench_block_bytes(&block);
    return bench_add(run, &record);
}

static int measure_local_search(bench_run *run, const char *data, const ch_matrix *X) {
    decomposition nmf = {.run = run, .X = X, .method = ROBUST_NMF};
    decomposition lowrank = {.run = run, .X = X, .method = ROBUST_LOWRANK};
    bench_work works[2] = {{"robust NMF", decompose, &nmf},
                           {"robust low rank", decompose, &lowrank}};
    int code = compare_read(run, data, X, &works[0], &nmf.iterations);
    return code == EXIT_DONE ? compare_read(run, data, X, &works[1], &lowrank.iterations) : code;
}

typedef struct medians {
    const bench_run *run;
    const ch_matrix *X;
    ch_median_settings set;
} medians;

static int filter(void *user, bench_time *time) {
    medians *m = user;
    ch_context *context = m->run->session->context;
    ch_matrix Y = {0};
    (void)time;
    ch_status status = ch_median_filter(context, &Y, m->X, &m->set);
    ch_matrix_free(context, &Y);
    return bench_code(m->run, status);
}

static int measure_medians(bench_run *run, int64_t count) {
    static const struct {
        const char *name;
        int64_t radius;
        ch_matrix_layout layout;
    } cases[] = {{"median", 0, CH_ROW_MAJOR},
                 {"median, radius 127", 127, CH_ROW_MAJOR},
                 {"median by columns", 0, CH_COLUMN_MAJOR}};
    uint8_t *frames = make_frames(count);
    char data[BENCH_TEXT];
    int code = EXIT_DONE;
    snprintf(data, sizeof data, "generated film, %lld frames of 160 x 128", (long long)count);
    for (int k = 0; k < 3 && code == EXIT_DONE; k++) {
        ch_matrix X = {0};
        medians m = {run, &X, {sizeof m.set, cases[k].radius}};
        bench_work work = {cases[k].name, filter, &m};
        code = borrow_frames(run, &X, frames, count, cases[k].layout);
        if (code == EXIT_DONE) code = compare_read(run, data, &X, &work, NULL);
    }
    free(frames);
    return code;
}

int bench_decompose(bench_run *run) {
    int64_t n = run->quick ? 200 : 500, count = run->quick ? 60 : 200;
    char data[2][BENCH_TEXT];
    double *square = make_planted(n);
    uint8_t *frames = make_frames(count);
    ch_matrix X = {0}, V = {0};
    snprintf(data[0], sizeof data[0], "%lld x %lld, rank %lld", (long long)n, (long long)n,
             (long long)(n / 20));
    snprintf(data[1], sizeof data[1], "film, %lld frames of 160 x 128", (long long)count);
    const ch_matrix planted = {.rows = n, .cols = n, .values = square};
    int code = square ? bench_code(run, ch_matrix_borrow(run->session->context, &X, &planted))
                      : cli_no_memory();
    if (code == EXIT_DONE) code = borrow_frames(run, &V, frames, count, CH_ROW_MAJOR);
    if (code == EXIT_DONE) code = measure_rpca(run, data[0], &X);
    if (code == EXIT_DONE) code = measure_rpca(run, data[1], &V);
    if (code == EXIT_DONE) code = measure_local_search(run, data[1], &V);
    free(square);
    free(frames);
    return code == EXIT_DONE ? measure_medians(run, 3 * count) : code;
}
