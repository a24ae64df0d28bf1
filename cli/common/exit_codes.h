/* The exit codes of the program, which are the same for every command. */
#pragma once

#include <conehull/status.h>
#include <stdio.h>

enum {
    EXIT_DONE = 0,
    EXIT_EARLY = 1, /* stopped early, or a failed verification       */
    EXIT_USAGE = 2, /* wrong arguments of the command, or wrong data */
    EXIT_FILES = 3, /* system errors: files, folders, a full disk    */
    EXIT_MEMORY = 4,
    EXIT_INTERRUPTED = 130
};

/* CH_STOP_COMPLETE is a success: the cone needs no more anchors. */
int cli_exit_code(ch_status status);

/* Returns the "status" of JSON results: "done", "complete", "inaccurate", ... */
const char *cli_status_name(ch_status status);

/* Prints the table of exit codes for help. `one` is the meaning of code 1; if it begins with a
 * semicolon, it follows the usual meaning. NULL: the usual meaning. */
void cli_exit_codes_print(FILE *to, const char *one);
