/* Finds a vertex from a part of the rows (Portnoy and Koenker, Statistical Science 12, 1997). Near
 * the optimum the residuals of most rows are so large that their signs are certain. Rows G with
 * certain signs s_i contribute a linear function,
 *
 *     sum_{i in G} s_i (x_i - A_i b) = const - (A_G's_G)'b,
 *
 * which only changes the cost c. What remains is a problem of the same form on the rows T with
 * small residuals. The pivots of lad_pivot.h solve it, and each passes over T alone. Then one pass
 * over all rows finds the signs that were wrong, and T is chosen again around the new point. The
 * vertex is only a proposal: either it is proven optimal, or the pivots over all rows continue from
 * it. */
#pragma once

#include "project/lad/lad_band.h"
#include "project/lad/lad_pivot.h"

enum {
    SUBSET_ROWS = 64,      /* minimum number of rows of T                            */
    SUBSET_PER_ANCHOR = 6, /* further rows of T per anchor                           */
    SUBSET_WORTH = 3,      /* minimum ratio of all rows to T; below it T is not used */
    SUBSET_ROUNDS = 6,     /* how often T is chosen                                  */
    SUBSET_WRONG = 16,     /* T was too small if wrong signs exceed T / this         */
    SUBSET_PIVOTS = 10,    /* pivots on each T, times (k + 10)                       */
    SUBSET_WEIGHINGS = 6,  /* rounds of reweighting before the first pivot           */
    AHEAD = 8,             /* rows that are fetched before they are gathered         */
    QUANTILE_ROWS = 512    /* rows from which the size of residuals is estimated     */
};
/* T holds residuals up to SUBSET_REACH times the expected remaining distance. The other factors
 * change that band if T was far too small, too small, or nearly right. */
static const double SUBSET_REACH = 2, BAND_LOST = 3, BAND_SMALL = 2, BAND_CLOSE = 0.5;

static int64_t subset_wanted(const chi_lad *w) {
    return SUBSET_ROWS + SUBSET_PER_ANCHOR * w->k;
}

/* Returns the number of the `count` sizes, padded to whole vectors, that are at most `limit`. */
static int64_t count_up_to(const float *size, int64_t count, float limit) {
    const vec_f32 most = f32_all(limit);
    int64_t found = 0;
    for (int64_t i = 0; i < count; i += F32_LANES)
        found += __builtin_popcount(f32_bits(f32_load(size + i) <= most));
    return found;
}

/* Returns an estimate, from some of the rows, of the size below which about `wanted` residuals lie.
 * Sizes are ordered as their bits are, so the upper bits of the limit are found one by one. */
static float subset_limit(const narrow_rows *n, int64_t m, int64_t wanted) {
    enum { BITS = 30, BITS_LEFT = 18 };
    int64_t stride = (m + QUANTILE_ROWS - 1) / QUANTILE_ROWS, count = 0;
    int32_t bits = 0;
    float limit;
    for (int64_t i = 0; i < m; i += stride) n->near[count++] = fabsf(n->r[i]);
    for (int64_t i = count; i < whole_vectors(count); i++) n->near[i] = INFINITY;
    for (int bit = BITS; bit >= BITS_LEFT; bit--) {
        int32_t more = bits | (int32_t)1 << bit;
        memcpy(&limit, &more, sizeof limit);
        if (limit < INFINITY && count_up_to(n->near, count, limit) * stride <= wanted + stride)
            bits = more;
    }
    memcpy(&limit, &bits, sizeof limit);
    return limit;
}

static float *signs_of(const narrow_rows *n) {
    return n->near + n->count;
}

/* Chooses T, in w->subset, by the sizes of n->r. The second half of n->near receives the signs of
 * the other rows, and 0 on T. Returns the number of rows of T. */
static int64_t choose_subset(chi_lad *w, const narrow_rows *n, int64_t wanted, float reach) {
    const vec_i32 minus = (vec_i32)(-f32_all(0.0F));
    float near = subset_limit(n, w->m, wanted);
    const vec_f32 one = f32_all(1), limit = f32_all(near > reach ? near : reach);
    int64_t count = 0;
    for (int64_t i = 0; i < n->count; i += F32_LANES) {
        vec_f32 r = f32_load(n->r + i);
        vec_i32 inside = narrow_size(r) <= limit;
        vec_f32 sign = (vec_f32)(((vec_i32)one | ((vec_i32)r & minus)) & ~inside);
        f32_store(signs_of(n) + i, sign);
        for (unsigned bits = f32_bits(inside); bits; bits &= bits - 1)
            w->subset[count++] = (int32_t)(i + __builtin_ctz(bits));
    }
    while (count > 0 && w->subset[count - 1] >= w->m) count--; /* drop padding */
    return count;
}

