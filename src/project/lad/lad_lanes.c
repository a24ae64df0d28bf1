/* Vertices for a block of columns, one column per lane. For a few anchors and some hundred rows,
 * most of the time of one column goes into sums across lanes, small systems and branches; none of
 * these exist here, because every lane computes its own. The method is that of lad_reweight.h and
 * lad_few.h:
 *
 *   1. reweighted least squares in single precision gives a point b near the optimum;
 *   2. T are the rows with the smallest residuals at b; the others keep their sign, so their loss
 *      is linear;
 *   3. pivots in double precision lead from b to the vertex that is optimal on T.
 *
 * A lane that does not reach a vertex makes no proposal. In single precision, columns are scaled by
 * powers of two so that their means are between 1 and 2, and anchors have units of their own
 * (cone.h). Cost per column: O(rows k^2) for each of ROUNDS rounds.
 *
 * The constants affect the time only. They were chosen on films of fixed cameras and on generated
 * films with several kinds of noise, of 200 to 1500 frames and with 2 to 4 anchors. */
#include "project/lad/lad_lanes.h"

#include "kernels/vectors.h"
#include <float.h>
#include <math.h>

enum {
    ROUNDS = 8,          /* of reweighting                                               */
    CURVED = 2,          /* H is computed from one of so many rows                       */
    HOLDS = 3,           /* how often a step is computed, with more variables held       */
    NEAR_ROWS = 12,      /* wanted number of rows of T                                   */
    NEAR_PER_ANCHOR = 6, /* further rows of T per anchor                                 */
    NEAR_SHARE = 64,     /* further rows of T: all rows / NEAR_SHARE                     */
    CUTS = 4,            /* limits of T that are tried at once                           */
    PIVOTS = 4,          /* times k; more pivots mean failure                            */
    PASSES = 6           /* breakpoints that a step passes; the next pivot goes further  */
};
/* Steps of reweighting are this much longer than those of least squares. Longer steps need fewer
 * rounds on average, but between nearly parallel anchors they swing around the optimum. */
static const float OVER = 1.5F;
/* Added to the diagonal of H, as a share of it: the rounding of sums in single precision. */
static const float RIDGE = 1e-6F;
/* gamma in the first two rounds, times the mean of |r|. From then on, about a share of the rows
 * have residuals below gamma: at first NEAR_FIRST, times NEAR_FALL from round to round, and at
 * least NEAR_LAST times the size of T. Large residuals of a few rows do not affect this share.
 * gamma falls by at most GAMMA_FALL per round, and not below GAMMA_LEAST times the mean of x. */
static const float GAMMA = 0.25F, NEAR_FIRST = 0.3F, NEAR_FALL = 0.6F, NEAR_LAST = 0.3F;
static const float GAMMA_FALL = 0.15F, GAMMA_LEAST = 1e-6F;
/* As in lad_few.h and lad_search.h. */
static const double PRICE = 1e-10, FLAT = 1e-12, TIE_NOISE = CHI_FIRST_NOISE;

enum { K = CHI_NARROW_ANCHORS, C = CHI_LANE_COLUMNS, F = F32_LANES };

INLINE float larger(float a, float b) {
    return a > b ? a : b;
}

INLINE vec_f32 choose_f32(vec_i32 mask, vec_f32 yes, vec_f32 no) {
    return (vec_f32)(((vec_i32)yes & mask) | ((vec_i32)no & ~mask));
}

INLINE vec choose(vec_i64 mask, vec yes, vec no) {
    return (vec)(((vec_i64)yes & mask) | ((vec_i64)no & ~mask));
}

INLINE vec_i64 choose_i64(vec_i64 mask, vec_i64 yes, vec_i64 no) {
    return (yes & mask) | (no & ~mask);
}

INLINE vec_f32 size_f32(vec_f32 v) {
    return (vec_f32)((vec_i32)v & ~(vec_i32)(-f32_all(0.0F)));
}

