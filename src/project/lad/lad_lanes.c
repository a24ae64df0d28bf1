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
 * A lane that does not reach a vertex makes no proposal. Columns are not scaled; anchors have the
 * units of single precision (cone.h). Cost per column: O(rows k^2) for each of ROUNDS rounds. */
#include "project/lad/lad_lanes.h"

#include "kernels/vectors.h"
#ifndef P_ROUNDS
#define P_ROUNDS 8
#endif
#ifndef P_T0
#define P_T0 0.3F
#endif
#ifndef P_TF
#define P_TF 0.6F
#endif
#ifndef P_G1
#define P_G1 0.25F
#endif
#ifndef P_CUT
#define P_CUT 0.15F
#endif
#ifndef P_END
#define P_END 0.3F
#endif
#ifndef P_OVER
#define P_OVER 1.8F
#endif
#ifndef P_OVER2
#define P_OVER2 1.5F
#endif
#ifndef P_SAMPLE
#define P_SAMPLE 48
#endif
#ifndef P_SAMPLE_K
#define P_SAMPLE_K 16
#endif
#ifndef P_SAMPLED
#define P_SAMPLED 0
#endif
#ifndef P_PASSES
#define P_PASSES 6
#endif
#ifndef P_NEAR
#define P_NEAR 12
#endif
#ifndef P_SHARE
#define P_SHARE 64
#endif
#ifndef P_GAMMA
#define P_GAMMA 0.25F
#endif
#ifndef P_FALL
#define P_FALL 0.5F
#endif
#include <float.h>
#include <math.h>

enum {
    ROUNDS = P_ROUNDS,          /* of reweighting                                      */
    PIVOTS = 4,          /* times k; more pivots mean failure                   */
    NEAR_ROWS = P_NEAR,      /* wanted number of rows of T                          */
    NEAR_PER_ANCHOR = 6, /* further rows of T per anchor                        */
    NEAR_SHARE = P_SHARE,     /* further rows of T: all rows / NEAR_SHARE            */
    WORD = 64,           /* rows whose marks are taken at a time                */
    CUTS = 4             /* limits of T that are tried at once                  */
};
static const float OVER = P_OVER, RIDGE = 1e-6F;
/* gamma, times the mean of |r|, in the first round, and the factor from round to round; and the
 * smallest gamma, times the mean of x, which matters if x is met exactly. */
static const float GAMMA = P_GAMMA, GAMMA_FALL = P_FALL, GAMMA_LEAST = 1e-6F;
static const double PRICE = 1e-10, FLAT = 1e-12, TIE_NOISE = 0x1p-36;

#ifdef LANE_TIMES
#include <x86intrin.h>
#include <stdio.h>
#include <stdlib.h>
int64_t lane_time[16];
static int64_t lane_tick[16], lane_list[16][1000], lane_calls[16];
static int lane_cmp(const void*a,const void*b){int64_t x=*(const int64_t*)a,y=*(const int64_t*)b;return x<y?-1:x>y;}
#define TICK(n) (lane_tick[n] = (int64_t)__rdtsc())
#define TOCK(n) do{lane_list[n][lane_calls[n]++]=(int64_t)__rdtsc()-lane_tick[n]; if(lane_calls[n]==1000){qsort(lane_list[n],1000,8,lane_cmp);lane_time[n]=lane_list[n][500];lane_calls[n]=0;}}while(0)
int64_t lane_count[16];
#define COUNT(n) lane_count[n]++
#define COUNT_BY(n, m) lane_count[n] += (m)
#else
#define COUNT(n) ((void)0)
#define COUNT_BY(n, m) ((void)0)
#define TICK(n) ((void)0)
#define TOCK(n) ((void)0)
#endif
enum { K = CHI_NARROW_ANCHORS, C = CHI_LANE_COLUMNS, F = F32_LANES };

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
    vec_f32 b[K], cost[K], mean; /* mean of |r| */
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

/* Returns a pseudo-random number in [0, count). Rows at regular distances would miss a light that is
 * switched on and off at that distance. */
INLINE int64_t draw(uint32_t *state, int64_t count) {
    *state = *state * 1664525 + 1013904223;
    return (int64_t)(((uint64_t)*state * (uint64_t)count) >> 32);
}

INLINE void weigh_row(lane_sums *sum, const lane_group *n, vec_f32 gamma, int64_t i, const int k) {
    const vec_f32 one = f32_all(1);
    vec_f32 a[K], r = residual_at(n, a, i, k), size = size_f32(r);
    vec_f32 weight = f32_inverse(f32_larger(size, gamma));
    sum->size += size;
    sum->near += (vec_f32)((vec_i32)one & (size <= gamma));
    for (int j = 0; j < k; j++) {
        vec_f32 weighted = weight * a[j];
        sum->g[j] += weighted * r;
        for (int l = j; l < k; l++) sum->H[j][l] += weighted * a[l];
    }
}

