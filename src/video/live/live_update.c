/* Updates H pixel by pixel from one frame, its mask and its weights. With b = w'H and r = x - b:
 *
 *     background   H_k += w_k / |w|^2 clip(a r, -c, c),   a = every / follow
 *     foreground   no change, until the pixel has shown the same value for `absorb` frames; then H
 *                  is scaled so that w'H is that value
 *
 * The first is a step towards the mean for small r and towards the median for large r. It moves
 * along the factors that the frame uses, so a light that is off is not unlearned. The second scales
 * all factors, because a new object covers the ground in every light. The covered value is stored,
 * and becomes background again when it is seen for CHI_LIVE_RETURN frames. Cost: O(rank) per
 * pixel.
 *
 * An update takes effect `every` frames after its frame. It is computed then, by the threads that
 * make masks and in place: most of its time is waiting for memory, and a second copy of H would be
 * half as much again to read and write. A thread of its own would compete with those threads for
 * the cores, and a thread that waits for a core holds up all others that wait for its part of the
 * mask. */
#include "video/live/live_state.h"
#include "video/mask/masker.h"
#include <math.h>
#include <stdatomic.h>
#include <string.h>

static const float CLIP = 4;  /* gray levels: a larger r has no larger effect */
static const float DARK = 10; /* as in the scores of masks                    */

enum { CHUNK = 1024 };

typedef struct update {
    ch_live *live;
    const uint8_t *x[CH_LIVE_PLANES_MAX];
    float w[CH_LIVE_RANK_MAX], along[CH_LIVE_RANK_MAX]; /* w, w / |w|^2 */
    float share, alike; /* a, and the ratio up to which two values count as equal */
    int64_t every;
} update;

static int same(float a, float b, float alike) {
    return a + DARK <= alike * (b + DARK) && b + DARK <= alike * (a + DARK);
}

/* Returns the mask for `count` values of a plane. A value of a half plane is foreground if any
 * pixel of its square is. */
static const uint8_t *mask_of(const ch_live *live, uint8_t *mask, int plane, int64_t from,
                              int64_t count) {
    const uint8_t *whole = live->update.mask;
    int64_t width = live->layout.width;
    if (!chi_plane_is_half(&live->layout, plane)) return whole + from;
    for (int64_t i = 0; i < count; i++) {
        const uint8_t *at = whole + chi_plane_corner(&live->layout, plane, from + i);
        mask[i] = at[0] | at[1] | at[width] | at[width + 1];
    }
    return mask;
}

/* Updates values [from, from + count) of a plane. */
static void follow(const update *u, int plane, int64_t from, int64_t count) {
    const ch_live *live = u->live;
    float b[CHUNK], spare[CHUNK];
    uint8_t mask[CHUNK];
    chi_live_stretch part = chi_live_stretch_of(live, plane, from, count, u->w);
    chi_live_step step = {
        .made = chi_live_factor(live, &live->model, plane, 0) + from,
        .x = u->x[plane] + from,
        .mask = mask_of(live, mask, plane, from, count),
        .along = u->along,
        .share = u->share,
        .most = CLIP,
        .spare = spare,
    };
    live->loops->follow(b, &part, &step);
}

/* Makes `value` the background of pixel i in every plane, and stores its former value. A value of a
 * half plane is set by the pixel of its square that comes last. */
static void absorb(const update *u, const uint8_t *value, int64_t i) {
    ch_live *live = u->live;
    chi_live_pending *pending = &live->pending;
    for (int p = 0; p < live->planes; p++) {
        int64_t stride = chi_plane_pixels(&live->layout, p);
        float *made = chi_live_factor(live, &live->model, p, 0) + chi_plane_at(&live->layout, p, i);
        float before = 0, after = value[p * live->pixels];
        for (int64_t k = 0; k < live->model.rank; k++) before += u->w[k] * made[k * stride];
        for (int64_t k = 0; k < live->model.rank; k++)
            made[k * stride] = before > 1
                                   ? made[k * stride] * (after / before)
                                   : fmaxf(0, made[k * stride] + u->along[k] * (after - before));
        pending->former[p * live->pixels + i] = (uint8_t)(fminf(before, 255) + 0.5f);
    }
    pending->known[i] = 1;
    pending->back[i] = 0;
    pending->age[i] = 0;
    atomic_fetch_add_explicit(&live->update.absorbed, 1, memory_order_relaxed);
    live->reference.absorbed[i / live->size.width / CHI_MASK_STRIP] = 1;
}

