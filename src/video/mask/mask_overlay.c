/* Draws the outline of a mask on a picture. The rim is drawn outside the mask, so that the object
 * stays visible: it consists of the background pixels within `thickness` steps (corners count) of
 * the foreground. Only rows near the mask are processed. */
#include "video/mask/mask_parts.h"
#include <string.h>

/* Columns [left, right) of a row that contain all of its foreground; left >= right if there is
 * none. */
typedef struct span {
    int64_t left, right;
} span;

typedef struct outlining {
    const uint8_t *mask;
    chi_size size;
    int64_t thickness;
    chi_rows rows;  /* rows with rim or mask                                              */
    span *spans;    /* spans of the rows of the mask                                      */
    span here;      /* span of the rim in the current row                                 */
    uint8_t *spare; /* workspace of the same width as wide                                */
    uint8_t *wide;  /* a row with margins of `thickness`: the rows around, combined by OR */
    uint8_t *rim;   /* a row: non-zero where the rim is drawn, within `here`              */
    chi_arena arena;
} outlining;

static span span_of(const uint8_t *row, int64_t width) {
    span found = {0, width};
    uint64_t word;
    for (; found.left + 8 <= width; found.left += 8) {
        memcpy(&word, row + found.left, sizeof word);
        if (word) break;
    }
    while (found.left < width && !row[found.left]) found.left++;
    for (; found.right - 8 >= found.left; found.right -= 8) {
        memcpy(&word, row + found.right - 8, sizeof word);
        if (word) break;
    }
    while (found.right > found.left && !row[found.right - 1]) found.right--;
    return found;
}

static ch_status begin(ch_context *context, outlining *o, const uint8_t *mask,
                       const ch_frame_shape *shape, int64_t thickness) {
    *o = (outlining){.mask = mask,
                     .size = {shape->width, shape->height},
                     .thickness = thickness,
                     .arena = {.context = context}};
    if (thickness < 0)
        return chi_fail(context, CH_ERR_ARGUMENT,
                        "the outline of objects cannot be %lld pixels wide", (long long)thickness);
    int64_t width = shape->width, low = shape->height, high = 0;
    o->spans = chi_arena_alloc(&o->arena, shape->height, sizeof *o->spans);
    o->wide = chi_arena_alloc(&o->arena, width + 2 * thickness, 1);
    o->spare = chi_arena_alloc(&o->arena, width + 2 * thickness, 1);
    o->rim = chi_arena_alloc(&o->arena, width, 1);
    TRY(chi_arena_status(&o->arena, "an outline"));
    for (int64_t y = 0; y < shape->height; y++) {
        o->spans[y] = span_of(mask + y * width, width);
        if (o->spans[y].left >= o->spans[y].right) continue;
        low = y < low ? y : low;
        high = y + 1;
    }
    if (low < high) o->rows = chi_rows_around((chi_rows){low, high}, thickness, shape->height);
    return CH_OK;
}

static void join_row(uint8_t *restrict to, const uint8_t *restrict from, int64_t count) {
    for (int64_t x = 0; x < count; x++) to[x] |= from[x];
}

/* to[x] = from[x] | from[x + ahead] */
static void join_ahead(uint8_t *restrict to, const uint8_t *restrict from, int64_t ahead,
                       int64_t count) {
    for (int64_t x = 0; x < count; x++) to[x] = from[x] | from[x + ahead];
}

