/* The exact l1 projection as one file of static functions. It is compiled once per instruction set,
 * so that the compiler sees all loops together and can use all instructions. nnlad_exact.c
 * describes the method. */
#include "project/lad/lad_at_once.h"
#include "project/lad/lad_few.h"
#include "project/lad/lad_pivot.h"
#include "project/lad/lad_proof.h"
#include "project/lad/lad_reweight.h"
#include "project/lad/lad_single.h"
#include "project/lad/lad_subset.h"

enum {
    /* Maximum pivots of an attempt, times (k + 10); fewer than 4 k are usual. */
    BUDGET = 50,
    ROWS_PER_ANCHOR = 4,    /* with fewer rows, least squares is a poor start                     */
    ROWS_WORTH_A_START = 16 /* 2 anchors: a start halves the time at 24 rows; a third of it at 48 */
};

static void load(chi_lad *w, const chi_column *x) {
    const chi_cone *cone = w->cone;
    w->x = *x;
    w->m = x->count;
    w->k = cone->count;
    w->k_pad = padded(w->k);
    w->gathered_count = 0;
    for (int64_t j = 0; j < w->k; j++) w->column[j] = NULL;
    if (x->index) {
        for (int64_t i = 0; i < w->m; i++) w->s[i] = 1;
        product(w, w->sums, w->s);
    } else {
        memcpy(w->sums, cone->sums, (size_t)w->k * sizeof *w->sums);
    }
    for (int64_t j = 0; j < w->k; j++) {
        double zeros = x->index ? larger(cone->sums[j] - w->sums[j], 0) : 0;
        w->c[j] = (1 + cone->skew) * zeros + cone->skew * w->sums[j];
        w->scale[j] = cone->gram[j + j * cone->capacity];
    }
    for (int64_t j = 0; j < w->k; j++) w->unit[j] = w->scale[j] > 0 ? 1 / sqrt(w->scale[j]) : 0;
}

static void give_b(const chi_lad *w, double *b) {
    memset(b, 0, (size_t)w->k * sizeof *b);
    for (int64_t f = 0; f < w->p; f++) b[w->F[f]] = w->b[f];
}

static void give_d(const chi_lad *w, double *d, double shift) {
    double skew = w->cone->skew, most = 1 + skew; /* -most <= d */
    for (int64_t i = 0; i < w->x.rows; i++) d[i] = -most;
    for (int64_t i = 0; i < w->m; i++)
        d[w->x.index ? w->x.index[i] : i] = (w->dual[i] - skew - shift) / (1 + shift / most);
}

typedef enum start { COLD, WARM, AGAIN } start;

static void size_rows(const chi_lad *w, const narrow_rows *n) {
    for (int64_t i = 0; i < w->m; i++) n->step[i] = fabsf(n->r[i]);
    for (int64_t i = w->m; i < n->count; i++) n->step[i] = INFINITY;
}

/* Many anchors: finds b, in the units of n, near the optimum and, if there are enough rows, a
 * vertex near it in F and B. Returns whether there is a vertex. */
static int solve_near(chi_lad *w, const narrow_rows *n, double *b, double noise) {
    double reach = 0, value = 0;
    if (!worth_a_subset(w)) {
        reweight(w, n, b);
        return 0;
    }
    if (!start_from_sample(w, n, b, &reach, &value)) {
        reweight(w, n, b);
        memcpy(w->few_b, b, (size_t)w->k * sizeof *b);
        value = pass_at(w, n, b);
    }
    return solve_subsets(w, n, b, reach, value, noise);
}

/* Returns 1 if the vertex was proven, 0 if pivots must continue from it. */
static int finish_near(chi_lad *w, chi_fit *fit, double noise) {
    name_vertex(w);
    if (prove_at_once(w, fit, noise)) return 1;
    break_ties(w, noise);
    start_again(w);
    return 0;
}

/* Starts a canonical solve: near the optimum if there are enough rows, else at b = 0. A single
 * anchor needs one pivot from any start. Returns 1 if the start was proven optimal, which is usual
 * for a few anchors. */
static int start_near(chi_lad *w, chi_fit *fit, double noise) {
    narrow_rows n;
    if (w->k < 2 || w->m < ROWS_WORTH_A_START || w->m < ROWS_PER_ANCHOR * w->k) {
        break_ties(w, noise);
        start_cold(w);
        return 0;
    }
    narrow_load(&n, w);
    if (w->k <= CHI_NARROW_ANCHORS) {
        double near[CHI_NARROW_ANCHORS];
        if (solve_few_anchors(w, fit, &n, near, noise)) return 1;
        break_ties(w, noise);
        start_warm(w, near);
        return 0;
    }
    if (solve_near(w, &n, w->z, noise)) return finish_near(w, fit, noise);
    break_ties(w, noise);
    int64_t count = list_free(w, w->z);
    size_rows(w, &n);
    choose_rows(w, n.step, w->order, count);
    make_feasible(w);
    measure_edges(w);
    settle(w);
    return 0;
}

