/* The page of conehull anchors: the path of the residual, the anchors and their largest rows, the
 * weights as a picture, what is left of each column, and what is proven. */
#include "report_chart.h"
#include "report_pages.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    ROWS = 200,   /* of the table of anchors       */
    PLACES = 400, /* of a chart, at most           */
    CURVES = 8    /* anchors in one chart, at most */
};

static const char *name_at(const char *const *names, int64_t k) {
    return names && names[k][0] ? names[k] : NULL;
}

/* A data point and an entry of it, as the file has them. */
static const char *point(const report_weights *weights) {
    return weights->transposed ? "row" : "column";
}
static const char *entry(const report_weights *weights) {
    return weights->transposed ? "column" : "row";
}

static void write_head(FILE *to, const json_t *result, const report_weights *weights) {
    char title[300], lead[400];
    double rank = report_real(result, "rank");
    snprintf(title, sizeof title, "Anchors of %s", report_base_name(report_string(result, "file")));
    snprintf(lead, sizeof lead,
             "%.0f of %.0f %ss whose combinations explain the others, by %s with loss %s.", rank,
             report_real_at(result, "shape", 1), point(weights), report_string(result, "method"),
             report_string(result, "loss"));
    report_page_begin(to, &(report_head){title, lead, report_anchors_css});
    report_numbers_begin(to);
    report_number(to, "anchors", "%.0f", rank);
    report_number(to, "rows x columns", "%.0f \xc3\x97 %.0f",
                  report_real_at(result, "shape", weights->transposed),
                  report_real_at(result, "shape", !weights->transposed));
    if (weights->shown > 0) {
        report_number(to, "explained", "%.1f %%", 100 * (1 - weights->unexplained));
        report_number(to, weights->transposed ? "rows unproven" : "columns unproven", "%.0f",
                      report_real(result, "unproven"));
    }
    report_numbers_end(to);
    const json_t *sentence;
    size_t i;
    json_array_foreach(json_object_get(result, "warnings"), i, sentence)
        report_text(to, "Warning: %s.", json_string_value(sentence));
}

/* ---- the path ---- */

static void write_path(FILE *to, const json_t *result, const report_weights *weights) {
    char label[40];
    report_arrays arrays = {0};
    int count = 0;
    double *residual = report_arrays_read(&arrays, &count, json_object_get(result, "max_residual"));
    double *x = count > 1 ? report_arrays_make(&arrays, count) : NULL;
    int measured = 0;
    for (int k = 0; residual && k < count; k++) measured += !isnan(residual[k]);
    if (residual && x && measured > 1) {
        for (int k = 0; k < count; k++) x[k] = k + 1;
        report_chart chart = {
            .title = "Largest residual against the number of anchors",
            .count = 1,
            .lines = {{.x = x, .y = residual, .count = count, .plain = count > 40}}};
        report_chart_fit(&chart);
        chart.x.label = "anchors";
        snprintf(label, sizeof label, "largest residual of a %s", point(weights));
        chart.y.label = label;
        report_section_begin(to, "path", "Residual after each anchor");
        report_text(to,
                    "The largest residual of all %ss after each anchor. Where the line "
                    "becomes flat, further anchors explain only noise. A line that still falls at "
                    "its end does not show how many anchors are enough.",
                    point(weights));
        report_figure_chart(to, &chart);
        report_section_end(to);
    }
    report_arrays_free(&arrays);
}

/* ---- the anchors ---- */

/* "malt 12.5, hops 3"; to be freed. */
static char *describe_rows(const report_weights *weights, int64_t k) {
    const double *w = weights->W + k * weights->rows;
    const int64_t *rows = weights->largest + k * REPORT_LARGEST;
    char *text = NULL;
    size_t length = 0;
    FILE *to = open_memstream(&text, &length);
    if (!to) return NULL;
    for (int t = 0; t < REPORT_LARGEST && rows[t] >= 0; t++) {
        const char *name = name_at(weights->row_names, rows[t]);
        if (name)
            fprintf(to, "%s%s %.4g", t ? ", " : "", name, w[rows[t]]);
        else
            fprintf(to, "%s%s %lld: %.4g", t ? ", " : "", entry(weights), (long long)rows[t],
                    w[rows[t]]);
    }
    if (fclose(to) == 0) return text;
    free(text);
    return NULL;
}

