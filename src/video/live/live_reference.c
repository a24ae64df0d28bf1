/* Bounds the distance of the background from the reference with which frames are compared
 * (mask_tiles.c), for every strip of rows. With the weights w0 and factors H0 of the reference, b =
 * w0'H0,
 *
 *     |w'H - b| / (b + c) <= sum_k |w_k - w0_k| most_k + dark sum_k w_k |H_k - H0_k|
 *
 * where most_k is the maximum of H0_k / (b + c) in the strip and dark is the maximum of 1 / (b +
 * c). live_update.c bounds the change of the factors by an update, so no pixel has to be examined.
 * If an update absorbs something, or the background is new, the reference is dropped. */
#include "video/live/live_state.h"
#include "video/mask/masker.h"
#include <math.h>
#include <string.h>

ch_status chi_live_reference_create(ch_live *live) {
    chi_live_reference *r = &live->reference;
    int64_t strips = chi_live_strips(live);
    r->strips = chi_arena_alloc_zero(&live->arena, strips, sizeof *r->strips);
    r->absorbed = chi_arena_alloc_zero(&live->arena, strips, 1);
    return chi_arena_status(&live->arena, "live separation");
}

void chi_live_reference_drop(ch_live *live) {
    for (int64_t s = 0; s < chi_live_strips(live); s++) live->reference.strips[s].present = 0;
}

void chi_live_reference_follow(ch_live *live) {
    chi_live_reference *r = &live->reference;
    for (int k = 0; k < CH_LIVE_RANK_MAX; k++) r->drift[k] += live->update.drift[k];
    for (int64_t s = 0; s < chi_live_strips(live); s++)
        if (r->absorbed[s]) r->strips[s].present = 0;
}

void chi_live_reference_hold(const ch_live *live, int64_t strip, int first,
                             const chi_live_stretch *part, const float *b) {
    const chi_live_reference *r = &live->reference;
    chi_live_strip *s = &r->strips[strip];
    if (first) {
        *s = (chi_live_strip){.present = 1};
        memcpy(s->w, part->w, sizeof s->w);
        memcpy(s->drift, r->drift, sizeof s->drift);
    }
    live->loops->most(s->most, part, b);
}

double chi_live_reference_moved(const ch_live *live, int64_t strip, const float *w) {
    const chi_live_reference *r = &live->reference;
    const chi_live_strip *s = &r->strips[strip];
    int64_t rank = live->model.rank;
    double by_light = 0, by_updates = 0;
    if (!s->present) return INFINITY;
    for (int64_t k = 0; k < rank; k++) {
        by_light += fabs((double)w[k] - s->w[k]) * s->most[k];
        by_updates += w[k] * (r->drift[k] - s->drift[k]);
    }
    return by_light + by_updates * s->most[rank];
}
