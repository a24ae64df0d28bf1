/* Options for files of weights and for files that mark known entries. */
#pragma once

#include "common/matrix_input.h"
#include <conehull/anchors.h>

/* Names come from the command line; the rest is filled by cli_trust_read(). */
typedef struct cli_trust {
    const char *mask, *weights, *row_weights, *column_weights;
    cli_input mask_input, weights_input;
    double *rows, *columns; /* owned */
} cli_trust;

/* Options; the arguments are a cli_trust. cli_trust_rows: all options for a matrix.
 * cli_trust_new_rows: those that may differ between matrices of the same kind. */
extern const cli_option_row cli_trust_rows[], cli_trust_new_rows[];

/* Reads the files for the matrix of the input and sets the pointers in the settings; *trust owns
 * the arrays. Row weights include the scale of the input (feature_scale.h). Prints errors and
 * returns the exit code. The caller must call cli_trust_free(), whatever the exit code. */
int cli_trust_read(cli_trust *trust, const cli_session *session, const cli_input *input,
                   ch_anchors_settings *settings);
void cli_trust_free(cli_trust *trust, const cli_session *session);

/* Reads a file of numbers in one row or one column. The caller frees *numbers by free(). Prints
 * errors and returns the exit code. */
int cli_vector_read(double **numbers, int64_t *count, const cli_session *session, const char *file);
/* Returns the kinds of weights that the settings have, such as ["rows", "mask"], or NULL if there
 * are none. */
json_t *cli_trust_json(const ch_anchors_settings *settings);