INLINE vec size_of(vec v) {
    return (vec)((vec_i64)v & ~(vec_i64)(-vec_all(0.0)));
}

INLINE vec_i64 all_i64(int64_t value) {
    return value - (vec_i64){0};
}

/* ---- a point near the optimum -------------------------------------------------------------- */

/* The columns of a group, F of them, and the state of each. */
typedef struct lane_group {
    const float *x, *a[K];
    int64_t rows;
    vec_f32 b[K], cost[K], mean; /* mean of x */
} lane_group;

typedef struct lane_sums {
    vec_f32 H[K][K], g[K], size, near; /* upper half of A'W A; A'W r; |r|_1; rows within gamma */
} lane_sums;

/* r of row i; a receives the entries of the anchors. */
INLINE vec_f32 residual_at(const lane_group *n, vec_f32 *a, int64_t i, const int k) {
    vec_f32 r = f32_load(n->x + i * C);
    for (int j = 0; j < k; j++) {
        a[j] = f32_all(n->a[j][i]);
        r -= n->b[j] * a[j];
    }
    return r;
}

/* Adds row i; to H only if `curved`. */
INLINE void weigh_row(lane_sums *sum, const lane_group *n, vec_f32 gamma, int64_t i,
                      const int curved, const int k) {
    vec_f32 a[K], r = residual_at(n, a, i, k), size = size_f32(r);
    vec_f32 weight = f32_inverse(f32_larger(size, gamma));
    sum->size += size;
    sum->near += (vec_f32)((vec_i32)f32_all(1) & (size <= gamma));
    if (!curved) {
        r *= weight;
        for (int j = 0; j < k; j++) sum->g[j] += r * a[j];
        return;
    }
    for (int j = 0; j < k; j++) {
        vec_f32 weighted = weight * a[j];
        sum->g[j] += weighted * r;
        for (int l = j; l < k; l++) sum->H[j][l] += weighted * a[l];
    }
}

/* The sums over all rows. H is computed from one of CURVED rows. */
INLINE void weigh(lane_sums *sums, const lane_group *group, vec_f32 gamma, const int k) {
    lane_group n = *group;
    lane_sums sum;
    int64_t i = 0;
    memset(&sum, 0, sizeof sum);
    for (; i + CURVED <= n.rows; i += CURVED) {
        weigh_row(&sum, &n, gamma, i, 1, k);
        for (int c = 1; c < CURVED; c++) weigh_row(&sum, &n, gamma, i + c, 0, k);
    }
    float scale = (float)n.rows * CURVED / (float)i;
    for (; i < n.rows; i++) weigh_row(&sum, &n, gamma, i, 0, k);
    for (int j = 0; j < k; j++)
        for (int l = j; l < k; l++) sum.H[j][l] *= scale;
    *sums = sum;
}

/* y = H^-1 g for the variables that are not held; held ones keep their y. Lanes in which H is not
 * positive definite get steps that are not numbers. */
INLINE void solve(const lane_sums *at, vec_f32 *y, const vec_i32 *held, const int k) {
    vec_f32 H[K][K], inverse[K], zero = {0};
    for (int t = 0; t < k; t++) {
        vec_f32 right = at->g[t];
        for (int u = 0; u < k; u++) {
            if (u == t) continue;
            vec_f32 entry = t < u ? at->H[t][u] : at->H[u][t];
            right -= choose_f32(held[u], entry * y[u], zero);
            if (u > t) H[t][u] = choose_f32(held[t] | held[u], zero, entry);
        }
        H[t][t] = choose_f32(held[t], f32_all(1), at->H[t][t]);
        inverse[t] = choose_f32(held[t], y[t], right);
    }
    for (int t = 0; t < k; t++) y[t] = inverse[t];
    for (int t = 0; t < k; t++) {
        inverse[t] = f32_all(1) / H[t][t];
        for (int s = t + 1; s < k; s++) {
            vec_f32 factor = H[t][s] * inverse[t];
            for (int u = s; u < k; u++) H[s][u] -= factor * H[t][u];
            y[s] -= factor * y[t];
        }
    }
    for (int t = k - 1; t >= 0; t--) {
        for (int s = t + 1; s < k; s++) y[t] -= H[t][s] * y[s];
        y[t] *= inverse[t];
    }
}

