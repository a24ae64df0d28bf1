/* The weights of a frame, exact and with a certificate, on a sample of pixels:
 *
 *     w = argmin_{w >= 0} |x_S - (w'H)_S|_1          S: evenly spread pixels, all planes of each
 *
 * It uses the projection of anchors (src/project/lad/nnlad_exact.c), starting from the last w. The
 * rows of the cone are samples, and its anchors are the factors. A few thousand equations suffice
 * for a few weights, whatever the size of the frame. The optimal w need not be unique, and may then
 * depend on earlier frames; its loss does not, up to the gap. Cost: O(samples x rank). */
#include "video/live/live_state.h"
#include "video/mask/masker.h"
#include <math.h>
#include <string.h>

static const double TOL = 1e-6; /* gap, relative to |x_S|_1: far below a gray level */

/* Values of the sample are far apart, and rarely in the cache. They are fetched this many before
 * their use. */
enum { AHEAD = 64 };

static int64_t rows_of(const ch_live *live) {
    return live->weights.count * live->planes;
}

/* Spreads the sample evenly over the watched pixels. */
static void spread_sample(ch_live *live) {
    chi_live_weights *s = &live->weights;
    int64_t watched = 0, seen = 0;
    for (int64_t i = 0; i < live->pixels; i++) watched += !live->watch || live->watch[i];
    int64_t wanted = live->set.sample < watched ? live->set.sample : watched;
    for (int64_t i = 0; i < live->pixels; i++) {
        if (live->watch && !live->watch[i]) continue;
        if (seen * wanted / watched != (seen + 1) * wanted / watched) s->pixel[s->count++] = i;
        seen++;
    }
    for (int64_t i = 0; i < s->count && live->layout.halves; i++)
        s->half[i] = chi_plane_at(&live->layout, 1, s->pixel[i]);
}

/* Returns where the values of the sample are in a plane. */
static const int64_t *places(const ch_live *live, int plane) {
    const chi_live_weights *s = &live->weights;
    return chi_plane_is_half(&live->layout, plane) ? s->half : s->pixel;
}

ch_status chi_live_weights_create(ch_live *live) {
    chi_live_weights *s = &live->weights;
    ch_context *context = live->context;
    chi_arena *arena = &live->arena;
    int64_t most = live->set.sample < live->pixels ? live->set.sample : live->pixels;
    int64_t rows = most * live->planes;
    s->pixel = chi_arena_alloc(arena, most, sizeof *s->pixel);
    s->half = chi_arena_alloc(arena, most, sizeof *s->half);
    s->value = chi_arena_doubles(arena, rows);
    s->index = chi_arena_alloc(arena, rows, sizeof *s->index);
    s->x = chi_arena_alloc(arena, rows, sizeof *s->x);
    s->b = chi_arena_alloc(arena, rows, sizeof *s->b);
    s->kept = chi_arena_alloc(arena, rows, sizeof *s->kept);
    TRY(chi_arena_status(arena, "a sample of pixels"));
    spread_sample(live);
    if (s->count == 0)
        return chi_fail(context, CH_ERR_ARGUMENT,
                        "all pixels are ignored, so no background can be learned");
    TRY(chi_cone_create(context, &s->cone, rows_of(live), live->capacity));
    s->work = chi_nnlad_exact.create(arena, &s->cone, TOL);
    return chi_arena_status(arena, "a projection");
}

void chi_live_weights_destroy(ch_live *live) {
    chi_cone_destroy(&live->weights.cone);
}

void chi_live_weights_take(ch_live *live, int anew) {
    chi_live_weights *s = &live->weights;
    double before[CH_LIVE_RANK_MAX] = {0};
    if (!anew) chi_live_weights_get(live, before);
    while (s->cone.count) chi_cone_remove(&s->cone, s->cone.count - 1);
    for (int64_t k = 0; k < live->model.rank; k++) {
        double sum = 0;
        for (int p = 0; p < live->planes; p++) {
            const float *factor = chi_live_factor(live, &live->model, p, k);
            const int64_t *at = places(live, p);
            double *value = s->value + p * s->count;
            for (int64_t i = 0; i < s->count; i++) {
                if (i + AHEAD < s->count) __builtin_prefetch(factor + at[i + AHEAD]);
                sum += value[i] = factor[at[i]];
            }
        }
        if (!(sum > 0)) continue; /* zero in the sample: the weight stays 0 */
        s->factor[s->cone.count] = (int)k;
        s->w[s->cone.count] = before[k];
        chi_cone_append(&s->cone, s->value);
    }
}

void chi_live_weights_get(const ch_live *live, double *w) {
    const chi_live_weights *s = &live->weights;
    for (int k = 0; k < CH_LIVE_RANK_MAX; k++) w[k] = 0;
    for (int64_t a = 0; a < s->cone.count; a++) w[s->factor[a]] = s->w[a];
}

typedef struct sampling {
    const ch_live *live;
    const chi_live_picture *picture;
} sampling;

