/* Background and foreground of three sequences (paper, Section 5.3 and its figure): the ROC curve
 * of |pixel - background| over the frames with known masks, for each method with the best of its
 * parameters on a grid, as in the paper. A unit is one method with one parameter.
 *
 * The grid is the same for all sequences, except for ranks above 8, and includes the parameters of
 * the authors, which are given in comments in the source of the paper. For robust PCA, their 0.001
 * is lambda itself. */
#include "common/json.h"
#include "common/matrix_input.h"
#include "common/output_folder.h"
#include "common/try.h"
#include "harness/harness.h"
#include "report_chart.h"
#include "reproduce/reproduce.h"
#include "reproduce/reproduce_sequence.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { METHODS = 6, COMMON_RANK = 8 };

struct video_plan {
    const char *folder;
    repro_stretch full, quick;
    int64_t authors[METHODS]; /* ranks of the authors, by ch_separate_method; 0: none */
};

/* The parts of the sequences have 8, 9 and 20 masks. Quick runs use fewer and smaller frames. */
const struct video_plan video_restaurant = {
    "video/restaurant", {243, 600, 1, 0}, {243, 600, 6, 80}, {19, 3, 0, 11, 14, 0}};
const struct video_plan video_hall = {
    "video/airport_hall", {2189, 600, 1, 0}, {2189, 600, 6, 88}, {1, 1, 0, 2, 5, 0}};
const struct video_plan video_lobby = {
    "video/lobby", {0, 0, 5, 0}, {0, 0, 15, 80}, {3, 3, 0, 2, 5, 0}};

static const char *const names[METHODS] = {"RobustXray", "XRAY-l2",         "RPCA",
                                           "robust NMF", "robust low rank", "median"};

typedef struct video_try {
    int method, choose, refit;
    int64_t rank;
    double lambda; /* in units of 1 / sqrt(max(frames, pixels)); negative: minus lambda itself */
    int quick;     /* 1: also on the coarse grid, as are the parameters of the authors */
} video_try;

enum { BROAD = CH_CHOOSE_BROAD, FARTHEST = CH_CHOOSE_FARTHEST };
#define XRAY CH_SEPARATE_ROBUST_XRAY
#define XRAY_L2 CH_SEPARATE_XRAY_L2
#define RPCA CH_SEPARATE_RPCA
#define NMF CH_SEPARATE_ROBUST_NMF
#define LOWRANK CH_SEPARATE_ROBUST_LOWRANK

static const video_try grid[] = {
    {XRAY, BROAD, 1, 1, 0, 1},    {XRAY, BROAD, 1, 2, 0, 1},    {XRAY, BROAD, 1, 3, 0, 1},
    {XRAY, BROAD, 1, 4, 0, 0},    {XRAY, BROAD, 1, 5, 0, 1},    {XRAY, BROAD, 1, 6, 0, 0},
    {XRAY, BROAD, 1, 8, 0, 0},    {XRAY, FARTHEST, 1, 1, 0, 0}, {XRAY, FARTHEST, 1, 2, 0, 0},
    {XRAY, FARTHEST, 1, 3, 0, 0}, {XRAY, FARTHEST, 1, 5, 0, 0}, {XRAY, FARTHEST, 1, 19, 0, 0},
    {XRAY_L2, 0, 1, 1, 0, 1},     {XRAY_L2, 0, 1, 2, 0, 0},     {XRAY_L2, 0, 1, 3, 0, 0},
    {XRAY_L2, 0, 1, 5, 0, 0},     {RPCA, 0, 0, 0, -0.001, 1},   {RPCA, 0, 0, 0, 0.2, 0},
    {RPCA, 0, 0, 0, 0.3, 1},      {RPCA, 0, 0, 0, 0.5, 1},      {RPCA, 0, 0, 0, 0.7, 0},
    {RPCA, 0, 0, 0, 1, 0},        {NMF, 0, 0, 1, 0, 0},         {NMF, 0, 0, 2, 0, 1},
    {NMF, 0, 0, 3, 0, 0},         {NMF, 0, 0, 5, 0, 0},         {NMF, 0, 0, 11, 0, 0},
    {LOWRANK, 0, 0, 1, 0, 0},     {LOWRANK, 0, 0, 2, 0, 1},     {LOWRANK, 0, 0, 3, 0, 0},
    {LOWRANK, 0, 0, 5, 0, 0},     {LOWRANK, 0, 0, 14, 0, 0},    {CH_SEPARATE_MEDIAN, 0, 0, 0, 0, 1},
};
enum { TRIES = sizeof grid / sizeof *grid };

/* ---- the grid ---- */

static int is_authors(const video_try *try, const struct video_plan *plan) {
    if (try->method == RPCA) return try->lambda < 0;
    if (try->method == XRAY && try->choose != FARTHEST) return 0;
    return try->rank > 0 && try->rank == plan->authors[try->method];
}

/* Returns whether a parameter is tried: large ranks only for sequences for which the authors used
 * them. */
