/* An order of columns by what they contain, whatever their places in a file. */
#pragma once

#include "base/arena.h"
#include <conehull/matrix.h>

/* order[0 .. cols): columns of X sorted by a hash of their entries, equal columns by their places.
 * Sums depend on the order of their terms, by rounding, and choices among ties on it altogether: a
 * method that takes columns in this order gives the same answer for any order of the file, since
 * which of two equal columns comes first makes no difference. order is the caller's; the status is
 * that of the arena, which it may come from. */
ch_status chi_content_order(chi_arena *arena, int64_t *order, const ch_matrix *X);
