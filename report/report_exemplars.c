/* The page of conehull exemplars. */
#include "report_exemplars.h"
#include "report_assets.h"
#include "report_chart.h"
#include "report_page.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { METHODS = 8, ROWS = 200, SHARES = 15, BANDS_UP_TO = 3 };

static const json_t *figure_of(const json_t *one, const json_t *ranks, size_t k) {
    char rank[24];
    snprintf(rank, sizeof rank, "%lld", (long long)json_integer_value(json_array_get(ranks, k)));
    return json_object_get(json_object_get(one, "accuracy"), rank);
}

static const char *word_of(const json_t *result) {
    const char *kind = report_string(result, "kind");
    return strcmp(kind, "text") == 0     ? "document"
           : strcmp(kind, "frames") == 0 ? "frame"
                                         : "column";
}

/* ---- accuracy ---- */

typedef struct curves {
    int count;
    double *x, *full;
    double *y[METHODS], *low[METHODS], *high[METHODS];
} curves;

static void free_curves(curves *c) {
    free(c->x);
    free(c->full);
    for (int i = 0; i < METHODS; i++) {
        free(c->y[i]);
        free(c->low[i]);
        free(c->high[i]);
    }
}

static int make_curves(curves *c, const json_t *result) {
    const json_t *ranks = json_object_get(result, "ranks");
    double whole = 100 * report_real(json_object_get(result, "full"), "mean");
    size_t methods = report_video_count(result);
    memset(c, 0, sizeof *c);
    c->x = report_reals(ranks, &c->count);
    size_t bytes = (size_t)c->count * sizeof(double);
    c->full = malloc(bytes + 1);
    if (!c->x || !c->full) return 0;
    for (int k = 0; k < c->count; k++) c->full[k] = whole;
    for (size_t i = 0; i < methods && i < METHODS; i++) {
        c->y[i] = malloc(bytes);
        c->low[i] = malloc(bytes);
        c->high[i] = malloc(bytes);
        if (!c->y[i] || !c->low[i] || !c->high[i]) return 0;
        for (int k = 0; k < c->count; k++) {
            const json_t *figure = figure_of(report_video_result(result, i), ranks, (size_t)k);
            double mean = 100 * report_real(figure, "mean"), sd = 100 * report_real(figure, "sd");
            c->y[i][k] = mean;
            c->low[i][k] = mean - (isnan(sd) ? 0 : sd);
            c->high[i][k] = mean + (isnan(sd) ? 0 : sd);
        }
    }
    return 1;
}

static void draw_curves(FILE *to, const json_t *result, const curves *c) {
    size_t methods = report_video_count(result);
    char subtitle[160];
    report_chart chart = {.title = "Accuracy against the number of exemplars",
                          .subtitle = subtitle,
                          .width = 780,
                          .height = 460};
    snprintf(subtitle, sizeof subtitle,
             "linear SVM trained on the exemplars of a random half, mean "
             "of %.0f splits",
             report_real(result, "splits"));
    for (size_t i = 0; i < methods && i < METHODS; i++) {
        report_line *line = &chart.lines[chart.count++];
        *line = (report_line){.name = report_string(report_video_result(result, i), "method"),
                              .x = c->x,
                              .y = c->y[i],
                              .count = c->count};
        if (methods > BANDS_UP_TO) continue;
        line->low = c->low[i];
        line->high = c->high[i];
    }
    chart.lines[chart.count++] =
        (report_line){.name = "whole half", .x = c->x, .y = c->full, .count = c->count, .guide = 1};
    double low = 100;
    for (int i = 0; i < chart.count; i++)
        for (int k = 0; k < c->count; k++) low = fmin(low, chart.lines[i].y[k]);
    report_chart_fit(&chart);
    report_axis_fit(&chart.y, floor(fmax(0, low - 5) / 10) * 10, 100, 8);
    chart.x.label = "exemplars";
    chart.y.label = "accuracy in %";
    report_chart_write(to, &chart);
}

void report_exemplars_chart(FILE *to, const json_t *result) {
    curves c;
    if (make_curves(&c, result)) draw_curves(to, result, &c);
    free_curves(&c);
}

static void write_accuracy_row(FILE *to, const json_t *result, const char *const *heads, size_t k) {
    const json_t *ranks = json_object_get(result, "ranks");
    char cells[METHODS + 1][32];
    const char *texts[METHODS + 1];
    int methods = (int)report_video_count(result);
    snprintf(cells[0], sizeof cells[0], "%lld",
             (long long)json_integer_value(json_array_get(ranks, k)));
    for (int i = 0; i < methods; i++) {
        const json_t *figure = figure_of(report_video_result(result, (size_t)i), ranks, k);
        double sd = 100 * report_real(figure, "sd");
        if (isnan(sd))
            snprintf(cells[i + 1], sizeof cells[i + 1], "%.1f", 100 * report_real(figure, "mean"));
        else
            snprintf(cells[i + 1], sizeof cells[i + 1], "%.1f \xc2\xb1 %.1f",
                     100 * report_real(figure, "mean"), sd);
    }
    for (int i = 0; i <= methods; i++) texts[i] = cells[i];
    report_table_row(to, texts, heads, methods + 1);
}

