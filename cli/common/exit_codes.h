/* What the program tells the shell, the same for every command. */
#pragma once

#include <conehull/status.h>

enum {
    EXIT_DONE = 0,
    EXIT_EARLY = 1, /* stopped early, or a verification that does not hold */
    EXIT_USAGE = 2, /* the arguments of the command, or the data           */
    EXIT_FILES = 3, /* the system: files, folders, a full disk             */
    EXIT_MEMORY = 4,
    EXIT_INTERRUPTED = 130
};

/* CH_STOP_COMPLETE is a success: the cone needs no more anchors. */
int cli_exit_code(ch_status status);

/* The "status" of JSON results: "done", "complete", "inaccurate", ... */
const char *cli_status_name(ch_status status);

/* The same table in words, for help texts. */
extern const char cli_exit_code_help[];
