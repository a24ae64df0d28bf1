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

/* Two steps between which, judging by every so-many-th row, the weighted median lies. */
static void sample_rows(const chi_lad *w, double flat, double need, double *low, double *high) {
    double step[ROWS_SAMPLED], weight[ROWS_SAMPLED], sum = 0;
    int64_t count = 0, stride = w->m / ROWS_SAMPLED, rank = 0;
    for (int64_t n = 0; n < ROWS_SAMPLED; n++) {
        int64_t i = n * stride + stride / 2, at = count;
        if (!(w->s[i] * w->t[i] > flat)) continue;
        chi_break it = break_at(w, i);
        for (; at > 0 && step[at - 1] > it.step; at--) {
            step[at] = step[at - 1];
            weight[at] = weight[at - 1];
        }
        step[at] = it.step;
        weight[at] = it.weight;
        count++;
    }
    need /= (double)stride;
    while (rank < count && (sum += weight[rank]) < need) rank++;
    int64_t spread = 1 + (int64_t)sqrt((double)(rank * (count - rank)) / ROWS_SAMPLED);
    if (rank > spread) *low = smaller(step[rank - 1 - spread], *high);
    if (rank + spread < count) *high = smaller(step[rank + spread], *high);
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

/* The breakpoint at which the weights reach need, in a short list: in order. */
static chi_break median_of_few(chi_break *list, int64_t count, double need) {
    for (;;) {
        int64_t first = 0;
        for (int64_t i = 1; i < count; i++)
            if (list[i].step < list[first].step ||
                (list[i].step == list[first].step && list[i].weight > list[first].weight))
                first = i;
        need -= list[first].weight;
        if (need <= 0 || count == 1) return list[first];
        list[first] = list[--count];
    }
}

/* In any list, whose weights add up to total. */
static chi_break weighted_median(chi_break *list, chi_break *other, int64_t count, double need,
                                 double total) {
    while (count > FEW) {
        double weight, threshold = guess(list, count, need / total);
        int64_t below = split(list, other, list, count, threshold, 0, &weight);
        if (below == 0) below = split(list, other, other, count, threshold, 1, &weight);
        if (below == count) { /* all at one step: the steepest one stops there */
            for (int64_t i = 1; i < count; i++)
                if (list[i].weight > list[0].weight) list[0] = list[i];
            return list[0];
        }
        if (weight >= need) {
            count = below;
            total = weight;
            continue;
        }
        chi_break *rest = other;
        other = list;
        list = rest;
        count -= below;
        total -= weight;
        need -= weight;
    }
    return median_of_few(list, count, need);
}

/* The first breakpoint at which need <= sum of weights up to it, none of them beyond limit: its row
 * and *step; or -1 when the limit stops first, *step = limit. length is |t|^2. */
static int64_t search_edge(chi_lad *w, double *step, double need, double limit, double length) {
    double flat = FLAT * sqrt(length), low = -1, high = limit, below, within;
    if (w->m >= ROWS_WORTH_SAMPLING) sample_rows(w, flat, need, &low, &high);
    int64_t count = collect(w, w->breaks, flat, low, high, &below, &within);
    if (below >= need)
        count = collect(w, w->breaks, flat, -1, low, &below, &within);
    else if (below + within < need && high < limit)
        count = collect(w, w->breaks, flat, high, limit, &below, &within);
    if (below + within < need || !count) {
        *step = limit;
        return -1;
    }
    chi_break stop = weighted_median(w->breaks, w->spare, count, need - below, within);
    *step = stop.step;
    return stop.row;
}

#endif