static void write_table(FILE *to, const json_t *result, const report_weights *weights) {
    const json_t *chosen = json_object_get(json_object_get(result, "selection"), "weights");
    const json_t *values = chosen ? chosen : json_object_get(result, "max_residual");
    int named =
        json_object_get(result, "anchor_names") || json_object_get(result, "component_names");
    char heads[120];
    size_t count = report_length(result, "anchors");
    snprintf(heads, sizeof heads, "#anchor|#%s%s|#%s|largest %ss", point(weights),
             named ? "|name" : "", chosen ? "weight" : "max residual", entry(weights));
    report_table table =
        report_table_begin(to,
                           count > ROWS ? "The first 200 anchors, in the order of selection"
                                        : "In the order of selection",
                           heads);
    for (size_t k = 0; k < count && k < ROWS; k++) {
        const char *name = report_string_at(result, "anchor_names", k);
        const json_t *value = json_array_get(values, k);
        char *rows = describe_rows(weights, (int64_t)k);
        if (!*name) name = report_string_at(result, "component_names", k);
        report_cell(&table, "%zu", k + 1);
        report_cell(&table, "%.0f", report_real_at(result, "anchors", k));
        if (named) report_cell(&table, "%s", name);
        if (json_is_number(value))
            report_cell(&table, "%.4g", json_number_value(value));
        else
            report_cell_real(&table, 0, NAN);
        report_cell(&table, "%s", rows ? rows : "");
        free(rows);
    }
    report_table_end(&table);
}

/* The anchors over their rows, as shares of their largest value: spectra and profiles are seen so.
 */
static void write_curves(FILE *to, const json_t *result, const report_weights *weights) {
    int lines = weights->rank < CURVES ? (int)weights->rank : CURVES;
    int64_t step = (weights->rows + PLACES - 1) / PLACES;
    int count = step ? (int)((weights->rows + step - 1) / step) : 0;
    report_arrays arrays = {0};
    double *x = count > 2 ? report_arrays_make(&arrays, count) : NULL;
    char labels[CURVES][24];
    report_chart chart = {.title = weights->transposed ? "Values of the anchors by column"
                                                       : "Values of the anchors by row",
                          .subtitle = "each scaled to its largest value",
                          .count = lines};
    for (int k = 0; x && k < lines; k++) {
        const double *w = weights->W + (int64_t)k * weights->rows;
        double *y = report_arrays_make(&arrays, count), most = 0;
        if (!y) x = NULL;
        for (int64_t i = 0; i < weights->rows; i++) most = fmax(most, w[i]);
        for (int i = 0; y && i < count; i++) y[i] = most > 0 ? w[i * step] / most : 0;
        for (int i = 0; x && i < count; i++) x[i] = (double)(i * step);
        const char *name = report_string_at(result, "anchor_names", (size_t)k);
        snprintf(labels[k], sizeof labels[k], "%d %s", k + 1, strlen(name) < 16 ? name : "");
        chart.lines[k] =
            (report_line){.name = labels[k], .x = x, .y = y, .count = count, .plain = 1};
    }
    if (x) {
        report_chart_fit(&chart);
        chart.x.label = entry(weights);
        report_figure_chart(to, &chart);
    }
    report_arrays_free(&arrays);
}

static void write_anchors(FILE *to, const json_t *result, const report_weights *weights) {
    report_section_begin(to, "anchors", "Anchors");
    write_table(to, result, weights);
    if (!weights->row_names) write_curves(to, result, weights);
    report_section_end(to);
}

/* ---- weights ---- */

static void write_weights(FILE *to, const report_weights *weights) {
    const char *one = point(weights);
    report_section_begin(to, "weights",
                         weights->transposed ? "Weights of the rows" : "Weights of the columns");
    report_text(to,
                "Each line is an anchor, the first one at the top; %ss of the data go from left to "
                "right. Bright means that the anchor makes up most of the %s. Move over the "
                "picture, focus it and use the arrow keys (with Shift ten %ss at a time), or move "
                "the slider.",
                one, one, one);
    report_text(
        to,
        "The percentages are shares of the fitted %s: the weight of an anchor times the sum "
        "of the anchor's values, divided by the total over all anchors. H.npy and "
        "weights.csv hold the weights themselves, which need not sum to 1.",
        one);
    if (weights->step > 1)
        report_text(to, "This page shows one %s in %lld.", one, (long long)weights->step);
    fprintf(to,
            "<div class=\"shares\" id=\"shares\" style=\"--lines:%lld\" tabindex=\"0\" "
            "role=\"application\" aria-label=\"weights of all %ss; arrow keys move\">",
            (long long)weights->rank, one);
    report_picture(to, &weights->picture,
                   "weights: one line for each anchor, from left to right the data points");
    fprintf(to,
            "</div>\n<div class=\"scale\"><span>0</span><i></i><span>the whole %s</span></div>\n",
            one);
    fprintf(to,
            "<div class=\"choose screen-only\"><label for=\"which\">%s</label><input "
            "type=\"range\" id=\"which\" min=\"0\" max=\"%lld\" value=\"0\"></div>\n"
            "<p id=\"column\" aria-live=\"polite\"></p>\n<ul id=\"mixture\"></ul>\n",
            one, (long long)weights->shown - 1);
    report_section_end(to);
}

