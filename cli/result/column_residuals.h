/* How well single columns are explained by the anchors: |x - W h|_1 / |x|_1 over the known entries,
 * with the weights of rows. The measure is the same for all losses, so that columns of any size
 * compare. */
#pragma once

#include "common/matrix_input.h"
#include "common/output_folder.h"
#include <conehull/anchors.h>

/* Sets *json to {"columns", "median", "largest"}: relative residuals of evenly spaced columns of a
 * run, or to NULL if there are no weights. The number of columns is limited, so that the cost is
 * small. Collective; W and H are those of this process, and only process 0 gets the summary.
 * Returns the exit code. */
int cli_residuals_sample(json_t **json, const cli_session *session, const cli_input *input,
                         const ch_anchors_settings *settings, const ch_anchors_result *result);

/* Relative residuals of new columns, and which of them are far above those of the run. */
typedef struct cli_residuals {
    double *share;  /* per column; NULL: not computed          */
    int64_t count;  /* number of columns                       */
    double limit;   /* above it a column fits badly; 0: unknown */
    int64_t badly;  /* number of such columns                  */
    char *sentence; /* about these columns; NULL: there are none */
} cli_residuals;

/* Computes the residuals of the columns of the input, whose weights are H. run: the JSON of the run
 * that found W. Collective: process 0 gets the residuals of all columns. Returns the exit code;
 * call cli_residuals_free() in any case. */
int cli_residuals_make(cli_residuals *residuals, const cli_session *session, const cli_input *input,
                       const ch_anchors_settings *settings, const double *W, const double *H,
                       int64_t rank, const json_t *run);
/* Writes residuals.csv. Its column `badly` is 1 or 0, or empty if the limit is unknown. */
int cli_residuals_write(cli_folder *folder, const cli_residuals *residuals, const cli_input *input);
void cli_residuals_free(cli_residuals *residuals);
