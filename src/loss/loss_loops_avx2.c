/* The loops for x86-64 with AVX2 and FMA; compiled with those switched on. */
#define LANES 4
#define TABLE chi_loss_loops_avx2
#include "loss/loss_vector.h"
