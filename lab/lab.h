/* The commands of conehull-lab. */
#pragma once

#include "common/command.h"
#include <jansson.h>

extern const cli_command lab_cmd_reproduce, lab_cmd_bench;

/* What is written down beside every figure and ratio. */
typedef struct lab_machine {
    const char *version, *commit, *kernel, *blas;
    char processor[128];
    int cores, threads;
} lab_machine;

/* A ch_progress_fn for works that are short or draw nothing: stops them once a signal has come. */
int lab_only_signals(const ch_progress_event *event, void *user);

lab_machine lab_find_machine(const ch_context *context);
json_t *lab_machine_json(const lab_machine *machine);