/* Computes rim[] of row y, in the columns `here`. */
static void find_rim(outlining *o, int64_t y) {
    int64_t width = o->size.width, thickness = o->thickness;
    chi_rows near = chi_rows_around((chi_rows){y, y + 1}, thickness, o->size.height);
    span all = {width, 0};
    for (int64_t v = near.low; v < near.high; v++) {
        if (o->spans[v].left >= o->spans[v].right) continue;
        if (o->spans[v].left < all.left) all.left = o->spans[v].left;
        if (o->spans[v].right > all.right) all.right = o->spans[v].right;
    }
    o->here = (span){0, 0};
    if (all.left >= all.right) return;
    chi_rows reach = chi_rows_around((chi_rows){all.left, all.right}, thickness, width);
    o->here = (span){reach.low, reach.high};
    uint8_t *restrict wide = o->wide + thickness, *restrict rim = o->rim;
    memset(o->wide + reach.low, 0, (size_t)(reach.high - reach.low + 2 * thickness));
    for (int64_t v = near.low; v < near.high; v++) {
        const uint8_t *row = o->mask + v * width;
        join_row(wide + o->spans[v].left, row + o->spans[v].left,
                 o->spans[v].right - o->spans[v].left);
    }
    /* first[x] combines the pixels from x - thickness on; each round doubles their number. */
    uint8_t *first = o->wide, *other = o->spare;
    int64_t spoken = 1, across = 2 * thickness + 1, end = reach.high + 2 * thickness;
    for (; 2 * spoken <= across; spoken *= 2) {
        join_ahead(other + reach.low, first + reach.low, spoken, end - 2 * spoken + 1 - reach.low);
        uint8_t *done = first;
        first = other;
        other = done;
    }
    const uint8_t *own = o->mask + y * width;
    for (int64_t x = reach.low; x < reach.high; x++) {
        uint8_t any = first[x] | first[x + across - spoken];
        rim[x] = own[x] ? 0 : any;
    }
}

/* Returns the next column from x on that is drawn, or the end of the row's rim. */
static int64_t next_drawn(const outlining *o, int64_t x) {
    uint64_t word;
    for (; x + 8 <= o->here.right; x += 8) {
        memcpy(&word, o->rim + x, sizeof word);
        if (word) break;
    }
    while (x < o->here.right && !o->rim[x]) x++;
    return x;
}

ch_status ch_mask_overlay(ch_context *context, uint8_t *rgb, const uint8_t *const *planes,
                          const uint8_t *mask, const ch_frame_shape *shape,
                          const ch_mask_outline *outline) {
    outlining o;
    int64_t width = shape->width;
    if (shape->planes != 1 && shape->planes != 3)
        return chi_fail(context, CH_ERR_ARGUMENT, "a picture must have 1 or 3 planes, got %d",
                        shape->planes);
    const uint8_t *red = planes[0], *green = planes[shape->planes == 3 ? 1 : 0],
                  *blue = planes[shape->planes == 3 ? 2 : 0];
    ch_status status = begin(context, &o, mask, shape, outline->thickness);
    for (int64_t i = 0; status == CH_OK && i < width * shape->height; i++) {
        rgb[3 * i] = red[i];
        rgb[3 * i + 1] = green[i];
        rgb[3 * i + 2] = blue[i];
    }
    for (int64_t y = o.rows.low; status == CH_OK && y < o.rows.high; y++) {
        find_rim(&o, y);
        for (int64_t x = next_drawn(&o, o.here.left); x < o.here.right; x = next_drawn(&o, x + 1))
            memcpy(rgb + 3 * (y * width + x), outline->colour, 3);
    }
    chi_arena_free(&o.arena);
    return status;
}

ch_status ch_mask_overlay_yuv(ch_context *context, uint8_t *yuv, const uint8_t *mask,
                              const ch_frame_shape *shape, const ch_mask_outline *outline) {
    outlining o;
    int64_t width = shape->width, pixels = width * shape->height;
    uint8_t *blue = yuv + pixels, *red = blue + pixels / 4;
    if (width % 2 || shape->height % 2)
        return chi_fail(context, CH_ERR_ARGUMENT,
                        "the width and height of a picture in YUV 4:2:0 must be even");
    ch_status status = begin(context, &o, mask, shape, outline->thickness);
    for (int64_t y = o.rows.low; status == CH_OK && y < o.rows.high; y++) {
        find_rim(&o, y);
        for (int64_t x = next_drawn(&o, o.here.left); x < o.here.right; x = next_drawn(&o, x + 1)) {
            int64_t at = y / 2 * (width / 2) + x / 2;
            yuv[y * width + x] = outline->colour[0];
            blue[at] = outline->colour[1];
            red[at] = outline->colour[2];
        }
    }
    chi_arena_free(&o.arena);
    return status;
}
