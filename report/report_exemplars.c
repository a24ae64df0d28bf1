/* The page of conehull exemplars. */
#include "report_chart.h"
#include "report_pages.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 200, SHARES = 15, BANDS_UP_TO = 3 };

/* mean, sd and each of a method with the k-th of the ranks. */
static const json_t *figure_of(const json_t *result, size_t method, size_t k) {
    char rank[24];
    snprintf(rank, sizeof rank, "%.0f", report_real_at(result, "ranks", k));
    return json_object_get(json_object_get(report_result(result, method), "accuracy"), rank);
}

static const char *noun_of(const json_t *result) {
    const char *kind = report_string(result, "kind");
    return strcmp(kind, "text") == 0                            ? "document"
           : strcmp(kind, "frames") == 0                        ? "frame"
           : json_is_true(json_object_get(result, "transpose")) ? "row"
                                                                : "column";
}

/* The number of an exemplar: of its frame where there are frames, else of its column. */
static double number_of(const json_t *one, size_t k) {
    return report_real_at(one, json_object_get(one, "frames") ? "frames" : "exemplars", k);
}

/* ---- accuracy ---- */

/* y, and y less and plus its deviation, of one method. 0 without memory. */
static int make_line(report_line *line, report_arrays *arrays, const json_t *result, size_t method,
                     int count) {
    double *y = report_arrays_make(arrays, count), *low = report_arrays_make(arrays, count),
           *high = report_arrays_make(arrays, count);
    if (!y || !low || !high) return 0;
    for (int k = 0; k < count; k++) {
        const json_t *figure = figure_of(result, method, (size_t)k);
        double sd = 100 * report_real(figure, "sd");
        y[k] = 100 * report_real(figure, "mean");
        low[k] = y[k] - (isnan(sd) ? 0 : sd);
        high[k] = y[k] + (isnan(sd) ? 0 : sd);
    }
    *line = (report_line){.name = report_string(report_result(result, method), "method"), .y = y};
    if (report_result_count(result) > BANDS_UP_TO) return 1;
    line->low = low;
    line->high = high;
    return 1;
}

static void draw_accuracy(FILE *to, const json_t *result, report_arrays *arrays) {
    size_t methods = report_result_count(result);
    int count;
    const double *x = report_arrays_read(arrays, &count, json_object_get(result, "ranks"));
    double *full = report_arrays_make(arrays, count), low = 100;
    char subtitle[160];
    report_chart chart = {.title = "Accuracy against the number of exemplars",
                          .subtitle = subtitle,
                          .width = 640,
                          .height = 420};
    if (!x || !full) return;
    snprintf(subtitle, sizeof subtitle,
             "linear SVM trained on the exemplars of a random half, mean of %.0f splits",
             report_real(result, "splits"));
    for (size_t i = 0; i < methods && i < REPORT_LINES_MAX; i++)
        if (!make_line(&chart.lines[chart.count++], arrays, result, i, count)) return;
    for (int k = 0; k < count; k++)
        full[k] = 100 * report_real(json_object_get(result, "full"), "mean");
    chart.lines[chart.count++] = (report_line){.name = "whole half", .y = full, .guide = 1};
    for (int i = 0; i < chart.count; i++) {
        chart.lines[i].x = x;
        chart.lines[i].count = count;
        for (int k = 0; k < count; k++) low = fmin(low, chart.lines[i].y[k]);
    }
    report_chart_fit(&chart);
    report_axis_fit(&chart.y, floor(fmax(0, low - 5) / 10) * 10, 100, 8);
    chart.x.label = "exemplars";
    chart.y.label = "accuracy in %";
    report_chart_write(to, &chart);
}

void report_exemplars_chart(FILE *to, const json_t *result) {
    report_arrays arrays = {.count = 0};
    draw_accuracy(to, result, &arrays);
    report_arrays_free(&arrays);
}

