/* The folder of `conehull anchors -o`: everything a run found. stored_result.h reads it back.
 *
 *     anchors.txt       one column number per line, in order; columns of a library (--library) are
 *                       numbered after those of the data
 *     anchors.csv, weights.csv, column_names.txt, row_names.txt   where there are names
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

/* What a folder is written from. */
typedef struct cli_result_parts {
    const ch_anchors_result *result;
    const ch_anchors_settings *settings;
    json_t *json;
    const cli_weights *weights; /* H, where it was taken in parts, or NULL        */
    const cli_input *input;     /* whose rows and columns may have names; or NULL */
    cli_writer page;            /* of anchors.html, or NULL; the json is complete, */
    const void *page_user;      /* but for seconds.write                          */
} cli_result_parts;

/* Writes the folder, unless path is NULL. What that took goes to *seconds and to seconds.write of
 * the json. A result that was cancelled is written although the run was interrupted. Complains
 * itself, returns the exit code. */
int cli_result_write(const cli_session *session, const char *path, const cli_result_parts *parts,
                     double *seconds);

/* The same in a folder that is open, beside other files. */
int cli_result_files(cli_folder *folder, const cli_result_parts *parts, double *seconds);
