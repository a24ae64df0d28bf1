/* For x86-64 with AVX2; compiled with it switched on. */
#define NAME chi_count_below_avx2
#include "baseline/median/count_below_loops.h"
