/* Vectors of LANES doubles and what goes with them; see kernels_vector.h. */
#include "kernels/kernels.h"
#include <string.h>

#define INLINE static inline __attribute__((always_inline))

typedef double vec __attribute__((vector_size(LANES * 8)));
typedef int64_t mask __attribute__((vector_size(LANES * 8)));
typedef int16_t words __attribute__((vector_size(LANES * 8)));
typedef int32_t counts __attribute__((vector_size(LANES * 8)));
typedef float vec_f32 __attribute__((vector_size(LANES * 4)));
typedef int32_t vec_i32 __attribute__((vector_size(LANES * 4)));
typedef int16_t vec_i16 __attribute__((vector_size(LANES * 2)));
