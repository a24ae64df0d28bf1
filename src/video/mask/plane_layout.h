/* Where the planes of a frame are: all of one size or, with halves, the first of width * height
 * values and the others of a quarter of that, each value for a square of four pixels. Planes lie
 * one after the other. */
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

/* Values of all planes before this one; of plane `planes`: of a frame. */
static inline int64_t chi_plane_offset(const chi_layout *layout, int plane) {
    int64_t sum = 0;
    for (int p = 0; p < plane; p++) sum += chi_plane_pixels(layout, p);
    return sum;
}
static inline int64_t chi_frame_values(const chi_layout *layout) {
    return chi_plane_offset(layout, layout->planes);
}

/* The value of a plane for pixel i. */
static inline int64_t chi_plane_at(const chi_layout *layout, int plane, int64_t i) {
    if (!chi_plane_is_half(layout, plane)) return i;
    int64_t y = i / layout->width, x = i % layout->width;
    return y / 2 * (layout->width / 2) + x / 2;
}
/* The first pixel, upper left, that value j of a plane covers. */
static inline int64_t chi_plane_corner(const chi_layout *layout, int plane, int64_t j) {
    if (!chi_plane_is_half(layout, plane)) return j;
    int64_t across = layout->width / 2;
    return j / across * 2 * layout->width + j % across * 2;
}

/* The plane of brightness: the first with halves; green of R, G and B is nearest to it. */
static inline int chi_plane_bright(const chi_layout *layout) {
    return layout->halves ? 0 : layout->planes / 2;
}

/* Whether the sides and planes allow halves. */
static inline int chi_halves_fit(const chi_layout *layout) {
    return !layout->halves ||
           (layout->planes == 3 && layout->width % 2 == 0 && layout->height % 2 == 0);
}
