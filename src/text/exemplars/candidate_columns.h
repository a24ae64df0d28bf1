/* Which columns may be exemplars. */
#pragma once

#include "base/arena.h"
#include <conehull/exemplars.h>

/* may_be[j] = 0 for columns of a sparse X that are far longer than usual, 1 for all others; zero
 * columns have 1. times: ch_exemplars_settings.longest. If this would leave fewer than `count` of
 * the first `seen` columns, all have 1. Returns NULL if memory is short; the arena owns the
 * list. */
char *chi_candidate_columns(chi_arena *arena, const ch_matrix *X, double times, int64_t count,
                            int64_t seen);
