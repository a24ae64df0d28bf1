/* Time of one exact l1 projection, single thread, all in one run: from a cold start; warm-started
 * from the solution before the last anchor; against a linear programming solver, when the build
 * found one; against our own alternating method at a gap of 1e-6; and, for 8-bit data and three
 * anchors, against one exact median of the same column. */
#include "programs/lad_lp.h"
#include "programs/standalone.h"
#include "project/cone.h"
#include <conehull/random.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct bench_case {
    ch_context *context;
    int64_t rows, k, cols;
    chi_cone cone, smaller; /* smaller: without the last anchor */
    ch_matrix X;
    void *values;
    double *H, *before; /* k x cols: solutions; those of the smaller cone */
    double *value;
    int32_t *index;
    void *exact, *exact_smaller, *admm;
    int64_t pivots, unproven;
    double objective, linear;
} bench_case;

static void stop(const char *why) {
    fprintf(stderr, "bench_nnlad: %s\n", why);
    exit(1);
}

static void *room(int64_t count, size_t size) {
    void *block = calloc((size_t)count, size);
    if (!block) stop("no memory");
    return block;
}

/* The paper's generator (Section 5.1): anchors W + noise, columns W h + noise, h Dirichlet. */
static void draw_sparse_noise(bench_case *c, double level, ch_random *random) {
    double *W = room(c->rows * c->k, sizeof *W), *x = room(c->rows, sizeof *x);
    double *alpha = room(2 * c->k, sizeof *alpha), *h = alpha + c->k, *X = c->values;
    for (int64_t i = 0; i < c->rows * c->k; i++) W[i] = ch_random_uniform(random);
    for (int64_t j = 0; j < c->k; j++) {
        for (int64_t i = 0; i < c->rows; i++)
            x[i] = W[i + j * c->rows] + fmax(ch_random_laplace(random, level), 0);
        chi_cone_append(&c->cone, x);
    }
    for (int64_t n = 0; n < c->cols; n++) {
        for (int64_t j = 0; j < c->k; j++) alpha[j] = ch_random_uniform(random);
        ch_random_dirichlet(random, h, alpha, c->k);
        for (int64_t i = 0; i < c->rows; i++) {
            double value = fmax(ch_random_laplace(random, level), 0);
            for (int64_t j = 0; j < c->k; j++) value += W[i + j * c->rows] * h[j];
            X[i + n * c->rows] = value;
        }
    }
    free(W);
    free(x);
    free(alpha);
}

/* A still scene under changing light, passers-by, and a camera's noise: integers, full of ties. */
static void draw_video(bench_case *c, ch_random *random) {
    uint8_t *X = c->values;
    double *light = room(c->rows * c->k, sizeof *light), *x = room(c->rows, sizeof *x);
    for (int64_t j = 0; j < c->k; j++)
        for (int64_t i = 0; i < c->rows; i++)
            light[i + j * c->rows] = j == 0 ? 1 : (i / (20 * j)) % 2 ? 0.9 : 0.2;
    for (int64_t n = 0; n < c->cols + c->k; n++) {
        double h[8];
        for (int64_t j = 0; j < c->k; j++) {
            double u = ch_random_uniform(random);
            h[j] = n < c->k ? (j == n ? 120 : 20) : (j == 0 ? 20 + 120 * u : 30 * u * u);
        }
        int64_t visit = ch_random_below(random, c->rows);
        for (int64_t i = 0; i < c->rows; i++) {
            double value = 2 * ch_random_normal(random);
            for (int64_t j = 0; j < c->k; j++) value += light[i + j * c->rows] * h[j];
            if (i >= visit && i < visit + c->rows / 10) value += 60;
            x[i] = fmin(fmax(rint(value), 1), 255);
        }
        if (n < c->k) chi_cone_append(&c->cone, x);
        for (int64_t i = 0; n >= c->k && i < c->rows; i++)
            X[i + (n - c->k) * c->rows] = (uint8_t)x[i];
    }
    free(light);
    free(x);
}

static void solve_all(bench_case *c, const chi_projection *solver, void *work, double *H,
                      int warm) {
    c->pivots = c->unproven = 0;
    c->objective = 0;
    for (int64_t n = 0; n < c->cols; n++) {
        chi_column x;
        chi_fit fit;
        chi_column_load(&x, c->index, c->value, &c->X, n);
        solver->solve(work, &fit, H + n * c->k, NULL, &x, warm);
        c->pivots += fit.pivots;
        c->unproven += !fit.proven;
        c->objective += fit.objective;
    }
}

