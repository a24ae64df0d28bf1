/* Live separation, frame by frame. The caller's threads fit weights, render the background, make
 * the mask and update the background; the worker thread learns (live_worker.c). Results take effect
 * at fixed frame numbers, so that they do not depend on timing. */
#include "base/sized.h"
#include "video/live/live_state.h"
#include "video/mask/masker.h"
#include <math.h>
#include <string.h>

/* Step of the slow median of the noise, relative, per update. */
static const double NOISE_STEP = 0.005;
/* Relative change of the noise from which the threshold follows. */
static const double NOISE_MOVED = 0.05;
/* Minimum share of the background for a factor to count as used. */
static const double IN_USE = 0.05;
/* Only a change of the light puts this share of the picture off. */
static const double JUMP = 0.30;
/* Step of the slow median of the share that is off, per frame. */
static const double USUAL_STEP = 0.002;
enum { MOVED = 3 }; /* frames in a row of yet another light that restart an adaptation */
enum { CALM = 5 };  /* ordinary frames in a row that end an adaptation                 */

/* ---- one frame ---- */

typedef struct rendering {
    ch_live *live;
    float w[CH_LIVE_RANK_MAX];
    ch_mask_plane in[CH_LIVE_PLANES_MAX]; /* input of the masker */
} rendering;

/* Renders the background of some pixels of a plane. */
static void render(void *user, float *to, int plane, int64_t from, int64_t count) {
    const rendering *r = user;
    chi_live_stretch part = chi_live_stretch_of(r->live, plane, from, count, r->w);
    r->live->loops->render(to, &part);
}

static void hold(void *user, int64_t strip, int first, int plane, int64_t from, int64_t count,
                 const float *b) {
    const rendering *r = user;
    chi_live_stretch part = chi_live_stretch_of(r->live, plane, from, count, r->w);
    chi_live_reference_hold(r->live, strip, first, &part, b);
}

static double moved(void *user, int64_t strip) {
    const rendering *r = user;
    return chi_live_reference_moved(r->live, strip, r->w);
}

/* Renders the background of the whole frame. */
static void render_all(rendering *r) {
    const ch_live *live = r->live;
    for (int p = 0; p < live->planes; p++)
        render(r, chi_live_background_of(live, p), p, 0, chi_plane_pixels(&live->layout, p));
}

/* Fits the weights of a frame. */
static rendering explain(ch_live *live, double *off, const chi_live_picture *picture) {
    rendering r = {.live = live};
    double w[CH_LIVE_RANK_MAX];
    chi_live_weights_fit(live, off, picture);
    chi_live_weights_get(live, w);
    for (int k = 0; k < CH_LIVE_RANK_MAX; k++) r.w[k] = (float)w[k];
    for (int p = 0; p < live->planes; p++)
        r.in[p] = (ch_mask_plane){picture->planes[p], chi_plane_pixels(&live->layout, p),
                                  chi_live_background_of(live, p)};
    return r;
}

static ch_live_state state_of(const ch_live *live) {
    if (live->model.rank == 0) return CH_LIVE_WARM_UP;
    if (live->frozen) return CH_LIVE_FROZEN;
    if (live->worker.task == CHI_LIVE_FIRST) return CH_LIVE_ADAPTING;
    return live->since_switch >= 0 ? CH_LIVE_ADAPTING : CH_LIVE_STEADY;
}

static ch_status answer(ch_live *live, ch_live_result *result, const chi_live_picture *picture,
                        int flags) {
    float *score = flags & CH_LIVE_SCORES ? live->score : NULL;
    rendering r = explain(live, &result->off, picture);
    chi_mask_making making = {.make = render,
                              .hold = hold,
                              .moved = moved,
                              .user = &r,
                              .packed = picture->packed,
                              .whole = score || !(flags & CH_LIVE_MASK_ALONE)};
    for (int p = 0; p < live->planes; p++) {
        making.planes[p] = chi_live_background_of(live, p);
        if (picture->packed) making.apart[p] = live->apart + p * live->pixels;
    }
    TRY(chi_masker_apply_making(live->masker, live->mask, score, r.in, &making));
    result->mask = live->mask;
    result->score = score;
    live->rendered = making.whole;
    memcpy(live->last_w, r.w, sizeof live->last_w);
    for (int p = 0; p < live->planes && making.whole; p++) result->background[p] = making.planes[p];
    result->rank = live->model.rank;
    chi_live_weights_get(live, result->weights);
    result->gap = live->weights.gap;
    return CH_OK;
}

