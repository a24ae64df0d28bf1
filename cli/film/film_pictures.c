/* Pictures of frames, masks and backgrounds. */
#include "film/film_pictures.h"
#include "common/frame_planes.h"
#include "common/try.h"
#include <math.h>

static const uint8_t outline_colour[3] = CLI_OUTLINE;

int64_t cli_outline_thickness(int64_t width) {
    return width / 400 + 1;
}

/* ---- colours ---- */

void cli_luma_shares(double *red, double *blue, int matrix) {
    *red = matrix == 1 ? 0.2126 : matrix == 9 ? 0.2627 : 0.299;
    *blue = matrix == 1 ? 0.0722 : matrix == 9 ? 0.0593 : 0.114;
}

static uint8_t level(double value) {
    return (uint8_t)(value < 0 ? 0 : value > 255 ? 255 : value + 0.5);
}

static void to_yuv(uint8_t yuv[3], const double rgb[3], const cli_film_shape *shape) {
    double red, blue, up = shape->full_range ? 1 : 219.0 / 255,
                      side = shape->full_range ? 1 : 224.0 / 255;
    cli_luma_shares(&red, &blue, shape->matrix);
    double y = red * rgb[0] + (1 - red - blue) * rgb[1] + blue * rgb[2];
    yuv[0] = level((shape->full_range ? 0 : 16) + up * y);
    yuv[1] = level(128 + side * (rgb[2] - y) / (2 - 2 * blue));
    yuv[2] = level(128 + side * (rgb[0] - y) / (2 - 2 * red));
}

/* Converts a frame to YUV if the planes of the decoder are not available. Each square of four
 * pixels has one colour. */
static void planes_to_yuv(const cli_pictures *pictures, uint8_t *yuv, const cli_moment *now) {
    const cli_film_shape *shape = &pictures->shape;
    int64_t width = shape->width, pixels = width * shape->height;
    for (int64_t y = 0; y < shape->height; y++)
        for (int64_t x = 0; x < width; x++) {
            double rgb[3];
            uint8_t made[3];
            for (int c = 0; c < 3; c++)
                rgb[c] = now->planes[shape->planes == 3 ? c : 0][y * width + x];
            to_yuv(made, rgb, shape);
            yuv[y * width + x] = made[0];
            if (y % 2 || x % 2) continue;
            yuv[pixels + y / 2 * (width / 2) + x / 2] = made[1];
            yuv[pixels + pixels / 4 + y / 2 * (width / 2) + x / 2] = made[2];
        }
}

/* ---- memory ---- */

int cli_pictures_create(cli_pictures *pictures, const cli_session *session,
                        const cli_film_shape *shape) {
    size_t pixels = (size_t)(shape->width * shape->height);
    const double colour[3] = {outline_colour[0], outline_colour[1], outline_colour[2]};
    uint8_t *memory = malloc(18 * pixels);
    *pictures = (cli_pictures){.session = session, .shape = *shape, .side = memory};
    pictures->levels = malloc(pixels * sizeof *pictures->levels);
    if (!memory || !pictures->levels) return cli_no_memory();
    pictures->overlay = memory + 9 * pixels;
    pictures->background = memory + 12 * pixels;
    pictures->bytes = memory + 15 * pixels;
    to_yuv(pictures->outline, colour, shape);
    return EXIT_DONE;
}

void cli_pictures_free(cli_pictures *pictures) {
    free(pictures->side);
    free(pictures->levels);
    free(pictures->whole);
    pictures->whole = NULL;
    pictures->side = NULL;
    pictures->levels = NULL;
}

ch_picture cli_picture_shape(const cli_pictures *pictures, cli_view view) {
    const cli_film_shape *shape = &pictures->shape;
    return (ch_picture){.width = view == CLI_VIEW_SIDE ? 3 * shape->width : shape->width,
                        .height = shape->height,
                        .channels = view == CLI_VIEW_MASK      ? 1
                                    : view == CLI_VIEW_OVERLAY ? 3
                                                               : shape->planes};
}

/* ---- pictures ---- */

static const uint8_t *make_original(const cli_pictures *pictures, uint8_t *to,
                                    const cli_moment *now) {
    const cli_film_shape *shape = &pictures->shape;
    cli_interleave(to, now->planes, shape->planes, shape->width * shape->height);
    return to;
}

