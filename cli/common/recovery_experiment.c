/* The recovery experiment. All methods get the same data. The seed of a data set depends only on
 * its level and run, so adding levels or runs does not change the others. */
#include "common/recovery_experiment.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

const cli_recovery_method cli_recovery_methods[CLI_RECOVERY_METHODS] = {
    {"RobustXray (l1)", "loss=l1"},
    {"SPA (l2)", "method=spa"},
    {"XRAY (l2)", "loss=l2"},
};

void cli_recovery_paper(cli_recovery *experiment, int runs, int64_t seed) {
    memset(experiment, 0, sizeof *experiment);
    experiment->data = (ch_synthetic_settings){.size = sizeof(ch_synthetic_settings),
                                               .rows = 200,
                                               .cols = 210,
                                               .rank = 20,
                                               .noise = CH_NOISE_SPARSE,
                                               .shuffle = 1,
                                               .type = CH_F64};
    experiment->runs = runs;
    experiment->seed = seed;
    experiment->levels = 16;
    for (int i = 0; i < experiment->levels; i++) experiment->level[i] = i / 10.0;
}

ch_status cli_recovery_data(ch_context *context, ch_matrix *X, int64_t *anchors,
                            const cli_recovery *experiment, int level, int run) {
    ch_synthetic_settings data = experiment->data;
    data.level = experiment->level[level];
    if (data.level == 0) data.noise = CH_NOISE_NONE;
    data.seed = experiment->seed + 1000 * (run + 1) + level;
    return ch_synthetic_make(context, X, anchors, &data);
}

int64_t cli_recovery_count(const int64_t *planted, int64_t count, const int64_t *found,
                           int64_t found_count) {
    int64_t both = 0;
    for (int64_t i = 0; i < count; i++)
        for (int64_t k = 0; k < found_count; k++) both += planted[i] == found[k];
    return both;
}

ch_status cli_recovery_try(ch_context *context, cli_recovery_outcome *outcome, const ch_matrix *X,
                           const int64_t *planted, int64_t rank,
                           const cli_recovery_method *method) {
    ch_anchors_settings set;
    ch_anchors_result result = {.size = sizeof result};
    ch_anchors_defaults(&set);
    set.rank = rank;
    set.select_only = 1;
    ch_status status = ch_settings_set_words(context, ch_anchors_table(), &set, method->words);
    if (status < 0) return status;
    status = ch_anchors(context, &result, X, &set);
    *outcome =
        (cli_recovery_outcome){cli_recovery_count(planted, rank, result.anchors, result.rank),
                               result.duals_checked, result.duals_valid, result.seconds_select};
    ch_anchors_result_free(context, &result);
    return status;
}

static ch_status try_methods(ch_context *context, double *shares, const cli_recovery *experiment,
                             int64_t *planted, int level, int run) {
    ch_matrix X;
    ch_status status = cli_recovery_data(context, &X, planted, experiment, level, run);
    if (status < 0) return status;
    int64_t rank = experiment->data.rank;
    for (int k = 0; k < CLI_RECOVERY_METHODS && status >= 0; k++) {
        cli_recovery_outcome outcome = {0};
        status = cli_recovery_try(context, &outcome, &X, planted, rank, &cli_recovery_methods[k]);
        shares[k] = (double)outcome.found / (double)rank;
    }
    ch_matrix_free(context, &X);
    return status;
}

static ch_status run_level(ch_context *context, cli_recovery *experiment, int64_t *planted,
                           int level, ch_progress_fn progress, void *user) {
    double sum[CLI_RECOVERY_METHODS] = {0}, squares[CLI_RECOVERY_METHODS] = {0};
    int runs = experiment->runs;
    for (int run = 0; run < runs; run++) {
        double shares[CLI_RECOVERY_METHODS];
        ch_status status = try_methods(context, shares, experiment, planted, level, run);
        if (status < 0 || status == CH_STOP_CANCELLED) return status;
        for (int k = 0; k < CLI_RECOVERY_METHODS; k++) {
            sum[k] += shares[k];
            squares[k] += shares[k] * shares[k];
        }
        int64_t done = (int64_t)level * runs + run + 1, all = (int64_t)experiment->levels * runs;
        ch_progress_event event = {sizeof event, "demo", done, all, -1, 0};
        if (progress(&event, user)) return CH_STOP_CANCELLED;
    }
    for (int k = 0; k < CLI_RECOVERY_METHODS; k++) {
        double mean = sum[k] / runs;
        double spread = runs > 1 ? (squares[k] - runs * mean * mean) / (runs - 1) : 0;
        experiment->mean[k][level] = mean;
        experiment->sd[k][level] = sqrt(fmax(spread, 0));
    }
    return CH_OK;
}

ch_status cli_recovery_run(ch_context *context, cli_recovery *experiment, ch_progress_fn progress,
                           void *user) {
    int64_t *planted = malloc((size_t)experiment->data.rank * sizeof *planted);
    ch_status status = planted ? CH_OK : CH_ERR_MEMORY;
    for (int level = 0; level < experiment->levels && status == CH_OK; level++)
        status = run_level(context, experiment, planted, level, progress, user);
    free(planted);
    return status;
}
