/* An order of columns by their content, independent of their positions in a file. */
#pragma once

#include "base/arena.h"
#include <conehull/matrix.h>

/* order[0 .. cols) = columns of X sorted by a hash of their entries, equal columns by their
 * positions. Sums depend on the order of their terms by rounding, and choices among ties depend on
 * it entirely. A method that takes columns in this order gives the same result for any order of the
 * file, because it does not matter which of two equal columns comes first. The caller owns order,
 * which may come from the arena; the status is that of the arena. */
ch_status chi_content_order(chi_arena *arena, int64_t *order, const ch_matrix *X);