/* Returns whether there are so many rows, compared with T, that T saves time. */
static int worth_a_subset(const chi_lad *w) {
    return w->m >= SUBSET_WORTH * subset_wanted(w);
}

/* Returns the number of residuals whose sign is not the assumed one. */
static int64_t count_wrong_signs(const narrow_rows *n) {
    const vec_f32 none = {0};
    int64_t wrong = 0;
    for (int64_t i = 0; i < n->count; i += F32_LANES)
        wrong +=
            __builtin_popcount(f32_bits(f32_load(signs_of(n) + i) * f32_load(n->r + i) < none));
    return wrong;
}

/* The problem on S, saved while the problem on T replaces it. */
typedef struct whole_problem {
    chi_column x;
    double *c;
    int64_t m;
} whole_problem;

static void forget_columns(chi_lad *w) {
    w->gathered_count = 0;
    for (int64_t j = 0; j < w->k; j++) w->column[j] = NULL;
}

/* Gathers all columns over T row by row, because a row of A is a few cache lines. */
static void gather_rows(chi_lad *w) {
    w->gathered_count = w->k;
    for (int64_t j = 0; j < w->k; j++) w->column[j] = w->gathered + j * w->m;
    for (int64_t t = 0; t < w->m; t++) {
        const double *row = row_of(w, t);
        if (t + AHEAD < w->m)
            for (int64_t j = 0; j < w->k; j += 8) __builtin_prefetch(row_of(w, t + AHEAD) + j);
        for (int64_t j = 0; j < w->k; j++) w->gathered[j * w->m + t] = row[j];
    }
}

static whole_problem enter_subset(chi_lad *w, int64_t count) {
    whole_problem whole = {w->x, w->c, w->m};
    for (int64_t t = 0; t < count; t++) {
        int64_t i = w->subset[t];
        w->subset_index[t] = w->x.index ? w->x.index[i] : (int32_t)i;
        w->subset_value[t] = w->x.value[i];
    }
    w->x.index = w->subset_index;
    w->x.value = w->subset_value;
    w->x.count = w->m = count;
    w->c = w->subset_cost;
    gather_rows(w);
    return whole;
}

static void leave_subset(chi_lad *w, const whole_problem *whole) {
    w->x = whole->x;
    w->c = whole->c;
    w->m = whole->m;
    for (int64_t l = 0; l < w->p; l++) w->B[l] = w->subset[w->B[l]];
    forget_columns(w);
}

/* Sets the pointers for F and B after rows were renumbered. */
static void name_vertex(chi_lad *w) {
    for (int64_t j = 0; j < w->k; j++) w->place[j] = -1;
    for (int64_t f = 0; f < w->p; f++) {
        set_free(w, f, w->F[f]);
        set_row(w, f, w->B[f]);
    }
}

/* Replaces the rows of B, which are all in T, by their positions in T. */
static void find_rows(chi_lad *w, int64_t count) {
    for (int64_t l = 0; l < w->p; l++) {
        int64_t low = 0, high = count;
        while (high - low > 1) {
            int64_t middle = (low + high) / 2;
            *(w->subset[middle] <= w->B[l] ? &low : &high) = middle;
        }
        w->B[l] = (int32_t)low;
    }
}

/* Adds the rows of B that are missing in T. Returns the number of rows of T. */
static int64_t include_rows(chi_lad *w, const narrow_rows *n, int64_t count) {
    for (int64_t l = 0; l < w->p; l++) {
        int32_t row = w->B[l];
        int64_t at = count;
        if (signs_of(n)[row] == 0) continue;
        signs_of(n)[row] = 0;
        for (; at > 0 && w->subset[at - 1] > row; at--) w->subset[at] = w->subset[at - 1];
        w->subset[at] = row;
        count++;
    }
    return count;
}

