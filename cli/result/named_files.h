/* Files with names and numbers, for people and spreadsheets:
 *
 *     anchors.csv        anchor, column, name, max_residual
 *     weights.csv        a line per column: number, name, and the weight of every anchor; up to
 *                        CLI_WEIGHTS_CSV weights
 *                        (with --transpose both heads say row instead of column)
 *     column_names.txt   a line per column of H
 *     row_names.txt      a line per row of W */
#pragma once

#include "common/matrix_input.h"
#include "common/output_folder.h"
#include <conehull/anchors.h>

#define CLI_NAMED_FILES "anchors.csv", "weights.csv", "column_names.txt", "row_names.txt"
enum { CLI_WEIGHTS_CSV = 2000000 };

/* Returns the names of the anchors of a run, from the JSON of its result: "component_names" for
 * columns of a library, else "anchor_names". NULL if there are none. The caller frees the list. */
json_t *cli_anchor_names(const json_t *run);

/* Writes these files for a run whose rows or columns have names; run: the JSON of its result.
 * Returns the exit code. */
int cli_named_files(cli_folder *folder, const ch_anchors_result *result, const cli_input *input,
                    const json_t *run);

/* Writes weights.csv and column_names.txt for H (rank x cols), if columns have names. anchor_names:
 * a JSON list; NULL: the anchors are called "anchor 1" and so on. Returns the exit code. */
int cli_named_weights(cli_folder *folder, const double *H, int64_t rank, const cli_input *input,
                      const json_t *anchor_names);
