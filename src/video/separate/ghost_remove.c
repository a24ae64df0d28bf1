/* Removes ghosts from a background that has factors. The clip is summarised by a few states over
 * time. ghost_places.c finds the places where another state than the background is the empty one. H
 * of their pixels is then scaled:
 *
 *     b' + 1 = (b + 1) exp(median of the log ratios of the empty states)
 *
 * A state is the median over up to FRAMES frames of one of up to 16 equal periods of the clip, so
 * passing objects are in none of them. Every fifth of these frames also serves to estimate the
 * noise and the background itself. Places are found in the first plane; of the other planes only
 * their pixels are read. Cost: up to 240 values of the background, their selection and 160
 * logarithms for each pixel, whatever the length of the clip, in vectors of pixels. */
#include "base/sized.h"
#include "kernels/quick_log.h"
#include "video/mask/plane_layout.h"
#include "video/separate/ghost_states.h"
#include <conehull/separate.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { FRAMES = 15, FEWEST = 20 };
enum { LOOK_EVERY = 5, LOOK_AT = 2 }; /* which of FRAMES are used for noise and light */
enum { LOOKS = FRAMES / LOOK_EVERY };
enum { ROWS_AT_A_TIME = 32 };            /* between two calls of the progress callback */
static const double LEAST_NOISE = 0.004; /* half a gray level on mid gray              */

typedef struct seen_frame {
    int64_t frame;
    int looks;
} seen_frame;

typedef struct seen_frames {
    seen_frame of[FRAMES];
    int64_t count;
} seen_frames;

typedef struct removal {
    ch_context *context;
    chi_ghost_states states;
    chi_ghost_places places;
    const ch_matrix *X;
    int64_t first;                      /* first picture row of the current ones               */
    int64_t *distances;                 /* CHI_NOISE_LEVELS per thread: histogram of distances */
    double *light;                      /* states x picture rows: mean light of a row          */
    seen_frames seen[CHI_GHOST_STATES]; /* the frames of which each state is the median        */
    chi_layout layout;
    int plane;    /* the current plane                                                       */
    int64_t rows; /* of the first plane                                                      */
    int found;    /* whether places are known; then only their pixels are read, for repair() */
    chi_arena arena;
} removal;

static ch_status reserve(removal *r) {
    chi_arena *arena = &r->arena;
    chi_size size = r->states.size;
    int64_t pixels = chi_pixels(size);
    chi_ghost_places *places = &r->places;
    r->states.ratio = chi_arena_alloc(arena, pixels * r->states.count, sizeof(float));
    r->states.ground = chi_arena_alloc(arena, pixels, sizeof(float));
    r->distances =
        chi_arena_alloc(arena, CHI_NOISE_LEVELS * ch_context_threads(r->context), sizeof(int64_t));
    r->light = chi_arena_doubles(arena, r->states.count * size.height);
    places->values = chi_arena_doubles(arena, pixels);
    chi_parts_reserve(arena, &places->parts, size);
    places->labels = chi_arena_alloc(arena, pixels, sizeof(int32_t));
    places->support = chi_arena_alloc(arena, chi_parts_most_runs(size) + 1, sizeof(uint32_t));
    places->changes = chi_arena_alloc(arena, pixels, sizeof(uint32_t));
    places->mask = chi_arena_alloc(arena, pixels, 1);
    places->spare = chi_arena_alloc(arena, pixels, 1);
    places->counts = chi_arena_alloc(arena, size.width, sizeof(int32_t));
    return chi_arena_status(arena, "ghosts");
}

static int64_t frame_of(const chi_ghost_states *states, int64_t s, int64_t k) {
    int64_t frames = states->parts->frames, from = s * frames / states->count;
    int64_t length = (s + 1) * frames / states->count - from;
    return from + (2 * k + 1) * length / (2 * FRAMES);
}

static double background(const chi_ghost_states *states, int64_t frame, int64_t i) {
    return fmax(chi_background_at(states->parts, frame, i), 0);
}

double chi_ghost_light(const chi_ghost_states *states, int64_t s, int64_t i) {
    double sum = 0;
    for (int64_t k = LOOK_AT; k < FRAMES; k += LOOK_EVERY)
        sum += log(background(states, frame_of(states, s, k), i) + CHI_DARK);
    return sum / LOOKS;
}

