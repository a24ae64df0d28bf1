/* A background from remembered frames: RobustXray and refits by ch_separate(), every further plane
 * by ch_separate_plane(), ghosts out by ch_ghosts_remove(); H then as pictures in single precision.
 * Cost: that of those calls on at most SPREAD frames. */
#include "app/live_state.h"
#include <conehull/separate.h>
#include <string.h>

enum { MOST = CHI_LIVE_SPREAD };

typedef struct selection {
    ch_context *context;
    ch_live *live;
    int64_t slots[MOST], count;
    uint8_t *values[CH_LIVE_PLANES_MAX];
    ch_matrix X[CH_LIVE_PLANES_MAX];
    uint8_t *ignore;
    ch_separation parts[CH_LIVE_PLANES_MAX];
} selection;

static ch_status gather(selection *s) {
    ch_live *live = s->live;
    s->count = chi_live_choose(live, s->slots, MOST);
    for (int p = 0; p < live->planes; p++) {
        s->values[p] = chi_alloc(s->context, s->count * live->pixels, 1);
        if (!s->values[p])
            return chi_no_memory(s->context, "remembered frames", s->count * live->pixels, 1);
        chi_live_courses(live, s->values[p], s->slots, s->count, p);
        TRY(ch_matrix_borrow_dense(s->context, &s->X[p], s->values[p], s->count, live->pixels,
                                   s->count, CH_COLUMN_MAJOR, CH_U8));
    }
    if (!live->watch) return CH_OK;
    s->ignore = chi_alloc(s->context, live->pixels, 1);
    if (!s->ignore) return chi_no_memory(s->context, "a region", live->pixels, 1);
    for (int64_t i = 0; i < live->pixels; i++) s->ignore[i] = !live->watch[i];
    return CH_OK;
}

/* The middle plane, green of a colour clip, is nearest to luma and decides on W. */
static int first_plane(const ch_live *live) {
    return live->planes / 2;
}

static ch_status separate(selection *s) {
    const ch_live *live = s->live;
    int first = first_plane(live);
    ch_separate_settings set;
    ch_settings_defaults(&ch_separate_table, &set);
    set.rank = live->set.rank;
    set.seed = live->set.seed;
    set.ignore = s->ignore;
    TRY(ch_separate(s->context, &s->parts[first], &s->X[first], &set));
    if (s->parts[first].rank > live->capacity) {
        ch_separation_free(s->context, &s->parts[first]);
        set.rank = live->capacity;
        TRY(ch_separate(s->context, &s->parts[first], &s->X[first], &set));
    }
    for (int p = 0; p < live->planes; p++)
        if (p != first)
            TRY(ch_separate_plane(s->context, &s->parts[p], &s->X[p], &s->parts[first], &set));
    return CH_OK;
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
    return ch_ghosts_remove(s->context, &live->worker.ghosts, parts, X, live->planes,
                            live->size.width, live->size.height);
}

static void take(selection *s, chi_live_model *made) {
    ch_live *live = s->live;
    const ch_separation *first = &s->parts[first_plane(live)];
    made->rank = first->rank;
    for (int p = 0; p < live->planes; p++)
        for (int64_t k = 0; k < made->rank; k++) {
            float *to = made->values + (p * live->capacity + k) * live->pixels;
            const double *from = s->parts[p].H + k;
            for (int64_t i = 0; i < live->pixels; i++) to[i] = (float)from[i * made->rank];
        }
    for (int64_t k = 0; k < CH_LIVE_RANK_MAX; k++)
        live->worker.anchors[k] = k < first->rank && first->anchors ? first->anchors[k] : -1;
    memcpy(live->worker.reason, first->reason, sizeof live->worker.reason);
}

ch_status chi_live_select(ch_context *context, ch_live *live, chi_live_model *made) {
    selection s = {.context = context, .live = live};
    ch_status status = gather(&s);
    if (status == CH_OK) status = separate(&s);
    if (status >= 0) status = remove_ghosts(&s);
    if (status >= 0) take(&s, made);
    for (int p = 0; p < live->planes; p++) {
        ch_separation_free(context, &s.parts[p]);
        chi_free(context, s.values[p]);
    }
    chi_free(context, s.ignore);
    return status < 0 ? status : CH_OK;
}
