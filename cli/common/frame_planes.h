/* Planes of frames as pictures. */
#pragma once

#include <stdint.h>

/* The colour of outlines of moving objects: R, G, B. */
#define CLI_OUTLINE \
    { 255, 64, 0 }

/* Combines planes of `pixels` bytes each into pixels: gray, or R G B. */
void cli_interleave(uint8_t *to, const uint8_t *const *planes, int count, int64_t pixels);
