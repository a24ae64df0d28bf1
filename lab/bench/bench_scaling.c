/* The growth of cost: time and memory of RobustXray (l1) as functions of the number of columns n,
 * of rows m, of stored entries of a sparse matrix, and of anchors r, each over two decades (one
 * with --quick), on one thread.
 *
 * The slope is that of a straight line through log seconds against log size, by least squares; the
 * theory says 1 for n, m and nnz, and at most 1 for selection in r (one pass over X per anchor).
 * Seconds are processor seconds, the smallest of the turns, so that other programs hardly affect
 * them. Memory is the largest amount that the library has allocated from its context at a time,
 * counted by memory hooks, without X itself. The charts scaling-NAME.svg (time) and memory-NAME.svg
 * of each sweep are written to the folder of the run. bench_threads.c measures the effect of
 * threads. */
#include "bench/bench_table.h"
#include "common/exit_codes.h"
#include "common/json.h"
#include "harness/anchors_work.h"
#include "report_chart.h"
#include <conehull/random.h>
#include <conehull/synthetic.h>
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { POINTS = 5 };

/* ---- memory that is counted ---- */

typedef struct tally {
    _Atomic int64_t now, most;
} tally;

/* The size of a block is stored before it, in HEAD bytes, which preserve its alignment. */
enum { HEAD = 64 };

static void *take(size_t bytes, void *user) {
    tally *t = user;
    char *block = malloc(bytes + HEAD);
    if (!block) return NULL;
    memcpy(block, &bytes, sizeof bytes);
    int64_t now = atomic_fetch_add(&t->now, (int64_t)bytes) + (int64_t)bytes;
    int64_t most = atomic_load(&t->most);
    while (now > most && !atomic_compare_exchange_weak(&t->most, &most, now)) continue;
    return block + HEAD;
}

static void give_back(void *block, void *user) {
    tally *t = user;
    size_t bytes;
    if (!block) return;
    memcpy(&bytes, (char *)block - HEAD, sizeof bytes);
    atomic_fetch_sub(&t->now, (int64_t)bytes);
    free((char *)block - HEAD);
}

/* ---- sweeps ---- */

typedef struct sweep {
    const char *name, *label, *about;
    int64_t rows, cols, rank, each; /* each: entries of a sparse column; 0: dense, f32 */
    int64_t sizes[POINTS];
    int64_t *(*which)(struct sweep *s);
    int select_only; /* 1: only the selection is measured, not the projection */
} sweep;

static int64_t *cols_of(sweep *s) {
    return &s->cols;
}
static int64_t *rows_of(sweep *s) {
    return &s->rows;
}
static int64_t *rank_of(sweep *s) {
    return &s->rank;
}
static int64_t *each_of(sweep *s) {
    return &s->each;
}

static const sweep sweeps[] = {
    {.name = "n",
     .label = "columns n",
     .about = "dense f32, 100 rows, 8 anchors",
     .rows = 100,
     .rank = 8,
     .sizes = {1000, 3200, 10000, 32000, 100000},
     .which = cols_of},
    {.name = "m",
     .label = "rows m",
     .about = "dense f32, 1000 columns, 8 anchors",
     .cols = 1000,
     .rank = 8,
     .sizes = {200, 630, 2000, 6300, 20000},
     .which = rows_of},
    {.name = "nnz",
     .label = "stored entries",
     .about = "sparse, 20000 x 2000, 8 anchors",
     .rows = 20000,
     .cols = 2000,
     .rank = 8,
     .sizes = {8, 25, 80, 250, 800},
     .which = each_of},
    {.name = "r",
     .label = "anchors r",
     .about = "dense f32, 500 x 10000",
     .rows = 500,
     .cols = 10000,
     .sizes = {2, 6, 20, 63, 200},
     .which = rank_of,
     .select_only = 1},
    {.name = "r-sparse",
     .label = "anchors r",
     .about = "sparse, 20000 x 10000",
     .rows = 20000,
     .cols = 10000,
     .each = 40,
     .sizes = {2, 6, 20, 63, 200},
     .which = rank_of,
     .select_only = 1},
};
enum { SWEEPS = sizeof sweeps / sizeof *sweeps };

/* ---- data ---- */

typedef struct sparse {
    double *values;
    int32_t *rows;
    int64_t *start;
} sparse;

