/* The loops of a pivot over the rows, in single precision, which handles twice as many rows at a
 * time. The number of anchors is small and a compile-time constant, so that the compiler keeps
 * their columns in registers. */
#pragma once

#include "project/lad/lad_search.h"
#include "project/lad/lad_start.h"
#include <float.h>

enum { NARROW_LONG = 48 }; /* in longer lists the median is found by selection */

/* The first stretch of an edge to be searched, as a share of the distance to the solution if
 * breakpoints were evenly spaced; and the factor by which stretches grow. */
static const float NARROW_GUESS = 0.5F, NARROW_STRETCH = 4;
/* Slopes below this share of the mean slope of the edge are rounding errors. */
static const float NARROW_FLAT = 1e-6F;
/* r = x - A b and sum[j] = a_j'sign(r). */
INLINE void narrow_residual_of(const narrow_rows *n, float *sum, const int k) {
    enum { K = CHI_NARROW_ANCHORS };
    vec_f32 total[K] = {{0}}, factor[K];
    const vec_i32 minus = (vec_i32)(-f32_all(0.0F));
    const float *x = n->x, *column[K];
    float *rest = n->r;
    for (int j = 0; j < k; j++) {
        factor[j] = f32_all(n->b[j]);
        column[j] = n->a[j];
    }
    for (int64_t i = 0; i < n->count; i += F32_LANES) {
        vec_f32 a[K], r = f32_load(x + i);
        for (int j = 0; j < k; j++) {
            a[j] = f32_load(column[j] + i);
            r -= factor[j] * a[j];
        }
        f32_store(rest + i, r);
        vec_i32 sign = (vec_i32)r & minus;
        for (int j = 0; j < k; j++) total[j] += (vec_f32)((vec_i32)a[j] ^ sign);
    }
    for (int j = 0; j < k; j++) sum[j] = f32_sum(total[j]);
}

/* Computes the breakpoints along t = A delta. sums[0] is the sum of their weights, sums[1] the sum
 * of |r| over them. */
INLINE void narrow_breaks_of(const narrow_rows *n, float *sums, const float *delta, const int k) {
    enum { K = CHI_NARROW_ANCHORS };
    vec_f32 weights = {0}, sizes = {0}, flat = f32_all(NARROW_FLAT);
    vec_f32 factor[K], never = f32_all(INFINITY);
    const vec_i32 minus = (vec_i32)(-f32_all(0.0F));
    const float *rest = n->r, *column[K];
    float *at = n->step, *slope = n->weight;
    for (int j = 0; j < k; j++) {
        factor[j] = f32_all(delta[j]);
        column[j] = n->a[j];
    }
    for (int64_t i = 0; i < n->count; i += F32_LANES) {
        vec_f32 t = factor[0] * f32_load(column[0] + i), r = f32_load(rest + i);
        for (int j = 1; j < k; j++) t += factor[j] * f32_load(column[j] + i);
        vec_f32 weight = (vec_f32)((vec_i32)t ^ ((vec_i32)r & minus));
        vec_i32 steep = weight > flat;
        vec_f32 size = (vec_f32)((vec_i32)narrow_size(r) & steep);
        vec_f32 step = narrow_choose(steep, size / weight, never);
        weight = (vec_f32)((vec_i32)weight & steep);
        weights += weight;
        sizes += size;
        f32_store(slope + i, weight);
        f32_store(at + i, step);
    }
    sums[0] = f32_sum(weights);
    sums[1] = f32_sum(sizes);
}

/* The breakpoints in a stretch of the edge, in whole vectors; the last vector is padded with
 * infinity. */
typedef struct near_breaks {
    float *step, *weight;
    int32_t *row;
    int64_t count;
    float total;
} near_breaks;

/* Lists the breakpoints in (low, high], 64 rows at a time, so that there are few branches. */
static void narrow_collect(near_breaks *list, const narrow_rows *n, float low, float high) {
    const float *step = n->step, *weight = n->weight;
    const vec_f32 low_all = f32_all(low), high_all = f32_all(high);
    int64_t count = 0, rows = n->count;
    float total = 0;
    for (int64_t base = 0; base < rows; base += 64) {
        int64_t end = rows - base < 64 ? rows - base : 64;
        uint64_t bits = 0;
        for (int64_t i = 0; i < end; i += F32_LANES) {
            vec_f32 at = f32_load(step + base + i);
            bits |= (uint64_t)f32_bits((at > low_all) & (at <= high_all)) << i;
        }
        for (; bits; bits &= bits - 1) {
            int64_t row = base + __builtin_ctzll(bits);
            list->row[count] = (int32_t)row;
            list->step[count] = step[row];
            list->weight[count++] = weight[row];
            total += weight[row];
        }
    }
    for (int64_t i = count; i < whole_vectors(count); i++) list->step[i] = INFINITY;
    list->count = count;
    list->total = total;
}

/* Returns the breakpoint of the list at which the sum of weights reaches need. */
static int64_t narrow_median(chi_lad *w, near_breaks *list, float need) {
    if (list->count <= NARROW_LONG) {
        for (int64_t left = list->count;; left--) {
            int64_t first = nearest_row(list->step, whole_vectors(list->count));
            need -= list->weight[first];
            if (need <= 0 || left == 1) return first;
            list->step[first] = INFINITY;
        }
    }
    for (int64_t i = 0; i < list->count; i++)
        w->breaks[i] = (chi_break){list->step[i], list->weight[i], (int32_t)i};
    return weighted_median(w->breaks, w->spare, list->count, need, list->total).row;
}

/* Returns the row of the breakpoint at which the sum of weights reaches need, and its *step;
 * returns -1 if `limit` comes first. Searches stretches of the edge that grow, beginning with one
 * that should hold few breakpoints. sums comes from narrow_breaks_of(). */
static int64_t narrow_search(chi_lad *w, const narrow_rows *n, float *step, float need, float limit,
                             const float *sums) {
    near_breaks list = {.step = n->near, .weight = n->near + n->count, .row = w->flips};
    float low = -1, share = need / sums[0], at = NARROW_GUESS * sums[1] / sums[0] * share;
    for (;;) {
        at = at < limit ? at : limit;
        narrow_collect(&list, n, low, at);
        if (list.total >= need) break;
        if (!(at < limit)) return -1;
        need -= list.total;
        low = at;
        at = at > 0 ? NARROW_STRETCH * at : limit;
    }
    int64_t found = narrow_median(w, &list, need);
    *step = n->step[list.row[found]];
    return list.row[found];
}
