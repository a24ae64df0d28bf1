/* Anchor recovery under noise (paper, Section 5.1 and its figure): 200 x 210 matrices with 20
 * planted anchors, columns shuffled; a unit is one data set, tried by every method.
 *
 * The quick grid uses every n-th level of the full grid, with the same data. */
#include "common/exit_codes.h"
#include "common/json.h"
#include "common/matrix_input.h"
#include "common/message.h"
#include "report_chart.h"
#include "reproduce/recovery_plans.h"
#include "reproduce/reproduce.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LEVELS = CLI_RECOVERY_LEVELS_MAX, RUNS_MAX = 1000 };

/* ---- units ---- */

static int every_of(const repro_run *run, const struct recovery_plan *plan) {
    return run->quick ? plan->every : 1;
}

static int levels_of(const repro_run *run, const struct recovery_plan *plan) {
    return (plan->levels - 1) / every_of(run, plan) + 1;
}

static int runs_of(const repro_run *run, const struct recovery_plan *plan) {
    return run->runs ? (int)run->runs : run->quick ? plan->quick_runs : plan->runs;
}

/* Returns whether a method is left out of a data set: Hottopixx takes about a hundred times as long
 * as the others. */
static int is_left_out(const repro_run *run, const cli_recovery_method *method, int number) {
    return strstr(method->words, "hottopixx") && repro_left_out(run, number);
}

/* Returns the level of a unit: unit u is run u % runs of level u / runs. Levels are numbered on the
 * full grid. */
static int unit_level(const repro_run *run, const struct recovery_plan *plan, int unit) {
    return unit / runs_of(run, plan) * every_of(run, plan);
}

static double level_value(const struct recovery_plan *plan, int level) {
    return round(100 * (plan->first + level * plan->step)) / 100;
}

int recovery_count(const repro_figure *figure, const repro_run *run) {
    return levels_of(run, figure->plan) * runs_of(run, figure->plan);
}

void recovery_key(char *key, size_t size, const repro_figure *figure, const repro_run *run,
                  int unit) {
    const struct recovery_plan *plan = figure->plan;
    snprintf(key, size, "%s seed=%lld %s=%.2f run=%d%s", figure->name, (long long)run->seed,
             plan->level_name, level_value(plan, unit_level(run, plan, unit)),
             unit % runs_of(run, plan),
             repro_left_out(run, unit % runs_of(run, plan)) ? " without hottopixx" : "");
}

static json_t *outcome_json(const cli_recovery_outcome *outcome) {
    json_t *value =
        json_pack("{sI sf}", "found", (json_int_t)outcome->found, "seconds", outcome->seconds);
    if (outcome->duals_checked) {
        json_object_set_new(value, "checked", json_integer(outcome->duals_checked));
        json_object_set_new(value, "valid", json_integer(outcome->duals_valid));
    }
    return value;
}

static ch_status try_all(const repro_run *run, json_t *value, const ch_matrix *X,
                         const int64_t *planted, int64_t rank, const struct recovery_plan *plan,
                         int number) {
    ch_status status = CH_OK;
    for (int k = 0; plan->methods[k].name && status >= 0; k++) {
        cli_recovery_outcome outcome = {0};
        if (is_left_out(run, &plan->methods[k], number)) continue;
        status =
            cli_recovery_try(run->session->context, &outcome, X, planted, rank, &plan->methods[k]);
        if (status >= 0) json_object_set_new(value, plan->methods[k].name, outcome_json(&outcome));
    }
    return status;
}

int recovery_compute(json_t **value, void *state, const repro_figure *figure, const repro_run *run,
                     int unit) {
    const struct recovery_plan *plan = figure->plan;
    ch_context *context = run->session->context;
    cli_recovery experiment;
    ch_matrix X;
    (void)state;
    double start = cli_seconds();
    cli_recovery_paper(&experiment, runs_of(run, plan), run->seed);
    experiment.data.noise = plan->noise;
    experiment.levels = plan->levels;
    for (int i = 0; i < plan->levels; i++) experiment.level[i] = level_value(plan, i);
    int64_t rank = experiment.data.rank, *planted = malloc((size_t)rank * sizeof *planted);
    *value = json_object();
    if (!planted || !*value) {
        free(planted);
        return cli_no_memory();
    }
    ch_status status = cli_recovery_data(context, &X, planted, &experiment,
                                         unit_level(run, plan, unit), unit % runs_of(run, plan));
    if (status >= 0) {
        status = try_all(run, *value, &X, planted, rank, plan, unit % runs_of(run, plan));
        ch_matrix_free(context, &X);
    }
    free(planted);
    json_object_set_new(*value, "seconds", json_real(cli_seconds() - start));
    return cli_check(run->session, status);
}

/* ---- the figure ---- */

