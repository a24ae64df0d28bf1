/* Masks from the residual: score, automatic threshold, clean-up; frame by frame.
 *
 * Learning remembers |residual| of evenly spaced frames (every 2^k-th, so that at most SAMPLES are
 * held, whatever the length of the clip); the noise of a pixel is the median of what it remembers
 * over 0.6745, which is the standard deviation if the noise is normal and the pixel is background
 * in more than half of the frames. Threads work on whole frames. */
#include "app/mask_parts.h"
#include "base/base.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SAMPLES = 128, LEVELS = 256, PLANES = 4 };
static const double STEPS = 4;              /* per gray level, in what is remembered */
static const double NORMAL_MEDIAN = 0.6745; /* of |z|, z standard normal             */
static const double LEAST_NOISE = 0.5;      /* gray levels: rounding alone gives 0.3 */

/* What a thread needs for a frame. */
typedef struct work {
    float *residual, *score;
    uint8_t *mask;
    int32_t *counts;
    chi_parts parts;
} work;

struct ch_masker {
    ch_context *context;
    ch_mask_settings set;
    chi_size size;
    int planes, threads;
    uint8_t *region; /* NULL: all */
    uint8_t *samples;
    int64_t frames, held, spacing;
    float *noise;
    int settled;
    double threshold;
    work *works;

    /* the call at hand */
    const ch_mask_plane *in;
    uint8_t *masks;
    float *scores;
};

static ch_status reserve(ch_masker *m) {
    ch_context *context = m->context;
    int64_t pixels = chi_pixels(m->size);
    m->threads = ch_context_threads(context);
    m->samples = chi_alloc(context, pixels, SAMPLES);
    m->noise = chi_alloc(context, pixels, sizeof *m->noise);
    m->works = chi_alloc_zero(context, m->threads, sizeof *m->works);
    int got = m->samples && m->noise && m->works;
    for (int t = 0; got && t < m->threads; t++) {
        work *w = &m->works[t];
        w->residual = chi_alloc(context, pixels, sizeof *w->residual);
        w->score = chi_alloc(context, pixels, sizeof *w->score);
        w->mask = chi_alloc(context, pixels, 1);
        w->counts = chi_alloc(context, m->size.width, sizeof *w->counts);
        w->parts.labels = chi_alloc(context, pixels + 1, sizeof(int32_t));
        w->parts.area = chi_alloc(context, pixels + 1, sizeof(int32_t));
        got = w->residual && w->score && w->mask && w->counts && w->parts.labels && w->parts.area;
    }
    return got ? CH_OK : chi_no_memory(context, "masks", pixels, SAMPLES + 17 * (size_t)m->threads);
}

ch_status ch_masker_create(ch_context *context, ch_masker **masker, int64_t width, int64_t height,
                           int planes, const ch_mask_settings *settings) {
    TRY(ch_settings_check(context, &ch_mask_table, settings));
    if (width < 1 || height < 1 || width > INT32_MAX / height - 1)
        return chi_fail(context, CH_ERR_ARGUMENT, "a frame cannot be %lld x %lld", (long long)width,
                        (long long)height);
    if (planes < 1 || planes > PLANES)
        return chi_fail(context, CH_ERR_ARGUMENT, "a frame has 1 to %d planes, not %d", PLANES,
                        planes);
    ch_masker *m = chi_alloc_zero(context, 1, sizeof *m);
    if (!m) return chi_no_memory(context, "masks", 1, sizeof *m);
    m->context = context;
    m->set = *settings;
    m->size = (chi_size){width, height};
    m->planes = planes;
    m->spacing = 1;
    ch_status status = reserve(m);
    if (status == CH_OK)
        *masker = m;
    else
        ch_masker_destroy(m);
    return status;
}

void ch_masker_destroy(ch_masker *m) {
    if (!m) return;
    for (int t = 0; m->works && t < m->threads; t++) {
        work *w = &m->works[t];
        void *blocks[] = {w->residual, w->score,        w->mask,
                          w->counts,   w->parts.labels, w->parts.area};
        for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) chi_free(m->context, blocks[i]);
    }
    chi_free(m->context, m->works);
    chi_free(m->context, m->noise);
    chi_free(m->context, m->samples);
    chi_free(m->context, m->region);
    chi_free(m->context, m);
}

