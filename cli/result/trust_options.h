/* What is trusted, and how much: files of weights, and of which entries are known. */
#pragma once

#include "common/matrix_input.h"
#include <conehull/anchors.h>

/* Names come from the command line; the rest is filled by cli_trust_read(). */
typedef struct cli_trust {
    const char *mask, *weights, *row_weights, *column_weights;
    cli_input mask_input, weights_input;
    double *rows, *columns; /* owned */
} cli_trust;

/* Of a cli_trust: what describes a matrix; and what may differ between matrices of the same kind.
 */
extern const cli_option_row cli_trust_rows[], cli_trust_new_rows[];

/* Reads the files, which belong to the matrix that was read, and puts them into the settings, which
 * borrow them; row weights also count the scale of the input (feature_scale.h). Complains itself and returns the exit code. cli_trust_free() in any case. */
int cli_trust_read(cli_trust *trust, const cli_session *session, const cli_input *input,
                   ch_anchors_settings *settings);
void cli_trust_free(cli_trust *trust, const cli_session *session);

/* A file of numbers in one row or one column, which malloc() holds. */
int cli_vector_read(double **numbers, int64_t *count, const cli_session *session, const char *file);
/* Which kinds of weights the settings have: ["rows", "mask"]; NULL: none. */
json_t *cli_trust_json(const ch_anchors_settings *settings);
