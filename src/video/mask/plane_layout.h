/* The layout of the planes of a frame, which are stored one after another. All planes have one size
 * or, with half planes, the first has width * height values and the others a quarter of that, each
 * for a square of four pixels. */
#pragma once

#include <stdint.h>

typedef struct chi_layout {
    int64_t width, height;
    int planes, halves;
} chi_layout;

static inline int chi_plane_is_half(const chi_layout *layout, int plane) {
    return layout->halves && plane > 0;
}

static inline int64_t chi_plane_width(const chi_layout *layout, int plane) {
    return chi_plane_is_half(layout, plane) ? layout->width / 2 : layout->width;
}

static inline int64_t chi_plane_pixels(const chi_layout *layout, int plane) {
    int64_t pixels = layout->width * layout->height;
    return chi_plane_is_half(layout, plane) ? pixels / 4 : pixels;
}

/* Returns the number of values in all planes before this plane. If plane is layout->planes, this is
 * the number of values of a frame. */
static inline int64_t chi_plane_offset(const chi_layout *layout, int plane) {
    int64_t sum = 0;
    for (int p = 0; p < plane; p++) sum += chi_plane_pixels(layout, p);
    return sum;
}
static inline int64_t chi_frame_values(const chi_layout *layout) {
    return chi_plane_offset(layout, layout->planes);
}

/* Returns the index of the value of this plane that belongs to pixel i. */
static inline int64_t chi_plane_at(const chi_layout *layout, int plane, int64_t i) {
    if (!chi_plane_is_half(layout, plane)) return i;
    int64_t y = i / layout->width, x = i % layout->width;
    return y / 2 * (layout->width / 2) + x / 2;
}
/* Returns the first (upper left) pixel that value j of a plane covers. */
static inline int64_t chi_plane_corner(const chi_layout *layout, int plane, int64_t j) {
    if (!chi_plane_is_half(layout, plane)) return j;
    int64_t across = layout->width / 2;
    return j / across * 2 * layout->width + j % across * 2;
}

/* Returns the plane of brightness: the first with half planes, else the middle one, which is G of
 * R, G and B. */
static inline int chi_plane_bright(const chi_layout *layout) {
    return layout->halves ? 0 : layout->planes / 2;
}

/* Returns whether the size and number of planes allow half planes. */
static inline int chi_halves_fit(const chi_layout *layout) {
    return !layout->halves ||
           (layout->planes == 3 && layout->width % 2 == 0 && layout->height % 2 == 0);
}