ch_status ch_masker_set_region(ch_masker *m, const uint8_t *region) {
    int64_t pixels = chi_pixels(m->size);
    uint8_t *copy = region ? chi_alloc(m->context, pixels, 1) : NULL;
    if (region && !copy) return chi_no_memory(m->context, "a region", pixels, 1);
    if (region) memcpy(copy, region, (size_t)pixels);
    chi_free(m->context, m->region);
    m->region = copy;
    return CH_OK;
}

/* |pixel - background|, the largest of the planes. */
static void residual_of(const ch_masker *m, float *residual, int64_t frame) {
    int64_t pixels = chi_pixels(m->size);
    for (int p = 0; p < m->planes; p++) {
        const uint8_t *x = m->in[p].pixels + frame * m->in[p].stride;
        const float *b = m->in[p].background + frame * pixels;
        for (int64_t i = 0; i < pixels; i++) {
            float r = fabsf((float)x[i] - b[i]);
            residual[i] = p && residual[i] > r ? residual[i] : r;
        }
    }
}

/* Every second one is forgotten. */
static void thin_out(ch_masker *m) {
    int64_t pixels = chi_pixels(m->size);
    for (int64_t k = 1; 2 * k < m->held; k++)
        memcpy(m->samples + k * pixels, m->samples + 2 * k * pixels, (size_t)pixels);
    m->held = (m->held + 1) / 2;
    m->spacing *= 2;
}

ch_status ch_masker_learn(ch_masker *m, const ch_mask_plane *planes, int64_t count) {
    int64_t pixels = chi_pixels(m->size);
    m->in = planes;
    for (int64_t k = 0; k < count; k++, m->frames++) {
        if (m->held == SAMPLES) thin_out(m);
        if (m->frames % m->spacing) continue;
        uint8_t *sample = m->samples + m->held++ * pixels;
        float *residual = m->works[0].residual;
        residual_of(m, residual, k);
        for (int64_t i = 0; i < pixels; i++) {
            double level = residual[i] * STEPS + 0.5;
            sample[i] = level < LEVELS - 1 ? (uint8_t)level : LEVELS - 1;
        }
    }
    return CH_OK;
}

/* The level below or at which half of `total` lie. */
static int median_level(const int64_t *counts, int64_t total) {
    int64_t below = 0;
    int level = 0;
    while (level < LEVELS - 1 && 2 * (below += counts[level]) < total) level++;
    return level;
}

static void noise_block(void *user, int64_t block, int thread) {
    ch_masker *m = user;
    int64_t pixels = chi_pixels(m->size), from = block * m->size.width, to = from + m->size.width;
    (void)thread;
    for (int64_t i = from; i < to; i++) {
        int64_t counts[LEVELS] = {0};
        for (int64_t k = 0; k < m->held; k++) counts[m->samples[k * pixels + i]]++;
        m->noise[i] = (float)(median_level(counts, m->held) / STEPS / NORMAL_MEDIAN);
    }
}

/* The median over the watched pixels. */
static double typical_noise(const ch_masker *m) {
    int64_t counts[LEVELS] = {0}, watched = 0;
    for (int64_t i = 0; i < chi_pixels(m->size); i++) {
        if (m->region && !m->region[i]) continue;
        double level = m->noise[i] * NORMAL_MEDIAN * STEPS + 0.5;
        counts[level < LEVELS - 1 ? (int)level : LEVELS - 1]++;
        watched++;
    }
    return median_level(counts, watched) / STEPS / NORMAL_MEDIAN;
}