/* Computes means and standard deviations of one method over the runs of each level. */
static json_t *settle_method(const char *name, int drawn, json_t *const *values, int levels,
                             int runs, double rank) {
    double mean[LEVELS], sd[LEVELS], share[RUNS_MAX], seconds = 0, checked = 0, valid = 0;
    int tried = 0;
    for (int i = 0; i < levels; i++) {
        for (int r = 0; r < runs; r++) {
            const json_t *outcome = json_object_get(values[i * runs + r], name);
            share[r] = repro_real(outcome, "found") / rank;
            seconds += json_number_value(json_object_get(outcome, "seconds"));
            tried += outcome != NULL;
            checked += json_number_value(json_object_get(outcome, "checked"));
            valid += json_number_value(json_object_get(outcome, "valid"));
        }
        mean[i] = repro_mean(share, runs);
        sd[i] = repro_sd(share, runs);
    }
    json_t *row = json_pack("{ss sb si so so sf}", "name", name, "drawn", drawn, "runs",
                            tried / levels, "mean", cli_json_reals(mean, levels), "sd",
                            cli_json_reals(sd, levels), "seconds", seconds);
    if (checked > 0)
        json_object_set_new(
            row, "duals",
            json_pack("{sI sI}", "checked", (json_int_t)checked, "valid", (json_int_t)valid));
    return row;
}

json_t *recovery_settle(const repro_figure *figure, const repro_run *run, json_t *const *values) {
    static const char *const noises[] = {
        "none", "sparse", "exponential", "poisson", "two-sided sparse", "outliers", "gaussian"};
    const struct recovery_plan *plan = figure->plan;
    int levels = levels_of(run, plan), runs = runs_of(run, plan);
    double level[LEVELS];
    cli_recovery experiment;
    cli_recovery_paper(&experiment, runs, run->seed);
    const ch_synthetic_settings *data = &experiment.data;
    for (int i = 0; i < levels; i++) level[i] = level_value(plan, i * every_of(run, plan));
    json_t *methods = json_array();
    for (int k = 0; plan->methods[k].name; k++)
        json_array_append_new(methods,
                              settle_method(plan->methods[k].name, k < REPORT_LINES_MAX - 1, values,
                                            levels, runs, (double)data->rank));
    return json_pack("{s{sI sI sI ss si ss ss} s{ss ss so so}}", "settings", "rows",
                     (json_int_t)data->rows, "cols", (json_int_t)data->cols, "rank",
                     (json_int_t)data->rank, "noise", noises[plan->noise], "runs", runs,
                     "data_seed", "seed + 1000 (run + 1) + index of the level on the full grid",
                     "columns", "shuffled", "results", "level_name", plan->level_name, "axis",
                     plan->axis, "levels", cli_json_reals(level, levels), "methods", methods);
}

void recovery_table(FILE *to, const json_t *object) {
    const json_t *results = json_object_get(object, "results"), *row;
    double level[LEVELS], mean[LEVELS], sd[LEVELS];
    int levels = repro_list(level, LEVELS, json_object_get(results, "levels"));
    size_t k;
    fprintf(to, "%s,method,mean,sd,runs\n", repro_text(results, "level_name"));
    json_array_foreach(json_object_get(results, "methods"), k, row) {
        repro_list(mean, LEVELS, json_object_get(row, "mean"));
        repro_list(sd, LEVELS, json_object_get(row, "sd"));
        for (int i = 0; i < levels; i++)
            fprintf(to, "%.2f,\"%s\",%.4f,%.4f,%.0f\n", level[i], repro_text(row, "name"), mean[i],
                    sd[i], repro_real(row, "runs"));
    }
}

void recovery_picture(FILE *to, const json_t *object) {
    const json_t *results = json_object_get(object, "results"), *row;
    const json_t *settings = json_object_get(object, "settings");
    double level[LEVELS], means[REPORT_LINES_MAX][LEVELS];
    int levels = repro_list(level, LEVELS, json_object_get(results, "levels"));
    char subtitle[160];
    snprintf(subtitle, sizeof subtitle,
             "%.0f x %.0f matrix, %.0f anchors planted, %s noise; %.0f data sets per level, "
             "Hottopixx %.0f",
             repro_real(settings, "rows"), repro_real(settings, "cols"),
             repro_real(settings, "rank"), repro_text(settings, "noise"),
             repro_real(settings, "runs"),
             repro_real(repro_row(results, "methods", "Hottopixx"), "runs"));
    report_chart chart = {.title = repro_text(object, "title"),
                          .subtitle = subtitle,
                          .y = {"share of the anchors found", 0, 1, 0.2, 1},
                          .width = 860,
                          .height = 460};
    report_axis_fit(&chart.x, fmin(level[0], 0), level[levels - 1], 10);
    chart.x.label = repro_text(results, "axis");
    size_t k;
    json_array_foreach(json_object_get(results, "methods"), k, row) {
        if (!json_is_true(json_object_get(row, "drawn"))) continue;
        repro_list(means[chart.count], LEVELS, json_object_get(row, "mean"));
        chart.lines[chart.count] = (report_line){.name = repro_text(row, "name"),
                                                 .x = level,
                                                 .y = means[chart.count],
                                                 .count = levels,
                                                 .plain = levels > 40};
        chart.count++;
    }
    report_chart_write(to, &chart);
}
