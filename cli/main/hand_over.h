/* Commands that live in another program, which is installed beside this one. */
#pragma once

#include <limits.h>

/* path = the file `name` in the folder of the running program. Returns 1 if it can be executed, 0
 * otherwise. */
int cli_program_beside(char path[PATH_MAX], const char *name);

/* Replaces this process by the program `name` beside it, with the same words. Returns only if that
 * fails: complains, says what to install, and returns EXIT_FILES. */
int cli_hand_over(const char *name, const char *command, char **words);
