/* The kernel tables of a build for a processor without special ones. */
#include "kernels/kernels.h"

extern const chi_kernels chi_kernels_portable;

const chi_kernels *const chi_kernel_tables[] = {&chi_kernels_portable, NULL};
