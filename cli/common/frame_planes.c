/* Planes of frames as pictures. */
#include "common/frame_planes.h"
#include <string.h>

void cli_interleave(uint8_t *to, const uint8_t *const *planes, int count, int64_t pixels) {
    if (count == 1) {
        memcpy(to, planes[0], (size_t)pixels);
        return;
    }
    for (int64_t j = 0; j < pixels; j++)
        for (int p = 0; p < count; p++) to[j * count + p] = planes[p][j];
}
