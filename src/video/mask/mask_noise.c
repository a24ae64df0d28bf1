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
 *
 * That noise is no noise where things cover the background for most of the time, or the background
 * is wrong. The noise of the camera does not depend on the background:
 *
 *     camera noise   lower quartile of |e| / (2 x 0.3186),  e = l_t - l_(t-1) here less that of
 *                    the pixel to the right, l = log(pixel + c), over pixels, planes and frames
 *
 * since light that changes everywhere drops out of the difference of two neighbours, and up to
 * three quarters of the values may be of moving things. It is
 * the typical noise where the threshold would else be above MOST_THRESHOLD. */
#include "base/sized.h"
#include "video/mask/masker.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { CHANGE_LEVELS = 256 };
static const double CHANGE_STEPS = 1000;      /* per unit of a log ratio, in what is remembered */
static const double LEAST_NOISE = 0.5;        /* gray levels: rounding to bytes alone is 0.3    */
static const double NORMAL_QUARTILE = 0.3186; /* of |z|, z standard normal                  */
static const double MOVING = 3; /* times the camera's noise that pixels of a still picture change */
static const double COVERED = 0.5; /* of the picture, in so many of the frames                   */
enum { FEWEST = 20 };              /* frames needed to separate background from objects          */

/* Half of what white is above mid gray, log((255 + c) / (128 + c)) in the unit of scores. With
 * twice as much nothing that is bright could be foreground before mid gray. */
static double most_threshold(void) {
    return 0.5 * CHI_MASK_UNIT * log((255 + CHI_DARK) / (128 + CHI_DARK));
}

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

/* What threads count of a frame, each for itself: sums of whole numbers, the same in any order. */
typedef struct counting {
    ch_masker *m;
    int64_t frame;
    const float *ratio;
    uint8_t *changes;
    float logs[256];
} counting;

/* Adds up the counts of all threads, which are zero again afterwards. */
static void gather_counts(ch_masker *m, int64_t *sums) {
    for (int t = 0; t < m->threads; t++)
        for (int level = 0; level < CHI_NOISE_LEVELS; level++) {
            int64_t *count = &m->memory.counts[t * CHI_NOISE_LEVELS + level];
            sums[level] += *count;
            *count = 0;
        }
}

/* Whether pixel x of a row of a plane and the next one are watched. */
static int both_watched(const ch_masker *m, int plane, int64_t i) {
    if (!m->region) return 1;
    return m->region[chi_plane_corner(&m->layout, plane, i)] &&
           m->region[chi_plane_corner(&m->layout, plane, i + 1)];
}

/* |e| of neighbours in a row, of every plane. Where both pixels are as they were, to the bit,
 * nothing is counted: the encoder has repeated them, and the camera's noise is not there. */
static void count_steps(void *user, int64_t row, int thread) {
    const counting *c = user;
    const ch_masker *m = c->m;
    const float *logs = c->logs;
    int64_t *counts = m->memory.counts + (int64_t)thread * CHI_NOISE_LEVELS;
    for (int p = 0; p < m->planes; p++) {
        int64_t width = chi_plane_width(&m->layout, p), from = row * width;
        const uint8_t *x = m->in[p].pixels + c->frame * m->in[p].stride;
        const uint8_t *before = m->memory.pixels + chi_plane_offset(&m->layout, p);
        if (from >= chi_plane_pixels(&m->layout, p)) continue;
        for (int64_t i = from; i + 1 < from + width; i++) {
            if (x[i] == before[i] && x[i + 1] == before[i + 1]) continue;
            if (!both_watched(m, p, i)) continue;
            float e = (logs[x[i]] - logs[before[i]]) - (logs[x[i + 1]] - logs[before[i + 1]]);
            counts[chi_noise_level(fabsf(e))]++;
        }
    }
}