static void settle(ch_masker *m, ch_mask_info *info) {
    double noise = fmax(typical_noise(m), LEAST_NOISE);
    m->threshold = m->set.threshold > 0 ? m->set.threshold : m->set.noises * noise;
    m->settled = 1;
    if (!info) return;
    info->noise = noise;
    info->threshold = m->threshold;
    if (m->set.threshold > 0)
        snprintf(info->reason, sizeof info->reason, "threshold %.3g as set; noise %.3g gray levels",
                 m->threshold, noise);
    else
        snprintf(info->reason, sizeof info->reason,
                 "noise %.3g gray levels, threshold %.3g x = %.3g", noise, m->set.noises,
                 m->threshold);
}

ch_status ch_masker_settle(ch_masker *m, ch_mask_info *info) {
    if (m->held == 0)
        return chi_fail(m->context, CH_ERR_ARGUMENT,
                        "a threshold is settled after frames are seen");
    chi_parallel(m->context, m->size.height, noise_block, m);
    settle(m, info);
    return CH_OK;
}

const float *ch_masker_noise(const ch_masker *m) {
    return m->noise;
}

ch_status ch_masker_settle_with(ch_masker *m, ch_mask_info *info, const float *noise) {
    for (int64_t i = 0; i < chi_pixels(m->size); i++)
        if (!(noise[i] >= 0 && noise[i] < 1e6f))
            return chi_fail(m->context, CH_ERR_DATA, "the noise of pixel %lld is %g", (long long)i,
                            (double)noise[i]);
    memcpy(m->noise, noise, (size_t)chi_pixels(m->size) * sizeof *noise);
    settle(m, info);
    return CH_OK;
}

/* The mean over the square around each pixel, the part of it in the frame. */
static void smooth(float *out, const float *in, chi_size size, int64_t radius) {
    for (int64_t y = 0; y < size.height; y++)
        for (int64_t x = 0; x < size.width; x++) {
            double sum = 0;
            int64_t count = 0;
            for (int64_t v = y - radius; v <= y + radius; v++)
                for (int64_t u = x - radius; u <= x + radius; u++)
                    if (v >= 0 && v < size.height && u >= 0 && u < size.width) {
                        sum += in[v * size.width + u];
                        count++;
                    }
            out[y * size.width + x] = (float)(sum / (double)count);
        }
}

static void clean(const ch_masker *m, work *w, uint8_t *mask) {
    const ch_mask_settings *set = &m->set;
    int64_t pixels = chi_pixels(m->size);
    for (int64_t i = 0; m->region && i < pixels; i++)
        if (!m->region[i]) mask[i] = 0;
    if (set->median > 0) {
        chi_mask_median(w->mask, mask, w->counts, m->size, set->median);
        memcpy(mask, w->mask, (size_t)pixels);
    }
    chi_mask_drop_small(mask, &w->parts, m->size, (int64_t)(set->least * 1e-3 * (double)pixels));
    chi_mask_fill_holes(mask, &w->parts, m->size, (int64_t)(set->holes * 1e-3 * (double)pixels));
}

static void apply_frame(void *user, int64_t frame, int thread) {
    ch_masker *m = user;
    work *w = &m->works[thread];
    int64_t pixels = chi_pixels(m->size);
    residual_of(m, w->residual, frame);
    smooth(w->score, w->residual, m->size, m->set.smooth);
    if (m->scores)
        memcpy(m->scores + frame * pixels,
               m->set.score == CH_MASK_SCORE_RESIDUAL ? w->residual : w->score,
               (size_t)pixels * sizeof(float));
    if (!m->masks) return;
    uint8_t *mask = m->masks + frame * pixels;
    chi_mask_threshold(mask, &w->parts, w->score, m->size, m->set.low * m->threshold, m->threshold);
    clean(m, w, mask);
}

ch_status ch_masker_apply(ch_masker *m, uint8_t *masks, float *scores, const ch_mask_plane *planes,
                          int64_t count) {
    if (!m->settled)
        return chi_fail(m->context, CH_ERR_ARGUMENT, "masks are made after a threshold is settled");
    m->in = planes;
    m->masks = masks;
    m->scores = scores;
    chi_parallel(m->context, count, apply_frame, m);
    return CH_OK;
}
