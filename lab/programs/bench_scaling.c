/* How cost grows: time and memory of RobustXray (l1) against the number of columns n, of rows m, of
 * stored entries of a sparse matrix, and of anchors r, each over two decades.
 *
 *     bench_scaling [--json] [--turns N] [--threads N] [-o DIR]
 *
 * The slope is that of a straight line through log seconds against log size, by least squares; the
 * theory says 1 for n, m and nnz, and at most 1 for selection in r (one pass over X per anchor).
 * Seconds are processor seconds of all threads, the least of the turns: what is done, undisturbed
 * by what else the machine does. Memory is what the library asked its context for at most,
 * counted by memory hooks, X itself not included. DIR gets scaling.json, and for each sweep
 * scaling-NAME.svg (time) and memory-NAME.svg. What threads gain is bench_threads.c's subject. */
#include "programs/standalone.h"
#include "report_chart.h"
#include <conehull/conehull.h>
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { POINTS = 5 };

static void stop(const char *why) {
    fprintf(stderr, "bench_scaling: %s\n", why);
    exit(1);
}

/* ---- memory that is counted ---- */

typedef struct tally {
    _Atomic int64_t now, most;
} tally;

/* Sizes stand before the block, in a space that keeps its alignment. */
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

/* Columns of about `each` entries: half of an anchor's rows, and as many of its own. */
static void make_sparse(ch_context *context, ch_matrix *X, sparse *own, int64_t rows, int64_t cols,
                        int64_t each, int64_t anchors) {
    int32_t *bases = malloc((size_t)(anchors * each) * sizeof *bases);
    own->values = malloc((size_t)(cols * 2 * each) * sizeof *own->values);
    own->rows = malloc((size_t)(cols * 2 * each) * sizeof *own->rows);
    own->start = malloc((size_t)(cols + 1) * sizeof *own->start);
    if (!bases || !own->values || !own->rows || !own->start) stop("no memory");
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
    if (ch_matrix_borrow_csc(context, X, own->values, own->start, own->rows, rows, cols, CH_F64) !=
        CH_OK)
        stop(ch_context_message(context));
}

/* ---- sweeps ---- */

typedef struct sweep {
    const char *name, *label, *about;
    int64_t rows, cols, rank, each; /* each: entries of a sparse column; 0: dense, f32 */
    int64_t sizes[POINTS];
    int64_t *(*which)(struct sweep *s);
    int select_only; /* the slope of projections is not bound by it */
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
    {"n",
     "columns n",
     "dense f32, 100 rows, 8 anchors",
     100,
     0,
     8,
     0,
     {1000, 3200, 10000, 32000, 100000},
     cols_of,
     0},
    {"m",
     "rows m",
     "dense f32, 1000 columns, 8 anchors",
     0,
     1000,
     8,
     0,
     {200, 630, 2000, 6300, 20000},
     rows_of,
     0},
    {"nnz",
     "stored entries",
     "sparse, 20000 x 2000, 8 anchors",
     20000,
     2000,
     8,
     0,
     {8, 25, 80, 250, 800},
     each_of,
     0},
    {"r", "anchors r", "dense f32, 500 x 10000", 500, 10000, 0, 0, {2, 6, 20, 63, 200}, rank_of, 1},
    {"r-sparse",
     "anchors r",
     "sparse, 20000 x 10000",
     20000,
     10000,
     0,
     40,
     {2, 6, 20, 63, 200},
     rank_of,
     1},
};
enum { SWEEPS = sizeof sweeps / sizeof *sweeps };

typedef struct course {
    double size[POINTS], select[POINTS], project[POINTS], memory[POINTS], projections[POINTS];
    double select_slope, project_slope, memory_slope;
} course;

static double processor_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* One turn: selection, then the projection of all columns. */
static void take_turn(course *to, int point, ch_context *context, const ch_matrix *X, double *H,
                      const ch_anchors_settings *set) {
    ch_anchors_result result;
    double start = processor_seconds();
    if (ch_anchors(context, &result, X, set) < 0) stop(ch_context_message(context));
    double middle = processor_seconds();
    if (H && ch_project(context, H, NULL, X, result.W, result.rank, set) < 0)
        stop(ch_context_message(context));
    to->select[point] = fmin(to->select[point], middle - start);
    to->project[point] = fmin(to->project[point], processor_seconds() - middle);
    to->projections[point] = (double)result.projections;
    ch_anchors_result_free(context, &result);
}