enum { PART = 512 }; /* pixels that a thread copies at a time */

static void copy_part(void *user, int64_t part, int thread) {
    const sampling *in = user;
    const ch_live *live = in->live;
    const chi_live_picture *picture = in->picture;
    int64_t count = live->weights.count, by = picture->packed ? live->planes : 1;
    int64_t end = (part + 1) * PART < count ? (part + 1) * PART : count;
    (void)thread;
    for (int p = 0; p < live->planes; p++) {
        const int64_t *at = places(live, p);
        const uint8_t *from = picture->packed ? picture->packed + p : picture->planes[p];
        float *x = live->weights.x + p * count;
        for (int64_t i = part * PART; i < end; i++) {
            if (i + AHEAD < end) __builtin_prefetch(from + by * at[i + AHEAD]);
            x[i] = from[by * at[i]];
        }
    }
}

/* Copies the sample of a frame to s->x. The threads share this work because it waits for memory,
 * and because it wakes them before the mask needs them. */
static void take_sample(const ch_live *live, const chi_live_picture *picture) {
    sampling in = {live, picture};
    chi_parallel(live->context, (live->weights.count + PART - 1) / PART, copy_part, &in);
}

/* Makes the sample a column. Values are whole numbers, so the sums are exact in any order. */
static void load(ch_live *live, chi_column *x, const chi_live_picture *picture) {
    chi_live_weights *s = &live->weights;
    int64_t rows = rows_of(live), count = 0, sum = 0, square = 0, zeros = 0;
    take_sample(live, picture);
    for (int64_t row = 0; row < rows; row++) {
        int32_t value = (int32_t)s->x[row];
        sum += value;
        square += value * value;
        zeros += value == 0;
        s->value[row] = s->x[row];
    }
    for (int64_t row = 0; row < rows && zeros > 0; row++) {
        s->value[count] = s->x[row];
        s->index[count] = (int32_t)row;
        count += s->x[row] > 0;
    }
    *x = (chi_column){.rows = rows,
                      .count = rows - zeros,
                      .value = s->value,
                      .index = zeros > 0 ? s->index : NULL,
                      .sum = (double)sum,
                      .square = (double)square};
}

/* Returns the share of sampled pixels where the two differ by more than the threshold in some
 * plane. */
static double share_apart(const ch_live *live, const float *one, const float *other) {
    const chi_live_weights *s = &live->weights;
    double most = exp(live->settled.threshold / CHI_MASK_UNIT);
    int64_t apart = live->loops->apart(one, other, most, s->count, live->planes);
    return (double)apart / (double)s->count;
}

void chi_live_weights_keep(ch_live *live) {
    memcpy(live->weights.kept, live->weights.x, (size_t)rows_of(live) * sizeof(float));
}

double chi_live_weights_moved(const ch_live *live) {
    return share_apart(live, live->weights.x, live->weights.kept);
}

double chi_live_weights_noise(ch_live *live) {
    const chi_live_weights *s = &live->weights;
    int64_t counts[CHI_NOISE_LEVELS] = {0};
    for (int64_t i = 0; i < s->count; i++) {
        double farthest = 1; /* of the ratios x / b and b / x of all planes */
        for (int p = 0; p < live->planes; p++) {
            int64_t row = p * s->count + i;
            double x = s->x[row] + CHI_DARK, b = s->b[row] + CHI_DARK;
            double ratio = x > b ? x / b : b / x;
            farthest = ratio > farthest ? ratio : farthest;
        }
        counts[chi_noise_level(log(farthest))]++;
    }
    return chi_noise_of(counts) * CHI_MASK_UNIT;
}

double chi_live_weights_share(const ch_live *live, int64_t factor) {
    const chi_live_weights *s = &live->weights;
    double part = 0, all = 0;
    for (int64_t a = 0; a < s->cone.count; a++) {
        double light = s->w[a] * s->cone.sums[a];
        all += light;
        if (s->factor[a] == factor) part = light;
    }
    return all > 0 ? part / all : 0;
}

void chi_live_weights_fit(ch_live *live, double *off, const chi_live_picture *picture) {
    chi_live_weights *s = &live->weights;
    chi_column x;
    chi_fit fit = {0};
    load(live, &x, picture);
    /* A black frame fits w = 0, from which no warm start can return. So the last weights are
     * kept. */
    if (x.count > 0 && s->cone.count > 0) {
        double sum = 0;
        for (int64_t a = 0; a < s->cone.count; a++) sum += s->w[a];
        chi_nnlad_exact.solve(s->work, &fit, s->w, NULL, &x, sum > 0);
    }
    s->gap = fit.gap;
    if (fit.gap > live->info.worst_gap) live->info.worst_gap = fit.gap;
    live->info.unproven += fit.gap > TOL;
    live->loops->explain(s->b, s->cone.A, s->w, s->cone.rows, s->cone.count);
    *off = share_apart(live, s->x, s->b);
}
