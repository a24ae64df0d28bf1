/* Ensures that a command never writes a file that it reads.
 *
 * Existing files are compared by device and inode, so another path, a symbolic link or a hard link
 * is recognised. Files that do not exist yet are compared by their folder and name. */
#pragma once

#include "options/options.h"
#include <sys/stat.h>

/* Inputs are the operands and the options whose value is a FILE, a DIR or a REGION. Outputs are the
 * options marked as written, and --output, in which files that match writes[] (patterns of
 * fnmatch(), ended by NULL; NULL for none) are replaced or removed. Refuses, before any work, if an
 * input is also an output. Prints the error and returns the exit code. */
int cli_inputs_guard(const cli_options *options, const char *const *writes);

/* Returns the input that has this identity, as named on the command line, or NULL. Called just
 * before a file is replaced. */
const char *cli_input_with(const struct stat *facts);

/* Refuses a pipe, a socket or a device where a file of a result folder is expected: opening it
 * could block for ever. A missing file is left to the code that opens it. Returns the exit code. */
int cli_refuse_special(const char *path);
