/* Polygons as masks. The centre of a pixel is inside if a ray from it to the right crosses the
 * boundary an odd number of times. For each row of pixels the crossings of all edges are sorted,
 * and the pixels between them are filled: O(corners) per row and O(pixels) in total. */
#include "video/mask/mask_parts.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Limit of coordinates, for which differences and products are accurate. */
static const double FARTHEST = 1e9;

static int rising(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Finds where edges cross the line y. An edge that ends on the line is counted at one of its ends
 * only. */
static int64_t crossings(double *at, double y, const ch_polygon_corner *corners, int64_t count) {
    int64_t found = 0;
    for (int64_t k = 0; k < count; k++) {
        ch_polygon_corner a = corners[k], b = corners[(k + 1) % count];
        if ((a.y <= y) == (b.y <= y)) continue;
        at[found++] = a.x + (y - a.y) / (b.y - a.y) * (b.x - a.x);
    }
    qsort(at, (size_t)found, sizeof *at, rising);
    return found;
}

/* Returns the first pixel whose centre is on or to the right of a crossing. */
static int64_t first_right(double at, int64_t width) {
    double pixel = ceil(at - 0.5);
    if (pixel < 0) return 0;
    return pixel > (double)width ? width : (int64_t)pixel;
}

ch_status ch_region_add_polygon(ch_context *context, uint8_t *region, const ch_frame_shape *shape,
                                const ch_polygon_corner *corners, int64_t count) {
    int64_t width = shape->width;
    if (count < 3)
        return chi_fail(context, CH_ERR_ARGUMENT,
                        "a polygon must have at least 3 corners, got %lld", (long long)count);
    for (int64_t k = 0; k < count; k++)
        if (!(fabs(corners[k].x) <= FARTHEST && fabs(corners[k].y) <= FARTHEST))
            return chi_fail(context, CH_ERR_ARGUMENT,
                            "corner %lld of a polygon must have finite coordinates of at most %g",
                            (long long)k, FARTHEST);
    double *at = chi_alloc(context, count, sizeof *at);
    if (!at) return chi_no_memory(context, "a polygon", count, sizeof *at);
    for (int64_t y = 0; y < shape->height; y++) {
        int64_t found = crossings(at, (double)y + 0.5, corners, count);
        for (int64_t k = 0; k + 1 < found; k += 2) {
            int64_t from = first_right(at[k], width), to = first_right(at[k + 1], width);
            if (to > from) memset(region + y * width + from, 255, (size_t)(to - from));
        }
    }
    chi_free(context, at);
    return CH_OK;
}
