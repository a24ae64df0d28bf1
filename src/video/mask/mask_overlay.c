/* The outline of a mask on a picture. The rim is drawn outside the mask, so what is found stays to
 * be seen: background pixels within `thickness` steps (corners count) of the foreground. Only rows
 * near the mask are looked at. */
#include "video/mask/mask_parts.h"
#include <string.h>

typedef struct outlining {
    const uint8_t *mask;
    chi_size size;
    int64_t thickness;
    chi_rows rows; /* that have a rim or mask   */
    uint8_t *wide; /* a row and `thickness` beside it, of the rows around put together */
    uint8_t *rim;  /* a row: non-zero where it is drawn */
    chi_arena arena;
} outlining;

static int is_empty(const uint8_t *row, int64_t width) {
    uint8_t any = 0;
    for (int64_t x = 0; x < width; x++) any |= row[x];
    return !any;
}

static ch_status begin(ch_context *context, outlining *o, const uint8_t *mask,
                       const ch_frame_shape *shape, int64_t thickness) {
    *o = (outlining){.mask = mask,
                     .size = {shape->width, shape->height},
                     .thickness = thickness,
                     .arena = {.context = context}};
    if (thickness < 0)
        return chi_fail(context, CH_ERR_ARGUMENT, "an outline cannot be %lld pixels wide",
                        (long long)thickness);
    int64_t width = shape->width, low = 0, high = shape->height;
    while (low < high && is_empty(mask + low * width, width)) low++;
    while (high > low && is_empty(mask + (high - 1) * width, width)) high--;
    if (low < high) o->rows = chi_rows_around((chi_rows){low, high}, thickness, shape->height);
    o->wide = chi_arena_alloc_zero(&o->arena, width + 2 * thickness, 1);
    o->rim = chi_arena_alloc_zero(&o->arena, width, 1);
    return chi_arena_status(&o->arena, "an outline");
}

/* rim[] of row y. */
static void find_rim(outlining *o, int64_t y) {
    int64_t width = o->size.width;
    const uint8_t *own = o->mask + y * width;
    uint8_t *restrict wide = o->wide + o->thickness, *restrict rim = o->rim;
    chi_rows near = chi_rows_around((chi_rows){y, y + 1}, o->thickness, o->size.height);
    memset(wide, 0, (size_t)width);
    for (int64_t v = near.low; v < near.high; v++) {
        const uint8_t *row = o->mask + v * width;
        for (int64_t x = 0; x < width; x++) wide[x] |= row[x];
    }
    memset(rim, 0, (size_t)width);
    for (int64_t u = -o->thickness; u <= o->thickness; u++)
        for (int64_t x = 0; x < width; x++) rim[x] |= wide[x + u];
    for (int64_t x = 0; x < width; x++) rim[x] = rim[x] && !own[x];
}

ch_status ch_mask_overlay(ch_context *context, uint8_t *rgb, const uint8_t *const *planes,
                          const uint8_t *mask, const ch_frame_shape *shape,
                          const ch_mask_outline *outline) {
    outlining o;
    int64_t width = shape->width;
    if (shape->planes != 1 && shape->planes != 3)
        return chi_fail(context, CH_ERR_ARGUMENT, "a picture has 1 or 3 planes, not %d",
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
        for (int64_t x = 0; x < width; x++)
            if (o.rim[x]) memcpy(rgb + 3 * (y * width + x), outline->colour, 3);
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
        return chi_fail(context, CH_ERR_ARGUMENT, "pictures of YUV 4:2:0 have even sides");
    ch_status status = begin(context, &o, mask, shape, outline->thickness);
    for (int64_t y = o.rows.low; status == CH_OK && y < o.rows.high; y++) {
        find_rim(&o, y);
        for (int64_t x = 0; x < width; x++) {
            if (!o.rim[x]) continue;
            int64_t at = y / 2 * (width / 2) + x / 2;
            yuv[y * width + x] = outline->colour[0];
            blue[at] = outline->colour[1];
            red[at] = outline->colour[2];
        }
    }
    chi_arena_free(&o.arena);
    return status;
}
