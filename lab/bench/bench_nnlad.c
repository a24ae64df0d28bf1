/* Time of one exact l1 projection, single thread, all in one run: from a cold start; warm-started
 * from the solution before the last anchor; against a linear programming solver, if the build found
 * one; against our own alternating method at a gap of 1e-6; for data in single precision against
 * one product A'x; and, for 8-bit data and two or three anchors, against one exact median of the
 * same column. */
#include "bench/bench_table.h"
#include "bench/lad_lp.h"
#include "common/exit_codes.h"
#include "project/cone.h"
#include <conehull/random.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct problem {
    ch_context *context;
    int64_t rows, k, cols;
    chi_cone cone, smaller; /* smaller: without the last anchor */
    ch_matrix X;
    void *values;
    double *H, *before; /* k x cols: solutions for `cone`, and for `smaller` */
    double *value;
    int32_t *index;
    void *exact, *exact_smaller, *admm;
    int64_t pivots, unproven;
    double objective, linear;
} problem;

/* Allocates memory, or ends the program; sizes are fixed and small. */
static void *need(int64_t count, size_t size) {
    void *block = calloc((size_t)count, size);
    if (!block) exit(cli_no_memory());
    return block;
}

/* The paper's generator (Section 5.1): anchors W + noise, columns W h + noise, h Dirichlet. */
static void draw_sparse_noise(problem *c, double level, ch_random *random) {
    double *W = need(c->rows * c->k, sizeof *W), *x = need(c->rows, sizeof *x);
    double *alpha = need(2 * c->k, sizeof *alpha), *h = alpha + c->k;
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
            if (c->X.type == CH_F32)
                ((float *)c->values)[i + n * c->rows] = (float)value;
            else
                ((double *)c->values)[i + n * c->rows] = value;
        }
    }
    free(W);
    free(x);
    free(alpha);
}

/* Draws a still scene under changing light with moving objects and camera noise, as integers, which
 * have many ties. */
