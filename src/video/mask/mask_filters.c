/* Filters of masks by counting the foreground of a square around each pixel: any of them is a
 * dilation, most of them a median, all of them an erosion. O(pixels), whatever the radius, by
 * counting; dilation and erosion by small squares go over 16 and more bytes at once instead. */
#include "video/mask/mask_parts.h"
#include <string.h>

/* ---- any and all: bytes joined by or and by and, first down, then across ---- */

/* One row of a vote: `first` is the first of the `rows` around it that are in the frame. `padded`
 * holds width + 2 radius bytes; those beside the row count as pixels out of the frame. */
static void vote_row(uint8_t *to, const uint8_t *first, int64_t rows, uint8_t *padded,
                     int64_t width, int64_t radius, chi_vote vote) {
    uint8_t *row = padded + radius;
    int none = vote == CHI_VOTE_ANY ? 0 : 255;
    memset(padded, none, (size_t)radius);
    memset(row + width, none, (size_t)radius);
    for (int64_t x = 0; x < width; x++) row[x] = first[x] ? 255 : 0;
    for (int64_t v = 1; v < rows; v++) {
        const uint8_t *next = first + v * width;
        if (vote == CHI_VOTE_ANY)
            for (int64_t x = 0; x < width; x++) row[x] |= next[x] ? 255 : 0;
        else
            for (int64_t x = 0; x < width; x++) row[x] &= next[x] ? 255 : 0;
    }
    memcpy(to, padded, (size_t)width);
    for (int64_t u = 1; u <= 2 * radius; u++)
        if (vote == CHI_VOTE_ANY)
            for (int64_t x = 0; x < width; x++) to[x] |= padded[x + u];
        else
            for (int64_t x = 0; x < width; x++) to[x] &= padded[x + u];
}

/* Rows [low, high) of out by a vote in a picture that begins at row `base` of the frame. */
static void vote_rows(uint8_t *out, const uint8_t *picture, int64_t base, uint8_t *padded,
                      chi_size size, int64_t radius, int64_t low, int64_t high, chi_vote vote) {
    int64_t width = size.width;
    for (int64_t y = low; y < high; y++) {
        int64_t from = y > radius ? y - radius : 0;
        int64_t to = y + radius < size.height ? y + radius + 1 : size.height;
        vote_row(out + (y - low) * width, picture + (from - base) * width, to - from, padded, width,
                 radius, vote);
    }
}

int chi_mask_closes_by_rows(chi_size size, int64_t radius) {
    enum { SMALL = 8 };
    return radius <= SMALL && size.width + 2 * radius <= size.width * (int64_t)sizeof(int32_t);
}

static int is_empty(const uint8_t *mask, int64_t count) {
    return count == 0 || (mask[0] == 0 && memcmp(mask, mask + 1, (size_t)(count - 1)) == 0);
}

void chi_mask_close_rows(uint8_t *out, const uint8_t *mask, uint8_t *wide, int32_t *counts,
                         chi_size size, int64_t radius, int64_t low, int64_t high) {
    int64_t width = size.width, end = size.height;
    int64_t first = low > radius ? low - radius : 0,
            last = high + radius < end ? high + radius : end;
    int64_t seen = first > radius ? first - radius : 0;
    if (is_empty(mask + seen * width,
                 ((last + radius < end ? last + radius : end) - seen) * width)) {
        memset(out + low * width, 0, (size_t)((high - low) * width));
        return;
    }
    vote_rows(wide, mask, 0, (uint8_t *)counts, size, radius, first, last, CHI_VOTE_ANY);
    vote_rows(out + low * width, wide, first, (uint8_t *)counts, size, radius, low, high,
              CHI_VOTE_ALL);
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
    if (vote != CHI_VOTE_MOST && chi_mask_closes_by_rows(size, radius)) {
        vote_rows(out, mask, 0, (uint8_t *)counts, size, radius, 0, size.height, vote);
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