static const uint8_t *make_background(cli_pictures *pictures, const cli_moment *now) {
    const cli_film_shape *shape = &pictures->shape;
    int64_t pixels = shape->width * shape->height;
    const uint8_t *planes[3];
    if (!now->background[0]) return make_original(pictures, pictures->background, now);
    for (int p = 0; p < shape->planes; p++) {
        const float *from = now->background[p];
        uint8_t *to = pictures->bytes + p * pixels;
        for (int64_t i = 0; i < pixels; i++) {
            float value = from[i] < 0 ? 0 : from[i] > 255 ? 255 : from[i];
            to[i] = (uint8_t)(value + 0.5f);
        }
        planes[p] = to;
    }
    cli_interleave(pictures->background, planes, shape->planes, pixels);
    return pictures->background;
}

/* Returns the mask, or a black picture in `buffer` if there is no mask. */
static const uint8_t *make_mask(const cli_pictures *pictures, uint8_t *buffer,
                                const cli_moment *now) {
    if (now->mask) return now->mask;
    return memset(buffer, 0, (size_t)(pictures->shape.width * pictures->shape.height));
}

static const uint8_t *make_overlay(cli_pictures *pictures, const cli_moment *now,
                                   int64_t thickness) {
    const cli_film_shape *shape = &pictures->shape;
    const uint8_t *mask = make_mask(pictures, pictures->side, now);
    ch_status status =
        ch_mask_overlay(pictures->session->context, pictures->overlay, now->planes, mask,
                        &(ch_frame_shape){shape->width, shape->height, shape->planes},
                        &(ch_mask_outline){thickness, CLI_OUTLINE});
    return status < 0 ? NULL : pictures->overlay;
}

static const uint8_t *make_side(cli_pictures *pictures, const cli_moment *now) {
    const cli_film_shape *shape = &pictures->shape;
    const uint8_t *background = make_background(pictures, now);
    const uint8_t *mask = make_mask(pictures, pictures->overlay, now);
    int64_t width = shape->width, channels = shape->planes;
    for (int64_t y = 0; y < shape->height; y++)
        for (int64_t x = 0; x < width; x++)
            for (int64_t c = 0; c < channels; c++) {
                uint8_t *row = pictures->side + y * 3 * width * channels + c;
                row[x * channels] = now->planes[c][y * width + x];
                row[(width + x) * channels] = background[(y * width + x) * channels + c];
                row[(2 * width + x) * channels] = mask[y * width + x];
            }
    return pictures->side;
}

int cli_picture_make(cli_pictures *pictures, ch_picture *picture, cli_view view,
                     const cli_moment *given, int64_t thickness) {
    cli_moment whole = *given;
    const cli_moment *now = &whole;
    if (view != CLI_VIEW_MASK) TRY(cli_moment_whole(pictures, &whole, given));
    const uint8_t *made = view == CLI_VIEW_BACKGROUND ? make_background(pictures, now)
                          : view == CLI_VIEW_MASK     ? make_mask(pictures, pictures->overlay, now)
                          : view == CLI_VIEW_OVERLAY  ? make_overlay(pictures, now, thickness)
                          : view == CLI_VIEW_SIDE     ? make_side(pictures, now)
                                                  : make_original(pictures, pictures->overlay, now);
    *picture = cli_picture_shape(pictures, view);
    picture->pixels = (uint8_t *)made; /* only read */
    if (made) return EXIT_DONE;
    return cli_error(EXIT_FILES, "%s", ch_context_message(pictures->session->context));
}

int cli_overlay_yuv(cli_pictures *pictures, uint8_t *yuv, const cli_moment *now) {
    const cli_film_shape *shape = &pictures->shape;
    const ch_frame_shape size = {shape->width, shape->height, 1};
    if (now->yuv)
        memcpy(yuv, now->yuv, (size_t)(shape->width * shape->height / 2 * 3));
    else
        (now->halves ? cli_halves_to_yuv : planes_to_yuv)(pictures, yuv, now);
    if (!now->mask) return EXIT_DONE;
    ch_mask_outline outline = {.thickness = cli_outline_thickness(shape->width)};
    memcpy(outline.colour, pictures->outline, sizeof outline.colour);
    return cli_check(pictures->session, ch_mask_overlay_yuv(pictures->session->context, yuv,
                                                            now->mask, &size, &outline));
}

const uint16_t *cli_soft_levels(cli_pictures *pictures, const float *score) {
    int64_t pixels = pictures->shape.width * pictures->shape.height;
    for (int64_t i = 0; i < pixels; i++)
        pictures->levels[i] = (uint16_t)fminf(score[i] * 256.0f + 0.5f, 65535.0f);
    return pictures->levels;
}
