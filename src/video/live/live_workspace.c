/* The memory of a live separation, all allocated at the start. */
#include "base/sized.h"
#include "video/live/live_state.h"
#include <string.h>

/* Returns the bytes of all blocks. Allocates the blocks if arena is not NULL. */
static int64_t visit_blocks(ch_live *live, chi_arena *arena) {
    int64_t planes = live->planes, bytes = 0;
    int64_t values = chi_frame_values(&live->layout); /* values of a frame */
    chi_live_pending *pending = &live->pending;
    struct {
        void *at;     /* address of the pointer                                             */
        int64_t each; /* bytes                                                              */
        int zero;     /* whether it must be zero; zeroing others would only touch all pages */
    } all[] = {
        {&live->model.values, 4 * values * live->capacity, 0},
        {&live->worker.made.values, 4 * values * live->capacity, 0},
        {&live->window.frames, values * live->window.capacity, 0},
        {&live->update.mask, live->pixels, 0},
        {&live->worker.noise.pixels, live->set.late ? 4 * live->pixels : 0, 0},
        {&pending->value, planes * live->pixels, 1},
        {&pending->age, (int64_t)sizeof *pending->age * live->pixels, 1},
        {&pending->former, planes * live->pixels, 1},
        {&pending->back, live->pixels, 1},
        {&pending->known, live->pixels, 1},
        {&live->background, 4 * values, 0},
        {&live->score, 4 * live->pixels, 0},
        {&live->mask, live->pixels, 0},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        bytes += all[i].each;
        if (!arena || all[i].each == 0) continue; /* noise: only if late */
        void *block = (all[i].zero ? chi_arena_alloc_zero : chi_arena_alloc)(arena, all[i].each, 1);
        memcpy(all[i].at, &block, sizeof block);
    }
    return bytes;
}

static ch_status take_shape(ch_live *live, const ch_frame_shape *shape,
                            const ch_live_settings *settings) {
    ch_context *context = live->context;
    if (!context) return CH_ERR_ARGUMENT;
    if (!settings) return chi_fail(context, CH_ERR_ARGUMENT, "settings must not be NULL");
    TRY(chi_settings_take(context, &live->set, ch_live_table(), settings));
    TRY(chi_settings_take(context, &live->mask_set, ch_mask_table(), live->set.mask));
    live->size = (chi_size){shape->width, shape->height};
    TRY(chi_size_check(context, live->size));
    if (shape->planes != 1 && shape->planes != 3)
        return chi_fail(context, CH_ERR_ARGUMENT, "a frame must have 1 or 3 planes, got %d",
                        shape->planes);
    live->layout = (chi_layout){shape->width, shape->height, shape->planes, live->set.halves != 0};
    if (!chi_halves_fit(&live->layout))
        return chi_fail(context, CH_ERR_ARGUMENT,
                        "frames with colour at half the resolution must have 3 planes and an even "
                        "width and height");
    live->mask_set.halves = live->layout.halves;
    live->pixels = chi_pixels(live->size);
    live->planes = shape->planes;
    if (live->set.start) live->set.rank = live->set.start->rank;
    if (live->set.rank < 0 || live->set.rank > CH_LIVE_RANK_MAX)
        return chi_fail(context, CH_ERR_ARGUMENT,
                        "the background cannot have rank %lld; the rank must be from 1 to %d",
                        (long long)live->set.rank, CH_LIVE_RANK_MAX);
    live->capacity = (live->set.rank > 0 ? live->set.rank : CHI_LIVE_AUTO) + CHI_LIVE_LIGHTS;
    if (live->capacity > CH_LIVE_RANK_MAX) live->capacity = CH_LIVE_RANK_MAX;
    /* Without a warm-up, the window holds the frames of a new light, and at least that of an
     * update. */
    live->window.capacity =
        live->set.start ? (live->set.adapt > 0 ? live->set.adapt : 1) : live->set.warm_up;
    live->settled.size = sizeof live->settled;
    live->worker.ghosts.size = sizeof live->worker.ghosts;
    return CH_OK;
}

ch_status ch_live_bytes(ch_context *context, int64_t *held, int64_t *learning,
                        const ch_frame_shape *shape, const ch_live_settings *settings) {
    ch_live live = {.context = context};
    TRY(take_shape(&live, shape, settings));
    int64_t frames = live.window.capacity, rows = live.set.sample * live.planes;
    int64_t masker = live.pixels * (CHI_LIVE_MASKER + 27 * ch_context_threads(context)) +
                     chi_frame_values(&live.layout) * (live.layout.halves ? 4 : 2);
    int64_t sample = rows * (200 + 40 * live.capacity);
    if (held) *held = visit_blocks(&live, NULL) + masker + sample;
    if (frames > chi_live_spread(&live)) frames = chi_live_spread(&live);
    if (learning)
        *learning =
            chi_frame_values(&live.layout) * (frames + 16 * live.capacity) + 100 * live.pixels;
    return CH_OK;
}

ch_status chi_live_reserve(ch_live *live, const ch_frame_shape *shape,
                           const ch_live_settings *settings) {
    TRY(take_shape(live, shape, settings));
    visit_blocks(live, &live->arena);
    if (live->set.watch) live->watch = chi_arena_alloc(&live->arena, live->pixels, 1);
    TRY(chi_arena_status(&live->arena, "live separation"));
    if (live->set.watch) memcpy(live->watch, live->set.watch, (size_t)live->pixels);
    return CH_OK;
}
