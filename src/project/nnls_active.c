/* Non-negative least squares by active sets on the Gram matrix:
 *
 *     min_{b >= 0} |x - A b|_2^2
 *
 * Lawson and Hanson, "Solving Least Squares Problems" (1974), chapter 23: anchors enter one at a
 * time by the steepest slope, and a step towards the unconstrained minimum over the anchors that
 * are in stops where the first coefficient reaches zero; that anchor leaves. The objective falls
 * with every step, so it cannot cycle. G is factored as L L' over the anchors that are in; a row is
 * appended or taken out (by rotations) in O(k^2). A pass costs O(k^2), A'x once O(nonzeros of x *
 * k).
 *
 * An anchor that the others already span, up to rounding, is left out: its slope is zero as theirs
 * are. Zero and repeated anchors are thereby harmless.
 *
 * The last solve is made afresh from the sorted set, so that its bits depend on that set only and
 * not on the way to it, and is refined once. */
#include "project/nnls.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { OUT = 0, IN = 1, BARRED = 2 };

/* An anchor enters when its slope exceeds this share of |A_j||x|, or tol if that is smaller: well
 * above the rounding of the slopes, well below any tolerance one would ask for. */
static const double STEEP = 1e-13;

typedef struct active {
    const chi_cone *cone;
    double tol;
    int64_t capacity;     /* of the cone when this was made; leading dimension of L      */
    int64_t count;        /* anchors that are in                                         */
    int64_t *set;         /* which, in the order of L's rows                             */
    unsigned char *state; /* per anchor: OUT, IN, or BARRED until the next step          */
    double *L;            /* L L' = G over the set; row q at L + q * capacity            */
    double *y;            /* L y = c over the set                                        */
    double *s;            /* L' s = y: the minimum over the set, unconstrained           */
    double *c, *g;        /* A'x and A'(x - A b)                                         */
    double *r;            /* rows                                                        */
    int64_t pivots;
} active;

static void destroy(ch_context *context, void *work) {
    active *a = work;
    if (!a) return;
    chi_free(context, a->set);
    chi_free(context, a->state);
    chi_free(context, a->L);
    chi_free(context, a->y);
    chi_free(context, a->s);
    chi_free(context, a->c);
    chi_free(context, a->g);
    chi_free(context, a->r);
    chi_free(context, a);
}

static ch_status create(ch_context *context, void **work, const chi_cone *cone, double tol) {
    int64_t k = cone->capacity;
    active *a = chi_alloc_zero(context, 1, sizeof *a);
    if (!a) return chi_no_memory(context, "least squares", 1, sizeof *a);
    a->cone = cone;
    a->tol = tol;
    a->capacity = k;
    a->set = chi_alloc(context, k, sizeof *a->set);
    a->state = chi_alloc(context, k, sizeof *a->state);
    a->L = chi_alloc(context, k * k, sizeof *a->L);
    a->y = chi_alloc(context, k, sizeof *a->y);
    a->s = chi_alloc(context, k, sizeof *a->s);
    a->c = chi_alloc(context, k, sizeof *a->c);
    a->g = chi_alloc(context, k, sizeof *a->g);
    a->r = chi_alloc(context, cone->rows, sizeof *a->r);
    if (!a->set || !a->state || !a->L || !a->y || !a->s || !a->c || !a->g || !a->r) {
        destroy(context, a);
        return chi_no_memory(context, "least squares", k * k + cone->rows, sizeof(double));
    }
    *work = a;
    return CH_OK;
}

static double length(const active *a, int64_t j) {
    return sqrt(a->cone->gram[j + j * a->cone->capacity]);
}

/* v <- L^-1 v. */
static void solve_lower(const active *a, double *v) {
    for (int64_t q = 0; q < a->count; q++) {
        const double *row = a->L + q * a->capacity;
        v[q] = (v[q] - chi_dot(row, v, q)) / row[q];
    }
}

/* v <- L'^-1 v. */
static void solve_upper(const active *a, double *v) {
    for (int64_t q = a->count - 1; q >= 0; q--) {
        const double *row = a->L + q * a->capacity;
        v[q] /= row[q];
        chi_axpy(v, -v[q], row, q);
    }
}

static void minimise(active *a) {
    memcpy(a->s, a->y, (size_t)a->count * sizeof *a->s);
    solve_upper(a, a->s);
}

/* Appends anchor j to the factor. 0: the anchors in it span j, up to the rounding of G. */
static int enter(active *a, int64_t j) {
    int64_t n = a->count;
    double *row = a->L + n * a->capacity;
    const double *G = a->cone->gram + j * a->cone->capacity;
    for (int64_t q = 0; q < n; q++) {
        const double *above = a->L + q * a->capacity;
        row[q] = (G[a->set[q]] - chi_dot(above, row, q)) / above[q];
    }
    double pivot = G[j] - chi_dot(row, row, n);
    if (!(pivot > 8 * (double)(n + 1) * DBL_EPSILON * G[j])) return 0;
    row[n] = sqrt(pivot);
    a->y[n] = (a->c[j] - chi_dot(row, a->y, n)) / row[n];
    a->set[n] = j;
    a->state[j] = IN;
    a->count = n + 1;
    a->pivots++;
    return 1;
}

