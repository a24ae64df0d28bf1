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
}

ch_status chi_live_weights_create(ch_live *live) {
    chi_live_weights *s = &live->weights;
    ch_context *context = live->context;
    chi_arena *arena = &live->arena;
    int64_t most = live->set.sample < live->pixels ? live->set.sample : live->pixels;
    int64_t rows = most * live->planes;
    s->pixel = chi_arena_alloc(arena, most, sizeof *s->pixel);
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
        for (int p = 0; p < live->planes; p++)
            for (int64_t i = 0; i < s->count; i++)
                sum += s->value[p * s->count + i] = chi_live_factor(
                    live, &live->model, p, k)[chi_plane_at(&live->layout, p, s->pixel[i])];
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

/* Returns the value of plane p of a frame at pixel i. */
static uint8_t value_at(const ch_live *live, const chi_live_picture *picture, int p, int64_t i) {
    if (picture->packed) return picture->packed[i * live->planes + p];
    return picture->planes[p][chi_plane_at(&live->layout, p, i)];
}

static void load(ch_live *live, chi_column *x, const chi_live_picture *picture) {
    chi_live_weights *s = &live->weights;
    *x = (chi_column){.rows = rows_of(live), .value = s->value, .index = s->index};
    for (int p = 0; p < live->planes; p++)
        for (int64_t i = 0; i < s->count; i++) {
            double value = value_at(live, picture, p, s->pixel[i]);
            int64_t row = p * s->count + i;
            s->x[row] = (float)value;
            if (value == 0) continue;
            s->index[x->count] = (int32_t)row;
            s->value[x->count++] = value;
            x->sum += value;
            x->square += value * value;
        }
    if (x->count == x->rows) x->index = NULL;
}

/* Returns the share of sampled pixels where the two differ by more than the threshold in some
 * plane. */
static double share_apart(const ch_live *live, const float *one, const float *other) {
    const chi_live_weights *s = &live->weights;
    double most = exp(live->settled.threshold / CHI_MASK_UNIT), apart = 0;
    for (int64_t i = 0; i < s->count; i++) {
        int far = 0;
        for (int p = 0; p < live->planes; p++) {
            double x = one[p * s->count + i] + CHI_DARK, b = other[p * s->count + i] + CHI_DARK;
            far |= x > most * b || b > most * x;
        }
        apart += far;
    }
    return apart / (double)s->count;
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
        double farthest = 0;
        for (int p = 0; p < live->planes; p++) {
            int64_t row = p * s->count + i;
            farthest = fmax(farthest, fabs(log((s->x[row] + CHI_DARK) / (s->b[row] + CHI_DARK))));
        }
        counts[chi_noise_level(farthest)]++;
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
    for (int64_t row = 0; row < rows_of(live); row++) {
        double b = 0;
        for (int64_t a = 0; a < s->cone.count; a++)
            b += s->w[a] * s->cone.A[a * s->cone.rows + row];
        s->b[row] = (float)b;
    }
    *off = share_apart(live, s->x, s->b);
}
