/* The residuals of Hottopixx with the settings `tau` and `largest`. R_j is V_j with every entry
 * moved towards 0 by up to level_j, where
 *
 *     tau:      R_j is the nearest point of the ball |r|_1 <= tau
 *     largest:  R minimises max_j |R_j|_1 + rho/2 |R - V|^2; then all R_j are in balls of one
 *               radius, and the levels add up to 1 / rho */
#pragma once

#include "base/base.h"

typedef enum chi_residual_form {
    CHI_RESIDUAL_SUM,
    CHI_RESIDUAL_LARGEST,
    CHI_RESIDUAL_TAU
} chi_residual_form;

typedef struct chi_residual_levels {
    ch_context *context;
    const double *V; /* rows x columns, column-major */
    double *level;   /* columns                      */
    double *slope;   /* columns: -d level / d radius */
    int64_t rows, columns;
} chi_residual_levels;

/* Computes the levels: level_j >= 0 with sum_i (|V_ij| - level_j)_+ = radius, or 0 where |V_j|_1 <=
 * radius. */
void chi_levels_of_radius(chi_residual_levels *levels, double radius);
/* Finds the radius for which the levels add up to `sum`, starting at `guess`, and returns it. If it
 * is 0, the levels may add up to less, and R = 0. */
double chi_levels_of_sum(chi_residual_levels *levels, double sum, double guess);
