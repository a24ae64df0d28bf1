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

static int has_avx512(void) {
    return chi_processor_level() >= 3;
}

static int has_avx2(void) {
    return chi_processor_level() >= 2;
}

static int always(void) {
    return 1;
}

const chi_kernels chi_kernel_sets[] = {
    {.name = "avx512",
     .usable = has_avx512,
     .dense = &chi_dense_loops_avx512,
     .loss = chi_loss_loops_avx2,
     .lad = &chi_lad_solver_avx2,
     .gram = chi_weighted_gram_avx2,
     .count_below = chi_count_below_avx2,
     .shrink = &chi_shrink_loops_avx2,
     .residual_share = chi_residual_share_avx2,
     .mask = &chi_mask_loops_avx2,
     .live = &chi_live_loops_avx2},
    WHOLE_SET(avx2, has_avx2),
    WHOLE_SET(portable, always),
};
const int chi_kernel_set_count = sizeof chi_kernel_sets / sizeof *chi_kernel_sets;