static void write_accuracy(FILE *to, const json_t *result) {
    char names[METHODS + 1][32];
    const char *heads[METHODS + 1];
    int methods = (int)report_video_count(result);
    if (!json_object_get(result, "full")) return;
    report_section_begin(to, "accuracy", "What the exemplars are worth");
    report_text(
        to,
        "The columns are split evenly at random, %.0f time%s. Exemplars come from one half; "
        "a linear SVM (%s, C = %g, features %s) is trained on them alone and tried on the "
        "other half. Trained on the whole half it gets %.1f %% right.",
        report_real(result, "splits"), report_real(result, "splits") == 1 ? "" : "s",
        report_string(result, "classifier"), report_real(result, "cost"),
        report_string(result, "features"),
        100 * report_real(json_object_get(result, "full"), "mean"));
    report_figure_begin(to, NULL);
    report_exemplars_chart(to, result);
    report_figure_end(to);
    snprintf(names[0], sizeof names[0], "#exemplars");
    for (int i = 0; i < methods; i++)
        snprintf(names[i + 1], sizeof names[i + 1], "#%s",
                 report_string(report_video_result(result, (size_t)i), "method"));
    for (int i = 0; i <= methods; i++) heads[i] = names[i];
    report_table_begin(to, "Accuracy in %, mean \xc2\xb1 standard deviation", heads, methods + 1);
    for (size_t k = 0; k < json_array_size(json_object_get(result, "ranks")); k++)
        write_accuracy_row(to, result, heads, k);
    report_table_end(to);
    report_section_end(to);
}

/* ---- the exemplars ---- */

static char *join_words(const json_t *words) {
    char *text = NULL;
    size_t length = 0;
    FILE *list = open_memstream(&text, &length);
    if (!list) return NULL;
    for (size_t i = 0; i < json_array_size(words); i++)
        fprintf(list, "%s%s", i ? " " : "", json_string_value(json_array_get(words, i)));
    fclose(list);
    return text;
}

typedef struct columns {
    const char *heads[6];
    const char *cells[6];
    int count;
} columns;

static const char *text_at(const json_t *one, const char *key, size_t k) {
    const char *text = json_string_value(json_array_get(json_object_get(one, key), k));
    return text ? text : "";
}

static void write_row(FILE *to, const json_t *one, size_t k, columns *table) {
    char place[24], column[24], stands[24];
    const json_t *frames = json_object_get(one, "frames");
    char *words = join_words(json_array_get(json_object_get(one, "terms"), k));
    int at = 0;
    snprintf(place, sizeof place, "%zu", k + 1);
    snprintf(column, sizeof column, "%lld",
             (long long)json_integer_value(
                 json_array_get(frames ? frames : json_object_get(one, "exemplars"), k)));
    snprintf(stands, sizeof stands, "%lld",
             (long long)json_integer_value(json_array_get(json_object_get(one, "stands_for"), k)));
    table->cells[at++] = place;
    table->cells[at++] = column;
    table->cells[at++] = stands;
    if (json_object_get(one, "labels")) table->cells[at++] = text_at(one, "labels", k);
    if (json_object_get(one, "names")) table->cells[at++] = text_at(one, "names", k);
    if (json_object_get(one, "terms")) table->cells[at++] = words ? words : "";
    report_table_row(to, table->cells, table->heads, table->count);
    free(words);
}

static void write_list(FILE *to, const json_t *result, const json_t *one) {
    const char *word = word_of(result);
    char head[24], caption[200];
    size_t count = json_array_size(json_object_get(one, "exemplars"));
    columns table = {.heads = {"#", head, "#stands for"}, .count = 3};
    snprintf(head, sizeof head, "#%s", word);
    if (json_object_get(one, "labels")) table.heads[table.count++] = "label";
    if (json_object_get(one, "names")) table.heads[table.count++] = "name";
    if (json_object_get(one, "terms")) table.heads[table.count++] = "telling terms";
    snprintf(caption, sizeof caption, "%s: %zu exemplars explain %.1f %% of the squares%s",
             report_string(one, "method"), count, 100 * report_real(one, "explained"),
             count > ROWS ? "; the first 200" : "");
    report_table_begin(to, caption, table.heads, table.count);
    for (size_t k = 0; k < count && k < ROWS; k++) write_row(to, one, k, &table);
    report_table_end(to);
}

