/* What threads gain: RobustXray (l1) on 1, 2, 4, ... threads beside a plain read of the same bytes,
 * by the clock:
 *
 *     dense       r = 20 anchors of 2000 x 100,000 f32, the paper's generator with delta = 0.1
 *     documents   r = 150 of Reuters (CSC)
 *     video       r = 3 of 200 frames of the Lobby, 8-bit; both from $CONEHULL_DATA
 *
 * The read is the yardstick: where it stops gaining, memory is the limit, and a selection of dense
 * columns, which is passes over X, cannot gain more; the projection H of all columns stays in
 * cache. The job is what a user runs: checks, selection and H with its certificate in one call.
 *
 *     bench_threads [--json] [--turns N] [--threads N] [-o DIR]       --threads: the most to try
 *
 * DIR gets threads.json and scaling-threads.svg. Counts take turns, so that a disturbance hits all.
 */
#include "programs/standalone.h"
#include "report_chart.h"
#include <conehull/clip.h>
#include <conehull/conehull.h>
#include <conehull/io.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { COUNTS = 10, PARTS = 4, CASES = 3 };
static const char *const part_names[PARTS] = {"read", "select", "project", "job"};
static const char *const part_words[PARTS] = {"plain read", "selection", "projection", "whole job"};

static void stop(const char *why) {
    fprintf(stderr, "bench_threads: %s\n", why);
    exit(1);
}

/* ---- data ---- */

typedef struct subject {
    ch_matrix X;
    ch_clip clip; /* X is its luma, if it has one */
    int64_t rank;
    char data[120]; /* in words */
    int count;      /* of thread counts */
    int threads[COUNTS];
    double seconds[COUNTS][PARTS];
} subject;

static ch_status open_dense(ch_context *context, subject *s) {
    ch_synthetic_settings made = {2000, 100000, 20, CH_NOISE_SPARSE, 0.1, 1, CH_F32, 1};
    s->rank = made.rank;
    snprintf(s->data, sizeof s->data, "dense f32, %d x %d, %d anchors, delta 0.1", (int)made.rows,
             (int)made.cols, (int)made.rank);
    return ch_synthetic_make(context, &s->X, NULL, &made);
}

static ch_status open_documents(ch_context *context, subject *s) {
    char path[1000];
    s->rank = 150;
    ch_status status =
        ch_matrix_read(context, &s->X,
                       bench_data_path(path, sizeof path, "text/reuters10/reuters10.mtx.gz"), NULL);
    snprintf(s->data, sizeof s->data, "Reuters, %d x %d, %d anchors", (int)s->X.rows,
             (int)s->X.cols, (int)s->rank);
    return status;
}

static ch_status open_video(ch_context *context, subject *s) {
    char path[1000];
    ch_clip_settings set;
    ch_settings_defaults(&ch_clip_table, &set);
    set.from = 1315;
    set.frames = 200;
    s->rank = 3;
    ch_status status = ch_clip_read(
        context, &s->clip, bench_data_path(path, sizeof path, "video/lobby/frames.mkv"), &set);
    s->X = s->clip.luma;
    snprintf(s->data, sizeof s->data, "Lobby, 8-bit, %d x %d, %d anchors", (int)s->X.rows,
             (int)s->X.cols, (int)s->rank);
    return status;
}

static const struct opener {
    const char *name;
    ch_status (*open)(ch_context *context, subject *s);
} openers[CASES] = {{"dense", open_dense}, {"documents", open_documents}, {"video", open_video}};

static void close_subject(ch_context *context, subject *s) {
    if (s->clip.frames > 0)
        ch_clip_free(context, &s->clip);
    else
        ch_matrix_free(context, &s->X);
}

/* ---- turns ---- */

static double read_data(const ch_matrix *X, int threads) {
    size_t stored = (size_t)ch_matrix_stored(X);
    bench_block values = {X->values, stored * ch_value_type_size(X->type), threads, 0};
    bench_block rows = {X->row_index, stored * sizeof *X->row_index, threads, 0};
    double start = bench_seconds();
    bench_plain_read(&values);
    if (X->layout == CH_CSC) bench_plain_read(&rows);
    return bench_seconds() - start;
}

/* The least seconds of each part are kept. */
static void take_turn(ch_context *context, subject *s, int at) {
    ch_anchors_settings set;
    ch_anchors_result result;
    double *least = s->seconds[at];
    ch_settings_defaults(&ch_anchors_table, &set);
    set.rank = s->rank;
    least[0] = fmin(least[0], read_data(&s->X, s->threads[at]));
    double start = bench_seconds();
    if (ch_anchors(context, &result, &s->X, &set) < 0) stop(ch_context_message(context));
    least[3] = fmin(least[3], bench_seconds() - start);
    least[1] = fmin(least[1], result.seconds_select);
    least[2] = fmin(least[2], result.seconds_project);
    ch_anchors_result_free(context, &result);
}

