/* --checkpoint and --resume, for commands whose runs can be long. */
#pragma once

#include "common/command.h"
#include <conehull/io.h>

typedef struct cli_checkpoint {
    const char *path; /* NULL: not requested */
    int resume;
    ch_checkpoint_file *file;
    int keep;      /* keep the file after a finished run: it holds more than that run needed */
    int64_t found; /* number of records of an earlier run */
    ch_checkpoint elsewhere; /* for all processes except process 0, which has the file */
} cli_checkpoint;

extern const cli_option_row cli_checkpoint_rows[];

/* Collective. Returns EXIT_DONE, or prints an error and returns the exit code. Does nothing without
 * --checkpoint. */
int cli_checkpoint_open(const cli_session *session, cli_checkpoint *checkpoint);

/* Returns the checkpoint for the settings of a run, or NULL if there is none. */
const ch_checkpoint *cli_checkpoint_table(const cli_checkpoint *checkpoint);

/* Called when the run has ended with this code. If finished, the results are written and the file
 * is removed. Otherwise a message says how to resume, if this run saved anything, or if it was
 * interrupted and an earlier run saved something. */
void cli_checkpoint_close(const cli_session *session, cli_checkpoint *checkpoint, int finished,
                          int code);
