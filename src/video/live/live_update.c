/* H pixel by pixel from one frame, its mask and its weights. With b = w'H and r = x - b:
 *
 *     background   H_k += w_k / |w|^2 clip(a r, -c, c),   a = every / follow
 *     foreground   nothing, until the pixel has shown the same value for `absorb` frames; then H is
 *                  scaled so that w'H is that value
 *
 * The first is a step towards the mean for small r and towards the median for large ones, along the
 * factors that the frame uses: a light that is off is not unlearned. The second scales all factors,
 * since a thing that has come covers the ground in every light. What it covers is kept, and
 * returns when it is seen again for RETURN frames. Cost: O(rank) per pixel. */
#include "video/live/live_state.h"
#include <math.h>
#include <string.h>

static const float CLIP = 4;  /* gray levels: r beyond it pulls no harder                       */
static const float DARK = 10; /* as in the scores of masks                                      */

enum { CHUNK = 1024 };

typedef struct update {
    ch_live *live;
    const uint8_t *x[CH_LIVE_PLANES_MAX];
    float w[CH_LIVE_RANK_MAX], along[CH_LIVE_RANK_MAX]; /* w, w / |w|^2                         */
    float share, alike; /* a, and the ratio up to which two values are the same                 */
    int64_t every;
} update;

static int same(float a, float b, float alike) {
    return a + DARK <= alike * (b + DARK) && b + DARK <= alike * (a + DARK);
}

/* One plane, pixels [from, from + count): the other model, and b. */
static void follow(const update *u, float *b, int plane, int64_t from, int64_t count) {
    const ch_live *live = u->live;
    float spare[CHUNK];
    chi_live_stretch part = chi_live_stretch_of(live, plane, from, count, u->w);
    chi_live_step step = {
        .made = chi_live_factor(live, &live->worker.made, plane, 0) + from,
        .x = u->x[plane] + from,
        .mask = live->worker.mask + from,
        .along = u->along,
        .share = u->share,
        .most = CLIP,
        .spare = spare,
    };
    live->loops->follow(b, &part, &step);
}

/* The background of pixel i becomes `value` of every plane, and what it was the former one. */
static void absorb(const update *u, const uint8_t *value, const float *const *b, int64_t i) {
    ch_live *live = u->live;
    chi_live_pending *pending = &live->pending;
    int64_t pixels = live->pixels;
    for (int p = 0; p < live->planes; p++) {
        float *made = chi_live_factor(live, &live->worker.made, p, 0) + i;
        float before = b[p][i % CHUNK], after = value[p * pixels];
        for (int64_t k = 0; k < live->model.rank; k++)
            made[k * pixels] = before > 1
                                   ? made[k * pixels] * (after / before)
                                   : fmaxf(0, made[k * pixels] + u->along[k] * (after - before));
        pending->former[p * pixels + i] = (uint8_t)(fminf(before, 255) + 0.5f);
    }
    pending->known[i] = 1;
    pending->back[i] = 0;
    pending->age[i] = 0;
    live->worker.absorbed++;
}

/* Whether the pixel shows these values in all planes. */
static int shows(const update *u, const uint8_t *value, int64_t i) {
    const ch_live *live = u->live;
    for (int p = 0; p < live->planes; p++)
        if (!same(u->x[p][i], value[p * live->pixels], u->alike)) return 0;
    return 1;
}

/* One more look at a foreground pixel. */
static void consider(const update *u, const float *const *b, int64_t i) {
    ch_live *live = u->live;
    chi_live_pending *pending = &live->pending;
    uint8_t *value = pending->value + i, *former = pending->former + i;
    int64_t age = pending->age[i], most = live->set.absorb;
    if (shows(u, value, i)) {
        age += u->every;
        for (int p = 0; p < live->planes; p++) {
            uint8_t *v = value + p * live->pixels, x = u->x[p][i];
            *v = (uint8_t)(*v + (x > *v) - (x < *v));
        }
    } else if (age > 0) {
        age = age > u->every ? age - u->every : 0;
    } else {
        for (int p = 0; p < live->planes; p++) value[p * live->pixels] = u->x[p][i];
    }
    pending->age[i] = (uint16_t)(age < UINT16_MAX ? age : UINT16_MAX);
    int back = pending->known[i] && shows(u, former, i) ? pending->back[i] + (int)u->every : 0;
    pending->back[i] = (uint8_t)(back < UINT8_MAX ? back : UINT8_MAX);
    if (back >= CHI_LIVE_RETURN)
        absorb(u, former, b, i);
    else if (most > 0 && age >= most)
        absorb(u, value, b, i);
}

/* Eight pixels of a place where nothing is and nothing was: most of them. */
static int nothing_at(const ch_live *live, int64_t i) {
    uint64_t mask, back, age[2];
    memcpy(&mask, live->worker.mask + i, sizeof mask);
    memcpy(&back, live->pending.back + i, sizeof back);
    memcpy(age, live->pending.age + i, sizeof age);
    return !(mask | back | age[0] | age[1]);
}

static void update_chunk(const update *u, int64_t from, int64_t count) {
    ch_live *live = u->live;
    chi_live_pending *pending = &live->pending;
    float b[CH_LIVE_PLANES_MAX][CHUNK];
    const float *rows[CH_LIVE_PLANES_MAX];
    for (int p = 0; p < live->planes; p++) {
        follow(u, b[p], p, from, count);
        rows[p] = b[p];
    }
    for (int64_t i = from; i < from + count; i++) {
        while (i + 8 <= from + count && nothing_at(live, i)) i += 8;
        if (i == from + count) break;
        if (live->worker.mask[i]) {
            consider(u, rows, i);
            continue;
        }
        int64_t age = pending->age[i]; /* a place that is empty again forgets */
        pending->age[i] = (uint16_t)(age > u->every ? age - u->every : 0);
        pending->back[i] = 0;
    }
}

void chi_live_update(ch_live *live) {
    update u = {.live = live, .every = live->set.every};
    double square = 0;
    live->worker.absorbed = 0;
    live->worker.made.rank = live->model.rank;
    for (int64_t k = 0; k < live->model.rank; k++) square += live->worker.w[k] * live->worker.w[k];
    for (int64_t k = 0; k < live->model.rank && square > 0; k++) {
        u.w[k] = (float)live->worker.w[k];
        u.along[k] = (float)(live->worker.w[k] / square);
    }
    u.share = (float)fmin((double)u.every / (double)live->set.follow, 1);
    u.alike = (float)exp(live->settled.threshold / 2 / 128);
    chi_live_frame(live, u.x, live->worker.slot);
    for (int64_t from = 0; from < live->pixels; from += CHUNK)
        update_chunk(&u, from, live->pixels - from < CHUNK ? live->pixels - from : CHUNK);
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
