/* Whether new data have the features of a run. */
#pragma once

#include "result/stored_result.h"

/* Compares the number and the names of the rows of the matrix with those of the run in the folder.
 * Rows in another order would give weights that mean nothing. Prints an error that names what is
 * missing or additional, and returns the exit code. */
int cli_features_check(const cli_session *session, const cli_input *input, const cli_stored *stored,
                       const char *folder);

/* Returns a sentence about names of features that are not those of the run, or not in their order,
 * which the caller frees; NULL: there is none, or the names are not known. */
char *cli_features_changed(const cli_session *session, const cli_input *input,
                           const cli_stored *stored, const char *folder);
/* The same for the data points. */
char *cli_points_changed(const cli_session *session, const cli_input *input,
                         const cli_stored *stored, const char *folder);
