/* Extracts the requested part of every picture, scaled to the requested width, as planes. */
#include "io/clip/frames.h"

static ch_status place(chi_cut *cut, const chi_frame *frame, const chi_rectangle *w) {
    cut->part = (chi_rectangle){0, 0, frame->width, frame->height};
    if (w->width == 0 && w->height == 0) return CH_OK;
    if (w->x < 0 || w->y < 0 || w->width < 1 || w->height < 1 || w->x > frame->width ||
        w->width > frame->width - w->x || w->y > frame->height || w->height > frame->height - w->y)
        return chi_fail(cut->context, CH_ERR_ARGUMENT,
                        "%s: the region %lld,%lld,%lld,%lld (left, top, width, height) is not "
                        "inside the pictures, which are %lld x %lld pixels",
                        cut->path, (long long)w->x, (long long)w->y, (long long)w->width,
                        (long long)w->height, (long long)frame->width, (long long)frame->height);
    cut->part = *w;
    return CH_OK;
}

ch_status chi_cut_plan(ch_context *context, chi_cut *cut, const char *path, const chi_frame *frame,
                       const chi_rectangle *wanted, int64_t width, int gray) {
    *cut = (chi_cut){.context = context,
                     .path = path,
                     .colour = !gray && !frame->gray,
                     .arena = {.context = context}};
    TRY(place(cut, frame, wanted));
    const chi_rectangle *part = &cut->part;
    cut->source_width = frame->width;
    cut->source_height = frame->height;
    cut->reduces = width > 0 && width < part->width;
    cut->width = cut->reduces ? width : part->width;
    cut->height = cut->reduces ? chi_area_height(part->width, part->height, width) : part->height;
    return CH_OK;
}

ch_status chi_cut_reserve(chi_cut *cut) {
    int64_t pixels = cut->part.width * cut->part.height;
    cut->luma = chi_take(cut->context, cut->path, "a picture", pixels, 1);
    cut->rgb = chi_take(cut->context, cut->path, "a picture", cut->colour ? pixels : 0, 3);
    cut->small = chi_take(cut->context, cut->path, "a picture", cut->width * cut->height, 3);
    if (!cut->luma || !cut->rgb || !cut->small) return CH_ERR_MEMORY;
    for (int k = 0; k < 1 + cut->colour && cut->reduces; k++)
        TRY(chi_area_create(&cut->arena, &cut->area[k], cut->part.width, cut->part.height,
                            cut->width, cut->height, 1 + 2 * k));
    return CH_OK;
}

void chi_cut_free(chi_cut *cut) {
    if (!cut->context) return;
    chi_arena_free(&cut->arena);
    chi_free(cut->context, cut->luma);
    chi_free(cut->context, cut->rgb);
    chi_free(cut->context, cut->small);
}

ch_status chi_cut_check(const chi_cut *cut, const chi_input *input, const chi_frame *frame,
                        int64_t position) {
    if (frame->width == cut->source_width && frame->height == cut->source_height) return CH_OK;
    return chi_fail(cut->context, CH_ERR_FORMAT,
                    "%s: frame %lld is %lld x %lld, but the frames before it are %lld x %lld; all "
                    "pictures must have the same size",
                    chi_input_name(input), (long long)position, (long long)frame->width,
                    (long long)frame->height, (long long)cut->source_width,
                    (long long)cut->source_height);
}

ch_status chi_cut_pixels(chi_cut *cut, uint8_t *luma, uint8_t *const rgb[3], chi_input *input,
                         const chi_frame *frame, int64_t position) {
    uint8_t *whole = cut->reduces || !luma ? cut->luma : luma;
    TRY(chi_cut_check(cut, input, frame, position));
    TRY(chi_video_pixels(chi_input_video(input), whole, rgb ? cut->rgb : NULL, frame, &cut->part));
    if (luma && cut->reduces) chi_area_reduce(&cut->area[0], luma, whole);
    if (rgb && cut->reduces) chi_area_reduce(&cut->area[1], cut->small, cut->rgb);
    if (rgb)
        chi_split_rgb(rgb[0], rgb[1], rgb[2], cut->reduces ? cut->small : cut->rgb,
                      cut->width * cut->height);
    return CH_OK;
}