static int is_tried(const video_try *try, const struct video_plan *plan, const repro_run *run) {
    if (is_authors(try, plan)) return 1;
    return try->rank <= COMMON_RANK && (try->quick || !run->quick);
}

static int tries_of(const video_try **tries, const struct video_plan *plan, const repro_run *run) {
    int count = 0;
    for (int i = 0; i < TRIES; i++)
        if (is_tried(&grid[i], plan, run)) tries[count++] = &grid[i];
    return count;
}

static const repro_stretch *stretch_of(const struct video_plan *plan, const repro_run *run) {
    return run->quick ? &plan->quick : &plan->full;
}

/* Describes a parameter as text: "rank 3, farthest". */
static void describe(char *text, size_t size, const video_try *try) {
    if (try->method == RPCA && try->lambda < 0)
        snprintf(text, size, "\xce\xbb = %g", -try->lambda);
    else if (try->method == RPCA)
        snprintf(text, size, "%g units", try->lambda);
    else if (try->method == CH_SEPARATE_MEDIAN)
        snprintf(text, size, "all frames");
    else
        snprintf(text, size, "rank %lld%s", (long long)try->rank,
                 try->method != XRAY       ? ""
                 : try->choose == FARTHEST ? ", farthest"
                                           : ", broad");
}

/* ---- units ---- */

int video_count(const repro_figure *figure, const repro_run *run) {
    const video_try *tries[TRIES];
    return tries_of(tries, figure->plan, run);
}

void video_key(char *key, size_t size, const repro_figure *figure, const repro_run *run, int unit) {
    const video_try *tries[TRIES];
    char text[64];
    const repro_stretch *stretch = stretch_of(figure->plan, run);
    tries_of(tries, figure->plan, run);
    describe(text, sizeof text, tries[unit]);
    snprintf(key, size, "%s seed=%lld frames=%lld+%lld/%lld width=%lld %s %s", figure->name,
             (long long)run->seed, (long long)stretch->from, (long long)stretch->frames,
             (long long)stretch->step, (long long)stretch->width, names[tries[unit]->method], text);
}

int video_open(void **state, const repro_figure *figure, const repro_run *run) {
    const struct video_plan *plan = figure->plan;
    repro_sequence *sequence = calloc(1, sizeof *sequence);
    char *folder = NULL;
    *state = sequence;
    if (sequence) folder = cli_path_join(run->data, plan->folder);
    int code = folder ? repro_sequence_read(sequence, run->session, folder, stretch_of(plan, run))
                      : cli_no_memory();
    free(folder);
    return code;
}

void video_close(void *state, const repro_run *run) {
    if (state) repro_sequence_free(state, run->session);
    free(state);
}

/* Returns max(frames, pixels) for pictures of full size, because lambda was found for these. */
static double largest_side(const ch_clip *clip) {
    return (double)fmax((double)clip->frames, (double)(clip->source_width * clip->source_height));
}

static ch_status separate(ch_separation *parts, const repro_sequence *sequence,
                          const repro_run *run, const video_try *try) {
    const ch_matrix *X = &sequence->clip.luma;
    ch_separate_settings set;
    ch_separate_defaults(&set);
    set.method = try->method;
    set.choose = try->choose;
    set.refit = try->refit;
    set.seed = run->seed;
    if (try->rank) set.rank = try->rank;
    if (try->lambda > 0) set.lambda = try->lambda;
    if (try->lambda < 0) set.lambda = -try->lambda * sqrt(largest_side(&sequence->clip));
    return ch_separate(run->session->context, parts, X, &set);
}

static json_t *outcome_json(const repro_roc *roc, const repro_sequence *sequence) {
    return json_pack("{sI sI sI sf sf so so}", "frames", (json_int_t)sequence->clip.frames,
                     "pixels", (json_int_t)sequence->clip.luma.cols, "masks",
                     (json_int_t)roc->frames, "auc", roc->auc, "best_f", roc->best_f, "rate",
                     cli_json_reals(roc->rate, SEQUENCE_POINTS), "without",
                     cli_json_reals(roc->without, roc->frames));
}

int video_compute(json_t **value, void *state, const repro_figure *figure, const repro_run *run,
                  int unit) {
    const repro_sequence *sequence = state;
    const video_try *tries[TRIES];
    ch_separation parts = {.size = sizeof parts};
    repro_roc roc;
    tries_of(tries, figure->plan, run);
    bench_time start = bench_now();
    ch_status status = separate(&parts, sequence, run, tries[unit]);
    double busy = bench_since(start).processor;
    if (status < 0) return cli_fail(run->session, status, NULL);
    if (status != CH_STOP_CANCELLED)
        status = repro_sequence_score(&roc, sequence, run->session->context, &parts);
    ch_separation_free(run->session->context, &parts);
    TRY(cli_check(run->session, status));
    *value = outcome_json(&roc, sequence);
    if (!*value) return cli_no_memory();
    json_object_set_new(*value, "processor", json_real(busy));
    json_object_set_new(*value, "seconds", json_real(bench_since(start).wall));
    return EXIT_DONE;
}

