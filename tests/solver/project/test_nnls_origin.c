/* Least squares on a convex hull that contains the origin:
 *
 *     min |x - A b|^2  with  b >= 0, 1'b <= 1
 *
 * The solver has two ways for this problem: the origin is an anchor like the others, or the
 * condition on the sum is left out first (chi_quadratic.origin). Both answers must meet the
 * optimality conditions, recomputed in long double on the known rows, at the requested tolerance,
 * and their objectives must agree. */
#include "project/cone.h"
#include "projections.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Returns the tolerance to request. The products of anchors that nearly coincide, or that are
 * 2^-40 of the longest, hold fewer digits of their differences; for these it is the tolerance that
 * the library requests by default. */
static double tolerance(problem_kind kind) {
    return kind == PROBLEM_NEAR || kind == PROBLEM_SCALES ? 1e-9 : 1e-11;
}

typedef struct hull {
    problem p; /* anchor 0 is the origin; the last row is the lift */
    int64_t rows, anchors;
    unsigned char *known; /* rows */
    double tol;
} hull;

static void create_hull(hull *h, ch_context *context, int64_t rows, int64_t anchors) {
    h->rows = rows;
    h->anchors = anchors;
    h->known = malloc((size_t)rows);
    problem_create(&h->p, context, rows + 1, anchors + 1);
}

static void destroy_hull(hull *h) {
    problem_destroy(&h->p);
    free(h->known);
}

/* Returns a power of two above the norm of every anchor, as the library chooses it. */
static double lift_of(const problem *plain) {
    double most = 0;
    for (int64_t j = 0; j < plain->cone.count; j++)
        most = fmax(most, plain->cone.gram[j + j * plain->cone.capacity]);
    int exponent = 0;
    if (most > 0) frexp(sqrt(most), &exponent);
    return ldexp(1, exponent);
}

/* Removes the unknown rows from the products and sums of the cone, by subtraction. */
static void forget_rows(hull *h) {
    chi_cone *cone = &h->p.cone;
    int64_t m = cone->rows, ld = cone->capacity;
    for (int64_t i = 0; i < h->rows; i++) {
        if (h->known[i]) continue;
        for (int64_t j = 0; j < cone->count; j++) {
            cone->sums[j] -= cone->A[i + j * m];
            for (int64_t l = 0; l < cone->count; l++)
                cone->gram[l + j * ld] -= cone->A[i + l * m] * cone->A[i + j * m];
        }
    }
    cone->known = h->known;
    cone->known_rows = h->rows;
}

/* Draws anchors of this kind and the known rows; missing: their share. */
static void draw_hull(hull *h, ch_random *random, problem_kind kind, double missing) {
    problem plain;
    double *a = calloc((size_t)(h->rows + 1), sizeof *a);
    problem_create(&plain, h->p.context, h->rows, h->anchors);
    problem_draw_cone(&plain, random, kind);
    problem_empty_cone(&h->p);
    h->p.cone.known = NULL;
    a[h->rows] = lift_of(&plain);
    chi_cone_append(&h->p.cone, a);
    for (int64_t j = 0; j < h->anchors; j++) {
        memcpy(a, plain.cone.A + j * h->rows, (size_t)h->rows * sizeof *a);
        chi_cone_append(&h->p.cone, a);
    }
    h->p.cone.hull = 1;
    h->tol = tolerance(kind);
    support_check(h->p.cone.origin == 1, "%s: the origin was not recognised", problem_name(kind));
    for (int64_t i = 0; i < h->rows; i++) h->known[i] = ch_random_uniform(random) >= missing;
    if (missing > 0) forget_rows(h);
    problem_destroy(&plain);
    free(a);
}

/* Draws x = A b (1 + noise) with 1'b = total. */
static void draw_column(hull *h, ch_random *random, double total, double noise) {
    const chi_cone *cone = &h->p.cone;
    int64_t m = cone->rows;
    double *x = calloc((size_t)m, sizeof *x), *b = calloc((size_t)cone->count, sizeof *b), sum = 0;
    int64_t sure = 1 + ch_random_below(random, h->anchors);
    for (int64_t j = 1; j < cone->count; j++) {
        b[j] = j == sure || ch_random_below(random, 2) ? 0.01 + ch_random_uniform(random) : 0;
        sum += b[j];
    }
    for (int64_t j = 1; j < cone->count; j++)
        for (int64_t i = 0; i < h->rows; i++) x[i] += total * b[j] / sum * cone->A[i + j * m];
    for (int64_t i = 0; i < h->rows; i++)
        x[i] *= (1 + noise * (2 * ch_random_uniform(random) - 1)) *
                (!cone->known || h->known[i]); /* unknown rows are zero */
    x[h->rows] = cone->A[h->rows];
    problem_set_column(&h->p, x);
    free(x);
    free(b);
}

/* Checks b against the conditions of optimality: b >= 0, 1'b = 1, and no slope A_j'(x - A b) above
 * their mean over b. Returns |x - A b|^2 on the known rows. */
