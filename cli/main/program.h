/* A program that is a table of commands: conehull, and conehull-lab, which is installed next to it.
 * Help, options, the context, signals, exit codes and the name in messages are the same in both: a
 * user types `conehull COMMAND`, whichever of the two runs it. */
#pragma once

#include "common/command.h"
#include <limits.h>

typedef struct cli_program {
    const char *name;                   /* name of the program file: "conehull-lab" */
    const char *about;                  /* a paragraph that opens `NAME --help` */
    const cli_command *const *commands; /* ended by NULL */
} cli_program;

/* Summaries of the commands of conehull-lab, used by `conehull --help` too. */
#define CLI_REPRODUCE_SUMMARY "repeat the paper's experiments and check its claims"
#define CLI_BENCH_SUMMARY "measure speed relative to other methods and to memory"

/* For main(): runs the command that words[1] names and returns the exit code of the process. */
int cli_program_run(const cli_program *program, int count, char **words);

/* Called first. If OpenBLAS has not selected the kernel of this processor, restarts the program
 * with the right one in OPENBLAS_CORETYPE. The variable is set before the restart, so there is at
 * most one; a value set by the user is kept (blas_start.c). */
void cli_blas_start(char **words);

/* ---- hand_over.c: commands of another program, which is installed in the same folder ---- */

/* path = the file `name` in the folder of the running program. Returns 1 if it can be executed, 0
 * otherwise. */
int cli_program_beside(char path[PATH_MAX], const char *name);

/* Replaces this process by the program `name` in the same folder, with the same arguments. Returns
 * only if that fails: prints what to install and returns EXIT_FILES. */
int cli_hand_over(const char *name, const char *command, char **words);
