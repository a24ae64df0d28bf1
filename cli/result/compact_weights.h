/* --h-precision and --h-format: H is never stored as a dense matrix of doubles. The non-zero
 * weights of columns are stored as soon as they are computed, by column, in single or double
 * precision:
 *
 *     H.npy dense; f4 with --h-precision single
 *     H.npz   sparse, as scipy.sparse.save_npz writes it (CSC)
 *
 * Rounding changes W h by at most sum_k |dh_k| |w_k|, which bounds the increase of the gap. */
#pragma once

#include "common/output_folder.h"
#include <conehull/anchors.h>

typedef struct cli_weights {
    const char *precision, *format; /* options as given, or NULL */
    int single, sparse, automatic;
    int64_t rank, cols;   /* rank, and number of columns stored so far                           */
    int64_t *start;       /* cols + 1                                                            */
    int32_t *row;         /* row indices of the entries                                          */
    void *value;          /* values of the entries: float or double                              */
    int64_t count, space; /* number of entries; allocated number of entries                      */
    int64_t column_space; /* allocated number of columns                                         */
    double *length;       /* rank: norms of the anchors                                          */
    int degree;           /* degree of the norm: 1 or 2; 0: the effect of rounding has no bound  */
    double rounding;      /* largest change of a column of W H, as a share of its sum            */
    int failed;           /* EXIT_MEMORY or EXIT_USAGE: the reason why the run was stopped, or 0 */
} cli_weights;

extern const cli_option_row cli_weights_rows[]; /* options; the arguments are a cli_weights */

/* cli_weights_check() checks the options; it prints errors and returns the exit code.
 * cli_weights_used() returns whether H is received in parts. */
int cli_weights_check(cli_weights *weights, const cli_session *session, const char *folder);
int cli_weights_used(const cli_weights *weights);
/* To be called before the run: sets settings->take_weights. */
void cli_weights_take(cli_weights *weights, ch_anchors_settings *settings);
/* To be called after the selection: computes the norms of the anchors. */
void cli_weights_measure(cli_weights *weights, const ch_anchors_result *found,
                         const ch_anchors_settings *settings);
/* Returns whether the weights of all columns of the result are stored. */
int cli_weights_are_whole(const cli_weights *weights, const ch_anchors_result *result);
/* Sets h[0..rank) to the weights of column j. */
void cli_weights_column(const cli_weights *weights, double *h, int64_t j);
/* Prints an error if the weights could not be stored, and returns the exit code. */
int cli_weights_status(const cli_weights *weights);
/* Writes H.npy or H.npz. Prints errors and returns the exit code. */
int cli_weights_write(cli_folder *folder, const cli_weights *weights);
/* Adds "h": {"file", "type", "format", "nonzeros", "rounding", "gap"} to the JSON, if H was
 * received in parts. Returns the JSON. */
json_t *cli_weights_add(json_t *json, const cli_weights *weights, const ch_anchors_result *result);
/* Sets *h to the object that cli_weights_add() would add for the H of a result. Prints errors and
 * returns the exit code. */
int cli_weights_again(json_t **h, int single, int sparse, const ch_anchors_result *result,
                      const ch_anchors_settings *settings);
/* Prints a line about H, if H was received in parts. */
void cli_weights_print(const cli_weights *weights, const ch_anchors_result *result);
void cli_weights_free(cli_weights *weights);
