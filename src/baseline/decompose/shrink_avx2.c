/* For x86-64 with AVX2 and FMA; compiled with those switched on. */
#define TABLE chi_shrink_avx2
#include "baseline/decompose/shrink_loops.h"
