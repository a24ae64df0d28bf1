/* The noise of a clip and of its pixels, and the threshold. d is the log ratio of mask_score.c.
 *
 *     typical noise      median of |d| / 0.6745 over pixels and frames: the standard deviation if
 *                        noise is normal, whatever less than half of the pixels show
 *     noise of a pixel   the typical noise, times f / 3 if f > 3, where f is the median of
 *                        |d_t - d_(t-1)| of this pixel divided by that of all pixels
 *
 * Changes from frame to frame are used because a pixel where people stand is as far from the
 * background as a pixel in a waving plant, but only the plant changes all the time. Every 2^k-th
 * frame is remembered, so that at most CHI_MASK_SAMPLES are held, whatever the length of the clip.
 * O(pixels) per remembered frame.
 *
 * The typical noise is wrong if objects cover the background most of the time, or if the background
 * is wrong. The noise of the camera does not depend on the background:
 *
 *     camera noise   lower quartile of |e| / (2 x 0.3186),  e = l_t - l_(t-1) of a pixel minus that
 *                    of the pixel to its right, l = log(pixel + c), over pixels, planes and frames
 *
 * A change of the light cancels in the difference of two neighbours, and up to three quarters of
 * the values may belong to moving objects. The camera noise is used as the typical noise if the
 * threshold would otherwise be above most_threshold(). */
#include "base/sized.h"
#include "video/mask/masker.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { CHANGE_LEVELS = 256 };
/* Levels per unit of a log ratio, in remembered changes. */
static const double CHANGE_STEPS = 1000;
static const double LEAST_NOISE = 0.5;        /* gray levels: rounding to bytes alone gives 0.3 */
static const double NORMAL_QUARTILE = 0.3186; /* lower quartile of |z|, z standard normal       */
/* If pixels typically change by more than this many times the noise, most of the scene moves: if
 * the changes are normal, 5 % of the pixels then exceed the threshold of six times the noise. */
static const double MOVING = 3;
/* Share of the picture that is off, in this share of the frames. */
static const double COVERED = 0.5;
enum { FEWEST = 20 }; /* frames needed to separate background from objects */

/* Returns half the distance of white from mid gray, log((255 + c) / (128 + c)), in the unit of
 * scores. With twice as much, no bright object could be foreground in front of mid gray. */
static double most_threshold(void) {
    return 0.5 * CHI_MASK_UNIT * log((255 + CHI_DARK) / (128 + CHI_DARK));
}

/* Drops every second remembered frame. */
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

/* The counts of a frame, one table per thread. They are integers, so the sum does not depend on the
 * order. */
typedef struct counting {
    ch_masker *m;
    int64_t frame;
    const float *ratio;
    uint8_t *changes;
    float logs[256];
} counting;

/* Adds up the counts of all threads and resets them to zero. */
static void gather_counts(ch_masker *m, int64_t *sums) {
    for (int t = 0; t < m->threads; t++)
        for (int level = 0; level < CHI_NOISE_LEVELS; level++) {
            int64_t *count = &m->memory.counts[t * CHI_NOISE_LEVELS + level];
            sums[level] += *count;
            *count = 0;
        }
}

/* Returns whether value i of a plane and the next one are watched. */
static int both_watched(const ch_masker *m, int plane, int64_t i) {
    if (!m->region) return 1;
    return m->region[chi_plane_corner(&m->layout, plane, i)] &&
           m->region[chi_plane_corner(&m->layout, plane, i + 1)];
}

/* Counts |e| of neighbours in a row, for every plane. Pairs in which both pixels are unchanged are
 * skipped: the encoder repeated them, so they do not show the camera noise. */
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

/* Stores the changes since the previous frame, and counts distances from the background. */
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

/* Returns whether the next frame is remembered, or precedes a remembered frame. */
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
        if (taken) chi_mask_shift_learn(m, k);
        if (before) keep_for_next(m, ratio, k);
        if (before) chi_mask_pattern_keep(m, k);
    }
    return CH_OK;
}

void chi_masker_expect(ch_masker *m, int64_t frames, int64_t most) {
    if (most > CHI_MASK_SAMPLES) most = CHI_MASK_SAMPLES;
    while (frames > most * m->memory.spacing) m->memory.spacing *= 2;
}

int chi_masker_skips(ch_masker *m) {
    if (is_taken(&m->memory) || is_before(&m->memory)) return 0;
    m->memory.frames++;
    return 1;
}

/* Every second frame is remembered, together with the frame before it. */
void ch_masker_learn_pairs(ch_masker *m) {
    m->memory.spacing = 2;
}

/* Returns the typical distance of pixels from the background, as noise. */
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