static void measure(course *to, int point, const sweep *s, const bench_options *options) {
    tally counted = {0, 0};
    ch_memory_hooks memory = {take, give_back, &counted};
    ch_context *context, *maker;
    ch_matrix X;
    sparse own = {0};
    if (ch_context_create(&context, &memory) != CH_OK || ch_context_create(&maker, NULL) != CH_OK)
        stop("no context");
    ch_context_set_threads(context, options->threads);
    ch_synthetic_settings made = {s->rows, s->cols, s->rank, CH_NOISE_SPARSE, 0.1, 1, CH_F32, 1};
    if (s->each)
        make_sparse(maker, &X, &own, s->rows, s->cols, s->each, s->rank);
    else if (ch_synthetic_make(maker, &X, NULL, &made) != CH_OK)
        stop(ch_context_message(maker));
    ch_anchors_settings set;
    ch_settings_defaults(&ch_anchors_table, &set);
    set.rank = s->rank;
    set.select_only = 1;
    double *H = s->select_only ? NULL : malloc((size_t)(s->rank * X.cols) * sizeof *H);
    if (!H && !s->select_only) stop("no memory");
    to->size[point] = s->each ? (double)ch_matrix_stored(&X) : 0;
    to->select[point] = to->project[point] = INFINITY;
    for (int turn = 0; turn < options->turns; turn++) take_turn(to, point, context, &X, H, &set);
    free(H);
    to->memory[point] = (double)counted.most;
    ch_matrix_free(maker, &X);
    free(own.values);
    free(own.rows);
    free(own.start);
    ch_context_destroy(context);
    ch_context_destroy(maker);
}

static double slope(const double *x, const double *y) {
    double mx = 0, my = 0, xy = 0, xx = 0;
    for (int i = 0; i < POINTS; i++) {
        mx += log(x[i]) / POINTS;
        my += log(y[i]) / POINTS;
    }
    for (int i = 0; i < POINTS; i++) {
        xy += (log(x[i]) - mx) * (log(y[i]) - my);
        xx += (log(x[i]) - mx) * (log(x[i]) - mx);
    }
    return xy / xx;
}

static course run(const sweep *plan, const bench_options *options) {
    course c;
    for (int i = 0; i < POINTS; i++) {
        sweep s = *plan;
        *s.which(&s) = plan->sizes[i];
        measure(&c, i, &s, options);
        if (plan->which != each_of) c.size[i] = (double)plan->sizes[i];
    }
    c.select_slope = slope(c.size, c.select);
    c.project_slope = plan->select_only ? NAN : slope(c.size, c.project);
    c.memory_slope = slope(c.size, c.memory);
    return c;
}

/* ---- telling ---- */

static void write_list(FILE *to, const char *name, const double *values) {
    fprintf(to, ", \"%s\": [", name);
    for (int i = 0; i < POINTS; i++) fprintf(to, "%s%.6g", i ? ", " : "", values[i]);
    fputs("]", to);
}

static void write_object(FILE *to, const sweep *s, const course *c, int threads) {
    fprintf(to, "{\"sweep\": \"%s\", \"about\": \"%s\", \"threads\": %d", s->name, s->about,
            threads);
    write_list(to, "size", c->size);
    write_list(to, "select_seconds", c->select);
    if (!s->select_only) write_list(to, "project_seconds", c->project);
    write_list(to, "memory_bytes", c->memory);
    write_list(to, "projections", c->projections);
    fprintf(to, ", \"select_slope\": %.3f", c->select_slope);
    if (!s->select_only) fprintf(to, ", \"project_slope\": %.3f", c->project_slope);
    fprintf(to, ", \"memory_slope\": %.3f}", c->memory_slope);
}

static void print_words(const sweep *s, const course *c) {
    printf("%s, %s: slope of selection %.3f", s->label, s->about, c->select_slope);
    if (!s->select_only) printf(", of projection %.3f", c->project_slope);
    printf(", of memory %.3f\n", c->memory_slope);
    for (int i = 0; i < POINTS; i++)
        printf("  %9.0f  select %9.3f ms  project %9.3f ms  memory %9.3f MB  %6.0f projections\n",
               c->size[i], 1e3 * c->select[i], s->select_only ? 0 : 1e3 * c->project[i],
               1e-6 * c->memory[i], c->projections[i]);
}

