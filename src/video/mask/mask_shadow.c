/* No shadow without a thing that casts it.
 *
 * What is evenly darker than the background looks like a shadow (src/kernels/mask_loops.c), and so
 * does a plain dark thing before a plain ground: gray light alone cannot tell them apart. But a
 * shadow touches what casts it, and its edge is soft. A connected part of the mask that counts
 * shadows as foreground is a thing itself if
 *
 * - hardly anything in it is not like a shadow, but for its outline,
 * - most of its outline is not like a shadow: there the light steps, within a square of the score,
 * - it is no shred: less than half of it is outline,
 * - it does not touch the border of the frame, behind which the thing may be.
 *
 * One erosion takes the outline away: it is as wide as the square of the score. Cost: O(pixels)
 * where there are shadows, a comparison where there are none. */
#include "video/mask/masker.h"
#include <string.h>

/* Of the shadow and the thing together: a low sun makes shadows several times as large as things.
 */
static const double CASTER = 0.1;
static const double SHARP = 0.5; /* of the outline */

/* What lies on the border of the frame has no outline there. */
static int touches_border(int64_t start, int64_t end, chi_size size) {
    int64_t y = start / size.width;
    return y == 0 || y == size.height - 1 || start % size.width == 0 || end % size.width == 0;
}

/* Adds up what the parts of plain hold: raw without its outlines, in w->mask. */
static void count_inner(chi_mask_work *w, chi_size size) {
    chi_mask_vote(w->mask, w->raw, w->counts, size, 1, CHI_VOTE_ALL);
    for (int64_t r = 0; r < w->parts.runs; r++)
        for (int32_t i = w->parts.start[r]; i < w->parts.end[r]; i++)
            w->shades[w->parts.part[r]].inner += w->mask[i] != 0;
}

/* ... and outlines of plain, with those that are in raw too. */
static void count_outline(chi_mask_work *w, chi_size size) {
    chi_mask_vote(w->mask, w->plain, w->counts, size, 1, CHI_VOTE_ALL);
    for (int64_t r = 0; r < w->parts.runs; r++) {
        chi_mask_shade *shade = &w->shades[w->parts.part[r]];
        shade->cut_off |= touches_border(w->parts.start[r], w->parts.end[r], size);
        for (int32_t i = w->parts.start[r]; i < w->parts.end[r]; i++) {
            shade->outline += !w->mask[i];
            shade->sharp += !w->mask[i] && w->raw[i];
        }
    }
}

static int is_thing(const chi_mask_shade *shade, int32_t area) {
    return !shade->cut_off && 2 * shade->outline < area && shade->inner < CASTER * area &&
           shade->sharp >= SHARP * shade->outline;
}

void chi_mask_keep_uncast(chi_mask_work *w, chi_size size) {
    if (memcmp(w->raw, w->plain, (size_t)chi_pixels(size)) == 0) return;
    chi_parts_find(&w->parts, w->plain, size, 1, CHI_CORNERS);
    memset(w->shades, 0, (size_t)(w->parts.count + 1) * sizeof *w->shades);
    count_inner(w, size);
    count_outline(w, size);
    for (int64_t r = 0; r < w->parts.runs; r++) {
        int32_t part = w->parts.part[r];
        if (is_thing(&w->shades[part], w->parts.area[part]))
            memset(w->raw + w->parts.start[r], 255, (size_t)(w->parts.end[r] - w->parts.start[r]));
    }
}