/* Moves b by `over` times the step that is optimal for g and H. A variable that would become
 * negative is held at zero, and the step of the others is computed again. */
INLINE void step(lane_group *n, const lane_sums *at, vec_f32 over, const int k) {
    vec_f32 y[K], zero = {0};
    vec_i32 held[K];
    for (int j = 0; j < k; j++) {
        y[j] = zero;
        held[j] = ~(n->b[j] > 0) & ~(at->g[j] > 0);
    }
    for (int tries = 0; tries < HOLDS; tries++) {
        vec_i32 any = {0};
        solve(at, y, held, k);
        for (int j = 0; j < k; j++) {
            vec_i32 negative = ~held[j] & (n->b[j] + over * y[j] < 0);
            y[j] = choose_f32(negative, -n->b[j] / over, y[j]);
            held[j] |= negative;
            any |= negative;
        }
        if (!f32_bits(any)) break;
    }
    for (int j = 0; j < k; j++) {
        vec_f32 b = n->b[j] + over * y[j];
        n->b[j] = choose_f32(b > 0, b, zero); /* also if b is not a number */
    }
}

/* Reweights from b = 0. Returns a limit below which about `wanted` residuals lie. */
INLINE vec_f32 reweight(lane_group *n, float wanted, const int k) {
    vec_f32 least = n->mean * GAMMA_LEAST, gamma = n->mean * GAMMA, near;
    float rows = (float)n->rows, target = NEAR_FIRST * rows;
    for (int round = 0; round < ROUNDS; round++) {
        lane_sums at;
        weigh(&at, n, gamma, k);
        for (int j = 0; j < k; j++) {
            at.g[j] -= n->cost[j];
            at.H[j][j] *= 1 + RIDGE;
        }
        step(n, &at, f32_all(round ? OVER : 1), k);
        vec_f32 scale = gamma / (at.near + 1); /* about the width of one row near zero */
        near = scale * wanted;
        gamma = round ? f32_larger(gamma * GAMMA_FALL, scale * target) : at.size * (GAMMA / rows);
        gamma = f32_larger(gamma, least);
        target = larger(target * NEAR_FALL, NEAR_LAST * wanted);
    }
    return near;
}

/* ---- T ------------------------------------------------------------------------------------- */

/* Returns limits below which about `wanted` residuals lie, given a guess. */
INLINE vec_f32 near_limit(const lane_group *group, vec_f32 guess, float wanted, const int k) {
    static const float share[CUTS] = {0.4F, 0.75F, 1.2F, 2};
    const lane_group n = *group;
    vec_f32 cut[CUTS], total[CUTS], one = f32_all(1), need = f32_all(wanted), a[K];
    for (int c = 0; c < CUTS; c++) {
        cut[c] = guess * share[c];
        total[c] = (vec_f32){0};
    }
    for (int64_t i = 0; i < n.rows; i++) {
        vec_f32 size = size_f32(residual_at(&n, a, i, k));
        for (int c = 0; c < CUTS; c++) total[c] += (vec_f32)((vec_i32)one & (size <= cut[c]));
    }
    vec_f32 limit = cut[CUTS - 1];
    for (int c = CUTS - 1; c >= 0; c--) {
        vec_f32 low = c ? cut[c - 1] : (vec_f32){0}, below = c ? total[c - 1] : (vec_f32){0};
        vec_f32 between = low + (cut[c] - low) * (need - below) / (total[c] - below);
        limit = choose_f32(total[c] >= need, between, limit);
    }
    return limit;
}

/* Marks the rows of T: bit l of marks[i] is set if row i belongs to T of lane l. n->cost -= A's
 * over the other rows. marks has whole vectors of rows. */
