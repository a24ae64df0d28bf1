/* Bytes transposed, 16 x 16 at a time in registers.
 *
 * Interleaving row i with row i + 8, for all i, four times over, is the transposition of 16 rows of
 * 16 bytes: each round moves one bit of the row number to the column number. */
#include "io/frames.h"
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

/* The outer loop goes along the longer side: cache lines of the shorter one are used up meanwhile.
 */
void chi_transpose_bytes(uint8_t *to, int64_t to_stride, const uint8_t *from, int64_t from_stride,
                         int64_t rows, int64_t cols) {
    if (rows > cols) {
        for (int64_t r = 0; r < rows; r += TILE)
            for (int64_t c = 0; c < cols; c += TILE)
                transpose_part(to + c * to_stride + r, to_stride, from + r * from_stride + c,
                               from_stride, rows - r, cols - c);
    } else {
        for (int64_t c = 0; c < cols; c += TILE)
            for (int64_t r = 0; r < rows; r += TILE)
                transpose_part(to + c * to_stride + r, to_stride, from + r * from_stride + c,
                               from_stride, rows - r, cols - c);
    }
}
