/* The masker's state, shared by its three jobs: scores (mask_score.c), noise (mask_noise.c), masks
 * (masker.c). */
#pragma once

#include "kernels/kernels.h"
#include "video/mask/mask_parts.h"
#include "video/mask/noise_levels.h"
#include "video/mask/plane_layout.h"

enum { CHI_MASK_PLANES = 4, CHI_MASK_SAMPLES = 64 };

enum { CHI_MASK_STRIP = 16 }; /* rows that a thread takes at a time                          */
enum { CHI_MASK_SHADE = 4 };  /* radius of the square by which shadows are detected           */

/* The rows of a strip and those around it that mask_shadow.c looks at. */
typedef struct chi_mask_patterns {
    float *x, *b, *gain; /* log(pixel + c), log(background + c), and what a pixel says            */
    float *zero, *totals; /* a row each; zero: zeros                                           */
    float *sums;          /* a row, and SHADE more on each side                                */
} chi_mask_patterns;

/* A part of a frame, ends excluded; with colour at half the resolution, all even. */
typedef struct chi_mask_window {
    int64_t left, right;
    chi_rows rows;
} chi_mask_window;

enum { CHI_MASK_TILE = 32 }; /* columns; CHI_MASK_STRIP rows                               */

/* Tiles, row by row, and the reference that decides which are background (mask_tiles.c). */
typedef struct chi_mask_tiles {
    int64_t across, down;
    float *most;           /* |d| up to which a pixel is background                            */
    float *share;          /* |x - b| / (b + c) up to which a value is                         */
    int16_t *near, *far;   /* the same for colour at half the resolution: chi_tile_loops       */
    float slack;           /* by how much of b + c the background may leave its reference      */
    uint8_t *held;         /* strips: there is a reference                                     */
    int16_t *base, *scale; /* values of a frame: of colour at half the resolution, ...        */
    uint8_t *low, *high;   /* ... or of other planes                                          */
    uint8_t *doubt;        /* non-zero: a pixel may be farther off, by the reference           */
    uint8_t *hot;          /* ... and is                                                       */
    uint8_t *active;       /* ... here or beside: to be scored                                */
    uint8_t *touched;      /* what the first thread holds of it is not zero                   */
} chi_mask_tiles;

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
    float *probe;        /* a row: the background that becomes a reference      */
    int16_t *near, *far; /* half a row: what a strip shows of squares, ...       */
    uint8_t *out;        /* ... a row: and of values                              */
    uint8_t *row;        /* three rows of an unpacked frame                       */
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

/* What the backgrounds that were learned from say of the ground's pattern (mask_pattern.c). */
typedef struct chi_mask_pattern {
    float *logs, *row; /* of the rows looked at in the frame before; a row                      */
    double coherence;  /* a sum over ... */
    int64_t pairs, frames;
} chi_mask_pattern;

/* A background that is made on the way. */
typedef struct chi_mask_making {
    void (*make)(void *user, float *to, int plane, int64_t from, int64_t count);
    void *user;
    float *planes[CHI_MASK_PLANES]; /* where it goes                                            */
    int whole; /* zero: it is wanted only where the mask needs it                               */
    /* NULL, or pixels [from, from + count) of a frame that is not in planes: into three rows; the
     * planes of the call, `apart`, are then filled where they are needed. */
    void (*unpack)(void *user, uint8_t *const *to, int64_t from, int64_t count);
    uint8_t *apart[CHI_MASK_PLANES];
    /* The reference of a strip: its values b come in parts, `first` with the first of them. */
    void (*hold)(void *user, int64_t strip, int first, int plane, int64_t from, int64_t count,
                 const float *b);
    /* At most how far the background of a strip has moved since then: |b' - b| / (b + c). */
    double (*moved)(void *user, int64_t strip);
} chi_mask_making;

struct ch_masker {
    ch_context *context;
    const chi_mask_loops *loops;
    const chi_tile_loops *tile_loops;
    ch_mask_settings set;
    chi_size size;
    chi_layout layout;
    int planes, threads;
    uint8_t *region; /* NULL: all */
    chi_mask_memory memory;
    chi_mask_pattern pattern;
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
    chi_mask_tiles tiles;
    chi_arena arena;