static void write_accuracy_table(FILE *to, const json_t *result) {
    char heads[REPORT_LINES_MAX * 32] = "#exemplars";
    size_t methods = report_result_count(result);
    for (size_t i = 0; i < methods; i++) {
        size_t used = strlen(heads);
        snprintf(heads + used, sizeof heads - used, "|#%s",
                 report_string(report_result(result, i), "method"));
    }
    report_table table =
        report_table_begin(to, "Accuracy in %, mean \xc2\xb1 standard deviation", heads);
    for (size_t k = 0; k < report_length(result, "ranks"); k++) {
        report_cell(&table, "%.0f", report_real_at(result, "ranks", k));
        for (size_t i = 0; i < methods; i++) {
            const json_t *figure = figure_of(result, i, k);
            double mean = 100 * report_real(figure, "mean"), sd = 100 * report_real(figure, "sd");
            if (isnan(sd))
                report_cell(&table, "%.1f", mean);
            else
                report_cell(&table, "%.1f \xc2\xb1 %.1f", mean, sd);
        }
    }
    report_table_end(&table);
}

/* ---- is it better than chance? ---- */

/* Whether a method is not clearly better than random choice with the k-th of the ranks: the mean
 * difference over the splits, which are the same for both, is at most ERRORS of its standard
 * errors. */
static int chance_is_as_good(const json_t *result, size_t method, size_t chance, size_t k) {
    enum { ERRORS = 2 };
    const json_t *one = figure_of(result, method, k), *other = figure_of(result, chance, k);
    size_t splits = report_length(one, "each");
    double sum = 0, squares = 0;
    for (size_t s = 0; s < splits; s++)
        sum += report_real_at(one, "each", s) - report_real_at(other, "each", s);
    double mean = sum / (double)splits;
    for (size_t s = 0; s < splits; s++)
        squares += pow(report_real_at(one, "each", s) - report_real_at(other, "each", s) - mean, 2);
    double error = splits > 1 ? sqrt(squares / (double)(splits - 1) / (double)splits) : 0;
    return mean <= ERRORS * error;
}

static void compare_with_chance(FILE *to, const json_t *result) {
    size_t methods = report_result_count(result), ranks = report_length(result, "ranks"),
           chance = 0;
    while (chance < methods &&
           strcmp(report_string(report_result(result, chance), "method"), "random") != 0)
        chance++;
    for (size_t i = 0; i < methods && chance < methods; i++) {
        const char *name = report_string(report_result(result, i), "method");
        char list[400] = "";
        size_t equal = 0;
        if (i == chance) continue;
        for (size_t k = 0; k < ranks; k++) {
            size_t used = strlen(list);
            if (!chance_is_as_good(result, i, chance, k)) continue;
            equal++;
            snprintf(list + used, sizeof list - used, "%s%.0f", used ? ", " : "",
                     report_real_at(result, "ranks", k));
        }
        if (equal == 0)
            report_text(to, "%s is clearly better than random choice at every number of exemplars.",
                        name);
        else if (equal == ranks)
            report_text(to,
                        "%s is not clearly better than random choice at any number of exemplars.",
                        name);
        else
            report_text(to, "%s is not clearly better than random choice with %s exemplars.", name,
                        list);
    }
    if (chance < methods && methods > 1)
        report_text(to, "All methods use the same splits. A method is clearly better than random "
                        "choice if its mean gain over the splits is more than twice the "
                        "standard error of that gain.");
}

static void write_accuracy(FILE *to, const json_t *result) {
    const json_t *full = json_object_get(result, "full");
    if (!full) return;
    report_section_begin(to, "accuracy", "Accuracy of a classifier");
    report_text(to,
                "The %ss are split evenly at random, %.0f time%s. Exemplars come from one half; "
                "a linear SVM (%s, C = %g, features %s) is trained on them alone and tested on the "
                "other half. Trained on the whole half it gets %.1f %% right.",
                noun_of(result), report_real(result, "splits"),
                report_real(result, "splits") == 1 ? "" : "s", report_string(result, "classifier"),
                report_real(result, "cost"), report_string(result, "features"),
                100 * report_real(full, "mean"));
    if (report_length(result, "ranks") > 1) { /* one number makes no curve */
        report_figure_begin(to, NULL);
        report_exemplars_chart(to, result);
        report_figure_end(to);
    }
    write_accuracy_table(to, result);
    compare_with_chance(to, result);
    report_section_end(to);
}

