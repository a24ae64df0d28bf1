/* Reorders bytes, 16 at a time in registers, by perfect shuffles, which interleave two halves.
 *
 * Transposition: interleaving row i with row i + 8, for all i, four times, transposes 16 rows of 16
 * bytes; each round moves one bit of the row number to the column number.
 *
 * Separating colours: a perfect shuffle of 48 bytes moves place p to 2 p mod 47 (the last one
 * stays), so four of them move 3 j + c to 16 (3 j + c) = j + 16 c mod 47: sixteen R, sixteen G,
 * sixteen B. */
#include "io/clip/frames.h"
#include <string.h>

enum { TILE = 16 };
typedef uint8_t tile_row __attribute__((vector_size(TILE)));

static inline tile_row low_halves(tile_row a, tile_row b) {
    return __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
}

static inline tile_row high_halves(tile_row a, tile_row b) {
    return __builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15,
                                   31);
}

static inline void interleave(tile_row out[TILE], const tile_row in[TILE]) {
    for (int i = 0; i < TILE / 2; i++) {
        out[2 * i] = low_halves(in[i], in[i + TILE / 2]);
        out[2 * i + 1] = high_halves(in[i], in[i + TILE / 2]);
    }
}

static void transpose_tile(uint8_t *to, int64_t to_stride, const uint8_t *from,
                           int64_t from_stride) {
    tile_row a[TILE], b[TILE];
    for (int i = 0; i < TILE; i++) memcpy(&a[i], from + i * from_stride, TILE);
    interleave(b, a);
    interleave(a, b);
    interleave(b, a);
    interleave(a, b);
    for (int i = 0; i < TILE; i++) memcpy(to + i * to_stride, &a[i], TILE);
}

static void transpose_edge(uint8_t *to, int64_t to_stride, const uint8_t *from, int64_t from_stride,
                           int64_t rows, int64_t cols) {
    for (int64_t c = 0; c < cols; c++)
        for (int64_t r = 0; r < rows; r++) to[c * to_stride + r] = from[r * from_stride + c];
}

static void transpose_part(uint8_t *to, int64_t to_stride, const uint8_t *from, int64_t from_stride,
                           int64_t rows, int64_t cols) {
    if (rows >= TILE && cols >= TILE)
        transpose_tile(to, to_stride, from, from_stride);
    else
        transpose_edge(to, to_stride, from, from_stride, rows < TILE ? rows : TILE,
                       cols < TILE ? cols : TILE);
}

/* The outer loop runs along the longer side, so that cache lines of the shorter one are fully
 * used. */
void chi_transpose_bytes(uint8_t *to, int64_t to_stride, const uint8_t *from, int64_t from_stride,
                         int64_t rows, int64_t cols) {
    int64_t tall = rows > cols, longer = tall ? rows : cols, shorter = tall ? cols : rows;
    for (int64_t i = 0; i < longer; i += TILE)
        for (int64_t j = 0; j < shorter; j += TILE) {
            int64_t r = tall ? i : j, c = tall ? j : i;
            transpose_part(to + c * to_stride + r, to_stride, from + r * from_stride + c,
                           from_stride, rows - r, cols - c);
        }
}

/* The upper half of a vector, brought down. */
static inline tile_row upper(tile_row a) {
    return __builtin_shufflevector(a, a, 8, 9, 10, 11, 12, 13, 14, 15, 8, 9, 10, 11, 12, 13, 14,
                                   15);
}

void chi_split_rgb(uint8_t *R, uint8_t *G, uint8_t *B, const uint8_t *rgb, int64_t count) {
    int64_t j = 0;
    for (; j + TILE <= count; j += TILE) {
        tile_row v[3];
        memcpy(v, rgb + 3 * j, sizeof v);
        for (int round = 0; round < 4; round++) {
            tile_row first = low_halves(v[0], upper(v[1]));
            tile_row second = low_halves(upper(v[0]), v[2]);
            v[2] = low_halves(v[1], upper(v[2]));
            v[0] = first;
            v[1] = second;
        }
        memcpy(R + j, &v[0], TILE);
        memcpy(G + j, &v[1], TILE);
        memcpy(B + j, &v[2], TILE);
    }
    for (; j < count; j++) {
        R[j] = rgb[3 * j];
        G[j] = rgb[3 * j + 1];
        B[j] = rgb[3 * j + 2];
    }
}
