/* The outline of a mask on a picture. The rim is drawn outside the mask, so what is found stays to
 * be seen: background pixels within `thickness` steps (corners count) of the foreground. */
#include "base/base.h"
#include "video/mask/mask_parts.h"
#include <string.h>

/* near = 1 where the mask is within `reach` pixels, along rows, then along columns. */
static void widen_rows(uint8_t *near, const uint8_t *mask, chi_size size, int64_t reach) {
    memset(near, 0, (size_t)chi_pixels(size));
    for (int64_t y = 0; y < size.height; y++)
        for (int64_t x = 0; x < size.width; x++) {
            if (!mask[y * size.width + x]) continue;
            int64_t from = x > reach ? x - reach : 0;
            int64_t to = x + reach < size.width ? x + reach + 1 : size.width;
            memset(near + y * size.width + from, 1, (size_t)(to - from));
        }
}

static int near_in_column(const uint8_t *near, chi_size size, int64_t x, int64_t y, int64_t reach) {
    int64_t from = y > reach ? y - reach : 0;
    int64_t to = y + reach < size.height ? y + reach + 1 : size.height;
    for (int64_t k = from; k < to; k++)
        if (near[k * size.width + x]) return 1;
    return 0;
}

ch_status ch_mask_overlay(ch_context *context, uint8_t *rgb, const uint8_t *const *planes,
                          int plane_count, const uint8_t *mask, int64_t width, int64_t height,
                          int64_t thickness, const uint8_t colour[3]) {
    chi_size size = {width, height};
    if (plane_count != 1 && plane_count != 3)
        return chi_fail(context, CH_ERR_ARGUMENT, "a picture has 1 or 3 planes, not %d",
                        plane_count);
    if (thickness < 0)
        return chi_fail(context, CH_ERR_ARGUMENT, "an outline cannot be %lld pixels wide",
                        (long long)thickness);
    uint8_t *near = chi_alloc(context, chi_pixels(size), 1);
    if (!near) return chi_no_memory(context, "an outline", chi_pixels(size), 1);
    widen_rows(near, mask, size, thickness);
    for (int64_t y = 0, i = 0; y < height; y++)
        for (int64_t x = 0; x < width; x++, i++) {
            int rim = !mask[i] && near_in_column(near, size, x, y, thickness);
            for (int c = 0; c < 3; c++)
                rgb[3 * i + c] = rim ? colour[c] : planes[plane_count == 3 ? c : 0][i];
        }
    chi_free(context, near);
    return CH_OK;
}
