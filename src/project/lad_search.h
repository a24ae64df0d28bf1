/* Along an edge the objective is convex and piecewise linear in the step tau; its slope grows by
 * 2 |t_i| where the residual r_i - tau t_i changes sign. The minimum is a weighted median of the
 * breakpoints r_i / t_i. A sample of the rows tells roughly where it lies, so that most breakpoints
 * are never listed; the rest is partitioned around guessed quantiles. Expected O(m), no sort. */
#ifndef CONEHULL_LAD_SEARCH_H
#define CONEHULL_LAD_SEARCH_H

#include "project/lad_kernels.h"

/* Slopes below this, relative to the edge's length, are rounding: such a row stops no step. */
static const double FLAT = 1e-12;
enum { FEW = 8, SAMPLE = 7, ROWS_SAMPLED = 24, ROWS_WORTH_SAMPLING = 96 };

/* A step that, judging by every so-many-th row, the weighted median hardly exceeds. */
static double sampled_step(const chi_lad *w, double flat, double share, double limit) {
    chi_break sample[ROWS_SAMPLED];
    int64_t count = 0, stride = w->m / ROWS_SAMPLED;
    double total = 0, sum = 0;
    for (int64_t n = 0; n < ROWS_SAMPLED; n++) {
        int64_t i = n * stride + stride / 2, at = count;
        if (!(w->s[i] * w->t[i] > flat)) continue;
        chi_break it = break_at(w, i);
        total += it.weight;
        for (; at > 0 && sample[at - 1].step > it.step; at--) sample[at] = sample[at - 1];
        sample[at] = it;
        count++;
    }
    for (int64_t n = 0; n < count; n++) {
        if (sum > share * total) return smaller(sample[n].step, limit);
        sum += sample[n].weight;
    }
    return limit;
}

/* The step of the sampled breakpoint whose rank among the sample is nearest to share. */
static double guess(const chi_break *list, int64_t count, double share) {
    double sample[SAMPLE];
    int64_t stride = count / SAMPLE;
    for (int64_t i = 0; i < SAMPLE; i++) {
        double value = list[i * stride + stride / 2].step;
        int64_t at = i;
        for (; at > 0 && sample[at - 1] > value; at--) sample[at] = sample[at - 1];
        sample[at] = value;
    }
    int64_t rank = (int64_t)(share * SAMPLE + 0.5);
    return sample[rank < SAMPLE ? rank : SAMPLE - 1];
}

/* Those below the threshold (or at it, when closed) to low, in place; the others to high. */
static int64_t split(chi_break *low, chi_break *high, const chi_break *list, int64_t count,
                     double threshold, int closed, double *weight) {
    int64_t below = 0;
    double sum = 0;
    for (int64_t i = 0; i < count; i++) {
        chi_break it = list[i];
        int in = (it.step < threshold) | (closed & (it.step == threshold));
        high[i - below] = it;
        low[below] = it;
        below += in;
        sum += in ? it.weight : 0;
    }
    *weight = sum;
    return below;
}

static void pass(chi_lad *w, int64_t *passed, const chi_break *list, int64_t count) {
    for (int64_t i = 0; i < count; i++) w->flips[(*passed)++] = list[i].row;
}

/* Takes the breakpoints of a short list in order. */
static int64_t take_in_order(chi_lad *w, chi_break *list, int64_t count, double need, double *step,
                             int64_t *passed) {
    for (;;) {
        int64_t first = 0;
        for (int64_t i = 1; i < count; i++)
            if (list[i].step < list[first].step ||
                (list[i].step == list[first].step && list[i].weight > list[first].weight))
                first = i;
        need -= list[first].weight;
        if (need <= 0 || count == 1) {
            *step = list[first].step;
            return list[first].row;
        }
        w->flips[(*passed)++] = list[first].row;
        list[first] = list[--count];
    }
}

/* The breakpoint in the list at which the sum of weights reaches need (total at the end of it). */
static int64_t weighted_median(chi_lad *w, chi_break *list, int64_t count, double need,
                               double total, double *step, int64_t *passed) {
    chi_break *other = w->spare;
    while (count > FEW) {
        double weight, threshold = guess(list, count, need / total);
        int64_t below = split(list, other, list, count, threshold, 0, &weight);
        if (below == 0) below = split(list, other, other, count, threshold, 1, &weight);
        if (below == count) { /* all at one step: the steepest one stops there */
            for (int64_t i = 1; i < count; i++)
                if (list[i].weight > list[0].weight) list[0] = list[i];
            *step = list[0].step;
            return list[0].row;
        }
        if (weight >= need) {
            count = below;
            total = weight;
            continue;
        }
        pass(w, passed, list, below);
        chi_break *rest = other;
        other = list;
        list = rest;
        count -= below;
        total -= weight;
        need -= weight;
    }
    return take_in_order(w, list, count, need, step, passed);
}

/* The first breakpoint at which need <= sum of weights up to it, none of them beyond limit. Returns
 * its row or -1 (then the limit stops first, *step == limit); rows passed before it are left in
 * flips, their number in *passed. length is |t|^2. */
static int64_t search_edge(chi_lad *w, double *step, int64_t *passed, double need, double limit,
                           double length) {
    double flat = FLAT * sqrt(length), sum, low = -1, high = limit;
    *passed = 0;
    if (w->m >= ROWS_WORTH_SAMPLING)
        high = sampled_step(w, flat, need / total_weight(w->s, w->t, w->m), limit);
    int64_t count = collect(w, w->breaks, flat, low, high, &sum);
    if ((sum < need || !count) && high < limit) {
        pass(w, passed, w->breaks, count);
        need -= sum;
        count = collect(w, w->breaks, flat, high, limit, &sum);
    }
    if (sum < need || !count) {
        pass(w, passed, w->breaks, count);
        *step = limit;
        return -1;
    }
    return weighted_median(w, w->breaks, count, need, sum, step, passed);
}

#endif