/* Changes since the frame before, and distances from the background. */
static void remember_row(void *user, int64_t row, int thread) {
    const counting *c = user;
    const ch_masker *m = c->m;
    int64_t *counts = m->memory.counts + (int64_t)thread * CHI_NOISE_LEVELS;
    int first = m->memory.frames == 0;
    for (int64_t i = row * m->size.width; i < (row + 1) * m->size.width; i++) {
        float change = first ? 0 : fabsf(c->ratio[i] - m->memory.before[i]);
        c->changes[i] = (uint8_t)chi_level_of(change, CHANGE_STEPS, CHANGE_LEVELS);
        if (m->region && !m->region[i]) continue;
        counts[chi_noise_level(fabsf(c->ratio[i]))]++;
    }
}

static void remember(ch_masker *m, const float *ratio, int64_t frame) {
    chi_mask_memory *memory = &m->memory;
    int64_t sums[CHI_NOISE_LEVELS] = {0}, at = memory->held++;
    counting c = {.m = m, .frame = frame, .ratio = ratio};
    c.changes = memory->changes + at * chi_pixels(m->size);
    for (int v = 0; v < 256; v++) c.logs[v] = (float)log(v + CHI_DARK);
    if (memory->frames > 0) chi_parallel(m->context, m->size.height, count_steps, &c);
    gather_counts(m, memory->steps);
    chi_parallel(m->context, m->size.height, remember_row, &c);
    gather_counts(m, sums);
    for (int level = 0; level < CHI_NOISE_LEVELS; level++)
        memory->distances[at * CHI_NOISE_LEVELS + level] = (int32_t)sums[level];
}

static void keep_for_next(ch_masker *m, const float *ratio, int64_t frame) {
    memcpy(m->memory.before, ratio, (size_t)chi_pixels(m->size) * sizeof *ratio);
    for (int p = 0; p < m->planes; p++)
        memcpy(m->memory.pixels + chi_plane_offset(&m->layout, p),
               m->in[p].pixels + frame * m->in[p].stride, (size_t)chi_plane_pixels(&m->layout, p));
}

/* Whether the next frame is remembered, or is the one before such a frame. */
static int is_taken(const chi_mask_memory *memory) {
    return memory->frames % memory->spacing == 0;
}
static int is_before(const chi_mask_memory *memory) {
    return (memory->frames + 1) % memory->spacing == 0;
}

ch_status ch_masker_learn(ch_masker *m, const ch_mask_plane *planes, int64_t count) {
    chi_mask_memory *memory = &m->memory;
    m->in = planes;
    for (int64_t k = 0; k < count; k++, memory->frames++) {
        if (memory->held == CHI_MASK_SAMPLES) thin_out(memory, chi_pixels(m->size));
        int taken = is_taken(memory), before = is_before(memory);
        float *ratio = m->works[0].ratio;
        if (taken || before) chi_mask_ratio_frame(m, ratio, k);
        if (taken) remember(m, ratio, k);
        if (taken) chi_mask_pattern_learn(m, k);
        if (before) keep_for_next(m, ratio, k);
    }
    return CH_OK;
}

void chi_masker_expect(ch_masker *m, int64_t frames) {
    while (frames > CHI_MASK_SAMPLES * m->memory.spacing) m->memory.spacing *= 2;
}

int chi_masker_skips(ch_masker *m) {
    if (is_taken(&m->memory) || is_before(&m->memory)) return 0;
    m->memory.frames++;
    return 1;
}

/* Every second frame is remembered, with the one before it. */
void ch_masker_learn_pairs(ch_masker *m) {
    m->memory.spacing = 2;
}

/* How far pixels typically are from the background, and the noise of the camera. */
static double model_noise(const chi_mask_memory *memory) {
    int64_t counts[CHI_NOISE_LEVELS] = {0};
    for (int64_t k = 0; k < memory->held; k++)
        for (int level = 0; level < CHI_NOISE_LEVELS; level++)
            counts[level] += memory->distances[k * CHI_NOISE_LEVELS + level];
    return fmax(chi_noise_of(counts) * CHI_MASK_UNIT, LEAST_NOISE);
}

static double camera_noise(const chi_mask_memory *memory) {
    int level = chi_level_below(memory->steps, CHI_NOISE_LEVELS, 0.25);
    return fmax(level / CHI_NOISE_STEPS / (2 * NORMAL_QUARTILE) * CHI_MASK_UNIT, LEAST_NOISE);
}

