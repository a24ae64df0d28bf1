/* Charts and pictures of the page of conehull video. */
#include "report_chart.h"
#include "report_page.h"
#include "report_video.h"
#include <math.h>
#include <stdlib.h>

/* ---- activity ---- */

/* One percent line per method, over the frame's number in the input. */
static void activity_chart(FILE *to, const json_t *scores, size_t methods) {
    double *y[REPORT_LINES_MAX] = {NULL};
    int frames;
    double *x = report_reals(json_object_get(scores, "index"), &frames);
    report_chart chart = {.id = "activity-chart",
                          .title = "Moving pixels over time",
                          .subtitle = "share of the watched picture; a click shows the frame",
                          .width = 960,
                          .height = 300};
    for (size_t i = 0; x && i < methods && i < REPORT_LINES_MAX; i++) {
        const json_t *result = report_video_result(scores, i);
        int count;
        y[i] = report_reals(json_object_get(json_object_get(result, "activity"), "share"), &count);
        for (int k = 0; k < count; k++) y[i][k] *= 100;
        if (count == frames)
            chart.lines[chart.count++] =
                (report_line){.name = methods > 1 ? report_string(result, "method") : NULL,
                              .x = x,
                              .y = y[i],
                              .count = count,
                              .plain = 1};
    }
    report_chart_fit(&chart);
    if (x && x[frames - 1] > x[0]) {
        chart.x.low = x[0];
        chart.x.high = x[frames - 1];
    }
    chart.x.label = "frame of the input";
    chart.y.label = "percent";
    if (chart.count) report_chart_write(to, &chart);
    for (int i = 0; i < REPORT_LINES_MAX; i++) free(y[i]);
    free(x);
}

static void runs_table(FILE *to, const json_t *scores) {
    static const char *const heads[] = {"#from frame", "#to frame",      "#at second",
                                        "#seconds",    "#most in frame", "#share of the picture"};
    enum { COLUMNS = 6, ROWS_MAX = 40 };
    const json_t *result = report_video_result(scores, 0);
    const json_t *runs = json_object_get(result, "runs");
    const json_t *index = json_object_get(scores, "index"), *time = json_object_get(scores, "time");
    size_t count = json_array_size(runs);
    if (count == 0) return;
    char caption[160];
    snprintf(caption, sizeof caption, "Stretches in which something moves (%s)%s",
             report_string(result, "method"),
             count > ROWS_MAX ? "; the first 40, all are in scores.json" : "");
    report_table_begin(to, caption, heads, COLUMNS);
    for (size_t i = 0; i < count && i < ROWS_MAX; i++) {
        const json_t *run = json_array_get(runs, i);
        size_t first = (size_t)report_real(run, "first"), last = (size_t)report_real(run, "last"),
               peak = (size_t)report_real(run, "peak");
        double start = json_number_value(json_array_get(time, first));
        double end = json_number_value(json_array_get(time, last));
        char text[COLUMNS][32];
        const char *cells[COLUMNS];
        snprintf(text[0], 32, "%.0f", json_number_value(json_array_get(index, first)));
        snprintf(text[1], 32, "%.0f", json_number_value(json_array_get(index, last)));
        snprintf(text[2], 32, "%.2f", start);
        snprintf(text[3], 32, "%.2f", end - start);
        snprintf(text[4], 32, "%.0f", json_number_value(json_array_get(index, peak)));
        snprintf(text[5], 32, "%.1f %%", 100 * report_real(run, "share"));
        for (int k = 0; k < COLUMNS; k++) cells[k] = text[k];
        report_table_row(to, cells, heads, COLUMNS);
    }
    report_table_end(to);
}

void report_video_activity(FILE *to, const json_t *scores) {
    report_section_begin(to, "activity", "When something moves");
    report_figure_begin(to, NULL);
    activity_chart(to, scores, report_video_count(scores));
    report_figure_end(to);
    runs_table(to, scores);
    report_text(to, "Threshold: %s.",
                report_string(report_video_result(scores, 0), "threshold_reason"));
    report_section_end(to);
}

/* ---- ROC ---- */

static void roc_chart(FILE *to, const json_t *scores, size_t methods) {
    static const double diagonal[2] = {0, 1};
    double *x[REPORT_LINES_MAX] = {NULL}, *y[REPORT_LINES_MAX] = {NULL};
    report_chart chart = {.id = "roc-chart",
                          .title = "ROC: found against false alarms",
                          .subtitle = "every threshold, all pixels with a known mask",
                          .x = {"false alarms, share of the background pixels", 0, 1, 0.2, 1},
                          .y = {"found, share of the object pixels", 0, 1, 0.2, 1},
                          .width = 640,
                          .height = 460};
    char names[REPORT_LINES_MAX][40];
    for (size_t i = 0; i < methods && chart.count < REPORT_LINES_MAX - 1; i++) {
        const json_t *result = report_video_result(scores, i),
                     *roc = json_object_get(result, "roc");
        int count, other;
        x[i] = report_reals(json_object_get(roc, "false_positive_rate"), &count);
        y[i] = report_reals(json_object_get(roc, "true_positive_rate"), &other);
        if (!x[i] || count != other) continue;
        snprintf(names[i], sizeof names[i], "%s %.3f", report_string(result, "method"),
                 report_real(result, "auc"));
        chart.lines[chart.count++] =
            (report_line){.name = names[i], .x = x[i], .y = y[i], .count = count, .plain = 1};
    }
    chart.lines[chart.count++] =
        (report_line){.x = diagonal, .y = diagonal, .count = 2, .guide = 1};
    report_chart_write(to, &chart);
    for (int i = 0; i < REPORT_LINES_MAX; i++) {
        free(x[i]);
        free(y[i]);
    }
}

