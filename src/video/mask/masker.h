/* The masker's state, shared by its three jobs: scores (mask_score.c), noise (mask_noise.c), masks
 * (masker.c). */
#pragma once

#include "kernels/kernels.h"
#include "video/mask/mask_parts.h"
#include "video/mask/noise_levels.h"
#include "video/mask/plane_layout.h"

enum { CHI_MASK_PLANES = 4, CHI_MASK_SAMPLES = 64 };

enum { CHI_MASK_STRIP = 16 }; /* rows that a thread takes at a time                          */
enum { CHI_MASK_SHADE = 4 };  /* radius of the square that tells a shadow (mask_shadow.c)     */

/* The rows of a strip and those around it that mask_shadow.c looks at. */
typedef struct chi_mask_patterns {
    float *x, *b, *gain; /* log(pixel + c), log(background + c), and what a pixel says            */
    float *zero, *sums;  /* a row each; zero: zeros                                            */
} chi_mask_patterns;

/* What a thread needs for a frame. */
typedef struct chi_mask_work {
    float *ratio, *score;         /* a frame each                                */
    float *sums[CHI_MASK_SUMS];   /* a row and twice the radius each             */
    float *totals[CHI_MASK_SUMS]; /* a row each                                  */
    float *share;                 /* a row: 1 / pixels of the square around, ... */
    int64_t share_rows;           /* ... where so many of its rows are in the frame */
    uint8_t *raw;                 /* a mask before it is cleaned */
    uint8_t *shade;               /* what looks like a shadow: chi_mask_shade  */
    uint8_t *mask;                /* a mask for the filters, ... */
    int32_t *counts;              /* ... and chi_mask_counts() */
    chi_parts parts;
    chi_mask_patterns patterns;
    float *made; /* the background of a strip and the rows around it, where nobody keeps it */
} chi_mask_work;

/* What learning remembers: of every `spacing`-th frame how much each pixel changed since the frame
 * before, and how many pixels are how far from the background. */
typedef struct chi_mask_memory {
    uint8_t *changes;   /* SAMPLES frames               */
    int32_t *distances; /* SAMPLES x LEVELS             */
    float *before;      /* log ratios of the last frame */
    uint8_t *pixels;    /* ... and its planes           */
    int64_t *steps;     /* LEVELS: differences of changes between neighbours, all frames       */
    int64_t *counts;    /* LEVELS for each thread, zero between frames                        */
    int64_t frames, held, spacing;
} chi_mask_memory;

/* Makes the background of some rows of all planes, the first of them even: of plane p at to[p]. */
typedef void (*chi_mask_maker)(void *user, float *const *to, chi_rows rows);

/* The background of a frame, or of some rows of it: value i of plane p at b[p][i - base[p]]. */
typedef struct chi_mask_ground {
    const float *b[CHI_MASK_PLANES];
    int64_t base[CHI_MASK_PLANES];
} chi_mask_ground;

struct ch_masker {
    ch_context *context;
    const chi_mask_loops *loops;
    ch_mask_settings set;
    chi_size size;
    chi_layout layout;
    int planes, threads;
    uint8_t *region; /* NULL: all */
    chi_mask_memory memory;
    float *noise;
    float *calm;   /* typical / noise                                                  */
    float *ones;   /* 2 smooth + 1 rows of 1, in place of rows of calm where all are    */
    uint8_t *even; /* height: calm is 1 in all of the row                               */
    float *around; /* width: columns of the square around a pixel that are in the frame */
    double typical, threshold; /* settled when threshold > 0 */
    double camera;             /* noise by differences of frames and pixels; 0: not known      */
    double distrust;           /* 0: typical is what pixels show, ... 1: the camera's          */
    int warnings;              /* CH_MASK_WARN_...                                             */
    chi_mask_work *works;      /* a thread each */
    chi_arena arena;

    /* the call at hand */
    const ch_mask_plane *in;
    uint8_t *masks;
    float *scores;
    chi_mask_maker maker; /* or NULL: the background is there */
    void *maker_user;
};

/* The score's unit: a log ratio of 1 / 128 is a gray level on mid gray. */
static const double CHI_MASK_UNIT = 128;

/* log((x + c) / (b + c)) of some rows of a frame, the first of them even: of the plane where it is
 * farthest from 0. */
void chi_mask_ratio(const ch_masker *m, const chi_mask_ground *ground, float *ratio, int64_t frame,
                    chi_rows rows);
/* The background of some rows, the first of them even: made where it has to be. (masker.c) */
chi_mask_ground chi_mask_ground_of(const ch_masker *m, const chi_mask_work *w, int64_t frame,
                                   chi_rows rows);
/* Of a whole frame, by all threads. (masker.c) */
void chi_mask_ratio_frame(ch_masker *m, float *ratio, int64_t frame);
/* Another typical noise, for a settled masker: pixels that flicker more keep their own. */
void chi_masker_retune(ch_masker *m, ch_mask_info *info, double typical);
/* Settles a masker by one noise for all pixels, or as another of the same shape was, which gave
 * what it had settled. */
void chi_masker_settle_even(ch_masker *m, ch_mask_info *info, double noise);
void chi_masker_take(ch_masker *m, ch_mask_info *info, const chi_mask_noise *from);
void chi_masker_give(const ch_masker *m, chi_mask_noise *to);
/* Before anything is learned: so many frames will be. Those that nothing is taken from need no
 * background; chi_masker_skips() says so of the next one, and passes over it. (mask_noise.c) */
void chi_masker_expect(ch_masker *m, int64_t frames);
int chi_masker_skips(ch_masker *m);
/* |x - b|, the largest of the planes. */
void chi_mask_residual(const ch_masker *m, float *residual, int64_t frame);
/* Row y of the scores from ratios: averaged, shadows and flickering pixels held back. w: sums,
 * totals and share are used. */
void chi_mask_score(const ch_masker *m, chi_mask_work *w, float *score, const float *ratio,
                    int64_t y);
/* What of the row that was scored last by w looks like a shadow. */
void chi_mask_shade(const ch_masker *m, const chi_mask_work *w, uint8_t *shade, const float *score);
/* What looks like a shadow without the pattern of the ground is foreground (mask_shadow.c): into
 * raw of a frame, in some of its rows. */
void chi_mask_prove_shadows(const ch_masker *m, const chi_mask_work *frame, chi_mask_work *own,
                            int64_t index, chi_rows rows);
/* mask: 255 where the score reaches the threshold, else 0. */
void chi_mask_cut(const ch_masker *m, uint8_t *mask, const float *score, int64_t count);

/* ch_masker_apply() for one frame whose background is made on the way, strip by strip, while it is
 * in the cache, by any thread. Planes whose background is NULL leave it nowhere; then there are no
 * scores. */
ch_status chi_masker_apply_making(ch_masker *m, uint8_t *mask, float *score,
                                  const ch_mask_plane *planes, chi_mask_maker maker, void *user);
