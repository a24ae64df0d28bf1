/* The kernel sets of a build for x86-64. */
#include "kernels/kernel_sets.h"

DECLARE_SET(portable);
DECLARE_SET(avx2);
DECLARE_SET(avx512);

int chi_processor_level(void) {
    __builtin_cpu_init();
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) return 1;
    if (!__builtin_cpu_supports("avx512f") || !__builtin_cpu_supports("avx512bw") ||
        !__builtin_cpu_supports("avx512dq") || !__builtin_cpu_supports("avx512vl"))
        return 2;
    return 3;
}

/* The AVX-512 set uses the loop of AVX2 where AVX-512 gains nothing, or would round differently.
 * Speed measured on a Zen 4, which executes 512-bit operations in 256-bit units (ratio of AVX2's
 * time to AVX-512's, `conehull bench kernels` of a build that has both):
 *
 *     residual share   0.77: limited by divisions, and the vectors are short
 *     shrink           1.15, but gcc rounds the ends of its loops in another order. The sums that
 *                      stop a decomposition would differ, and matrix products take most time anyway
 *
 * Exact l1 was not faster there either (1.02 with 256-bit registers, 0.98 with 512) but takes 0.75
 * to 0.8 times as long with AVX-512 on a Zen 5, which has 512-bit units.
 *
 * Itakura-Saito, weighted Gram matrices and the loops of Newton's steps use 512-bit registers. On a
 * Zen 4 this gains nothing for Itakura-Saito; on a Zen 5 projections of documents under it take
 * 0.77 to 0.83 of the time. These loops, those of dense_loops.c and exact l1 sum in eight lanes;
 * the other AVX-512 loops give the same bits as AVX2. */
const chi_kernels chi_kernel_sets[] = {
    {.name = "avx512",
     .level = 3,
     .dense = &chi_dense_loops_avx512,
     .kl = chi_kl_loops_avx512,
     .is = chi_is_loops_avx512,
     .lad = &chi_lad_solver_avx512,
     .lanes = &chi_lane_solver_avx512,
     .gram = chi_weighted_gram_avx512,
     .newton = &chi_newton_loops_avx512,
     .kl_weights = chi_kl_weights_avx512,
     .model = &chi_model_loops_avx512,
     .count_below = chi_count_below_avx512,
     .shrink = &chi_shrink_loops_avx2,
     .residual_share = chi_residual_share_avx2,
     .mask = &chi_mask_loops_avx512,
     .tile = &chi_tile_loops_avx512,
     .live = &chi_live_loops_avx512},
    WHOLE_SET(avx2, 2),
    WHOLE_SET(portable, 1),
};
const int chi_kernel_set_count = sizeof chi_kernel_sets / sizeof *chi_kernel_sets;
