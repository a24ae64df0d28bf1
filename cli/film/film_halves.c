/* Converts frames whose colour has half the resolution of brightness to red, green and blue.
 *
 * The four pixels of a square differ in brightness alone: red = R + Y - mean of Y over the square,
 * blue = B + Y - mean of Y, and green follows from Y, red and blue. Only the pictures of the page
 * and backgrounds need this conversion. */
#include "common/frame_planes.h"
#include "common/try.h"
#include "film/film_pictures.h"

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

/* Returns 128 + 2^-16 scale * difference, rounded and clipped to a byte: a chroma value from a
 * colour difference. */
static uint8_t side_of(int32_t scale, int32_t difference) {
    int32_t value = 128 + ((scale * difference + (1 << 15)) >> 16);
    return (uint8_t)(value < 0 ? 0 : value > 255 ? 255 : value);
}

void cli_halves_to_yuv(const cli_pictures *pictures, uint8_t *yuv, const cli_moment *now) {
    const cli_film_shape *shape = &pictures->shape;
    int64_t width = shape->width, across = width / 2, pixels = width * shape->height;
    double red, blue, side = (shape->full_range ? 1 : 224.0 / 255) * (1 << 16);
    cli_luma_shares(&red, &blue, shape->matrix);
    int32_t of_blue = (int32_t)(side / (2 - 2 * blue)), of_red = (int32_t)(side / (2 - 2 * red));
    int32_t scale = shape->full_range ? 1 << 16 : (219 << 16) / 255 + 1;
    const uint8_t *y = now->planes[0];
    for (int64_t i = 0; i < pixels; i++)
        yuv[i] = (uint8_t)((shape->full_range ? 0 : 16) + ((scale * y[i] + (1 << 15)) >> 16));
    for (int64_t j = 0; j < pixels / 4; j++) {
        const uint8_t *at = y + j / across * 2 * width + j % across * 2;
        int32_t mean = (at[0] + at[1] + at[width] + at[width + 1] + 2) >> 2;
        yuv[pixels + j] = side_of(of_blue, now->planes[2][j] - mean);
        yuv[pixels + pixels / 4 + j] = side_of(of_red, now->planes[1][j] - mean);
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