static void scores_table(FILE *to, const json_t *scores) {
    static const char *const heads[] = {"method",           "#AUC",         "#F-measure",
                                        "#precision",       "#recall",      "#threshold",
                                        "#best F possible", "#at threshold"};
    static const char *const keys[] = {"",       "auc",       "f_measure", "precision",
                                       "recall", "threshold", "best_f",    "best_threshold"};
    enum { COLUMNS = 8 };
    report_table_begin(to,
                       "F-measure, precision and recall of the masks as written; the best F of "
                       "a threshold alone, without clean-up",
                       heads, COLUMNS);
    for (size_t i = 0; i < report_video_count(scores); i++) {
        const json_t *result = report_video_result(scores, i);
        char text[COLUMNS][32];
        const char *cells[COLUMNS] = {report_string(result, "method")};
        for (int k = 1; k < COLUMNS; k++) {
            double value = report_real(result, keys[k]);
            int levels = k == 5 || k == 7;
            snprintf(text[k], 32, isnan(value) ? "\xe2\x80\x93" : levels ? "%.1f" : "%.3f", value);
            cells[k] = text[k];
        }
        report_table_row(to, cells, heads, COLUMNS);
    }
    report_table_end(to);
}

void report_video_roc(FILE *to, const json_t *scores) {
    const json_t *truth = json_object_get(scores, "truth");
    if (!json_is_object(truth)) return;
    report_section_begin(to, "roc", "Against the known masks");
    report_text(to, "%.0f masks of `%s` belong to frames that were read%s.",
                report_real(truth, "used"), report_string(truth, "folder"),
                report_real(truth, "found") > report_real(truth, "used")
                    ? "; the others were left out"
                    : "");
    report_figure_begin(to, NULL);
    roc_chart(to, scores, report_video_count(scores));
    report_figure_end(to);
    scores_table(to, scores);
    report_section_end(to);
}

/* ---- anchors ---- */

static const json_t *with_anchors(const json_t *scores, size_t *which) {
    for (size_t i = 0; i < report_video_count(scores); i++) {
        const json_t *result = report_video_result(scores, i);
        *which = i;
        if (json_array_size(json_object_get(result, "anchors")) > 0) return result;
    }
    return NULL;
}

/* Rings with numbers over the background, in pixels of the clip. */
static void anchor_picture(FILE *to, const json_t *scores, const json_t *anchors,
                           const report_film *film, size_t method) {
    const json_t *input = json_object_get(scores, "input");
    double width = report_real(input, "width"), height = report_real(input, "height");
    double r = width / 60 + 1;
    const report_blob *blob =
        &film->blobs[(film->start * film->methods + (int64_t)method) * REPORT_VIEWS +
                     REPORT_BACKGROUND];
    fprintf(to,
            "<svg class=\"anchors\" id=\"anchor-picture\" viewBox=\"0 0 %.0f %.0f\" role=\"img\">"
            "<title>The anchor pixels on the background</title>\n<image width=\"%.0f\" "
            "height=\"%.0f\" preserveAspectRatio=\"none\" href=\"",
            width, height, width, height);
    if (blob->type) report_data_address(to, blob->type, blob->bytes, blob->length);
    fputs("\"/>\n", to);
    for (size_t k = 0; k < json_array_size(anchors); k++) {
        const json_t *anchor = json_array_get(anchors, k);
        double x = report_real(anchor, "x") + 0.5, y = report_real(anchor, "y") + 0.5;
        double right = x > 0.9 * width ? -1 : 1;
        fprintf(to,
                "<g class=\"ring\"><title>anchor %zu: pixel (%.0f, %.0f)</title><circle "
                "class=\"rim\" cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\" stroke-width=\"%.2f\"/><circle "
                "cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\" stroke-width=\"%.2f\"/><text x=\"%.1f\" "
                "y=\"%.1f\" font-size=\"%.1f\" stroke-width=\"%.2f\"%s>%zu</text></g>\n",
                k + 1, x - 0.5, y - 0.5, x, y, r, r * 0.55, x, y, r, r * 0.25, x + right * 1.6 * r,
                fmin(fmax(y + 0.9 * r, 2.6 * r), height - 2), 2.7 * r, 0.7 * r,
                right < 0 ? " text-anchor=\"end\"" : "", k + 1);
    }
    fputs("</svg>\n", to);
}

