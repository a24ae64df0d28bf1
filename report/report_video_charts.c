/* Charts and pictures of the page of conehull video. */
#include "report_chart.h"
#include "report_pages.h"
#include <math.h>

/* A chart over the frames of the input, as wide as they are. */
static void draw_over_frames(FILE *to, report_chart *chart, const double *frame, int count,
                             const char *label) {
    if (chart->count == 0) return;
    report_chart_fit(chart);
    if (frame[count - 1] > frame[0]) {
        chart->x.low = frame[0];
        chart->x.high = frame[count - 1];
    }
    chart->x.label = "frame of the input";
    chart->y.label = label;
    report_chart_write(to, chart);
}

/* ---- activity ---- */

/* One percent line per method. */
static void activity_chart(FILE *to, const json_t *scores) {
    report_arrays arrays = {.count = 0};
    size_t methods = report_result_count(scores);
    int frames, count;
    const double *x = report_arrays_read(&arrays, &frames, json_object_get(scores, "index"));
    report_chart chart = {.id = "activity-chart",
                          .title = "Moving pixels over time",
                          .subtitle = "share of the picture that moves; a click shows the frame, "
                                      "and bars above the curve are events",
                          .width = 960,
                          .height = 300};
    for (size_t i = 0; x && i < methods && i < REPORT_LINES_MAX; i++) {
        const json_t *result = report_result(scores, i);
        double *y = report_arrays_read(
            &arrays, &count, json_object_get(json_object_get(result, "activity"), "share"));
        for (int k = 0; k < count; k++) y[k] *= 100;
        if (count != frames) continue;
        const char *name = methods > 1 ? report_string(result, "method") : NULL;
        chart.lines[chart.count++] =
            (report_line){.name = name, .x = x, .y = y, .count = count, .plain = 1};
    }
    draw_over_frames(to, &chart, x, frames, "percent");
    report_arrays_free(&arrays);
}

static void runs_table(FILE *to, const json_t *scores) {
    enum { ROWS_MAX = 40 };
    const json_t *result = report_result(scores, 0);
    size_t count = report_length(result, "runs");
    char caption[160];
    if (count == 0) return;
    snprintf(caption, sizeof caption, "Parts of the clip in which something moves (%s)%s",
             report_string(result, "method"),
             count > ROWS_MAX ? "; the table shows the first 40, and scores.json has all" : "");
    report_table table = report_table_begin(
        to, caption,
        "#from frame|#to frame|#at second|#seconds|#most in frame|#share of the picture");
    for (size_t i = 0; i < count && i < ROWS_MAX; i++) {
        const json_t *run = report_item(result, "runs", i);
        size_t first = (size_t)report_real(run, "first"), last = (size_t)report_real(run, "last"),
               peak = (size_t)report_real(run, "peak");
        double start = report_real_at(scores, "time", first);
        report_cell(&table, "%.0f", report_real_at(scores, "index", first));
        report_cell(&table, "%.0f", report_real_at(scores, "index", last));
        report_cell(&table, "%.2f", start);
        report_cell(&table, "%.2f", report_real_at(scores, "time", last) - start);
        report_cell(&table, "%.0f", report_real_at(scores, "index", peak));
        report_cell(&table, "%.1f %%", 100 * report_real(run, "share"));
    }
    report_table_end(&table);
}

static void warnings_list(FILE *to, const json_t *result) {
    const json_t *sentence;
    size_t i;
    json_array_foreach(json_object_get(result, "warnings"), i, sentence)
        report_text(to, "Warning: %s.", json_string_value(sentence));
}

void report_video_activity(FILE *to, const json_t *scores) {
    report_section_begin(to, "activity", "Activity");
    report_figure_begin(to, NULL);
    activity_chart(to, scores);
    report_figure_end(to);
    if (!report_video_events(to, scores)) runs_table(to, scores);
    report_text(to, "Threshold: %s.", report_string(report_result(scores, 0), "threshold_reason"));
    warnings_list(to, report_result(scores, 0));
    report_section_end(to);
}

/* ---- ROC ---- */

