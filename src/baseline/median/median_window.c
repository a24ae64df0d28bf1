/* Medians over a window that slides along one column.
 *
 * A histogram of the window is updated as values enter and leave (Huang, Yang and Tang 1979). When
 * the window moves by one, its median moves by at most one place among the sorted values, so it is
 * in the same bin or in the next non-empty one. A bit per bin marks the non-empty bins, so the next
 * one is found at once, however far away it is. A second, coarser histogram would not help.
 *
 * Numbers that are not bytes are replaced by their ranks in the whole column, and each rank has a
 * bin. */
#include "baseline/median/median.h"
#include <string.h>

enum { BINS = 256, WORDS = BINS / 64 };

static int64_t larger(int64_t a, int64_t b) {
    return a > b ? a : b;
}

static int64_t smaller(int64_t a, int64_t b) {
    return a < b ? a : b;
}

/* Returns the nearest set bit above the given one, which must exist. */
static int next_bit(const uint64_t *words, int bit) {
    int word = bit >> 6;
    uint64_t left = words[word] & (~UINT64_C(1) << (bit & 63));
    while (!left) left = words[++word];
    return 64 * word + __builtin_ctzll(left);
}

static int previous_bit(const uint64_t *words, int bit) {
    int word = bit >> 6;
    uint64_t left = words[word] & ((UINT64_C(1) << (bit & 63)) - 1);
    while (!left) left = words[--word];
    return 64 * word + 63 - __builtin_clzll(left);
}

typedef struct window {
    int32_t count[BINS];
    uint64_t occupied[WORDS];
    int64_t below; /* values below the median's bin */
    int median;
} window;

static inline void enter(window *w, int value) {
    w->count[value]++;
    w->occupied[value >> 6] |= UINT64_C(1) << (value & 63);
    w->below += value < w->median;
}

static inline void leave(window *w, int value) {
    uint64_t empty = --w->count[value] == 0;
    w->occupied[value >> 6] &= ~(empty << (value & 63));
    w->below -= value < w->median;
}

/* Moves the median to the bin that holds element number `at`. */
static inline void settle(window *w, int64_t at) {
    while (w->below > at) {
        w->median = previous_bit(w->occupied, w->median);
        w->below -= w->count[w->median];
    }
    while (w->below + w->count[w->median] <= at) {
        w->below += w->count[w->median];
        w->median = next_bit(w->occupied, w->median);
    }
}

void chi_median_window_bytes(uint8_t *median, const uint8_t *x, int64_t count, int64_t radius) {
    window w;
    memset(&w, 0, sizeof w);
    int64_t first = smaller(radius, count);
    for (int64_t i = 0; i < first; i++) enter(&w, x[i]);
    for (int64_t i = 0; i < count; i++) {
        int enters = i + radius < count, leaves = i - radius - 1 >= 0;
        if (!enters || !leaves || x[i + radius] != x[i - radius - 1]) {
            if (enters) enter(&w, x[i + radius]);
            if (leaves) leave(&w, x[i - radius - 1]);
            int64_t held = smaller(i + radius, count - 1) - larger(i - radius, 0) + 1;
            settle(&w, (held - 1) / 2);
        }
        median[i] = (uint8_t)w.median;
    }
}

/* Fills order with 0..count-1 by increasing x: a merge sort, bottom up. */
static void sort_order(const chi_median_work *w, const double *x, int64_t count) {
    int32_t *from = w->order, *to = w->spare;
    for (int64_t i = 0; i < count; i++) from[i] = (int32_t)i;
    for (int64_t run = 1; run < count; run *= 2) {
        for (int64_t lo = 0; lo < count; lo += 2 * run) {
            int64_t middle = smaller(lo + run, count), hi = smaller(lo + 2 * run, count);
            int64_t a = lo, b = middle;
            for (int64_t at = lo; at < hi; at++)
                to[at] =
                    b >= hi || (a < middle && x[from[a]] <= x[from[b]]) ? from[a++] : from[b++];
        }
        int32_t *kept = from;
        from = to;
        to = kept;
    }
    if (from != w->order) memcpy(w->order, from, (size_t)count * sizeof *from);
}

static void flip(const chi_median_work *w, int32_t rank) {
    w->occupied[rank >> 6] ^= UINT64_C(1) << (rank & 63);
}

void chi_median_window(const chi_median_work *w, double *median, const double *x, int64_t count,
                       int64_t radius) {
    sort_order(w, x, count);
    for (int64_t i = 0; i < count; i++) w->rank[w->order[i]] = (int32_t)i;
    memset(w->occupied, 0, (size_t)((count + 63) / 64) * sizeof *w->occupied);
    int64_t first = smaller(radius, count), below = 0; /* counts over the window */
    int32_t at = w->rank[0];
    for (int64_t i = 0; i < first; i++) {
        flip(w, w->rank[i]);
        below += w->rank[i] < at;
    }
    for (int64_t i = 0; i < count; i++) {
        if (i + radius < count) {
            flip(w, w->rank[i + radius]);
            below += w->rank[i + radius] < at;
        }
        if (i - radius - 1 >= 0) {
            flip(w, w->rank[i - radius - 1]);
            below -= w->rank[i - radius - 1] < at;
        }
        int64_t held = smaller(i + radius, count - 1) - larger(i - radius, 0) + 1;
        int64_t wanted = (held - 1) / 2;
        for (; below > wanted; below--) at = previous_bit(w->occupied, at);
        for (int64_t in; in = w->occupied[at >> 6] >> (at & 63) & 1, below + in <= wanted;) {
            below += in;
            at = next_bit(w->occupied, at);
        }
        median[i] = x[w->order[at]];
    }
}
