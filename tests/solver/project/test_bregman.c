/* Projections under divergences: certified at the tolerance asked for, not beaten by an
 * independent method, the same dense and sparse, and descending along the chain of anchors. */
#include "loss/divergence.h"
#include "project/cone.h"
#include "support.h"
#include <math.h>
#include <string.h>

enum { M = 40, K = 6 };

static const chi_loss_settings choices[] = {
    {.loss = CH_LOSS_KL, .floor = 3e-7},
    {.loss = CH_LOSS_KL, .floor = 3e-7, .reverse = 1},
    {.loss = CH_LOSS_IS, .floor = 3e-7},
    {.loss = CH_LOSS_IS, .floor = 3e-7, .reverse = 1},
    {.loss = CH_LOSS_BETA, .beta = 0.5, .floor = 3e-7},
    {.loss = CH_LOSS_BETA, .beta = 0.5, .floor = 3e-7, .reverse = 1},
    {.loss = CH_LOSS_BETA, .beta = 1.5, .floor = 3e-7},
    {.loss = CH_LOSS_BETA, .beta = 1.5, .floor = 3e-7, .reverse = 1},
    {.loss = CH_LOSS_LOGISTIC, .floor = 3e-7},
};
enum { CHOICES = sizeof choices / sizeof *choices };

typedef struct problem {
    ch_context *context;
    support_memory memory;
    chi_cone cone;
    chi_loss loss;
    void *work;
    double A[M * K], x[M], value[M];
    int32_t index[M];
    chi_column column;
} problem;

/* The anchors p->A, and the loss of a table row, at tolerance tol. */
static void begin_with(problem *p, int choice, double tol) {
    p->context = support_context(&p->memory, 1);
    assert_int_equal(chi_cone_create(p->context, &p->cone, M, K), CH_OK);
    for (int64_t j = 0; j < K; j++) chi_cone_append(&p->cone, p->A + j * M);
    assert_int_equal(chi_loss_init(p->context, &p->loss, &choices[choice]), CH_OK);
    p->cone.loss = &p->loss;
    p->work = chi_bregman.create(&p->cone.arena, &p->cone, tol);
    assert_non_null(p->work);
}

/* Anchors with a share of zeros. */
static void begin(problem *p, ch_random *random, int choice, double zeros, double tol) {
    for (int64_t i = 0; i < M * K; i++)
        p->A[i] = ch_random_uniform(random) < zeros ? 0 : 0.9 * ch_random_uniform(random);
    begin_with(p, choice, tol);
}

static void end(problem *p) {
    chi_cone_destroy(&p->cone);
    support_finish(p->context, &p->memory);
}

static void set_column(problem *p) {
    int64_t count = 0;
    p->column = (chi_column){.rows = M, .value = p->value};
    for (int32_t i = 0; i < M; i++) {
        if (p->x[i] <= 0) continue;
        p->index[count] = i;
        p->value[count++] = p->x[i];
        p->column.sum += p->x[i];
        p->column.square += p->x[i] * p->x[i];
    }
    p->column.count = count;
    p->column.index = count < M ? p->index : NULL;
}

/* x = A h with exponential noise (a coin for logistic), and a share of zeros. */
static void draw_column(problem *p, ch_random *random, double zeros) {
    double alpha[K], h[K];
    for (int j = 0; j < K; j++) alpha[j] = 0.5;
    ch_random_dirichlet(random, h, alpha, K);
    for (int i = 0; i < M; i++) {
        double y = 0;
        for (int j = 0; j < K; j++) y += p->A[i + j * M] * h[j];
        p->x[i] = isfinite(p->loss.top) ? ch_random_uniform(random) < y
                                        : ch_random_exponential(random, y);
        if (ch_random_uniform(random) < zeros) p->x[i] = 0;
    }
    p->x[3] = 0.5; /* never empty */
    set_column(p);
}

/* y = A b + floor in row i. */
static double model_at(const problem *p, const double *b, int i) {
    double y = p->loss.floor;
    for (int j = 0; j < K; j++) y += p->A[i + j * M] * b[j];
    return y;
}

