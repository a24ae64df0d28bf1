/* The state of a masker, shared by scores (mask_score.c), noise (mask_noise.c) and masks
 * (masker.c). */
#pragma once

#include "kernels/kernels.h"
#include "video/mask/mask_parts.h"
#include "video/mask/noise_levels.h"
#include "video/mask/plane_layout.h"

enum { CHI_MASK_PLANES = 4, CHI_MASK_SAMPLES = 64 };

enum { CHI_MASK_STRIP = 16 }; /* rows that a thread processes at a time             */
enum { CHI_MASK_SHADE = 4 };  /* radius of the square by which shadows are detected */

/* The rows of a strip and around it that mask_shadow.c uses. */
typedef struct chi_mask_patterns {
    float *x, *b, *gain;  /* log(pixel + c), log(background + c), and the evidence of a pixel */
    float *zero, *totals; /* one row each; zero is filled with zeros                          */
    float *sums;          /* a row with CHI_MASK_SHADE more on each side                      */
} chi_mask_patterns;

/* A part of a frame, ends excluded. With half planes all bounds are even. */
typedef struct chi_mask_window {
    int64_t left, right;
    chi_rows rows;
} chi_mask_window;

/* Columns and rows of a tile. */
enum { CHI_MASK_TILE = 16, CHI_MASK_TILE_ROWS = 8 };

/* The arrangement of the reference of a strip; 0 if there is none. */
typedef enum chi_tile_held { CHI_HELD_PLANES = 1, CHI_HELD_PACKED = 2 } chi_tile_held;

/* The tiles, and the reference that shows which are background (mask_tiles.c). A strip has several
 * rows of tiles. The properties of a tile that change from frame to frame have one byte for each
 * column of a strip, in which bit k belongs to its k-th row of tiles. */
typedef struct chi_mask_tiles {
    int64_t across, strips; /* columns of tiles, strips                               */
    int64_t stride;         /* from strip to strip, in the arrays of columns of strips */
    /* of every tile, row by row */
    float *most;  /* |d| up to which a pixel is background               */
    float *share; /* |x - b| / (b + c) up to which a value is background */
    /* limits for colour at half the resolution (squares() of chi_tile_loops) */
    int16_t *near, *far;
    float slack;           /* maximum |b' - b| / (b + c) of a background from its reference */
    chi_tile_held *held;   /* strips                                                        */
    int16_t *base, *scale; /* reference for colour at half the resolution, one per value    */
    uint8_t *low, *high;   /* reference for other planes, one per value                     */
    /* of every column of a strip; strips have lines of the cache of their own, because threads
     * write to them at the same time */
    uint8_t *doubt;   /* whether a pixel may be beyond the bound, by the reference       */
    uint8_t *hot;     /* whether a pixel is beyond the bound                             */
    uint8_t *active;  /* whether this tile or one around is hot, so that it is scored    */
    uint8_t *touched; /* whether the first thread's arrays are non-zero in this tile     */
} chi_mask_tiles;

/* The workspace of a thread for a frame. */
typedef struct chi_mask_work {
    float *ratio, *score;         /* one frame each                                           */
    float *sums[CHI_MASK_SUMS];   /* one row and twice the radius each                        */
    float *totals[CHI_MASK_SUMS]; /* one row each                                             */
    float *share;                 /* a row: 1 / number of pixels in the square around a pixel */
    /* number of rows of the square in the frame for which share was computed */
    int64_t share_rows;
    uint8_t *raw;    /* a mask before clean-up                   */
    uint8_t *shade;  /* shadow-like pixels, see chi_mask_shade() */
    uint8_t *mask;   /* a mask for the filters                   */
    int32_t *counts; /* chi_mask_counts() entries                */
    chi_parts parts;
    chi_mask_patterns patterns;
    float *probe;        /* a row: the background that becomes a reference  */
    int16_t *near, *far; /* half a row: result of a row of tiles, squares   */
    uint8_t *out;        /* three rows: result of a row of tiles for values */
    uint8_t *low, *high; /* three rows each: bounds that are to be packed   */
    uint8_t *split;      /* three rows of a packed frame                    */
    float *made;         /* CHI_MASK_PLANES rows of background              */
} chi_mask_work;

/* The memory of learning: for every `spacing`-th frame the change of each pixel since the previous
 * frame, and a histogram of distances from the background. */
typedef struct chi_mask_memory {
    uint8_t *changes;   /* CHI_MASK_SAMPLES frames                                           */
    int32_t *distances; /* CHI_MASK_SAMPLES x CHI_NOISE_LEVELS                               */
    float *before;      /* log ratios of the last frame                                      */
    uint8_t *pixels;    /* planes of the last frame                                          */
    int64_t *steps;     /* CHI_NOISE_LEVELS: histogram of |e| (mask_noise.c) over all frames */
    int64_t *counts;    /* CHI_NOISE_LEVELS for each thread, zero between frames             */
    int64_t frames, held, spacing;
} chi_mask_memory;

