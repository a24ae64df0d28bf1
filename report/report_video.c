/* The page of conehull video: head, player, tables. Its charts are in report_video_charts.c. */
#include "report_pages.h"
#include <math.h>
#include <stdlib.h>

/* ---- the head ---- */

static void write_head(FILE *to, const json_t *scores) {
    const json_t *input = json_object_get(scores, "input");
    const json_t *index = json_object_get(scores, "index");
    size_t count = json_array_size(index);
    char title[300], lead[400];
    snprintf(title, sizeof title, "Moving objects in %s",
             report_base_name(report_string(input, "file")));
    snprintf(lead, sizeof lead,
             "%.0f frames of %.0f \xc3\x97 %.0f pixels%s, frames %.0f to %.0f "
             "of the input (%s, %s).",
             report_real(scores, "frames"), report_real(input, "width"),
             report_real(input, "height"),
             json_is_true(json_object_get(input, "colour")) ? " in colour" : "",
             json_number_value(json_array_get(index, 0)),
             json_number_value(json_array_get(index, count ? count - 1 : 0)),
             report_string(input, "container"), report_string(input, "codec"));
    report_page_begin(to, &(report_head){title, lead, report_video_css});
}

static void write_numbers(FILE *to, const json_t *scores) {
    const json_t *result = report_result(scores, 0);
    report_numbers_begin(to);
    if (!isnan(report_real(result, "auc"))) {
        report_number(to, "area under the ROC", "%.3f", report_real(result, "auc"));
        report_number(to, "F-measure of the masks", "%.3f", report_real(result, "f_measure"));
    }
    report_number(to, "of the frames contain movement", "%.0f %%",
                  100 * report_real(result, "active_frames") / report_real(scores, "frames"));
    report_number(to, "rank of the background", "%.0f", report_real(result, "rank"));
    report_number(to, "threshold, gray levels", "%.1f", report_real(result, "threshold"));
    report_number(to, "to find the background", "%.2f s",
                  report_real(json_object_get(result, "seconds"), "separate"));
    report_numbers_end(to);
    if (report_result_count(scores) > 1)
        report_text(to, "These are the numbers of `%s`; the others are compared below.",
                    report_string(result, "method"));
}

/* ---- the player ---- */

static const char *const views[REPORT_VIEWS] = {"original", "background", "mask", "overlay"};
static const char *const captions[REPORT_VIEWS] = {"original", "background", "mask",
                                                   "moving objects outlined"};

const report_blob *report_film_blob(const report_film *film, int64_t i, int method, int view) {
    return &film->blobs[(i * film->methods + method) * REPORT_VIEWS + view];
}

static void write_addresses(FILE *to, const report_film *film, int method, int view) {
    fprintf(to, "\"%s\":[", views[view]);
    for (int64_t i = 0; i < film->count; i++) {
        fputs(i ? ",\"" : "\"", to);
        report_data_address(to, report_film_blob(film, i, method, view));
        fputc('"', to);
    }
    fputc(']', to);
}

static void write_course(FILE *to, const char *name, const json_t *values,
                         const report_film *film) {
    fprintf(to, "\"%s\":[", name);
    for (int64_t i = 0; i < film->count; i++)
        fprintf(to, "%s%.10g", i ? "," : "",
                json_number_value(json_array_get(values, (size_t)film->rows[i])));
    fputs("],", to);
}

/* Some frames of the run and when they are, from the first to the last: for seeking in the video.
 */
static void write_clock(FILE *to, const json_t *scores) {
    enum { TICKS = 500 };
    const json_t *index = json_object_get(scores, "index"), *time = json_object_get(scores, "time");
    size_t count = json_array_size(index), last = count ? count - 1 : 0;
    size_t ticks = last < TICKS ? last : TICKS;
    fputs("\"clock\":[", to);
    for (size_t n = 0; n <= ticks && count; n++) {
        size_t i = ticks ? n * last / ticks : 0;
        fprintf(to, "%s[%.10g,%.10g]", n ? "," : "", json_number_value(json_array_get(index, i)),
                json_number_value(json_array_get(time, i)));
    }
    fputs("],", to);
}