INLINE void mark_near(int32_t *marks, lane_group *n, vec_f32 limit, const int k) {
    const vec_i32 minus = (vec_i32)(-f32_all(0.0F));
    vec_f32 q[K] = {{0}}, a[K];
    for (int64_t i = 0; i < n->rows; i++) {
        vec_f32 r = residual_at(n, a, i, k);
        vec_i32 near = size_f32(r) <= limit, sign = (vec_i32)r & minus;
        for (int j = 0; j < k; j++) q[j] += (vec_f32)(((vec_i32)a[j] ^ sign) & ~near);
        marks[i] = (int32_t)f32_bits(near);
    }
    for (int64_t i = n->rows; i % F; i++) marks[i] = 0;
    for (int j = 0; j < k; j++) n->cost[j] -= q[j];
}

/* Lists the rows that are marked for a lane. Returns their number, which may exceed `most`; then
 * not all are listed. The list has room for a vector more. */
INLINE int32_t list_near(int32_t *list, int64_t most, const int32_t *marks, int64_t rows,
                         int lane) {
    const vec_i32 bit = (vec_i32){0} + (int32_t)(1U << lane);
    int32_t count = 0;
    vec_i32 row;
    for (int l = 0; l < F; l++) row[l] = l;
    for (int64_t i = 0; i < rows && count <= most; i += F, row += F) {
        vec_i32 mark;
        memcpy(&mark, marks + i, sizeof mark);
        count += f32_store_chosen(list + count, row, (mark & bit) != 0);
    }
    return count;
}

/* ---- the vertex of T ----------------------------------------------------------------------- */

/* T of LANES columns. out: -1 if the row is not part of the problem of this lane, because it is
 * padding or a row of the vertex. */
typedef struct near_rows {
    int64_t length;
    double *x, *r, *step, *weight, *a[K];
    int64_t *out;
} near_rows;

typedef struct lane_vertex {
    vec inverse[K][K]; /* of K (lad_few.h) */
    vec gram[K][K];
    vec b[K], q[K], cost[K], sums[K], value[K]; /* value: right sides of the constraints */
    vec_i64 row[K], bound[K];                   /* -1: none */
    vec_i64 active;                             /* lanes that still pivot */
    vec_i64 lost;                               /* lanes that failed */
    vec_i64 pivots;
} lane_vertex;

INLINE void settle(lane_vertex *v, const near_rows *t, const int k) {
    const vec_i64 minus = (vec_i64)(-vec_all(0.0));
    vec total[K], b[K];
    for (int j = 0; j < k; j++) {
        b[j] = total[j] = (vec){0};
        for (int l = 0; l < k; l++) b[j] += v->inverse[j][l] * v->value[l];
    }
    for (int64_t i = 0; i < t->length; i += LANES) {
        vec a[K], r = vec_load(t->x + i);
        vec_i64 out;
        memcpy(&out, t->out + i, sizeof out);
        for (int j = 0; j < k; j++) {
            a[j] = vec_load(t->a[j] + i);
            r -= b[j] * a[j];
        }
        vec_store(t->r + i, r);
        vec_i64 sign = (vec_i64)r & minus;
        for (int j = 0; j < k; j++) total[j] += (vec)(((vec_i64)a[j] ^ sign) & ~out);
    }
    for (int j = 0; j < k; j++) {
        v->b[j] = b[j];
        v->q[j] = total[j] - v->cost[j];
    }
}

/* The edge that is followed. */
typedef struct lane_edge {
    vec_i64 at; /* its constraint, or -1 */
    vec delta[K], slope, length;
} lane_edge;