/* Statistics of the ground's pattern in the backgrounds that were learned from (mask_pattern.c). */
typedef struct chi_mask_pattern {
    float *logs, *row; /* the examined rows in the previous frame; one row */
    double coherence;  /* sum over `pairs` pairs                           */
    int64_t pairs, frames;
    /* The rows of the frame before: log(background + c), pixels; the sums over both frames. */
    float *before;
    uint8_t *pixels;
    double followed, squares, changes;
    float table[256]; /* log(value + c) */
    int64_t watched;  /* number of examined pixels that are watched */
} chi_mask_pattern;

/* A frame that was learned from, in tiles, and from how many frames it is shifted
 * (mask_shift.c). */
typedef struct chi_mask_shift {
    int16_t *held;
    int16_t logs[256];
    int64_t watched, moved; /* number of watched tiles; of frames */
} chi_mask_shift;

/* A background that is computed together with the mask. */
typedef struct chi_mask_making {
    void (*make)(void *user, float *to, int plane, int64_t from, int64_t count);
    void *user;
    float *planes[CHI_MASK_PLANES]; /* destination                                                */
    int whole;                      /* 0 if the background is needed only where the mask needs it */
    /* NULL, or a frame with the three values of a pixel side by side. Then the planes `apart` are
     * filled where they are needed. */
    const uint8_t *packed;
    uint8_t *apart[CHI_MASK_PLANES];
    /* Receives the reference b of a strip in parts; `first` marks the first part. */
    void (*hold)(void *user, int64_t strip, int first, int plane, int64_t from, int64_t count,
                 const float *b);
    /* Returns a bound of |b' - b| / (b + c) for the current background b' of a strip. */
    double (*moved)(void *user, int64_t strip);
} chi_mask_making;

struct ch_masker {
    ch_context *context;
    const chi_mask_loops *loops;
    const chi_tile_loops *tile_loops;
    const chi_live_loops *live_loops;
    ch_mask_settings set;
    chi_size size;
    chi_layout layout;
    int planes, threads;
    uint8_t *region; /* NULL means all pixels */
    chi_mask_memory memory;
    chi_mask_pattern pattern;
    chi_mask_shift shift;
    float *noise;
    float *calm;   /* typical / noise                                                             */
    float *ones;   /* 2 smooth + 1 rows of 1, used instead of rows of calm that are all 1         */
    uint8_t *even; /* height: whether calm is 1 in the whole row                                  */
    float *around; /* width: number of columns of the square around a pixel that are in the frame */
    double typical, threshold; /* settled if threshold > 0                                      */
    double camera;             /* noise by differences of frames and pixels; 0 if unknown       */
    double distrust;           /* 0: typical is the noise that pixels show; 1: the camera noise */
    int warnings;              /* CH_MASK_WARN_...                                              */
    chi_mask_work *works;      /* one per thread                                                */
    chi_mask_tiles tiles;
    chi_arena arena;

    /* the current call */
    const ch_mask_plane *in;
    uint8_t *masks;
    float *scores;
    const chi_mask_making *making; /* NULL if the background is complete */
};

/* The unit of scores: a log ratio of 1 / 128 is one gray level on mid gray. */
static const double CHI_MASK_UNIT = 128;

/* Pixels of a plane and their background. */
typedef struct chi_mask_values {
    const uint8_t *x;
    const float *b;
} chi_mask_values;

/* With tiles, a packed frame is split, and a background that is needed only there is made, row by
 * row where they are used. chi_mask_split() is called first; it splits pixels [from, from + count)
 * of such a frame. chi_mask_find() returns values [from, from + count) of a plane of any frame; a
 * background that is made is valid until the next call with the same slot (below
 * CHI_MASK_PLANES). */
void chi_mask_split(const ch_masker *m, const chi_mask_work *w, int64_t from, int64_t count);
chi_mask_values chi_mask_find(const ch_masker *m, const chi_mask_work *w, int64_t frame, int plane,
                              int slot, int64_t from, int64_t count);
/* Computes log((x + c) / (b + c)) for a part of a frame, in the plane where it is farthest from
 * 0. */
void chi_mask_ratio(const ch_masker *m, const chi_mask_work *w, float *ratio, int64_t frame,
                    const chi_mask_window *v);
/* Computes these ratios for `count` squares of two by two pixels with colour at half the
 * resolution. d: two rows of ratios. x and b: two rows of brightness, then red, then blue. */
void chi_mask_ratio_pair(const ch_masker *m, float *const d[2], const uint8_t *const x[4],
                         const float *const b[4], int64_t count);
/* Computes these ratios for a whole frame, by all threads (masker.c). */
void chi_mask_ratio_frame(ch_masker *m, float *ratio, int64_t frame);
/* Changes the typical noise of a settled masker. Pixels that flicker more keep their own noise. */
void chi_masker_retune(ch_masker *m, ch_mask_info *info, double typical);
/* chi_masker_settle_even() sets one noise for all pixels. chi_masker_take() copies the noise of
 * another masker of the same shape, stored by chi_masker_give(). */
