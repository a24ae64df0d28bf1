/* The loop of chi_count_below; included once per kind of processor, with NAME naming the result. */
#include "baseline/median/median.h"
#include <string.h>

void NAME(uint32_t *count, const uint8_t *x, const uint8_t *bound, int64_t lines) {
    for (int64_t start = 0; start < lines; start += 255) { /* what a byte can count to */
        int64_t end = lines - start < 255 ? lines : start + 255;
        uint8_t few[CHI_LANES] = {0};
        for (int64_t i = start; i < end; i++)
            for (int l = 0; l < CHI_LANES; l++) few[l] += x[l + CHI_LANES * i] < bound[l];
        for (int l = 0; l < CHI_LANES; l++) count[l] += few[l];
    }
}