/* Addresses and numbers hold no character that JSON or HTML would mind. */
static void write_film(FILE *to, const json_t *scores, const report_film *film) {
    fprintf(to, "<script type=\"application/json\" id=\"film\">{\"start\":%lld,",
            (long long)film->start);
    write_course(to, "frame", json_object_get(scores, "index"), film);
    write_course(to, "time", json_object_get(scores, "time"), film);
    write_clock(to, scores);
    report_video_marks(to, scores);
    write_addresses(to, film, 0, REPORT_ORIGINAL);
    fputs(",\"results\":[", to);
    for (int method = 0; method < film->methods; method++) {
        const json_t *overlay = json_object_get(report_result(scores, (size_t)method), "overlay");
        fputs(method ? ",{" : "{", to);
        if (json_is_string(overlay)) fprintf(to, "\"movie\":\"%s\",", json_string_value(overlay));
        for (int view = REPORT_BACKGROUND; view < REPORT_VIEWS; view++) {
            if (view > REPORT_BACKGROUND) fputc(',', to);
            write_addresses(to, film, method, view);
        }
        fputc('}', to);
    }
    fputs("]}</script>\n", to);
}

/* Pixels that are no squares are shown as they are meant. */
static void write_screens(FILE *to, const json_t *scores, const report_film *film) {
    const json_t *input = json_object_get(scores, "input");
    double across = report_real_at(input, "aspect", 0), down = report_real_at(input, "aspect", 1);
    if (across > 0 && down > 0 && across != down)
        fprintf(to, "<div class=\"screens shaped\" style=\"--shape:%.6g\">\n",
                report_real(input, "width") * across / (report_real(input, "height") * down));
    else
        fputs("<div class=\"screens\">\n", to);
    for (int view = 0; view < REPORT_VIEWS; view++) {
        fprintf(to, "<figure><img id=\"view-%s\" alt=\"%s of the frame\" src=\"", views[view],
                captions[view]);
        report_data_address(to, report_film_blob(film, film->start, 0, view));
        fprintf(to, "\"><figcaption>%s</figcaption></figure>\n", captions[view]);
    }
    fputs("</div>\n", to);
}

static void write_controls(FILE *to, const json_t *scores, const report_film *film) {
    fputs("<div class=\"controls screen-only\">\n"
          "<button type=\"button\" id=\"play\" aria-pressed=\"false\">Play</button>\n",
          to);
    fprintf(to,
            "<input type=\"range\" id=\"slider\" min=\"0\" max=\"%lld\" value=\"%lld\" step=\"1\" "
            "aria-label=\"frame\">\n",
            (long long)film->count - 1, (long long)film->start);
    if (film->methods > 1) {
        fputs("<label>method <select id=\"method\">", to);
        for (int i = 0; i < film->methods; i++) {
            fprintf(to, "<option value=\"%d\"", i);
            report_markup(to, ">%</option>",
                          report_string(report_result(scores, (size_t)i), "method"));
        }
        fputs("</select></label>\n", to);
    }
    fputs("</div>\n<p class=\"place\"><output id=\"place\" for=\"slider\"></output></p>\n", to);
}

/* The overlay next to the page, shown once it has been found; the pictures on the page do without.
 */
static void write_movie(FILE *to, const json_t *scores) {
    if (!json_is_string(json_object_get(report_result(scores, 0), "overlay"))) return;
    fputs("<figure class=\"movie screen-only\" id=\"movie\" hidden><video id=\"video\" "
          "controls muted playsinline preload=\"metadata\"></video><figcaption>moving objects "
          "outlined, all frames; click on the chart of movement below to go to a frame"
          "</figcaption></figure>\n",
          to);
}

/* Ctrl-C has ended the run before its input did. */
static void write_partial(FILE *to, const json_t *scores) {
    const json_t *time = json_object_get(scores, "time");
    size_t count = json_array_size(time);
    if (!json_is_true(json_object_get(scores, "partial"))) return;
    report_text(to, "The run was interrupted: the results end at second %.2f of the recording.",
                json_number_value(json_array_get(time, count ? count - 1 : 0)));
}

