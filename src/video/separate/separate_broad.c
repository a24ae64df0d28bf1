/* Anchor pixels for a background: those whose course many others share.
 *
 * The paper's rule takes the farthest pixel, which in a film is one that moving objects cross: its
 * course says little of the background, and refitting starts far from where it should end. Here an
 * anchor is judged by all pixels. With r_p the residual of pixel p under what was found so far,
 * candidate j takes the share
 *
 *     g_pj = 1 - min_t |r_p - t r_j|_1 / |r_p|_1 - NOISE / frames
 *
 * from pixel p, and the next anchor is the candidate with the largest mean over p of g_pj, cut off
 * at 0 and CAP. Shares, since the size of a residual, which is large where objects pass, must not
 * decide: their sum is to first order the fall of sum_p log |r_p|_1, the likelihood when each pixel
 * has Laplace noise of a scale of its own. NOISE / frames is about what a coefficient fitted to
 * noise takes. The cap, since what explains a few pixels well is an object that stands still, and
 * what explains many pixels a little is light or shadow.
 *
 * The first course is w = 1, so that rank 1 begins as the median of each pixel; the pixel that is
 * nearest to it stands for it. After each anchor W and H are refitted in l1. The automatic rank is
 * reached when no candidate has a mean of a third of the cap, which is to say: helps a third of the
 * picture. All of this on a sample of pixels and frames whose size does not grow with the film:
 * O(CANDIDATES PIXELS FRAMES) for each anchor, in single precision.
 *
 * The best share of a sample is a maximum over few candidates and is off by a tenth to a fifth of
 * itself from one sample to the next. So up to SAMPLES samples without a common pixel choose a rank
 * each, and the middle one of these is taken, with the anchors of the first sample that chose it.
 */
#include "video/separate/separation.h"
#include <conehull/random.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    PIXELS = 512, /* of the sample                                                              */
    FRAMES = 200,
    CANDIDATES = 64, /* pixels of the sample, the first ones; ...                              */
    PER_ANCHOR = 2,  /* ... or so many for each anchor that is asked for                       */
    SAMPLES = 7, /* that choose the automatic rank, at most; odd, so that one is in the middle */
    SAMPLE_REFITS = 2, /* after each anchor; more change little                                 */
    AUTO_LIMIT = 8     /* anchors at most, when their number is chosen here                     */
};
static const double CAP = 0.05, ENOUGH = 1.0 / 3, WIDER = 0.25, NOISE = 2;
static const double ROUNDING = 1e-9; /* of the light of a pixel */

typedef struct search {
    ch_context *context;
    ch_separation *parts;
    const ch_matrix *L;
    chi_fitting how;
    int64_t rank;           /* wanted; 0: automatic                                             */
    int64_t limit, count;   /* most anchors, anchors found                                      */
    int64_t frames, pixels; /* of the sample ...                                                */
    int64_t *frame, *pixel; /* ... and which they are                                           */
    int64_t candidates;
    ch_matrix Y; /* the sample: frames x pixels                                                 */
    double *W, *H;
    double *spare; /* 3 frames: two courses aside, and the second as it was appended         */
    float *R, *size, *before; /* its residuals, and their sums for each pixel */
    chi_residual_share *left_of;
    double *share; /* per candidate: mean share that it takes; -1: it is an anchor, or explained */
    float small, smallest; /* a residual that is nearly none; the same of a whole pixel         */
    float rounding;        /* the residual of a pixel below which nothing is left to explain     */
    chi_arena arena;
} search;

/* ---- the mean share of a candidate --------------------------------------------------------- */

static void judge(void *user, int64_t candidate, int thread) {
    const search *s = user;
    const float *v = s->R + candidate * s->frames;
    double sum = 0;
    (void)thread;
    int usable = s->size[candidate] > s->smallest && s->size[candidate] > s->rounding;
    for (int64_t k = 0; k < s->count; k++) usable &= s->parts->anchors[k] != s->pixel[candidate];
    for (int64_t p = 0; p < s->pixels && usable; p++) {
        if (p == candidate) continue;
        float left = s->left_of(s->R + p * s->frames, v, s->frames, s->small);
        double share = (s->size[p] - left) / (s->size[p] + s->smallest);
        share -= NOISE / (double)s->frames;
        if (share > 0) sum += share < CAP ? share : CAP;
    }
    s->share[candidate] = usable ? sum / (double)s->pixels : -1;
}