INLINE void choose_edge(lane_edge *e, const lane_vertex *v, const int k) {
    vec best = {0}, y[K], length[K];
    vec_i64 fixed[K], any = {0};
    vec zero = {0}, sign = vec_all(1);
    e->at = all_i64(-1);
    e->slope = e->length = zero;
    for (int l = 0; l < k; l++) {
        y[l] = length[l] = zero;
        for (int j = 0; j < k; j++) {
            vec turned = zero;
            y[l] += v->q[j] * v->inverse[j][l];
            for (int i = 0; i < k; i++) turned += v->gram[j][i] * v->inverse[i][l];
            length[l] += turned * v->inverse[j][l];
        }
        fixed[l] = (v->row[l] < 0) & (v->bound[l] < 0);
        any |= fixed[l];
    }
    for (int l = 0; l < k; l++) {
        vec size = size_of(y[l]), most = zero;
        for (int j = 0; j < k; j++) most = choose(v->bound[l] == j, v->sums[j], most);
        vec row_gain = size - 1;
        vec gain = choose(fixed[l], size, choose(v->row[l] >= 0, row_gain, y[l]));
        vec_i64 good = choose_i64(v->row[l] >= 0, row_gain > PRICE, y[l] > PRICE * most);
        good = choose_i64(any, fixed[l], good) & (gain * gain > best * length[l]) & v->active;
        best = choose(good, gain * gain / length[l], best);
        e->slope = choose(good, gain, e->slope);
        e->length = choose(good, length[l], e->length);
        e->at = choose_i64(good, all_i64(l), e->at);
        sign = choose(good & (y[l] < 0), vec_all(-1), choose(good, vec_all(1), sign));
    }
    for (int j = 0; j < k; j++) {
        e->delta[j] = zero;
        for (int l = 0; l < k; l++)
            e->delta[j] = choose(e->at == l, sign * v->inverse[j][l], e->delta[j]);
    }
}

/* Computes the breakpoints along the edge. Returns the first one. */
INLINE vec find_breaks(const near_rows *t, const lane_edge *e, const int k) {
    const vec_i64 minus = (vec_i64)(-vec_all(0.0));
    const vec never = vec_all(INFINITY);
    vec first = never, flat = FLAT * FLAT * e->length, delta[K];
    for (int j = 0; j < k; j++) delta[j] = e->delta[j];
    for (int64_t i = 0; i < t->length; i += LANES) {
        vec w = delta[0] * vec_load(t->a[0] + i), r = vec_load(t->r + i);
        vec_i64 out;
        memcpy(&out, t->out + i, sizeof out);
        for (int j = 1; j < k; j++) w += delta[j] * vec_load(t->a[j] + i);
        vec weight = (vec)((vec_i64)w ^ ((vec_i64)r & minus));
        vec_i64 steep = (weight > 0) & (weight * weight > flat) & ~out;
        vec step = choose(steep, size_of(r) * vec_inverse(weight), never);
        vec_store(t->weight + i, (vec)((vec_i64)weight & steep));
        vec_store(t->step + i, step);
        first = vec_smaller(first, step);
    }
    return first;
}

/* Returns the step at which the sum of weights reaches need; infinity if it never does. at: the
 * first breakpoint. */
INLINE vec find_step(const near_rows *t, vec at, vec need, vec_i64 searching) {
    const vec never = vec_all(INFINITY);
    vec found = never;
    vec_i64 todo = searching & (at < INFINITY);
    for (int pass = 1; vec_bits(todo); pass++) {
        vec sum[2] = {{0}}, next[2] = {never, never};
        for (int64_t i = 0; i < t->length; i += 2 * LANES)
            for (int half = 0; half < 2; half++) { /* two chains of additions at a time */
                vec step = vec_load(t->step + i + half * LANES);
                vec_i64 passed = step <= at;
                vec weight = vec_load(t->weight + i + half * LANES);
                sum[half] += (vec)((vec_i64)weight & passed);
                next[half] = vec_smaller(next[half], choose(passed, never, step));
            }
        vec all = sum[0] + sum[1], after = vec_smaller(next[0], next[1]);
        vec_i64 reached = todo & (all >= need);
        if (pass == PASSES) reached = todo;
        found = choose(reached, at, found);
        todo &= ~reached & (after < INFINITY);
        at = after;
    }
    return found;
}

