/* Converts frames whose colour has half the resolution of brightness to red, green and blue.
 *
 * The four pixels of a square differ in brightness alone: red = R + Y - mean of Y over the square,
 * blue = B + Y - mean of Y, and green follows from Y, red and blue. Only the pictures of the page
 * and backgrounds need this conversion. */
#include "common/frame_planes.h"
#include "common/try.h"
#include "film/film_pictures.h"
#include <string.h>

/* The values of a square of two by two pixels. */
typedef struct square {
    float y[4], red, blue;
} square;

static float within(float value) {
    return value < 0 ? 0 : value > 255 ? 255 : value;
}

/* Computes to[c][at[k]], the colours c of the four pixels k of a square. */
static void spread(float *const to[3], const int64_t at[4], const square *from,
                   const double shares[2]) {
    float mean = (from->y[0] + from->y[1] + from->y[2] + from->y[3]) / 4;
    float of_red = (float)shares[0], of_blue = (float)shares[1], of_green = 1 - of_red - of_blue;
    for (int k = 0; k < 4; k++) {
        float off = from->y[k] - mean, red = within(from->red + off),
              blue = within(from->blue + off);
        to[0][at[k]] = red;
        to[1][at[k]] = within((from->y[k] - of_red * red - of_blue * blue) / of_green);
        to[2][at[k]] = blue;
    }
}

/* Calls spread() for every square of a frame, which is given as bytes or as floats. */
static void spread_all(const cli_film_shape *shape, float *const to[3], const uint8_t *const *bytes,
                       const float *const *numbers) {
    int64_t width = shape->width, across = width / 2;
    double shares[2];
    cli_luma_shares(&shares[0], &shares[1], shape->matrix);
    for (int64_t j = 0; j < across * (shape->height / 2); j++) {
        int64_t corner = j / across * 2 * width + j % across * 2;
        const int64_t at[4] = {corner, corner + 1, corner + width, corner + width + 1};
        square from = {.red = bytes ? bytes[1][j] : numbers[1][j],
                       .blue = bytes ? bytes[2][j] : numbers[2][j]};
        for (int k = 0; k < 4; k++) from.y[k] = bytes ? bytes[0][at[k]] : numbers[0][at[k]];
        spread(to, at, &from, shares);
    }
}

/* Allocates memory for the frame and its background at the first call. */
static int reserve(cli_pictures *pictures) {
    size_t pixels = (size_t)(pictures->shape.width * pictures->shape.height);
    if (pictures->whole) return EXIT_DONE;
    pictures->whole = malloc(3 * pixels * sizeof *pictures->whole + 3 * pixels);
    return pictures->whole ? EXIT_DONE : cli_no_memory();
}

int cli_moment_whole(cli_pictures *pictures, cli_moment *whole, const cli_moment *now) {
    int64_t pixels = pictures->shape.width * pictures->shape.height;
    *whole = *now;
    whole->halves = 0;
    if (!now->halves) return EXIT_DONE;
    TRY(reserve(pictures));
    float *numbers[3];
    uint8_t *bytes = (uint8_t *)(pictures->whole + 3 * pixels);
    for (int c = 0; c < 3; c++) numbers[c] = pictures->whole + c * pixels;
    spread_all(&pictures->shape, numbers, now->planes, NULL);
    for (int64_t i = 0; i < 3 * pixels; i++) bytes[i] = (uint8_t)(pictures->whole[i] + 0.5f);
    if (now->background[0]) spread_all(&pictures->shape, numbers, NULL, now->background);
    for (int c = 0; c < 3; c++) {
        whole->planes[c] = bytes + c * pixels;
        if (now->background[0]) whole->background[c] = numbers[c];
    }
    return EXIT_DONE;
}

/* The conversion to YUV uses 16-bit integers, of which a vector holds many. A colour difference of
 * 1 is a chroma of `blue` or `red` / 2^15. */
typedef struct chroma_scale {
    int16_t blue, red;
} chroma_scale;

/* Returns a chroma value from a colour difference d: 128 + d scale / 2^15, rounded and clipped. The
 * product is computed in units of 1/64. */
static inline uint8_t chroma_of(int16_t d, int16_t scale) {
    int16_t units = (int16_t)(((int32_t)(int16_t)(d * 128) * scale) >> 16);
    int16_t value = (int16_t)(128 + ((int16_t)(units + 32) >> 6));
    value = value > 0 ? value : 0;
    return (uint8_t)(value < 255 ? value : 255);
}

/* Converts brightness to limited range: 16 + 219 y / 255, rounded. v / 255 is (v + 1 + v / 256) /
 * 256 for these v. */
static void limit_range(uint8_t *restrict to, const uint8_t *restrict y, int64_t count) {
    for (int64_t i = 0; i < count; i++) {
        uint16_t v = (uint16_t)(219 * y[i] + 127);
        to[i] = (uint8_t)(16 + ((uint16_t)(v + 1 + (v >> 8)) >> 8));
    }
}

/* Converts a row of squares to U and V. from: two rows of brightness, and red and blue. */
static void chroma_row(uint8_t *restrict u, uint8_t *restrict v, const uint8_t *const from[4],
                       int64_t count, chroma_scale scale) {
    const uint8_t *restrict upper = from[0], *restrict lower = from[1];
    const uint8_t *restrict red = from[2], *restrict blue = from[3];
    for (int64_t x = 0; x < count; x++) {
        int16_t four = (int16_t)(upper[2 * x] + upper[2 * x + 1] + lower[2 * x] + lower[2 * x + 1]);
        int16_t mean = (int16_t)((four + 2) >> 2);
        u[x] = chroma_of((int16_t)(blue[x] - mean), scale.blue);
        v[x] = chroma_of((int16_t)(red[x] - mean), scale.red);
    }
}

void cli_halves_to_yuv(const cli_pictures *pictures, uint8_t *yuv, const cli_moment *now) {
    const cli_film_shape *shape = &pictures->shape;
    int64_t width = shape->width, across = width / 2, pixels = width * shape->height;
    const uint8_t *y = now->planes[0];
    double red, blue, side = (shape->full_range ? 1 : 224.0 / 255) * (1 << 15);
    cli_luma_shares(&red, &blue, shape->matrix);
    chroma_scale scale = {(int16_t)(side / (2 - 2 * blue)), (int16_t)(side / (2 - 2 * red))};
    if (shape->full_range)
        memcpy(yuv, y, (size_t)pixels);
    else
        limit_range(yuv, y, pixels);
    for (int64_t row = 0; row < shape->height / 2; row++) {
        const uint8_t *const from[] = {y + 2 * row * width, y + (2 * row + 1) * width,
                                       now->planes[1] + row * across,
                                       now->planes[2] + row * across};
        uint8_t *u = yuv + pixels + row * across;
        chroma_row(u, u + pixels / 4, from, across, scale);
    }
}

int cli_halves_to_rgb(cli_pictures *pictures, uint8_t *pixels) {
    int64_t width = pictures->shape.width, count = width * pictures->shape.height;
    uint8_t *y = pictures->side, *red = y + count, *blue = red + count / 4;
    cli_moment whole, apart = {.planes = {y, red, blue}, .halves = 1};
    for (int64_t i = 0; i < count; i++) {
        int64_t row = i / width, x = i % width, at = row / 2 * (width / 2) + x / 2;
        y[i] = pixels[3 * i];
        red[at] = pixels[3 * i + 1];
        blue[at] = pixels[3 * i + 2];
    }
    TRY(cli_moment_whole(pictures, &whole, &apart));
    cli_interleave(pixels, whole.planes, 3, count);
    return EXIT_DONE;
}