static void write_pictures(FILE *to, const json_t *result, const report_blob *pictures,
                           size_t count) {
    const json_t *one = report_video_result(result, 0);
    if (count == 0) return;
    report_section_begin(to, "frames", "The chosen frames");
    fputs("<div class=\"gallery\">\n", to);
    for (size_t k = 0; k < count; k++) {
        char caption[96];
        snprintf(
            caption, sizeof caption, "frame %lld, %.2f s; stands for %lld",
            (long long)json_integer_value(json_array_get(json_object_get(one, "frames"), k)),
            json_number_value(json_array_get(json_object_get(one, "times"), k)),
            (long long)json_integer_value(json_array_get(json_object_get(one, "stands_for"), k)));
        report_figure_begin(to, caption);
        report_picture(to, pictures[k].type, pictures[k].bytes, pictures[k].length, caption);
        report_figure_end(to);
    }
    fputs("</div>\n", to);
    report_section_end(to);
}

/* Whom the first exemplars stand for. */
static void write_shares(FILE *to, const json_t *result) {
    const json_t *one = report_video_result(result, 0);
    const json_t *stands = json_object_get(one, "stands_for");
    const json_t *frames = json_object_get(one, "frames");
    char names[SHARES][48], subtitle[96];
    const char *texts[SHARES];
    double values[SHARES];
    int count = 0;
    for (; count < SHARES && count < (int)json_array_size(stands); count++) {
        const json_t *column =
            json_array_get(frames ? frames : json_object_get(one, "exemplars"), (size_t)count);
        const char *name = text_at(one, "names", (size_t)count);
        if (*name)
            snprintf(names[count], sizeof names[count], "%.40s", name);
        else
            snprintf(names[count], sizeof names[count], "%s %lld", word_of(result),
                     (long long)json_integer_value(column));
        texts[count] = names[count];
        values[count] = json_number_value(json_array_get(stands, (size_t)count));
    }
    if (count == 0) return;
    int length = snprintf(subtitle, sizeof subtitle,
                          "%ss of which the exemplar makes the largest part", word_of(result));
    if (count < (int)json_array_size(stands))
        snprintf(subtitle + length, sizeof subtitle - (size_t)length, "; the first %d of %d", count,
                 (int)json_array_size(stands));
    report_figure_begin(to, NULL);
    report_bars_write(to, &(report_bars){.title = "Whom they stand for",
                                         .subtitle = subtitle,
                                         .names = texts,
                                         .values = values,
                                         .count = count});
    report_figure_end(to);
}

static void write_head(FILE *to, const json_t *result) {
    const json_t *shape = json_object_get(result, "shape"), *one = report_video_result(result, 0);
    const char *file = report_string(result, "file"), *slash = strrchr(file, '/');
    const json_t *ranks = json_object_get(result, "ranks");
    char title[300], lead[300], count[24], explained[24], best[24], whole[24];
    snprintf(title, sizeof title, "Exemplars of %s", slash && slash[1] ? slash + 1 : file);
    snprintf(lead, sizeof lead, "A few of %.0f %ss that stand for all; weighting %s.",
             json_number_value(json_array_get(shape, 1)), word_of(result),
             report_string(result, "weight"));
    report_page_begin(to, &(report_head){title, lead, report_exemplars_css});
    snprintf(count, sizeof count, "%zu", json_array_size(json_object_get(one, "exemplars")));
    snprintf(explained, sizeof explained, "%.1f %%", 100 * report_real(one, "explained"));
    report_number numbers[4] = {{count, "exemplars"}, {explained, "of the squares explained"}};
    if (json_object_get(result, "full")) {
        const json_t *figure = figure_of(one, ranks, json_array_size(ranks) - 1);
        snprintf(best, sizeof best, "%.1f %%", 100 * report_real(figure, "mean"));
        snprintf(whole, sizeof whole, "%.1f %%",
                 100 * report_real(json_object_get(result, "full"), "mean"));
        numbers[2] = (report_number){best, "accuracy with them"};
        numbers[3] = (report_number){whole, "with the whole half"};
    }
    report_numbers(to, numbers, json_object_get(result, "full") ? 4 : 2);
}

void report_exemplars_write(FILE *to, const json_t *result, const report_blob *pictures,
                            size_t count) {
    write_head(to, result);
    write_pictures(to, result, pictures, count);
    write_accuracy(to, result);
    report_section_begin(to, "exemplars", "The exemplars");
    write_shares(to, result);
    for (size_t i = 0; i < report_video_count(result); i++)
        write_list(to, result, report_video_result(result, i));
    report_section_end(to);
    report_section_begin(to, "again", "Again");
    report_command(to, report_string(result, "command"));
    report_section_end(to);
    report_page_end(to, NULL);
}
