/* The remembered frames of a live separation: a ring, and copies of parts of it as matrices for
 * learning. */
#include "video/live/live_state.h"
#include <string.h>

static uint8_t *plane_of(const ch_live *live, int64_t slot, int plane) {
    return live->window.frames + slot * chi_frame_values(&live->layout) +
           chi_plane_offset(&live->layout, plane);
}

void chi_live_frame(const ch_live *live, const uint8_t **planes, int64_t slot) {
    for (int p = 0; p < live->planes; p++) planes[p] = plane_of(live, slot, p);
}

typedef struct remembering {
    const ch_live *live;
    const chi_live_picture *picture;
    int64_t slot;
} remembering;

enum { PART = 1 << 15 }; /* values that a thread copies at a time */

static void copy_part(void *user, int64_t part, int thread) {
    const remembering *r = user;
    int64_t from = part * PART;
    (void)thread;
    for (int p = 0; p < r->live->planes; p++) {
        int64_t left = chi_plane_pixels(&r->live->layout, p) - from;
        if (left > 0)
            memcpy(plane_of(r->live, r->slot, p) + from, r->picture->planes[p] + from,
                   (size_t)(left < PART ? left : PART));
    }
}

static void split_part(void *user, int64_t part, int thread) {
    const remembering *r = user;
    int64_t from = part * PART, left = r->live->pixels - from;
    uint8_t *to[3];
    (void)thread;
    for (int p = 0; p < 3; p++) to[p] = plane_of(r->live, r->slot, p) + from;
    r->live->loops->split(to, r->picture->packed + 3 * from, left < PART ? left : PART);
}

int64_t chi_live_remember(ch_live *live, const chi_live_picture *picture) {
    chi_live_window *window = &live->window;
    int64_t slot = window->next;
    remembering r = {live, picture, slot};
    chi_parallel(live->context, (live->pixels + PART - 1) / PART,
                 picture->packed ? split_part : copy_part, &r);
    window->next = (slot + 1) % window->capacity;
    if (window->held < window->capacity) window->held++;
    return slot;
}

int64_t chi_live_sample_frames(const ch_live *live, int64_t *slots, int64_t most) {
    const chi_live_window *window = &live->window;
    int64_t first = (window->next - window->held + window->capacity) % window->capacity;
    int64_t recent = window->since < window->held ? window->since : window->held;
    if (recent > most) recent = most;
    int64_t older = recent > 0 ? 0 : window->held, left = most - recent, count = 0;
    int64_t kept = older < left ? older : left;
    for (int64_t k = 0; k < kept; k++)
        slots[count++] = (first + k * older / kept) % window->capacity;
    for (int64_t k = window->held - recent; k < window->held; k++)
        slots[count++] = (first + k) % window->capacity;
    return count;
}

typedef struct transposing {
    const ch_live *live;
    uint8_t *values;
    const int64_t *slots;
    int64_t count;
    int plane;
} transposing;

/* Pixels are copied in strips that stay in the cache while all frames are read. */
enum { STRIP = 1024 };

static void transpose_strip(void *user, int64_t strip, int thread) {
    const transposing *t = user;
    int64_t pixels = chi_plane_pixels(&t->live->layout, t->plane), from = strip * STRIP;
    int64_t to = from + STRIP < pixels ? from + STRIP : pixels;
    (void)thread;
    for (int64_t f = 0; f < t->count; f++) {
        const uint8_t *frame = plane_of(t->live, t->slots[f], t->plane);
        for (int64_t i = from; i < to; i++) t->values[i * t->count + f] = frame[i];
    }
}

void chi_live_courses(ch_context *context, const ch_live *live, uint8_t *values,
                      const int64_t *slots, int64_t count, int plane) {
    transposing t = {live, values, slots, count, plane};
    int64_t pixels = chi_plane_pixels(&live->layout, plane);
    chi_parallel(context, (pixels + STRIP - 1) / STRIP, transpose_strip, &t);
}