/* ---- the first background ---- */

/* Estimates the noise, the threshold and the usual share of the picture that is off, from the
 * remembered frames. */
static ch_status settle(ch_live *live) {
    chi_live_picture picture = {.packed = NULL};
    int64_t slots[CHI_LIVE_SPREAD], count = live->window.held;
    double off[CHI_LIVE_SPREAD];
    chi_masker_expect(live->masker, count, chi_live_spread(live));
    for (int64_t slot = 0; slot < count; slot++) {
        if (chi_masker_skips(live->masker)) continue;
        chi_live_frame(live, picture.planes, slot);
        rendering r = explain(live, &off[0], &picture);
        render_all(&r);
        TRY(ch_masker_learn(live->masker, r.in, 1));
    }
    TRY(ch_masker_settle(live->masker, &live->settled));
    count = chi_live_sample_frames(live, slots, chi_live_spread(live));
    for (int64_t k = 0; k < count; k++) {
        chi_live_frame(live, picture.planes, slots[k]);
        chi_live_weights_fit(live, &off[k], &picture);
    }
    live->change.usual = chi_select_value(off, count, count / 2);
    live->noise = live->settled.noise;
    return CH_OK;
}

/* Puts worker.made into use. */
static void take_model(ch_live *live) {
    chi_live_model model = live->model;
    live->model = live->worker.made;
    live->worker.made = model;
    chi_live_weights_take(live, 1);
    chi_live_reference_drop(live);
    chi_live_forget_pending(live);
    live->info.rank = live->model.rank;
    memcpy(live->info.anchors, live->worker.anchors, sizeof live->info.anchors);
    memcpy(live->info.rank_reason, live->worker.reason, sizeof live->info.rank_reason);
    memcpy(live->info.ghosts_reason, live->worker.ghosts.reason, sizeof live->info.ghosts_reason);
}

static ch_status warm_up(ch_live *live, ch_live_result *result, const chi_live_picture *picture,
                         int flags) {
    chi_live_remember(live, picture);
    if (live->set.late) chi_live_first_slice(live);
    if (live->window.held < live->window.capacity) return CH_OK;
    result->learned_anew = 1;
    if (live->set.late) {
        chi_live_first_begin(live, picture);
        live->worker.due = result->frame;
        chi_live_give(live, CHI_LIVE_FIRST);
        return answer(live, result, picture, flags);
    }
    TRY_OK(chi_live_learn(live->context, live));
    take_model(live);
    TRY(settle(live));
    return answer(live, result, picture, flags);
}

/* ---- detecting a switch of the light ---- */

/* Compares the share of sampled pixels that are off the background with the usual share. The usual
 * share is a slow median, which moves by a fixed step towards every new value. People also raise
 * the share, but by less, or not for so long over so much of the picture. */
static int unusual(const chi_live_change *change, double off) {
    return off > change->usual + JUMP;
}

/* Returns whether the light was switched CHI_LIVE_CONFIRM frames ago. */
static int switched(chi_live_change *change, double off) {
    int high = unusual(change, off);
    if (!high && change->high < CHI_LIVE_CONFIRM) change->implausible += change->high;
    change->high = high ? change->high + 1 : 0;
    if (!high) change->usual += off > change->usual ? USUAL_STEP : -USUAL_STEP;
    if (change->usual < 0) change->usual = 0;
    return change->high == CHI_LIVE_CONFIRM;
}

/* ---- learning ---- */

static void end_switch(ch_live *live) {
    live->since_switch = -1;
    live->window.since = 0;
    live->change.high = 0;
}

/* Replaces the median by the learned background and its noise. */
static void collect_first(ch_live *live, ch_live_result *result) {
    chi_live_worker *worker = &live->worker;
    if (worker->status < 0) {
        chi_log(live->context, CH_LOG_WARNING,
                "the background could not be learned, so the median of the first frames is used "
                "instead: %s",
                ch_context_message(worker->context));
    } else {
        take_model(live);
        chi_masker_take(live->masker, &live->settled, &worker->noise);
        live->noise = live->settled.noise;
        result->learned_anew = 1;
    }
}