/* ---- residuals ---- */

static void chart_residuals(FILE *to, const report_weights *weights) {
    int count = weights->shown < PLACES ? (int)weights->shown : PLACES;
    report_arrays arrays = {0};
    double *x = report_arrays_make(&arrays, count), *y = report_arrays_make(&arrays, count);
    char title[40], share[40];
    snprintf(title, sizeof title, "Not explained, by %s", point(weights));
    snprintf(share, sizeof share, "%% of the %s", point(weights));
    for (int p = 0; x && y && p < count; p++) {
        int64_t low = p * weights->shown / count, high = (p + 1) * weights->shown / count;
        x[p] = (double)(low * weights->step);
        y[p] = 0;
        for (int64_t s = low; s < high; s++) y[p] = fmax(y[p], 100 * weights->residual[s]);
    }
    if (x && y && count > 1) {
        report_chart chart = {
            .title = title,
            .subtitle = count < weights->shown ? "the largest of neighbours" : NULL,
            .count = 1,
            .lines = {
                {.x = x, .y = y, .count = count, .points = count <= 80, .plain = count > 80}}};
        report_chart_fit(&chart);
        chart.x.label = point(weights);
        chart.y.label = share;
        report_figure_chart(to, &chart);
    }
    report_arrays_free(&arrays);
}

static void write_residuals(FILE *to, const report_weights *weights) {
    report_section_begin(to, "residuals", "Residuals");
    report_text(
        to,
        "The part of a %s that no combination of the anchors explains: the sum of |x - W h| as a "
        "share of the sum of |x|, for any loss of the run. Over all %ss it is %.2f %%.",
        point(weights), point(weights), 100 * weights->unexplained);
    chart_residuals(to, weights);
    char heads[60];
    snprintf(heads, sizeof heads, "#%s%s|#not explained", point(weights),
             weights->names ? "|name" : "");
    report_table table =
        report_table_begin(to,
                           weights->transposed ? "Rows with the largest residuals"
                                               : "Columns with the largest residuals",
                           heads);
    for (int k = 0; k < weights->worst_count; k++) {
        int64_t column = weights->worst[k] * weights->step;
        const char *name = name_at(weights->names, column);
        report_cell(&table, "%lld", (long long)column);
        if (weights->names) report_cell(&table, "%s", name ? name : "");
        report_cell(&table, "%.2f %%", 100 * weights->residual[weights->worst[k]]);
    }
    report_table_end(&table);
    report_section_end(to);
}

/* ---- what could not be an anchor ---- */

static void write_barred(FILE *to, const json_t *result, const report_weights *weights) {
    const json_t *barred = json_object_get(result, "barred");
    const json_t *columns = json_object_get(barred, "columns"), *value;
    char *text = NULL;
    size_t length = 0, k;
    FILE *list = json_array_size(columns) ? open_memstream(&text, &length) : NULL;
    if (!list) return;
    json_array_foreach(columns, k, value) {
        const char *name = json_string_value(json_array_get(json_object_get(barred, "names"), k));
        fprintf(list, "%s%lld%s%s", k ? ", " : "", (long long)json_integer_value(value),
                name ? " " : "", name ? name : "");
    }
    if (fclose(list) == 0) {
        report_section_begin(to, "barred", "Could not be anchors");
        report_text(to,
                    "%.0f %s%s could not be anchors, because too many entries are missing, or only "
                    "estimates of missing entries would make them extreme. Nearest to being "
                    "anchors: %s. If one of them may be pure, fill in its missing entries, or "
                    "compare with --max-missing 0.5 (0.7 if more than half of its entries are "
                    "missing).",
                    report_real(json_object_get(result, "missing"), "incomplete"), point(weights),
                    report_real(json_object_get(result, "missing"), "incomplete") == 1 ? "" : "s",
                    text);
        report_section_end(to);
    }
    free(text);
}

