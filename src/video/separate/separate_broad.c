/* Selects anchor pixels for a background: those whose time series many other pixels share.
 *
 * The paper's rule selects the farthest pixel. In a film this is one that moving objects cross, so
 * its time series says little about the background, and refitting starts far from its end. Here an
 * anchor is judged by all pixels. Let r_p be the residual of pixel p under the anchors so far.
 * Candidate j explains the share
 *
 *     g_pj = 1 - min_t |r_p - t r_j|_1 / |r_p|_1 - NOISE / frames
 *
 * of pixel p. The next anchor is the candidate with the largest mean over p of g_pj, clipped to [0,
 * CAP].
 *
 *   - Shares are used because residuals are large where objects pass, and their size must not
 *     decide. To first order the sum of shares is the decrease of sum_p log |r_p|_1, the
 * log-likelihood if
 *     each pixel has Laplace noise with its own scale.
 *   - NOISE / frames is about the share that a coefficient fitted to noise explains.
 *   - The cap is used because an object that stands still explains a few pixels well, while light
 *     or shadow explains many pixels a little.
 *
 * The first series is w = 1, so that rank 1 starts as the median of each pixel; the pixel nearest
 * to it is its anchor. After each anchor W and H are refitted in l1. The automatic rank is reached
 * when no candidate has a mean of a third of the cap, i.e. helps a third of the picture. All of
 * this uses a sample of pixels and frames whose size does not grow with the film: O(CANDIDATES
 * PIXELS FRAMES) for each anchor, in single precision.
 *
 * The best share of a sample is a maximum over few candidates; it varies by a tenth to a fifth
 * between samples. So up to SAMPLES samples without common pixels choose a rank each. The median
 * rank is used, with the anchors of the first sample that chose it. */
#include "video/separate/separation.h"
#include <conehull/random.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    PIXELS = 512, /* pixels of the sample */
    FRAMES = 200,
    CANDIDATES = 64,   /* the first pixels of the sample, or ...                                */
    PER_ANCHOR = 2,    /* ... this many for each requested anchor, if that is more              */
    SAMPLES = 7,       /* maximum number of samples for the automatic rank; odd, for the median */
    SAMPLE_REFITS = 2, /* refits after each anchor; more change little                          */
    AUTO_LIMIT = 8     /* maximum automatic rank                                                */
};
static const double CAP = 0.05, ENOUGH = 1.0 / 3, WIDER = 0.25, NOISE = 2;
static const double ROUNDING = 1e-9; /* relative to the light of a pixel */

typedef struct search {
    ch_context *context;
    ch_separation *parts;
    const ch_matrix *L;
    chi_fitting how;
    int64_t rank;           /* requested rank; 0 if automatic           */
    int64_t limit, count;   /* maximum number of anchors; anchors found */
    int64_t frames, pixels; /* size of the sample                       */
    int64_t *frame, *pixel; /* frames and pixels of the sample          */
    int64_t candidates;
    ch_matrix Y; /* the sample: frames x pixels */
    double *W, *H;
    double *spare; /* 3 frames: two saved series, and the second one as it was appended */
    /* Residuals of the sample; their l1 norms for each pixel, now and before. */
    float *R, *size, *before;
    chi_residual_share *left_of;
    /* Per candidate: mean share that it explains; -1 for anchors and explained pixels. */
    double *share;
    float small, smallest; /* a negligible residual of an entry; of a whole pixel        */
    float rounding;        /* residual of a pixel below which nothing is left to explain */
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

/* Computes R = Y - W H, its l1 norms, and their maximum scaled to all frames. */
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

/* Returns the pixel whose series is nearest to that of rank 1, relative to its brightness. */
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

/* Appends the constant series plus the candidate's residual, scaled so that no weight is
 * negative. */
static void append(search *s, int64_t candidate) {
    const float *r = s->R + candidate * s->frames;
    double *w = s->W + s->count * s->frames;
    float largest = 0; /* a float like r: gcc 12 fails on a maximum in double here, for arm64 */
    for (int64_t i = 0; i < s->frames; i++) largest = fmaxf(largest, fabsf(r[i]));
    for (int64_t i = 0; i < s->frames; i++) w[i] = 1 + r[i] / (double)largest;
    s->parts->anchors[s->count++] = s->pixel[candidate];
    even_out(s);
}

/* With two series, m and m + v, pixels that have less of v than m are outside the cone, and refits
 * do not always bring them in. The cone {m - v, m + v} holds all h m + t v with |t| <= h. A wider
 * cone also admits objects, so it is used only if it helps a quarter of the picture. */
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
        /* Measured like judge() does; a pixel whose residual has grown counts against. */
        0;
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
        snprintf(reason, size, "rank %lld was requested", (long long)s->count);
    else if (share < 0)
        snprintf(reason, size,
                 "rank %lld was chosen, because all %lld candidate pixels are anchors or are "
                 "explained by anchors",
                 (long long)s->count, (long long)s->candidates);
    else if (s->count == AUTO_LIMIT)
        snprintf(reason, size, "rank %d was chosen, the largest rank that is chosen automatically",
                 AUTO_LIMIT);
    else
        snprintf(reason, size,
                 "rank %lld was chosen, because one more factor would improve only %.0f %% of the "
                 "picture; a factor for a change of light improves at least %.0f %%",
                 (long long)s->count, 100 * share / CAP, 100 * ENOUGH);
}

/* Adds anchors until there are enough: as many as requested, even if the last ones explain no more
 * than noise would. Returns CH_STOP_COMPLETE if fewer explain the whole sample. */
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

/* Draws sample number k of a seed. The samples of a seed share no pixel. */
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
    chi_free(s->context, s->parts->anchors); /* of the previous sample */
    chi_free(s->context, s->parts->max_residual);
    s->parts->anchors = chi_alloc(s->context, s->limit, sizeof *s->parts->anchors);
    s->parts->max_residual = chi_alloc(s->context, s->limit, sizeof *s->parts->max_residual);
    if (s->parts->anchors && s->parts->max_residual) return CH_OK;
    return chi_no_memory(s->context, "the sample", 2 * s->limit, sizeof *s->parts->max_residual);
}

/* Computes W of all frames from the sampled pixels. The caller frees it in any case. */
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

/* Searches sample number k: its anchors and, unless W is NULL, the weights of all frames. */
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

/* Returns the first of an odd number of samples whose rank is the median; *agree is how many have
 * that rank. */
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
    if (status != CH_OK) return status; /* also if cancelled */
    size_t said = strlen(parts->reason);
    snprintf(parts->reason + said, sizeof parts->reason - said,
             "; %lld of %lld samples of the pixels give the same rank", (long long)agree,
             (long long)samples);
    return CH_OK;
}
