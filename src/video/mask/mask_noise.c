/* The noise of a clip and of its pixels, and the threshold.
 *
 *     typical noise   median of |d| / 0.6745 over pixels and frames (d: log ratio, mask_score.c),
 * the standard deviation of normal noise, whatever less than half of the pixels do of a pixel the
 * typical one, times f / 3 where f > 3: f is the median of |d_t - d_(t-1)| of this pixel over that
 * of all pixels
 *
 * Why changes from frame to frame: a pixel where people stand is as far from the background as one
 * in a waving plant, but only the plant changes all the time. Every 2^k-th frame is remembered, so
 * that at most SAMPLES are held, whatever the length of the clip. O(pixels) per remembered frame.
 */
#include "base/sized.h"
#include "video/mask/masker.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { CHANGE_LEVELS = 256 };
static const double CHANGE_STEPS = 1000; /* per unit of a log ratio, in what is remembered */
static const double LEAST_NOISE = 0.5;   /* gray levels: rounding to bytes alone is 0.3    */

/* Every second one is forgotten. */
static void thin_out(chi_mask_memory *memory, int64_t pixels) {
    size_t row = CHI_NOISE_LEVELS * sizeof *memory->distances;
    for (int64_t k = 1; 2 * k < memory->held; k++) {
        memcpy(memory->changes + k * pixels, memory->changes + 2 * k * pixels, (size_t)pixels);
        memcpy(memory->distances + k * CHI_NOISE_LEVELS,
               memory->distances + 2 * k * CHI_NOISE_LEVELS, row);
    }
    memory->held = (memory->held + 1) / 2;
    memory->spacing *= 2;
}

static void remember(ch_masker *m, const float *ratio) {
    chi_mask_memory *memory = &m->memory;
    int64_t pixels = chi_pixels(m->size), at = memory->held++;
    uint8_t *changes = memory->changes + at * pixels;
    int32_t *distances = memory->distances + at * CHI_NOISE_LEVELS;
    int first = memory->frames == 0;
    memset(distances, 0, CHI_NOISE_LEVELS * sizeof *distances);
    for (int64_t i = 0; i < pixels; i++) {
        float change = first ? 0 : fabsf(ratio[i] - memory->before[i]);
        changes[i] = (uint8_t)chi_level_of(change, CHANGE_STEPS, CHANGE_LEVELS);
        if (m->region && !m->region[i]) continue;
        distances[chi_noise_level(fabsf(ratio[i]))]++;
    }
}

ch_status ch_masker_learn(ch_masker *m, const ch_mask_plane *planes, int64_t count) {
    chi_mask_memory *memory = &m->memory;
    m->in = planes;
    for (int64_t k = 0; k < count; k++, memory->frames++) {
        if (memory->held == CHI_MASK_SAMPLES) thin_out(memory, chi_pixels(m->size));
        int taken = memory->frames % memory->spacing == 0;
        int before = (memory->frames + 1) % memory->spacing == 0;
        float *ratio = m->works[0].ratio;
        if (taken || before) chi_mask_ratio(m, ratio, k, 0, chi_pixels(m->size));
        if (taken) remember(m, ratio);
        if (before) memcpy(memory->before, ratio, (size_t)chi_pixels(m->size) * sizeof *ratio);
    }
    return CH_OK;
}

static double typical_noise(const chi_mask_memory *memory) {
    int64_t counts[CHI_NOISE_LEVELS] = {0};
    for (int64_t k = 0; k < memory->held; k++)
        for (int level = 0; level < CHI_NOISE_LEVELS; level++)
            counts[level] += memory->distances[k * CHI_NOISE_LEVELS + level];
    return fmax(chi_noise_of(counts) * CHI_MASK_UNIT, LEAST_NOISE);
}

/* noise[i] becomes the median change of pixel i, in levels; the first frame has no change. */
static void change_block(void *user, int64_t row, int thread) {
    ch_masker *m = user;
    int64_t pixels = chi_pixels(m->size), from = row * m->size.width, to = from + m->size.width;
    (void)thread;
    for (int64_t i = from; i < to; i++) {
        int64_t counts[CHANGE_LEVELS] = {0};
        for (int64_t k = 1; k < m->memory.held; k++) counts[m->memory.changes[k * pixels + i]]++;
        m->noise[i] = (float)chi_median_level(counts, CHANGE_LEVELS);
    }
}

static void settle(ch_masker *m, ch_mask_info *info) {
    double set = m->set.threshold;
    float typical = (float)m->typical;
    m->threshold = set > 0 ? set : m->set.noises * m->typical;
    for (int64_t i = 0; i < chi_pixels(m->size); i++)
        m->calm[i] = m->noise[i] > typical ? typical / m->noise[i] : 1;
    ch_mask_info now = {.size = sizeof now, .noise = m->typical, .threshold = m->threshold};
    if (set > 0)
        snprintf(now.reason, sizeof now.reason, "threshold %.3g as set; noise %.3g gray levels",
                 m->threshold, m->typical);
    else
        snprintf(now.reason, sizeof now.reason, "noise %.3g gray levels, threshold %.3g x = %.3g",
                 m->typical, m->set.noises, m->threshold);
    if (info) chi_result_give(info, &now, sizeof now);
}

ch_status ch_masker_settle(ch_masker *m, ch_mask_info *info) {
    if (info) TRY(chi_sized_check(m->context, info, "ch_mask_info"));
    if (m->memory.held == 0)
        return chi_fail(m->context, CH_ERR_ARGUMENT,
                        "a threshold is settled after frames are seen");
    m->typical = typical_noise(&m->memory);
    chi_parallel(m->context, m->size.height, change_block, m);
    double unit = CHI_MASK_UNIT / CHANGE_STEPS / CHI_NORMAL_MEDIAN / sqrt(2);
    for (int64_t i = 0; i < chi_pixels(m->size); i++)
        m->noise[i] = (float)fmax(m->typical, m->noise[i] * unit);
    settle(m, info);
    return CH_OK;
}

void chi_masker_retune(ch_masker *m, ch_mask_info *info, double typical) {
    m->typical = fmax(typical, LEAST_NOISE);
    settle(m, info);
}

const float *ch_masker_noise(const ch_masker *m) {
    return m->noise;
}

ch_status ch_masker_settle_with(ch_masker *m, ch_mask_info *info, const float *noise) {
    double least = INFINITY;
    if (info) TRY(chi_sized_check(m->context, info, "ch_mask_info"));
    for (int64_t i = 0; i < chi_pixels(m->size); i++) {
        if (!(noise[i] > 0 && noise[i] < 1e6f))
            return chi_fail(m->context, CH_ERR_DATA, "the noise of pixel %lld is %g", (long long)i,
                            (double)noise[i]);
        least = fmin(least, noise[i]);
    }
    memcpy(m->noise, noise, (size_t)chi_pixels(m->size) * sizeof *noise);
    m->typical = least; /* that of all pixels that do not flicker */
    settle(m, info);
    return CH_OK;
}
