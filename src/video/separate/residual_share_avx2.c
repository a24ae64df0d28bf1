/* For x86-64 with AVX2 and FMA; compiled with those switched on. */
#define NAME chi_residual_share_avx2
#include "video/separate/residual_share_loops.h"