/* R = Y - W H, its sums, and the largest of them as it would be over all frames. */
static void take_residuals(search *s) {
    double total = 0, largest = 0, light = 0;
    for (int64_t p = 0; p < s->pixels; p++) {
        float *r = s->R + p * s->frames;
        double size = 0;
        for (int64_t i = 0; i < s->frames; i++) {
            double b = 0;
            for (int64_t k = 0; k < s->count; k++)
                b += s->W[i + k * s->frames] * s->H[k + p * s->count];
            double y = ch_matrix_at(&s->Y, i, p);
            r[i] = (float)(y - b);
            light += y;
            size += fabsf(r[i]);
        }
        s->size[p] = (float)size;
        total += size;
        largest = fmax(largest, size);
    }
    s->small = (float)(total / (double)(s->frames * s->pixels) / 4);
    s->smallest = s->small * (float)s->frames / 10;
    s->rounding = (float)(ROUNDING * light / (double)s->pixels);
    s->parts->max_residual[s->count - 1] = largest * (double)s->L->rows / (double)s->frames;
}

/* ---- growing ------------------------------------------------------------------------------- */

static void even_out(search *s) {
    for (int64_t k = 0; k < s->count; k++) {
        double *w = s->W + k * s->frames, sum = 0;
        for (int64_t i = 0; i < s->frames; i++) sum += w[i];
        for (int64_t i = 0; i < s->frames && sum > 0; i++) w[i] *= (double)s->frames / sum;
    }
}

static ch_status fit_H(search *s) {
    return chi_fit_H(&s->how, s->H, &s->Y, s->W, s->count);
}

static ch_status refit(search *s) {
    ch_status status = fit_H(s);
    for (int round = 0; status == CH_OK && round < SAMPLE_REFITS; round++) {
        status = chi_fit_W(&s->how, s->W, &s->Y, s->H, s->count);
        even_out(s);
        if (status == CH_OK) status = fit_H(s);
    }
    return status;
}

/* The pixel whose course is nearest to that of rank 1, relative to its brightness. */
static int64_t steadiest(const search *s) {
    int64_t best = 0;
    double least = INFINITY;
    for (int64_t p = 0; p < s->pixels; p++)
        if (s->H[p] > 0 && s->size[p] < least * s->H[p]) {
            least = s->size[p] / s->H[p];
            best = p;
        }
    return best;
}

/* The steady course with the candidate's residual on top, as much as leaves no weight negative. */
static void append(search *s, int64_t candidate) {
    const float *r = s->R + candidate * s->frames;
    double *w = s->W + s->count * s->frames;
    float largest = 0; /* as r is: gcc 12 fails on a maximum in double here, for arm64 */
    for (int64_t i = 0; i < s->frames; i++) largest = fmaxf(largest, fabsf(r[i]));
    for (int64_t i = 0; i < s->frames; i++) w[i] = 1 + r[i] / (double)largest;
    s->parts->anchors[s->count++] = s->pixel[candidate];
    even_out(s);
}

/* With two courses, m and m + v, pixels that have less of v than m has are outside the cone, and
 * refits do not always bring them in. {m - v, m + v} holds all h m + t v with |t| <= h. A wider
 * cone takes objects in too, so it is chosen only where that helps a quarter of the picture. */
static ch_status try_both_sides(search *s) {
    double *single = s->spare, *v = s->spare + 2 * s->frames;
    float *before = s->before;
    size_t bytes = (size_t)(2 * s->frames) * sizeof *single;
    take_residuals(s);
    memcpy(before, s->size, (size_t)s->pixels * sizeof *before);
    memcpy(single, s->W, bytes);
    for (int64_t i = 0; i < s->frames; i++) {
        s->W[i] = fmax(2 - v[i], 0);
        s->W[i + s->frames] = v[i];
    }
    even_out(s);
    TRY_OK(refit(s));
    take_residuals(s);
    double fall =
        0; /* in the currency of judge(): a pixel whose residual has grown counts against */
    for (int64_t p = 0; p < s->pixels; p++)
        fall += fmin(fmax((before[p] - s->size[p]) / (before[p] + s->smallest), -CAP), CAP);
    if (fall / (double)s->pixels >= WIDER * CAP) return CH_OK;
    memcpy(s->W, single, bytes);
    return fit_H(s);
}

