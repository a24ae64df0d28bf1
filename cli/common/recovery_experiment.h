/* The paper's recovery experiment (Section 5.1): anchors are planted and hidden by noise, and each
 * method selects as many columns as were planted. Recovery is the share of planted anchors
 * found. */
#pragma once

#include <conehull/anchors.h>
#include <conehull/synthetic.h>

enum { CLI_RECOVERY_METHODS = 3, CLI_RECOVERY_LEVELS_MAX = 80 };

typedef struct cli_recovery_method {
    const char *name;
    const char *words; /* settings of ch_anchors as text, "loss=l1 exterior=rand" */
} cli_recovery_method;

/* The result of one method on one data set. */
typedef struct cli_recovery_outcome {
    int64_t found;                      /* number of planted anchors found */
    int64_t duals_checked, duals_valid; /* as in ch_anchors_result         */
    double seconds;
} cli_recovery_outcome;

extern const cli_recovery_method cli_recovery_methods[CLI_RECOVERY_METHODS];

typedef struct cli_recovery {
    ch_synthetic_settings data; /* level and seed are set for every data set */
    int runs, levels;
    double level[CLI_RECOVERY_LEVELS_MAX];
    int64_t seed;
    /* Results per method and level, over the runs. */
    double mean[CLI_RECOVERY_METHODS][CLI_RECOVERY_LEVELS_MAX];
    double sd[CLI_RECOVERY_METHODS][CLI_RECOVERY_LEVELS_MAX];
} cli_recovery;

/* The paper's setting: 200 x 210, rank 20, sparse noise of level 0, 0.1, ..., 1.5. */
void cli_recovery_paper(cli_recovery *experiment, int runs, int64_t seed);

/* Makes the data set of one level and run. anchors (data.rank of them) receive the planted
 * columns. */
ch_status cli_recovery_data(ch_context *context, ch_matrix *X, int64_t *anchors,
                            const cli_recovery *experiment, int level, int run);

/* Returns how many of planted[0..count) are in found[0..found_count). */
int64_t cli_recovery_count(const int64_t *planted, int64_t count, const int64_t *found,
                           int64_t found_count);

/* Selects as many columns of X as were planted, by one method. */
ch_status cli_recovery_try(ch_context *context, cli_recovery_outcome *outcome, const ch_matrix *X,
                           const int64_t *planted, int64_t rank, const cli_recovery_method *method);

/* Fills mean and sd. Reports progress after each data set; returns CH_STOP_CANCELLED if the
 * callback asks to stop. */
ch_status cli_recovery_run(ch_context *context, cli_recovery *experiment, ch_progress_fn progress,
                           void *user);