/* Makes one attempt, with the given start and size of the noise on the target. */
static void attempt(chi_lad *w, chi_fit *fit, const double *b, start from, double noise) {
    if (from == COLD && start_near(w, fit, noise)) return;
    if (from != COLD) break_ties(w, noise);
    if (from == WARM) start_warm(w, b);
    if (from == AGAIN) start_again(w);
    descend(w, w->pivots + BUDGET * (w->k + 10));
    if (prove(w, fit)) return;
    start_cold(w); /* A_BF is singular: b = 0 has a poor proof, but a valid one */
    prove(w, fit);
}

/* The first attempt is almost always proven. If it is not, the data are so ill-conditioned that the
 * noise matters. Then the second attempt continues from there without noise, the third starts again
 * with more noise, and so on (table `ways`). try_ways() makes up to `count` attempts until one is
 * proven, and returns the attempt with the smallest gap. */
enum { ATTEMPTS = 5 };
/* A feasible b is a good start if rows * anchors is at most this. In larger problems a vertex near
 * b is many pivots from the optimum, and reweighting finds a closer one: 2000 x 20 takes half the
 * time. */
enum { WARM_SIZE = 10000 };
static int try_ways(chi_lad *w, chi_fit *fit, const double *b, int warm, int count) {
    static const struct way {
        start from;
        double noise;
    } ways[ATTEMPTS] = {
        {COLD, CHI_FIRST_NOISE}, {AGAIN, 0}, {COLD, 0x1p-30}, {AGAIN, 0}, {COLD, 0}};
    double smallest = INFINITY;
    int best = 0;
    for (int n = 0; n < count; n++) {
        start from = n == 0 && warm && w->m * w->k <= WARM_SIZE ? WARM : ways[n].from;
        attempt(w, fit, b, from, ways[n].noise);
        if (fit->gap < smallest) {
            smallest = fit->gap;
            best = n;
        }
        if (fit->proven) break;
    }
    return best;
}

static void solve(chi_lad *w, chi_fit *fit, double *b, double *d, const chi_column *x, int warm) {
    load(w, x);
    w->pivots = 0;
    if (w->m == 0) {
        *fit = (chi_fit){.proven = 1};
        w->p = 0;
    } else if (w->k == 1 && !d && solve_single(w, fit, b)) {
        return;
    } else {
        int best = try_ways(w, fit, b, warm, ATTEMPTS);
        if (!fit->proven && best + 1 < ATTEMPTS) try_ways(w, fit, b, warm, best + 1);
    }
    give_b(w, b);
    if (d) give_d(w, d, fit->infeasibility);
}

/* The dual of a vertex must be this far from its bounds, relative to the data, for the vertex to be
 * the only optimal one beyond rounding. */
static const double UNIQUE = 1e-7;

/* Whether the vertex, which was just proven, is the only optimal one: no edge that leaves it is
 * level. */
static int only_optimum(const chi_lad *w) {
    for (int64_t l = 0; l < w->p; l++)
        if (!(fabs(w->d[l]) < 1 - UNIQUE)) return 0;
    for (int64_t j = 0; j < w->k; j++)
        if (w->place[j] < 0 && !(w->z[j] < -UNIQUE * w->cone->sums[j])) return 0;
    return 1;
}

/* Proves a proposed vertex. Returns 0 unless it is the one at which solve() ends. */
static int prove_proposal(chi_lad *w, chi_fit *fit, double *b, const chi_column *x,
                          const int32_t *row, const int32_t *bound) {
    int64_t f = 0;
    load(w, x);
    w->p = 0;
    for (int64_t j = 0; j < w->k; j++) w->place[j] = 0;
    for (int64_t l = 0; l < w->k; l++) {
        if (row[l] >= 0)
            w->B[w->p++] = row[l];
        else
            w->place[bound[l]] = -1;
    }
    for (int64_t j = 0; j < w->k; j++)
        if (w->place[j] == 0) w->F[f++] = (int32_t)j;
    if (!prove_at_once(w, fit, CHI_FIRST_NOISE) || !only_optimum(w)) return 0;
    give_b(w, b);
    return 1;
}

extern const struct chi_lad_solver IN_SET(chi_lad_solver);
const struct chi_lad_solver IN_SET(chi_lad_solver) = {solve, list_exceptions, prove_proposal};