static void write_player(FILE *to, const json_t *scores, const report_film *film) {
    report_section_begin(to, "player", "Clip");
    write_partial(to, scores);
    write_controls(to, scores, film);
    write_screens(to, scores, film);
    write_movie(to, scores);
    report_text(to,
                "This page shows %lld of %.0f frames, reduced in size, from all parts of the "
                "clip%s. The videos in the same folder have all frames. Keys: left and right, Home "
                "and End, space to play.",
                (long long)film->count, report_real(scores, "frames"),
                json_is_object(json_object_get(scores, "truth"))
                    ? ", with all frames that have a known mask"
                    : "");
    report_section_end(to);
}

/* ---- tables ---- */

static void write_seconds(FILE *to, const json_t *scores) {
    static const char *const parts[] = {"read", "separate", "score", "write", "report", "total"};
    report_section_begin(to, "seconds", "Seconds");
    report_table table =
        report_table_begin(to, "Separate: the background. Score: noise, threshold, masks.",
                           "method|#read|#separate|#score|#write|#report|#total");
    for (size_t i = 0; i < report_result_count(scores); i++) {
        const json_t *result = report_result(scores, i);
        const json_t *seconds = json_object_get(result, "seconds");
        report_cell(&table, "%s", report_string(result, "method"));
        for (size_t k = 0; k < sizeof parts / sizeof *parts; k++)
            report_cell_real(&table, 2, report_real(seconds, parts[k]));
    }
    report_table_end(&table);
    report_text(to, "On %.0f threads, kernels for `%s`.", report_real(scores, "threads"),
                report_string(scores, "kernel"));
    report_section_end(to);
}

static void write_settings(FILE *to, const json_t *scores) {
    json_t *settings = json_object_get(scores, "settings"), *group, *value;
    const char *part, *name;
    report_section_begin(to, "settings", "Settings");
    fputs("<details>\n<summary>All settings</summary>\n", to);
    report_table table = report_table_begin(to, NULL, "part|setting|value");
    json_object_foreach(settings, part, group) json_object_foreach(group, name, value) {
        char *text = json_is_string(value)
                         ? NULL
                         : json_dumps(value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(6));
        report_cell(&table, "%s", part);
        report_cell(&table, "%s", name);
        report_cell(&table, "%s", text ? text : report_string(group, name));
        free(text);
    }
    report_table_end(&table);
    fputs("</details>\n", to);
    report_section_end(to);
}

/* What both pages end with. */
static void write_end(FILE *to, const json_t *scores, const report_film *film) {
    static const char *const scripts[] = {report_video_js, NULL};
    write_settings(to, scores);
    report_section_begin(to, "again", "The command");
    report_command(to, report_string(scores, "command"));
    report_text(to, "Version %s.", report_string(scores, "version"));
    report_section_end(to);
    write_film(to, scores, film);
    report_page_end(to, scripts);
}

void report_video_write(FILE *to, const json_t *scores, const report_film *film) {
    write_head(to, scores);
    write_numbers(to, scores);
    write_player(to, scores, film);
    report_video_activity(to, scores);
    report_video_roc(to, scores);
    report_video_anchors(to, scores, film);
    report_video_rank(to, scores);
    write_seconds(to, scores);
    write_end(to, scores, film);
}

/* ---- live ---- */

static void write_live_numbers(FILE *to, const json_t *scores) {
    report_numbers_begin(to);
    report_number(to, "of the frames contain movement", "%.0f %%",
                  100 * report_real(scores, "active_frames") / report_real(scores, "frames"));
    report_number(to, "rank of the background", "%.0f", report_real(scores, "rank"));
    report_number(to, "threshold, gray levels", "%.1f", report_real(scores, "threshold"));
    report_number(to, "frames a second", "%.1f",
                  report_real(scores, "frames") /
                      report_real(json_object_get(scores, "seconds"), "total"));
    report_numbers_end(to);
}

void report_live_write(FILE *to, const json_t *scores, const report_film *film) {
    write_head(to, scores);
    write_live_numbers(to, scores);
    write_player(to, scores, film);
    report_video_activity(to, scores);
    write_end(to, scores, film);
}