static void roc_chart(FILE *to, const json_t *scores) {
    static const double diagonal[2] = {0, 1};
    report_arrays arrays = {.count = 0};
    report_chart chart = {.id = "roc-chart",
                          .title = "ROC: found against false alarms",
                          .subtitle = "every threshold, all pixels with a known mask",
                          .x = {"false alarms, share of the background pixels", 0, 1, 0.2, 1},
                          .y = {"found, share of the object pixels", 0, 1, 0.2, 1},
                          .width = 640,
                          .height = 460};
    char names[REPORT_LINES_MAX][40];
    for (size_t i = 0; i < report_result_count(scores) && chart.count < REPORT_LINES_MAX - 1; i++) {
        const json_t *result = report_result(scores, i), *roc = json_object_get(result, "roc");
        int count, other;
        const double *x =
            report_arrays_read(&arrays, &count, json_object_get(roc, "false_positive_rate"));
        const double *y =
            report_arrays_read(&arrays, &other, json_object_get(roc, "true_positive_rate"));
        if (!x || count != other) continue;
        snprintf(names[i], sizeof names[i], "%s %.3f", report_string(result, "method"),
                 report_real(result, "auc"));
        chart.lines[chart.count++] =
            (report_line){.name = names[i], .x = x, .y = y, .count = count, .plain = 1};
    }
    chart.lines[chart.count++] =
        (report_line){.x = diagonal, .y = diagonal, .count = 2, .guide = 1};
    report_figure_chart(to, &chart);
    report_arrays_free(&arrays);
}

static void scores_table(FILE *to, const json_t *scores) {
    static const struct {
        const char *key;
        int decimals;
    } columns[] = {{"auc", 3},
                   {"f_measure", 3},
                   {"precision", 3},
                   {"recall", 3},
                   {"specificity", 4},
                   {"false_positive_rate", 4},
                   {"false_negative_rate", 4},
                   {"pwc", 2},
                   {"threshold", 1},
                   {"best_f", 3},
                   {"best_threshold", 1}};
    report_table table = report_table_begin(
        to,
        "F-measure, precision and recall of the masks as written; the best F of a threshold alone, "
        "without clean-up",
        "method|#AUC|#F-measure|#precision|#recall|#specificity|#FPR|#FNR|#PWC|#threshold|#best F "
        "possible|#at threshold");
    for (size_t i = 0; i < report_result_count(scores); i++) {
        const json_t *result = report_result(scores, i);
        report_cell(&table, "%s", report_string(result, "method"));
        for (size_t k = 0; k < sizeof columns / sizeof *columns; k++)
            report_cell_real(&table, columns[k].decimals, report_real(result, columns[k].key));
    }
    report_table_end(&table);
}

void report_video_roc(FILE *to, const json_t *scores) {
    const json_t *truth = json_object_get(scores, "truth");
    if (!json_is_object(truth)) return;
    report_section_begin(to, "roc", "Comparison with known masks");
    report_text(
        to, "%.0f masks of `%s` belong to frames that were read%s.", report_real(truth, "used"),
        report_string(truth, "folder"),
        report_real(truth, "found") > report_real(truth, "used") ? "; the others are ignored" : "");
    roc_chart(to, scores);
    scores_table(to, scores);
    report_section_end(to);
}

/* ---- anchors ---- */

static const json_t *with_anchors(const json_t *scores, int *which) {
    for (size_t i = 0; i < report_result_count(scores); i++) {
        const json_t *result = report_result(scores, i);
        *which = (int)i;
        if (report_length(result, "anchors") > 0) return result;
    }
    return NULL;
}