/* Lists the frames of each state, with how often each is used; a short period has fewer frames. */
static void list_frames(removal *r) {
    for (int64_t s = 0; s < r->states.count; s++) {
        seen_frames *list = &r->seen[s];
        list->count = 0;
        for (int64_t k = 0; k < FRAMES; k++) {
            int64_t frame = frame_of(&r->states, s, k);
            if (k == 0 || frame != list->of[list->count - 1].frame)
                list->of[list->count++] = (seen_frame){.frame = frame};
            list->of[list->count - 1].looks += k % LOOK_EVERY == LOOK_AT;
        }
    }
}

/* Adjacent pixels that are processed together. */
enum { STRETCH = 128, FACTORS = 8 };
typedef struct stretch {
    int64_t first, count;
    float h[FACTORS][STRETCH]; /* factors of the background, if there are few */
    float x[STRETCH], b[STRETCH], ratio[FRAMES][STRETCH], ground[STRETCH];
    int64_t *distances; /* histogram of the thread                     */
    double *light;      /* of the row; states are `rows` numbers apart */
} stretch;

static int has_few_factors(const ch_separation *parts) {
    return !parts->filtered.values && parts->rank <= FACTORS;
}

static void load_factors(const ch_separation *parts, stretch *p) {
    if (!has_few_factors(parts)) return;
    for (int64_t j = 0; j < p->count; j++)
        for (int64_t k = 0; k < parts->rank; k++)
            p->h[k][j] = (float)parts->H[(p->first + j) * parts->rank + k];
}

/* Loads x and b of a frame. */
static void load_frame(const removal *r, stretch *p, int64_t frame) {
    const ch_separation *parts = r->states.parts;
    for (int64_t j = 0; j < p->count; j++)
        p->x[j] = (float)chi_video_value(r->X, frame, p->first + j);
    memset(p->b, 0, sizeof p->b);
    for (int64_t j = 0; j < p->count && !has_few_factors(parts); j++)
        p->b[j] = (float)background(&r->states, frame, p->first + j);
    for (int64_t k = 0; k < parts->rank && has_few_factors(parts); k++) {
        float w = (float)parts->W[frame + k * parts->frames];
        for (int64_t j = 0; j < STRETCH; j++) p->b[j] += w * p->h[k][j];
    }
    for (int64_t j = 0; j < STRETCH; j++) p->b[j] = p->b[j] > 0 ? p->b[j] : 0;
}

/* Counts the distances of the values of a frame from the background, and adds its light to that of
 * its row. */
static void look_at(const removal *r, stretch *p, int64_t s, int looks) {
    const float dark = (float)CHI_DARK;
    float lit[STRETCH], off[STRETCH];
    double sum = 0;
    for (int64_t j = 0; j < STRETCH; j++) {
        lit[j] = chi_quick_log(p->b[j] + dark);
        off[j] = fabsf(chi_quick_log(p->x[j] + dark) - lit[j]);
        p->ground[j] += (float)looks * chi_quick_log(p->b[j] + 1);
    }
    for (int64_t j = 0; j < p->count; j++) {
        p->distances[chi_noise_level(off[j])] += looks;
        sum += lit[j];
    }
    p->light[s * r->rows] += looks * sum;
}

/* Returns the median of the ratios of each pixel (for an even count the mean of the middle two), by
 * exchanges of neighbours. */
static const float *middle_of(stretch *p, int64_t count) {
    for (int64_t round = 0; round < count; round++)
        for (int64_t k = round % 2; k + 1 < count; k += 2) {
            float *restrict low = p->ratio[k], *restrict high = p->ratio[k + 1];
            for (int64_t j = 0; j < STRETCH; j++) {
                float a = low[j], b = high[j];
                low[j] = a < b ? a : b;
                high[j] = a < b ? b : a;
            }
        }
    float *restrict middle = p->ratio[(count - 1) / 2];
    const float *other = p->ratio[count / 2];
    for (int64_t j = 0; j < STRETCH && count % 2 == 0; j++) middle[j] = (middle[j] + other[j]) / 2;
    return middle;
}

/* Computes the states of some pixels. */
static void read_stretch(removal *r, stretch *p) {
    chi_ghost_states *states = &r->states;
    int64_t pixels = chi_pixels(states->size);
    load_factors(states->parts, p);
    memset(p->ground, 0, sizeof p->ground);
    for (int64_t s = 0; s < states->count; s++) {
        const seen_frames *list = &r->seen[s];
        for (int64_t k = 0; k < list->count; k++) {
            load_frame(r, p, list->of[k].frame);
            for (int64_t j = 0; j < STRETCH; j++) p->ratio[k][j] = (p->x[j] + 1) / (p->b[j] + 1);
            if (list->of[k].looks) look_at(r, p, s, list->of[k].looks);
        }
        const float *middle = middle_of(p, list->count);
        float *to = states->ratio + s * pixels + p->first;
        for (int64_t j = 0; j < p->count; j++) to[j] = chi_quick_log(middle[j]);
    }
    for (int64_t j = 0; j < p->count; j++)
        states->ground[p->first + j] = p->ground[j] / (float)(LOOKS * states->count);
}

