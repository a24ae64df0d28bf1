/* Filters of masks by counting the foreground of a square around each pixel: any of them is a
 * dilation, most of them a median, all of them an erosion. O(pixels), whatever the radius, by
 * counting; dilation and erosion by small squares go over 16 and more bytes at once instead. */
#include "app/mask_parts.h"
#include <string.h>

/* ---- any and all: bytes joined by or and by and, first down, then across ---- */

/* row[x] = bytes of the rows around y joined; `none` where they are out of the frame. */
static void join_rows(uint8_t *row, const uint8_t *mask, chi_size size, int64_t y, int64_t radius,
                      chi_vote vote) {
    int64_t from = y > radius ? y - radius : 0, width = size.width;
    int64_t to = y + radius < size.height ? y + radius + 1 : size.height;
    for (int64_t x = 0; x < width; x++) row[x] = mask[from * width + x] ? 255 : 0;
    for (int64_t v = from + 1; v < to; v++) {
        const uint8_t *next = mask + v * width;
        if (vote == CHI_VOTE_ANY)
            for (int64_t x = 0; x < width; x++) row[x] |= next[x] ? 255 : 0;
        else
            for (int64_t x = 0; x < width; x++) row[x] &= next[x] ? 255 : 0;
    }
}

/* padded: width + 2 radius bytes. */
static void vote_by_bytes(uint8_t *out, const uint8_t *mask, uint8_t *padded, chi_size size,
                          int64_t radius, chi_vote vote) {
    int64_t width = size.width;
    int none = vote == CHI_VOTE_ANY ? 0 : 255;
    memset(padded, none, (size_t)radius);
    memset(padded + radius + width, none, (size_t)radius);
    for (int64_t y = 0; y < size.height; y++) {
        uint8_t *to = out + y * width;
        join_rows(padded + radius, mask, size, y, radius, vote);
        memcpy(to, padded, (size_t)width);
        for (int64_t u = 1; u <= 2 * radius; u++)
            if (vote == CHI_VOTE_ANY)
                for (int64_t x = 0; x < width; x++) to[x] |= padded[x + u];
            else
                for (int64_t x = 0; x < width; x++) to[x] &= padded[x + u];
    }
}

/* ---- most: counted ---- */

/* counts[x] += sign * (foreground at (x, y)), for a row in the frame. */
static void add_row(int32_t *counts, const uint8_t *mask, chi_size size, int64_t y, int sign) {
    if (y < 0 || y >= size.height) return;
    for (int64_t x = 0; x < size.width; x++) counts[x] += mask[y * size.width + x] ? sign : 0;
}

static int64_t clipped(int64_t at, int64_t radius, int64_t end) {
    int64_t from = at > radius ? at - radius : 0, to = at + radius < end ? at + radius + 1 : end;
    return to - from;
}

static int decide(chi_vote vote, int64_t sum, int64_t around) {
    if (vote == CHI_VOTE_ANY) return sum > 0;
    return vote == CHI_VOTE_MOST ? 2 * sum > around : sum == around;
}

void chi_mask_vote(uint8_t *out, const uint8_t *mask, int32_t *counts, chi_size size,
                   int64_t radius, chi_vote vote) {
    enum { SMALL = 8 };
    int64_t bytes = size.width * (int64_t)sizeof *counts;
    if (vote != CHI_VOTE_MOST && radius <= SMALL && size.width + 2 * radius <= bytes) {
        vote_by_bytes(out, mask, (uint8_t *)counts, size, radius, vote);
        return;
    }
    memset(counts, 0, (size_t)size.width * sizeof *counts);
    for (int64_t y = 0; y < radius; y++) add_row(counts, mask, size, y, 1);
    for (int64_t y = 0; y < size.height; y++) {
        int64_t rows = clipped(y, radius, size.height), sum = 0;
        add_row(counts, mask, size, y + radius, 1);
        add_row(counts, mask, size, y - radius - 1, -1);
        for (int64_t x = 0; x < radius && x < size.width; x++) sum += counts[x];
        for (int64_t x = 0; x < size.width; x++) {
            if (x + radius < size.width) sum += counts[x + radius];
            if (x > radius) sum -= counts[x - radius - 1];
            int64_t around = rows * clipped(x, radius, size.width);
            out[y * size.width + x] = decide(vote, sum, around) ? 255 : 0;
        }
    }
}
