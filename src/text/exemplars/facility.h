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
} chi_facility_result;

/* rank columns of X, which has no negative values; columns of zeros are never chosen, nor what adds
 * nothing (CH_STOP_COMPLETE). The same for any number of threads. to->columns is the caller's, the
 * rest of it starts as 0. */
ch_status chi_facility(ch_context *context, chi_facility_result *to, const ch_matrix *X,
                       int64_t rank, ch_similarity kind);

/* *value: f of columns[0 .. count). */
ch_status chi_facility_value(ch_context *context, double *value, const int64_t *columns,
                             int64_t count, const ch_matrix *X, ch_similarity kind);