/* Returns the states that replace value i of the current plane. For a square of a half plane,
 * returns those of its first pixel that is replaced. */
static uint32_t support_at(const removal *r, int64_t i) {
    const chi_ghost_places *places = &r->places;
    int64_t corner = chi_plane_corner(&r->layout, r->plane, i), width = r->layout.width;
    if (!chi_plane_is_half(&r->layout, r->plane)) return places->support[places->labels[i]];
    const int64_t square[] = {corner, corner + 1, corner + width, corner + width + 1};
    for (int k = 0; k < 4; k++) {
        uint32_t set = places->support[places->labels[square[k]]];
        if (set) return set;
    }
    return 0;
}

/* Returns whether a stretch has pixels to be read. */
static int wanted(const removal *r, int64_t first, int64_t count) {
    for (int64_t i = first; r->found && i < first + count; i++)
        if (support_at(r, i)) return 1;
    return !r->found;
}

static void read_row(void *user, int64_t block, int thread) {
    removal *r = user;
    int64_t row = r->first + block, width = r->states.size.width;
    stretch p = {.distances = r->distances + (int64_t)thread * CHI_NOISE_LEVELS,
                 .light = r->light + row};
    for (int64_t x = 0; x < width; x += STRETCH) {
        p.first = row * width + x;
        p.count = width - x < STRETCH ? width - x : STRETCH;
        if (wanted(r, p.first, p.count)) read_stretch(r, &p);
    }
}

/* Computes the light of the whole frame. Rows are added in order, whichever thread read them. */
static void add_light(removal *r) {
    int64_t height = r->rows;
    double values = (double)(LOOKS * chi_pixels(r->states.size));
    for (int64_t s = 0; s < r->states.count; s++) {
        double sum = 0;
        for (int64_t y = 0; y < height; y++) sum += r->light[s * height + y];
        r->states.light[s] = sum / values;
    }
}

/* Computes the states of a plane. */
static ch_status learn(removal *r, const ch_separation *parts, const ch_matrix *X) {
    int64_t height = r->states.size.height, threads = ch_context_threads(r->context);
    r->states.parts = parts;
    r->X = X;
    list_frames(r);
    memset(r->light, 0, (size_t)(r->states.count * r->rows) * sizeof *r->light);
    memset(r->distances, 0, (size_t)(CHI_NOISE_LEVELS * threads) * sizeof *r->distances);
    for (r->first = 0; r->first < height; r->first += ROWS_AT_A_TIME) {
        int64_t left = height - r->first, rows = left < ROWS_AT_A_TIME ? left : ROWS_AT_A_TIME;
        chi_parallel(r->context, rows, read_row, r);
        if (chi_notify(r->context, "ghosts", r->first + rows, height, -1, 0))
            return CH_STOP_CANCELLED;
    }
    add_light(r);
    for (int64_t l = CHI_NOISE_LEVELS; l < threads * CHI_NOISE_LEVELS; l++)
        r->distances[l % CHI_NOISE_LEVELS] += r->distances[l];
    r->states.noise = fmax(chi_noise_of(r->distances), LEAST_NOISE);
    return CH_OK;
}

/* Scales H of the pixels to be replaced. Returns their number. */
static int64_t repair(const removal *r, ch_separation *parts) {
    int64_t repaired = 0;
    for (int64_t i = 0; i < parts->pixels; i++) {
        uint32_t set = support_at(r, i);
        if (!set) continue;
        double before = exp(r->states.ground[i]) - 1;
        double after = (before + 1) * exp(chi_ghost_value(&r->states, set, i)) - 1;
        double factor = before > 1 ? fmax(after, 0) / before : 1; /* black stays black */
        for (int64_t k = 0; k < parts->rank; k++) parts->H[i * parts->rank + k] *= factor;
        repaired++;
    }
    return repaired;
}

