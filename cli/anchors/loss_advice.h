/* Which loss and rule the residuals of a run speak for. Advice only: nothing is decided by it. */
#pragma once

#include "common/matrix_input.h"
#include <conehull/anchors.h>

enum { CLI_REASONS = 6, CLI_REASON = 200 };

/* What the residuals X - W H show, over a sample of columns that are no anchors, and what follows.
 */
typedef struct cli_advice {
    int64_t columns, entries; /* looked at; entries where X or W H is not zero                   */
    double zeros;             /* share of them that is met exactly                               */
    double above;  /* share of the largest tenth of the other residuals that is above 0 */
    double deep;   /* share of them above 0 and below half of W H                                */
    double cut;    /* share of them that is 0 where W H is not                                   */
    double growth; /* slope of the log of large |r| over log (W H): 0 as large everywhere, 1/2
                      counts, 1 a factor; NaN: the values do not vary enough */
    double tail;   /* 99th percentile over the median of |r|: 3.8 for a normal distribution     */
    double limit;  /* of the sums of dark columns, whose residuals are not looked at            */
    double dark;   /* share of columns below a tenth of the 99th percentile of column sums      */
    int whole;     /* all values are whole numbers                                              */
    char options[100]; /* to try: "--loss quantile:0.2 --exterior share"                         */
    char reason[CLI_REASONS][CLI_REASON];
    int reasons;
} cli_advice;

/* X as the run saw it; result has H. 0: no memory. */
int cli_advice_make(cli_advice *advice, const ch_matrix *X, const ch_anchors_result *result);
void cli_advice_print(const cli_advice *advice);
json_t *cli_advice_json(const cli_advice *advice);