static double check_answer(const hull *h, const chi_fit *fit, const double *b, const char *what) {
    const chi_cone *cone = &h->p.cone;
    int64_t m = cone->rows, k = cone->count;
    double *r = malloc((size_t)m * sizeof *r), norm = sqrt(h->p.column.square);
    long double *g = calloc((size_t)k, sizeof *g), square = 0, mean = 0, most = -INFINITY, sum = 0;
    problem_residual(&h->p, r, b);
    for (int64_t i = 0; i < h->rows; i++) {
        if (cone->known && !h->known[i]) continue;
        square += (long double)r[i] * r[i];
        for (int64_t j = 0; j < k; j++) g[j] += (long double)r[i] * cone->A[i + j * m];
    }
    for (int64_t j = 0; j < k; j++) {
        support_check(b[j] >= 0, "%s: b[%d] = %g", what, (int)j, b[j]);
        sum += b[j];
        mean += b[j] * g[j];
        if (g[j] > most) most = g[j];
    }
    double rounding = 4 * DBL_EPSILON * (double)(m + k), worst = 0;
    for (int64_t j = 0; j < k; j++) {
        double slope = (double)((g[j] - mean) / sqrtl(cone->gram[j + j * cone->capacity]));
        worst = fmax(worst, b[j] > 0 ? fabs(slope) : slope);
    }
    support_check(fabsl(sum - 1) <= 1e-13, "%s: weights sum to 1 + %g", what, (double)(sum - 1));
    support_check(fit->proven, "%s: not proven, gap %g, slope %g", what, fit->gap, worst / norm);
    support_check(worst <= (h->tol + rounding) * norm, "%s: slope %g", what, worst / norm);
    support_check(2 * (double)(most - mean) <= (h->tol + rounding) * norm * norm, "%s: gap %g",
                  what, 2 * (double)(most - mean) / norm / norm);
    support_check(fit->gap >= 0 && fit->gap <= h->tol, "%s: reported gap %g", what, fit->gap);
    support_check(fabs((double)square - fit->objective) <= 64 * rounding * norm * norm,
                  "%s: objective %.17g, reported %.17g", what, (double)square, fit->objective);
    free(r);
    free(g);
    return (double)square;
}

/* Solves the problem in both ways, from nothing and from random weights. */
static void compare_ways(hull *h, void *work, ch_random *random, const char *what) {
    double *b = malloc((size_t)h->p.cone.count * sizeof *b), least[2] = {0, 0};
    for (int origin = 0; origin < 2; origin++) {
        h->p.cone.origin = origin;
        for (int warm = 0; warm < 2; warm++) {
            chi_fit fit;
            for (int64_t j = 0; warm && j < h->p.cone.count; j++)
                b[j] = ch_random_below(random, 2) ? ch_random_uniform(random) : 0;
            chi_nnls_active.solve(work, &fit, b, NULL, &h->p.column, warm);
            double square = check_answer(h, &fit, b, what);
            if (!warm) least[origin] = square;
            support_check(fabs(square - least[origin]) <= h->tol * h->p.column.square,
                          "%s: warm %.17g, cold %.17g", what, square, least[origin]);
        }
    }
    support_check(fabs(least[1] - least[0]) <= h->tol * h->p.column.square,
                  "%s: %.17g with the sum first, %.17g without", what, least[0], least[1]);
    h->p.cone.origin = 1;
    free(b);
}

static const struct size {
    int64_t m, k;
} sizes[] = {{1, 1}, {3, 5}, {8, 3}, {30, 6}, {60, 20}, {40, 50}};

/* The sums of the planted weights: inside, outside, and at 1 up to some roundings. */
static const double totals[] = {0, 1e-9,      0.3,       1 - 1e-6, 1 - 1e-10, 1 - 1e-15,
                                1, 1 + 1e-15, 1 + 1e-10, 1 + 1e-6, 1.5,       1e3};
enum { SIZES = sizeof sizes / sizeof *sizes, TOTALS = sizeof totals / sizeof *totals };

static void both_ways_are_optimal_and_agree(void **state) {
    (void)state;
    ch_random random;
    support_seed(&random, "nnls origin", 25);
    support_memory memory;
    ch_context *context = support_context(&memory, 1);
    for (int kind = 0; kind < PROBLEM_KINDS; kind++)
        for (int s = 0; s < SIZES; s++)
            for (int draw = 0; draw < 12; draw++) {
                hull h;
                create_hull(&h, context, sizes[s].m, sizes[s].k);
                draw_hull(&h, &random, (problem_kind)kind, (const double[]){0, 0.1, 0.4}[draw % 3]);
                void *work = problem_start(&chi_nnls_active, &h.p, h.tol);
                for (int t = 0; t < TOTALS; t++) {
                    draw_column(&h, &random, totals[t], (const double[]){0, 1e-3, 0.5}[t % 3]);
                    compare_ways(&h, work, &random, problem_name((problem_kind)kind));
                    draw_column(&h, &random, totals[t], (const double[]){0, 0.1}[draw % 2]);
                    compare_ways(&h, work, &random, problem_name((problem_kind)kind));
                }
                destroy_hull(&h);
            }
    support_finish(context, &memory);
}

/* Without noise the planted sum is found on whichever side of 1 it is: beyond 1 the origin gets
 * exactly 0. */
static void sums_around_one_are_distinguished(void **state) {
    (void)state;
    enum { M = 40, K = 5 };
    ch_random random;
    support_seed(&random, "nnls sums", 26);
    support_memory memory;
    ch_context *context = support_context(&memory, 1);
    hull h;
    create_hull(&h, context, M, K);
    for (int draw = 0; draw < 200; draw++) {
        double away = pow(10, -1 - draw % 11), b[K + 1];
        draw_hull(&h, &random, PROBLEM_UNIFORM, draw % 2 ? 0.3 : 0);
        for (int above = 0; above < 2; above++) {
            draw_column(&h, &random, above ? 1 + away : 1 - away, 0);
            chi_fit fit = problem_solve(&chi_nnls_active, &h.p, h.tol, b, NULL);
            check_answer(&h, &fit, b, "sums");
            support_check(above ? b[0] == 0 : fabs(b[0] - away) <= 1e-12,
                          "%d: the origin has %.17g, %.17g from 1", above, b[0], away);
        }
    }
    destroy_hull(&h);
    support_finish(context, &memory);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_ways_are_optimal_and_agree),
        cmocka_unit_test(sums_around_one_are_distinguished),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
