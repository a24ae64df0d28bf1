/* The outline of a mask on a picture. The rim is drawn outside the mask, so what is found stays to
 * be seen: background pixels within `thickness` steps (corners count) of the foreground. */
#include "video/mask/mask_parts.h"

ch_status ch_mask_overlay(ch_context *context, uint8_t *rgb, const uint8_t *const *planes,
                          const uint8_t *mask, const ch_frame_shape *shape,
                          const ch_mask_outline *outline) {
    chi_size size = {shape->width, shape->height};
    int64_t thickness = outline->thickness;
    if (shape->planes != 1 && shape->planes != 3)
        return chi_fail(context, CH_ERR_ARGUMENT, "a picture has 1 or 3 planes, not %d",
                        shape->planes);
    if (thickness < 0)
        return chi_fail(context, CH_ERR_ARGUMENT, "an outline cannot be %lld pixels wide",
                        (long long)thickness);
    chi_arena arena = {.context = context};
    uint8_t *near = chi_arena_alloc(&arena, chi_pixels(size), 1);
    int32_t *counts = chi_arena_alloc(&arena, chi_mask_counts(size, thickness), sizeof *counts);
    ch_status status = chi_arena_status(&arena, "an outline");
    if (status == CH_OK) chi_mask_vote(near, mask, counts, size, thickness, CHI_VOTE_ANY);
    for (int64_t i = 0; status == CH_OK && i < chi_pixels(size); i++)
        for (int c = 0; c < 3; c++)
            rgb[3 * i + c] =
                near[i] && !mask[i] ? outline->colour[c] : planes[shape->planes == 3 ? c : 0][i];
    chi_arena_free(&arena);
    return status;
}