static void run_cold(void *user) {
    bench_case *c = user;
    solve_all(c, &chi_nnlad_exact, c->exact, c->H, 0);
}

static void run_warm(void *user) {
    bench_case *c = user;
    memcpy(c->H, c->before, (size_t)(c->k * c->cols) * sizeof *c->H);
    solve_all(c, &chi_nnlad_exact, c->exact, c->H, 1);
}

static void run_admm(void *user) {
    bench_case *c = user;
    solve_all(c, &chi_nnlad_admm, c->admm, c->H, 0);
}

static void run_lp(bench_case *c, int primal) {
    c->linear = 0;
    for (int64_t n = 0; n < c->cols; n++) {
        chi_column_gather(c->value, &c->X, n);
        c->linear += lad_lp_solve(c->cone.A, c->value, c->rows, c->k, primal);
    }
}

static void run_lp_dual(void *user) {
    run_lp(user, 0);
}

static void run_lp_primal(void *user) {
    run_lp(user, 1);
}

/* The k-th smallest by Hoare's selection. */
static double selected(double *list, int64_t count, int64_t k) {
    int64_t low = 0, high = count - 1;
    while (low < high) {
        double pivot = list[(low + high) / 2];
        int64_t i = low, j = high;
        while (i <= j) {
            while (list[i] < pivot) i++;
            while (list[j] > pivot) j--;
            if (i > j) break;
            double swap = list[i];
            list[i++] = list[j];
            list[j--] = swap;
        }
        if (k <= j)
            high = j;
        else if (k >= i)
            low = i;
        else
            break;
    }
    return list[k];
}

static void run_select(void *user) {
    bench_case *c = user;
    c->linear = 0;
    for (int64_t n = 0; n < c->cols; n++) {
        chi_column_gather(c->value, &c->X, n);
        c->linear += selected(c->value, c->rows, (c->rows - 1) / 2);
    }
}

static void run_histogram(void *user) {
    bench_case *c = user;
    c->linear = 0;
    for (int64_t n = 0; n < c->cols; n++) {
        const uint8_t *x = (const uint8_t *)c->X.values + n * c->rows;
        int64_t tally[256] = {0}, sum = 0, level = 0;
        for (int64_t i = 0; i < c->rows; i++) tally[x[i]]++;
        while ((sum += tally[level]) <= (c->rows - 1) / 2) level++;
        c->linear += (double)level;
    }
}

static void open_case(bench_case *c, int64_t rows, int64_t k, int64_t cols, ch_value_type type) {
    *c = (bench_case){.rows = rows, .k = k, .cols = cols};
    if (ch_context_create(&c->context, NULL) != CH_OK) stop("no context");
    c->values = room(rows * cols, ch_value_type_size(type));
    c->H = room(k * cols, sizeof *c->H);
    c->before = room(k * cols, sizeof *c->before);
    c->value = room(rows, sizeof *c->value);
    c->index = room(rows, sizeof *c->index);
    if (ch_matrix_borrow_dense(c->context, &c->X, c->values, rows, cols, rows, CH_COLUMN_MAJOR,
                               type) != CH_OK ||
        chi_cone_create(c->context, &c->cone, rows, k) != CH_OK ||
        chi_cone_create(c->context, &c->smaller, rows, k) != CH_OK ||
        chi_nnlad_exact.create(c->context, &c->exact, &c->cone, 1e-9) != CH_OK ||
        chi_nnlad_exact.create(c->context, &c->exact_smaller, &c->smaller, 1e-9) != CH_OK ||
        chi_nnlad_admm.create(c->context, &c->admm, &c->cone, 1e-6) != CH_OK)
        stop(ch_context_message(c->context));
}

static void solve_smaller(bench_case *c) {
    for (int64_t j = 0; j + 1 < c->k; j++) chi_cone_append(&c->smaller, c->cone.A + j * c->rows);
    solve_all(c, &chi_nnlad_exact, c->exact_smaller, c->before, 0);
}

static void close_case(bench_case *c) {
    chi_nnlad_exact.destroy(c->context, c->exact);
    chi_nnlad_exact.destroy(c->context, c->exact_smaller);
    chi_nnlad_admm.destroy(c->context, c->admm);
    chi_cone_destroy(c->context, &c->cone);
    chi_cone_destroy(c->context, &c->smaller);
    ch_context_destroy(c->context);
    free(c->values);
    free(c->H);
    free(c->before);
    free(c->value);
    free(c->index);
}