/* f(b) straight from the definition. */
static double objective(const problem *p, const double *b) {
    double sum = 0;
    for (int i = 0; i < M; i++) {
        double x = p->x[i] + (p->loss.lifts_data ? p->loss.floor : 0), y = model_at(p, b, i);
        sum += chi_loss_value(&p->loss, &x, &y, 1);
    }
    return sum;
}

static void every_column_is_certified(void **state) {
    (void)state;
    const double tol = 1e-9;
    for (int choice = 0; choice < CHOICES; choice++)
        for (int sparse = 0; sparse < 2; sparse++) {
            problem p;
            ch_random random;
            support_seed(&random, "bregman certified", 21 + (uint64_t)choice);
            begin(&p, &random, choice, 0.6 * sparse, tol);
            for (int trial = 0; trial < 200; trial++) {
                chi_fit fit;
                double b[K];
                draw_column(&p, &random, 0.5 * sparse);
                chi_bregman.solve(p.work, &fit, b, NULL, &p.column, 0);
                support_check(fit.proven, "choice %d sparse %d trial %d: gap %g stationarity %g",
                              choice, sparse, trial, fit.gap, fit.stationarity);
                support_check(!p.loss.convex || fit.gap <= tol, "gap %g", fit.gap);
                for (int j = 0; j < K; j++) support_check(b[j] >= 0, "b %g", b[j]);
                double again = objective(&p, b);
                support_close(fit.objective, again, 1e-10 * (1 + again));
            }
            end(&p);
        }
}

/* The certificate means what it says: no random point, near or far, is lower than bound. */
static void no_point_is_below_the_bound(void **state) {
    (void)state;
    for (int choice = 0; choice < CHOICES; choice++) {
        problem p;
        ch_random random;
        support_seed(&random, "bregman bound", 31);
        begin(&p, &random, choice, 0.3, 1e-9);
        for (int trial = 0; trial < 20 && p.loss.convex; trial++) {
            chi_fit fit;
            double b[K], other[K];
            draw_column(&p, &random, 0.3);
            chi_bregman.solve(p.work, &fit, b, NULL, &p.column, 0);
            for (int guess = 0; guess < 300; guess++) {
                double size = pow(10, -6 * ch_random_uniform(&random));
                for (int j = 0; j < K; j++)
                    other[j] = fmax(0, b[j] + size * ch_random_normal(&random));
                support_check(objective(&p, other) >= fit.objective * (1 - 1e-8) - 1e-12,
                              "choice %d: %.15g < %.15g", choice, objective(&p, other),
                              fit.objective);
            }
        }
        end(&p);
    }
}

/* Multiplicative updates for KL (Lee and Seung 2001) reach no lower value, and come near. */
static void multiplicative_updates_reach_no_lower(void **state) {
    (void)state;
    problem p;
    ch_random random;
    support_seed(&random, "bregman mu", 41);
    begin(&p, &random, 0, 0.4, 1e-9);
    for (int trial = 0; trial < 20; trial++) {
        chi_fit fit;
        double b[K], other[K];
        draw_column(&p, &random, 0.4);
        chi_bregman.solve(p.work, &fit, b, NULL, &p.column, 0);
        for (int j = 0; j < K; j++) other[j] = 1;
        for (int round = 0; round < 20000; round++) {
            double up[K] = {0};
            for (int i = 0; i < M; i++) {
                double y = p.loss.floor;
                for (int j = 0; j < K; j++) y += p.A[i + j * M] * other[j];
                for (int j = 0; j < K; j++) up[j] += p.A[i + j * M] * p.x[i] / y;
            }
            for (int j = 0; j < K; j++) other[j] *= up[j] / p.cone.sums[j];
        }
        double found = objective(&p, other);
        support_check(found >= fit.objective - 1e-9 * (1 + found), "%.15g below %.15g", found,
                      fit.objective);
        support_close(found, fit.objective, 1e-4 * (1 + found));
    }
    end(&p);
}

/* A warm start and a cold one end at the same value where there is only one optimum; chains of the
 * others never rise. */