/* Takes the anchor at position p out: without its row, L has one column too many, which rotations
 * of neighbouring columns fold away; y turns with them. */
static void leave(active *a, int64_t p) {
    int64_t n = --a->count, k = a->capacity;
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
            double *below = a->L + i * k + q, left = below[0], right = below[1];
            below[0] = cosine * left + sine * right;
            below[1] = cosine * right - sine * left;
        }
        double left = a->y[q], right = a->y[q + 1];
        a->y[q] = cosine * left + sine * right;
        a->y[q + 1] = cosine * right - sine * left;
    }
    a->pivots++;
}

/* The share of the way from b_j >= 0 to the minimum that keeps b_j >= 0. */
static double reach(double from, double to) {
    if (to > 0) return 1;
    return from > 0 ? from / (from - to) : 0;
}

/* From a feasible b to the minimum s over the set or, where that is not feasible, as far as b >= 0
 * lets it, without the anchors that reach zero, and on until it is. */
static void walk(active *a, double *b) {
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

/* The anchor outside the set with the steepest slope, the lowest among equals; -1: none is steep.
 */
static int64_t steepest(const active *a, double least) {
    int64_t best = -1;
    for (int64_t j = 0; j < a->cone->count; j++) {
        if (a->state[j] != OUT || !(a->g[j] > 0)) continue;
        double slope = a->g[j] / length(a, j);
        if (slope > least) {
            least = slope;
            best = j;
        }
    }
    return best;
}

static void unbar(active *a) {
    for (int64_t j = 0; j < a->cone->count; j++)
        if (a->state[j] == BARRED) a->state[j] = OUT;
}

/* Lets anchors in until no slope is steep. The budget is far above what is ever needed; what it
 * cuts off is seen by the report. */
static void descend(active *a, double *b, double norm) {
    double least = (a->tol < STEEP ? a->tol : STEEP) * norm;
    chi_nnls_gradient(a->g, a->cone, a->c, b);
    for (int64_t budget = 10 * a->cone->count + 100; budget > 0; budget--) {
        int64_t j = steepest(a, least);
        if (j < 0) break;
        if (!enter(a, j)) {
            a->state[j] = BARRED;
            continue;
        }
        minimise(a);
        if (!(a->s[a->count - 1] > 0)) { /* the slope was rounding */
            leave(a, a->count - 1);
            a->state[j] = BARRED;
            continue;
        }
        walk(a, b);
        unbar(a);
        chi_nnls_gradient(a->g, a->cone, a->c, b);
    }
}

static void empty(active *a) {
    a->count = 0;
    memset(a->state, OUT, (size_t)a->cone->count * sizeof *a->state);
}

/* The set afresh: the anchors with b_j > 0 in their order. 0 when one of them depends on those
 * before it. */
static int refactor(active *a, const double *b) {
    empty(a);
    for (int64_t j = 0; j < a->cone->count; j++)
        if (b[j] > 0 && !enter(a, j)) return 0;
    return 1;
}

/* The minimum over the sorted set, refined once by its own gradient. b stays as it is where the
 * fresh factor disagrees about the set. */
static void settle(active *a, double *b) {
    if (!refactor(a, b)) return;
    minimise(a);
    for (int64_t q = 0; q < a->count; q++)
        if (!(a->s[q] > 0)) return;
    for (int64_t q = 0; q < a->count; q++) b[a->set[q]] = a->s[q];
    chi_nnls_gradient(a->g, a->cone, a->c, b);
    for (int64_t q = 0; q < a->count; q++) a->s[q] = a->g[a->set[q]];
    solve_lower(a, a->s);
    solve_upper(a, a->s);
    for (int64_t q = 0; q < a->count; q++)
        if (!(b[a->set[q]] + a->s[q] > 0)) return;
    for (int64_t q = 0; q < a->count; q++) b[a->set[q]] += a->s[q];
}

/* The set of a warm start; anchors that depend on others in it are dropped. */
static void resume(active *a, double *b) {
    for (int64_t j = 0; j < a->cone->count; j++)
        if (!(b[j] > 0) || !enter(a, j)) b[j] = 0;
    minimise(a);
    walk(a, b);
}

static void solve(void *work, chi_fit *fit, double *b, double *d, const chi_column *x, int warm) {
    active *a = work;
    const chi_cone *cone = a->cone;
    a->pivots = 0;
    empty(a);
    chi_nnls_correlate(a->c, cone, x);
    if (warm) {
        resume(a, b);
    } else {
        memset(b, 0, (size_t)cone->count * sizeof *b);
    }
    descend(a, b, sqrt(x->square));
    fit->pivots = a->pivots;
    settle(a, b);
    chi_nnls_report(fit, a->g, d ? d : a->r, cone, x, a->c, b, a->tol, d != NULL);
}

const chi_projection chi_nnls_active = {
    .name = "active", .create = create, .destroy = destroy, .solve = solve};
