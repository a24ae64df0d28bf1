/* Successive projection of a small dense matrix whose entries may have any sign. */
#pragma once

#include "baseline/baseline.h"

/* Z is rows x cols, column-major, and is overwritten. Fills found->anchors and found->max_residual
 * for up to `rank` columns, each with the largest norm after the earlier ones are projected out;
 * ties go to the lowest column. found->rank is smaller when all columns depend on the anchors found
 * (residual / norm at most `settled`). norm: cols numbers, workspace. O(rows cols rank). */
void chi_spa_small(chi_selection *found, double *Z, double *norm, int64_t rows, int64_t cols,
                   int64_t rank, double settled);
