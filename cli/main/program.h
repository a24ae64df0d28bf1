/* A program that is a table of commands: conehull, and conehull-lab beside it. Help, options, the
 * context, signals and exit codes are the same in both, and so is the name under which they print:
 * a user types `conehull COMMAND`, whichever of the two runs it. */
#ifndef CONEHULL_PROGRAM_H
#define CONEHULL_PROGRAM_H

#include "common/command.h"

typedef struct cli_program {
    const char *name;  /* of the file: "conehull-lab"                                      */
    const char *about; /* a paragraph that opens `NAME --help`                             */
    const cli_command *const *commands; /* NULL at the end                                    */
} cli_program;

/* For main(): runs the command that words[1] names and returns the exit code of the process. */
int cli_program_run(const cli_program *program, int count, char **words);

#endif
