/* The kernel tables of a build for x86-64. */
#include "kernels/kernels.h"
#include <stddef.h>

extern const chi_kernels chi_kernels_avx512, chi_kernels_avx2, chi_kernels_portable;

const chi_kernels *const chi_kernel_tables[] = {
    &chi_kernels_avx512,
    &chi_kernels_avx2,
    &chi_kernels_portable,
    NULL,
};