static void report_rank(const search *s, double share) {
    char *reason = s->parts->reason;
    size_t size = sizeof s->parts->reason;
    if (s->rank > 0 && s->count == s->rank)
        snprintf(reason, size, "rank %lld was asked for", (long long)s->count);
    else if (share < 0)
        snprintf(reason, size,
                 "rank %lld, since all %lld pixels that may be anchors are anchors or explained",
                 (long long)s->count, (long long)s->candidates);
    else if (s->count == AUTO_LIMIT)
        snprintf(reason, size, "rank %d is the most that is chosen automatically", AUTO_LIMIT);
    else
        snprintf(reason, size,
                 "rank %lld, since a further pixel's course would help %.0f %% of the picture, and "
                 "light that changes helps %.0f %% at least",
                 (long long)s->count, 100 * share / CAP, 100 * ENOUGH);
}

/* Anchors until there are enough: as many as were asked for, though the last ones may explain no
 * more than noise would. CH_STOP_COMPLETE: fewer than that explain the sample. */
static ch_status grow(search *s) {
    for (int64_t i = 0; i < s->frames; i++) s->W[i] = 1;
    s->count = 1;
    for (;;) {
        if (s->count == 2)
            memcpy(s->spare + 2 * s->frames, s->W + s->frames, (size_t)s->frames * sizeof *s->W);
        ch_status status = refit(s);
        if (status == CH_OK && s->count == 2) status = try_both_sides(s);
        if (status != CH_OK) return status;
        take_residuals(s);
        if (s->count == 1) s->parts->anchors[0] = s->pixel[steadiest(s)];
        int64_t best = 0, anchor = s->parts->anchors[s->count - 1];
        if (chi_notify(s->context, "select", s->count, s->limit, anchor, s->size[0]))
            return CH_STOP_CANCELLED;
        s->share[0] = 1;
        if (s->count < s->limit) chi_parallel(s->context, s->candidates, judge, s);
        for (int64_t c = 1; c < s->candidates && s->count < s->limit; c++)
            if (s->share[c] > s->share[best]) best = c;
        double share = s->share[best];
        if (s->count == s->limit || share < 0 || (s->rank == 0 && share < ENOUGH * CAP)) {
            report_rank(s, share);
            return s->count < s->rank ? CH_STOP_COMPLETE : CH_OK;
        }
        append(s, best);
    }
}

/* ---- set-up -------------------------------------------------------------------------------- */

/* The k-th of the samples of a seed, which share no pixel. */
static ch_status draw_sample(search *s, int64_t seed, int64_t k) {
    ch_random random;
    int64_t *order = chi_arena_alloc(&s->arena, s->L->cols, sizeof *order);
    TRY(chi_arena_status(&s->arena, "a sample"));
    ch_random_seed(&random, (uint64_t)seed);
    ch_random_shuffle(&random, order, s->L->cols);
    memcpy(s->pixel, order + k * s->pixels, (size_t)s->pixels * sizeof *order);
    for (int64_t i = 0; i < s->frames; i++) s->frame[i] = i * s->L->rows / s->frames;
    return chi_matrix_copy_part(s->context, &s->Y, s->L, s->frame, s->frames, s->pixel, s->pixels);
}

static ch_status allocate(search *s) {
    chi_arena *arena = &s->arena;
    s->frame = chi_arena_alloc(arena, s->frames, sizeof *s->frame);
    s->pixel = chi_arena_alloc(arena, s->pixels, sizeof *s->pixel);
    s->W = chi_arena_doubles(arena, s->frames * s->limit);
    s->H = chi_arena_doubles(arena, s->limit * s->pixels);
    s->spare = chi_arena_doubles(arena, 3 * s->frames);
    s->R = chi_arena_alloc(arena, s->frames * s->pixels, sizeof *s->R);
    s->size = chi_arena_alloc(arena, s->pixels, sizeof *s->size);
    s->before = chi_arena_alloc(arena, s->pixels, sizeof *s->before);
    s->share = chi_arena_doubles(arena, s->candidates);
    TRY(chi_arena_status(arena, "the sample"));
    chi_free(s->context, s->parts->anchors); /* of the sample before */
    chi_free(s->context, s->parts->max_residual);
    s->parts->anchors = chi_alloc(s->context, s->limit, sizeof *s->parts->anchors);
    s->parts->max_residual = chi_alloc(s->context, s->limit, sizeof *s->parts->max_residual);
    if (s->parts->anchors && s->parts->max_residual) return CH_OK;
    return chi_no_memory(s->context, "the sample", 2 * s->limit, sizeof *s->parts->max_residual);
}

