/* Hottopixx against its linear program, written out and solved by Clp:
 *
 *     min  1'(P + N)1 + p'diag(C)
 *     s.t. X C + P - N = X,  C_ij - C_ii <= 0,  tr(C) = r,  0 <= C,  C_ii <= 1,  P, N >= 0;
 *
 * and its other forms, with 1'(P + N)_j <= t for all j: t in the objective, or given (tau). */
#include "baseline/baseline.h"
#include "support.h"

#include <coin/Clp_C_Interface.h>
#include <conehull/random.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A program column by column. */
typedef struct columns {
    int *start, *index, count;
    double *value, *low, *high, *cost;
} columns;

static void add_column(columns *c, double high, double cost) {
    c->high[c->count] = high;
    c->cost[c->count++] = cost;
    c->start[c->count] = c->start[c->count - 1];
}

static void add_entry(columns *c, int64_t row, double value) {
    int at = c->start[c->count]++;
    c->index[at] = (int)row;
    c->value[at] = value;
}

enum form { SUM, LARGEST, TAU };

typedef struct problem {
    double *X, p[40], tau;
    int64_t m, n, r;
    enum form form;
} problem;

/* Variables C by columns, then P and N, then t. Rows: (i, j) of the fit, then (i, j) of the bounds
 * with those of the diagonal left empty, then the trace, then the norms of the residuals. */
static double solve_by_clp(const problem *at) {
    const double *X = at->X, *p = at->p;
    int64_t m = at->m, n = at->n, r = at->r;
    int64_t fit = m * n, trace = fit + n * n, rows = trace + 1 + n, total = n * n + 2 * fit + 1;
    int64_t entries = n * n * (m + n + 1) + 4 * fit + n;
    columns c = {.start = calloc((size_t)total + 1, sizeof(int)),
                 .index = malloc((size_t)entries * sizeof(int)),
                 .value = malloc((size_t)entries * sizeof(double)),
                 .low = calloc((size_t)total, sizeof(double)),
                 .high = malloc((size_t)total * sizeof(double)),
                 .cost = malloc((size_t)total * sizeof(double))};
    double *row_low = malloc((size_t)(2 * rows) * sizeof(double)), *row_high = row_low + rows;
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < n; i++) {
            add_column(&c, i == j ? 1 : INFINITY, i == j ? p[i] : 0);
            for (int64_t k = 0; k < m; k++) add_entry(&c, k + j * m, X[k + i * m]);
            if (i != j) add_entry(&c, fit + i + j * n, 1);
            for (int64_t k = 0; i == j && k < n; k++)
                if (k != i) add_entry(&c, fit + i + k * n, -1);
            if (i == j) add_entry(&c, trace, 1);
        }
    for (int64_t k = 0; k < 2 * fit; k++) {
        add_column(&c, INFINITY, at->form == SUM);
        add_entry(&c, k % fit, k < fit ? 1 : -1);
        add_entry(&c, trace + 1 + k % fit / m, 1);
    }
    add_column(&c, at->form == TAU ? at->tau : INFINITY, at->form == LARGEST);
    for (int64_t j = 0; j < n; j++) add_entry(&c, trace + 1 + j, -1);
    for (int64_t k = 0; k < rows; k++) {
        row_low[k] = k < fit ? X[k] : k == trace ? (double)r : -INFINITY;
        row_high[k] = k < fit ? X[k] : k == trace ? (double)r : 0;
    }
    Clp_Simplex *model = Clp_newModel();
    Clp_setLogLevel(model, 0);
    Clp_setPrimalTolerance(model, 1e-10);
    Clp_setDualTolerance(model, 1e-10);
    Clp_loadProblem(model, c.count, (int)rows, c.start, c.index, c.value, c.low, c.high, c.cost,
                    row_low, row_high);
    Clp_dual(model, 0);
    assert_int_equal(Clp_status(model), 0);
    double value = Clp_objectiveValue(model);
    Clp_deleteModel(model);
    free(c.start);
    free(c.index);
    free(c.value);
    free(c.low);
    free(c.high);
    free(c.cost);
    free(row_low);
    return value;
}

/* Separable columns with this noise; kinds: dense, many zeros, columns that repeat. */
static void draw(double *X, int64_t m, int64_t n, int64_t r, int kind, double noise,
                 ch_random *random) {
    for (int64_t j = 0; j < n; j++) {
        double share[8], total = 0;
        for (int64_t k = 0; k < r; k++) total += share[k] = ch_random_exponential(random, 1);
        for (int64_t i = 0; i < m; i++) {
            double x = 0;
            if (j < r)
                x = kind == 1 && ch_random_uniform(random) < 0.6 ? 0 : ch_random_uniform(random);
            else if (kind == 2 && j % 3 == 0)
                x = X[i + (j - r) * m];
            else
                for (int64_t k = 0; k < r; k++) x += share[k] / total * X[i + k * m];
            if (j >= r) x += noise * ch_random_exponential(random, 1);
            X[i + j * m] = x;
        }
        X[j % m + j * m] += 0.01; /* no column is zero */
    }
}

