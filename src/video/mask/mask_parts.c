/* Connected parts by union-find in one pass over the frame (a part's root is its first pixel's
 * label), and what is done with them: small ones dropped, holes filled, thresholds with hysteresis.
 * O(pixels) but for the nearly constant cost of a find. */
#include "video/mask/mask_parts.h"
#include "video/mask/mask_runs.h"
#include <string.h>

/* The label of a pixel from its neighbours before it in the frame; 0: none is of a part. Neighbours
 * that touch each other were joined before: with corners, the one above touches all the others. */
static inline int32_t label_from(int32_t *parent, const int32_t *labels, int64_t x, int64_t y,
                                 int64_t width, chi_neighbours neighbours) {
    const int32_t *above = labels - width;
    int32_t left = x ? labels[-1] : 0, up = y ? above[0] : 0;
    if (neighbours == CHI_SIDES) {
        if (!left || !up) return left + up;
        return left == up ? left : chi_parts_join(parent, left, up);
    }
    if (up) return up;
    int32_t before = left ? left : x && y ? above[-1] : 0;
    int32_t after = y && x + 1 < width ? above[1] : 0;
    if (!before || !after) return before + after;
    return before == after ? before : chi_parts_join(parent, before, after);
}

void chi_parts_find(chi_parts *parts, const uint8_t *mask, chi_size size, int foreground,
                    chi_neighbours neighbours) {
    int32_t *parent = parts->area; /* areas are counted when the parents have served */
    int32_t next = 1;
    for (int64_t y = 0, i = 0; y < size.height; y++)
        for (int64_t x = 0; x < size.width; x++, i++) {
            parts->labels[i] = 0;
            if ((mask[i] != 0) != foreground) continue;
            int32_t label = label_from(parent, parts->labels + i, x, y, size.width, neighbours);
            if (!label) {
                label = next++;
                parent[label] = label;
            }
            parts->labels[i] = label;
        }
    /* Roots become 1 .. count, in place: a root's new number is never above its label, and labels
     * are visited in rising order, so what a parent entry holds was numbered before. */
    int32_t count = 0;
    for (int32_t label = 1; label < next; label++)
        parent[label] = parent[label] == label ? ++count : parent[parent[label]];
    for (int64_t i = 0; i < chi_pixels(size); i++)
        if (parts->labels[i]) parts->labels[i] = parent[parts->labels[i]];
    memset(parts->area, 0, (size_t)(count + 1) * sizeof *parts->area);
    for (int64_t i = 0; i < chi_pixels(size); i++) parts->area[parts->labels[i]]++;
    parts->count = count;
}

void chi_mask_drop_small(uint8_t *mask, chi_parts *parts, chi_size size, int64_t least) {
    if (least <= 1 || chi_runs_drop_small(mask, parts, size, least)) return;
    chi_parts_find(parts, mask, size, 1, CHI_CORNERS);
    for (int64_t i = 0; i < chi_pixels(size); i++)
        if (parts->labels[i] && parts->area[parts->labels[i]] < least) mask[i] = 0;
}

/* A part with area 0 is one that touches the border. */
static void forget_border(chi_parts *parts, chi_size size) {
    for (int64_t x = 0; x < size.width; x++) {
        parts->area[parts->labels[x]] = 0;
        parts->area[parts->labels[x + (size.height - 1) * size.width]] = 0;
    }
    for (int64_t y = 0; y < size.height; y++) {
        parts->area[parts->labels[y * size.width]] = 0;
        parts->area[parts->labels[(y + 1) * size.width - 1]] = 0;
    }
}

void chi_mask_fill_holes(uint8_t *mask, chi_parts *parts, chi_size size, int64_t most) {
    if (most < 1 || chi_runs_fill_holes(mask, parts, size, most)) return;
    chi_parts_find(parts, mask, size, 0, CHI_SIDES);
    forget_border(parts, size);
    parts->area[0] = 0;
    for (int64_t i = 0; i < chi_pixels(size); i++) {
        int32_t area = parts->area[parts->labels[i]];
        if (area > 0 && area <= most) mask[i] = 255;
    }
}

void chi_mask_threshold(uint8_t *mask, chi_parts *parts, const float *score, chi_size size,
                        double low, double high) {
    for (int64_t i = 0; i < chi_pixels(size); i++) mask[i] = score[i] >= low ? 255 : 0;
    if (low >= high) return;
    chi_parts_find(parts, mask, size, 1, CHI_CORNERS);
    memset(parts->area, 0, (size_t)(parts->count + 1) * sizeof *parts->area);
    for (int64_t i = 0; i < chi_pixels(size); i++)
        if (score[i] >= high) parts->area[parts->labels[i]] = 1;
    for (int64_t i = 0; i < chi_pixels(size); i++)
        if (!parts->area[parts->labels[i]]) mask[i] = 0;
}