/* Returns the value of plane p of the frame at pixel i. */
static uint8_t value_at(const update *u, int p, int64_t i) {
    return u->x[p][chi_plane_at(&u->live->layout, p, i)];
}

/* Returns whether the pixel shows these values in all planes. */
static int shows(const update *u, const uint8_t *value, int64_t i) {
    const ch_live *live = u->live;
    for (int p = 0; p < live->planes; p++)
        if (!same(value_at(u, p, i), value[p * live->pixels], u->alike)) return 0;
    return 1;
}

/* Updates the candidate of a foreground pixel. */
static void consider(const update *u, int64_t i) {
    ch_live *live = u->live;
    chi_live_pending *pending = &live->pending;
    uint8_t *value = pending->value + i, *former = pending->former + i;
    int64_t age = pending->age[i], most = live->set.absorb;
    if (shows(u, value, i)) {
        age += u->every;
        for (int p = 0; p < live->planes; p++) {
            uint8_t *v = value + p * live->pixels, x = value_at(u, p, i);
            *v = (uint8_t)(*v + (x > *v) - (x < *v));
        }
    } else if (age > 0) {
        age = age > u->every ? age - u->every : 0;
    } else {
        for (int p = 0; p < live->planes; p++) value[p * live->pixels] = value_at(u, p, i);
    }
    pending->age[i] = (uint16_t)(age < UINT16_MAX ? age : UINT16_MAX);
    int back = pending->known[i] && shows(u, former, i) ? pending->back[i] + (int)u->every : 0;
    pending->back[i] = (uint8_t)(back < UINT8_MAX ? back : UINT8_MAX);
    if (back >= CHI_LIVE_RETURN)
        absorb(u, former, i);
    else if (most > 0 && age >= most)
        absorb(u, value, i);
}

/* Returns whether eight pixels have neither foreground nor candidates, as most have. */
static int nothing_at(const ch_live *live, int64_t i) {
    uint64_t mask, back, age[2];
    memcpy(&mask, live->update.mask + i, sizeof mask);
    memcpy(&back, live->pending.back + i, sizeof back);
    memcpy(age, live->pending.age + i, sizeof age);
    return !(mask | back | age[0] | age[1]);
}

/* Updates the candidates of those pixels of [from, end) that are or were foreground. */
static void consider_all(const update *u, int64_t from, int64_t end) {
    ch_live *live = u->live;
    chi_live_pending *pending = &live->pending;
    for (int64_t i = from; i < end; i++) {
        while (i + 8 <= end && nothing_at(live, i)) i += 8;
        if (i == end) break;
        if (live->update.mask[i]) {
            consider(u, i);
            continue;
        }
        int64_t age = pending->age[i]; /* the candidate of an empty place ages away */
        pending->age[i] = (uint16_t)(age > u->every ? age - u->every : 0);
        pending->back[i] = 0;
    }
}

static void update_strip(void *user, int64_t strip, int thread) {
    const update *u = user;
    const ch_live *live = u->live;
    int64_t width = live->size.width, top = strip * CHI_MASK_STRIP;
    chi_rows rows = chi_rows_around((chi_rows){top, top + CHI_MASK_STRIP}, 0, live->size.height);
    (void)thread;
    for (int p = 0; p < live->planes; p++) {
        int64_t by = chi_plane_is_half(&live->layout, p) ? 2 : 1;
        int64_t end = rows.high / by * (width / by);
        for (int64_t from = rows.low / by * (width / by); from < end; from += CHUNK)
            follow(u, p, from, end - from < CHUNK ? end - from : CHUNK);
    }
    consider_all(u, rows.low * width, rows.high * width);
}

void chi_live_update(ch_live *live) {
    update u = {.live = live, .every = live->set.every};
    const double *w = live->update.w;
    double square = 0;
    live->update.absorbed = 0;
    for (int64_t k = 0; k < live->model.rank; k++) square += w[k] * w[k];
    for (int64_t k = 0; k < live->model.rank && square > 0; k++) {
        u.w[k] = (float)w[k];
        u.along[k] = (float)(w[k] / square);
    }
    u.share = (float)fmin((double)u.every / (double)live->set.follow, 1);
    for (int k = 0; k < CH_LIVE_RANK_MAX; k++)
        live->update.drift[k] = (double)u.along[k] * u.share * CLIP * (1 + 1e-6);
    memset(live->reference.absorbed, 0, (size_t)chi_live_strips(live));
    u.alike = (float)exp(live->settled.threshold / 2 / 128);
    chi_live_frame(live, u.x, live->update.slot);
    chi_parallel(live->context, chi_live_strips(live), update_strip, &u);
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