static void anchor_curves(FILE *to, const json_t *scores, const json_t *result) {
    const json_t *curves = json_object_get(result, "curves");
    const json_t *values = json_object_get(curves, "values");
    double *x, *y[REPORT_LINES_MAX] = {NULL};
    char names[REPORT_LINES_MAX][24];
    int frames;
    (void)scores;
    x = report_reals(json_object_get(curves, "frame"), &frames);
    report_chart chart = {.id = "anchor-chart",
                          .title = "The anchor pixels over time",
                          .subtitle = "gray level of each, as recorded",
                          .width = 960,
                          .height = 340};
    for (size_t k = 0; x && k < json_array_size(values) && k < REPORT_LINES_MAX; k++) {
        int count;
        y[k] = report_reals(json_array_get(values, k), &count);
        if (count != frames) continue;
        snprintf(names[k], sizeof names[k], "anchor %zu", k + 1);
        chart.lines[chart.count++] =
            (report_line){.name = names[k], .x = x, .y = y[k], .count = count, .plain = 1};
    }
    report_chart_fit(&chart);
    if (x && x[frames - 1] > x[0]) {
        chart.x.low = x[0];
        chart.x.high = x[frames - 1];
    }
    chart.x.label = "frame of the input";
    chart.y.label = "gray level";
    if (chart.count) report_chart_write(to, &chart);
    for (int k = 0; k < REPORT_LINES_MAX; k++) free(y[k]);
    free(x);
}

void report_video_anchors(FILE *to, const json_t *scores, const report_film *film) {
    size_t method;
    const json_t *result = with_anchors(scores, &method);
    if (!result) return;
    const json_t *anchors = json_object_get(result, "anchors");
    size_t count = json_array_size(anchors);
    report_section_begin(to, "anchors", count == 1 ? "The anchor pixel" : "The anchor pixels");
    report_text(to,
                "%s chose %zu pixel%s whose course%s in time, mixed without negative weights, "
                "explain%s the course of every other background pixel. Typically each stands for "
                "a source of light.",
                report_string(result, "method"), count, count == 1 ? "" : "s",
                count == 1 ? "" : "s", count == 1 ? "s" : "");
    report_figure_begin(to, NULL);
    anchor_picture(to, scores, anchors, film, method);
    report_figure_end(to);
    report_figure_begin(to, count > REPORT_LINES_MAX ? "The first eight of them." : NULL);
    anchor_curves(to, scores, result);
    report_figure_end(to);
    report_section_end(to);
}

/* ---- rank ---- */

static void rank_chart(FILE *to, const json_t *scores) {
    double *x[REPORT_LINES_MAX] = {NULL}, *y[REPORT_LINES_MAX] = {NULL}, sample = 0;
    char subtitle[160];
    report_chart chart = {.id = "rank-chart",
                          .title = "Largest residual of a pixel, against rank",
                          .subtitle = subtitle};
    int longest = 0;
    for (size_t i = 0; i < report_video_count(scores) && i < REPORT_LINES_MAX; i++) {
        const json_t *result = report_video_result(scores, i);
        const json_t *path = json_object_get(result, "path");
        int count;
        y[i] = report_reals(json_object_get(path, "residual"), &count);
        x[i] = y[i] ? malloc((size_t)count * sizeof *x[i]) : NULL;
        if (!x[i]) continue;
        for (int k = 0; k < count; k++) {
            x[i][k] = k + 1;
            y[i][k] /= report_real(scores, "frames");
        }
        sample = fmax(sample, report_real(path, "sample"));
        if (count > longest) longest = count;
        chart.lines[chart.count++] = (report_line){
            .name = report_string(result, "method"), .x = x[i], .y = y[i], .count = count};
    }
    snprintf(subtitle, sizeof subtitle,
             "mean of |pixel - background| over the frames, while anchors are chosen; up to %.0f "
             "pixels",
             sample);
    report_chart_fit(&chart);
    report_axis_fit(&chart.x, 1, longest > 1 ? longest : 2, longest < 13 ? longest - 1 : 8);
    chart.x.label = "anchors";
    chart.y.label = "gray levels";
    if (longest > 1) {
        report_figure_begin(to, NULL);
        report_chart_write(to, &chart);
        report_figure_end(to);
    }
    for (int i = 0; i < REPORT_LINES_MAX; i++) {
        free(x[i]);
        free(y[i]);
    }
}

void report_video_rank(FILE *to, const json_t *scores) {
    report_section_begin(to, "rank", "The rank");
    for (size_t i = 0; i < report_video_count(scores); i++) {
        const json_t *result = report_video_result(scores, i);
        report_text(to, "%s: %s.", report_string(result, "method"),
                    report_string(result, "rank_reason"));
    }
    rank_chart(to, scores);
    report_section_end(to);
}
