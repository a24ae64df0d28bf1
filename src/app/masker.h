/* The masker's state, shared by its three jobs: scores (mask_score.c), noise (mask_noise.c), masks
 * (masker.c). */
#ifndef CONEHULL_APP_MASKER_H
#define CONEHULL_APP_MASKER_H

#include "app/mask_parts.h"

enum { CHI_MASK_PLANES = 4, CHI_MASK_SAMPLES = 64, CHI_MASK_LEVELS = 4096 };

/* What a thread needs for a frame. */
typedef struct chi_mask_work {
    float *ratio, *score; /* a frame each                                */
    float *sums[3];       /* a row and twice the radius each             */
    float *totals[3];     /* a row each                                  */
    uint8_t *mask;
    int32_t *counts;
    chi_parts parts;
} chi_mask_work;

/* What learning remembers: of every `spacing`-th frame how much each pixel changed since the frame
 * before, and how many pixels are how far from the background. */
typedef struct chi_mask_memory {
    uint8_t *changes;   /* SAMPLES frames               */
    int32_t *distances; /* SAMPLES x LEVELS             */
    float *before;      /* log ratios of the last frame */
    int64_t frames, held, spacing;
} chi_mask_memory;

struct ch_masker {
    ch_context *context;
    ch_mask_settings set;
    chi_size size;
    int planes, threads;
    uint8_t *region; /* NULL: all */
    chi_mask_memory memory;
    float *noise;
    float *calm;   /* typical / noise                                                  */
    float *around; /* width: columns of the square around a pixel that are in the frame */
    double typical, threshold; /* settled when threshold > 0 */
    chi_mask_work *works;

    /* the call at hand */
    const ch_mask_plane *in;
    uint8_t *masks;
    float *scores;
    int64_t frame;
};

/* The score's unit: a log ratio of 1 / 128 is a gray level on mid gray. */
static const double CHI_MASK_UNIT = 128;

/* log((x + c) / (b + c)) of every pixel of a frame: of the plane where it is farthest from 0. */
void chi_mask_ratio(const ch_masker *m, float *ratio, int64_t frame);
/* The same for pixels [from, to). */
void chi_mask_ratio_part(const ch_masker *m, float *ratio, int64_t frame, int64_t from, int64_t to);
/* Another typical noise, for a settled masker: pixels that flicker more keep their own. */
void chi_masker_retune(ch_masker *m, ch_mask_info *info, double typical);
/* |x - b|, the largest of the planes. */
void chi_mask_residual(const ch_masker *m, float *residual, int64_t frame);
/* Rows [low, high) of the scores from ratios: averaged, shadows and flickering pixels held back. w:
 * sums and totals are used. */
void chi_mask_score(const ch_masker *m, chi_mask_work *w, float *score, const float *ratio,
                    int64_t low, int64_t high);

#endif
