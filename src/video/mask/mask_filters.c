/* Filters of masks by counting the foreground of a square around each pixel: any of them is a
 * dilation, most of them a median, all of them an erosion. O(pixels), whatever the radius, by
 * counting; dilation and erosion by small squares go over 16 and more bytes at once instead. */
#include "video/mask/mask_parts.h"
#include <string.h>

/* ---- any and all: bytes joined by or and by and, first down, then across ---- */

/* A vote of any or all. */
typedef struct ballot {
    chi_size size;
    int64_t radius;
    chi_vote vote;
    uint8_t *padded; /* width + 2 radius bytes; those beside a row count as out of the frame */
} ballot;

/* One row: `first` is the first of the `rows` around it that are in the frame. */
static void vote_row(uint8_t *to, const uint8_t *first, int64_t rows, const ballot *b) {
    int64_t width = b->size.width, radius = b->radius;
    uint8_t *padded = b->padded, *row = padded + radius;
    int any = b->vote == CHI_VOTE_ANY, none = any ? 0 : 255;
    memset(padded, none, (size_t)radius);
    memset(row + width, none, (size_t)radius);
    for (int64_t x = 0; x < width; x++) row[x] = first[x] ? 255 : 0;
    for (int64_t v = 1; v < rows; v++) {
        const uint8_t *next = first + v * width;
        if (any)
            for (int64_t x = 0; x < width; x++) row[x] |= next[x] ? 255 : 0;
        else
            for (int64_t x = 0; x < width; x++) row[x] &= next[x] ? 255 : 0;
    }
    memcpy(to, padded, (size_t)width);
    for (int64_t u = 1; u <= 2 * radius; u++)
        if (any)
            for (int64_t x = 0; x < width; x++) to[x] |= padded[x + u];
        else
            for (int64_t x = 0; x < width; x++) to[x] &= padded[x + u];
}

/* Rows of out by a vote in a picture that begins at row `base` of the frame. */
static void vote_rows(uint8_t *out, const uint8_t *picture, int64_t base, chi_rows rows,
                      const ballot *b) {
    int64_t width = b->size.width;
    for (int64_t y = rows.low; y < rows.high; y++) {
        int64_t from = y > b->radius ? y - b->radius : 0;
        int64_t to = y + b->radius < b->size.height ? y + b->radius + 1 : b->size.height;
        vote_row(out + (y - rows.low) * width, picture + (from - base) * width, to - from, b);
    }
}

int chi_mask_closes_by_rows(chi_size size, int64_t radius) {
    enum { SMALL = 8 };
    return radius <= SMALL && size.width + 2 * radius <= size.width * (int64_t)sizeof(int32_t);
}

static int is_empty(const uint8_t *mask, int64_t count) {
    return count == 0 || (mask[0] == 0 && memcmp(mask, mask + 1, (size_t)(count - 1)) == 0);
}

/* The rows within radius of those. */
static chi_rows around(chi_rows rows, int64_t radius, int64_t height) {
    return (chi_rows){rows.low > radius ? rows.low - radius : 0,
                      rows.high + radius < height ? rows.high + radius : height};
}

void chi_mask_close_rows(uint8_t *out, const uint8_t *mask, uint8_t *wide, int32_t *counts,
                         chi_size size, int64_t radius, chi_rows rows) {
    int64_t width = size.width;
    chi_rows near = around(rows, radius, size.height), seen = around(near, radius, size.height);
    ballot any = {size, radius, CHI_VOTE_ANY, (uint8_t *)counts}, all = any;
    all.vote = CHI_VOTE_ALL;
    if (is_empty(mask + seen.low * width, (seen.high - seen.low) * width)) {
        memset(out + rows.low * width, 0, (size_t)((rows.high - rows.low) * width));
        return;
    }
    vote_rows(wide, mask, 0, near, &any);
    vote_rows(out + rows.low * width, wide, near.low, rows, &all);
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
        ballot b = {size, radius, vote, (uint8_t *)counts};
        vote_rows(out, mask, 0, (chi_rows){0, size.height}, &b);
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
