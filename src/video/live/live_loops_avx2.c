/* For x86-64 with AVX2; compiled with that switched on, and without fused products. */
#define NAME chi_live_loops_avx2
#include "video/live/live_loops_text.h"
