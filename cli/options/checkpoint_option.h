/* --checkpoint and --resume, for commands whose runs can be long. */
#pragma once

#include "common/command.h"
#include <conehull/io.h>

typedef struct cli_checkpoint {
    const char *path; /* NULL: none was asked for */
    int resume;
    ch_checkpoint_file *file;
    int keep;      /* the file stays after a finished run: it has more than that run needed */
    int64_t found; /* records of an earlier run                 */
    ch_checkpoint elsewhere; /* that process 0 has the file, on the others */
} cli_checkpoint;

extern const cli_option_row cli_checkpoint_rows[];

/* Collective. EXIT_DONE, or complains and returns the code. Without --checkpoint it does nothing.
 */
int cli_checkpoint_open(const cli_session *session, cli_checkpoint *checkpoint);

/* For the settings; NULL: none. */
const ch_checkpoint *cli_checkpoint_table(const cli_checkpoint *checkpoint);

/* The run is over, with this code. finished: its results are where they should be, and the file
 * goes; else a message says how to go on, if anything was done in this run, or if it was
 * interrupted and anything was done before. */
void cli_checkpoint_close(const cli_session *session, cli_checkpoint *checkpoint, int finished,
                          int code);
