/* Planes of frames as pictures. */
#pragma once

#include <stdint.h>

/* The colour around what moves: R, G, B. */
#define CLI_OUTLINE \
    { 255, 64, 0 }

/* Planes of `pixels` bytes each as pixels side by side: gray, or R G B. */
void cli_interleave(uint8_t *to, const uint8_t *const *planes, int count, int64_t pixels);
