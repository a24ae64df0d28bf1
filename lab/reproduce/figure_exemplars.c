/* Exemplars of documents (paper, Section 5.2 and its figure): half of the documents is drawn at
 * random, each method chooses 10 to 150 of them, and a linear SVM is trained on these alone and
 * tested on the other half. A unit is one method on one split; one more unit per split trains on
 * the whole half.
 *
 * Every method sees the columns scaled to sum 1 and the classifier sees them scaled to length 1, as
 * in `conehull exemplars`. Near duplicates: exemplars whose cosine with an earlier one is above
 * 0.9; the accuracy without them is measured for the largest number. */
#include "common/json.h"
#include "common/matrix_input.h"
#include "common/output_folder.h"
#include "report_chart.h"
#include "reproduce/reproduce.h"
#include "reproduce/reproduce_corpus.h"
#include <conehull/exemplars.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { RANKS_MAX = 15, SPLITS_MAX = 1000, SPLITS = 5, QUICK_SPLITS = 2 };
static const double near_duplicate = 0.9;

struct exemplars_plan {
    const char *folder, *name; /* folder and name of the data */
};
const struct exemplars_plan exemplars_reuters = {"text/reuters10", "reuters10"};
const struct exemplars_plan exemplars_bbc = {"text/bbc", "bbc"};

/* The four methods of the paper, then ours. Hottopixx, which stores documents x documents and words
 * x documents numbers, and xray-is, which has no shortcut for zeros, would take most of an hour per
 * split. */
static const struct {
    const char *method, *name;
    int slow; /* 1: a slow method (repro_left_out()) */
} methods[] = {
    {"robust-xray", "RobustXray", 0},
    {"xray-l2", "XRAY-l2", 0},
    {"spa", "SPA", 0},
    {"smrs", "SMRS", 1},
    {"xray-kl", "XRAY-KL", 1},
    {"random", "random", 0},
};
/* One trial per method, and one with the whole half. */
enum { METHODS = sizeof methods / sizeof *methods, TRIALS = METHODS + 1 };

static int splits_of(const repro_run *run) {
    return run->runs ? (int)run->runs : run->quick ? QUICK_SPLITS : SPLITS;
}

static int ranks_of(int64_t *ranks, const repro_run *run) {
    static const int64_t coarse[] = {10, 50, 100, 150};
    if (run->quick) {
        memcpy(ranks, coarse, sizeof coarse);
        return 4;
    }
    for (int k = 0; k < RANKS_MAX; k++) ranks[k] = 10 * (k + 1);
    return RANKS_MAX;
}

/* Unit u is trial u % TRIALS of split u / TRIALS. */
static int is_left_out(const repro_run *run, int unit) {
    int trial = unit % TRIALS;
    return trial < METHODS && methods[trial].slow && repro_left_out(run, unit / TRIALS);
}

/* ---- units ---- */

int exemplars_count(const repro_figure *figure, const repro_run *run) {
    (void)figure;
    return TRIALS * splits_of(run);
}

void exemplars_key(char *key, size_t size, const repro_figure *figure, const repro_run *run,
                   int unit) {
    int trial = unit % TRIALS;
    int64_t ranks[RANKS_MAX];
    snprintf(key, size, "%s seed=%lld split=%d %s ranks=%d%s", figure->name, (long long)run->seed,
             unit / TRIALS, trial < METHODS ? methods[trial].method : "whole half",
             ranks_of(ranks, run), is_left_out(run, unit) ? " left out" : "");
}

int exemplars_open(void **state, const repro_figure *figure, const repro_run *run) {
    const struct exemplars_plan *plan = figure->plan;
    repro_corpus *corpus = calloc(1, sizeof *corpus);
    char *folder = NULL;
    *state = corpus;
    if (corpus) folder = cli_path_join(run->data, plan->folder);
    int code =
        folder ? repro_corpus_read(corpus, run->session, folder, plan->name) : cli_no_memory();
    free(folder);
    return code;
}

void exemplars_close(void *state, const repro_run *run) {
    if (state) repro_corpus_free(state, run->session);
    free(state);
}

