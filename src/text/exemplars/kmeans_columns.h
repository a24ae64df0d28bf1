/* Groups of columns, and for each group the column nearest to its mean. */
#pragma once

#include "base/base.h"
#include <conehull/exemplars.h>
#include <conehull/random.h>

/* Divides the columns of X into `rank` groups by cosine similarity and writes the column nearest to
 * the mean of each group to columns, which has space for rank. *found must be 0 on entry and
 * becomes the number of groups. Returns CH_STOP_COMPLETE if there are fewer than rank groups. The
 * result is the same for any number of threads. */
ch_status chi_kmeans_columns(ch_context *context, int64_t *columns, int64_t *found,
                             const ch_matrix *X, int64_t rank, ch_random *random);

/* columns[0 .. rank) = a typical column of each group. The groups grow from the columns start[0 ..
 * count) of X, which are distinct and not zero; if count is larger than rank, the groups that
 * represent most columns are kept. Columns with may_be[j] = 0 are in groups, but not selected. The
 * result is the same for any number of threads. */
ch_status chi_central_columns(ch_context *context, int64_t *columns, int64_t rank,
                              const int64_t *start, int64_t count, const char *may_be,
                              const ch_matrix *X);