/* Returns the last row of T with the given step. */
INLINE vec_i64 find_row(const near_rows *t, vec step) {
    vec_i64 row = all_i64(-1);
    for (int64_t i = 0; i < t->length; i += LANES)
        row = choose_i64(vec_load(t->step + i) == step, all_i64(i / LANES), row);
    return row;
}

/* Returns the entry of `list` for constraint e->at of each lane. */
INLINE vec at_edge(const vec *list, const lane_edge *e, const int k) {
    vec entry = list[0];
    for (int l = 1; l < k; l++) entry = choose(e->at == l, list[l], entry);
    return entry;
}

/* Positions in T of the given rows, and where `valid` is 0, positions behind the end of T. */
INLINE void positions(int64_t *at, const near_rows *t, vec_i64 row, vec_i64 valid) {
    vec_i64 lane;
    for (int l = 0; l < LANES; l++) at[l] = l;
    memcpy(&lane, at, sizeof lane);
    row = choose_i64(valid, row * LANES, all_i64(t->length)) + lane;
    memcpy(at, &row, sizeof row);
}

INLINE vec gather(const double *list, const int64_t *at) {
    vec value = {0};
    for (int l = 0; l < LANES; l++) value[l] = list[at[l]];
    return value;
}

/* Replaces constraint e->at by a row of T where `meets`, else by the bound of a variable. */
INLINE void replace(lane_vertex *v, const near_rows *t, const lane_edge *e, vec_i64 meets,
                    vec_i64 row, vec_i64 which, const int k) {
    vec zero = {0}, one = vec_all(1), u[K], of_edge[K];
    vec_i64 none = all_i64(-1), old = none;
    int64_t now[LANES], before[LANES];
    for (int l = 0; l < k; l++) {
        u[l] = zero;
        old = choose_i64(e->at == l, v->row[l], old);
    }
    positions(before, t, old, v->active & (old >= 0));
    positions(now, t, row, meets);
    for (int l = 0; l < LANES; l++) t->out[before[l]] = 0;
    for (int l = 0; l < LANES; l++) t->out[now[l]] = -1;
    for (int j = 0; j < k; j++) {
        vec a = choose(meets, gather(t->a[j], now), choose(which == j, one, zero));
        for (int l = 0; l < k; l++) u[l] += a * v->inverse[j][l];
        of_edge[j] = at_edge(v->inverse[j], e, k);
    }
    vec right = choose(meets, gather(t->x, now), zero);
    vec scale = choose(v->active, one / at_edge(u, e, k), zero);
    for (int l = 0; l < k; l++) {
        vec_i64 here = e->at == l, change = v->active & here;
        v->row[l] = choose_i64(change, choose_i64(meets, row, none), v->row[l]);
        v->bound[l] = choose_i64(change, choose_i64(meets, none, which), v->bound[l]);
        v->value[l] = choose(change, right, v->value[l]);
        u[l] = scale * (u[l] - choose(here, one, zero));
    }
    for (int j = 0; j < k; j++) {
        vec_i64 exact = v->active & ~meets & (which == j); /* without rounding */
        for (int l = 0; l < k; l++) {
            vec changed = v->inverse[j][l] - of_edge[j] * u[l];
            v->inverse[j][l] = choose(exact, choose(e->at == l, one, zero), changed);
        }
    }
}

