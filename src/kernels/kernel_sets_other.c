/* The kernel sets of a build for a processor without special code. The portable loops use vectors
 * of two doubles, which are NEON registers on arm64. */
#include "kernels/kernel_sets.h"

DECLARE_SET(portable);

int chi_processor_level(void) {
    return 1;
}

const chi_kernels chi_kernel_sets[] = {WHOLE_SET(portable, 1)};
const int chi_kernel_set_count = sizeof chi_kernel_sets / sizeof *chi_kernel_sets;