/* log10 of what grows against log10 of the size, with a line of slope 1 beside the first. */
static void draw(const char *folder, const char *kind, const sweep *s, const course *c,
                 report_chart chart) {
    char path[1000];
    double x[POINTS], y[2][POINTS], guide[POINTS], low = INFINITY, high = -INFINITY;
    for (int i = 0; i < POINTS; i++) x[i] = log10(c->size[i]);
    for (int k = 0; k < chart.count; k++)
        for (int i = 0; i < POINTS; i++) {
            y[k][i] = log10(chart.lines[k].y[i]);
            low = fmin(low, y[k][i]);
            high = fmax(high, y[k][i]);
        }
    for (int i = 0; i < POINTS; i++) guide[i] = y[0][POINTS - 1] + x[i] - x[POINTS - 1];
    low = fmin(low, guide[0]);
    for (int k = 0; k < chart.count; k++) chart.lines[k].x = x, chart.lines[k].y = y[k];
    chart.lines[chart.count++] = (report_line){"linear", x, guide, NULL, NULL, POINTS, 0, 0, 1};
    chart.powers = 1;
    chart.subtitle = s->about;
    chart.x = (report_axis){s->label, floor(x[0] + 1e-9), x[POINTS - 1], 1, 0};
    chart.y.low = floor(low);
    chart.y.high = ceil(high);
    chart.y.step = 1;
    snprintf(path, sizeof path, "%s/%s-%s.svg", folder, kind, s->name);
    FILE *to = fopen(path, "w");
    if (!to) stop(path);
    report_chart_write(to, &chart);
    if (fclose(to) != 0) stop(path);
}

static void draw_time(const char *folder, const sweep *s, const course *c) {
    char title[100];
    double select[POINTS], project[POINTS];
    for (int i = 0; i < POINTS; i++) {
        select[i] = 1e3 * c->select[i];
        project[i] = 1e3 * c->project[i];
    }
    snprintf(title, sizeof title, "Time against %s", s->label);
    report_chart chart = {.title = title, .y.label = "milliseconds of processor time"};
    chart.lines[chart.count++] = (report_line){.name = "selection", .y = select, .count = POINTS};
    if (!s->select_only)
        chart.lines[chart.count++] =
            (report_line){.name = "projection", .y = project, .count = POINTS};
    draw(folder, "scaling", s, c, chart);
}

static void draw_memory(const char *folder, const sweep *s, const course *c) {
    char title[100];
    double megabytes[POINTS];
    for (int i = 0; i < POINTS; i++) megabytes[i] = 1e-6 * c->memory[i];
    snprintf(title, sizeof title, "Memory against %s", s->label);
    report_chart chart = {.title = title, .y.label = "megabytes beside X, at most"};
    chart.lines[chart.count++] = (report_line){.name = "peak", .y = megabytes, .count = POINTS};
    draw(folder, "memory", s, c, chart);
}

int main(int count, char **words) {
    const char *folder = bench_take_folder(&count, words);
    bench_options options = bench_start(count, words);
    char path[1000];
    FILE *file = NULL;
    if (folder) {
        snprintf(path, sizeof path, "%s/scaling.json", folder);
        if (!(file = fopen(path, "w"))) stop(path);
        fprintf(file, "{\"turns\": %d, \"blas\": \"%s\", \"kernel\": \"%s\", \"sweeps\": [\n",
                options.turns, ch_blas_name(), ch_kernel_name());
    }
    for (int i = 0; i < SWEEPS; i++) {
        course c = run(&sweeps[i], &options);
        if (file) write_object(file, &sweeps[i], &c, options.threads);
        if (file) fputs(i + 1 < SWEEPS ? ",\n" : "\n]}\n", file);
        if (folder) draw_time(folder, &sweeps[i], &c);
        if (folder) draw_memory(folder, &sweeps[i], &c);
        if (options.json) {
            write_object(stdout, &sweeps[i], &c, options.threads);
            putchar('\n');
        } else {
            print_words(&sweeps[i], &c);
        }
        fflush(stdout); /* a sweep takes a while */
    }
    return file && fclose(file) != 0;
}