/* The noise in use, for what pixels show; sets what there is to say about it. Up to the bound it is
 * what they show; from twice the bound on that is no noise, and the camera's is used; between the
 * two the one becomes the other by and by: a coded film that is as noisy as the bound hardly
 * changes from frame to frame, so its camera noise says little. */
static double trusted_noise(ch_masker *m, double shown) {
    double most = most_threshold() / m->set.noises, share = fmin(shown / most - 1, 1);
    m->warnings &= ~(CH_MASK_WARN_NOISE | CH_MASK_WARN_BOUND);
    m->distrust = m->set.threshold > 0 ? 0 : fmax(share, 0);
    if (m->distrust == 0) return shown;
    double camera = m->camera > 0 ? fmin(m->camera, most) : most;
    if (share > 0.5) m->warnings |= CH_MASK_WARN_NOISE;
    if (share <= 0.5 || camera == most) m->warnings |= CH_MASK_WARN_BOUND;
    return share * camera + (1 - share) * most;
}

/* noise[i] becomes the median change of pixel i, in levels; the first frame has no change. */
static void change_block(void *user, int64_t row, int thread) {
    ch_masker *m = user;
    int64_t pixels = chi_pixels(m->size), from = row * m->size.width, to = from + m->size.width;
    (void)thread;
    int64_t samples = m->memory.held - 1;
    for (int64_t i = from; i < to; i++) {
        uint8_t counts[CHANGE_LEVELS] = {0}; /* there are no more than SAMPLES */
        int level = 0, below = 0;
        for (int64_t k = 1; k <= samples; k++) counts[m->memory.changes[k * pixels + i]]++;
        while (level < CHANGE_LEVELS && 2 * (below += counts[level]) < samples) level++;
        m->noise[i] = (float)level;
    }
}

static void settle(ch_masker *m, ch_mask_info *info) {
    double set = m->set.threshold;
    float typical = (float)m->typical;
    m->threshold = set > 0 ? set : m->set.noises * m->typical;
    for (int64_t y = 0; y < m->size.height; y++) {
        m->even[y] = 1;
        for (int64_t i = y * m->size.width; i < (y + 1) * m->size.width; i++) {
            m->calm[i] = m->noise[i] > typical ? typical / m->noise[i] : 1;
            m->even[y] &= m->calm[i] == 1;
        }
    }
    for (int64_t i = 0; i < m->size.width * (2 * m->set.smooth + 1); i++) m->ones[i] = 1;
    chi_mask_tiles_settle(m);
    ch_mask_info now = {.size = sizeof now,
                        .noise = m->typical,
                        .threshold = m->threshold,
                        .camera_noise = m->camera,
                        .warnings = m->warnings};
    if (set > 0)
        snprintf(now.reason, sizeof now.reason, "threshold %.3g as set; noise %.3g gray levels",
                 m->threshold, m->typical);
    else
        snprintf(now.reason, sizeof now.reason, "noise %.3g gray levels%s, threshold %.3g x = %.3g",
                 m->typical,
                 m->warnings & CH_MASK_WARN_NOISE ? ", from changes between frames and pixels" : "",
                 m->set.noises, m->threshold);
    if (info) chi_result_give(info, &now, sizeof now);
}

/* Non-zero: in most of the frames most of the picture is off the background. */
static int covered(const ch_masker *m) {
    const chi_mask_memory *memory = &m->memory;
    int from = chi_noise_level(m->threshold / CHI_MASK_UNIT), off_frames = 0;
    for (int64_t k = 0; k < memory->held; k++) {
        const int32_t *counts = memory->distances + k * CHI_NOISE_LEVELS;
        int64_t off = 0, all = 0;
        for (int level = 0; level < CHI_NOISE_LEVELS; level++) {
            all += counts[level];
            off += level >= from ? counts[level] : 0;
        }
        off_frames += (double)off > COVERED * (double)all;
    }
    return off_frames > COVERED * (double)memory->held;
}

/* noise[]: how much each pixel changes becomes how noisy it is, as far as what pixels show is
 * trusted: where something covers the background most of the time, its changes are not those of the
 * background. What changes no more than half of all pixels do does not flicker. */