/* Rings with numbers over the background, in pixels of the clip. */
static void anchor_picture(FILE *to, const json_t *scores, const json_t *result,
                           const report_film *film, int method) {
    const json_t *input = json_object_get(scores, "input");
    double width = report_real(input, "width"), height = report_real(input, "height");
    double r = width / 60 + 1;
    fprintf(to,
            "<svg class=\"anchors\" id=\"anchor-picture\" viewBox=\"0 0 %.0f %.0f\" role=\"img\">"
            "<title>The anchor pixels on the background</title>\n<image width=\"%.0f\" "
            "height=\"%.0f\" preserveAspectRatio=\"none\" href=\"",
            width, height, width, height);
    report_data_address(to, report_film_blob(film, film->start, method, REPORT_BACKGROUND));
    fputs("\"/>\n", to);
    for (size_t k = 0; k < report_length(result, "anchors"); k++) {
        const json_t *anchor = report_item(result, "anchors", k);
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

static void anchor_curves(FILE *to, const json_t *result) {
    const json_t *curves = json_object_get(result, "curves");
    report_arrays arrays = {.count = 0};
    char names[REPORT_LINES_MAX][24];
    int frames, count;
    const double *x = report_arrays_read(&arrays, &frames, json_object_get(curves, "frame"));
    report_chart chart = {.id = "anchor-chart",
                          .title = "The anchor pixels over time",
                          .subtitle = "gray level of each, as recorded",
                          .width = 960,
                          .height = 340};
    for (size_t k = 0; x && k < report_length(curves, "values") && k < REPORT_LINES_MAX; k++) {
        const double *y = report_arrays_read(&arrays, &count, report_item(curves, "values", k));
        if (count != frames) continue;
        snprintf(names[k], sizeof names[k], "anchor %zu", k + 1);
        chart.lines[chart.count++] =
            (report_line){.name = names[k], .x = x, .y = y, .count = count, .plain = 1};
    }
    draw_over_frames(to, &chart, x, frames, "gray level");
    report_arrays_free(&arrays);
}

void report_video_anchors(FILE *to, const json_t *scores, const report_film *film) {
    int method;
    const json_t *result = with_anchors(scores, &method);
    if (!result) return;
    size_t count = report_length(result, "anchors");
    report_section_begin(to, "anchors", count == 1 ? "The anchor pixel" : "The anchor pixels");
    report_text(to,
                "%s selected %zu pixel%s whose time series, mixed with non-negative weights, "
                "explain%s that of every other background pixel. Typically each represents a "
                "source of light.",
                report_string(result, "method"), count, count == 1 ? "" : "s",
                count == 1 ? "s" : "");
    report_figure_begin(to, NULL);
    anchor_picture(to, scores, result, film, method);
    report_figure_end(to);
    report_figure_begin(
        to, count > REPORT_LINES_MAX ? "The time series of the first ten anchor pixels." : NULL);
    anchor_curves(to, result);
    report_figure_end(to);
    report_section_end(to);
}

/* ---- rank ---- */

static void rank_chart(FILE *to, const json_t *scores) {
    report_arrays arrays = {.count = 0};
    char subtitle[160];
    report_chart chart = {.id = "rank-chart",
                          .title = "Largest residual of a pixel, against rank",
                          .subtitle = subtitle};
    double sample = 0;
    int longest = 0, count;
    for (size_t i = 0; i < report_result_count(scores) && i < REPORT_LINES_MAX; i++) {
        const json_t *result = report_result(scores, i), *path = json_object_get(result, "path");
        double *y = report_arrays_read(&arrays, &count, json_object_get(path, "residual"));
        double *x = y ? report_arrays_make(&arrays, count) : NULL;
        if (!x) continue;
        for (int k = 0; k < count; k++) {
            x[k] = k + 1;
            y[k] /= report_real(scores, "frames");
        }
        sample = fmax(sample, report_real(path, "sample"));
        if (count > longest) longest = count;
        chart.lines[chart.count++] =
            (report_line){.name = report_string(result, "method"), .x = x, .y = y, .count = count};
    }
    snprintf(subtitle, sizeof subtitle,
             "mean of |pixel - background| over the frames, while anchors are chosen; up to %.0f "
             "pixels",
             sample);
    report_chart_fit(&chart);
    report_axis_fit(&chart.x, 1, longest > 1 ? longest : 2, longest < 13 ? longest - 1 : 8);
    chart.x.label = "anchors";
    chart.y.label = "gray levels";
    if (longest > 1) report_figure_chart(to, &chart);
    report_arrays_free(&arrays);
}

void report_video_rank(FILE *to, const json_t *scores) {
    report_section_begin(to, "rank", "Rank");
    for (size_t i = 0; i < report_result_count(scores); i++) {
        const json_t *result = report_result(scores, i);
        report_text(to, "%s: %s.", report_string(result, "method"),
                    report_string(result, "rank_reason"));
    }
    rank_chart(to, scores);
    report_section_end(to);
}