static void report(ch_ghosts *ghosts, const removal *r, int64_t pixels) {
    *ghosts = (ch_ghosts){.looked_at = r->places.looked_at, .pixels = pixels};
    for (int64_t l = 1; l <= r->places.parts.count; l++)
        ghosts->removed += r->places.support[l] != 0;
    if (ghosts->removed)
        snprintf(ghosts->reason, sizeof ghosts->reason,
                 "%lld of %lld regions that change were recognised as objects that stood still "
                 "(%lld pixels) and removed from the background",
                 (long long)ghosts->removed, (long long)ghosts->looked_at, (long long)pixels);
    else
        snprintf(ghosts->reason, sizeof ghosts->reason,
                 "no object was removed from the background: none of the %lld regions that change "
                 "looks emptier at another time in the same light",
                 (long long)ghosts->looked_at);
}

static ch_status check(ch_context *context, ch_separation *const *parts, const ch_matrix *const *X,
                       const chi_layout *layout) {
    int planes = layout->planes;
    if (planes < 1 || planes > 4)
        return chi_fail(context, CH_ERR_ARGUMENT, "a clip must have from 1 to 4 planes, got %d",
                        planes);
    for (int p = 0; p < planes; p++) {
        if (!parts[p])
            return chi_fail(context, CH_ERR_ARGUMENT, "the parts of plane %d must not be NULL", p);
        TRY(chi_check_view(context, X[p]));
        TRY(chi_sized_check(context, parts[p], "ch_separation"));
        int64_t own = chi_plane_pixels(layout, p);
        if (parts[p]->pixels != own || X[p]->cols != own)
            return chi_fail(context, CH_ERR_ARGUMENT,
                            "plane %d of the clip has %lld pixels, but it must have %lld", p,
                            (long long)parts[p]->pixels, (long long)own);
        if (parts[p]->frames != parts[0]->frames || X[p]->rows != parts[0]->frames)
            return chi_fail(context, CH_ERR_ARGUMENT,
                            "plane %d of the clip has %lld frames, but plane 0 has %lld", p,
                            (long long)X[p]->rows, (long long)parts[0]->frames);
    }
    return CH_OK;
}

/* Half planes are recognised by their number of pixels. */
static chi_layout layout_of(ch_separation *const *parts, const ch_frame_shape *shape) {
    chi_layout layout = {shape->width, shape->height, shape->planes, 1};
    layout.halves = shape->planes == 3 && parts[1] && chi_halves_fit(&layout) &&
                    parts[1]->pixels == chi_plane_pixels(&layout, 1);
    return layout;
}

ch_status ch_ghosts_remove(ch_context *context, ch_ghosts *ghosts, ch_separation *const *parts,
                           const ch_matrix *const *X, const ch_frame_shape *shape) {
    if (!context) return CH_ERR_ARGUMENT;
    if (!parts || !X || !shape)
        return chi_fail(context, CH_ERR_ARGUMENT, "parts, X and shape must not be NULL");
    chi_layout layout = layout_of(parts, shape);
    TRY(check(context, parts, X, &layout));
    if (ghosts) TRY(chi_sized_check(context, ghosts, "ch_ghosts"));
    ch_ghosts made = {.size = sizeof made,
                      .reason = "no search for objects that stand still, because there are too few "
                                "frames, or the background has no factors"};
    int64_t frames = parts[0]->frames;
    if (!parts[0]->H || frames < FEWEST) {
        if (ghosts) chi_result_give(ghosts, &made, sizeof made);
        return CH_OK;
    }
    removal r = {.context = context,
                 .arena.context = context,
                 .layout = layout,
                 .rows = shape->height,
                 .states.size = {shape->width, shape->height}};
    r.states.count = frames / 4 < CHI_GHOST_STATES ? frames / 4 : CHI_GHOST_STATES;
    ch_status status = reserve(&r);
    int64_t pixels = 0;
    for (int p = 0; status == CH_OK && p < shape->planes; p++) {
        r.plane = p;
        r.states.size.width = chi_plane_width(&layout, p);
        r.states.size.height = chi_plane_pixels(&layout, p) / r.states.size.width;
        status = learn(&r, parts[p], X[p]);
        if (status == CH_OK && p == 0) status = chi_ghost_find(context, &r.places, &r.states);
        r.found = 1;
        if (status == CH_OK) pixels = repair(&r, parts[p]);
    }
    if (status == CH_OK) report(&made, &r, pixels);
    if (status == CH_OK && ghosts) chi_result_give(ghosts, &made, sizeof made);
    chi_arena_free(&r.arena);
    return status;
}