/* Sums over one of each `apart` rows. */
INLINE void weigh(lane_sums *sums, const lane_group *group, vec_f32 gamma, int64_t apart,
                  const int k) {
    lane_group n = *group;
    lane_sums sum;
    uint32_t state = 1;
    memset(&sum, 0, sizeof sum);
    if (apart > 1) {
        for (int64_t i = 0; i + apart <= n.rows; i += apart)
            weigh_row(&sum, &n, gamma, i + draw(&state, apart), k);
    } else {
        for (int64_t i = 0; i < n.rows; i++) weigh_row(&sum, &n, gamma, i, k);
    }
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
    for (int tries = 0; tries <= k; tries++) {
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

/* Reweights from b = 0, first a sample of the rows and then all rows. Returns a limit below which
 * about `wanted` residuals lie. */
INLINE vec_f32 reweight(lane_group *n, float wanted, const int k) {
    vec_f32 least = n->mean * GAMMA_LEAST, gamma = n->mean * GAMMA, near;
    float target = P_T0, last = P_END * wanted / (float)n->rows;
    int64_t apart = n->rows / (P_SAMPLE + P_SAMPLE_K * k);
    if (apart < 1) apart = 1;
    for (int round = 0; round < ROUNDS; round++) {
        lane_sums at;
        int64_t step_rows = round < P_SAMPLED ? apart : 1;
        float rows = (float)(n->rows / step_rows), share = rows / (float)n->rows;
        weigh(&at, n, gamma, step_rows, k);
        for (int j = 0; j < k; j++) {
            at.g[j] -= share * n->cost[j];
            at.H[j][j] *= 1 + RIDGE;
        }
        step(n, &at, f32_all(round == 0 ? 1 : round < P_SAMPLED ? P_OVER : P_OVER2), k);
        vec_f32 scale = gamma / (at.near + 1);
        near = scale * (wanted * share);
        if (round)
            gamma = f32_larger(gamma * P_CUT, scale * (target * rows));
        else
            gamma = at.size * (P_G1 / rows);
        gamma = f32_larger(gamma, least);
        target = target * P_TF > last ? target * P_TF : last;
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

/* Marks the rows of T: bit l of marks[i] is set if row i belongs to T of lane l. n->cost -= A's over
 * the other rows. marks has whole words of rows. */
INLINE void mark_near(int32_t *marks, lane_group *n, vec_f32 limit, const int k) {
    const vec_i32 minus = (vec_i32)(-f32_all(0.0F));
    vec_f32 q[K] = {{0}}, a[K];
    for (int64_t i = 0; i < n->rows; i++) {
        vec_f32 r = residual_at(n, a, i, k);
        vec_i32 near = size_f32(r) <= limit, sign = (vec_i32)r & minus;
        for (int j = 0; j < k; j++) q[j] += (vec_f32)(((vec_i32)a[j] ^ sign) & ~near);
        marks[i] = (int32_t)f32_bits(near);
    }
    for (int64_t i = n->rows; i % WORD; i++) marks[i] = 0;
    for (int j = 0; j < k; j++) n->cost[j] -= q[j];
}

/* Lists the rows that are marked for a lane. Returns their number, which may exceed `most`; then not
 * all are listed. Takes a word of rows at a time, so that there are few branches. */
INLINE int32_t list_near(int32_t *list, int64_t most, const int32_t *marks, int64_t rows, int lane) {
    const vec_i32 bit = (vec_i32){0} + (int32_t)(1U << lane);
    int32_t count = 0;
    for (int64_t base = 0; base < rows; base += WORD) {
        uint64_t bits = 0;
        for (int i = 0; i < WORD; i += F) {
            vec_i32 mark;
            memcpy(&mark, marks + base + i, sizeof mark);
            bits |= (uint64_t)f32_bits((mark & bit) != 0) << i;
        }
        if (count + WORD > most && count + __builtin_popcountll(bits) > most) return (int32_t)most + 1;
        for (; bits; bits &= bits - 1) list[count++] = (int32_t)(base + __builtin_ctzll(bits));
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
    vec_i64 at;            /* its constraint, or -1 */
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
        vec step = choose(steep, size_of(r) / weight, never);
        vec_store(t->weight + i, (vec)((vec_i64)weight & steep));
        vec_store(t->step + i, step);
        first = choose(step < first, step, first);
    }
    return first;
}

/* Returns the step at which the sum of weights reaches need; infinity if it never does. at: the
 * first breakpoint. */
INLINE vec find_step(const near_rows *t, vec at, vec need, vec_i64 searching) {
    vec found = vec_all(INFINITY);
    vec_i64 todo = searching & (at < INFINITY);
    for (int pass = 1; vec_bits(todo); pass++) {
        COUNT(9);
        vec sum = {0}, next = vec_all(INFINITY);
        for (int64_t i = 0; i < t->length; i += LANES) {
            vec step = vec_load(t->step + i);
            vec_i64 passed = step <= at;
            sum += (vec)((vec_i64)vec_load(t->weight + i) & passed);
            next = choose(~passed & (step < next), step, next);
        }
        vec_i64 reached = todo & (sum >= need);
        if (pass == P_PASSES) reached = todo;
        found = choose(reached, at, found);
        todo &= ~reached & (next < INFINITY);
        at = next;
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
    double value[LANES];
    for (int l = 0; l < LANES; l++) value[l] = list[at[l]];
    return vec_load(value);
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
    COUNT(8);
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
        const int32_t *list = block->list + (first + l) * block->near_most;
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
    TICK(4);
    load_near(&t, block, first, count, k);
    TOCK(4);
    if (t.length == 0) return;
    for (int j = 0; j < k; j++) {
        vec b = {0}, cost = {0};
        for (int l = 0; l < LANES; l++) {
            b[l] = n->b[j][part + l];
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
    COUNT(7);
    COUNT_BY(10, t.length / LANES);
    TICK(5);
    for (int left = PIVOTS * k; left > 0 && pivot(&v, &t, k); left--)
        continue;
    TOCK(5);
    v.lost |= v.active;
    for (int l = 0; l < LANES; l++) {
        int64_t at = first + l;
#ifdef LANE_TIMES
        if (v.active[l]) lane_count[2]++;
        else if (v.lost[l]) lane_count[3]++;
#endif
        if (v.lost[l]) block->found[at] = 0;
        block->pivots[at] = (int)v.pivots[l];
        for (int c = 0; c < k && block->found[at]; c++) {
            int64_t row = v.row[c][l];
            if (row < 0 && v.bound[c][l] < 0) block->found[at] = 0;
            block->row[at][c] = row < 0 ? -1 : block->list[at * block->near_most + row];
            block->bound[at][c] = (int32_t)v.bound[c][l];
        }
    }
}

/* ---- a block ------------------------------------------------------------------------------- */

static void load_columns(const chi_lane_block *block) {
    for (int l = 0; l < C; l++) {
        const double *x = block->value[l];
        for (int64_t i = 0; i < block->cone->rows; i++) block->x[i * C + l] = x ? (float)x[i] : 1;
    }
}

/* Proposes vertices for the columns from `first` on. */
INLINE void propose_group(chi_lane_block *block, int64_t first, const int k) {
    const chi_cone *cone = block->cone;
    int64_t wanted = NEAR_ROWS + NEAR_PER_ANCHOR * k + cone->rows / NEAR_SHARE;
    int32_t count[F];
    lane_group n = {.x = block->x + first, .rows = cone->rows, .mean = {0}};
    for (int l = 0; l < F; l++)
        n.mean[l] = block->value[first + l] ? (float)(block->sum[first + l] / (double)cone->rows)
                                            : 1;
    for (int j = 0; j < k; j++) {
        n.a[j] = cone->narrow + j * cone->narrow_stride;
        n.b[j] = (vec_f32){0};
        n.cost[j] = f32_all((float)(cone->skew * cone->sums[j] * cone->narrow_unit[j]));
    }
    TICK(1);
    vec_f32 limit = reweight(&n, (float)wanted, k);
    TOCK(1);
    TICK(2);
    limit = near_limit(&n, limit, (float)wanted, k);
    TOCK(2);
    TICK(3);
    mark_near(block->marks, &n, limit, k);
    for (int l = 0; l < F; l++)
        count[l] = list_near(block->list + (first + l) * block->near_most, block->near_most,
                             block->marks, cone->rows, l);
    TOCK(3);
    for (int l = 0; l < F; l++) {
        #ifdef LANE_TIMES
        if (block->value[first + l] && count[l] > block->near_most) lane_count[4]++;
        if (!block->value[first+l]) lane_count[5]++;
        #endif
        block->found[first + l] = block->value[first + l] && count[l] <= block->near_most;
    }
    for (int part = 0; part < F; part += LANES)
        find_vertices(block, &n, first + part, part, count + part, k);
}

static void propose(chi_lane_block *block) {
    TICK(0);
    load_columns(block);
    TOCK(0);
    for (int64_t first = 0; first < C; first += F) {
        if (block->cone->count == 2) propose_group(block, first, 2);
        if (block->cone->count == 3) propose_group(block, first, 3);
        if (block->cone->count == 4) propose_group(block, first, 4);
    }
}

extern const struct chi_lane_solver IN_SET(chi_lane_solver);
const struct chi_lane_solver IN_SET(chi_lane_solver) = {propose};
