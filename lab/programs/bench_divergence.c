/* Divergences against what others run today, one thread each, in processor time:
 *
 *     KL projection of all columns of Reuters on 20 anchors, against scikit-learn's multiplicative
 *     updates with W fixed, run to the same objective (goal: 20 times faster);
 *     Xray-IS with 20 anchors on the paper's 200 x 210 data under exponential noise, against a
 * NumPy version of the same algorithm (goal: 50 times faster).
 *
 * The other side is lab/peers/compare_divergences.py, which this program starts from the
 * project's folder where Python has what it needs. Without it the times are printed alone. */
#include "programs/standalone.h"
#include <conehull/conehull.h>
#include <conehull/io.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { RANK = 20, TEXT = 4096 };

static void stop(const char *why) {
    fprintf(stderr, "bench_divergence: %s\n", why);
    exit(1);
}

static double processor_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static ch_anchors_settings settings(int loss) {
    ch_anchors_settings set;
    ch_settings_defaults(&ch_anchors_table, &set);
    set.rank = RANK;
    set.loss = loss;
    return set;
}

static ch_anchors_result find(ch_context *context, const ch_matrix *X,
                              const ch_anchors_settings *set) {
    ch_anchors_result result;
    if (ch_anchors(context, &result, X, set) < 0) stop(ch_context_message(context));
    return result;
}

/* Starts the other side with these arguments; it prints its own lines. */
static void compare(const bench_options *options, const char *arguments) {
    char command[2 * TEXT];
    const char *script = "lab/peers/compare_divergences.py";
    if (options->json) return;
    if (access(script, R_OK) != 0) {
        printf("  no comparison: %s is not here\n", script);
        return;
    }
    fflush(stdout);
    snprintf(command, sizeof command, "/usr/bin/env python3 %s %s", script, arguments);
    const char *python = getenv("CONEHULL_PYTHON"); /* one that has NumPy and scikit-learn */
    if (python || access("/usr/bin/python3", X_OK) == 0)
        snprintf(command, sizeof command, "%s %s %s", python ? python : "/usr/bin/python3", script,
                 arguments);
    if (system(command) != 0) printf("  no comparison: %s failed\n", script);
}

static void report(const bench_options *options, const char *name, double seconds,
                   const char *more) {
    if (options->json)
        printf("{\"name\": \"%s\", \"seconds\": %.6g}\n", name, seconds);
    else
        printf("%s: %.4f s of one processor%s\n", name, seconds, more);
}

/* ---- KL on Reuters ------------------------------------------------------------------------- */

static void text(const bench_options *options, ch_context *context, const char *path,
                 const ch_matrix *X) {
    ch_anchors_settings set = settings(CH_LOSS_KL);
    set.select_only = 1;
    ch_anchors_result found = find(context, X, &set);
    ch_project_info info;
    double *H = malloc(sizeof *H * (size_t)(RANK * X->cols)), best = 1e300;
    if (!H) stop("no memory");
    set.floor = found.floor;
    for (int turn = 0; turn < options->turns; turn++) {
        double start = processor_seconds();
        if (ch_project(context, H, &info, X, found.W, found.rank, &set) < 0)
            stop(ch_context_message(context));
        double seconds = processor_seconds() - start;
        if (seconds < best) best = seconds;
    }
    char more[TEXT], arguments[TEXT];
    snprintf(more, sizeof more, ", %.1f us a column, %.1f steps, gap %.1e, %lld unproven",
             1e6 * best / (double)X->cols, (double)info.pivots / (double)X->cols,
             info.certificate.gap, (long long)info.unproven);
    report(options, "kl, Reuters, 20 anchors, projection", best, more);
    int length = snprintf(arguments, sizeof arguments,
                          "kl --file '%s' --seconds %.6g --objective %.17g "
                          "--floor %.17g --anchors ",
                          path, best, info.objective, found.floor);
    for (int64_t k = 0; k < found.rank; k++)
        length += snprintf(arguments + length, sizeof arguments - (size_t)length, "%lld%s",
                           (long long)found.anchors[k], k + 1 < found.rank ? "," : "");
    compare(options, arguments);
    free(H);
    ch_anchors_result_free(context, &found);
}

static void reuters(const bench_options *options, ch_context *context) {
    char path[1000];
    ch_matrix X;
    bench_data_path(path, sizeof path, "text/reuters10/reuters10.mtx.gz");
    if (ch_matrix_read(context, &X, path, NULL) == CH_OK) {
        text(options, context, path, &X);
        ch_matrix_free(context, &X);
    } else if (!options->json) {
        printf("kl, Reuters: skipped, %s\n", ch_context_message(context));
    }
}

/* ---- IS under exponential noise ------------------------------------------------------------ */

static void noise(const bench_options *options, ch_context *context) {
    ch_synthetic_settings make = {.rows = 200,
                                  .cols = 210,
                                  .rank = RANK,
                                  .noise = CH_NOISE_EXPONENTIAL,
                                  .level = 1,
                                  .shuffle = 1,
                                  .type = CH_F64,
                                  .seed = 1};
    ch_matrix X;
    if (ch_synthetic_make(context, &X, NULL, &make) != CH_OK) stop(ch_context_message(context));
    ch_anchors_settings set = settings(CH_LOSS_IS);
    ch_anchors_result result = {0};
    double best = 1e300;
    for (int turn = 0; turn < options->turns; turn++) {
        ch_anchors_result_free(context, &result);
        double start = processor_seconds();
        result = find(context, &X, &set);
        double seconds = processor_seconds() - start;
        if (seconds < best) best = seconds;
    }
    char more[TEXT], file[] = "/tmp/conehull-bench-XXXXXX.npy", arguments[TEXT];
    snprintf(more, sizeof more, ", %lld projections, %lld steps, %lld unproven",
             (long long)result.projections, (long long)result.pivots, (long long)result.unproven);
    report(options, "is, 200 x 210, 20 anchors and H", best, more);
    int handle = mkstemps(file, 4);
    if (handle < 0) stop("no temporary file");
    close(handle);
    if (ch_matrix_write(context, file, &X) != CH_OK) stop(ch_context_message(context));
    int length =
        snprintf(arguments, sizeof arguments,
                 "is --file '%s' --seconds %.6g --objective %.17g --floor %.17g --anchors ", file,
                 best, result.objective, result.floor);
    for (int64_t k = 0; k < result.rank; k++)
        length += snprintf(arguments + length, sizeof arguments - (size_t)length, "%lld%s",
                           (long long)result.anchors[k], k + 1 < result.rank ? "," : "");
    compare(options, arguments);
    unlink(file);
    ch_anchors_result_free(context, &result);
    ch_matrix_free(context, &X);
}

int main(int count, char **words) {
    bench_options options = bench_start(count, words);
    ch_context *context;
    if (ch_context_create(&context, NULL) != CH_OK) stop("no context");
    ch_context_set_threads(context, 1);
    reuters(&options, context);
    noise(&options, context);
    ch_context_destroy(context);
    return 0;
}
