/* Small parts and holes of a mask, by runs of its rows. */
#ifndef CONEHULL_MASK_RUNS_H
#define CONEHULL_MASK_RUNS_H

#include "video/mask/mask_parts.h"

/* As chi_mask_drop_small() and chi_mask_fill_holes(), for masks with few runs; zero, the mask as it
 * was: there are too many. */
int chi_runs_drop_small(uint8_t *mask, chi_parts *parts, chi_size size, int64_t least);
int chi_runs_fill_holes(uint8_t *mask, chi_parts *parts, chi_size size, int64_t most);

#endif