/* W of all frames, by the sampled pixels; the caller frees it in any case. */
static ch_status weigh_all_frames(search *s, double **W) {
    ch_matrix part = {0};
    *W = chi_alloc(s->context, s->L->rows * s->count, sizeof **W);
    if (!*W) return chi_no_memory(s->context, "W", s->L->rows * s->count, sizeof **W);
    ch_status status =
        chi_matrix_copy_part(s->context, &part, s->L, NULL, s->L->rows, s->pixel, s->pixels);
    if (status == CH_OK) status = chi_fit_W(&s->how, *W, &part, s->H, s->count);
    ch_matrix_free(s->context, &part);
    return status;
}

static int64_t least(int64_t a, int64_t b) {
    return a < b ? a : b;
}

/* One sample, the k-th: its anchors and, unless W is NULL, the weights of all frames. */
static ch_status search_sample(ch_context *context, ch_separation *parts, double **W,
                               const ch_matrix *L, const ch_separate_settings *settings,
                               int64_t k) {
    search s = {.context = context,
                .parts = parts,
                .L = L,
                .left_of = chi_kernels_of(context)->residual_share};
    s.how = chi_fitting_of(context, parts, settings);
    s.arena.context = context;
    s.rank = settings->rank;
    s.limit = settings->rank > 0 ? settings->rank : AUTO_LIMIT;
    s.frames = least(L->rows, FRAMES);
    s.pixels = least(L->cols, PER_ANCHOR * s.limit < PIXELS ? PIXELS : PER_ANCHOR * s.limit);
    s.candidates =
        least(s.pixels, PER_ANCHOR * s.limit < CANDIDATES ? CANDIDATES : PER_ANCHOR * s.limit);
    ch_status status = allocate(&s);
    if (status == CH_OK) status = draw_sample(&s, settings->seed, k);
    if (status == CH_OK) status = grow(&s);
    if (W && (status == CH_OK || status == CH_STOP_COMPLETE)) {
        ch_status weighed = weigh_all_frames(&s, W);
        if (weighed != CH_OK) status = weighed;
    }
    parts->rank = s.count;
    parts->sampled = s.pixels;
    ch_matrix_free(context, &s.Y);
    chi_arena_free(&s.arena);
    return status;
}

/* The first of an odd number of samples whose rank is the middle one; *agree: how many have it. */
static int64_t middle_of(int64_t *agree, const int64_t *ranks, int64_t samples) {
    for (int64_t k = 0; k < samples; k++) {
        int64_t below = 0, same = 0;
        for (int64_t other = 0; other < samples; other++) {
            below += ranks[other] < ranks[k];
            same += ranks[other] == ranks[k];
        }
        *agree = same;
        if (below <= samples / 2 && below + same > samples / 2) return k;
    }
    return 0;
}

ch_status chi_broad_anchors(ch_context *context, ch_separation *parts, double **W,
                            const ch_matrix *L, const ch_separate_settings *settings) {
    int64_t ranks[SAMPLES], agree, samples = least(L->cols / PIXELS, SAMPLES);
    samples -= samples % 2 == 0;
    if (settings->rank > 0 || samples <= 1) return search_sample(context, parts, W, L, settings, 0);
    for (int64_t k = 0; k < samples; k++) {
        TRY_OK(search_sample(context, parts, NULL, L, settings, k));
        ranks[k] = parts->rank;
    }
    int64_t middle = middle_of(&agree, ranks, samples);
    ch_status status = search_sample(context, parts, W, L, settings, middle);
    if (status != CH_OK) return status; /* cancelled too */
    size_t said = strlen(parts->reason);
    snprintf(parts->reason + said, sizeof parts->reason - said,
             "; %lld of %lld samples of the picture say the same", (long long)agree,
             (long long)samples);
    return CH_OK;
}
