/* --h-precision and --h-format: H that is never held as a dense matrix of doubles. The weights of
 * columns are taken as they are found, and those that are not zero are kept, by column, in single
 * or double precision:
 *
 *     H.npy   dense; of --h-precision single in f4
 *     H.npz   sparse, as scipy.sparse.save_npz writes it (CSC)
 *
 * Rounding moves W h by at most sum_k |dh_k| |w_k|, which bounds what it adds to the gap. */
#pragma once

#include "common/output_folder.h"
#include <conehull/anchors.h>

typedef struct cli_weights {
    const char *precision, *format; /* as given, or NULL                                  */
    int single, sparse, automatic;
    int64_t rank, cols;   /* of what was taken so far                                    */
    int64_t *start;       /* cols + 1                                                    */
    int32_t *row;         /* of entries ...                                              */
    void *value;          /* ... and their values: float or double                       */
    int64_t count, space; /* entries, and for how many there is memory                   */
    int64_t column_space; /* the same of start                                           */
    double *length;       /* rank: norms of the anchors                                  */
    int degree;           /* of the norm: 1, 2; 0: rounding has no bound                 */
    double rounding;      /* the most that a column of W H moves, as a share of its sum  */
    int failed;           /* EXIT_MEMORY or EXIT_USAGE: why the run was ended, or 0      */
} cli_weights;

extern const cli_option_row cli_weights_rows[]; /* of a cli_weights */

/* Whether H is to be taken in parts. Complains of values that are none and of combinations that
 * cannot be, and returns the exit code. */
int cli_weights_check(cli_weights *weights, const cli_session *session, const char *folder);
int cli_weights_used(const cli_weights *weights);
/* Before the run: settings.take_weights. */
void cli_weights_take(cli_weights *weights, ch_anchors_settings *settings);
/* After selection: the norms of the anchors. */
void cli_weights_measure(cli_weights *weights, const ch_anchors_result *found,
                         const ch_anchors_settings *settings);
/* Of all columns of the result. */
int cli_weights_are_whole(const cli_weights *weights, const ch_anchors_result *result);
/* h[0..rank) of column j. */
void cli_weights_column(const cli_weights *weights, double *h, int64_t j);
/* Complains when the weights could not be kept, and returns the exit code. */
int cli_weights_status(const cli_weights *weights);
/* H.npy or H.npz. */
int cli_weights_write(cli_folder *folder, const cli_weights *weights);
/* "h": {"file", "type", "format", "nonzeros", "rounding", "gap"}, or nothing. */
json_t *cli_weights_add(json_t *json, const cli_weights *weights, const ch_anchors_result *result);
/* What cli_weights_add() would add for the H of a result, in *h. Complains itself, returns the exit
 * code. */
int cli_weights_again(json_t **h, int single, int sparse, const ch_anchors_result *result,
                      const ch_anchors_settings *settings);
/* A line for people, or nothing. */
void cli_weights_print(const cli_weights *weights, const ch_anchors_result *result);
void cli_weights_free(cli_weights *weights);
