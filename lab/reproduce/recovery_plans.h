/* Plans of recovery figures: the methods and the noise (recovery_plans.c). */
#pragma once

#include "common/recovery_experiment.h"

struct recovery_plan {
    ch_synthetic_noise noise;
    const char *level_name, *axis;
    double first, step; /* levels of the full grid */
    int levels, every;  /* number of levels; the quick grid uses every `every`-th */
    int runs, quick_runs;
    /* The methods; the list ends with a row without name. The first ones are drawn; all are in the
     * table. */
    const cli_recovery_method *methods;
};