/* ---- the exemplars ---- */

static void write_list(FILE *to, const json_t *result, const json_t *one) {
    int labels = json_object_get(one, "labels") != NULL,
        names = json_object_get(one, "names") != NULL,
        terms = json_object_get(one, "terms") != NULL,
        excerpts = json_object_get(one, "excerpts") != NULL;
    char heads[100], caption[200];
    size_t count = report_length(one, "exemplars");
    snprintf(heads, sizeof heads, "#|#%s|#stands for|#similarity%s%s%s%s", noun_of(result),
             labels ? "|label" : "", names ? "|name" : "", terms ? "|typical terms" : "",
             excerpts ? "|begins" : "");
    snprintf(caption, sizeof caption,
             "%s: %zu exemplar%s reproduce%s %.1f %% of the weighted values (sum of squares)%s",
             report_string(one, "method"), count, count == 1 ? "" : "s", count == 1 ? "s" : "",
             100 * report_real(one, "explained"), count > ROWS ? "; the first 200" : "");
    report_table table = report_table_begin(to, caption, heads);
    for (size_t k = 0; k < count && k < ROWS; k++) {
        char *words = report_join(report_item(one, "terms", k), NULL);
        report_cell(&table, "%zu", k + 1);
        report_cell(&table, "%.0f", number_of(one, k));
        report_cell(&table, "%.0f", report_real_at(one, "stands_for", k));
        double similarity = report_real_at(one, "mean_similarity", k);
        if (isnan(similarity))
            report_cell(&table, "\xe2\x80\x93");
        else
            report_cell(&table, "%.2f", similarity);
        if (labels) report_cell(&table, "%s", report_string_at(one, "labels", k));
        if (names)
            report_cell_file(&table, report_string(result, "folder"),
                             report_string_at(one, "names", k), NULL);
        if (terms) report_cell(&table, "%s", words ? words : "");
        if (excerpts) report_cell(&table, "%s", report_string_at(one, "excerpts", k));
        free(words);
    }
    report_table_end(&table);
}

/* Whom each exemplar represents, folded; only if the result lists them. */
static void write_members(FILE *to, const json_t *result) {
    const json_t *one = report_result(result, 0), *all = json_object_get(one, "members");
    size_t count = json_array_size(all);
    if (count == 0) return;
    report_text(to, "Members of each exemplar, the most similar first, with the cosine of their "
                    "weighted values. members.csv lists them all.");
    for (size_t k = 0; k < count && k < ROWS; k++) {
        const json_t *group = json_array_get(all, k);
        size_t members = report_length(group, "columns");
        const char *own = report_string_at(one, "names", k);
        fputs("<details class=\"members\">\n<summary>", to);
        if (*own)
            report_escape(to, own);
        else
            fprintf(to, "%s %.0f", noun_of(result), number_of(one, k));
        fprintf(to, ": %zu</summary>\n<ol>\n", members);
        for (size_t m = 0; m < members && m < ROWS; m++) {
            const char *name = report_string_at(group, "names", m);
            fputs("<li>", to);
            if (*name)
                report_escape(to, name);
            else
                fprintf(to, "%.0f", report_real_at(group, "columns", m));
            fprintf(to, " (%.2f)</li>\n", report_real_at(group, "similarity", m));
        }
        fprintf(to, "</ol>\n%s</details>\n", members > ROWS ? "<p>The first 200.</p>\n" : "");
    }
}