static ch_exemplars_settings settings_of(const repro_run *run, int trial) {
    ch_exemplars_settings set;
    ch_exemplars_defaults(&set);
    set.seed = run->seed;
    set.method = ch_exemplars_method_find(methods[trial % METHODS].method);
    return set;
}

static ch_status try_half(json_t *value, const repro_corpus *corpus, const repro_run *run,
                          int64_t split) {
    ch_exemplars_settings set = settings_of(run, 0);
    double accuracy = 0;
    ch_status status = ch_exemplars_try_columns(run->session->context, &accuracy,
                                                &(ch_exemplars_data){&corpus->X, corpus->classes},
                                                split, NULL, 0, &set);
    if (status == CH_OK) json_object_set_new(value, "accuracy", cli_json_reals(&accuracy, 1));
    return status;
}

/* Measures a method: with its exemplars, then without those that are near duplicates of earlier
 * ones. */
static ch_status try_method(json_t *value, const repro_corpus *corpus, const repro_run *run,
                            int64_t split, int trial) {
    ch_exemplars_settings set = settings_of(run, trial);
    int64_t ranks[RANKS_MAX], columns[RANKS_MAX * 10], kept[RANKS_MAX * 10];
    int count = ranks_of(ranks, run);
    double accuracy[RANKS_MAX], cleaned = 0;
    ch_exemplars_trial seen = {.size = sizeof seen, .accuracy = accuracy, .columns = columns};
    const ch_exemplars_data data = {&corpus->X, corpus->classes};
    ch_context *context = run->session->context;
    ch_status status = ch_exemplars_try_split(context, &seen, &data, split, ranks, count, &set);
    if (status != CH_OK) return status;
    int64_t left = repro_corpus_clean(kept, corpus, columns, seen.found, near_duplicate);
    status = ch_exemplars_try_columns(context, &cleaned, &data, split, kept, left, &set);
    json_object_set_new(value, "accuracy", cli_json_reals(accuracy, count));
    json_object_set_new(value, "found", json_integer(seen.found));
    json_object_set_new(value, "duplicates", json_integer(seen.found - left));
    json_object_set_new(value, "cleaned", json_real(cleaned));
    json_object_set_new(value, "select", json_real(seen.seconds_select));
    return status;
}

int exemplars_compute(json_t **value, void *state, const repro_figure *figure, const repro_run *run,
                      int unit) {
    int trial = unit % TRIALS, split = unit / TRIALS;
    double start = cli_seconds();
    (void)figure;
    *value = json_object();
    if (!*value) return cli_no_memory();
    ch_status status = CH_OK;
    if (trial == METHODS)
        status = try_half(*value, state, run, split);
    else if (!is_left_out(run, unit))
        status = try_method(*value, state, run, split, trial);
    json_object_set_new(*value, "seconds", json_real(cli_seconds() - start));
    return cli_check(run->session, status);
}

/* ---- the figure ---- */

/* Computes, over the splits, mean and standard deviation of the accuracy at each rank, and means of
 * the other values. */
static json_t *settle_trial(const char *name, int trial, json_t *const *values, int splits,
                            int ranks) {
    static const char *const rest[] = {"duplicates", "cleaned", "select"};
    double each[SPLITS_MAX][RANKS_MAX], one[SPLITS_MAX], mean[RANKS_MAX], sd[RANKS_MAX];
    json_t *lists = json_array();
    int tried = 0;
    for (int s = 0; s < splits; s++) {
        json_t *list = json_object_get(values[s * TRIALS + trial], "accuracy");
        for (int k = 0; k < ranks; k++) each[s][k] = NAN;
        repro_list(each[s], ranks, list);
        tried += list != NULL;
        json_array_append(lists, list ? list : json_null());
    }
    for (int k = 0; k < ranks; k++) {
        for (int s = 0; s < splits; s++) one[s] = each[s][k];
        mean[k] = repro_mean(one, splits);
        sd[k] = tried > 1 ? repro_sd(one, splits) : NAN;
    }
    json_t *row =
        json_pack("{ss si so so so}", "name", name, "splits", tried, "mean",
                  cli_json_reals(mean, ranks), "sd", cli_json_reals(sd, ranks), "each", lists);
    for (int i = 0; i < 3; i++) {
        for (int s = 0; s < splits; s++) one[s] = repro_real(values[s * TRIALS + trial], rest[i]);
        json_object_set_new(row, rest[i], cli_json_real(repro_mean(one, splits)));
    }
    return row;
}

