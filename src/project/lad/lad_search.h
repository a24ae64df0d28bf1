/* Line search along an edge. The objective is convex and piecewise linear in the step tau; its
 * slope grows by 2 |t_i| where the residual r_i - tau t_i changes sign. So the minimum is a
 * weighted median of the breakpoints r_i / t_i. Near the optimum it is one of the first
 * breakpoints, which are tried one after the other. Otherwise secant steps on a sample of the rows
 * bracket the median, so that most breakpoints are never divided or listed. The rest are
 * partitioned around guessed quantiles. Expected cost O(m), without a sort. */
#pragma once

#include "project/lad/lad_kernels.h"

/* Slopes below this share of the edge's length are rounding errors; a row with such a slope has no
 * breakpoint. */
static const double FLAT = 1e-12;
enum {
    FEW = 8,
    SAMPLE = 7,
    ROWS_WORTH_SAMPLING = 64,
    BLOCK = LANES < 4 ? 4 : LANES, /* adjacent rows of the sample */
    /* Maximum number of blocks in a sample; smaller problems use all blocks. */
    BLOCKS_SAMPLED = 256 / BLOCK,
    FIRST_ROWS = 512, /* maximum number of rows for which the first breakpoints are tried    */
    FIRST_BREAKS = 4, /* how many are tried; at 200 x 20 the first is right in 73 %, one of
                        * four in 96 % of the pivots                                          */
    BEYOND_FIRST = -2 /* none of these is right                                              */
};

/* The first breakpoints of all rows: infinite steps and weights of 0 where there is none. */
typedef struct first_breaks {
    double step[FIRST_ROWS + LANES], weight[FIRST_ROWS + LANES];
    int64_t length; /* a multiple of LANES */
} first_breaks;

/* Breakpoints as size / weight, divided only when they are listed. A weight of 0 means no
 * breakpoint. */
typedef struct row_sample {
    double size[BLOCKS_SAMPLED * BLOCK], weight[BLOCKS_SAMPLED * BLOCK];
    int64_t count;
    double total, mean_step; /* sum of weights, weighted mean of the breakpoints */
} row_sample;

static void take_sample(row_sample *sample, const chi_lad *w, double flat) {
    int64_t blocks = w->m / BLOCK, stride = (blocks + BLOCKS_SAMPLED - 1) / BLOCKS_SAMPLED;
    vec flat_all = vec_all(flat), total = {0}, sizes = {0};
    sample->count = 0;
    for (int64_t block = 0; block < blocks; block += stride)
        for (int64_t i = block * BLOCK; i < (block + 1) * BLOCK; i += LANES) {
            vec s = vec_load(w->s + i), weight = s * vec_load(w->t + i);
            vec size = s * vec_load(w->r + i);
            vec_i64 steep = weight > flat_all;
            weight = (vec)((vec_i64)weight & steep);
            size = (vec)((vec_i64)size & steep & (size > 0));
            total += weight;
            sizes += size;
            vec_store(sample->size + sample->count, size);
            vec_store(sample->weight + sample->count, weight);
            sample->count += LANES;
        }
    sample->total = vec_total(total);
    sample->mean_step = vec_total(sizes) / sample->total;
}

/* Returns the sum of the weights of sampled breakpoints up to step. */
static double weight_up_to(const row_sample *sample, double step) {
    vec even = {0}, odd = {0}, by = vec_all(step);
    for (int64_t i = 0; i < sample->count; i += BLOCK) {
        const double *size = sample->size + i, *weight = sample->weight + i;
        vec first = vec_load(weight);
        even += (vec)((vec_i64)first & (vec_load(size) <= by * first));
        if (LANES < BLOCK) {
            vec last = vec_load(weight + BLOCK - LANES);
            odd += (vec)((vec_i64)last & (vec_load(size + BLOCK - LANES) <= by * last));
        }
    }
    return vec_total(even + odd);
}

/* Narrows [*low, *high] to an interval that should contain the weighted median, judged by the
 * sample. Makes secant steps on the sum of weights, each aimed slightly beyond the median. */
static void bracket_median(const chi_lad *w, double flat, double need, double *low, double *high) {
    row_sample sample;
    take_sample(&sample, w, flat);
    if (!(sample.total > 0)) return;
    double share = (double)sample.count / (double)w->m, limit = *high;
    need *= share;
    /* The weight of a few rows; larger if the sample is a small part of the rows and so
     * uncertain. */
    double each = 2 * sample.total / (double)sample.count;
    double margin = each * (share > 0.97 ? 3 : 2 + 1.5 * sqrt(need / each));
    double step = sample.mean_step, below = 0, above = sample.total, from = 0;
    for (int round = 0; round < 7 && above - below > 2.5 * margin; round++) {
        if (!(step < limit)) step = limit;
        double sum = weight_up_to(&sample, step), aim;
        if (sum >= need) {
            *high = step;
            above = sum;
            aim = need - margin;
        } else {
            *low = from = step;
            below = sum;
            aim = need + margin;
        }
        if (step == limit && sum < need) return;
        if (*high < limit || above < sample.total)
            step = from + (*high - from) * (aim - below) / (above - below);
        else
            step = 2 * step * larger(aim / sum, 1);
        if (!(step > from)) {
            if (aim <= below) return;
            step = (from + *high) / 2;
        }
        if (!(step < *high) && *high < limit) step = (from + *high) / 2;
    }
}