static void write_pictures(FILE *to, const json_t *result, const report_blob *pictures,
                           size_t count) {
    const json_t *one = report_result(result, 0);
    if (count == 0) return;
    report_section_begin(to, "frames", "Selected frames");
    fputs("<div class=\"gallery\">\n", to);
    for (size_t k = 0; k < count; k++) {
        char caption[96];
        snprintf(caption, sizeof caption, "frame %.0f, %.2f s; stands for %.0f",
                 report_real_at(one, "frames", k), report_real_at(one, "times", k),
                 report_real_at(one, "stands_for", k));
        report_figure_begin(to, caption);
        report_picture(to, &pictures[k], caption);
        report_figure_end(to);
    }
    fputs("</div>\n", to);
    report_section_end(to);
}

/* Whom the first exemplars stand for. */
static void write_shares(FILE *to, const json_t *result) {
    const json_t *one = report_result(result, 0);
    int all = (int)report_length(one, "stands_for"), count = all < SHARES ? all : SHARES;
    char numbers[SHARES][48], subtitle[96], more[40] = "";
    const char *names[SHARES];
    double values[SHARES];
    for (int i = 0; i < count; i++) {
        names[i] = report_string_at(one, "names", (size_t)i);
        if (!*names[i]) {
            snprintf(numbers[i], sizeof numbers[i], "%s %.0f", noun_of(result),
                     number_of(one, (size_t)i));
            names[i] = numbers[i];
        }
        values[i] = report_real_at(one, "stands_for", (size_t)i);
    }
    if (count == 0) return;
    if (count < all) snprintf(more, sizeof more, "; the first %d of %d", count, all);
    int alone = json_object_get(one, "facility") != NULL ||
                strcmp(report_string(one, "method"), "kmeans") == 0;
    snprintf(subtitle, sizeof subtitle,
             alone ? "%ss most similar to the exemplar%s"
                   : "%ss to which the exemplar contributes most%s",
             noun_of(result), more);
    report_figure_bars(to, &(report_bars){.title = "How many each exemplar represents",
                                          .subtitle = subtitle,
                                          .names = names,
                                          .values = values,
                                          .count = count,
                                          .width = 480});
}

static void write_head(FILE *to, const json_t *result) {
    const json_t *one = report_result(result, 0), *full = json_object_get(result, "full");
    char title[300], lead[300];
    snprintf(title, sizeof title, "Exemplars of %s",
             report_base_name(report_string(result, "file")));
    snprintf(lead, sizeof lead, "A few of %.0f %ss that represent all others; weighting %s.",
             report_real_at(result, "shape", 1), noun_of(result), report_string(result, "weight"));
    report_page_begin(to, &(report_head){title, lead, report_exemplars_css});
    report_numbers_begin(to);
    report_number(to, "exemplars", "%zu", report_length(one, "exemplars"));
    report_number(to, "of the weighted values reproduced", "%.1f %%",
                  100 * report_real(one, "explained"));
    if (full) {
        const json_t *best = figure_of(result, 0, report_length(result, "ranks") - 1);
        report_number(to, "accuracy with them", "%.1f %%", 100 * report_real(best, "mean"));
        report_number(to, "with the whole half", "%.1f %%", 100 * report_real(full, "mean"));
    }
    report_numbers_end(to);
    if (strcmp(report_string(result, "kind"), "text") == 0 && report_real(one, "explained") < 0.2)
        report_text(to,
                    "A few documents do not have the words of all others: for text 3 to 20 %% of "
                    "the weighted values is common, and no sign of a bad choice.");
}

void report_exemplars_write(FILE *to, const json_t *result, const report_blob *pictures,
                            size_t count) {
    write_head(to, result);
    write_pictures(to, result, pictures, count);
    write_accuracy(to, result);
    report_section_begin(to, "exemplars", "Exemplars");
    write_shares(to, result);
    for (size_t i = 0; i < report_result_count(result); i++)
        write_list(to, result, report_result(result, i));
    write_members(to, result);
    report_section_end(to);
    report_section_begin(to, "again", "Again");
    report_command(to, report_string(result, "command"));
    report_section_end(to);
    report_page_end(to, NULL);
}
