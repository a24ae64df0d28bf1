/* One table of all methods that choose columns: the share of planted anchors found, the paper's
 * generator (Section 5.1: 200 x 210, r = 20, columns shuffled), mean and standard deviation over 10
 * data sets (3 with --quick), and the seconds of a selection (median). The noise is the paper's
 * sparse one at levels of its figure, which only adds; sparse noise of both signs; gross outliers;
 * exponential, Poisson and Gaussian noise. Data and seeds are the same for every method.
 * `reproduce selectors` has all levels of noise, and can be interrupted. */
#include "bench/bench_table.h"
#include "common/exit_codes.h"
#include "common/interrupt.h"
#include "harness/anchors_work.h"
#include "harness/selectors.h"
#include <math.h>
#include <stdio.h>

enum { RANK = 20, SETS_MOST = 10 };

enum { METHODS = LAB_SELECTORS };

static const struct {
    const char *name;
    int noise;
    double level;
} noises[] = {
    {"sparse 0.3", CH_NOISE_SPARSE, 0.3},         {"sparse 0.5", CH_NOISE_SPARSE, 0.5},
    {"sparse 0.7", CH_NOISE_SPARSE, 0.7},         {"sparse 1.0", CH_NOISE_SPARSE, 1.0},
    {"sparse 1.5", CH_NOISE_SPARSE, 1.5},         {"two-sided 0.5", CH_NOISE_TWO_SIDED, 0.5},
    {"two-sided 1.0", CH_NOISE_TWO_SIDED, 1.0},   {"outliers 0.05", CH_NOISE_OUTLIERS, 0.05},
    {"exponential 1", CH_NOISE_EXPONENTIAL, 1.0}, {"poisson 3", CH_NOISE_POISSON, 3.0},
    {"gaussian 0.3", CH_NOISE_GAUSSIAN, 0.3},
};
enum { NOISES = sizeof noises / sizeof *noises };

typedef struct tally {
    double share[SETS_MOST], seconds[SETS_MOST];
} tally;

static int try_method(const bench_run *run, tally *to, int set, const ch_matrix *X,
                      const int64_t *planted, const char *words) {
    bench_anchors work = bench_anchors_plan(run, X, RANK, CH_METHOD_XRAY);
    bench_time time;
    ch_status status = ch_settings_set_words(work.context, ch_anchors_table(), &work.set, words);
    int code = bench_code(run, status);
    if (code == EXIT_DONE) code = bench_anchors_find(&work, &time);
    if (code == EXIT_DONE) {
        int64_t found = cli_recovery_count(planted, RANK, work.found.anchors, work.found.rank);
        to->share[set] = (double)found / RANK;
        to->seconds[set] = time.wall;
    }
    bench_anchors_free(&work);
    return code == EXIT_DONE && cli_interrupted() ? EXIT_INTERRUPTED : code;
}

static int try_methods(const bench_run *run, tally *tallies, int noise, int set) {
    ch_synthetic_settings make = {.size = sizeof make,
                                  .rows = 200,
                                  .cols = 210,
                                  .rank = RANK,
                                  .noise = noises[noise].noise,
                                  .level = noises[noise].level,
                                  .shuffle = 1,
                                  .seed = set};
    int64_t planted[RANK];
    ch_matrix X = {0};
    int code = bench_code(run, ch_synthetic_make(run->session->context, &X, planted, &make));
    for (int m = 0; m < METHODS && code == EXIT_DONE; m++)
        code = try_method(run, &tallies[m], set, &X, planted, lab_selectors[m].words);
    ch_matrix_free(run->session->context, &X);
    return code;
}

typedef struct result {
    double mean, sd, seconds;
} result;

static result settle(const tally *t, int sets) {
    double mean = 0, square = 0;
    for (int k = 0; k < sets; k++) mean += t->share[k] / sets;
    for (int k = 0; k < sets; k++) square += (t->share[k] - mean) * (t->share[k] - mean);
    return (result){mean, sqrt(square / (sets - 1)), bench_span_of(t->seconds, sets).median};
}

static void print_table(result results[NOISES][METHODS], int sets) {
    printf(
        "share of %d anchors found, 200 x 210, %d data sets, mean and standard deviation; seconds "
        "of the first\n%-24s",
        RANK, sets, "");
    for (int n = 0; n < NOISES; n++) printf(" %-13s", noises[n].name);
    printf(" seconds");
    for (int m = 0; m < METHODS; m++) {
        printf("\n%-24s", lab_selectors[m].name);
        for (int n = 0; n < NOISES; n++)
            printf(" %.3f %.3f  ", results[n][m].mean, results[n][m].sd);
        printf(" %.4f", results[0][m].seconds);
    }
    putchar('\n');
}

static json_t *table_json(result results[NOISES][METHODS], int sets) {
    json_t *list = json_array();
    for (int m = 0; m < METHODS; m++)
        for (int n = 0; n < NOISES; n++)
            json_array_append_new(
                list, json_pack("{ss ss si sf sf sf}", "method", lab_selectors[m].name, "noise",
                                noises[n].name, "runs", sets, "mean", results[n][m].mean, "sd",
                                results[n][m].sd, "seconds", results[n][m].seconds));
    return list;
}

int bench_selectors(bench_run *run) {
    tally tallies[NOISES][METHODS];
    result results[NOISES][METHODS];
    int sets = run->quick ? 3 : SETS_MOST, code = EXIT_DONE;
    for (int n = 0; n < NOISES; n++)
        for (int set = 0; set < sets && code == EXIT_DONE; set++)
            code = try_methods(run, tallies[n], n, set);
    if (code != EXIT_DONE) return code;
    for (int n = 0; n < NOISES; n++)
        for (int m = 0; m < METHODS; m++) results[n][m] = settle(&tallies[n][m], sets);
    if (bench_prints(run)) print_table(results, sets);
    return bench_set(run, "recovery", table_json(results, sets));
}
