/* Suggests a loss and an exterior rule by the residuals of a run. It is advice only and changes no
 * result. */
#pragma once

#include "common/matrix_input.h"
#include <conehull/anchors.h>

enum { CLI_REASONS = 6, CLI_REASON = 200 };

/* Statistics of the residuals X - W H over a sample of columns that are not anchors, and the
 * suggested options. */
typedef struct cli_advice {
    int64_t columns, entries; /* size of the sample; entries: those where X or W H is not zero */
    double zeros;             /* share of the entries with zero residual */
    double above; /* share of the largest tenth of the other residuals that is above 0 */
    double deep;  /* share of the entries with X above 0 and below half of W H */
    double cut;   /* share of the entries with X = 0 and W H > 0 */
    /* slope of the log of large |r| over log (W H): 0: noise of one size, 1/2: counts, 1: noise in
     * proportion to the values; NaN: the values do not vary enough */
    double growth;
    double tail; /* 99th percentile over the median of |r|: 3.8 for a normal distribution */
    /* columns whose sum is below this limit are dark; their residuals are not used */
    double limit;
    double dark;       /* share of columns below a tenth of the 99th percentile of column sums */
    int whole;         /* all values are whole numbers                                         */
    char options[100]; /* options to try: "--loss quantile:0.2 --exterior share" */
    char reason[CLI_REASONS][CLI_REASON];
    int reasons;
} cli_advice;

/* Computes the advice. X is the input of the run, in which negative values count as 0; result must
 * have H. Returns 0 if memory is short. */
int cli_advice_make(cli_advice *advice, const ch_matrix *X, const ch_anchors_result *result);
void cli_advice_print(const cli_advice *advice);
json_t *cli_advice_json(const cli_advice *advice);