static void measure(subject *s, const bench_options *options) {
    ch_context *contexts[COUNTS];
    for (int threads = 1; threads <= options->threads && s->count < COUNTS; threads *= 2) {
        int at = s->count++;
        s->threads[at] = threads;
        for (int p = 0; p < PARTS; p++) s->seconds[at][p] = INFINITY;
        if (ch_context_create(&contexts[at], NULL) != CH_OK ||
            ch_context_set_threads(contexts[at], threads) != CH_OK)
            stop("no context");
    }
    for (int turn = 0; turn < options->turns; turn++)
        for (int at = 0; at < s->count; at++) take_turn(contexts[at], s, at);
    for (int at = 0; at < s->count; at++) ch_context_destroy(contexts[at]);
}

/* ---- telling ---- */

static double gain(const subject *s, int at, int part) {
    return s->seconds[0][part] / s->seconds[at][part];
}

static void print_words(const subject *s) {
    puts(s->data);
    for (int i = 0; i < s->count; i++) {
        printf("%4d thread%s", s->threads[i], s->threads[i] > 1 ? "s" : " ");
        for (int p = 0; p < PARTS; p++)
            printf("  %s %8.1f ms, %.2f times", part_words[p], 1e3 * s->seconds[i][p],
                   gain(s, i, p));
        putchar('\n');
    }
    fflush(stdout);
}

static void tell_case(FILE *to, const char *name, const subject *s) {
    fprintf(to, "{\"name\": \"%s\", \"data\": \"%s\", \"threads\": [", name, s->data);
    for (int i = 0; i < s->count; i++) fprintf(to, "%s%d", i ? ", " : "", s->threads[i]);
    fputs("]", to);
    for (int p = 0; p < PARTS; p++) {
        fprintf(to, ", \"%s_seconds\": [", part_names[p]);
        for (int i = 0; i < s->count; i++) fprintf(to, "%s%.6g", i ? ", " : "", s->seconds[i][p]);
        fputs("]", to);
    }
    fputs("}", to);
}

/* Cases that were not measured have no counts. */
static void tell(FILE *to, const subject *subjects, int turns) {
    int told = 0;
    fprintf(to, "{\"turns\": %d, \"cases\": [", turns);
    for (int c = 0; c < CASES; c++) {
        if (subjects[c].count == 0) continue;
        if (told++) fputs(",\n ", to);
        tell_case(to, openers[c].name, &subjects[c]);
    }
    fputs("]}\n", to);
}

static void draw(const char *folder, const subject *s) {
    char path[1000];
    double x[COUNTS], y[PARTS][COUNTS];
    report_chart chart = {.title = "Gain against threads", .subtitle = s->data};
    for (int i = 0; i < s->count; i++) {
        x[i] = s->threads[i];
        for (int p = 0; p < PARTS; p++) y[p][i] = gain(s, i, p);
    }
    for (int p = 0; p < PARTS; p++)
        chart.lines[chart.count++] =
            (report_line){part_words[p], x, y[p], NULL, NULL, s->count, 0, 0, 0};
    chart.lines[chart.count++] = (report_line){"linear", x, x, NULL, NULL, s->count, 0, 0, 1};
    chart.x = (report_axis){"threads", 1, x[s->count - 1], 1, 0};
    chart.y = (report_axis){"times faster than one thread", 0, x[s->count - 1] + 0.5, 0.5, 1};
    snprintf(path, sizeof path, "%s/scaling-threads.svg", folder);
    FILE *to = fopen(path, "w");
    if (!to) stop(path);
    report_chart_write(to, &chart);
    if (fclose(to) != 0) stop(path);
}

static void keep(const char *folder, const subject *subjects, int turns) {
    char path[1000];
    snprintf(path, sizeof path, "%s/threads.json", folder);
    FILE *to = fopen(path, "w");
    if (!to) stop(path);
    tell(to, subjects, turns);
    if (fclose(to) != 0) stop(path);
    if (subjects[0].count > 1) draw(folder, &subjects[0]);
}

int main(int count, char **words) {
    const char *folder = bench_take_folder(&count, words);
    bench_options options = bench_start(count, words);
    static subject subjects[CASES];
    ch_context *context;
    if (ch_context_create(&context, NULL) != CH_OK) stop("no context");
    for (int c = 0; c < CASES; c++) {
        if (openers[c].open(context, &subjects[c]) < 0) {
            fprintf(stderr, "%s: skipped, %s\n", openers[c].name, ch_context_message(context));
            continue;
        }
        measure(&subjects[c], &options);
        if (!options.json) print_words(&subjects[c]);
        close_subject(context, &subjects[c]);
    }
    if (options.json) tell(stdout, subjects, options.turns);
    if (folder) keep(folder, subjects, options.turns);
    ch_context_destroy(context);
    return 0;
}