/* The time of a work, and how many times faster it is than another; goal 0: none. */
static void tell(const bench_options *options, const bench_case *c, const char *work,
                 const bench_time *time, const char *other, const bench_time *base, double goal) {
    double each = time->min / (double)c->cols, ratio = base->min / time->min;
    if (options->json) {
        printf(
            "{\"bench\":\"nnlad\",\"rows\":%ld,\"anchors\":%ld,\"work\":\"%s\",\"against\":\"%s\","
            "\"seconds_per_column\":%.3g,\"times_faster\":%.3g,\"goal\":%.3g}\n",
            (long)c->rows, (long)c->k, work, other, each, ratio, goal);
        return;
    }
    printf("  %-22s %9.2f us a column, %7.2f times faster than %s", work, each * 1e6, ratio, other);
    if (goal > 0) printf(" (goal %g)", goal);
    printf("\n");
}

/* plain: the program as one would write it down first, and the alternating method, take part too;
 * they are slow. Goals are against that program; the other form is the harder yardstick. */
static void compare_solvers(const bench_options *options, int64_t rows, int64_t k, int64_t cols,
                            int plain) {
    bench_case c;
    ch_random random;
    ch_random_seed(&random, 2013);
    open_case(&c, rows, k, cols, CH_F64);
    draw_sparse_noise(&c, 0.3, &random);
    solve_smaller(&c);
    enum { COLD, WARM, LP_DUAL, ADMM, LP_PLAIN, WORKS };
    bench_time times[WORKS];
    bench_work works[WORKS] = {[COLD] = {run_cold, &c},
                               [WARM] = {run_warm, &c},
                               [LP_DUAL] = {run_lp_dual, &c},
                               [ADMM] = {run_admm, &c},
                               [LP_PLAIN] = {run_lp_primal, &c}};
    bench_take_turns(times, works, plain ? WORKS : LP_DUAL + 1, options);
    run_cold(&c);
    double cold = (double)c.pivots / (double)cols, exact = c.objective;
    run_warm(&c);
    double warm = (double)c.pivots / (double)cols;
    run_lp_dual(&c);
    if (!options->json)
        printf("exact l1 projection, %ld x %ld: %.1f pivots cold, %.1f warm from k - 1\n",
               (long)rows, (long)k, cold, warm);
    if (!options->json && lad_lp_name())
        printf("  linear programs by %s; objectives differ by %.1e\n", lad_lp_name(),
               fabs(c.linear - exact) / exact);
    if (lad_lp_name()) {
        tell(options, &c, "cold", &times[COLD], "the LP by anchors", &times[LP_DUAL], 0);
        tell(options, &c, "warm", &times[WARM], "the LP by anchors", &times[LP_DUAL], 0);
    }
    if (lad_lp_name() && plain) {
        tell(options, &c, "cold", &times[COLD], "the LP by rows", &times[LP_PLAIN], 20);
        tell(options, &c, "warm", &times[WARM], "the LP by rows", &times[LP_PLAIN], 100);
    }
    if (plain) tell(options, &c, "cold", &times[COLD], "ADMM to a gap of 1e-6", &times[ADMM], 10);
    close_case(&c);
}

static void compare_median(const bench_options *options) {
    bench_case c;
    ch_random random;
    ch_random_seed(&random, 1312);
    open_case(&c, 200, 3, 4000, CH_U8);
    draw_video(&c, &random);
    bench_time times[3];
    bench_work works[] = {{run_select, &c}, {run_histogram, &c}, {run_cold, &c}};
    bench_take_turns(times, works, 3, options);
    if (!options->json)
        printf("exact l1 projection, 200 x 3, 8-bit: %.1f pivots, %ld not proven\n",
               (double)c.pivots / (double)c.cols, (long)c.unproven);
    tell(options, &c, "cold", &times[2], "a median by selection", &times[0], 0.125);
    tell(options, &c, "cold", &times[2], "a median by histogram", &times[1], 0.125);
    close_case(&c);
}

int main(int count, char **words) {
    bench_options options = bench_start(count, words);
    compare_solvers(&options, 400, 20, 20, 1);
    compare_solvers(&options, 200, 20, 50, 0); /* the case of peers/columns.R */
    compare_solvers(&options, 2000, 20, 10, 0);
    compare_median(&options);
    return 0;
}