/* ---- the figure ---- */

static json_t *settle_try(const video_try *try, const struct video_plan *plan,
                          const json_t *value) {
    char text[64];
    describe(text, sizeof text, try);
    return json_pack("{ss ss sb sf sf sf sf}", "method", names[try->method], "parameter", text,
                     "authors", is_authors(try, plan), "auc", repro_real(value, "auc"), "best_f",
                     repro_real(value, "best_f"), "processor", repro_real(value, "processor"),
                     "seconds", repro_real(value, "seconds"));
}

/* Returns the parameter with the largest area; ties go to the first. */
static json_t *settle_best(int method, const video_try **tries, json_t *const *values, int count) {
    int best = -1;
    char text[64];
    for (int i = 0; i < count; i++)
        if (tries[i]->method == method &&
            (best < 0 || repro_real(values[i], "auc") > repro_real(values[best], "auc")))
            best = i;
    describe(text, sizeof text, tries[best]);
    return json_pack(
        "{ss ss sf sf sO sO}", "name", names[method], "parameter", text, "auc",
        repro_real(values[best], "auc"), "processor", repro_real(values[best], "processor"), "rate",
        json_object_get(values[best], "rate"), "without", json_object_get(values[best], "without"));
}

json_t *video_settle(const repro_figure *figure, const repro_run *run, json_t *const *values) {
    const struct video_plan *plan = figure->plan;
    const repro_stretch *stretch = stretch_of(plan, run);
    const video_try *tries[TRIES];
    double alarms[SEQUENCE_POINTS];
    int count = tries_of(tries, plan, run);
    json_t *rows = json_array(), *all = json_array();
    for (int k = 0; k < SEQUENCE_POINTS; k++) alarms[k] = repro_roc_axis(k);
    for (int m = 0; m < METHODS; m++)
        json_array_append_new(rows, settle_best(m, tries, values, count));
    for (int i = 0; i < count; i++)
        json_array_append_new(all, settle_try(tries[i], plan, values[i]));
    return json_pack("{s{ss sI sI sI sI sO sO sO} s{so so so}}", "settings", "data", plan->folder,
                     "from", (json_int_t)stretch->from, "stretch", (json_int_t)stretch->frames,
                     "step", (json_int_t)stretch->step, "width", (json_int_t)stretch->width,
                     "frames", json_object_get(values[0], "frames"), "pixels",
                     json_object_get(values[0], "pixels"), "masks",
                     json_object_get(values[0], "masks"), "results", "false_alarms",
                     cli_json_reals(alarms, SEQUENCE_POINTS), "methods", rows, "grid", all);
}

void video_table(FILE *to, const json_t *object) {
    const json_t *row;
    size_t i;
    fputs("method,parameter,authors,auc,best_f,processor\n", to);
    json_array_foreach(json_object_get(json_object_get(object, "results"), "grid"), i, row) {
        fprintf(to, "%s,\"%s\",%d,%.4f,%.4f,%.3f\n", repro_text(row, "method"),
                repro_text(row, "parameter"), json_is_true(json_object_get(row, "authors")),
                repro_real(row, "auc"), repro_real(row, "best_f"), repro_real(row, "processor"));
    }
}

void video_picture(FILE *to, const json_t *object) {
    const json_t *results = json_object_get(object, "results"), *row;
    const json_t *settings = json_object_get(object, "settings");
    double alarms[SEQUENCE_POINTS], rate[METHODS][SEQUENCE_POINTS];
    char subtitle[128], label[METHODS][96];
    int points = repro_list(alarms, SEQUENCE_POINTS, json_object_get(results, "false_alarms"));
    snprintf(subtitle, sizeof subtitle,
             "%.0f frames of %.0f pixels, %.0f with masks; best parameter of each method",
             repro_real(settings, "frames"), repro_real(settings, "pixels"),
             repro_real(settings, "masks"));
    report_chart chart = {.title = repro_text(object, "title"),
                          .subtitle = subtitle,
                          .x = {"share of the background called foreground", 0, 0.3, 0.05, 2},
                          .y = {"share of the foreground found", 0.2, 1, 0.2, 1},
                          .width = 900,
                          .height = 480};
    size_t k;
    json_array_foreach(json_object_get(results, "methods"), k, row) {
        repro_list(rate[k], SEQUENCE_POINTS, json_object_get(row, "rate"));
        for (int i = 0; i < points; i++)
            if (rate[k][i] < chart.y.low) rate[k][i] = NAN;
        snprintf(label[k], sizeof label[k], "%s, %s: %.3f", repro_text(row, "name"),
                 repro_text(row, "parameter"), repro_real(row, "auc"));
        chart.lines[chart.count++] =
            (report_line){.name = label[k], .x = alarms, .y = rate[k], .count = points, .plain = 1};
    }
    report_chart_write(to, &chart);
}