/* Returns the step of the sampled breakpoint whose rank in the sample is nearest to share. */
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

/* Moves breakpoints below the threshold (if closed, also those equal to it) to low, which may be
 * the list itself, and the others to high. Returns the number of breakpoints in low; *weight is
 * their total weight. */
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

/* Returns the breakpoint at which the sum of weights reaches need, for a short list: takes
 * breakpoints in order of their steps. */
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

/* Returns the breakpoint at which the sum of weights reaches need, for a list of any length whose
 * weights add up to total. Overwrites list and other. */
static chi_break weighted_median(chi_break *list, chi_break *other, int64_t count, double need,
                                 double total) {
    while (count > FEW) {
        double weight, threshold = guess(list, count, need / total);
        int64_t below = split(list, other, list, count, threshold, 0, &weight);
        if (below == 0) below = split(list, other, other, count, threshold, 1, &weight);
        if (below == count) { /* all have the same step: the steepest stops the search */
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

/* Returns the step along delta at which the first variable of b reaches zero; *which is that
 * variable. */
INLINE double bound_limit(const double *b, const double *delta, int64_t count, int64_t *which) {
    double limit = INFINITY;
    for (int64_t f = 0; f < count; f++)
        if (delta[f] < 0 && larger(b[f], 0) < -delta[f] * limit)
            limit = larger(b[ *which = f], 0) / -delta[f];
    return limit;
}

/* Computes the breakpoints up to limit whose weight exceeds flat. Returns the smallest step. */
static double divide_breaks(first_breaks *all, const chi_lad *w, double flat, double limit) {
    const vec never = vec_all(INFINITY), flat_all = vec_all(flat), most = vec_all(limit);
    vec first = never;
    int64_t i = 0;
    for (; i + LANES <= w->m; i += LANES) {
        vec s = vec_load(w->s + i), weight = s * vec_load(w->t + i);
        vec size = s * vec_load(w->r + i);
        size = (vec)((vec_i64)size & (size > 0));
        vec_i64 steep = (weight > flat_all) & (size <= most * weight);
        vec step = (vec)(((vec_i64)(size / weight) & steep) | ((vec_i64)never & ~steep));
        vec_store(all->step + i, step);
        vec_store(all->weight + i, (vec)((vec_i64)weight & steep));
        first = vec_smaller(first, step);
    }
    all->length = i;
    double smallest = vec_least(first);
    if (i == w->m) return smallest;
    all->length += LANES;
    vec_store(all->step + i, never);
    vec_store(all->weight + i, (vec){0});
    for (; i < w->m; i++) {
        chi_break it = break_at(w, i);
        if (!(it.weight > flat) || !(it.step <= limit)) continue;
        all->step[i] = it.step;
        all->weight[i] = it.weight;
        smallest = smaller(smallest, it.step);
    }
    return smallest;
}

/* Returns the only row with this step, or BEYOND_FIRST if there are several. */
static int64_t row_at_step(const first_breaks *all, double step) {
    int64_t row = -1;
    for (int64_t i = 0; i < all->length; i += LANES) {
        unsigned bits = vec_bits(vec_load(all->step + i) == vec_all(step));
        if (!bits) continue;
        if (row >= 0 || (bits & (bits - 1))) return BEYOND_FIRST;
        row = i + __builtin_ctz(bits);
    }
    return row;
}

/* search_edge(), if one of the first breakpoints is the result or if there are no more; otherwise
 * returns BEYOND_FIRST. */
static int64_t search_first(const chi_lad *w, double *step, double flat, double need,
                            double limit) {
    const vec never = vec_all(INFINITY);
    first_breaks all;
    double at = divide_breaks(&all, w, flat, limit);
    for (int tried = 0; tried < FIRST_BREAKS; tried++) {
        vec sum = {0}, next = never, here = vec_all(at);
        *step = limit;
        if (!(at < INFINITY)) return -1;
        for (int64_t i = 0; i < all.length; i += LANES) {
            vec each = vec_load(all.step + i);
            vec_i64 passed = each <= here;
            sum += (vec)((vec_i64)vec_load(all.weight + i) & passed);
            next = vec_smaller(next, (vec)(((vec_i64)never & passed) | ((vec_i64)each & ~passed)));
        }
        *step = at;
        if (vec_total(sum) >= need) return row_at_step(&all, at);
        at = vec_least(next);
    }
    return BEYOND_FIRST;
}

/* Returns the row of the first breakpoint at which the sum of weights reaches need, and its *step.
 * Returns -1 with *step = limit if the limit comes first. length is |t|^2. */
static int64_t search_edge(chi_lad *w, double *step, double need, double limit, double length) {
    double flat = FLAT * sqrt(length), low = -1, high = limit, below, within;
    if (w->m <= FIRST_ROWS) {
        int64_t row = search_first(w, step, flat, need, limit);
        if (row != BEYOND_FIRST) return row;
    }
    if (w->m >= ROWS_WORTH_SAMPLING) bracket_median(w, flat, need, &low, &high);
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
