/* Non-negative least squares by active sets, given the Gram matrix:
 *
 *     min_{b >= 0} 1/2 b'G b - c'b,      with slopes g = c - G b
 *
 * The method is that of Lawson and Hanson, "Solving Least Squares Problems" (1974), chapter 23.
 * Anchors enter the set one at a time by the steepest slope. Then b moves towards the unconstrained
 * minimum over the set and stops where the first coefficient reaches zero; that anchor leaves.
 * Every step decreases the objective, so the method cannot cycle. G is factored as L L' over the
 * set. A row is appended or removed (by rotations) in O(k^2), which is the cost of a step.
 *
 * An anchor in the span of the set, up to the rounding of G, cannot be added. Usually its slope is
 * zero as well, so zero and repeated anchors are harmless. If anchors nearly coincide, it may have
 * a slope; then it replaces one of them.
 *
 * On a convex hull 1'b = 1 is a constraint (problem.simplex), and its multiplier borders the
 * system: the minimum over the set is L'^-1 (y + mu z) with L z = 1 and mu = (1 - z'y) / z'z.
 * Slopes are taken relative to their mean over b, and the start is the nearest anchor instead of b
 * = 0.
 *
 * If the hull has the origin as its first anchor (problem.origin), the other coefficients sum to at
 * most 1. Their minimum without that condition comes first: the lift, which is G_00 in all entries
 * of G and c, is subtracted where these are read, and no anchor is added for the origin. If the
 * minimum sums to more than 1, the condition holds with equality, because the problem is convex,
 * and the problem is solved again on the simplex of the others. The subtraction loses digits of
 * anchors that are much shorter than the lift, and rounding can move a sum across 1. So the slopes
 * of the whole problem are tested, and if they fail, the whole simplex is searched from the start.
 *
 * The final solution is computed again from the sorted set and refined once, so that its bits
 * depend on the set only, not on the order of steps. */
#include "project/nnls/nnls.h"
#include "project/nnls/short_loops.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { OUT = 0, IN = 1, BARRED = 2 };

struct chi_active_set {
    const chi_kernels *kernels;
    chi_quadratic problem;
    int64_t capacity;     /* largest size; leading dimension of L                         */
    int64_t count;        /* number of anchors in the set                                 */
    int rising;           /* whether they entered in increasing order and none left since */
    int64_t *set;         /* the anchors, in the order of the rows of L                   */
    unsigned char *state; /* per anchor: OUT, IN, or BARRED until the next step           */
    double *L;            /* L L' = G over the set; row q at L + q * capacity             */
    double *y;            /* L y = c over the set                                         */
    double *z;            /* simplex: L z = 1 over the set                                */
    double zz, zy;        /* simplex: z'z, z'y                                            */
    double *s;            /* L' s = y: the minimum over the set, unconstrained            */
    double *g;            /* slopes                                                       */
    double lift;          /* subtracted from the entries of G and c                        */
    int64_t pivots;
};

chi_active_set *chi_active_set_create(chi_arena *arena, const chi_kernels *kernels,
                                      int64_t capacity) {
    chi_active_set *a = chi_arena_alloc_zero(arena, 1, sizeof *a);
    if (!a) return NULL;
    *a = (chi_active_set){.kernels = kernels,
                          .capacity = capacity,
                          .set = chi_arena_alloc(arena, capacity, sizeof *a->set),
                          .state = chi_arena_alloc(arena, capacity, sizeof *a->state),
                          .L = chi_arena_doubles(arena, capacity * capacity),
                          .y = chi_arena_doubles(arena, capacity),
                          .z = chi_arena_doubles(arena, capacity),
                          .s = chi_arena_doubles(arena, capacity),
                          .g = chi_arena_doubles(arena, capacity)};
    return a;
}

static double length(const chi_active_set *a, int64_t j) {
    return sqrt(a->problem.G[j + j * a->problem.stride]);
}

/* Makes the slopes c - G b those of G and c without the lift. */
static void remove_lift(chi_active_set *a, const double *b) {
    double rest = 1;
    for (int64_t j = 0; j < a->problem.size; j++) rest -= b[j];
    for (int64_t j = 0; j < a->problem.size; j++) a->g[j] -= a->lift * rest;
}

/* Computes the slopes; on a simplex relative to their mean over b, which is zero over the set if b
 * is its minimum. */
static void slopes(chi_active_set *a, const double *b) {
    chi_nnls_gradient(a->kernels, a->g, &a->problem, b);
    if (a->lift > 0) remove_lift(a, b);
    if (!a->problem.simplex) return;
    double mean = 0, total = 0;
    for (int64_t j = 0; j < a->problem.size; j++) {
        mean += b[j] * a->g[j];
        total += b[j];
    }
    for (int64_t j = 0; total > 0 && j < a->problem.size; j++) a->g[j] -= mean / total;
}

