/* Connected parts of a mask by runs: stretches of a row that are of one kind. Runs of neighbouring
 * rows that touch are joined by union-find; a part's root is its first run. Masks are mostly empty,
 * so rows are looked through eight bytes at a time and runs are few: O(pixels / 8 + runs), where
 * labels for every pixel (mask_parts.c) cost several passes over four bytes a pixel. A mask with
 * more runs than half its pixels goes that way. */
#include "video/mask/mask_runs.h"
#include <string.h>

typedef struct runs {
    int32_t *start, *end, *parent, *area;
    int64_t count, room;
} runs;

static int64_t next_other(const uint8_t *row, int64_t x, int64_t width) {
    uint64_t word;
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

/* Joins the runs [from, count) of a row with those of the row above, [above, from). */
static void join_rows(runs *r, int64_t above, int64_t from, int64_t width,
                      chi_neighbours neighbours) {
    int64_t reach = neighbours == CHI_CORNERS;
    for (int64_t i = from, up = above; i < r->count; i++) {
        int64_t low = r->start[i] - width - reach, high = r->end[i] - width + reach;
        while (up < from && r->end[up] <= low) up++;
        for (int64_t k = up; k < from && r->start[k] < high; k++)
            chi_parts_join(r->parent, (int32_t)i, (int32_t)k);
    }
}

/* Zero: there was no room. */
static int find_runs(runs *r, const uint8_t *mask, chi_size size, int foreground,
                     chi_neighbours neighbours) {
    int64_t above = 0, width = size.width;
    for (int64_t y = 0; y < size.height; y++) {
        const uint8_t *row = mask + y * width;
        int64_t from = r->count;
        for (int64_t x = 0;;) {
            x = foreground ? next_other(row, x, width) : next_zero(row, x, width);
            if (x >= width) break;
            if (r->count == r->room) return 0;
            int64_t end = foreground ? next_zero(row, x, width) : next_other(row, x, width);
            r->start[r->count] = (int32_t)(y * width + x);
            r->end[r->count] = (int32_t)(y * width + end);
            r->parent[r->count] = (int32_t)r->count;
            r->count++;
            x = end;
        }
        join_rows(r, above, from, width, neighbours);
        above = from;
    }
    return 1;
}

static void add_areas(runs *r) {
    memset(r->area, 0, (size_t)r->count * sizeof *r->area);
    for (int64_t i = 0; i < r->count; i++)
        r->area[chi_parts_root(r->parent, (int32_t)i)] += r->end[i] - r->start[i];
}

static runs runs_in(chi_parts *parts, chi_size size) {
    int64_t room = (chi_pixels(size) + 1) / 2;
    return (runs){parts->labels, parts->labels + room, parts->area, parts->area + room, 0, room};
}

int chi_runs_drop_small(uint8_t *mask, chi_parts *parts, chi_size size, int64_t least) {
    runs r = runs_in(parts, size);
    if (!find_runs(&r, mask, size, 1, CHI_CORNERS)) return 0;
    add_areas(&r);
    for (int64_t i = 0; i < r.count; i++)
        if (r.area[chi_parts_root(r.parent, (int32_t)i)] < least)
            memset(mask + r.start[i], 0, (size_t)(r.end[i] - r.start[i]));
    return 1;
}

static int on_border(const runs *r, int64_t i, chi_size size) {
    int64_t width = size.width, y = r->start[i] / width;
    return y == 0 || y == size.height - 1 || r->start[i] == y * width ||
           r->end[i] == (y + 1) * width;
}

int chi_runs_fill_holes(uint8_t *mask, chi_parts *parts, chi_size size, int64_t most) {
    runs r = runs_in(parts, size);
    if (!find_runs(&r, mask, size, 0, CHI_SIDES)) return 0;
    add_areas(&r);
    for (int64_t i = 0; i < r.count; i++)
        if (on_border(&r, i, size)) r.area[chi_parts_root(r.parent, (int32_t)i)] = INT32_MAX;
    for (int64_t i = 0; i < r.count; i++)
        if (r.area[chi_parts_root(r.parent, (int32_t)i)] <= most)
            memset(mask + r.start[i], 255, (size_t)(r.end[i] - r.start[i]));
    return 1;
}