/* ---- what is proven ---- */

static void write_proof(FILE *to, const json_t *result, const report_weights *weights) {
    int projected = weights->shown > 0;
    const json_t *certificate = json_object_get(result, "certificate");
    const char *proof = report_string(certificate, "proof");
    const char *file = report_string(result, "file");
    report_section_begin(to, "proof", "What is proven");
    if (!projected) {
        report_text(to,
                    "The weights of the %ss were not computed, so nothing is proven about them.",
                    point(weights));
    } else if (strcmp(proof, "gap") == 0) {
        report_text(to,
                    "For every %s there is a lower bound on its loss, computed from a dual "
                    "solution. The weights are within a share of %.2g of that bound: no other "
                    "weights on these anchors could be better by more. %.0f %s%s beyond the "
                    "tolerance.",
                    point(weights), report_real(certificate, "gap"),
                    report_real(result, "unproven"), point(weights),
                    report_real(result, "unproven") == 1 ? " is" : "s are");
    } else {
        report_text(to,
                    "The loss is not convex: the weights are stationary to a projected gradient of "
                    "%.2g, and other weights could be better. %.0f %s%s beyond the tolerance.",
                    report_real(certificate, "gap"), report_real(result, "unproven"),
                    point(weights), report_real(result, "unproven") == 1 ? " is" : "s are");
    }
    report_text(to, "It is not proven that no other %ss would be better anchors.%s", point(weights),
                projected ? " The files in the folder are enough to check all other claims without "
                            "trusting this run:"
                          : "");
    char *command = NULL;
    if (projected && asprintf(&command, "conehull verify %s %s%s", file, weights->folder,
                              weights->asked_to_transpose ? " --transpose" : "") >= 0)
        report_command(to, command);
    free(command);
    report_section_end(to);
}

/* ---- for the script ---- */

/* A text inside <script>: nothing that could end it. */
static void write_json(FILE *to, json_t *value) {
    char *text = value ? json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY) : NULL;
    for (const char *c = text ? text : "null"; *c; c++)
        if (*c == '<')
            fputs("\\u003c", to);
        else
            fputc(*c, to);
    free(text);
    json_decref(value);
}

static json_t *shown_names(const report_weights *weights) {
    if (!weights->names) return NULL;
    json_t *list = json_array();
    for (int64_t s = 0; s < weights->shown; s++)
        json_array_append_new(list, json_string(weights->names[s * weights->step]));
    return list;
}

static json_t *anchor_names(const json_t *result) {
    json_t *list = json_array();
    for (size_t k = 0; k < report_length(result, "anchors"); k++) {
        const char *name = report_string_at(result, "anchor_names", k);
        if (!*name) name = report_string_at(result, "component_names", k);
        json_array_append_new(list, json_string(name));
    }
    return list;
}

static void write_data(FILE *to, const json_t *result, const report_weights *weights) {
    fprintf(to,
            "<script type=\"application/json\" id=\"weights-data\">{\"point\":\"%s\","
            "\"step\":%lld,\"start\":%lld,",
            weights->transposed ? "Row" : "Column", (long long)weights->step,
            (long long)(weights->worst_count ? weights->worst[0] : 0));
    fputs("\"anchors\":", to);
    write_json(to, anchor_names(result));
    fputs(",\"names\":", to);
    write_json(to, shown_names(weights));
    fputs(",\"residual\":[", to);
    for (int64_t s = 0; s < weights->shown; s++)
        fprintf(to, "%s%.4g", s ? "," : "", weights->residual[s]);
    fputs("],\"shares\":\"", to);
    report_data_address(to, &weights->shares);
    fputs("\"}</script>\n", to);
}

void report_anchors_write(FILE *to, const json_t *result, const report_weights *weights,
                          const char *command) {
    static const char *const scripts[] = {report_anchors_js, NULL};
    int projected = weights->shown > 0;
    write_head(to, result, weights);
    write_path(to, result, weights);
    write_barred(to, result, weights);
    write_anchors(to, result, weights);
    if (projected) {
        write_weights(to, weights);
        write_residuals(to, weights);
    }
    write_proof(to, result, weights);
    report_section_begin(to, "again", "Again");
    report_command(to, command);
    report_section_end(to);
    if (projected) write_data(to, result, weights);
    report_page_end(to, projected ? scripts : NULL);
}
