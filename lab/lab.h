/* The commands of conehull-lab. */
#pragma once

#include "common/command.h"
#include <jansson.h>

extern const cli_command lab_cmd_reproduce, lab_cmd_bench;

/* A description of the machine and the build, which is stored with every figure and ratio. */
typedef struct lab_machine {
    const char *version, *commit, *kernel, *blas;
    char processor[128];
    int cores, threads;
} lab_machine;

/* A ch_progress_fn that draws nothing and only stops the call after a signal. */
int lab_only_signals(const ch_progress_event *event, void *user);

lab_machine lab_find_machine(const ch_context *context);
json_t *lab_machine_json(const lab_machine *machine);