/* Puts a finished task into effect. */
static void collect(ch_live *live, ch_live_result *result, int late) {
    chi_live_worker *worker = &live->worker;
    if (worker->task == CHI_LIVE_UPDATE) {
        worker->task = CHI_LIVE_IDLE;
        chi_live_update(live);
        chi_live_weights_take(live, 0);
        chi_live_reference_follow(live);
        live->info.lessons++;
        live->info.absorbed += live->update.absorbed;
        return;
    }
    chi_live_task done = chi_live_collect(live, late);
    if (done == CHI_LIVE_IDLE) return;
    end_switch(live);
    if (done == CHI_LIVE_FIRST) {
        collect_first(live, result);
        return;
    }
    if (worker->status < 0) {
        chi_log(
            live->context, CH_LOG_WARNING,
            "the new background after the change of light at frame %lld could not be learned: %s",
            (long long)live->info.switch_frame, ch_context_message(worker->context));
        return;
    }
    take_model(live);
    live->info.adaptations++;
    live->info.adapted_frame = result->frame;
    result->learned_anew = 1;
}

/* Updates the noise from frames that were not used for learning. Frames used for learning would
 * give too small a value. */
static void follow_noise(ch_live *live) {
    double now = chi_live_weights_noise(live);
    live->noise *= now > live->noise ? 1 + NOISE_STEP : 1 - NOISE_STEP;
    if (fabs(live->noise / live->settled.noise - 1) > NOISE_MOVED)
        chi_masker_retune(live->masker, &live->settled, live->noise);
}

/* Returns the place of a new factor: after the last or, if all places are taken, that of the factor
 * unused for the longest time. */
static int64_t place_for_factor(const ch_live *live) {
    int64_t at = 0, rank = live->model.rank;
    if (rank < live->capacity) return rank;
    for (int64_t k = 1; k < rank; k++)
        if (live->used[k] < live->used[at]) at = k;
    return at;
}

static void start_update(ch_live *live, int64_t frame, const chi_live_picture *picture) {
    live->update.slot = chi_live_remember(live, picture);
    live->worker.due = frame + live->set.every;
    memcpy(live->update.mask, live->mask, (size_t)live->pixels);
    chi_live_weights_get(live, live->update.w);
    follow_noise(live); /* must come first: the update reads the threshold */
    live->worker.task = CHI_LIVE_UPDATE;
}

static void begin_switch(ch_live *live, int64_t frame) {
    live->since_switch = live->calm = live->moved = 0;
    live->window.since = 0;
    live->info.switch_frame = frame;
    chi_live_weights_keep(live);
}

/* Adapts to a new light. Remembers every frame, and starts to learn a new background when there are
 * enough frames of one light. If the old light returns, the adaptation ends without effect. */
static void adapt(ch_live *live, const ch_live_result *result, const chi_live_picture *picture) {
    live->calm = unusual(&live->change, result->off) ? 0 : live->calm + 1;
    if (live->calm >= CALM) {
        end_switch(live);
        return;
    }
    live->moved = chi_live_weights_moved(live) > JUMP ? live->moved + 1 : 0;
    if (live->moved >= MOVED) begin_switch(live, result->frame + 1 - MOVED);
    chi_live_remember(live, picture);
    live->window.since++;
    if (++live->since_switch < live->set.adapt) return;
    live->worker.due = result->frame + CHI_LIVE_DELAY;
    live->worker.replaced = place_for_factor(live);
    chi_live_give(live, CHI_LIVE_LEARN);
}

static void learn(ch_live *live, const ch_live_result *result, const chi_live_picture *picture) {
    /* Idle and collected: the window may be written. */
    int idle = live->worker.task == CHI_LIVE_IDLE;
    int64_t frame = result->frame;
    if (live->since_switch < 0 && switched(&live->change, result->off) && live->set.adapt > 0) {
        live->info.switches++;
        begin_switch(live, frame + 1 - CHI_LIVE_CONFIRM);
    }
    for (int64_t k = 0; k < live->model.rank; k++)
        if (chi_live_weights_share(live, k) > IN_USE) live->used[k] = frame;
    int due = frame % live->set.every == 0;
    if (!idle) return;
    /* Frames that differ strongly from those before are not used for learning. But if the new light
     * stays and nothing adapts to it, the updates must continue in it. */
    int plausible = live->change.high == 0 || live->change.high >= CHI_LIVE_CONFIRM;
    if (live->since_switch >= 0)
        adapt(live, result, picture);
    else if (due && plausible)
        start_update(live, frame, picture);
}

