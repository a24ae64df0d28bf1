/* Learns a background from remembered frames: ch_separate() selects anchors (RobustXray) and
 * refits, ch_separate_plane() fits the other planes, and ch_ghosts_remove() removes ghosts. H is
 * then stored as pictures in single precision.
 *
 * After a switch of the light, one anchor is selected in the frames of the new light alone and
 * added to the cone. Selecting all anchors again from frames of both lights would be worse: two
 * lights as factors explain every pixel in both lights, while 6 % of the pixels are outside a cone
 * of pixel time series (docs/video-methods.md). Also, the old factors keep what they have learned
 * since the warm-up. If there is no place for another factor, it replaces the one unused for the
 * longest time.
 *
 * Cost: that of these calls on at most CHI_LIVE_SPREAD frames. */
#include "video/live/live_state.h"
#include <stdio.h>
#include <string.h>

enum { MOST = CHI_LIVE_SPREAD };

typedef struct selection {
    ch_context *context;
    ch_live *live;
    int64_t slots[MOST], count;
    ch_matrix X[CH_LIVE_PLANES_MAX];
    uint8_t *ignore;
    ch_separation parts[CH_LIVE_PLANES_MAX];
    chi_arena arena;
} selection;

static ch_status gather(selection *s) {
    ch_live *live = s->live;
    for (int p = 0; p < CH_LIVE_PLANES_MAX; p++) s->parts[p].size = sizeof s->parts[p];
    s->count = chi_live_sample_frames(live, s->slots, chi_live_spread(live));
    for (int p = 0; p < live->planes; p++) {
        int64_t pixels = chi_plane_pixels(&live->layout, p);
        uint8_t *values = chi_arena_alloc(&s->arena, s->count * pixels, 1);
        TRY(chi_arena_status(&s->arena, "remembered frames"));
        chi_live_courses(s->context, live, values, s->slots, s->count, p);
        TRY(ch_matrix_borrow(
            s->context, &s->X[p],
            &(ch_matrix){.rows = s->count, .cols = pixels, .type = CH_U8, .values = values}));
    }
    if (!live->watch) return CH_OK;
    s->ignore = chi_arena_alloc(&s->arena, live->pixels, 1);
    TRY(chi_arena_status(&s->arena, "a region"));
    for (int64_t i = 0; i < live->pixels; i++) s->ignore[i] = !live->watch[i];
    return CH_OK;
}

/* Returns the plane that determines W: the middle plane (green of a colour clip), which is closest
 * to luma, or with half planes luma itself. */
static int first_plane(const ch_live *live) {
    return chi_plane_bright(&live->layout);
}

static ch_status separate(selection *s) {
    const ch_live *live = s->live;
    int first = first_plane(live);
    ch_separate_settings set;
    ch_separate_defaults(&set);
    int joins = live->window.since > 0;
    int64_t most = live->set.rank > 0 ? live->set.rank : CHI_LIVE_AUTO;
    set.rank = joins ? 1 : live->set.rank;
    set.seed = live->set.seed;
    set.ignore = s->ignore;
    ch_status status = ch_separate(s->context, &s->parts[first], &s->X[first], &set);
    if (status >= 0 && s->parts[first].rank > most) { /* a cancelled separation has rank 0 */
        ch_separation_free(s->context, &s->parts[first]);
        set.rank = most;
        status = ch_separate(s->context, &s->parts[first], &s->X[first], &set);
    }
    for (int p = 0; p < live->planes; p++) {
        if (status < 0 || status == CH_STOP_CANCELLED) return status;
        if (p != first)
            status = ch_separate_plane(s->context, &s->parts[p], &s->X[p], &s->parts[first], &set);
    }
    return status == CH_STOP_CANCELLED || status < 0 ? status : CH_OK;
}

static ch_status remove_ghosts(selection *s) {
    ch_live *live = s->live;
    ch_separation *parts[CH_LIVE_PLANES_MAX];
    const ch_matrix *X[CH_LIVE_PLANES_MAX];
    if (live->set.keep_ghosts) return CH_OK;
    for (int p = 0; p < live->planes; p++) {
        int at = (first_plane(live) + p) % live->planes;
        parts[p] = &s->parts[at];
        X[p] = &s->X[at];
    }
    return ch_ghosts_remove(s->context, &live->worker.ghosts, parts, X,
                            &(ch_frame_shape){live->size.width, live->size.height, live->planes});
}

/* Copies factor k of the separation to factor `at` of the model. */
static void take(selection *s, int64_t k, int64_t at) {
    ch_live *live = s->live;
    const ch_separation *first = &s->parts[first_plane(live)];
    for (int p = 0; p < live->planes; p++) {
        float *to = chi_live_factor(live, &live->worker.made, p, at);
        const double *from = s->parts[p].H + k;
        for (int64_t i = 0; i < chi_plane_pixels(&live->layout, p); i++)
            to[i] = (float)from[i * first->rank];
    }
    live->worker.anchors[at] = first->anchors ? first->anchors[k] : -1;
}

static void join(selection *s) {
    ch_live *live = s->live;
    chi_live_model *made = &live->worker.made;
    int64_t rank = live->model.rank, at = live->worker.replaced;
    for (int p = 0; p < live->planes; p++)
        memcpy(chi_live_factor(live, made, p, 0), chi_live_factor(live, &live->model, p, 0),
               (size_t)(rank * chi_plane_pixels(&live->layout, p)) * sizeof *made->values);
    made->rank = at < rank ? rank : rank + 1;
    memcpy(live->worker.anchors, live->info.anchors, sizeof live->worker.anchors);
    take(s, 0, at);
    snprintf(live->worker.reason, sizeof live->worker.reason,
             "the rank is %lld: a background factor for the light since frame %lld %s",
             (long long)made->rank, (long long)live->info.switch_frame,
             at < rank ? "replaced the factor that was unused for the longest time" : "was added");
}

static void take_all(selection *s) {
    ch_live *live = s->live;
    const ch_separation *first = &s->parts[first_plane(live)];
    live->worker.made.rank = first->rank;
    for (int64_t k = 0; k < first->rank; k++) take(s, k, k);
    memcpy(live->worker.reason, first->reason, sizeof live->worker.reason);
}

ch_status chi_live_learn(ch_context *context, ch_live *live) {
    selection s = {.context = context, .live = live, .arena.context = context};
    ch_status status = gather(&s);
    if (status == CH_OK) status = separate(&s);
    if (status == CH_OK) status = remove_ghosts(&s);
    if (status == CH_OK && live->worker.task == CHI_LIVE_FIRST)
        status = chi_live_first_noise(context, live, s.parts, s.slots, s.count);
    if (status == CH_OK) (live->window.since > 0 ? join : take_all)(&s);
    for (int p = 0; p < live->planes; p++) ch_separation_free(context, &s.parts[p]);
    chi_arena_free(&s.arena);
    return status;
}