/* v <- L^-1 v. */
static void solve_lower(const chi_active_set *a, double *v) {
    for (int64_t q = 0; q < a->count; q++) {
        const double *row = a->L + q * a->capacity;
        v[q] = (v[q] - chi_short_dot(a->kernels, row, v, q)) / row[q];
    }
}

/* v <- L'^-1 v. */
static void solve_upper(const chi_active_set *a, double *v) {
    for (int64_t q = a->count - 1; q >= 0; q--) {
        const double *row = a->L + q * a->capacity;
        v[q] /= row[q];
        chi_short_axpy(a->kernels, v, -v[q], row, q);
    }
}

/* s <- L'^-1 (s + mu z), with mu such that the result sums to total; along = z's. */
static void complete_on_simplex(chi_active_set *a, double total, double along) {
    double mu = (total - along) / a->zz;
#pragma omp simd
    for (int64_t q = 0; q < a->count; q++) a->s[q] += mu * a->z[q];
    solve_upper(a, a->s);
}

static void minimise(chi_active_set *a) {
    memcpy(a->s, a->y, (size_t)a->count * sizeof *a->s);
    if (a->problem.simplex)
        complete_on_simplex(a, 1, a->zy);
    else
        solve_upper(a, a->s);
}

/* Appends anchor j to the factor. Returns 0 if j is in the span of the set, up to the rounding of
 * G. */
static int enter(chi_active_set *a, int64_t j) {
    int64_t n = a->count;
    double *row = a->L + n * a->capacity;
    const double *G = a->problem.G + j * a->problem.stride;
    for (int64_t q = 0; q < n; q++) {
        const double *above = a->L + q * a->capacity;
        row[q] = (G[a->set[q]] - a->lift - chi_short_dot(a->kernels, above, row, q)) / above[q];
    }
    double pivot = G[j] - a->lift - chi_short_dot(a->kernels, row, row, n);
    if (!(pivot > 8 * (double)(n + 1) * DBL_EPSILON * G[j])) return 0;
    row[n] = sqrt(pivot);
    a->y[n] = (a->problem.c[j] - a->lift - chi_short_dot(a->kernels, row, a->y, n)) / row[n];
    if (a->problem.simplex) {
        a->z[n] = (1 - chi_short_dot(a->kernels, row, a->z, n)) / row[n];
        a->zz += a->z[n] * a->z[n];
        a->zy += a->z[n] * a->y[n];
    }
    if (n > 0 && a->set[n - 1] > j) a->rising = 0;
    a->set[n] = j;
    a->state[j] = IN;
    a->count = n + 1;
    a->pivots++;
    return 1;
}

static void turn(double *v, double cosine, double sine) {
    double left = v[0], right = v[1];
    v[0] = cosine * left + sine * right;
    v[1] = cosine * right - sine * left;
}

static void add_up_simplex(chi_active_set *a) {
    a->zz = a->zy = 0;
    for (int64_t q = 0; a->problem.simplex && q < a->count; q++) {
        a->zz += a->z[q] * a->z[q];
        a->zy += a->z[q] * a->y[q];
    }
}

/* Removes the anchor at position p. Without its row, L has one column too many, which rotations of
 * neighbouring columns eliminate; y is rotated with them. */
static void leave(chi_active_set *a, int64_t p) {
    int64_t n = --a->count, k = a->capacity;
    if (p < n) a->rising = 0;
    a->state[a->set[p]] = OUT;
    for (int64_t q = p; q < n; q++) {
        a->set[q] = a->set[q + 1];
        memcpy(a->L + q * k, a->L + (q + 1) * k, (size_t)(q + 2) * sizeof *a->L);
    }
    for (int64_t q = p; q < n; q++) {
        double *row = a->L + q * k;
        double h = hypot(row[q], row[q + 1]), cosine = row[q] / h, sine = row[q + 1] / h;
        row[q] = h;
        for (int64_t i = q + 1; i < n; i++) {
            turn(a->L + i * k + q, cosine, sine);
        }
        turn(a->y + q, cosine, sine);
        if (a->problem.simplex) turn(a->z + q, cosine, sine);
    }
    add_up_simplex(a);
    a->pivots++;
}

/* Returns the share of the way from b_j >= 0 to the minimum that keeps b_j >= 0. */
static double reach(double from, double to) {
    if (to > 0) return 1;
    return from > 0 ? from / (from - to) : 0;
}

/* Moves from a feasible b to the minimum s over the set. If that is not feasible, moves as far as b
 * >= 0 allows, removes the anchors that reach zero, and continues until it is. */
