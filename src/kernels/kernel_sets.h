/* Macros for kernel_sets_x86.c and kernel_sets_other.c: DECLARE_SET() declares the loops of a set,
 * WHOLE_SET() is its row in the table. */
#pragma once

#include "kernels/kernels.h"

#define DECLARE_SET(set)                                       \
    extern const chi_dense_loops chi_dense_loops_##set;        \
    extern const chi_loss_loops chi_kl_loops_##set[];          \
    extern const chi_loss_loops chi_is_loops_##set[];          \
    extern const struct chi_lad_solver chi_lad_solver_##set;   \
    extern const struct chi_lane_solver chi_lane_solver_##set; \
    extern const chi_shrink_loops chi_shrink_loops_##set;      \
    extern const chi_mask_loops chi_mask_loops_##set;          \
    extern const chi_tile_loops chi_tile_loops_##set;          \
    extern const chi_live_loops chi_live_loops_##set;          \
    extern const chi_model_loops chi_model_loops_##set;        \
    extern const chi_newton_loops chi_newton_loops_##set;      \
    chi_weighted_gram chi_weighted_gram_##set;                 \
    chi_kl_weights chi_kl_weights_##set;                       \
    chi_count_below chi_count_below_##set;                     \
    chi_residual_share chi_residual_share_##set

/* The row of a set that has its own version of every loop, for processors of level `least` or
 * higher (chi_processor_level()). */
#define WHOLE_SET(set, least)                                                                    \
    {                                                                                            \
        .name = #set, .level = least, .dense = &chi_dense_loops_##set, .kl = chi_kl_loops_##set, \
        .is = chi_is_loops_##set, .lad = &chi_lad_solver_##set, .lanes = &chi_lane_solver_##set, \
        .gram = chi_weighted_gram_##set, .count_below = chi_count_below_##set,                   \
        .shrink = &chi_shrink_loops_##set, .residual_share = chi_residual_share_##set,           \
        .mask = &chi_mask_loops_##set, .tile = &chi_tile_loops_##set,                            \
        .live = &chi_live_loops_##set, .model = &chi_model_loops_##set,                          \
        .newton = &chi_newton_loops_##set, .kl_weights = chi_kl_weights_##set                    \
    }
