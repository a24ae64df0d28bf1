/* Anchor recovery as lab/expected/recovery.csv pins it (paper, Section 5.1: 200 x 210, 20
 * anchors, columns shuffled, mean and standard deviation of 10 data sets). A quick run takes the
 * first three data sets and must agree within three standard errors of a mean of three, and one
 * anchor: enough to see a selector break, not to see it drift. --runs 10 repeats all of it, for
 * which the allowance is 0.02. --write prints the file anew: a change of it is a change of
 * quality, to be read as such. */
#include "support.h"
#include <conehull/conehull.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RANK = 20, ALL_RUNS = 10, QUICK_RUNS = 3, LINE = 200 };

static int runs = QUICK_RUNS;

typedef struct row {
    char noise[20], method[40]; /* method: settings by name, with blanks */
    double level, mean, sd;
} row;

static int noise_of(const char *name) {
    return strcmp(name, "sparse") == 0        ? CH_NOISE_SPARSE
           : strcmp(name, "exponential") == 0 ? CH_NOISE_EXPONENTIAL
                                              : CH_NOISE_POISSON;
}

static ch_anchors_settings settings_of(ch_context *context, const char *words) {
    ch_anchors_settings set;
    ch_anchors_defaults(&set);
    set.rank = RANK;
    set.select_only = 1;
    support_check(ch_settings_set_words(context, ch_anchors_table(), &set, words) == CH_OK, "%s",
                  ch_context_message(context));
    return set;
}

static double recovery(ch_context *context, const row *r, int seed) {
    ch_synthetic_settings made = {sizeof made, 200, 210,    RANK, noise_of(r->noise),
                                  r->level,    1,   CH_F64, seed};
    ch_anchors_settings set = settings_of(context, r->method);
    int64_t planted[RANK];
    int hits = 0;
    ch_matrix X;
    ch_anchors_result result = {.size = sizeof result};
    assert_int_equal(ch_synthetic_make(context, &X, planted, &made), CH_OK);
    support_check(ch_anchors(context, &result, &X, &set) >= 0, "%s", ch_context_message(context));
    for (int64_t k = 0; k < result.rank; k++)
        for (int a = 0; a < RANK; a++) hits += result.anchors[k] == planted[a];
    ch_anchors_result_free(context, &result);
    ch_matrix_free(context, &X);
    return (double)hits / RANK;
}

static void measure(row *r, ch_context *context, int count) {
    double square = 0, share[ALL_RUNS];
    r->mean = 0;
    for (int i = 0; i < count; i++) r->mean += (share[i] = recovery(context, r, i)) / count;
    for (int i = 0; i < count; i++) square += (share[i] - r->mean) * (share[i] - r->mean);
    r->sd = sqrt(square / (count - 1));
}

static int read_row(row *r, FILE *from) {
    char line[LINE];
    if (!fgets(line, sizeof line, from)) return 0;
    int found = sscanf(line, "%19[^,],%lf,%39[^,],%lf,%lf", r->noise, &r->level, r->method,
                       &r->mean, &r->sd);
    support_check(found == 5, "recovery.csv: cannot read '%s'", line);
    return 1;
}

static FILE *open_expected(void) {
    char line[LINE];
    FILE *from = fopen(CH_EXPECTED "/recovery.csv", "r");
    support_check(from && fgets(line, sizeof line, from), "%s/recovery.csv: cannot be read",
                  CH_EXPECTED);
    return from;
}

static void test_recovery(void **state) {
    (void)state;
    ch_context *context = support_context(NULL, 1);
    FILE *from = open_expected();
    row expected;
    int rows = 0;
    for (; read_row(&expected, from); rows++) {
        row got = expected;
        measure(&got, context, runs);
        double allowed =
            runs == ALL_RUNS ? 0.02 : 3 * expected.sd / sqrt((double)runs) + 1.0 / RANK;
        support_check(fabs(got.mean - expected.mean) <= allowed,
                      "%s noise %g, %s: recovery %.3f in %d runs, expected %.3f +- %.3f",
                      expected.noise, expected.level, expected.method, got.mean, runs,
                      expected.mean, allowed);
    }
    assert_true(rows >= 17);
    fclose(from);
    ch_context_destroy(context);
}

static int write_expected(void) {
    static const row rows[] = {
        {"sparse", "loss=l1", 0.5, 0, 0},       {"sparse", "loss=l1 first=paper", 0.5, 0, 0},
        {"sparse", "loss=l2", 0.5, 0, 0},       {"sparse", "method=spa", 0.5, 0, 0},
        {"sparse", "loss=l1", 0.7, 0, 0},       {"sparse", "loss=l1 exterior=rand", 0.7, 0, 0},
        {"sparse", "loss=l2", 0.7, 0, 0},       {"sparse", "method=spa", 0.7, 0, 0},
        {"sparse", "loss=l1", 1.0, 0, 0},       {"exponential", "loss=is", 1, 0, 0},
        {"exponential", "loss=kl", 1, 0, 0},    {"exponential", "loss=l2", 1, 0, 0},
        {"exponential", "method=spa", 1, 0, 0}, {"exponential", "loss=is", 10, 0, 0},
        {"poisson", "loss=kl", 10, 0, 0},       {"poisson", "loss=l1", 10, 0, 0},
        {"poisson", "method=spa", 10, 0, 0},
    };
    ch_context *context = support_context(NULL, 1);
    puts("noise,level,method,mean,sd");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        row r = rows[i];
        measure(&r, context, ALL_RUNS);
        printf("%s,%g,%s,%.4f,%.4f\n", r.noise, r.level, r.method, r.mean, r.sd);
    }
    ch_context_destroy(context);
    return 0;
}

int main(int count, char **words) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_recovery)};
    if (count == 2 && strcmp(words[1], "--write") == 0) return write_expected();
    if (count == 3 && strcmp(words[1], "--runs") == 0 && atoi(words[2]) == ALL_RUNS)
        runs = ALL_RUNS;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
