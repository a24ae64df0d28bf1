/* Whether new data have the features of a run. */
#pragma once

#include "result/stored_result.h"

/* Compares the number and the names of the rows of the matrix with those of the run in the folder.
 * Rows in another order would give weights that mean nothing. Prints an error that names what is
 * missing or additional, and returns the exit code. */
int cli_features_check(const cli_session *session, const cli_input *input, const cli_stored *stored,
                       const char *folder);