json_t *exemplars_settle(const repro_figure *figure, const repro_run *run, json_t *const *values) {
    const struct exemplars_plan *plan = figure->plan;
    int64_t ranks[RANKS_MAX];
    int count = ranks_of(ranks, run), splits = splits_of(run);
    json_t *rows = json_array();
    for (int k = 0; k < METHODS; k++)
        json_array_append_new(rows, settle_trial(methods[k].name, k, values, splits, count));
    return json_pack("{s{ss si ss ss ss sf sf} s{so so so}}", "settings", "data", plan->folder,
                     "splits", splits, "weight", "l1", "features", "l2", "svm",
                     "one against the rest, squared hinge loss", "cost", 1.0, "near_duplicate",
                     near_duplicate, "results", "ranks", cli_json_integers(ranks, count), "methods",
                     rows, "whole_half",
                     settle_trial("all of the training half", METHODS, values, splits, 1));
}

void exemplars_table(FILE *to, const json_t *object) {
    const json_t *results = json_object_get(object, "results"), *row;
    double rank[RANKS_MAX], mean[RANKS_MAX], sd[RANKS_MAX];
    int ranks = repro_list(rank, RANKS_MAX, json_object_get(results, "ranks"));
    size_t k;
    fputs("exemplars,method,mean,sd,splits\n", to);
    json_array_foreach(json_object_get(results, "methods"), k, row) {
        repro_list(mean, RANKS_MAX, json_object_get(row, "mean"));
        repro_list(sd, RANKS_MAX, json_object_get(row, "sd"));
        for (int i = 0; i < ranks; i++) {
            fprintf(to, "%.0f,%s,%.4f,", rank[i], repro_text(row, "name"), mean[i]);
            if (!isnan(sd[i])) fprintf(to, "%.4f", sd[i]);
            fprintf(to, ",%.0f\n", repro_real(row, "splits"));
        }
    }
}

void exemplars_picture(FILE *to, const json_t *object) {
    const json_t *results = json_object_get(object, "results"), *row;
    double rank[RANKS_MAX], mean[METHODS][RANKS_MAX], whole, ends[2], level[2];
    int ranks = repro_list(rank, RANKS_MAX, json_object_get(results, "ranks"));
    char subtitle[160];
    snprintf(subtitle, sizeof subtitle,
             "trained on the exemplars alone, tried on the other half; means of %.0f splits, SMRS "
             "and XRAY-KL %.0f",
             repro_real(json_object_get(object, "settings"), "splits"),
             repro_real(repro_row(results, "methods", "SMRS"), "splits"));
    report_chart chart = {.title = repro_text(object, "title"),
                          .subtitle = subtitle,
                          .y = {"share classified right", 0.4, 1, 0.1, 1},
                          .width = 860,
                          .height = 460};
    chart.x = (report_axis){"exemplars", 0, rank[ranks - 1], 30, 0};
    size_t k;
    json_array_foreach(json_object_get(results, "methods"), k, row) {
        repro_list(mean[k], RANKS_MAX, json_object_get(row, "mean"));
        for (int i = 0; i < ranks; i++)
            while (mean[k][i] < chart.y.low) chart.y.low -= 0.1;
        chart.lines[chart.count++] =
            (report_line){.name = repro_text(row, "name"), .x = rank, .y = mean[k], .count = ranks};
    }
    repro_list(&whole, 1, json_object_get(json_object_get(results, "whole_half"), "mean"));
    ends[0] = chart.x.low, ends[1] = chart.x.high, level[0] = level[1] = whole;
    chart.lines[chart.count++] = (report_line){
        .name = "all documents", .x = ends, .y = level, .count = 2, .plain = 1, .guide = 1};
    report_chart_write(to, &chart);
}
