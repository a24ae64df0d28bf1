/* Connected parts of a mask, found by runs. Touching runs of neighbouring rows are joined by
 * union-find, where the root of a part is its first run. Masks are mostly empty, so rows are
 * scanned eight or 64 bytes at a time: O(pixels / 8 + runs), apart from the nearly constant cost of
 * a find. Also operations on parts: dropping small parts, filling holes, and thresholds with
 * hysteresis. */
#include "video/mask/mask_parts.h"
#include <string.h>

void chi_parts_reserve(chi_arena *arena, chi_parts *parts, chi_size size) {
    int64_t most = chi_parts_most_runs(size);
    parts->start = chi_arena_alloc(arena, most, sizeof *parts->start);
    parts->end = chi_arena_alloc(arena, most, sizeof *parts->end);
    parts->part = chi_arena_alloc(arena, most, sizeof *parts->part);
    parts->area = chi_arena_alloc(arena, most + 1, sizeof *parts->area);
}

/* ---- union-find over parent[], where a root is its own parent ---- */

static int32_t root_of(int32_t *parent, int32_t run) {
    while (parent[run] != run) {
        parent[run] = parent[parent[run]];
        run = parent[run];
    }
    return run;
}

/* Joins two parts. The lower root wins, so that roots are always first runs. */
static void join(int32_t *parent, int32_t a, int32_t b) {
    a = root_of(parent, a);
    b = root_of(parent, b);
    if (a < b)
        parent[b] = a;
    else
        parent[a] = b;
}

/* ---- runs ---- */

/* Returns the first pixel from x on that is not zero (or is zero), or width if there is none. */
static int64_t next_other(const uint8_t *row, int64_t x, int64_t width) {
    uint64_t word;
    for (; x + 64 <= width; x += 64) {
        uint64_t any = 0;
        for (int k = 0; k < 8; k++) {
            memcpy(&word, row + x + 8 * k, sizeof word);
            any |= word;
        }
        if (any) break;
    }
    for (; x + 8 <= width; x += 8) {
        memcpy(&word, row + x, sizeof word);
        if (word) break;
    }
    while (x < width && !row[x]) x++;
    return x;
}

static int64_t next_zero(const uint8_t *row, int64_t x, int64_t width) {
    const uint8_t *at = x < width ? memchr(row + x, 0, (size_t)(width - x)) : NULL;
    return at ? at - row : width;
}

/* Joins the runs of a row, which begin at `from`, with those of the row above, [above, from). */
static void join_rows(chi_parts *p, int64_t above, int64_t from, int64_t width,
                      chi_neighbours neighbours) {
    int64_t reach = neighbours == CHI_CORNERS;
    for (int64_t i = from, up = above; i < p->runs; i++) {
        int64_t low = p->start[i] - width - reach, high = p->end[i] - width + reach;
        while (up < from && p->end[up] <= low) up++;
        for (int64_t k = up; k < from && p->start[k] < high; k++)
            join(p->part, (int32_t)i, (int32_t)k);
    }
}

static void find_runs(chi_parts *p, const uint8_t *mask, chi_size size, int foreground,
                      chi_neighbours neighbours) {
    int64_t above = 0, width = size.width;
    p->runs = 0;
    for (int64_t y = 0; y < size.height; y++) {
        const uint8_t *row = mask + y * width;
        int64_t from = p->runs;
        for (int64_t x = 0;;) {
            x = foreground ? next_other(row, x, width) : next_zero(row, x, width);
            if (x >= width) break;
            int64_t end = foreground ? next_zero(row, x, width) : next_other(row, x, width);
            p->start[p->runs] = (int32_t)(y * width + x);
            p->end[p->runs] = (int32_t)(y * width + end);
            p->part[p->runs] = (int32_t)p->runs;
            p->runs++;
            x = end;
        }
        join_rows(p, above, from, width, neighbours);
        above = from;
    }
}

void chi_parts_find(chi_parts *p, const uint8_t *mask, chi_size size, int foreground,
                    chi_neighbours neighbours) {
    find_runs(p, mask, size, foreground, neighbours);
    /* Replaces parents by part numbers, in place. A parent comes before its children, so it is
     * numbered first. */
    p->count = 0;
    for (int64_t i = 0; i < p->runs; i++)
        p->part[i] = p->part[i] == i ? (int32_t)++p->count : p->part[p->part[i]];
    memset(p->area, 0, (size_t)(p->count + 1) * sizeof *p->area);
    for (int64_t i = 0; i < p->runs; i++) p->area[p->part[i]] += p->end[i] - p->start[i];
}

void chi_parts_label(const chi_parts *parts, int32_t *labels, chi_size size) {
    memset(labels, 0, (size_t)chi_pixels(size) * sizeof *labels);
    for (int64_t r = 0; r < parts->runs; r++)
        for (int64_t i = parts->start[r]; i < parts->end[r]; i++) labels[i] = parts->part[r];
}

/* ---- masks ---- */

static void paint(uint8_t *mask, const chi_parts *parts, int64_t run, int value) {
    memset(mask + parts->start[run], value, (size_t)(parts->end[run] - parts->start[run]));
}

void chi_mask_drop_small(uint8_t *mask, chi_parts *parts, chi_size size, int64_t least) {
    if (least <= 1) return;
    chi_parts_find(parts, mask, size, 1, CHI_CORNERS);
    for (int64_t i = 0; i < parts->runs; i++)
        if (parts->area[parts->part[i]] < least) paint(mask, parts, i, 0);
}

static int on_border(const chi_parts *parts, int64_t i, chi_size size) {
    int64_t width = size.width, y = parts->start[i] / width;
    return y == 0 || y == size.height - 1 || parts->start[i] == y * width ||
           parts->end[i] == (y + 1) * width;
}

void chi_mask_fill_holes(uint8_t *mask, chi_parts *parts, chi_size size, int64_t most) {
    if (most < 1) return;
    chi_parts_find(parts, mask, size, 0, CHI_SIDES);
    for (int64_t i = 0; i < parts->runs; i++)
        if (on_border(parts, i, size)) parts->area[parts->part[i]] = INT32_MAX;
    for (int64_t i = 0; i < parts->runs; i++)
        if (parts->area[parts->part[i]] <= most) paint(mask, parts, i, 255);
}

void chi_mask_threshold(uint8_t *mask, chi_parts *parts, const float *score, chi_size size,
                        double low, double high) {
    for (int64_t i = 0; i < chi_pixels(size); i++) mask[i] = score[i] >= low ? 255 : 0;
    if (low >= high) return;
    chi_parts_find(parts, mask, size, 1, CHI_CORNERS);
    memset(parts->area, 0, (size_t)(parts->count + 1) * sizeof *parts->area);
    /* Area is reused: whether the part has a pixel above high. */
    for (int64_t r = 0; r < parts->runs; r++)
        for (int64_t i = parts->start[r]; i < parts->end[r]; i++)
            if (score[i] >= high) parts->area[parts->part[r]] = 1;
    for (int64_t r = 0; r < parts->runs; r++)
        if (!parts->area[parts->part[r]]) paint(mask, parts, r, 0);
}