static void walk(chi_active_set *a, double *b) {
    for (;;) {
        double step = 1;
        int blocked = 0;
        for (int64_t q = 0; q < a->count; q++) step = fmin(step, reach(b[a->set[q]], a->s[q]));
        for (int64_t q = a->count - 1; q >= 0; q--) {
            double *entry = &b[a->set[q]], to = a->s[q];
            int stops = to <= 0 && reach(*entry, to) <= step;
            *entry = stops ? 0 : *entry + step * (to - *entry);
            if (!(*entry > 0)) {
                *entry = 0;
                leave(a, q);
                blocked = 1;
            }
        }
        if (!blocked) break;
        minimise(a);
    }
    for (int64_t q = 0; q < a->count; q++) b[a->set[q]] = a->s[q];
}

/* Returns the anchor outside the set with the steepest slope above least, the lowest of equals, or
 * -1. */
static int64_t steepest(const chi_active_set *a, double least) {
    int64_t best = -1;
    for (int64_t j = 0; j < a->problem.size; j++) {
        if (a->state[j] != OUT || !(a->g[j] > 0)) continue;
        double slope = a->g[j] / length(a, j);
        if (slope > least) {
            least = slope;
            best = j;
        }
    }
    return best;
}

static void unbar(chi_active_set *a) {
    for (int64_t j = 0; j < a->problem.size; j++)
        if (a->state[j] == BARRED) a->state[j] = OUT;
}

/* Called if anchor j could not enter: A_j = A_P w up to rounding, and the row after the last row of
 * L holds L^-1 G_Pj. Moving b by t (w out, j in) hardly bends the objective, so the slope of j
 * stays the same until the first coefficient reaches zero; j replaces that anchor. Returns 0 if
 * there is none. */
static int exchange(chi_active_set *a, double *b, int64_t j) {
    int64_t n = a->count, place = -1;
    double step = INFINITY, *w = a->s;
    memcpy(w, a->L + n * a->capacity, (size_t)n * sizeof *w);
    solve_upper(a, w);
    for (int64_t q = 0; q < n; q++) {
        if (!(w[q] > 0) || !(b[a->set[q]] < step * w[q])) continue;
        step = b[a->set[q]] / w[q];
        place = q;
    }
    if (place < 0) return 0;
    int64_t out = a->set[place];
    leave(a, place);
    if (!enter(a, j)) {
        if (enter(a, out)) return 0;
        b[out] = 0;
        return 1;
    }
    memmove(w + place, w + place + 1, (size_t)(n - 1 - place) * sizeof *w);
    for (int64_t q = 0; q < n - 1; q++) b[a->set[q]] = fmax(0, b[a->set[q]] - step * w[q]);
    b[out] = 0;
    b[j] = step;
    return 1;
}

/* Adds anchor j and moves to the new minimum. Returns 0 if j cannot help because its slope is
 * rounding. */
static int admit(chi_active_set *a, double *b, int64_t j) {
    if (enter(a, j)) {
        minimise(a);
        if (!(a->s[a->count - 1] > 0)) {
            leave(a, a->count - 1);
            return 0;
        }
    } else {
        if (!exchange(a, b, j)) return 0;
        minimise(a);
    }
    walk(a, b);
    return 1;
}

/* Adds anchors until no slope exceeds least. The budget is far above what is needed in practice; if
 * it ends the loop, the caller sees a larger gap. */
static void descend(chi_active_set *a, double *b, double least) {
    slopes(a, b);
    for (int64_t budget = 10 * a->problem.size + 100; budget > 0; budget--) {
        int64_t j = steepest(a, least);
        if (j < 0) break;
        if (!admit(a, b, j)) {
            a->state[j] = BARRED;
            continue;
        }
        unbar(a);
        slopes(a, b);
    }
}

static void empty(chi_active_set *a) {
    a->count = 0;
    a->zz = a->zy = 0;
    a->rising = 1;
    memset(a->state, OUT, (size_t)a->problem.size * sizeof *a->state);
}

/* Rebuilds the set and its factor from the anchors with b_j > 0, in increasing order of j. Returns
 * 0 if one of them depends linearly on those before it. */
static int refactor(chi_active_set *a, const double *b) {
    empty(a);
    for (int64_t j = 0; j < a->problem.size; j++)
        if (b[j] > 0 && !enter(a, j)) return 0;
    return 1;
}

/* Computes the minimum over the sorted set and refines it once by its own gradient. Leaves b
 * unchanged if the new factor disagrees about the set. */