static void warm_starts_agree_and_chains_descend(void **state) {
    (void)state;
    for (int choice = 0; choice < CHOICES; choice++) {
        problem p;
        ch_random random;
        support_seed(&random, "bregman warm", 51);
        begin(&p, &random, choice, 0.3, 1e-9);
        for (int trial = 0; trial < 30; trial++) {
            chi_fit fit, cold;
            double b[K] = {0}, again[K], last = INFINITY;
            draw_column(&p, &random, 0.2);
            for (int64_t k = 1; k <= K; k++) {
                p.cone.count = k;
                b[k - 1] = 0;
                chi_bregman.solve(p.work, &fit, b, NULL, &p.column, (int)k - 1);
                support_check(fit.objective <= last * (1 + 1e-12), "choice %d: rose", choice);
                last = fit.objective;
            }
            chi_bregman.solve(p.work, &cold, again, NULL, &p.column, 0);
            support_close(cold.objective, fit.objective, 2e-9 * (1 + fit.objective));
        }
        end(&p);
    }
}

/* Lemma A.1 and A.2 of the paper for D*: not positive on the anchors, positive on the column. */
static void duals_separate_column_and_cone(void **state) {
    (void)state;
    for (int choice = 0; choice < CHOICES; choice++) {
        problem p;
        ch_random random;
        support_seed(&random, "bregman dual", 61);
        begin(&p, &random, choice, 0.3, 1e-9);
        for (int trial = 0; trial < 50; trial++) {
            chi_fit fit;
            double b[K], d[M], along = 0;
            draw_column(&p, &random, 0.2);
            chi_bregman.solve(p.work, &fit, b, d, &p.column, 0);
            for (int i = 0; i < M; i++) along += d[i] * p.x[i];
            support_check(along > 0, "choice %d: d'x = %g", choice, along);
            for (int j = 0; j < K; j++) {
                double on_anchor = 0, bound = 0;
                for (int i = 0; i < M; i++) {
                    on_anchor += d[i] * p.A[i + j * M];
                    bound += fabs(d[i]) * p.A[i + j * M];
                }
                support_check(on_anchor <= 1e-8 * bound, "choice %d: d'a = %g", choice, on_anchor);
            }
        }
        end(&p);
    }
}

/* Rows that are alike in all anchors are merged for losses that are not convex. Objective and dual
 * are still those of all rows, whether or not some rows differ in the last anchor alone. */
static void merged_rows_count_as_they_are(void **state) {
    (void)state;
    for (int choice = 0; choice < CHOICES; choice++) {
        problem p;
        ch_random random;
        support_seed(&random, "bregman merged", 51 + (uint64_t)choice);
        for (int64_t i = 0; i < M * K; i++) {
            double at = ch_random_uniform(&random);
            p.A[i] = i % M < 5 || at < 0.75 ? 0 : at < 0.9 ? 0.25 : 0.5;
        }
        begin_with(&p, choice, 1e-9);
        for (int trial = 0; trial < 100; trial++) {
            chi_fit fit;
            double b[K], d[M];
            draw_column(&p, &random, 0.5);
            chi_bregman.solve(p.work, &fit, b, d, &p.column, 0);
            support_check(fit.proven, "choice %d trial %d: %g", choice, trial, fit.stationarity);
            double again = objective(&p, b);
            support_close(fit.objective, again, 1e-10 * (1 + again));
            for (int i = 0; i < M; i++) {
                double x = p.x[i] + (p.loss.lifts_data ? p.loss.floor : 0), slope;
                double y = model_at(&p, b, i);
                chi_loss_slopes(&p.loss, &slope, NULL, NULL, &x, &y, 1);
                support_close(d[i], -slope, 1e-9 * fabs(slope) + 1e-9);
            }
        }
        end(&p);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_column_is_certified),
        cmocka_unit_test(no_point_is_below_the_bound),
        cmocka_unit_test(multiplicative_updates_reach_no_lower),
        cmocka_unit_test(warm_starts_agree_and_chains_descend),
        cmocka_unit_test(duals_separate_column_and_cone),
        cmocka_unit_test(merged_rows_count_as_they_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
