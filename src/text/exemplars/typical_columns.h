/* For each group of columns, a column whose most similar columns belong to the group too. */
#pragma once

#include "text/exemplars/similarity.h"

typedef struct chi_groups {
    int64_t rank;
    const int32_t *group; /* group of each column; -1: a zero column */
    const double *near;   /* similarity of each column with the mean of its group */
    const char *may_be;   /* 0: the column is never chosen; NULL: all may be */
} chi_groups;

/* columns[k] = the typical column of group k, or -1 if it has no column that may be chosen. alike
 * comes from chi_similarity_create(). Ties go to the nearer column, then to the lower one. The
 * result is the same for any number of threads. */
ch_status chi_typical_columns(ch_context *context, int64_t *columns, const chi_groups *groups,
                              const chi_similarity *alike);