static void settle(chi_active_set *a, double *b) {
    if (!a->rising && !refactor(a, b)) return;
    minimise(a);
    for (int64_t q = 0; q < a->count; q++)
        if (!(a->s[q] > 0)) return;
    for (int64_t q = 0; q < a->count; q++) b[a->set[q]] = a->s[q];
    slopes(a, b);
    double missing = 1;
    for (int64_t q = 0; q < a->count; q++) {
        a->s[q] = a->g[a->set[q]];
        missing -= b[a->set[q]];
    }
    solve_lower(a, a->s);
    if (a->problem.simplex)
        complete_on_simplex(a, missing, chi_short_dot(a->kernels, a->z, a->s, a->count));
    else
        solve_upper(a, a->s);
    for (int64_t q = 0; q < a->count; q++)
        if (!(b[a->set[q]] + a->s[q] > 0)) return;
    for (int64_t q = 0; q < a->count; q++) b[a->set[q]] += a->s[q];
}

/* Starts with the anchor nearest to x alone: |x - A_j|^2 = |x|^2 - 2 c_j + G_jj. */
static void start_nearest(chi_active_set *a, double *b) {
    int64_t best = 0;
    double least = INFINITY;
    for (int64_t j = 0; j < a->problem.size; j++) {
        double distance = a->problem.G[j + j * a->problem.stride] - 2 * a->problem.c[j];
        if (!(distance < least)) continue;
        least = distance;
        best = j;
    }
    memset(b, 0, (size_t)a->problem.size * sizeof *b);
    empty(a);
    if (enter(a, best)) b[best] = 1;
}

/* Scales b to the simplex. Returns 0 if b is zero. */
static int normalise(const chi_active_set *a, double *b) {
    double total = 0;
    for (int64_t j = 0; j < a->problem.size; j++) total += b[j];
    for (int64_t j = 0; total > 0 && j < a->problem.size; j++) b[j] /= total;
    return total > 0;
}

/* Builds the set of a warm start. Drops anchors that depend on others in the set. */
static void resume(chi_active_set *a, double *b) {
    for (int64_t j = 0; j < a->problem.size; j++)
        if (!(b[j] > 0) || !enter(a, j)) b[j] = 0;
    if (a->problem.simplex && !normalise(a, b)) {
        start_nearest(a, b);
        return;
    }
    minimise(a);
    walk(a, b);
}

/* Solves the problem with `lift` subtracted from all entries of G and c. */
static int64_t solve(chi_active_set *a, double *b, const chi_quadratic *problem, double lift,
                     double least, int warm) {
    a->problem = *problem;
    a->lift = lift;
    a->pivots = 0;
    empty(a);
    if (warm)
        resume(a, b);
    else if (problem->simplex)
        start_nearest(a, b);
    else
        memset(b, 0, (size_t)a->problem.size * sizeof *b);
    descend(a, b, least);
    int64_t pivots = a->pivots;
    settle(a, b);
    return pivots;
}

/* Returns whether the slopes at b meet the conditions of the whole problem up to least. */
static int meets(chi_active_set *a, const double *b, const chi_quadratic *problem, double least) {
    a->problem = *problem;
    a->lift = 0;
    slopes(a, b);
    for (int64_t j = 0; j < problem->size; j++) {
        double slope = b[j] > 0 ? fabs(a->g[j]) : a->g[j];
        if (slope > least * length(a, j)) return 0;
    }
    return 1;
}

/* Solves the problem on a hull with the origin, as the head of the file describes. */
static int64_t solve_with_origin(chi_active_set *a, double *b, const chi_quadratic *problem,
                                 double least, int warm) {
    chi_quadratic others = {.G = problem->G + problem->stride + 1,
                            .c = problem->c + 1,
                            .stride = problem->stride,
                            .size = problem->size - 1};
    double total = 0;
    int64_t pivots = solve(a, b + 1, &others, problem->G[0], least, warm);
    for (int64_t j = 1; j < problem->size; j++) total += b[j];
    b[0] = fmax(0, 1 - total);
    if (total > 1) {
        others.simplex = 1;
        pivots += solve(a, b + 1, &others, 0, least, 1);
    }
    if (meets(a, b, problem, least)) return pivots;
    return pivots + solve(a, b, problem, 0, least, 0);
}

int64_t chi_active_set_solve(chi_active_set *a, double *b, const chi_quadratic *problem,
                             double least, int warm) {
    if (problem->simplex && problem->origin && problem->size > 1)
        return solve_with_origin(a, b, problem, least, warm);
    return solve(a, b, problem, 0, least, warm);
}

void chi_active_set_correct(chi_active_set *a, double *v) {
    for (int64_t q = 0; q < a->count; q++) a->s[q] = v[a->set[q]];
    solve_lower(a, a->s);
    solve_upper(a, a->s);
    memset(v, 0, (size_t)a->problem.size * sizeof *v);
    for (int64_t q = 0; q < a->count; q++) v[a->set[q]] = a->s[q];
}