/* Copies T to single precision; T must be the current problem. */
static narrow_rows narrow_subset(chi_lad *w, const narrow_rows *n) {
    narrow_rows few = few_rows(w, n, w->m);
    /* The lifted row is the last row of S, and of T if T contains it. */
    if (n->lift >= 0 && w->subset[w->m - 1] == n->lift) few.lift = w->m - 1;
    for (int64_t t = 0; t < w->m; t++) few.x[t] = n->x[w->subset[t]];
    for (int64_t t = w->m; t < few.count; t++) few.x[t] = 0;
    for (int64_t j = 0; j < w->k; j++) {
        float *a = w->few_rows + (6 + j) * few.count;
        const double *from = w->gathered + j * w->m;
        for (int64_t t = 0; t < w->m; t++) a[t] = (float)(from[t] * n->unit[j]);
        for (int64_t t = w->m; t < few.count; t++) a[t] = 0;
    }
    return few;
}

/* Computes the cost on T: c - A_G's_G = c - A's + A_T's_T, where w->few_products holds A's. */
static void subset_cost(chi_lad *w, const narrow_rows *n, const narrow_rows *few) {
    for (int64_t t = 0; t < few->count; t++)
        few->step[t] = t < few->rows ? copysignf(1, n->r[w->subset[t]]) : 0;
    narrow_product(few, w->few_cost, few->step);
    for (int64_t j = 0; j < w->k; j++) {
        w->few_cost[j] += n->cost[j] - w->few_products[j];
        w->subset_cost[j] = w->few_cost[j] / n->unit[j];
    }
}

/* Moves from the vertex (F, B), or if `first` from the point b, to the optimum on T. */
static void descend_subset(chi_lad *w, const narrow_rows *n, const narrow_rows *few, double *b,
                           int first) {
    if (first) {
        double mean = 0;
        for (int64_t t = 0; t < w->m; t++) mean += fabsf(n->r[w->subset[t]]) / (double)w->m;
        reweight_many(w, few, b, &(reweighting){SUBSET_WEIGHINGS, 1, GAMMA, GAMMA_FALL, mean});
        for (int64_t t = 0; t < w->m; t++) few->step[t] = fabsf(few->r[t]);
        for (int64_t t = w->m; t < few->count; t++) few->step[t] = INFINITY;
        int64_t count = list_free(w, b);
        choose_rows(w, few->step, w->order, count);
        make_feasible(w);
        measure_edges(w);
        settle(w);
    } else {
        name_vertex(w);
        start_again(w);
    }
    descend(w, w->pivots + SUBSET_PIVOTS * (w->k + 10));
}

/* Computes b at the vertex of T, in the units of n, and its residual and A's. Returns its
 * objective. */
static double pass_at_vertex(chi_lad *w, const narrow_rows *n, double *b) {
    memset(b, 0, (size_t)w->k * sizeof *b);
    for (int64_t f = 0; f < w->p; f++) b[w->F[f]] = w->b[f] * n->scale / n->unit[w->F[f]];
    return pass_at(w, n, b);
}

/* Finds a vertex near the optimum: b, in the units of n, and F and B. Returns 0 if it finds none,
 * for example because T would be too large. On entry n->r, w->few_products and the objective
 * `value` are those of w->few_b, a point whose residuals are about `reach` away from the optimal
 * ones. */
static int solve_subsets(chi_lad *w, const narrow_rows *n, double *b, double reach, double value,
                         double noise) {
    int64_t wanted = subset_wanted(w);
    double band = SUBSET_REACH * reach;
    int vertex = 0; /* whether F and B are a vertex from which T may start */
    for (int round = 0; round < SUBSET_ROUNDS; round++) {
        int64_t count = choose_subset(w, n, wanted, (float)band), pivots = w->pivots;
        if (vertex) count = include_rows(w, n, count);
        if (count < w->k || count > w->m / 2 || count > w->few_rows_most) return vertex;
        if (vertex) find_rows(w, count);
        whole_problem whole = enter_subset(w, count);
        narrow_rows few = narrow_subset(w, n);
        subset_cost(w, n, &few);
        break_ties(w, noise);
        descend_subset(w, n, &few, b, !vertex);
        leave_subset(w, &whole);
        if (vertex && w->pivots == pivots) return 1;
        double now = pass_at_vertex(w, n, b);
        int64_t wrong = count_wrong_signs(n);
        if (wrong == 0) return 1;
        vertex = now <= value;
        if (vertex) {
            value = now;
            memcpy(w->few_b, b, (size_t)w->k * sizeof *b);
        } else {
            memcpy(b, w->few_b, (size_t)w->k * sizeof *b);
            pass_at(w, n, b);
        }
        int small = !vertex || wrong > count / SUBSET_WRONG;
        band *= !vertex ? BAND_LOST : small ? BAND_SMALL : BAND_CLOSE;
        wanted *= small ? 2 : 1;
    }
    return vertex;
}
