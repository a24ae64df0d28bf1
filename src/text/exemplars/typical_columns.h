/* Of each group of columns one that its likes belong to as well. */
#pragma once

#include "text/exemplars/similarity.h"

typedef struct chi_groups {
    int64_t rank;
    const int32_t *group; /* of each column; -1: a column of zeros     */
    const double *near;   /* how like the mean of its group each is    */
} chi_groups;

/* columns[k]: the typical column of group k; -1: it is empty. alike has its entries
 * (chi_similarity_create()). Ties go to the nearer column, then to the lower one. The same for any
 * number of threads. */
ch_status chi_typical_columns(ch_context *context, int64_t *columns, const chi_groups *groups,
                              const chi_similarity *alike);
