/* The ellipsoid of least volume, centred at the origin, that holds given points. */
#pragma once

#include "base/arena.h"

/* Y: rows x cols, column-major, of rank `rows`; start[0 .. rows): independent columns. On return
 * M (rows x rows, column-major, both triangles) is such that the ellipsoid is
 * {y : y'M^-1 y <= rows (1 + accuracy)} and holds every column of Y; its volume is at most
 * (1 + accuracy)^(rows / 2) times the least one. Returns CHI_CANCELLED if the progress callback
 * asks to stop, and CH_STOP_ITER, with the last M, after 100,000 steps. */
ch_status chi_least_ellipsoid(chi_arena *arena, double *M, const double *Y, int64_t rows,
                              int64_t cols, const int64_t *start, double accuracy);
