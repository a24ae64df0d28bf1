/* The residuals of Hottopixx in its other forms. R_j is V_j with every entry moved towards 0 by up
 * to level_j, where
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

/* level_j >= 0 with sum_i (|V_ij| - level_j)_+ = radius, or 0 where |V_j|_1 <= radius. */
void chi_levels_of_radius(chi_residual_levels *levels, double radius);
/* Finds levels that all have the same radius and add up to sum; returns the radius. guess is the
 * start. With radius 0 they may add up to less: then R = 0. */
double chi_levels_of_sum(chi_residual_levels *levels, double sum, double guess);