/* ---- starting from a background learned before ---- */

static ch_status begin(ch_live *live, const ch_live_start *start) {
    live->model.rank = live->info.rank = start->rank;
    for (int p = 0; p < live->planes; p++)
        for (int64_t k = 0; k < start->rank; k++) {
            float *to = chi_live_factor(live, &live->model, p, k);
            const double *from = start->H[p] + k;
            for (int64_t i = 0; i < chi_plane_pixels(&live->layout, p); i++)
                to[i] = (float)from[i * start->rank];
        }
    for (int k = 0; k < CH_LIVE_RANK_MAX; k++) live->info.anchors[k] = -1;
    chi_live_weights_take(live, 1);
    TRY(ch_masker_settle_with(live->masker, &live->settled, start->noise));
    live->noise = live->settled.noise;
    live->frozen = 1;
    return CH_OK;
}

/* ---- the calls ---- */

ch_status ch_live_create(ch_context *context, ch_live **live, const ch_frame_shape *shape,
                         const ch_live_settings *settings) {
    if (!context) return CH_ERR_ARGUMENT;
    ch_live *made = chi_alloc_zero(context, 1, sizeof *made);
    if (!made) return chi_no_memory(context, "live separation", 1, sizeof *made);
    made->context = made->arena.context = context;
    made->loops = chi_kernels_of(context)->live;
    made->since_switch = -1;
    made->info.switch_frame = made->info.adapted_frame = -1;
    ch_status status = chi_live_reserve(made, shape, settings);
    if (status == CH_OK) status = chi_live_weights_create(made);
    if (status == CH_OK) status = ch_masker_create(context, &made->masker, shape, &made->mask_set);
    if (status == CH_OK) status = chi_masker_reserve_reference(made->masker);
    if (status == CH_OK) status = chi_live_reference_create(made);
    if (status == CH_OK) status = ch_masker_set_region(made->masker, made->watch);
    if (status == CH_OK && made->set.start) status = begin(made, made->set.start);
    if (status == CH_OK) status = chi_live_worker_start(made);
    if (status == CH_OK)
        *live = made;
    else
        ch_live_destroy(made);
    return status;
}

void ch_live_destroy(ch_live *live) {
    if (!live) return;
    chi_live_worker_stop(live);
    ch_masker_destroy(live->masker);
    chi_live_weights_destroy(live);
    chi_arena_free(&live->arena);
    chi_free(live->context, live);
}

static ch_status take_packed(ch_live *live, chi_live_picture *picture, const uint8_t *pixels) {
    if (live->planes != 3 || live->layout.halves)
        return chi_fail(live->context, CH_ERR_ARGUMENT,
                        "packed frames (CH_LIVE_PACKED) must have three planes of full resolution");
    if (!live->apart) live->apart = chi_arena_alloc_zero(&live->arena, live->pixels, 3);
    TRY(chi_arena_status(&live->arena, "a frame"));
    picture->packed = pixels;
    for (int p = 0; p < 3; p++) picture->planes[p] = live->apart + p * live->pixels;
    return CH_OK;
}

ch_status ch_live_process(ch_live *live, ch_live_result *result, const uint8_t *const *frame,
                          int flags) {
    if (!live) return CH_ERR_ARGUMENT;
    chi_live_picture picture = {.packed = NULL};
    int packed = (flags & CH_LIVE_PACKED) != 0;
    TRY(chi_sized_check(live->context, result, "ch_live_result"));
    if (!frame)
        return chi_fail(live->context, CH_ERR_ARGUMENT,
                        "the list of planes of the frame must not be NULL");
    for (int p = 0; p < (packed ? 1 : live->planes); p++) {
        if (!frame[p])
            return chi_fail(live->context, CH_ERR_ARGUMENT, "plane %d of the frame is NULL", p);
        picture.planes[p] = frame[p];
    }
    if (packed) TRY(take_packed(live, &picture, frame[0]));
    ch_live_result now = {.size = sizeof now, .frame = live->info.frames};
    ch_status status = CH_OK;
    if (live->model.rank == 0) {
        status = warm_up(live, &now, &picture, flags); /* in l1 a few damaged frames do no harm */
    } else {
        if (live->worker.task != CHI_LIVE_IDLE && now.frame >= live->worker.due)
            collect(live, &now, live->set.late);
        status = answer(live, &now, &picture, flags);
        int learning_first = live->worker.task == CHI_LIVE_FIRST;
        if (status == CH_OK && !live->frozen && !learning_first && !(flags & CH_LIVE_DAMAGED))
            learn(live, &now, &picture);
    }
    if (status != CH_OK) return status;
    live->info.frames++;
    now.state = state_of(live);
    chi_result_give(result, &now, sizeof now);
    return CH_OK;
}