/* One pivot in every active lane. Returns whether any lane is still active. */
INLINE int pivot(lane_vertex *v, const near_rows *t, const int k) {
    lane_edge e;
    vec zero = {0}, limit = vec_all(INFINITY), first;
    vec_i64 which = all_i64(-1);
    settle(v, t, k);
    choose_edge(&e, v, k);
    v->active &= e.at >= 0;
    if (!vec_bits(v->active)) return 0;
    for (int j = 0; j < k; j++) {
        vec b = choose(v->b[j] > 0, v->b[j], zero), size = -e.delta[j];
        vec_i64 nearer = (size > 0) & (b < size * limit);
        limit = choose(nearer, b / size, limit);
        which = choose_i64(nearer, all_i64(j), which);
    }
    first = find_breaks(t, &e, k);
    vec step = find_step(t, first, e.slope * 0.5, v->active);
    vec_i64 meets = v->active & (step <= limit) & (step < INFINITY);
    vec_i64 leaves = v->active & ~meets & (which >= 0);
    v->lost |= v->active & ~meets & ~leaves;
    v->active = meets | leaves;
    v->pivots -= v->active;
    replace(v, t, &e, meets, find_row(t, step), which, k);
    return vec_bits(v->active) != 0;
}

/* Gathers T of the columns from `first` on; lanes without a proposal have no rows. Returns 0 if
 * there is no such column. */
INLINE void load_near(near_rows *t, const chi_lane_block *block, int64_t first,
                      const int32_t *count, const int k) {
    const double *unit = block->cone->narrow_unit;
    int64_t most = 0;
    for (int l = 0; l < LANES; l++)
        if (block->found[first + l] && count[l] > most) most = count[l];
    most = (most + 1) / 2 * 2;
    t->length = most * LANES;
    double *room = block->near;
    int64_t stride = t->length + LANES; /* with a vector behind the end, for positions() */
    t->x = room;
    t->r = room + stride;
    t->step = room + 2 * stride;
    t->weight = room + 3 * stride;
    for (int j = 0; j < k; j++) t->a[j] = room + (4 + j) * stride;
    t->out = (int64_t *)(room + (4 + k) * stride);
    for (int l = 0; l < LANES; l++) {
        const int32_t *list = block->list + (first + l) * block->list_stride;
        const double *x = block->value[first + l];
        int64_t length = block->found[first + l] ? count[l] : 0;
        for (int64_t e = 0; e < length; e++) {
            int64_t i = list[e], to = e * LANES + l;
            const double *a = block->cone->At + i * block->cone->At_stride;
            t->x[to] = x[i] * (1 + TIE_NOISE * block->noise[i]);
            for (int j = 0; j < k; j++) t->a[j][to] = a[j] * unit[j];
            t->out[to] = 0;
        }
        for (int64_t e = length; e <= most; e++) {
            t->x[e * LANES + l] = 0;
            for (int j = 0; j < k; j++) t->a[j][e * LANES + l] = 0;
            t->out[e * LANES + l] = -1;
        }
    }
}

/* Pivots from b to the vertices of LANES columns. */
INLINE void find_vertices(chi_lane_block *block, const lane_group *n, int64_t first, int64_t part,
                          const int32_t *count, const int k) {
    const chi_cone *cone = block->cone;
    const double *unit = cone->narrow_unit;
    near_rows t;
    lane_vertex v;
    load_near(&t, block, first, count, k);
    if (t.length == 0) {
        for (int l = 0; l < LANES; l++) block->found[first + l] = 0;
        return;
    }
    for (int j = 0; j < k; j++) {
        vec b = {0}, cost = {0};
        for (int l = 0; l < LANES; l++) {
            b[l] = n->b[j][part + l] / block->scale[first + l];
            cost[l] = n->cost[j][part + l];
        }
        for (int l = 0; l < k; l++) {
            v.inverse[j][l] = vec_all(l == j);
            v.gram[j][l] = vec_all(cone->gram[l + j * cone->capacity] * unit[j] * unit[l]);
        }
        v.cost[j] = cost;
        v.sums[j] = vec_all(cone->sums[j] * unit[j]);
        v.value[j] = b;
        v.row[j] = all_i64(-1);
        v.bound[j] = choose_i64(b > 0, all_i64(-1), all_i64(j));
    }
    v.lost = v.pivots = (vec_i64){0};
    int64_t active[LANES];
    for (int l = 0; l < LANES; l++) active[l] = block->found[first + l] ? -1 : 0;
    memcpy(&v.active, active, sizeof active);
    for (int left = PIVOTS * k; left > 0 && pivot(&v, &t, k); left--) continue;
    v.lost |= v.active;
    for (int l = 0; l < LANES; l++) {
        int64_t at = first + l;
        if (v.lost[l]) block->found[at] = 0;
        block->pivots[at] = (int)v.pivots[l];
        for (int c = 0; c < k && block->found[at]; c++) {
            int64_t row = v.row[c][l];
            if (row < 0 && v.bound[c][l] < 0) block->found[at] = 0;
            block->row[at][c] = row < 0 ? -1 : block->list[at * block->list_stride + row];
            block->bound[at][c] = (int32_t)v.bound[c][l];
        }
    }
}

