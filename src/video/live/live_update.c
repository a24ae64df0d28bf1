/* H pixel by pixel from one frame, its mask and its weights. With b = w'H and r = x - b:
 *
 *     background   H_k += w_k / |w|^2 clip(a r, -c, c),   a = every / follow
 *     foreground   nothing, until the pixel has shown the same value for `absorb` frames; then H is
 *                  scaled so that w'H is that value
 *
 * The first is a step towards the mean for small r and towards the median for large ones, along the
 * factors that the frame uses: a light that is off is not unlearned. The second scales all factors,
 * since a thing that has come covers the ground in every light. What it covers is kept, and
 * returns when it is seen again for RETURN frames. Cost: O(rank) per pixel and lesson. */
#include "video/live/live_state.h"
#include <math.h>
#include <string.h>

static const float CLIP = 4;  /* gray levels: r beyond it pulls no harder                       */
static const float DARK = 10; /* as in the scores of masks                                      */

enum { CHUNK = 1024 };

typedef struct lesson {
    ch_live *live;
    const uint8_t *x[CH_LIVE_PLANES_MAX];
    float w[CH_LIVE_RANK_MAX], along[CH_LIVE_RANK_MAX]; /* w, w / |w|^2                         */
    float share, alike; /* a, and the ratio up to which two values are the same                 */
    int64_t every;
} lesson;

static int same(float a, float b, float alike) {
    return a + DARK <= alike * (b + DARK) && b + DARK <= alike * (a + DARK);
}

/* One plane, pixels [from, from + count): the other model, and b. */
static void follow(const lesson *l, float *b, int plane, int64_t from, int64_t count) {
    const ch_live *live = l->live;
    int64_t at = plane * live->capacity * live->pixels + from;
    float spare[CHUNK];
    chi_live_stretch part = {
        .H = live->model.values + at,
        .stride = live->pixels,
        .rank = live->model.rank,
        .count = count,
        .w = l->w,
    };
    chi_live_step step = {
        .made = live->worker.made.values + at,
        .x = l->x[plane] + from,
        .mask = live->worker.mask + from,
        .along = l->along,
        .share = l->share,
        .most = CLIP,
        .spare = spare,
    };
    live->loops->follow(b, &part, &step);
}

/* The background of pixel i becomes `value` of every plane, and what it was the former one. */
static void absorb(const lesson *l, const uint8_t *value, const float *const *b, int64_t i) {
    ch_live *live = l->live;
    chi_live_pending *pending = &live->pending;
    int64_t pixels = live->pixels;
    for (int p = 0; p < live->planes; p++) {
        float *made = live->worker.made.values + p * live->capacity * pixels + i;
        float before = b[p][i % CHUNK], after = value[p * pixels];
        for (int64_t k = 0; k < live->model.rank; k++)
            made[k * pixels] = before > 1
                                   ? made[k * pixels] * (after / before)
                                   : fmaxf(0, made[k * pixels] + l->along[k] * (after - before));
        pending->former[p * pixels + i] = (uint8_t)(fminf(before, 255) + 0.5f);
    }
    pending->known[i] = 1;
    pending->back[i] = 0;
    pending->age[i] = 0;
    live->worker.absorbed++;
}

/* Whether the pixel shows these values in all planes. */
static int shows(const lesson *l, const uint8_t *value, int64_t i) {
    const ch_live *live = l->live;
    for (int p = 0; p < live->planes; p++)
        if (!same(l->x[p][i], value[p * live->pixels], l->alike)) return 0;
    return 1;
}

/* One more look at a foreground pixel. */
static void consider(const lesson *l, const float *const *b, int64_t i) {
    ch_live *live = l->live;
    chi_live_pending *pending = &live->pending;
    uint8_t *value = pending->value + i, *former = pending->former + i;
    int64_t age = pending->age[i], most = live->set.absorb;
    if (shows(l, value, i)) {
        age += l->every;
        for (int p = 0; p < live->planes; p++) {
            uint8_t *v = value + p * live->pixels, x = l->x[p][i];
            *v = (uint8_t)(*v + (x > *v) - (x < *v));
        }
    } else if (age > 0) {
        age = age > l->every ? age - l->every : 0;
    } else {
        for (int p = 0; p < live->planes; p++) value[p * live->pixels] = l->x[p][i];
    }
    pending->age[i] = (uint16_t)(age < UINT16_MAX ? age : UINT16_MAX);
    int back = pending->known[i] && shows(l, former, i) ? pending->back[i] + (int)l->every : 0;
    pending->back[i] = (uint8_t)(back < UINT8_MAX ? back : UINT8_MAX);
    if (back >= CHI_LIVE_RETURN)
        absorb(l, former, b, i);
    else if (most > 0 && age >= most)
        absorb(l, value, b, i);
}

/* A place that is empty again forgets half as fast as it remembered. */
static void fade(chi_live_pending *pending, int64_t every, int64_t i) {
    int64_t age = pending->age[i];
    pending->age[i] = (uint16_t)(age > every ? age - every : 0);
    pending->back[i] = 0;
}

/* Eight pixels of a place where nothing is and nothing was: most of them. */
static int nothing_at(const ch_live *live, int64_t i) {
    uint64_t mask, back, age[2];
    memcpy(&mask, live->worker.mask + i, sizeof mask);
    memcpy(&back, live->pending.back + i, sizeof back);
    memcpy(age, live->pending.age + i, sizeof age);
    return !(mask | back | age[0] | age[1]);
}

static void learn_chunk(const lesson *l, int64_t from, int64_t count) {
    ch_live *live = l->live;
    float b[CH_LIVE_PLANES_MAX][CHUNK];
    const float *rows[CH_LIVE_PLANES_MAX];
    for (int p = 0; p < live->planes; p++) {
        follow(l, b[p], p, from, count);
        rows[p] = b[p];
    }
    for (int64_t i = from; i < from + count; i++) {
        while (i + 8 <= from + count && nothing_at(live, i)) i += 8;
        if (i == from + count) break;
        if (live->worker.mask[i])
            consider(l, rows, i);
        else if (live->pending.age[i] || live->pending.back[i])
            fade(&live->pending, l->every, i);
    }
}

void chi_live_learn(ch_live *live) {
    lesson l = {.live = live, .every = live->set.every};
    double square = 0;
    live->worker.absorbed = 0;
    live->worker.made.rank = live->model.rank;
    for (int64_t k = 0; k < live->model.rank; k++) square += live->worker.w[k] * live->worker.w[k];
    for (int64_t k = 0; k < live->model.rank && square > 0; k++) {
        l.w[k] = (float)live->worker.w[k];
        l.along[k] = (float)(live->worker.w[k] / square);
    }
    l.share = (float)fmin((double)l.every / (double)live->set.follow, 1);
    l.alike = (float)exp(live->info.mask.threshold / 2 / 128);
    for (int p = 0; p < live->planes; p++) l.x[p] = chi_live_frame(live, live->worker.slot, p);
    for (int64_t from = 0; from < live->pixels; from += CHUNK)
        learn_chunk(&l, from, live->pixels - from < CHUNK ? live->pixels - from : CHUNK);
}

void chi_live_forget_pending(ch_live *live) {
    chi_live_pending *pending = &live->pending;
    size_t pixels = (size_t)live->pixels;
    memset(pending->age, 0, pixels * sizeof *pending->age);
    memset(pending->value, 0, pixels * (size_t)live->planes);
    memset(pending->former, 0, pixels * (size_t)live->planes);
    memset(pending->back, 0, pixels);
    memset(pending->known, 0, pixels);
}