static void noise_of_pixels(ch_masker *m) {
    int64_t counts[CHANGE_LEVELS] = {0}, pixels = chi_pixels(m->size);
    double unit = CHI_MASK_UNIT / CHANGE_STEPS / CHI_NORMAL_MEDIAN / sqrt(2);
    chi_parallel(m->context, m->size.height, change_block, m);
    for (int64_t i = 0; i < pixels; i++)
        if (!m->region || m->region[i]) counts[(int)m->noise[i]]++;
    double usual = chi_median_level(counts, CHANGE_LEVELS) * unit;
    for (int64_t i = 0; i < pixels; i++) {
        double more = fmax(m->noise[i] * unit - m->typical, 0);
        m->noise[i] = (float)(m->typical + (1 - m->distrust) * more);
    }
    if (m->camera > 0 && usual > MOVING * m->camera) m->warnings |= CH_MASK_WARN_MOVING;
}

ch_status ch_masker_settle(ch_masker *m, ch_mask_info *info) {
    if (info) TRY(chi_sized_check(m->context, info, "ch_mask_info"));
    if (m->memory.held == 0)
        return chi_fail(m->context, CH_ERR_ARGUMENT,
                        "a threshold is settled after frames are seen");
    m->warnings = m->memory.frames < FEWEST ? CH_MASK_WARN_SHORT : 0;
    m->camera = m->memory.held > 1 ? camera_noise(&m->memory) : 0;
    m->typical = trusted_noise(m, model_noise(&m->memory));
    noise_of_pixels(m);
    m->threshold = m->set.threshold > 0 ? m->set.threshold : m->set.noises * m->typical;
    if (covered(m)) m->warnings |= CH_MASK_WARN_COVERED;
    if (chi_mask_pattern_goes(m)) m->warnings |= CH_MASK_WARN_PATTERN;
    settle(m, info);
    return CH_OK;
}

void chi_masker_retune(ch_masker *m, ch_mask_info *info, double typical) {
    m->typical = fmax(trusted_noise(m, typical), LEAST_NOISE);
    settle(m, info);
}

const char *ch_mask_warning(int warning) {
    switch (warning) {
    case CH_MASK_WARN_NOISE:
        return "pixels are typically so far from the background that this cannot be noise: the "
               "noise was taken from changes between frames and pixels; look at background.png";
    case CH_MASK_WARN_BOUND:
        return "the picture is so noisy that the threshold is at its upper bound: masks may hold "
               "noise";
    case CH_MASK_WARN_COVERED:
        return "in most frames most of the picture is far from the background: something covers "
               "it, or the background is wrong";
    case CH_MASK_WARN_MOVING:
        return "most of the picture changes all the time: the camera moves, or what is in front of "
               "it does; masks are for a camera that stands still";
    case CH_MASK_WARN_SHORT:
        return "fewer than 20 frames were learned from: what stands still in them is taken for "
               "background";
    case CH_MASK_WARN_PATTERN:
        return "what the background takes for light does not keep the pattern of the ground: "
               "something that covers much of the picture may be part of it; try a rank of 1";
    default:
        return NULL;
    }
}

void chi_masker_settle_even(ch_masker *m, ch_mask_info *info, double noise) {
    m->camera = 0;
    m->warnings = 0;
    m->typical = fmax(trusted_noise(m, noise), LEAST_NOISE);
    for (int64_t i = 0; i < chi_pixels(m->size); i++) m->noise[i] = (float)m->typical;
    settle(m, info);
}

void chi_masker_give(const ch_masker *m, chi_mask_noise *to) {
    memcpy(to->pixels, m->noise, (size_t)chi_pixels(m->size) * sizeof *m->noise);
    to->typical = m->typical;
    to->camera = m->camera;
    to->warnings = m->warnings;
}

void chi_masker_take(ch_masker *m, ch_mask_info *info, const chi_mask_noise *from) {
    memcpy(m->noise, from->pixels, (size_t)chi_pixels(m->size) * sizeof *m->noise);
    m->typical = from->typical;
    m->camera = from->camera;
    m->warnings = from->warnings;
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