static void draw_video(problem *c, ch_random *random) {
    uint8_t *X = c->values;
    double *light = need(c->rows * c->k, sizeof *light), *x = need(c->rows, sizeof *x);
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

static void solve_one(problem *c, chi_fit *fit, int64_t n) {
    chi_column x;
    chi_column_load(chi_kernels_of(c->context), &x, c->index, c->value, &c->X, n);
    chi_nnlad_exact.solve(c->exact, fit, c->H + n * c->k, NULL, &x, 0);
}

static void begin_sums(problem *c) {
    c->pivots = c->unproven = 0;
    c->objective = 0;
}

static void add_fit(problem *c, const chi_fit *fit) {
    c->pivots += fit->pivots;
    c->unproven += !fit->proven;
    c->objective += fit->objective;
}

static void solve_all(problem *c, const chi_projection *solver, void *work, double *H, int warm) {
    begin_sums(c);
    for (int64_t n = 0; n < c->cols; n++) {
        chi_column x;
        chi_fit fit;
        chi_column_load(chi_kernels_of(c->context), &x, c->index, c->value, &c->X, n);
        solver->solve(work, &fit, H + n * c->k, NULL, &x, warm);
        add_fit(c, &fit);
    }
}

static int run_cold(void *user, bench_time *time) {
    problem *c = user;
    (void)time;
    solve_all(c, &chi_nnlad_exact, c->exact, c->H, 0);
    return EXIT_DONE;
}

/* Solves block by block, and columns that their block does not prove alone, as chi_project_all()
 * does. The kernel set may have no blocks for so many rows; then every column is solved alone. */
static int run_blocks(void *user, bench_time *time) {
    problem *c = user;
    int64_t size = chi_nnlad_exact.block_columns(&c->cone);
    if (size == 0) return run_cold(user, time);
    begin_sums(c);
    for (int64_t low = 0; low < c->cols; low += size) {
        chi_fit fits[CHI_MOST_TOGETHER];
        int64_t high = low + size < c->cols ? low + size : c->cols;
        chi_nnlad_exact.solve_block(
            c->exact, &(chi_column_block){
                          .X = &c->X, .lo = low, .hi = high, .fits = fits, .H = c->H + low * c->k});
        for (int64_t n = low; n < high; n++) {
            if (!fits[n - low].proven) solve_one(c, &fits[n - low], n);
            add_fit(c, &fits[n - low]);
        }
    }
    return EXIT_DONE;
}

static int run_warm(void *user, bench_time *time) {
    problem *c = user;
    (void)time;
    memcpy(c->H, c->before, (size_t)(c->k * c->cols) * sizeof *c->H);
    solve_all(c, &chi_nnlad_exact, c->exact, c->H, 1);
    return EXIT_DONE;
}

static int run_admm(void *user, bench_time *time) {
    problem *c = user;
    (void)time;
    solve_all(c, &chi_nnlad_admm, c->admm, c->H, 0);
    return EXIT_DONE;
}

static void run_lp(problem *c, int primal) {
    c->linear = 0;
    for (int64_t n = 0; n < c->cols; n++) {
        chi_column_gather(c->value, &c->X, n);
        c->linear += lad_lp_solve(c->cone.A, c->value, c->rows, c->k, primal);
    }
}

static int run_lp_dual(void *user, bench_time *time) {
    (void)time;
    run_lp(user, 0);
    return EXIT_DONE;
}

static int run_lp_primal(void *user, bench_time *time) {
    (void)time;
    run_lp(user, 1);
    return EXIT_DONE;
}

/* A'x in single precision for every column, by the anchors of the cone in single precision. */
static int run_product(void *user, bench_time *time) {
    enum { LANES = 64 };
    problem *c = user;
    (void)time;
    c->linear = 0;
    for (int64_t n = 0; n < c->cols; n++) {
        const float *x = (const float *)c->values + n * c->rows;
        for (int64_t j = 0; j < c->k; j++) {
            const float *a = c->cone.narrow + j * c->cone.narrow_stride;
            float sum[LANES] = {0};
            int64_t i = 0;
            for (; i + LANES <= c->rows; i += LANES)
                for (int l = 0; l < LANES; l++) sum[l] += a[i + l] * x[i + l];
            for (; i < c->rows; i++) sum[0] += a[i] * x[i];
            for (int l = 0; l < LANES; l++) c->linear += sum[l];
        }
    }
    return EXIT_DONE;
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

static int run_select(void *user, bench_time *time) {
    problem *c = user;
    (void)time;
    c->linear = 0;
    for (int64_t n = 0; n < c->cols; n++) {
        chi_column_gather(c->value, &c->X, n);
        c->linear += selected(c->value, c->rows, (c->rows - 1) / 2);
    }
    return EXIT_DONE;
}

static int run_histogram(void *user, bench_time *time) {
    problem *c = user;
    (void)time;
    c->linear = 0;
    for (int64_t n = 0; n < c->cols; n++) {
        const uint8_t *x = (const uint8_t *)c->X.values + n * c->rows;
        int64_t tally[256] = {0}, sum = 0, level = 0;
        for (int64_t i = 0; i < c->rows; i++) tally[x[i]]++;
        while ((sum += tally[level]) <= (c->rows - 1) / 2) level++;
        c->linear += (double)level;
    }
    return EXIT_DONE;
}

static int open_problem(bench_run *run, problem *c, int64_t rows, int64_t k, int64_t cols,
                        ch_value_type type) {
    ch_context *context = run->session->context;
    *c = (problem){.context = context, .rows = rows, .k = k, .cols = cols};
    c->values = need(rows * cols, ch_value_type_size(type));
    c->H = need(k * cols, sizeof *c->H);
    c->before = need(k * cols, sizeof *c->before);
    c->value = need(rows, sizeof *c->value);
    c->index = need(rows, sizeof *c->index);
    ch_status status = ch_matrix_borrow(
        context, &c->X,
        &(ch_matrix){.rows = rows, .cols = cols, .type = type, .values = c->values});
    if (status == CH_OK) status = chi_cone_create(context, &c->cone, rows, k);
    if (status == CH_OK) status = chi_cone_create(context, &c->smaller, rows, k);
    if (status != CH_OK) return bench_code(run, status);
    c->exact = chi_nnlad_exact.create(&c->cone.arena, &c->cone, 1e-9);
    c->exact_smaller = chi_nnlad_exact.create(&c->cone.arena, &c->smaller, 1e-9);
    c->admm = chi_nnlad_admm.create(&c->cone.arena, &c->cone, 1e-6);
    return bench_code(run, chi_arena_status(&c->cone.arena, "projections"));
}

static void solve_smaller(problem *c) {
    for (int64_t j = 0; j + 1 < c->k; j++) chi_cone_append(&c->smaller, c->cone.A + j * c->rows);
    solve_all(c, &chi_nnlad_exact, c->exact_smaller, c->before, 0);
}

static void close_problem(problem *c) {
    chi_cone_destroy(&c->cone);
    chi_cone_destroy(&c->smaller);
    free(c->values);
    free(c->H);
    free(c->before);
    free(c->value);
    free(c->index);
}

/* Adds the ratios, over all columns, by which our method is faster. */
static int add_pairs(bench_run *run, const problem *c, const bench_series *series,
                     const bench_pair *pairs, int count) {
    char data[BENCH_TEXT];
    snprintf(data, sizeof data, "exact l1 projection, %lld x %lld%s, %lld columns",
             (long long)c->rows, (long long)c->k,
             c->X.type == CH_U8    ? ", 8-bit"
             : c->X.type == CH_F32 ? ", f32"
                                   : "",
             (long long)c->cols);
    return bench_add_pairs(run, series, pairs, count, data);
}

/* Compares the solvers. If `plain`, also compares with the linear program in its most direct form
 * and with the alternating method, which are slow. The required ratios refer to the direct form;
 * the other form is faster and so harder to beat. */
static int compare_solvers(bench_run *run, problem *c, int plain) {
    enum { COLD, WARM, ADMM, LP_DUAL, LP_PLAIN, WORKS };
    static const bench_pair pairs[] = {
        {"ADMM to a gap of 1e-6 over cold", ADMM, COLD, 0, 10, 1},
        {"the LP by anchors over cold", LP_DUAL, COLD, 0, 0, 1},
        {"the LP by anchors over warm", LP_DUAL, WARM, 0, 0, 1},
        {"the LP by rows over cold", LP_PLAIN, COLD, 0, 20, 1},
        {"the LP by rows over warm", LP_PLAIN, WARM, 0, 100, 1},
    };
    const bench_work works[WORKS] = {[COLD] = {"exact, cold", run_cold, c},
                                     [WARM] = {"exact, warm from k - 1", run_warm, c},
                                     [ADMM] = {"ADMM", run_admm, c},
                                     [LP_DUAL] = {"an LP with a row per anchor", run_lp_dual, c},
                                     [LP_PLAIN] = {"an LP with a row per entry", run_lp_primal, c}};
    bench_series series[WORKS];
    ch_random random;
    bench_time ignored;
    ch_random_seed(&random, 2013);
    draw_sparse_noise(c, 0.3, &random);
    solve_smaller(c);
    int there = lad_lp_name() ? plain ? WORKS : LP_DUAL + 1 : LP_DUAL;
    int code = bench_take_turns(run, series, works, there);
    if (code != EXIT_DONE) return code;
    run_warm(c, &ignored);
    double warm = (double)c->pivots / (double)c->cols;
    run_cold(c, &ignored);
    if (bench_prints(run)) {
        printf("%lld x %lld: %.1f pivots cold, %.1f warm from k - 1", (long long)c->rows,
               (long long)c->k, (double)c->pivots / (double)c->cols, warm);
        if (lad_lp_name())
            printf("; linear programs by %s, objectives differ by %.1e", lad_lp_name(),
                   fabs(c->linear - c->objective) / c->objective);
        putchar('\n');
    }
    return add_pairs(run, c, series, pairs, there == WORKS ? 5 : there == LP_DUAL ? 1 : 3);
}

/* The goals for tall columns: against the linear program, and against one product A'x. */
static int compare_product(bench_run *run, problem *c, double at_least, double at_most) {
    enum { COLD, PRODUCT, LP, WORKS };
    const bench_pair pairs[] = {{"cold over a product A'x in f32", COLD, PRODUCT, at_most, 0, 1},
                                {"the LP by anchors over cold", LP, COLD, 0, at_least, 1}};
    const bench_work works[WORKS] = {{"exact, cold", run_cold, c},
                                     {"a product A'x in f32", run_product, c},
                                     {"an LP with a row per anchor", run_lp_dual, c}};
    bench_series series[WORKS];
    ch_random random;
    ch_random_seed(&random, 2028);
    draw_sparse_noise(c, 0.3, &random);
    int there = lad_lp_name() ? WORKS : LP;
    int code = bench_take_turns(run, series, works, there);
    return code == EXIT_DONE ? add_pairs(run, c, series, pairs, there - 1) : code;
}

static int compare_median(bench_run *run, problem *c, double at_most) {
    enum { BLOCKS, ALONE, BY_SELECTION, BY_HISTOGRAM, WORKS };
    const bench_pair pairs[] = {
        {"cold over a median by selection", BLOCKS, BY_SELECTION, at_most, 0, 1},
        {"cold, column by column, over a median by histogram", ALONE, BY_HISTOGRAM, 0, 0, 1},
        {"cold over a median by histogram", BLOCKS, BY_HISTOGRAM, at_most, 0, 1},
    };
    const bench_work works[WORKS] = {{"exact, cold", run_blocks, c},
                                     {"exact, cold, column by column", run_cold, c},
                                     {"a median by selection", run_select, c},
                                     {"a median by histogram", run_histogram, c}};
    bench_series series[WORKS];
    ch_random random;
    ch_random_seed(&random, 1312);
    draw_video(c, &random);
    int code = bench_take_turns(run, series, works, WORKS);
    return code == EXIT_DONE ? add_pairs(run, c, series, pairs, 3) : code;
}

/* Several shapes of one kind of data, each with its required ratios. */
typedef struct shape {
    int64_t rows, k, cols;
    double at_least, at_most; /* 0: no requirement */
} shape;

static int measure_doubles(bench_run *run) {
    static const shape shapes[] = {{400, 20, 20, 0, 0},
                                   {200, 20, 50, 0, 0} /* the case of peers/columns.R */,
                                   {2000, 20, 10, 0, 0}};
    problem c;
    int code = EXIT_DONE;
    for (int k = 0; k < 3 && code == EXIT_DONE; k++) {
        code = open_problem(run, &c, shapes[k].rows, shapes[k].k, shapes[k].cols, CH_F64);
        if (code == EXIT_DONE) code = compare_solvers(run, &c, k == 0 && !run->quick);
        close_problem(&c);
    }
    return code;
}

static int measure_singles(bench_run *run) {
    static const shape shapes[] = {
        {200, 20, 100, 60, 0}, {2000, 20, 20, 250, 0}, {20000, 20, 3, 500, 12}};
    problem c;
    int code = EXIT_DONE;
    for (int k = 0; k < (run->quick ? 2 : 3) && code == EXIT_DONE; k++) {
        code = open_problem(run, &c, shapes[k].rows, shapes[k].k, shapes[k].cols, CH_F32);
        if (code == EXIT_DONE)
            code = compare_product(run, &c, shapes[k].at_least, shapes[k].at_most);
        close_problem(&c);
    }
    return code;
}

static int measure_bytes(bench_run *run) {
    static const shape shapes[] = {
        {200, 3, 4000, 0, 8}, {1100, 2, 1000, 0, 8}, {1500, 3, 1000, 0, 10}};
    problem c;
    int code = EXIT_DONE;
    for (int k = 0; k < (run->quick ? 1 : 3) && code == EXIT_DONE; k++) {
        code = open_problem(run, &c, shapes[k].rows, shapes[k].k,
                            run->quick ? shapes[k].cols / 10 : shapes[k].cols, CH_U8);
        if (code == EXIT_DONE) code = compare_median(run, &c, shapes[k].at_most);
        close_problem(&c);
    }
    return code;
}

int bench_nnlad(bench_run *run) {
    int threads = run->threads;
    run->threads = 1;
    int code = measure_doubles(run);
    if (code == EXIT_DONE) code = measure_singles(run);
    if (code == EXIT_DONE) code = measure_bytes(run);
    run->threads = threads;
    return code;
}
