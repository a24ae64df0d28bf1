/* What threads gain: RobustXray (l1) on dense data beside a plain read of the same bytes, on 1, 2,
 * 4,
 * ... threads, by the clock. The read is the yardstick: where it stops gaining, memory is the
 * limit, and the selection, which is passes over X, cannot gain more; the projection stays in
 * cache.
 *
 *     bench_threads [--json] [--turns N] [--threads N] [-o DIR]       --threads: the most to try
 *
 * DIR gets threads.json and scaling-threads.svg. Counts take turns, so that a disturbance hits all.
 */
#include "harness.h"
#include "report_chart.h"
#include <conehull/conehull.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 2000, COLS = 10000, RANK = 20, COUNTS = 10, PARTS = 3 };
static const char *const part_names[PARTS] = {"read", "select", "project"};
static const char *const part_words[PARTS] = {"plain read", "selection", "projection"};

static void stop(const char *why) {
    fprintf(stderr, "bench_threads: %s\n", why);
    exit(1);
}

typedef struct job {
    const ch_matrix *X;
    double *H;
    const ch_anchors_settings *set;
    ch_context *context;
    bench_block block;
    double seconds[PARTS];
} job;

/* One turn on the job's threads; the least seconds of each part are kept. */
static void take_turn(job *j) {
    ch_result result;
    double at[PARTS + 1];
    at[0] = bench_seconds();
    bench_plain_read(&j->block);
    at[1] = bench_seconds();
    if (ch_anchors(j->context, &result, j->X, j->set) < 0) stop(ch_context_message(j->context));
    at[2] = bench_seconds();
    if (ch_project(j->context, j->H, NULL, j->X, result.W, result.rank, j->set) < 0)
        stop(ch_context_message(j->context));
    at[3] = bench_seconds();
    for (int p = 0; p < PARTS; p++) j->seconds[p] = fmin(j->seconds[p], at[p + 1] - at[p]);
    ch_result_free(j->context, &result);
}

static void tell(FILE *to, const job *jobs, int count, int turns) {
    fprintf(to, "{\"data\": \"dense f32, %d x %d, %d anchors, delta 0.1\", \"turns\": %d", ROWS,
            COLS, RANK, turns);
    fputs(", \"threads\": [", to);
    for (int i = 0; i < count; i++) fprintf(to, "%s%d", i ? ", " : "", jobs[i].block.threads);
    fputs("]", to);
    for (int p = 0; p < PARTS; p++) {
        fprintf(to, ", \"%s_seconds\": [", part_names[p]);
        for (int i = 0; i < count; i++) fprintf(to, "%s%.6g", i ? ", " : "", jobs[i].seconds[p]);
        fputs("]", to);
    }
    fputs("}\n", to);
}

static void print_words(const job *jobs, int count) {
    for (int i = 0; i < count; i++) {
        printf("%2d thread%s", jobs[i].block.threads, jobs[i].block.threads > 1 ? "s" : " ");
        for (int p = 0; p < PARTS; p++)
            printf("  %s %8.1f ms, %.2f times", part_words[p], 1e3 * jobs[i].seconds[p],
                   jobs[0].seconds[p] / jobs[i].seconds[p]);
        putchar('\n');
    }
}

static void draw(const char *folder, const job *jobs, int count) {
    char path[1000];
    double x[COUNTS], gain[PARTS][COUNTS];
    report_chart chart = {.title = "Gain against threads",
                          .subtitle = "time on one thread over time on so many, by the clock"};
    for (int i = 0; i < count; i++) {
        x[i] = jobs[i].block.threads;
        for (int p = 0; p < PARTS; p++) gain[p][i] = jobs[0].seconds[p] / jobs[i].seconds[p];
    }
    for (int p = 0; p < PARTS; p++)
        chart.lines[chart.count++] =
            (report_line){part_words[p], x, gain[p], NULL, NULL, count, 0, 0, 0};
    chart.lines[chart.count++] = (report_line){"linear", x, x, NULL, NULL, count, 0, 0, 1};
    chart.x = (report_axis){"threads", 1, x[count - 1], 1, 0};
    chart.y = (report_axis){"times faster than one thread", 0, x[count - 1] + 0.5, 0.5, 1};
    snprintf(path, sizeof path, "%s/scaling-threads.svg", folder);
    FILE *to = fopen(path, "w");
    if (!to) stop(path);
    report_chart_write(to, &chart);
    if (fclose(to) != 0) stop(path);
}

static void keep(const char *folder, const job *jobs, int count, int turns) {
    char path[1000];
    snprintf(path, sizeof path, "%s/threads.json", folder);
    FILE *to = fopen(path, "w");
    if (!to) stop(path);
    tell(to, jobs, count, turns);
    if (fclose(to) != 0) stop(path);
    if (count > 1) draw(folder, jobs, count);
}

int main(int count, char **words) {
    const char *folder = bench_take_folder(&count, words);
    bench_options options = bench_start(count, words);
    ch_context *maker;
    ch_matrix X;
    ch_anchors_settings set;
    job jobs[COUNTS];
    int tried = 0;
    if (ch_context_create(&maker, NULL) != CH_OK) stop("no context");
    ch_synthetic_settings made = {ROWS, COLS, RANK, CH_NOISE_SPARSE, 0.1, 1, CH_F32, 1};
    if (ch_synthetic(maker, &X, NULL, &made) != CH_OK) stop(ch_context_message(maker));
    ch_settings_defaults(&ch_anchors_table, &set);
    set.rank = RANK;
    set.select_only = 1;
    double *H = malloc(sizeof *H * RANK * COLS);
    if (!H) stop("no memory");
    for (int threads = 1; threads <= options.threads && tried < COUNTS; threads *= 2) {
        job *j = &jobs[tried++];
        *j = (job){.X = &X, .H = H, .set = &set, .seconds = {INFINITY, INFINITY, INFINITY}};
        j->block = (bench_block){X.values, sizeof(float) * ROWS * COLS, threads, 0};
        if (ch_context_create(&j->context, NULL) != CH_OK ||
            ch_context_set_threads(j->context, threads) != CH_OK)
            stop("no context");
    }
    for (int turn = 0; turn < options.turns; turn++)
        for (int i = 0; i < tried; i++) take_turn(&jobs[i]);
    if (options.json)
        tell(stdout, jobs, tried, options.turns);
    else
        print_words(jobs, tried);
    if (folder) keep(folder, jobs, tried, options.turns);
    for (int i = 0; i < tried; i++) ch_context_destroy(jobs[i].context);
    free(H);
    ch_matrix_free(maker, &X);
    ch_context_destroy(maker);
    return 0;
}
