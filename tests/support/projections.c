/* Problems for the projections; see projections.h. */
#include "projections.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *problem_name(problem_kind kind) {
    static const char *const names[] = {"uniform", "planted",  "inside", "integer",  "binary",
                                        "sparse",  "repeated", "near",   "constant", "scales"};
    return names[kind];
}

void problem_create(problem *p, ch_context *context, int64_t m, int64_t k) {
    memset(p, 0, sizeof *p);
    p->context = context;
    assert_int_equal(chi_cone_create(context, &p->cone, m, k), CH_OK);
    p->x = malloc((size_t)m * sizeof *p->x);
    p->index = malloc((size_t)m * sizeof *p->index);
    p->value = malloc((size_t)m * sizeof *p->value);
}

void problem_destroy(problem *p) {
    chi_cone_destroy(&p->cone);
    free(p->x);
    free(p->index);
    free(p->value);
}

static double draw_value(ch_random *random, problem_kind kind) {
    switch (kind) {
    case PROBLEM_INTEGER:
        return (double)ch_random_below(random, 4);
    case PROBLEM_BINARY:
        return (double)ch_random_below(random, 2);
    case PROBLEM_SPARSE:
        return ch_random_below(random, 10) ? 0 : 1 + ch_random_uniform(random);
    default:
        return ch_random_uniform(random);
    }
}

static void draw_anchor(problem *p, ch_random *random, problem_kind kind, double *a) {
    int64_t m = p->cone.rows, k = p->cone.count;
    const double *old = k ? p->cone.A + ch_random_below(random, k) * m : NULL;
    int64_t coin = ch_random_below(random, 3);
    double factor = 1;
    if (kind == PROBLEM_SCALES) factor = ldexp(1, (int)ch_random_below(random, 41) - 20);
    if (kind == PROBLEM_REPEATED) factor = coin == 0 ? 0 : 1 + ch_random_uniform(random);
    for (int64_t i = 0; i < m; i++) {
        double value = draw_value(random, kind);
        if (kind == PROBLEM_REPEATED && coin == 1 && old) value = old[i];
        if (kind == PROBLEM_NEAR && old) value = old[i] + 1e-4 * value;
        if (kind == PROBLEM_CONSTANT && coin == 1) value = 1;
        a[i] = factor * value;
    }
}

void problem_empty_cone(problem *p) {
    while (p->cone.count > 0) chi_cone_remove(&p->cone, p->cone.count - 1);
}

void problem_draw_cone(problem *p, ch_random *random, problem_kind kind) {
    int64_t m = p->cone.rows;
    double *a = malloc((size_t)m * sizeof *a);
    problem_empty_cone(p);
    while (p->cone.count < p->cone.capacity) {
        draw_anchor(p, random, kind, a);
        chi_cone_append(&p->cone, a);
    }
    free(a);
}

void problem_set_column(problem *p, const double *x) {
    int64_t m = p->cone.rows, count = 0;
    double sum = 0, square = 0;
    for (int64_t i = 0; i < m; i++) {
        p->x[i] = x[i];
        if (x[i] == 0) continue;
        p->index[count] = (int32_t)i;
        p->value[count++] = x[i];
        sum += x[i];
        square += x[i] * x[i];
    }
    p->column = (chi_column){.rows = m, .count = count, .value = p->value};
    p->column.index = count == m ? NULL : p->index;
    p->column.sum = sum;
    p->column.square = square;
}

static void add_combination(const problem *p, double *x, ch_random *random) {
    for (int64_t j = 0; j < p->cone.count; j++) {
        if (ch_random_below(random, 3)) continue;
        double weight = ch_random_uniform(random);
        for (int64_t i = 0; i < p->cone.rows; i++) x[i] += weight * p->cone.A[i + j * p->cone.rows];
    }
}

