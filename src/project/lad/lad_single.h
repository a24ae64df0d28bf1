/* The problem with one anchor a. The optimal b is a weighted median of the ratios x_i / a_i:
 *
 *     min_{b >= 0} sum_S |x_i - a_i b| + c b
 *     b: the smallest ratio with  sum { a_i : x_i / a_i <= b } >= (sum_S a_i - c) / 2
 *
 * The sums of weights up to several ratios at a time, in single precision, enclose the median. The
 * few rows that remain are ordered in double precision. Rows that b meets exactly share one dual
 * value, so ties, which are frequent in integer data, need not be broken. The answer is always
 * proven; if the proof fails, the general method solves the column again. Cost: O(m) with a small
 * constant. */
#pragma once

#include "project/lad/lad_rows.h"
#include <float.h>

enum {
    CUTS = 4,        /* ratios tried at a time                                          */
    CUT_ROUNDS = 24, /* maximum number of rounds; five or six are usual                 */
    ROWS_LISTED = 12 /* up to this many rows are ordered; more if they are nearly equal */
};
/* Ratios closer than this, relative to their size, cannot be separated in single precision. */
static const float RATIO_ROUNDING = 4 * FLT_EPSILON;
/* A residual below this share of x is rounding: the row is met exactly. */
static const double MET = 0x1p-50;

typedef struct ratio_rows {
    float *ratio, *weight; /* the padding has weight 0 */
    int64_t count;
    double unit, scale; /* weight = a unit; ratio = x scale / weight */
    float total, largest;
} ratio_rows;

static void load_ratios(ratio_rows *n, chi_lad *w) {
    const double *x = w->x.value, *a = column_of(w, 0);
    int64_t m = w->m;
    *n = (ratio_rows){.count = whole_vectors(m), .unit = w->cone->narrow_unit[0]};
    n->scale = (double)m / w->x.sum;
    n->ratio = w->narrow;
    n->weight = w->narrow + n->count;
    for (int64_t i = 0; i < m; i++) {
        n->weight[i] = (float)(a[i] * n->unit);
        n->ratio[i] = (float)(x[i] * n->scale);
    }
    for (int64_t i = m; i < n->count; i++) n->weight[i] = n->ratio[i] = 0;
    vec_f32 total = {0}, largest = {0}, never = f32_all(INFINITY);
    for (int64_t i = 0; i < n->count; i += F32_LANES) {
        vec_f32 weight = f32_load(n->weight + i);
        vec_i32 some = weight > 0;
        vec_f32 ratio = narrow_choose(some, f32_load(n->ratio + i) / weight, never);
        f32_store(n->ratio + i, ratio);
        total += weight;
        largest = f32_larger(largest, (vec_f32)((vec_i32)ratio & some));
    }
    n->total = f32_sum(total);
    n->largest = -f32_least(-largest);
}

/* sum[c] = the sum of the weights of ratios up to cut[c]. */
static void weights_up_to(float *sum, const ratio_rows *n, const float *cut) {
    vec_f32 at[CUTS], total[CUTS] = {{0}};
    for (int c = 0; c < CUTS; c++) at[c] = f32_all(cut[c]);
    for (int64_t i = 0; i < n->count; i += F32_LANES) {
        vec_f32 ratio = f32_load(n->ratio + i);
        vec_i32 weight = (vec_i32)f32_load(n->weight + i);
        for (int c = 0; c < CUTS; c++) total[c] += (vec_f32)(weight & (ratio <= at[c]));
    }
    for (int c = 0; c < CUTS; c++) sum[c] = f32_sum(total[c]);
}

/* Finds an interval (low, high] that contains few ratios, among them the one at which the sum of
 * weights reaches need. */
static void close_in(const ratio_rows *n, float need, float *low, float *high) {
    float below = 0, above = n->total, few = ROWS_LISTED * n->total / (float)n->count;
    *low = 0;
    *high = n->largest;
    for (int round = 0; round < CUT_ROUNDS && above - below > few; round++) {
        float cut[CUTS], sum[CUTS], width = *high - *low;
        if (!(width > RATIO_ROUNDING * *high)) return;
        for (int c = 0; c < CUTS; c++) cut[c] = *low + width * (float)(c + 1) / (CUTS + 1);
        weights_up_to(sum, n, cut);
        for (int c = 0; c < CUTS; c++) {
            if (sum[c] >= need) {
                *high = cut[c];
                above = sum[c];
                break;
            }
            *low = cut[c];
            below = sum[c];
        }
    }
}

/* Lists the rows with ratios in (low, high], in single precision. Returns the sum of weights up to
 * low. */
static float list_ratios(chi_lad *w, const ratio_rows *n, int64_t *count, float low, float high) {
    const vec_f32 low_all = f32_all(low), high_all = f32_all(high);
    vec_f32 below = {0};
    int64_t listed = 0;
    for (int64_t i = 0; i < n->count; i += F32_LANES) {
        vec_f32 ratio = f32_load(n->ratio + i);
        vec_i32 passed = ratio <= low_all;
        vec_i32 weight = (vec_i32)f32_load(n->weight + i);
        below += (vec_f32)(weight & passed);
        unsigned bits = f32_bits(~passed & (ratio <= high_all));
        for (; bits; bits &= bits - 1) {
            int64_t row = i + __builtin_ctz(bits);
            w->breaks[listed++] = (chi_break){n->ratio[row], n->weight[row], (int32_t)row};
        }
    }
    *count = listed;
    return f32_sum(below);
}

/* Returns the first row with the ratio at which the sum of weights reaches need; *reached is the
 * weight below that ratio. Returns -1 if there are too many distinct ratios. */