/* Returns the noise to use, given the noise that the pixels show, and sets the warnings. Up to the
 * bound the shown noise is used. From twice the bound on it is not noise, and the camera noise is
 * used. Between the two the noise changes gradually from one to the other: a coded film that is as
 * noisy as the bound hardly changes from frame to frame, so its camera noise says little. */
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

/* Sets noise[i] to the median change of pixel i, in levels. The first frame has no change. */
static void change_block(void *user, int64_t row, int thread) {
    ch_masker *m = user;
    int64_t pixels = chi_pixels(m->size), from = row * m->size.width, to = from + m->size.width;
    (void)thread;
    int64_t samples = m->memory.held - 1;
    for (int64_t i = from; i < to; i++) {
        uint8_t counts[CHANGE_LEVELS] = {0}; /* at most CHI_MASK_SAMPLES each */
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
        snprintf(now.reason, sizeof now.reason,
                 "the threshold is %.3g, as set; the noise is %.3g gray levels", m->threshold,
                 m->typical);
    else
        snprintf(now.reason, sizeof now.reason,
                 "the noise is %.3g gray levels%s, and the threshold is %.3g times the noise: %.3g",
                 m->typical,
                 m->warnings & CH_MASK_WARN_NOISE
                     ? ", estimated from changes between frames and pixels"
                     : "",
                 m->set.noises, m->threshold);
    if (info) chi_result_give(info, &now, sizeof now);
}

/* Returns whether most of the picture is off the background in most of the frames. */
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

/* Returns the largest noise that a still camera can have in this clip. Where noise is alike in
 * neighbouring pixels, as in enlarged or strongly coded films, the camera noise is too small, but
 * the noise that the pixels show is right, unless it is above the bound. */
static double noise_of_still(const ch_masker *m) {
    return fmax(m->camera, fmin(m->typical, most_threshold() / m->set.noises));
}

/* Turns the change of each pixel, in noise[], into its noise. The less the shown noise is trusted,
 * the less it counts: where something covers the background most of the time, changes are not those
 * of the background. Pixels that change no more than half of all pixels do not flicker. */
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
    if (m->camera > 0 && usual > MOVING * noise_of_still(m)) m->warnings |= CH_MASK_WARN_MOVING;
}

ch_status ch_masker_settle(ch_masker *m, ch_mask_info *info) {
    if (info) TRY(chi_sized_check(m->context, info, "ch_mask_info"));
    if (m->memory.held == 0)
        return chi_fail(m->context, CH_ERR_ARGUMENT,
                        "the threshold can be set only after at least one frame was added");
    m->warnings = m->memory.frames < FEWEST ? CH_MASK_WARN_SHORT : 0;
    m->camera = m->memory.held > 1 ? camera_noise(&m->memory) : 0;
    m->typical = trusted_noise(m, model_noise(&m->memory));
    noise_of_pixels(m);
    m->threshold = m->set.threshold > 0 ? m->set.threshold : m->set.noises * m->typical;
    if (covered(m)) m->warnings |= CH_MASK_WARN_COVERED;
    if (chi_mask_pattern_goes(m)) m->warnings |= CH_MASK_WARN_PATTERN;
    if (chi_mask_shift_moves(m)) m->warnings |= CH_MASK_WARN_SHIFT;
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
        return "pixels are typically so far from the background that this cannot be noise; the "
               "noise was estimated from changes between frames and pixels instead; check "
               "background.png";
    case CH_MASK_WARN_BOUND:
        return "the picture is so noisy that the threshold is at its upper bound, so masks may "
               "contain noise";
    case CH_MASK_WARN_COVERED:
        return "in most frames, most of the picture differs much from the background; something "
               "covers the background, or it was learned wrongly";
    case CH_MASK_WARN_MOVING:
        return "most of the picture changes all the time, because the camera or most of the scene "
               "moves; masks work only for a camera that stands still";
    case CH_MASK_WARN_SHORT:
        return "the background was learned from fewer than 20 frames, so objects that stand still "
               "in them may count as background";
    case CH_MASK_WARN_PATTERN:
        return "the background changes in a way that light does not, so an object that covers much "
               "of the picture may be part of the background; try a rank of 1";
    case CH_MASK_WARN_SHIFT:
        return "the camera moves or was moved: in many frames, the scene is shifted by about a "
               "pixel or more, so edges of the scene may be in the masks; stabilise the clip "
               "first";
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
            return chi_fail(m->context, CH_ERR_DATA,
                            "the noise of pixel %lld is %g, but it must be above 0 and below 1e6",
                            (long long)i, (double)noise[i]);
        least = fmin(least, noise[i]);
    }
    memcpy(m->noise, noise, (size_t)chi_pixels(m->size) * sizeof *noise);
    m->typical = least; /* noise of all pixels that do not flicker */
    settle(m, info);
    return CH_OK;
}