void problem_draw_column(problem *p, ch_random *random, problem_kind kind) {
    int64_t m = p->cone.rows;
    double *x = calloc((size_t)m, sizeof *x);
    int64_t coin = ch_random_below(random, 4);
    int combined = kind == PROBLEM_PLANTED || kind == PROBLEM_INSIDE || kind == PROBLEM_NEAR ||
                   (kind == PROBLEM_SCALES && coin < 2);
    if (combined) add_combination(p, x, random);
    for (int64_t i = 0; i < m; i++) {
        double noise = draw_value(random, kind);
        if (kind == PROBLEM_INSIDE) noise = 0;
        if (kind == PROBLEM_PLANTED && ch_random_below(random, 5)) noise = 0;
        if (kind == PROBLEM_CONSTANT) noise = 1;
        if (combined && kind != PROBLEM_PLANTED) noise *= 1e-3;
        x[i] = (combined ? x[i] : 0) + noise;
    }
    if (kind == PROBLEM_REPEATED && coin == 0 && p->cone.count)
        memcpy(x, p->cone.A + ch_random_below(random, p->cone.count) * m, (size_t)m * sizeof *x);
    problem_set_column(p, x);
    free(x);
}

void problem_make(problem *p, ch_context *context, ch_random *random, problem_kind kind, int64_t m,
                  int64_t k) {
    problem_create(p, context, m, k);
    problem_draw_cone(p, random, kind);
    problem_draw_column(p, random, kind);
}

void problem_each(const char *name, uint64_t seed, int draws, int64_t m, int64_t k,
                  int (*without)(problem_kind kind),
                  void (*check)(problem *p, ch_random *random, const char *kind)) {
    ch_random random;
    support_seed(&random, name, seed);
    support_memory memory;
    ch_context *context = support_context(&memory, 1);
    for (int draw = 0; draw < draws; draw++) {
        problem_kind kind = (problem_kind)(draw % PROBLEM_KINDS);
        problem p;
        if (without && without(kind)) continue;
        problem_make(&p, context, &random, kind, m, k);
        check(&p, &random, problem_name(kind));
        problem_destroy(&p);
    }
    support_finish(context, &memory);
}

void problem_scale(problem *p, double anchors, double column) {
    int64_t m = p->cone.rows, k = p->cone.count;
    double *all = malloc((size_t)(m * (k + 1)) * sizeof *all);
    for (int64_t i = 0; i < m * k; i++) all[i] = anchors * p->cone.A[i];
    problem_empty_cone(p);
    for (int64_t j = 0; j < k; j++) chi_cone_append(&p->cone, all + j * m);
    for (int64_t i = 0; i < m; i++) all[i] = column * p->x[i];
    problem_set_column(p, all);
    free(all);
}

void problem_residual(const problem *p, double *r, const double *b) {
    for (int64_t i = 0; i < p->cone.rows; i++) {
        long double sum = p->x[i];
        for (int64_t j = 0; j < p->cone.count; j++)
            sum -= (long double)b[j] * p->cone.A[i + j * p->cone.rows];
        r[i] = (double)sum;
    }
}

void *problem_start(const chi_projection *solver, problem *p, double tol) {
    void *work = solver->create(&p->cone.arena, &p->cone, tol);
    assert_non_null(work);
    return work;
}

chi_fit problem_solve(const chi_projection *solver, problem *p, double tol, double *b, double *d) {
    chi_arena arena = {.context = p->context};
    void *work = solver->create(&arena, &p->cone, tol);
    chi_fit fit;
    assert_non_null(work);
    solver->solve(work, &fit, b, d, &p->column, 0);
    chi_arena_free(&arena);
    return fit;
}

void problem_fail_allocations(const chi_projection *solver, double tol, int64_t least) {
    support_memory memory;
    ch_context *context = support_context(&memory, 1);
    problem p;
    problem_create(&p, context, 5, 3);
    int64_t before = memory.requests;
    for (int64_t k = 1;; k++) {
        chi_arena arena = {.context = context};
        memory.fail_at = before + k;
        int made = solver->create(&arena, &p.cone, tol) != NULL;
        before = memory.requests;
        assert_int_equal(chi_arena_status(&arena, "a test"), made ? CH_OK : CH_ERR_MEMORY);
        chi_arena_free(&arena);
        if (!made) continue;
        assert_true(k > least);
        break;
    }
    memory.fail_at = 0;
    problem_destroy(&p);
    support_finish(context, &memory);
}