static int64_t median_of_ratios(chi_break *list, int64_t count, double need, double *reached) {
    double from = -1, sum = 0;
    for (int distinct = 0; distinct < 4 * ROWS_LISTED; distinct++) {
        double least = INFINITY, weight = 0;
        for (int64_t i = 0; i < count; i++)
            if (list[i].step > from) least = smaller(least, list[i].step);
        int64_t first = -1;
        for (int64_t i = count - 1; i >= 0; i--)
            if (list[i].step == least) {
                weight += list[i].weight;
                first = i;
            }
        if (first < 0) return -1;
        *reached = sum;
        sum += weight;
        if (sum >= need) return first;
        from = least;
    }
    return -1;
}

/* Keeps the listed rows whose ratio equals that of row `first` of the list in single precision, and
 * recomputes their ratios in double precision. Returns their number. */
static int64_t look_closer(chi_lad *w, int64_t first, int64_t count) {
    const double *x = w->x.value, *a = column_of(w, 0);
    double ratio = w->breaks[first].step;
    int64_t kept = 0;
    for (int64_t i = first; i < count; i++) {
        chi_break it = w->breaks[i];
        if (it.step != ratio) continue;
        it.step = x[it.row] / a[it.row];
        w->breaks[kept++] = it;
    }
    return kept;
}

/* Sums over the rows at a point b. Rows with zero residual (met rows) have sign 0. */
typedef struct single_sums {
    double norm, balance, bound; /* |r|_1, a's, x's                   */
    double met_a, met_x;         /* sums of a and x over the met rows */
} single_sums;

static void sum_rows(single_sums *sums, chi_lad *w, double b) {
    const double *x = w->x.value, *a = column_of(w, 0);
    const vec one = vec_all(1), two = vec_all(2), by = vec_all(b);
    vec norm = {0}, balance = {0}, bound = {0}, met_a = {0}, met_x = {0};
    int64_t m = w->m, i = 0;
    for (; i + LANES <= m; i += LANES) {
        vec xi = vec_load(x + i), ai = vec_load(a + i), r = xi - ai * by;
        vec_i64 minus = r < 0;
        vec size = (vec)(((vec_i64)-r & minus) | ((vec_i64)r & ~minus));
        vec_i64 off = size > vec_all(MET) * xi;
        vec sign = (vec)((vec_i64)(one - (vec)((vec_i64)two & minus)) & off);
        norm += size;
        balance += sign * ai;
        bound += sign * xi;
        met_a += (vec)((vec_i64)ai & ~off);
        met_x += (vec)((vec_i64)xi & ~off);
        vec_store(w->residual + i, r);
        vec_store(w->dual + i, sign);
    }
    *sums = (single_sums){vec_sum(norm), vec_sum(balance), vec_sum(bound), vec_sum(met_a),
                          vec_sum(met_x)};
    for (; i < m; i++) {
        double r = w->residual[i] = x[i] - a[i] * b;
        int off = fabs(r) > MET * x[i];
        double sign = w->dual[i] = !off ? 0 : r < 0 ? -1 : 1;
        sums->norm += fabs(r);
        sums->balance += sign * a[i];
        sums->bound += sign * x[i];
        if (off) continue;
        sums->met_a += a[i];
        sums->met_x += x[i];
    }
}

/* dual = d where dual is zero. */
static void share_dual(double *dual, int64_t m, double d) {
    const vec all = vec_all(d);
    int64_t i = 0;
    for (; i + LANES <= m; i += LANES) {
        vec sign = vec_load(dual + i);
        vec_store(dual + i, sign + (vec)((vec_i64)all & (sign == 0)));
    }
    for (; i < m; i++)
        if (dual[i] == 0) dual[i] = d;
}

/* Computes objective, dual and gap at b, as lad_proof.h does. Returns whether b is proven. */
static int prove_single(chi_lad *w, chi_fit *fit, double b) {
    single_sums sums;
    sum_rows(&sums, w, b);
    double d = sums.met_a > 0 ? (w->c[0] - sums.balance) / sums.met_a : 0;
    d = smaller(larger(d, -1), 1);
    share_dual(w->dual, w->m, d);
    double left = sums.balance + d * sums.met_a - w->c[0];
    double shift = left > 0 ? left / w->cone->sums[0] : 0;
    set_fit(w, fit, sums.norm + w->c[0] * b, sums.bound + d * sums.met_x, shift);
    fit->pivots = 1;
    return fit->proven;
}

/* Finds the optimal *b for one anchor. Returns 0 if *b is not proven optimal; the caller must then
 * use the general method. */
static int solve_single(chi_lad *w, chi_fit *fit, double *b) {
    const double *x = w->x.value, *a = column_of(w, 0);
    ratio_rows n;
    int64_t count, first;
    float low, high;
    double reached;
    load_ratios(&n, w);
    double need = (n.total - w->c[0] * n.unit) / 2;
    if (!(need > 0) || !(n.largest < INFINITY)) return 0;
    close_in(&n, (float)need, &low, &high);
    need -= list_ratios(w, &n, &count, low, high);
    first = median_of_ratios(w->breaks, count, need, &reached);
    if (first < 0) return 0;
    *b = x[w->breaks[first].row] / a[w->breaks[first].row];
    if (prove_single(w, fit, *b)) return 1;
    count = look_closer(w, first, count); /* they are equal only in single precision */
    first = median_of_ratios(w->breaks, count, need - reached, &reached);
    if (first < 0) return 0;
    *b = w->breaks[first].step;
    return prove_single(w, fit, *b);
}
