/* 150 exemplars of the training half of Reuters (18221 x 3642, sparse) on one thread: seconds of
 * processor time per selection (least of the turns), as ratios to SPA in the same run, for counts
 * as they are and for columns scaled to sum 1; then SMRS, once. Made-up documents where the data is
 * not at hand. */
#include "programs/standalone.h"
#include <conehull/conehull.h>
#include <conehull/io.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { EXEMPLARS = 150, TURNS = 3, WORDS = 6000, DOCUMENTS = 1500, LENGTH = 45 };

static _Noreturn void stop(const char *why) {
    fprintf(stderr, "bench_exemplars: %s\n", why);
    exit(1);
}

static double processor_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Words by Zipf's law, documents of one of ten kinds. */
static ch_matrix make_documents(ch_context *context) {
    double *values = calloc((size_t)WORDS * DOCUMENTS, sizeof *values);
    ch_random random;
    ch_matrix view, X;
    int64_t start[DOCUMENTS + 1], end = 0;
    if (!values) stop("no memory");
    ch_random_seed(&random, 5);
    for (int64_t j = 0; j < DOCUMENTS; j++)
        for (int w = 0; w < LENGTH; w++) {
            int64_t rank = (int64_t)exp(ch_random_uniform(&random) * log(WORDS / 10.0));
            int64_t word = w % 3 ? rank * 10 + j % 10 : rank * 10;
            values[word % WORDS + j * WORDS] += 1;
        }
    int32_t *index = malloc((size_t)DOCUMENTS * LENGTH * sizeof *index);
    double *counts = malloc((size_t)DOCUMENTS * LENGTH * sizeof *counts);
    if (!index || !counts) stop("no memory");
    for (int64_t j = 0; j < DOCUMENTS; j++) {
        start[j] = end;
        for (int32_t i = 0; i < WORDS; i++)
            if (values[i + j * WORDS] > 0) {
                index[end] = i;
                counts[end++] = values[i + j * WORDS];
            }
    }
    start[DOCUMENTS] = end;
    if (ch_matrix_borrow_csc(context, &view, counts, start, index, WORDS, DOCUMENTS, CH_F64) < 0 ||
        ch_matrix_copy(context, &X, &view, NULL, 0) < 0)
        stop(ch_context_message(context));
    free(counts);
    free(index);
    free(values);
    return X;
}

static ch_matrix training_half(ch_context *context, const char **name) {
    char path[4096];
    ch_matrix all, half;
    bench_data_path(path, sizeof path, "text/reuters10/reuters10.mtx.gz");
    *name = "Reuters";
    if (ch_matrix_read(context, &all, path, NULL) < 0) {
        *name = "made-up documents";
        return make_documents(context);
    }
    int64_t *order = malloc((size_t)all.cols * sizeof *order);
    if (!order) stop("no memory");
    ch_exemplars_split(order, all.cols, 0, 0);
    if (ch_matrix_copy(context, &half, &all, order, all.cols / 2) < 0)
        stop(ch_context_message(context));
    free(order);
    ch_matrix_free(context, &all);
    return half;
}

static double select_once(ch_context *context, const ch_matrix *X, const char *name) {
    const ch_exemplars_method *method = &ch_exemplars_methods[ch_exemplars_method_find(name)];
    ch_anchors_settings set;
    ch_anchors_result result;
    ch_settings_defaults(&ch_anchors_table, &set);
    set.method = method->method;
    set.loss = method->loss;
    set.rank = EXEMPLARS;
    set.select_only = 1;
    double start = processor_seconds();
    if (ch_anchors(context, &result, X, &set) < 0) stop(ch_context_message(context));
    double seconds = processor_seconds() - start;
    ch_anchors_result_free(context, &result);
    return seconds;
}

static void report(const bench_options *options, const char *weight, const char *method,
                   double seconds, double spa) {
    if (options->json)
        printf("{\"weight\":\"%s\",\"method\":\"%s\",\"seconds\":%.6f,\"to_spa\":%.3f}\n", weight,
               method, seconds, seconds / spa);
    else
        printf("%-8s %-12s %9.3f s %9.2f times spa\n", weight, method, seconds, seconds / spa);
}

int main(int count, char **words) {
    static const char *const names[] = {"spa", "robust-xray", "xray-l2"};
    bench_options options = bench_start(count, words);
    ch_context *context;
    const char *data;
    if (ch_context_create(&context, NULL) != CH_OK || ch_context_set_threads(context, 1) != CH_OK)
        stop("no context");
    ch_matrix counts = training_half(context, &data);
    if (!options.json)
        printf("%d exemplars, %s, %lld x %lld, one thread\n", EXEMPLARS, data,
               (long long)counts.rows, (long long)counts.cols);
    for (int scale = 0; scale < 2; scale++) {
        ch_weighting weighting = {CH_VALUE_RAW, scale ? CH_COLUMN_L1 : CH_COLUMN_AS_IS};
        ch_matrix X;
        double least[3] = {INFINITY, INFINITY, INFINITY};
        if (ch_weighting_apply(context, &X, &counts, NULL, &weighting) < 0)
            stop(ch_context_message(context));
        for (int turn = 0; turn < TURNS; turn++)
            for (int m = 0; m < 3; m++)
                least[m] = fmin(least[m], select_once(context, &X, names[m]));
        for (int m = 0; m < 3; m++)
            report(&options, scale ? "l1" : "raw", names[m], least[m], least[0]);
        if (scale) {
            double smrs = select_once(context, &X, "smrs");
            report(&options, "l1", "smrs", smrs, least[0]);
            if (!options.json) printf("smrs takes %.0f times robust-xray\n", smrs / least[1]);
        }
        ch_matrix_free(context, &X);
    }
    ch_matrix_free(context, &counts);
    ch_context_destroy(context);
    return 0;
}
