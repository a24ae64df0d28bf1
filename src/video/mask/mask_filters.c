/* Filters of masks by the foreground in a square around each pixel. A pixel becomes foreground if
 * any pixel of the square is (dilation), most are (median), or all are (erosion). The median counts
 * pixels, in O(pixels) whatever the radius. The others combine 16 or more bytes at once, in
 * O(pixels radius / 16). */
#include "video/mask/mask_parts.h"
#include <string.h>

/* ---- any and all: bytes combined by OR, first down, then across; "all" is "not any not" ---- */

typedef struct ballot {
    chi_size size;
    int64_t radius;
    uint8_t flip;    /* 0: any; 255: all, computed as any of the inverted mask              */
    uint8_t *padded; /* width + 2 radius bytes: a row; the margins are outside every square */
} ballot;

static ballot open_ballot(chi_size size, int64_t radius, chi_vote vote, int32_t *counts) {
    int64_t longer = size.width > size.height ? size.width : size.height;
    return (ballot){size, radius < longer ? radius : longer, vote == CHI_VOTE_ANY ? 0 : 255,
                    (uint8_t *)counts};
}

int64_t chi_mask_counts(chi_size size, int64_t radius) {
    ballot b = open_ballot(size, radius, CHI_VOTE_ANY, NULL);
    int64_t padded = (size.width + 2 * b.radius + 3) / (int64_t)sizeof(int32_t);
    return size.width > padded ? size.width : padded;
}

/* Computes columns of one row. `first` is the first of the `rows` rows around it that are in the
 * frame. */
static void vote_row(uint8_t *to, const uint8_t *first, int64_t rows, chi_rows columns,
                     const ballot *b) {
    int64_t count = columns.high - columns.low;
    chi_rows near = chi_rows_around(columns, b->radius, b->size.width);
    uint8_t *padded = b->padded, *row = padded + b->radius - (columns.low - near.low);
    uint8_t flip = b->flip;
    memset(padded, 0, (size_t)(count + 2 * b->radius));
    for (int64_t v = 0; v < rows; v++) {
        const uint8_t *next = first + v * b->size.width + near.low;
        for (int64_t x = 0; x < near.high - near.low; x++) row[x] |= (next[x] ? 255 : 0) ^ flip;
    }
    int64_t reach = 1, across = 2 * b->radius + 1; /* number of pixels that padded[x] combines */
    for (; 2 * reach <= across; reach *= 2)
        for (int64_t x = 0; x < count + across - 2 * reach; x++) padded[x] |= padded[x + reach];
    to += columns.low;
    for (int64_t x = 0; x < count; x++) to[x] = (padded[x] | padded[x + across - reach]) ^ flip;
}

/* Computes rows and columns of out from a picture that begins at row `base` of the frame. */
static void vote_rows(uint8_t *out, const uint8_t *picture, int64_t base, chi_rows rows,
                      chi_rows columns, const ballot *b) {
    int64_t width = b->size.width;
    for (int64_t y = rows.low; y < rows.high; y++) {
        chi_rows near = chi_rows_around((chi_rows){y, y + 1}, b->radius, b->size.height);
        vote_row(out + (y - rows.low) * width, picture + (near.low - base) * width,
                 near.high - near.low, columns, b);
    }
}

static int is_empty(const uint8_t *mask, chi_size size, chi_rows rows, chi_rows columns) {
    size_t count = (size_t)(columns.high - columns.low);
    for (int64_t y = rows.low; y < rows.high; y++) {
        const uint8_t *row = mask + y * size.width + columns.low;
        if (count > 0 && (row[0] || memcmp(row, row + 1, count - 1) != 0)) return 0;
    }
    return 1;
}

void chi_mask_close_part(uint8_t *out, const uint8_t *mask, uint8_t *wide, int32_t *counts,
                         chi_size size, int64_t radius, chi_rows rows, chi_rows columns) {
    int64_t width = size.width;
    ballot any = open_ballot(size, radius, CHI_VOTE_ANY, counts);
    ballot all = open_ballot(size, radius, CHI_VOTE_ALL, counts);
    chi_rows near = chi_rows_around(rows, any.radius, size.height);
    chi_rows beside = chi_rows_around(columns, any.radius, width);
    if (is_empty(mask, size, chi_rows_around(near, any.radius, size.height),
                 chi_rows_around(beside, any.radius, width))) {
        for (int64_t y = rows.low; y < rows.high; y++)
            memset(out + y * width + columns.low, 0, (size_t)(columns.high - columns.low));
        return;
    }
    vote_rows(wide, mask, 0, near, beside, &any);
    vote_rows(out + rows.low * width, wide, near.low, rows, columns, &all);
}

/* ---- most: counted ---- */

/* counts[x] += sign * (foreground at (x, y)), if row y is in the frame. */
static void add_row(int32_t *counts, const uint8_t *mask, chi_size size, int64_t y, int sign) {
    if (y < 0 || y >= size.height) return;
    for (int64_t x = 0; x < size.width; x++) counts[x] += mask[y * size.width + x] ? sign : 0;
}

void chi_mask_vote(uint8_t *out, const uint8_t *mask, int32_t *counts, chi_size size,
                   int64_t radius, chi_vote vote) {
    ballot b = open_ballot(size, radius, vote, counts);
    if (vote != CHI_VOTE_MOST) {
        vote_rows(out, mask, 0, (chi_rows){0, size.height}, (chi_rows){0, size.width}, &b);
        return;
    }
    memset(counts, 0, (size_t)size.width * sizeof *counts);
    for (int64_t y = 0; y < radius; y++) add_row(counts, mask, size, y, 1);
    for (int64_t y = 0; y < size.height; y++) {
        int64_t rows = chi_count_around(y, radius, size.height), sum = 0;
        add_row(counts, mask, size, y + radius, 1);
        add_row(counts, mask, size, y - radius - 1, -1);
        for (int64_t x = 0; x < radius && x < size.width; x++) sum += counts[x];
        for (int64_t x = 0; x < size.width; x++) {
            if (x + radius < size.width) sum += counts[x + radius];
            if (x > radius) sum -= counts[x - radius - 1];
            int64_t square = rows * chi_count_around(x, radius, size.width);
            out[y * size.width + x] = 2 * sum > square ? 255 : 0;
        }
    }
}
