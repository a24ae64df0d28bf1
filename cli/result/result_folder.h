/* The folder of `conehull anchors -o`, with all results of a run. stored_result.h reads it.
 *
 *     anchors.txt       one column number per line, in order; columns of a library (--library) are
 *                       numbered after those of the data
 *     anchors.csv, weights.csv, column_names.txt, row_names.txt if there are names
 *                       (named_files.h)
 *     W.npy             rows x rank: the anchors themselves
 *     H.npy, or H.npz   rank x columns (not with --select-only); npz: --h-format sparse
 *     W_refined.npy, H_refined.npy   free factors (--refine)
 *     W_completed.npy   rows x rank: 1 where W was completed (where entries are missing)
 *     row_weights.npy   rows x 1 (--row-weights)
 *     certificate.npz   step_exterior, step_anchor, step_dual (rows x steps), p_seed;
 *                       dual_start, dual_row, dual_value: the duals that are not signs of residuals
 *     anchors.html      a page about it (--page)
 *     result.json       the JSON result, its settings included; written last */
#pragma once

#include "common/command.h"
#include "common/matrix_input.h"
#include "common/output_folder.h"
#include "result/compact_weights.h"
#include <conehull/anchors.h>
#include <conehull/io.h>

/* The data of a folder. */
typedef struct cli_result_parts {
    const ch_anchors_result *result;
    const ch_anchors_settings *settings;
    json_t *json;
    const cli_weights *weights; /* H, if it was received in parts; or NULL */
    const cli_input *input;     /* the input, whose rows and columns may have names; or NULL */
    cli_writer page;            /* writes anchors.html; or NULL. The json is complete, */
    const void *page_user;      /* except for seconds.write */
} cli_result_parts;

/* Writes the folder, unless path is NULL. The time is stored in *seconds and in seconds.write of
 * the json. The result of a cancelled run is written too. Prints errors and returns the exit
 * code. */
int cli_result_write(const cli_session *session, const char *path, const cli_result_parts *parts,
                     double *seconds);

/* Writes the files of a result to an open folder, which may have other files. */
int cli_result_files(cli_folder *folder, const cli_result_parts *parts, double *seconds);