    /* the call at hand */
    const ch_mask_plane *in;
    uint8_t *masks;
    float *scores;
    const chi_mask_making *making; /* or NULL: the background is there */
};

/* The score's unit: a log ratio of 1 / 128 is a gray level on mid gray. */
static const double CHI_MASK_UNIT = 128;

/* log((x + c) / (b + c)) of a part of a frame: of the plane where it is farthest from 0. */
void chi_mask_ratio(const ch_masker *m, float *ratio, int64_t frame, const chi_mask_window *v);
/* The same for `count` squares of colour at half the resolution: d, two rows; x and b: the two rows
 * of brightness, then red and blue. */
void chi_mask_ratio_pair(const ch_masker *m, float *const d[2], const uint8_t *const x[4],
                         const float *const b[4], int64_t count);
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
/* Row y of the scores from ratios, in the columns of a part: averaged, shadows and flickering
 * pixels held back. w: sums, totals and share are used. */
void chi_mask_score(const ch_masker *m, chi_mask_work *w, float *score, const float *ratio,
                    int64_t y, const chi_mask_window *v);
/* What of the row that was scored last by w, and of its columns, looks like a shadow. */
void chi_mask_shade(const ch_masker *m, const chi_mask_work *w, uint8_t *shade, const float *score,
                    const chi_mask_window *v);
/* What looks like a shadow without the pattern of the ground is foreground (mask_shadow.c): into
 * raw of a frame, in a part of it. */
void chi_mask_prove_shadows(const ch_masker *m, const chi_mask_work *frame, chi_mask_patterns *logs,
                            int64_t index, const chi_mask_window *part);
/* mask: 255 where the score reaches the threshold, else 0. */
void chi_mask_cut(const ch_masker *m, uint8_t *mask, const float *score, int64_t count);

/* ---- mask_pattern.c ---- */
void chi_mask_pattern_reserve(ch_masker *m);
/* The background of one more frame; whether the pattern comes and goes in them. */
void chi_mask_pattern_learn(ch_masker *m, int64_t frame);
int chi_mask_pattern_goes(const ch_masker *m);

/* ---- mask_tiles.c ---- */
void chi_mask_tiles_reserve(ch_masker *m);
/* For a masker whose backgrounds are made on the way: memory for the reference, 6 bytes a pixel
 * with colour at half the resolution, else 2 a value. */
ch_status chi_masker_reserve_reference(ch_masker *m);
/* Whether they can be used for the call at hand. */
int chi_mask_tiles_apply(const ch_masker *m);
/* Whether masks are zero outside active tiles once they are closed. */
int chi_mask_tiles_hold_closed(const ch_masker *m);
/* The bounds of every tile, for a threshold that was settled. */
void chi_mask_tiles_settle(ch_masker *m);
/* Looks at the tiles of a strip: which are in doubt; with their ratios, which are hot; then, of all
 * strips, which are active. */
void chi_mask_tiles_probe(ch_masker *m, int64_t strip, int thread);
void chi_mask_tiles_decide(ch_masker *m, const float *ratio, int64_t strip);
void chi_mask_tiles_spread(ch_masker *m);
/* The next part of a strip after v (at first one that ends at 0) whose tiles are chosen: in doubt,
 * active, or active without having been in doubt. Zero: there is none. */
typedef enum chi_tile_choice { CHI_TILE_DOUBT, CHI_TILE_ACTIVE, CHI_TILE_BESIDE } chi_tile_choice;
int chi_mask_tiles_next(const ch_masker *m, chi_mask_window *v, int64_t strip,
                        chi_tile_choice choice);
/* Zeros where nothing is active, of a strip; and for all that another frame was written. */
void chi_mask_tiles_clear(ch_masker *m, chi_mask_work *w, int64_t strip);
void chi_mask_tiles_touch(ch_masker *m);

/* ch_masker_apply() for one frame whose background is made on the way, while it is in the cache, by
 * any thread. */
ch_status chi_masker_apply_making(ch_masker *m, uint8_t *mask, float *score,
                                  const ch_mask_plane *planes, const chi_mask_making *making);