static void the_objective_is_that_of_the_linear_program(void **state) {
    (void)state;
    ch_random random;
    support_seed(&random, "hottopixx", 7);
    support_memory memory;
    ch_context *context = support_context(&memory, 2);
    double worst = 0;
    for (int instance = 0; instance < 50; instance++) {
        int64_t m = 4 + ch_random_below(&random, 18), n = 8 + ch_random_below(&random, 22);
        int64_t r = 1 + ch_random_below(&random, 6), anchors[8];
        static const double levels[] = {0, 0.01, 0.1, 0.5, 2};
        problem at = {.X = malloc((size_t)(m * n) * sizeof *at.X), .m = m, .n = n, .r = r};
        double noise = levels[instance % 5], *X = at.X;
        draw(X, m, n, r, instance % 3, noise, &random);
        ch_matrix view = support_dense(context, X, m, n);
        ch_anchors_settings set;
        ch_anchors_defaults(&set);
        set.rank = r;
        set.seed = instance;
        set.gap = instance % 10 == 9 ? 1e-7 : 1e-4;
        if (instance % 7 == 3) set.p = 1;
        chi_selection found = {.anchors = anchors};
        assert_int_equal(chi_hottopixx(context, &found, &view, &set), CH_OK);

        ch_random draws; /* p as the method draws it */
        ch_random_seed(&draws, (uint64_t)instance);
        for (int64_t j = 0; j < n; j++) {
            double sum = 0;
            for (int64_t i = 0; i < m; i++) sum += X[i + j * m];
            for (int64_t i = 0; i < m; i++) X[i + j * m] /= sum;
            at.p[j] = set.p * ch_random_uniform(&draws);
        }
        double least = solve_by_clp(&at), scale = fmax(least, 1);
        double off = (found.objective - least) / scale;
        worst = fmax(worst, fabs(off) / set.gap);
        support_check(off >= -1e-8 && off <= set.gap,
                      "instance %d, %d x %d, r %d: %.10g, Clp %.10g", instance, (int)m, (int)n,
                      (int)r, found.objective, least);
        support_check(found.objective - found.gap <= least + 1e-8 * scale,
                      "instance %d: bound %.10g is above %.10g", instance,
                      found.objective - found.gap, least);
        free(X);
    }
    print_message("50 programs: objective at most %.2g of the gap asked for above Clp's\n", worst);
    support_finish(context, &memory);
}

/* The form with tau at a tau that r columns can reach; a point may exceed it by the gap, so that
 * Clp's optimum for so much more bounds it from below. */
static void check_tau(ch_context *context, problem *at, ch_anchors_settings set,
                      const ch_matrix *view, double reached) {
    int64_t anchors[8];
    chi_selection found = {.anchors = anchors};
    ch_random draws;
    ch_random_seed(&draws, (uint64_t)set.seed);
    for (int64_t j = 0; j < at->n; j++) at->p[j] = ch_random_uniform(&draws);
    set.tau = 1.3 * reached + 0.02;
    at->form = TAU;
    assert_int_equal(chi_hottopixx(context, &found, view, &set), CH_OK);
    at->tau = set.tau;
    double least = solve_by_clp(at);
    at->tau = set.tau * (1 + 1.001 * set.gap);
    double relaxed = solve_by_clp(at);
    support_check(found.objective <= least + set.gap * fmax(least, 1) + 1e-8 &&
                      found.objective >= relaxed - 1e-8,
                  "seed %d: %.10g, Clp %.10g to %.10g", (int)set.seed, found.objective, relaxed,
                  least);
    support_check(found.objective - found.gap <= least + 1e-8, "seed %d: bound", (int)set.seed);
    if (reached < 0.05) return;
    set.tau = 0.5 * reached; /* nobody can */
    assert_int_equal(chi_hottopixx(context, &found, view, &set), CH_ERR_SETTING);
    assert_non_null(strstr(ch_context_message(context), "tau"));
}

static void other_forms_are_solved_too(void **state) {
    (void)state;
    ch_random random;
    support_seed(&random, "forms", 3);
    support_memory memory;
    ch_context *context = support_context(&memory, 2);
    for (int n = 0; n < 20; n++) {
        problem at = {.m = 4 + ch_random_below(&random, 12),
                      .n = 8 + ch_random_below(&random, 12),
                      .r = 1 + ch_random_below(&random, 5),
                      .form = LARGEST};
        int64_t anchors[8];
        ch_random draws;
        ch_anchors_settings set;
        ch_anchors_defaults(&set);
        at.X = malloc((size_t)(at.m * at.n) * sizeof *at.X);
        draw(at.X, at.m, at.n, at.r, n % 3, n % 4 * 0.2, &random);
        ch_matrix view = support_dense(context, at.X, at.m, at.n);
        set.rank = at.r;
        set.seed = n;
        set.largest = 1;
        set.gap = 1e-5;
        chi_selection found = {.anchors = anchors};
        assert_int_equal(chi_hottopixx(context, &found, &view, &set), CH_OK);
        ch_random_seed(&draws, (uint64_t)n);
        double *scaled = malloc((size_t)(at.m * at.n) * sizeof *scaled);
        for (int64_t j = 0; j < at.n; j++) {
            double sum = 0;
            for (int64_t i = 0; i < at.m; i++) sum += at.X[i + j * at.m];
            for (int64_t i = 0; i < at.m; i++) scaled[i + j * at.m] = at.X[i + j * at.m] / sum;
            at.p[j] = set.p * ch_random_uniform(&draws);
        }
        double *plain = at.X;
        at.X = scaled;
        double least = solve_by_clp(&at);
        support_check(found.objective >= least - 1e-8 && found.objective <= least + 1.01e-5,
                      "instance %d: %.10g, Clp %.10g", n, found.objective, least);
        support_check(found.objective - found.gap <= least + 1e-8, "instance %d: bound", n);
        set.largest = 0;
        check_tau(context, &at, set, &view, least);
        ch_matrix_free(context, &view);
        free(plain);
        free(scaled);
    }
    support_finish(context, &memory);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_objective_is_that_of_the_linear_program),
        cmocka_unit_test(other_forms_are_solved_too)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
