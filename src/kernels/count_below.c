/* Counts the bytes of a window that are below a bound, for medians (chi_count_below). */
#include "kernels/kernels.h"
#include "kernels/vectors.h"

chi_count_below IN_SET(chi_count_below);
void IN_SET(chi_count_below)(uint32_t *count, const uint8_t *x, const uint8_t *bound,
                             int64_t lines) {
    for (int64_t start = 0; start < lines; start += 255) { /* a byte counts up to 255 */
        int64_t end = lines - start < 255 ? lines : start + 255;
        uint8_t few[CHI_COUNTED_AT_ONCE] = {0};
        for (int64_t i = start; i < end; i++)
            for (int l = 0; l < CHI_COUNTED_AT_ONCE; l++)
                few[l] += x[l + CHI_COUNTED_AT_ONCE * i] < bound[l];
        for (int l = 0; l < CHI_COUNTED_AT_ONCE; l++) count[l] += few[l];
    }
}
