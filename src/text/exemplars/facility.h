/* Facility location: selects columns such that every column is similar to one of them. */
#pragma once

#include "base/base.h"
#include <conehull/exemplars.h>

typedef struct chi_facility_result {
    int64_t *columns; /* space for rank, in the order chosen                            */
    int64_t found;
    int64_t bounded;    /* optimum is for this many columns; 0: for rank    */
    double value;       /* f of them                                 */
    double optimum;     /* upper bound of f for any `bounded` columns that may be chosen */
    int64_t gains;      /* number computed                           */
    int64_t sample;     /* columns examined                          */
    int sampled;        /* value and optimum are those of the sample */
    const char *may_be; /* per column: 0: it is never chosen; NULL: all may be */
} chi_facility_result;

/* Selects rank columns of X, which has no negative values. Zero columns are never chosen, nor
 * columns that add nothing (then it returns CH_STOP_COMPLETE). The result is the same for any
 * number of threads. The caller owns to->columns and to->may_be and sets `bounded`, at most rank;
 * the rest of `to` starts as 0.
 *
 * All gains together cost the square of the number of columns. So only the first `sample` columns,
 * or the first rank if that is more, are examined; the caller passes the columns in random order.
 * Then to->sampled is set, and chi_facility_rate() computes value and bound for all columns. */
ch_status chi_facility(ch_context *context, chi_facility_result *to, const ch_matrix *X,
                       int64_t rank, ch_similarity kind, int64_t sample);

/* Computes value and optimum of to->columns, by whatever method they were chosen. O(entries log
 * found) and found rows of similarities. The bound is looser than that of chi_facility(), because
 * no gain is computed. */
ch_status chi_facility_rate(ch_context *context, chi_facility_result *to, const ch_matrix *X,
                            int64_t rank, ch_similarity kind);

/* Default sample sizes. Gains of 30,000 columns and rank 150 take about 20 seconds of one thread.
 * For groups a rough start is enough, because rounds over all columns then move it. */
enum { CHI_FACILITY_SAMPLE = 30000, CHI_START_SAMPLE = 10000 };
