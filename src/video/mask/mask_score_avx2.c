/* For x86-64 with AVX2; compiled with that switched on, and without fused products. */
#define NAME chi_mask_loops_avx2
#include "video/mask/mask_score_text.h"
