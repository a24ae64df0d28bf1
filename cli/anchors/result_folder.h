/* The folder of `conehull anchors -o`: everything a run found, and back again.
 *
 *     anchors.txt       one column number per line, in order
 *     W.npy             rows x rank: the anchors themselves
 *     H.npy             rank x columns (not with --select-only)
 *     certificate.npz   step_exterior, step_anchor, step_dual (rows x steps), p_seed;
 *                       dual_start, dual_row, dual_value: the duals that are not signs of residuals
 *     result.json       the JSON result, its settings included; written last */
#ifndef CONEHULL_RESULT_FOLDER_H
#define CONEHULL_RESULT_FOLDER_H

#include "common/command.h"
#include <conehull/anchors.h>
#include <conehull/io.h>
#include <jansson.h>

/* Writes the folder, adds seconds.write to json. Complains itself, returns the exit code. */
int cli_result_write(const cli_session *session, const char *path, const ch_anchors_result *result,
                     json_t *json);

/* A folder read back. result borrows everything from the rest. */
typedef struct cli_stored {
    ch_anchors_result result;
    ch_anchors_settings settings;
    char why[256]; /* not empty: the files contradict each other, so it says */
    json_t *json;
    int64_t *anchors, *keep;
    double *max_residual;
    ch_matrix W, H;          /* as read, mapped if possible ...               */
    double *W_copy, *H_copy; /* ... or turned into doubles by column          */
    ch_npz_array *arrays;
    int array_count;
} cli_stored;

/* Reads what is there; only_cone leaves H and the certificate alone. Complains itself about files
 * that are missing or broken and returns the exit code; contradictions between files that are whole
 * go to stored->why. Free it in any case. */
int cli_stored_read(cli_stored *stored, const cli_session *session, const char *path,
                    int only_cone);
void cli_stored_free(cli_stored *stored, const cli_session *session);

#endif
