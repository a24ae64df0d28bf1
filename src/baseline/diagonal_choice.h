/* Functions shared by Hottopixx and FGNSR: both explain the columns of X, scaled to sum 1, by one
 * another, X = X C, and choose the columns with the largest C_ii. */
#pragma once

#include "baseline/baseline.h"
#include "baseline/column_products.h"
#include "baseline/self_representation.h"

/* Loads the columns listed in `all`, scaled to sum 1, into `to`. Returns CH_STOP_CANCELLED if the
 * progress callback stops it. */
ch_status chi_load_scaled(chi_selfrep *all, chi_dictionary *to, const ch_matrix *X);

/* Fills p (all->n numbers) with costs of the diagonal, uniform in (0, spread). */
void chi_diagonal_costs(double *p, int64_t count, double spread, int64_t seed);

/* Selects the `rank` columns with the largest diagonal, ties to the lowest column. A program may
 * divide the diagonal arbitrarily among equal columns, so the first of them gets all of it.
 * Overwrites diagonal and key (all->n numbers each). */
void chi_choose_by_diagonal(chi_selfrep *all, chi_selection *found, const chi_dictionary *X,
                            double *diagonal, double *key, const ch_anchors_settings *settings);
