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

/* Where AVX-512 gains nothing, or would round in another order than AVX2, its set has the loop of
 * AVX2. Measured on a Zen 4, whose registers of 512 bits pass through units of 256 (AVX2 over
 * AVX-512, `conehull bench kernels` of a build that has both):
 *
 *     exact l1         1.02 with registers of 256 bits, 0.98 of 512: bound by loads and products
 *     Itakura-Saito    0.95 in the order of AVX2, 1.05 in its own: bound by divisions
 *     residual share   0.77: bound by divisions, and courses are short
 *     shrink           1.15, but the ends of gcc's loops round in another order: the sums that stop
 * a decomposition would differ, and matrix products take its time anyway
 *
 * The loops that it has give the bits of AVX2, but for those of dense_loops.c, whose sums are in
 * eight lanes. The weighted Gram matrix takes registers of 256 bits and gains by their number. */
const chi_kernels chi_kernel_sets[] = {
    {.name = "avx512",
     .level = 3,
     .dense = &chi_dense_loops_avx512,
     .kl = chi_kl_loops_avx512,
     .is = chi_is_loops_avx2,
     .lad = &chi_lad_solver_avx2,
     .gram = chi_weighted_gram_avx512,
     .newton = &chi_newton_loops_avx512,
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
