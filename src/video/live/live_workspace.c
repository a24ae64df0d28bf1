/* Memory of a live separation: all of it at the start. */
#include "base/sized.h"
#include "video/live/live_state.h"
#include <string.h>

typedef struct block {
    void **at;
    int64_t each; /* bytes a pixel */
} block;

enum { BLOCKS = 12 };

static void list_blocks(ch_live *live, block *list) {
    int64_t planes = live->planes;
    chi_live_pending *pending = &live->pending;
    block all[] = {
        {(void **)&live->model.values, 4 * planes * live->capacity},
        {(void **)&live->worker.made.values, 4 * planes * live->capacity},
        {(void **)&live->window.frames, planes * live->window.capacity},
        {(void **)&live->worker.mask, 1},
        {(void **)&pending->value, planes},
        {(void **)&pending->age, sizeof *pending->age},
        {(void **)&pending->former, planes},
        {(void **)&pending->back, 1},
        {(void **)&pending->known, 1},
        {(void **)&live->background, 4 * planes},
        {(void **)&live->score, 4},
        {(void **)&live->mask, 1},
    };
    _Static_assert(sizeof all / sizeof *all == BLOCKS, "a row per block");
    memcpy(list, all, sizeof all);
}

static ch_status take_shape(ch_context *context, ch_live *live, const ch_frame_shape *shape,
                            const ch_live_settings *settings) {
    int64_t width = shape->width, height = shape->height;
    if (!context) return CH_ERR_ARGUMENT;
    if (!settings) return chi_fail(context, CH_ERR_ARGUMENT, "settings must not be NULL");
    TRY(chi_settings_take(context, &live->set, ch_live_table(), settings));
    TRY(chi_settings_take(context, &live->mask_set, ch_mask_table(), live->set.mask));
    if (width < 1 || height < 1 || width > INT32_MAX / height - 1)
        return chi_fail(context, CH_ERR_ARGUMENT, "a frame cannot be %lld x %lld", (long long)width,
                        (long long)height);
    if (shape->planes != 1 && shape->planes != 3)
        return chi_fail(context, CH_ERR_ARGUMENT, "a frame has 1 plane or 3, not %d",
                        shape->planes);
    live->context = context;
    live->size = (chi_size){width, height};
    live->pixels = width * height;
    live->planes = shape->planes;
    live->capacity = (live->set.rank > 0 ? live->set.rank : CHI_LIVE_AUTO) + CHI_LIVE_LIGHTS;
    if (live->capacity > CH_LIVE_RANK_MAX) live->capacity = CH_LIVE_RANK_MAX;
    live->window.capacity = live->set.warm_up;
    live->settled.size = sizeof live->settled;
    live->worker.ghosts.size = sizeof live->worker.ghosts;
    return CH_OK;
}

/* Besides the blocks above: the masker's, and the sample's. */
static int64_t other_bytes(const ch_live *live) {
    int64_t rows = live->set.sample * live->planes;
    int64_t masker = live->pixels * (CHI_LIVE_MASKER + 18 * ch_context_threads(live->context));
    return masker + rows * (200 + 40 * live->capacity);
}

ch_status ch_live_bytes(ch_context *context, int64_t *held, int64_t *learning,
                        const ch_frame_shape *shape, const ch_live_settings *settings) {
    ch_live live = {0};
    block list[BLOCKS];
    TRY(take_shape(context, &live, shape, settings));
    list_blocks(&live, list);
    int64_t bytes = other_bytes(&live), frames = live.window.capacity;
    for (int i = 0; i < BLOCKS; i++) bytes += list[i].each * live.pixels;
    if (held) *held = bytes;
    if (frames > CHI_LIVE_SPREAD) frames = CHI_LIVE_SPREAD;
    if (learning) *learning = live.pixels * (live.planes * (frames + 16 * live.capacity) + 100);
    return CH_OK;
}

ch_status chi_live_reserve(ch_live *live, const ch_frame_shape *shape,
                           const ch_live_settings *settings, ch_context *context) {
    block list[BLOCKS];
    TRY(take_shape(context, live, shape, settings));
    list_blocks(live, list);
    for (int i = 0; i < BLOCKS; i++)
        *list[i].at = chi_arena_alloc_zero(&live->arena, live->pixels, (size_t)list[i].each);
    if (live->set.watch) live->watch = chi_arena_alloc(&live->arena, live->pixels, 1);
    TRY(chi_arena_status(&live->arena, "live separation"));
    if (live->set.watch) memcpy(live->watch, live->set.watch, (size_t)live->pixels);
    return CH_OK;
}
