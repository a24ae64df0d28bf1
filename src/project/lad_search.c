/* Along an edge the objective is convex and piecewise linear in the step tau; its slope grows by
 * 2 |t_i| where the residual r_i - tau t_i changes sign. The minimum is a weighted median of the
 * breakpoints r_i / t_i: found by partitioning around guessed quantiles, expected O(m), no sort. */
#include "project/lad.h"

#include <math.h>

/* Slopes below this, relative to |t|_2, are rounding: such a row does not stop the step. */
static const double FLAT = 1e-12;
enum { FEW = 8, SAMPLE = 7 };

/* Breakpoints within limit; *total is the sum of their weights. */
static int64_t collect(chi_lad *w, double limit, double *total) {
    double flat = FLAT * sqrt(chi_lad_square(w->t, w->m)), sum = 0;
    int64_t count = 0;
    for (int64_t i = 0; i < w->m; i++) {
        double weight = w->s[i] * w->t[i], size = fmax(w->s[i] * w->r[i], 0);
        int inside = (weight > flat) & (size <= limit * weight);
        w->breaks[count] = (chi_break){size, weight, (int32_t)i};
        count += inside;
        sum += inside ? weight : 0;
    }
    for (int64_t i = 0; i < count; i++) w->breaks[i].step /= w->breaks[i].weight;
    *total = sum;
    return count;
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
        int in = closed ? it.step <= threshold : it.step < threshold;
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
static int64_t finish(chi_lad *w, chi_break *list, int64_t count, double need, double *step,
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

int64_t chi_lad_search(chi_lad *w, double *step, int64_t *passed, double need, double limit) {
    double total, weight;
    chi_break *list = w->breaks, *other = w->spare;
    int64_t count = collect(w, limit, &total);
    *passed = 0;
    if (total < need || !count) {
        pass(w, passed, list, count);
        *step = limit;
        return -1;
    }
    while (count > FEW) {
        double threshold = guess(list, count, need / total);
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
        } else {
            pass(w, passed, list, below);
            chi_break *rest = other;
            other = list;
            list = rest;
            count -= below;
            total -= weight;
            need -= weight;
        }
    }
    return finish(w, list, count, need, step, passed);
}
