/* k-means, and of each cluster the column nearest to its mean. */
#pragma once

#include "base/base.h"
#include <conehull/exemplars.h>
#include <conehull/random.h>

/* columns: space for rank. Cosine similarity. CH_STOP_COMPLETE: there are fewer clusters. The same
 * for any number of threads. */
ch_status chi_kmeans_columns(ch_context *context, int64_t *columns, int64_t *found,
                             const ch_matrix *X, int64_t rank, ch_random *random);
