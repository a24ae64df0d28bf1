/* Pictures of frames, masks and backgrounds, for the commands video and live. */
#pragma once

#include "common/command.h"
#include <conehull/mask.h>
#include <conehull/picture.h>

/* Frames with at least this many pixels keep colour at half the resolution, which saves time.
 * Smaller frames use red, green and blue of every pixel, which gives better masks: F on highway
 * (320 x 240) is .939, at half the resolution .927. */
enum { CLI_HALVES_PIXELS = 400000 };

/* Views of a frame that can be written or shown. */
typedef enum cli_view {
    CLI_VIEW_BACKGROUND = 0,
    CLI_VIEW_MASK = 1,
    CLI_VIEW_OVERLAY = 2,
    CLI_VIEW_SIDE = 3, /* original, background and mask side by side   */
    CLI_VIEW_SOFT = 4, /* the score, 16 bits, in 1/256 of a gray level */
    CLI_VIEW_ORIGINAL = 5,
    CLI_VIEWS = 5 /* number of views that can be files */
} cli_view;

/* A frame with its results, for files and pages. */
typedef struct cli_moment {
    const uint8_t *planes[3];   /* gray; or R, G, B; or, with `halves`, Y, R, B          */
    int halves;                 /* 1: R and B have half the width and height             */
    const uint8_t *yuv;         /* the decoded frame (4:2:0), or NULL if it is not known */
    const uint8_t *mask;        /* NULL: not known yet, shown as black                   */
    const float *background[3]; /* background[0] NULL: not known yet, shown as the frame */
    const float *score;         /* for CLI_VIEW_SOFT                                     */
    int64_t index;              /* index and time: number and time stamp in the source   */
    double time;
} cli_moment;

/* Properties that all frames share. */
typedef struct cli_film_shape {
    int64_t width, height;
    int planes;             /* 1 or 3                                             */
    int halves;             /* R and B have half the width and height             */
    int yuv;                /* 1: overlays are drawn in the planes of the decoder */
    int full_range, matrix; /* range and matrix of these planes (ch_video_format) */
    int64_t aspect[2];
    double rate;
} cli_film_shape;

typedef struct cli_pictures {
    const cli_session *session;
    cli_film_shape shape;
    /* buffers for whole pictures, in one block of memory */
    uint8_t *side, *overlay, *background, *bytes;
    uint16_t *levels;
    uint8_t outline[3]; /* the colour of outlines in YUV */
    float *whole;       /* buffer for frames with halves; NULL until it is needed */
} cli_pictures;

/* Functions that return int print errors and return the exit code. */
int cli_pictures_create(cli_pictures *pictures, const cli_session *session,
                        const cli_film_shape *shape);
void cli_pictures_free(cli_pictures *pictures);

/* Makes *whole a copy of *now with planes R, G and B at full resolution. If *now has halves, the
 * planes are in memory of `pictures` and valid until the next call (film_halves.c). */
int cli_moment_whole(cli_pictures *pictures, cli_moment *whole, const cli_moment *now);
/* Converts a frame with halves to planes Y, U and V, up to rounding. */
void cli_halves_to_yuv(const cli_pictures *pictures, uint8_t *yuv, const cli_moment *now);
/* Converts the adjacent values Y, R and B of every pixel to R, G and B, in place. */
int cli_halves_to_rgb(cli_pictures *pictures, uint8_t *pixels);
/* Sets *red and *blue to their weights in luma, for the matrix number of H.273. */
void cli_luma_shares(double *red, double *blue, int matrix);

/* Returns the size and channels of a view; pixels is NULL. */
ch_picture cli_picture_shape(const cli_pictures *pictures, cli_view view);
/* Makes the picture of a view, which is valid until the next call. thickness: thickness of outlines
 * in pixels. */
int cli_picture_make(cli_pictures *pictures, ch_picture *picture, cli_view view,
                     const cli_moment *now, int64_t thickness);
/* Returns the thickness of outlines in files, in pixels, for frames of this width. */
int64_t cli_outline_thickness(int64_t width);

/* Draws the overlay in planes Y, U and V. Only if shape.yuv is set. */
int cli_overlay_yuv(cli_pictures *pictures, uint8_t *yuv, const cli_moment *now);
/* Returns the score as 16-bit levels, in 1/256 of a gray level. */
const uint16_t *cli_soft_levels(cli_pictures *pictures, const float *score);