/* ---- a block ------------------------------------------------------------------------------- */

/* Writes the columns row by row, scaled. Unused lanes repeat the last column before them, or the
 * first one. A column whose mean is not a normal number gets the scale 0, and so no proposal. */
static void load_columns(chi_lane_block *block) {
    enum { AT_ONCE = 4 };
    int source[C], last = 0;
    while (!block->value[last]) last++;
    for (int l = 0; l < C; l++) {
        source[l] = last = block->value[l] ? l : last;
        block->sum[l] = block->sum[last];
        double mean = block->sum[last] / (double)block->cone->rows;
        int normal = mean >= DBL_MIN && mean <= DBL_MAX;
        block->scale[l] = normal ? ldexp(1, -ilogb(mean)) : 0;
    }
    for (int l = 0; l < C; l += AT_ONCE)
        for (int64_t i = 0; i < block->cone->rows; i++) {
            float entry[AT_ONCE];
            for (int v = 0; v < AT_ONCE; v++)
                entry[v] = (float)(block->scale[l + v] * block->value[source[l + v]][i]);
            memcpy(block->x + i * C + l, entry, sizeof entry);
        }
}

/* Proposes vertices for the columns from `first` on. */
INLINE void propose_group(chi_lane_block *block, int64_t first, const int k) {
    const chi_cone *cone = block->cone;
    int64_t wanted = NEAR_ROWS + NEAR_PER_ANCHOR * k + cone->rows / NEAR_SHARE;
    int32_t count[F];
    lane_group n = {.x = block->x + first, .rows = cone->rows, .mean = {0}};
    for (int l = 0; l < F; l++)
        n.mean[l] = (float)(block->scale[first + l] * block->sum[first + l] / (double)cone->rows);
    for (int j = 0; j < k; j++) {
        n.a[j] = cone->narrow + j * cone->narrow_stride;
        n.b[j] = (vec_f32){0};
        n.cost[j] = f32_all((float)(cone->skew * cone->sums[j] * cone->narrow_unit[j]));
    }
    vec_f32 guess = reweight(&n, (float)wanted, k);
    mark_near(block->marks, &n, near_limit(&n, guess, (float)wanted, k), k);
    for (int l = 0; l < F; l++) {
        int32_t *list = block->list + (first + l) * block->list_stride;
        count[l] = list_near(list, block->near_most, block->marks, cone->rows, l);
        block->found[first + l] =
            block->value[first + l] && block->scale[first + l] > 0 && count[l] <= block->near_most;
    }
    for (int part = 0; part < F; part += LANES)
        find_vertices(block, &n, first + part, part, count + part, k);
}

static void propose(chi_lane_block *block) {
    load_columns(block);
    for (int64_t first = 0; first < C; first += F) {
        if (block->cone->count == 2) propose_group(block, first, 2);
        if (block->cone->count == 3) propose_group(block, first, 3);
        if (block->cone->count == 4) propose_group(block, first, 4);
    }
}

extern const struct chi_lane_solver IN_SET(chi_lane_solver);
const struct chi_lane_solver IN_SET(chi_lane_solver) = {propose, /* measured on films */ F >= 16
                                                                     ? 2048
                                                                 : F >= 8 ? 512
                                                                          : 128};