static int by_row(const void *a, const void *b) {
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

static void free_sparse(sparse *own) {
    free(own->values);
    free(own->rows);
    free(own->start);
}

/* Draws sparse columns of about `each` entries: half of them in the rows of an anchor, the others
 * in random rows. */
static int make_sparse(const bench_run *run, ch_matrix *X, sparse *own, const sweep *s) {
    int64_t rows = s->rows, cols = s->cols, each = s->each, anchors = s->rank;
    int32_t *bases = malloc((size_t)(anchors * each) * sizeof *bases);
    own->values = malloc((size_t)(cols * 2 * each) * sizeof *own->values);
    own->rows = malloc((size_t)(cols * 2 * each) * sizeof *own->rows);
    own->start = malloc((size_t)(cols + 1) * sizeof *own->start);
    if (!bases || !own->values || !own->rows || !own->start) {
        free(bases);
        return cli_no_memory();
    }
    ch_random random;
    ch_random_seed(&random, 1);
    for (int64_t i = 0; i < anchors * each; i++) bases[i] = (int32_t)ch_random_below(&random, rows);
    int64_t used = own->start[0] = 0;
    for (int64_t j = 0; j < cols; j++) {
        int32_t *column = own->rows + used;
        int64_t count = 0;
        for (int64_t i = 0; i < each; i++)
            if (j < anchors || ch_random_uniform(&random) < 0.5)
                column[count++] = bases[j % anchors * each + i];
        for (int64_t i = 0; j >= anchors && i < each / 2; i++)
            column[count++] = (int32_t)ch_random_below(&random, rows);
        qsort(column, (size_t)count, sizeof *column, by_row);
        int64_t kept = 0;
        for (int64_t i = 0; i < count; i++)
            if (kept == 0 || column[kept - 1] != column[i]) column[kept++] = column[i];
        for (int64_t i = 0; i < kept; i++)
            own->values[used + i] = 1 + (double)ch_random_below(&random, 5);
        used += kept;
        own->start[j + 1] = used;
    }
    free(bases);
    return bench_code(run, ch_matrix_borrow(run->session->context, X,
                                            &(ch_matrix){.rows = rows,
                                                         .cols = cols,
                                                         .layout = CH_CSC,
                                                         .values = own->values,
                                                         .column_start = own->start,
                                                         .row_index = own->rows}));
}

/* ---- measuring ---- */

typedef struct course {
    int count; /* number of points */
    double size[POINTS], select[POINTS], project[POINTS], memory[POINTS], projections[POINTS];
    double select_slope, project_slope, memory_slope;
} course;

/* Measures selection and projection of all columns in turns, with a context whose memory is
 * counted. */
static int measure_point(bench_run *run, course *to, int point, const sweep *s,
                         const ch_matrix *X) {
    tally counted = {0, 0};
    ch_memory_hooks memory = {take, give_back, &counted};
    bench_anchors work = bench_anchors_plan(run, X, s->rank, CH_METHOD_XRAY);
    bench_work works[2] = {{"selection", bench_anchors_find, &work},
                           {"projection", bench_anchors_project, &work}};
    bench_series series[2];
    int code = bench_code(run, ch_context_create(&work.context, &memory));
    if (code != EXIT_DONE) return code;
    code = bench_take_turns(run, series, works, s->select_only ? 1 : 2);
    if (code == EXIT_DONE) {
        if (s->which == each_of) to->size[point] = (double)ch_matrix_stored(X);
        to->select[point] = bench_span_of(series[0].processor, run->turns).min;
        to->project[point] =
            s->select_only ? NAN : bench_span_of(series[1].processor, run->turns).min;
        to->projections[point] = (double)work.found.projections;
        to->memory[point] = (double)counted.most;
    }
    bench_anchors_free(&work);
    ch_context_destroy(work.context);
    return code;
}

static int make_and_measure(bench_run *run, course *to, int point, const sweep *s) {
    ch_synthetic_settings make = {sizeof make, s->rows, s->cols, s->rank, CH_NOISE_SPARSE,
                                  0.1,         1,       CH_F32,  1};
    ch_context *context = run->session->context;
    ch_matrix X = {0};
    sparse own = {0};
    int code = s->each ? make_sparse(run, &X, &own, s)
                       : bench_code(run, ch_synthetic_make(context, &X, NULL, &make));
    if (code == EXIT_DONE) code = measure_point(run, to, point, s, &X);
    ch_matrix_free(context, &X);
    free_sparse(&own);
    return code;
}

static double slope(const double *x, const double *y, int count) {
    double mx = 0, my = 0, xy = 0, xx = 0;
    for (int i = 0; i < count; i++) {
        mx += log(x[i]) / count;
        my += log(y[i]) / count;
    }
    for (int i = 0; i < count; i++) {
        xy += (log(x[i]) - mx) * (log(y[i]) - my);
        xx += (log(x[i]) - mx) * (log(x[i]) - mx);
    }
    return xy / xx;
}

static int measure_sweep(bench_run *run, course *c, const sweep *plan) {
    int code = EXIT_DONE;
    c->count = run->quick ? 3 : POINTS;
    for (int i = 0; i < c->count && code == EXIT_DONE; i++) {
        sweep s = *plan;
        *s.which(&s) = plan->sizes[i];
        c->size[i] = (double)plan->sizes[i];
        code = make_and_measure(run, c, i, &s);
    }
    c->select_slope = slope(c->size, c->select, c->count);
    c->project_slope = slope(c->size, c->project, c->count);
    c->memory_slope = slope(c->size, c->memory, c->count);
    return code;
}

/* ---- results ---- */

static json_t *sweep_json(const sweep *s, const course *c) {
    json_t *object = json_pack("{ss ss si so so so so sf sf}", "sweep", s->name, "about", s->about,
                               "threads", 1, "size", cli_json_reals(c->size, c->count),
                               "select_seconds", cli_json_reals(c->select, c->count),
                               "memory_bytes", cli_json_reals(c->memory, c->count), "projections",
                               cli_json_reals(c->projections, c->count), "select_slope",
                               c->select_slope, "memory_slope", c->memory_slope);
    if (s->select_only) return object;
    json_object_set_new(object, "project_seconds", cli_json_reals(c->project, c->count));
    json_object_set_new(object, "project_slope", json_real(c->project_slope));
    return object;
}

static void print_sweep(const sweep *s, const course *c) {
    printf("%s, %s: slope of selection %.3f", s->label, s->about, c->select_slope);
    if (!s->select_only) printf(", of projection %.3f", c->project_slope);
    printf(", of memory %.3f\n", c->memory_slope);
    for (int i = 0; i < c->count; i++)
        printf("  %9.0f  select %9.3f ms  project %9.3f ms  memory %9.3f MB  %6.0f projections\n",
               c->size[i], 1e3 * c->select[i], s->select_only ? 0 : 1e3 * c->project[i],
               1e-6 * c->memory[i], c->projections[i]);
    fflush(stdout); /* a sweep takes a while */
}

/* Draws log10 of time or memory against log10 of the size, with a line of slope 1 for
 * comparison. */
static int draw(bench_run *run, const char *kind, const sweep *s, const course *c,
                report_chart chart) {
    char name[BENCH_TEXT];
    double x[POINTS], y[2][POINTS], guide[POINTS], low = INFINITY, high = -INFINITY;
    int last = c->count - 1;
    for (int i = 0; i <= last; i++) x[i] = log10(c->size[i]);
    for (int k = 0; k < chart.count; k++)
        for (int i = 0; i <= last; i++) {
            y[k][i] = log10(chart.lines[k].y[i]);
            low = fmin(low, y[k][i]);
            high = fmax(high, y[k][i]);
        }
    for (int i = 0; i <= last; i++) guide[i] = y[0][last] + x[i] - x[last];
    low = fmin(low, guide[0]);
    for (int k = 0; k < chart.count; k++) chart.lines[k].x = x, chart.lines[k].y = y[k];
    chart.lines[chart.count++] =
        (report_line){.name = "linear", .x = x, .y = guide, .count = c->count, .guide = 1};
    chart.powers = 1;
    chart.subtitle = s->about;
    chart.x = (report_axis){s->label, floor(x[0] + 1e-9), x[last], 1, 0};
    chart.y.low = floor(low);
    chart.y.high = ceil(high);
    chart.y.step = 1;
    snprintf(name, sizeof name, "%s-%s.svg", kind, s->name);
    FILE *to = bench_file_open(run, name);
    if (to) report_chart_write(to, &chart);
    return bench_file_close(to);
}

static int draw_time(bench_run *run, const sweep *s, const course *c) {
    char title[100];
    double select[POINTS], project[POINTS];
    for (int i = 0; i < c->count; i++) {
        select[i] = 1e3 * c->select[i];
        project[i] = 1e3 * c->project[i];
    }
    snprintf(title, sizeof title, "Time against %s", s->label);
    report_chart chart = {.title = title, .y.label = "milliseconds of processor time"};
    chart.lines[chart.count++] = (report_line){.name = "selection", .y = select, .count = c->count};
    if (!s->select_only)
        chart.lines[chart.count++] =
            (report_line){.name = "projection", .y = project, .count = c->count};
    return draw(run, "scaling", s, c, chart);
}

static int draw_memory(bench_run *run, const sweep *s, const course *c) {
    char title[100];
    double megabytes[POINTS];
    for (int i = 0; i < c->count; i++) megabytes[i] = 1e-6 * c->memory[i];
    snprintf(title, sizeof title, "Memory against %s", s->label);
    report_chart chart = {.title = title, .y.label = "megabytes beside X, at most"};
    chart.lines[chart.count++] = (report_line){.name = "peak", .y = megabytes, .count = c->count};
    return draw(run, "memory", s, c, chart);
}

static int add_sweep(bench_run *run, json_t *list, const sweep *s) {
    course c;
    int code = measure_sweep(run, &c, s);
    if (code != EXIT_DONE) return code;
    if (bench_prints(run)) print_sweep(s, &c);
    if (json_array_append_new(list, sweep_json(s, &c)) != 0) return cli_no_memory();
    code = draw_time(run, s, &c);
    return code == EXIT_DONE ? draw_memory(run, s, &c) : code;
}

int bench_scaling(bench_run *run) {
    int threads = run->threads;
    json_t *list = json_array();
    int code = bench_set(run, "sweeps", list);
    run->threads = 1;
    for (int i = 0; i < SWEEPS && code == EXIT_DONE; i++) code = add_sweep(run, list, &sweeps[i]);
    run->threads = threads;
    return code;
}
