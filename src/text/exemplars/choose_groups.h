/* Of many groups of columns, a few that represent the others. */
#pragma once

#include "base/arena.h"
#include <stdint.h>

typedef struct chi_group_means {
    const float *mean;   /* count x rows, the values of a row together; length 1, or 0: empty */
    const int64_t *size; /* count: number of columns                                          */
    int64_t count, rows;
} chi_group_means;

/* Returns how many groups to form if `rank` of them are to be chosen. */
int64_t chi_groups_to_form(int64_t rank, int64_t cols);

/* chosen[0 .. rank) = different groups, in the order chosen; rank is at most the count. */
ch_status chi_choose_groups(ch_context *context, int64_t *chosen, int64_t rank,
                            const chi_group_means *groups);
