/* Frames and what was found in them as pictures, for video and live alike. */
#pragma once

#include "common/command.h"
#include <conehull/mask.h>
#include <conehull/picture.h>

/* Colour stays at half the resolution from so many pixels on, where time counts; below, red, green
 * and blue of every pixel find more: F on highway (320 x 240) .939, at half the resolution .927. */
enum { CLI_HALVES_PIXELS = 400000 };

/* What can be written or shown. */
typedef enum cli_view {
    CLI_VIEW_BACKGROUND = 0,
    CLI_VIEW_MASK = 1,
    CLI_VIEW_OVERLAY = 2,
    CLI_VIEW_SIDE = 3, /* original, background and mask beside each other     */
    CLI_VIEW_SOFT = 4, /* the score, 16 bits, in 1/256 of a gray level        */
    CLI_VIEW_ORIGINAL = 5,
    CLI_VIEWS = 5 /* those that become files */
} cli_view;

/* A frame on its way out. */
typedef struct cli_moment {
    const uint8_t *planes[3];   /* gray, or R, G and B; or Y, and R and B ...                 */
    int halves;                 /* ... which have half the width and height                   */
    const uint8_t *yuv;         /* as it was decoded, where that is known (4:2:0)             */
    const uint8_t *mask;        /* NULL: not known yet, and shown black                       */
    const float *background[3]; /* [0] NULL: not known yet, and shown as the frame            */
    const float *score;         /* for CLI_VIEW_SOFT                                          */
    int64_t index;              /* its number and time stamp in the source                    */
    double time;
} cli_moment;

/* What all frames have in common. */
typedef struct cli_film_shape {
    int64_t width, height;
    int planes;             /* 1 or 3                                                         */
    int halves;             /* R and B have half the width and height                         */
    int yuv;                /* overlays are made of the decoder's planes, of ...              */
    int full_range, matrix; /* ... this kind (ch_video_format)                                */
    int64_t aspect[2];
    double rate;
} cli_film_shape;

typedef struct cli_pictures {
    const cli_session *session;
    cli_film_shape shape;
    uint8_t *side, *overlay, *background, *bytes; /* whole pictures, in one piece of memory    */
    uint16_t *levels;
    uint8_t outline[3]; /* the colour of outlines in YUV */
    float *whole;       /* of a moment with halves; NULL until it is needed */
} cli_pictures;

/* The calls complain themselves and return the exit code. */
int cli_pictures_create(cli_pictures *pictures, const cli_session *session,
                        const cli_film_shape *shape);
void cli_pictures_free(cli_pictures *pictures);

/* The moment with planes R, G and B of all pixels, as it is or, of halves, in memory of the
 * pictures until the next call. (film_halves.c) */
int cli_moment_whole(cli_pictures *pictures, cli_moment *whole, const cli_moment *now);
/* A moment with halves as planes Y, U and V, to the rounding of values. */
void cli_halves_to_yuv(const cli_pictures *pictures, uint8_t *yuv, const cli_moment *now);
/* Values Y, R and B of every pixel, side by side, become R, G and B. */
int cli_halves_to_rgb(cli_pictures *pictures, uint8_t *pixels);
/* Shares of red and blue in luma, by H.273's number of the matrix. */
void cli_luma_shares(double *red, double *blue, int matrix);

/* Size and channels of a view; no pixels. */
ch_picture cli_picture_shape(const cli_pictures *pictures, cli_view view);
/* The picture of a moment, valid until the next one. thickness: of outlines, in pixels. */
int cli_picture_make(cli_pictures *pictures, ch_picture *picture, cli_view view,
                     const cli_moment *now, int64_t thickness);
/* Of outlines in files. */
int64_t cli_outline_thickness(int64_t width);

/* The overlay of a moment as planes Y, U, V; only with shape.yuv. */
int cli_overlay_yuv(cli_pictures *pictures, uint8_t *yuv, const cli_moment *now);
/* The score as 16-bit levels. */
const uint16_t *cli_soft_levels(cli_pictures *pictures, const float *score);