void chi_masker_settle_even(ch_masker *m, ch_mask_info *info, double noise);
void chi_masker_take(ch_masker *m, ch_mask_info *info, const chi_mask_noise *from);
void chi_masker_give(const ch_masker *m, chi_mask_noise *to);
/* The caller passes the number of frames, and how many of them may be stored, to
 * chi_masker_expect() before learning. Only some frames are stored; the others need no background:
 * chi_masker_skips() returns whether the next frame is not stored, and if so, skips it
 * (mask_noise.c). */
void chi_masker_expect(ch_masker *m, int64_t frames, int64_t most);
int chi_masker_skips(ch_masker *m);
/* Computes, for each pixel, the largest |x - b| over the planes. */
void chi_mask_residual(const ch_masker *m, float *residual, int64_t frame);
/* Computes row y of the scores from ratios, in the columns of a part: averaged, and reduced for
 * shadows and flickering pixels. Uses sums, totals and share of w. */
void chi_mask_score(const ch_masker *m, chi_mask_work *w, float *score, const float *ratio,
                    int64_t y, const chi_mask_window *v);
/* Marks the shadow-like pixels in the columns of the row that w scored last. */
void chi_mask_shade(const ch_masker *m, const chi_mask_work *w, uint8_t *shade, const float *score,
                    const chi_mask_window *v);
/* Sets frame->raw to foreground at the shadow-like pixels of a part of a frame that do not show the
 * pattern of the ground (mask_shadow.c). */
void chi_mask_prove_shadows(const ch_masker *m, const chi_mask_work *frame, const chi_mask_work *w,
                            int64_t index, const chi_mask_window *part);
/* Sets mask to 255 where the score reaches the threshold, else to 0. */
void chi_mask_cut(const ch_masker *m, uint8_t *mask, const float *score, int64_t count);

/* ---- mask_pattern.c ---- */
void chi_mask_pattern_reserve(ch_masker *m);
/* Counts the watched pixels of a new region. */
void chi_mask_pattern_watch(ch_masker *m);
/* chi_mask_pattern_learn() adds a frame and its background to the statistics, after
 * chi_mask_pattern_keep() stored the frame directly before it, unless it is the first.
 * chi_mask_pattern_goes() returns whether the background changes in a way that light does not. */
void chi_mask_pattern_keep(ch_masker *m, int64_t frame);
void chi_mask_pattern_learn(ch_masker *m, int64_t frame);
int chi_mask_pattern_goes(const ch_masker *m);

/* ---- mask_shift.c ---- */
void chi_mask_shift_reserve(ch_masker *m);
/* Counts the watched tiles of a new region. */
void chi_mask_shift_watch(ch_masker *m);
/* chi_mask_shift_learn() compares a frame with an earlier one. chi_mask_shift_moves() returns
 * whether the camera moves or was moved. */
void chi_mask_shift_learn(ch_masker *m, int64_t frame);
int chi_mask_shift_moves(const ch_masker *m);

/* ---- mask_tiles.c ---- */
void chi_mask_tiles_reserve(ch_masker *m);
/* Reserves memory for the reference, for a masker whose backgrounds are computed together with the
 * masks (chi_mask_making): 6 bytes per pixel with half planes, else 2 per value. */
ch_status chi_masker_reserve_reference(ch_masker *m);
/* Returns whether tiles are used for the current call. */
static inline int chi_mask_by_tiles(const ch_masker *m) {
    return m->making && !m->scores && m->masks && m->set.low >= 1 && m->set.median == 0;
}
/* Returns whether masks are zero outside active tiles after closing. */
int chi_mask_tiles_hold_closed(const ch_masker *m);
/* Computes the bounds of every tile from the settled threshold. */
void chi_mask_tiles_settle(ch_masker *m);
/* Returns the rows of the frame from the first active tile to the last. */
chi_rows chi_mask_tiles_rows(const ch_masker *m);
/* The three steps: probe finds which tiles of a strip are in doubt; decide finds, from their
 * ratios, which are hot; spread finds the active tiles of all strips. */
void chi_mask_tiles_probe(ch_masker *m, int64_t strip, int thread);
void chi_mask_tiles_decide(ch_masker *m, const float *ratio, int64_t strip);
void chi_mask_tiles_spread(ch_masker *m);
/* Finds the next part of a strip after v (initially one that ends at 0) whose tiles are in doubt,
 * active, or active but not in doubt. Returns 0 if there is none. */
typedef enum chi_tile_choice { CHI_TILE_DOUBT, CHI_TILE_ACTIVE, CHI_TILE_BESIDE } chi_tile_choice;
int chi_mask_tiles_next(const ch_masker *m, chi_mask_window *v, int64_t strip,
                        chi_tile_choice choice);
/* chi_mask_tiles_clear() zeroes the inactive tiles of a strip. chi_mask_tiles_touch() records that
 * another frame was written. */
void chi_mask_tiles_clear(ch_masker *m, chi_mask_work *w, int64_t strip);
void chi_mask_tiles_touch(ch_masker *m);

/* Does the work of ch_masker_apply() for one frame whose background is computed at the same time,
 * by the threads that compute the mask, while the pixels are in the cache. */
ch_status chi_masker_apply_making(ch_masker *m, uint8_t *mask, float *score,
                                  const ch_mask_plane *planes, const chi_mask_making *making);
