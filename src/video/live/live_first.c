/* The first background if the caller must not wait (late): a median at the end of the warm-up,
 * replaced by the learned background when the worker has finished it.
 *
 * The median of each pixel and plane is over FRAMES remembered frames, evenly spread over those
 * held. Each of the last frames of the warm-up computes a share of the pixels, so that no call
 * takes long.
 *
 * The noise of the median is that of one frame, on the sample of the weights. The worker learns as
 * live_background.c describes. It takes the noise of every pixel from the frames it learned from,
 * with the weights of that learning. Both take effect together. */
#include "video/live/live_state.h"
#include "video/mask/masker.h"
#include <stdio.h>
#include <string.h>

enum { FRAMES = 15, SLICES = 32, CHUNK = 64 };

/* Sorts the values of two rows element by element: the smaller ones go to low. */
static void order(uint8_t *restrict low, uint8_t *restrict high) {
    for (int i = 0; i < CHUNK; i++) {
        uint8_t a = low[i], b = high[i];
        low[i] = a < b ? a : b;
        high[i] = a < b ? b : a;
    }
}

/* Sorts by exchanges of neighbours (odd-even transposition sort), CHUNK pixels at once. Each of the
 * FRAMES rounds orders every second pair. */
static void median_of(float *to, const uint8_t *const *frames, int64_t from, int64_t end) {
    for (; from < end; from += CHUNK) {
        uint8_t rows[FRAMES][CHUNK] = {{0}};
        int64_t count = end - from < CHUNK ? end - from : CHUNK;
        for (int k = 0; k < FRAMES; k++) memcpy(rows[k], frames[k] + from, (size_t)count);
        for (int round = 0; round < FRAMES; round++)
            for (int k = round % 2; k + 1 < FRAMES; k += 2) order(rows[k], rows[k + 1]);
        const uint8_t *middle = rows[FRAMES / 2];
        for (int64_t i = 0; i < count; i++) to[from + i] = middle[i];
    }
}

void chi_live_first_slice(ch_live *live) {
    const chi_live_window *window = &live->window;
    int64_t slices = window->capacity / 2 < SLICES ? window->capacity / 2 : SLICES;
    int64_t slice = window->held - (window->capacity - slices) - 1;
    if (slice < 0) return;
    for (int p = 0; p < live->planes; p++) {
        const uint8_t *frames[FRAMES];
        int64_t pixels = chi_plane_pixels(&live->layout, p);
        int64_t from = slice * pixels / slices, end = (slice + 1) * pixels / slices;
        for (int k = 0; k < FRAMES; k++) {
            const uint8_t *planes[CH_LIVE_PLANES_MAX];
            chi_live_frame(live, planes, k * window->held / FRAMES);
            frames[k] = planes[p];
        }
        median_of(chi_live_factor(live, &live->model, p, 0), frames, from, end);
    }
}

void chi_live_first_begin(ch_live *live, const chi_live_picture *picture) {
    double off;
    live->model.rank = live->info.rank = 1;
    live->info.anchors[0] = -1;
    snprintf(live->info.rank_reason, sizeof live->info.rank_reason,
             "the rank is 1: a median of %d frames is used until the background is learned",
             FRAMES);
    chi_live_weights_take(live, 1);
    chi_live_weights_fit(live, &off, picture);
    chi_masker_settle_even(live->masker, &live->settled, chi_live_weights_noise(live));
    live->noise = live->settled.noise;
    chi_live_weights_fit(live, &live->change.usual, picture);
}

ch_status chi_live_first_noise(ch_context *context, ch_live *live, const ch_separation *parts,
                               const int64_t *slots, int64_t count) {
    chi_arena arena = {.context = context};
    ch_masker *made = NULL;
    ch_frame_shape shape = {live->size.width, live->size.height, live->planes};
    float *background =
        chi_arena_alloc(&arena, chi_frame_values(&live->layout), sizeof *background);
    ch_status status = chi_arena_status(&arena, "a background");
    if (status == CH_OK) status = ch_masker_create(context, &made, &shape, &live->mask_set);
    if (status == CH_OK) status = ch_masker_set_region(made, live->watch);
    for (int64_t f = 0; f < count && status == CH_OK; f++) {
        const uint8_t *planes[CH_LIVE_PLANES_MAX];
        ch_mask_plane in[CH_LIVE_PLANES_MAX];
        chi_live_frame(live, planes, slots[f]);
        for (int p = 0; p < live->planes && status == CH_OK; p++) {
            float *to = background + chi_plane_offset(&live->layout, p);
            in[p] = (ch_mask_plane){planes[p], chi_plane_pixels(&live->layout, p), to};
            status = ch_separation_background(context, to, &parts[p], f, 1);
        }
        if (status == CH_OK) status = ch_masker_learn(made, in, 1);
    }
    if (status == CH_OK) status = ch_masker_settle(made, NULL);
    if (status == CH_OK) chi_masker_give(made, &live->worker.noise);
    ch_masker_destroy(made);
    chi_arena_free(&arena);
    return status;
}
