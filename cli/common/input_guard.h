/* What a command reads is never what it writes.
 *
 * Files are compared by device and inode, so another path, a symbolic or a hard link does not hide
 * that they are one; files that do not exist yet by their folder and their name. */
#pragma once

#include "options/options.h"
#include <sys/stat.h>

/* Inputs are the operands and the options whose value is a FILE, a DIR or a REGION; outputs are
 * --output, in which files of the names writes[] (patterns of fnmatch(), NULL at the end; NULL
 * itself: none) are replaced or removed, and the options that are marked as written. Refuses when
 * one is the other, before any work. Complains itself and returns the exit code. */
int cli_inputs_guard(const cli_options *options, const char *const *writes);

/* The input that has this identity, as it was named on the command line; NULL: none has. For the
 * moment before a file is replaced. */
const char *cli_input_with(const struct stat *facts);

/* Refuses a pipe, a socket or a device in the place of a file that lies in a folder of results:
 * opening it could wait for ever. What is not there is left to whoever opens it. Returns the exit
 * code. */
int cli_refuse_special(const char *path);