ch_status ch_live_replay(ch_live *live, ch_live_result *result, const uint8_t **planes_out,
                         int64_t i, int flags) {
    chi_live_picture picture = {.packed = NULL};
    double w[CH_LIVE_RANK_MAX];
    if (!live) return CH_ERR_ARGUMENT;
    TRY(chi_sized_check(live->context, result, "ch_live_result"));
    if (live->model.rank == 0 || live->set.start || live->window.next != 0 ||
        live->info.lessons > 0)
        return chi_fail(
            live->context, CH_ERR_ARGUMENT,
            "the frames of the warm-up can be replayed only directly after the warm-up");
    if (i < 0 || i >= live->window.capacity)
        return chi_fail(live->context, CH_ERR_ARGUMENT, "frame %lld is not a frame of the warm-up",
                        (long long)i);
    chi_live_frame(live, picture.planes, i);
    for (int p = 0; p < live->planes && planes_out; p++) planes_out[p] = picture.planes[p];
    memcpy(w, live->weights.w, sizeof w);
    ch_live_result now = {.size = sizeof now,
                          .frame = live->info.frames - live->window.capacity + i,
                          .state = CH_LIVE_WARM_UP};
    ch_status status = answer(live, &now, &picture, flags);
    memcpy(live->weights.w, w, sizeof w);
    chi_result_give(result, &now, sizeof now);
    return status;
}

ch_status ch_live_background_bytes(ch_live *live, uint8_t *pixels) {
    if (!live || !pixels) return CH_ERR_ARGUMENT;
    if (live->model.rank == 0)
        return chi_fail(live->context, CH_ERR_ARGUMENT,
                        "there is no background yet, because the warm-up has not ended");
    if (!live->rendered) {
        rendering r = {.live = live};
        memcpy(r.w, live->last_w, sizeof r.w);
        render_all(&r);
        live->rendered = 1;
    }
    for (int p = 0; p < live->planes; p++) {
        const float *from = chi_live_background_of(live, p);
        for (int64_t i = 0; i < live->pixels; i++) {
            float value = from[chi_plane_at(&live->layout, p, i)];
            pixels[i * live->planes + p] = (uint8_t)((value < 255 ? value : 255) + 0.5f);
        }
    }
    return CH_OK;
}

ch_status ch_live_freeze(ch_live *live, int frozen) {
    if (!live) return CH_ERR_ARGUMENT;
    if (frozen && !live->frozen) {
        ch_live_result unused = {0};
        if (live->worker.task == CHI_LIVE_FIRST) collect(live, &unused, 0);
        chi_live_collect(live, 0); /* the result is discarded */
        end_switch(live);
    }
    live->frozen = frozen != 0;
    return CH_OK;
}

ch_status ch_live_get_info(const ch_live *live, ch_live_info *info) {
    ch_live_info now = live->info;
    TRY(chi_sized_check(live->context, info, "ch_live_info"));
    now.state = state_of(live);
    now.noise = live->settled.noise;
    now.threshold = live->settled.threshold;
    now.warnings = live->settled.warnings;
    memcpy(now.mask_reason, live->settled.reason, sizeof now.mask_reason);
    now.implausible = live->change.implausible;
    chi_result_give(info, &now, sizeof now);
    return CH_OK;
}

const float *ch_live_model(const ch_live *live, int plane, int64_t *rank) {
    if (plane < 0 || plane >= live->planes || live->model.rank == 0) return NULL;
    if (rank) *rank = live->model.rank;
    return chi_live_factor(live, &live->model, plane, 0);
}
