/* Facility location: columns that every column is like one of. */
#pragma once

#include "base/base.h"
#include <conehull/exemplars.h>

typedef struct chi_facility_result {
    int64_t *columns; /* room for rank, in the order chosen                             */
    int64_t found;
    double value;   /* f of them                                                        */
    double optimum; /* no rank columns have more                                        */
    int64_t gains;  /* computed                                                         */
    int sampled;    /* value and optimum are those of the columns looked at             */
} chi_facility_result;

/* rank columns of X, which has no negative values; columns of zeros are never chosen, nor what adds
 * nothing (CH_STOP_COMPLETE). The same for any number of threads. to->columns is the caller's, the
 * rest of it starts as 0.
 *
 * All gains together cost the square of the columns. So the first `sample` columns, or rank where
 * that is more, are looked at, as if there were no others: the caller has them in an order by
 * chance. Then to->sampled, and chi_facility_rate() has the value and the bound for all columns. */
ch_status chi_facility(ch_context *context, chi_facility_result *to, const ch_matrix *X,
                       int64_t rank, ch_similarity kind, int64_t sample);

/* Value and optimum of to->columns, whoever has chosen them. O(entries log found) and found rows of
 * similarities. The bound is a looser one than that of chi_facility(): no gain is computed. */
ch_status chi_facility_rate(ch_context *context, chi_facility_result *to, const ch_matrix *X,
                            int64_t rank, ch_similarity kind);

/* What is looked at by default. Gains of 30,000 columns and rank 150 take some 20 seconds of one
 * thread. For groups a start is enough, which rounds over all columns then move. */
enum { CHI_FACILITY_SAMPLE = 30000, CHI_START_SAMPLE = 10000 };
