/* What is tried on which noise (recovery_plans.c). */
#pragma once

#include "common/recovery_experiment.h"

struct recovery_plan {
    ch_synthetic_noise noise;
    const char *level_name, *axis;
    double first, step; /* levels of the full grid ...                                      */
    int levels, every;  /* ... and which of them are the quick one                          */
    int runs, quick_runs;
    /* Ends with a row without name. The first ones are drawn, all are in the table. */
    const cli_recovery_method *methods;
};
