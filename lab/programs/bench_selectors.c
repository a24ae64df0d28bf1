/* One table of all methods that choose columns: the share of planted anchors found under sparse
 * noise (delta 0.5 and 0.7) and exponential noise (lambda 1), the paper's generator (Section 5.1:
 * 200 x 210, r = 20, columns shuffled), mean and standard deviation over runs, and the seconds of a
 * selection (median). Data and seeds are the same for every method. --turns N: runs, 10 unless
 * told. */
#include "programs/standalone.h"
#include <conehull/conehull.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 200, COLS = 210, RANK = 20, RUNS = 10, MOST_RUNS = 1000 };

static const struct {
    const char *name, *words;
} methods[] = {
    {"xray l1", "loss=l1"},
    {"xray l2", "loss=l2"},
    {"xray kl", "loss=kl"},
    {"xray is", "loss=is"},
    {"spa", "method=spa"},
    {"spa plain", "method=spa plain=1"},
    {"hottopixx", "method=hottopixx"},
    {"smrs", "method=smrs"},
    {"smrs linear", "method=smrs linear=1"},
};
enum { METHODS = sizeof methods / sizeof *methods };

static const struct {
    const char *name;
    int noise;
    double level;
} noises[] = {
    {"sparse 0.5", CH_NOISE_SPARSE, 0.5},
    {"sparse 0.7", CH_NOISE_SPARSE, 0.7},
    {"exponential 1", CH_NOISE_EXPONENTIAL, 1.0},
};
enum { NOISES = sizeof noises / sizeof *noises };

static void stop(const char *why) {
    fprintf(stderr, "bench_selectors: %s\n", why);
    exit(1);
}

static ch_anchors_settings settings_of(ch_context *context, const char *words) {
    ch_anchors_settings set;
    ch_settings_defaults(&ch_anchors_table, &set);
    set.rank = RANK;
    set.select_only = 1;
    if (ch_settings_set_words(context, &ch_anchors_table, &set, words) != CH_OK)
        stop(ch_context_message(context));
    return set;
}

typedef struct tally {
    double found[MOST_RUNS], seconds[MOST_RUNS];
    int runs;
} tally;

static void add_run(tally *to, ch_context *context, const ch_matrix *X, const int64_t *anchors,
                    const char *words) {
    ch_anchors_settings set = settings_of(context, words);
    ch_anchors_result result;
    int hits = 0;
    double start = bench_seconds();
    if (ch_anchors(context, &result, X, &set) < 0) stop(ch_context_message(context));
    to->seconds[to->runs] = bench_seconds() - start;
    for (int64_t k = 0; k < result.rank; k++)
        for (int a = 0; a < RANK; a++) hits += result.anchors[k] == anchors[a];
    to->found[to->runs++] = (double)hits / RANK;
    ch_anchors_result_free(context, &result);
}

static int by_size(const void *a, const void *b) {
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static void report(tally *t, const char *method, const char *noise, int json) {
    double mean = 0, square = 0;
    for (int k = 0; k < t->runs; k++) mean += t->found[k] / t->runs;
    for (int k = 0; k < t->runs; k++) square += (t->found[k] - mean) * (t->found[k] - mean);
    double sd = t->runs > 1 ? sqrt(square / (t->runs - 1)) : 0;
    qsort(t->seconds, (size_t)t->runs, sizeof *t->seconds, by_size);
    double seconds = t->seconds[t->runs / 2];
    if (json)
        printf("{\"method\":\"%s\",\"noise\":\"%s\",\"runs\":%d,\"mean\":%.4f,\"sd\":%.4f,"
               "\"seconds\":%.6f}\n",
               method, noise, t->runs, mean, sd, seconds);
    else
        printf("  %.3f +- %.3f %8.4f s", mean, sd, seconds);
}

int main(int count, char **words) {
    static tally tallies[NOISES][METHODS];
    bench_options options = bench_start(count, words);
    int runs = RUNS;
    for (int k = 1; k < count; k++)
        if (strcmp(words[k], "--turns") == 0) runs = options.turns;
    if (runs > MOST_RUNS) stop("at most 1000 runs");
    ch_context *context;
    if (ch_context_create(&context, NULL) != CH_OK) stop("no context");
    if (ch_context_set_threads(context, options.threads) != CH_OK) stop("threads");
    for (int n = 0; n < NOISES; n++)
        for (int run = 0; run < runs; run++) {
            int64_t anchors[RANK];
            ch_matrix X;
            ch_synthetic_settings made = {.rows = ROWS,
                                          .cols = COLS,
                                          .rank = RANK,
                                          .noise = noises[n].noise,
                                          .level = noises[n].level,
                                          .shuffle = 1,
                                          .seed = run};
            if (ch_synthetic_make(context, &X, anchors, &made) != CH_OK)
                stop(ch_context_message(context));
            for (int m = 0; m < METHODS; m++)
                add_run(&tallies[n][m], context, &X, anchors, methods[m].words);
            ch_matrix_free(context, &X);
        }
    if (!options.json) {
        printf("share of %d anchors found, %d x %d, %d runs; seconds per selection\n%-12s", RANK,
               ROWS, COLS, runs, "");
        for (int n = 0; n < NOISES; n++) printf("  %-25s", noises[n].name);
        putchar('\n');
    }
    for (int m = 0; m < METHODS; m++) {
        if (!options.json) printf("%-12s", methods[m].name);
        for (int n = 0; n < NOISES; n++)
            report(&tallies[n][m], methods[m].name, noises[n].name, options.json);
        if (!options.json) putchar('\n');
    }
    ch_context_destroy(context);
    return 0;
}
