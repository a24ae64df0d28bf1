/* A program that is a table of commands: conehull, and conehull-lab beside it. Help, options, the
 * context, signals and exit codes are the same in both, and so is the name under which they print:
 * a user types `conehull COMMAND`, whichever of the two runs it. */
#pragma once

#include "common/command.h"
#include <limits.h>

typedef struct cli_program {
    const char *name;  /* of the file: "conehull-lab"                                      */
    const char *about; /* a paragraph that opens `NAME --help`                             */
    const cli_command *const *commands; /* NULL at the end                                    */
} cli_program;

/* What `conehull --help` says about the commands of conehull-lab, which says it too. */
#define CLI_REPRODUCE_SUMMARY "repeat the paper's experiments and check its claims"
#define CLI_BENCH_SUMMARY "measure speed relative to other methods and to memory"

/* For main(): runs the command that words[1] names and returns the exit code of the process. */
int cli_program_run(const cli_program *program, int count, char **words);

/* Before anything else. If OpenBLAS has not taken the kernel of this processor, starts the program
 * again with the right one in OPENBLAS_CORETYPE, which is set before the restart, so that there is
 * at most one; a value that the user has set stays (blas_start.c). */
void cli_blas_start(char **words);

/* ---- hand_over.c: commands that live in another program, which is installed beside this one ----
 */

/* path = the file `name` in the folder of the running program. Returns 1 if it can be executed, 0
 * otherwise. */
int cli_program_beside(char path[PATH_MAX], const char *name);

/* Replaces this process by the program `name` beside it, with the same words. Returns only if that
 * fails: complains, says what to install, and returns EXIT_FILES. */
int cli_hand_over(const char *name, const char *command, char **words);
