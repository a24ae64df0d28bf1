/* chi_gram for x86-64 with AVX2 and FMA; compiled with those switched on. */
#define LANES 4
#define NAME chi_gram_avx2
#include "project/bregman/gram_vector.h"
