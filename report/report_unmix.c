/* The page of conehull unmix: a picture with the endmembers marked and the spectrum of the pixel
 * under the pointer, spectra, maps, scores. */
#include "report_chart.h"
#include "report_pages.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static double degrees_of(const json_t *result) {
    return report_real(json_object_get(result, "angle"), "mean");
}

/* How many endmembers are pixels of the scene; others are spectra of a library. */
static size_t found_in_scene(const json_t *result) {
    size_t count = 0;
    for (size_t k = 0; k < report_length(result, "pixels"); k++)
        count += json_is_array(report_item(result, "pixels", k));
    return count;
}

static void write_head(FILE *to, const json_t *result) {
    const json_t *cube = json_object_get(result, "cube");
    size_t pixels = found_in_scene(result), known = report_length(result, "pixels") - pixels;
    char title[300], lead[400], of[120];
    if (known == 0)
        snprintf(of, sizeof of, "%zu of its own pixels", pixels);
    else if (pixels == 0)
        snprintf(of, sizeof of, "%zu spectra of a library", known);
    else
        snprintf(of, sizeof of, "%zu of its own pixels and %zu spectr%s of a library", pixels,
                 known, known == 1 ? "um" : "a");
    snprintf(title, sizeof title, "Materials of %s",
             report_base_name(report_string(result, "file")));
    snprintf(lead, sizeof lead, "%.0f lines of %.0f samples, %zu of %.0f bands, as mixtures of %s.",
             report_real(cube, "lines"), report_real(cube, "samples"),
             report_length(cube, "used_bands"), report_real(cube, "bands"), of);
    report_page_begin(to, &(report_head){title, lead, report_unmix_css});
}

static void write_numbers(FILE *to, const json_t *result) {
    const json_t *residual = json_object_get(result, "residual");
    const json_t *spent = json_object_get(result, "seconds");
    report_numbers_begin(to);
    report_number(to, "endmembers", "%.0f", report_real(result, "rank"));
    if (!isnan(degrees_of(result)))
        report_number(to, "mean angle to the reference", "%.2f\xc2\xb0", degrees_of(result));
    if (!isnan(report_real(result, "abundance_rmse")))
        report_number(to, "error of the abundances", "%.3f", report_real(result, "abundance_rmse"));
    report_number(to, "of a pixel not explained", "%.1f %%", 100 * report_real(residual, "mean"));
    report_number(to, "largest duality gap", "%.1e", report_real(residual, "max_gap"));
    report_number(to, "to find and prove it", "%.2f s",
                  report_real(spent, "rank") + report_real(spent, "select") +
                      report_real(spent, "project") + report_real(spent, "prove"));
    report_numbers_end(to);
}

/* ---- the picture and the pixel ---- */

static void write_rings(FILE *to, const json_t *result) {
    const json_t *cube = json_object_get(result, "cube"),
                 *pixels = json_object_get(result, "pixels");
    double lines = report_real(cube, "lines"), samples = report_real(cube, "samples");
    double r = fmax(lines, samples) / 45;
    fprintf(to, "<svg viewBox=\"0 0 %g %g\" preserveAspectRatio=\"none\" aria-hidden=\"true\">\n",
            samples, lines);
    for (size_t k = 0; k < json_array_size(pixels); k++) {
        const json_t *place = json_array_get(pixels, k);
        if (!json_is_array(place)) continue; /* of a library */
        double y = json_number_value(json_array_get(place, 0)) + 0.5;
        double x = json_number_value(json_array_get(place, 1)) + 0.5;
        double side = x > 0.85 * samples ? -1 : 1;
        fprintf(to,
                "<g class=\"ring\"><circle class=\"rim\" cx=\"%g\" cy=\"%g\" r=\"%g\" "
                "stroke-width=\"%g\"/><circle cx=\"%g\" cy=\"%g\" r=\"%g\" stroke-width=\"%g\"/>"
                "<text x=\"%g\" y=\"%g\" font-size=\"%g\" stroke-width=\"%g\" "
                "text-anchor=\"%s\">%zu</text></g>\n",
                x, y, r, r / 2, x, y, r, r / 4, x + 1.3 * side * r, y + 0.9 * r, 2.6 * r, r / 2,
                side < 0 ? "end" : "start", k + 1);
    }
    fputs("</svg>", to);
}

static void write_looking(FILE *to, const json_t *result, const report_scene *scene) {
    const json_t *pixels = json_object_get(result, "pixels");
    report_section_begin(to, "scene", "Scene");
    report_text(to,
                "Move over any map, or focus the picture and use the arrow keys (with Shift ten "
                "pixels at a time). Rings show where the endmembers were found.");
    fputs("<div class=\"looking\"><figure><div class=\"map\" id=\"picture\" tabindex=\"0\" "
          "role=\"application\" aria-label=\"false colour picture; arrow keys move\">",
          to);
    report_picture(to, &scene->colour, "false colour picture");
    write_rings(to, result);
    report_markup(to, "</div><figcaption>%</figcaption></figure>\n<div>", scene->colour_caption);
    fputs("<p id=\"pixel\" aria-live=\"polite\"></p>\n"
          "<svg id=\"spectrum\" viewBox=\"0 0 600 335\" role=\"img\" "
          "aria-label=\"spectrum of the pixel and its fit\"></svg>\n"
          "<div class=\"key\"><span><i></i>measured</span><span><i class=\"fitted\"></i>mixture of "
          "endmembers</span></div>\n<p class=\"screen-only\">",
          to);
    for (size_t k = 0; k < json_array_size(pixels); k++) {
        const json_t *place = json_array_get(pixels, k);
        if (!json_is_array(place)) continue;
        fprintf(to, "<button data-line=\"%.0f\" data-sample=\"%.0f\">endmember %zu</button> ",
                json_number_value(json_array_get(place, 0)),
                json_number_value(json_array_get(place, 1)), k + 1);
    }
    fputs("</p></div></div>\n", to);
    if (scene->step > 1)
        report_text(
            to, "The page shows every %lld-th line and sample only, so that the file stays small.",
            (long long)scene->step);
    report_section_end(to);
}

/* ---- spectra ---- */

/* Charts of spectra (bands x count); what: "Spectra of the endmembers". */
static void write_charts(FILE *to, const report_scene *scene, const double *spectra,
                         const char *what) {
    for (int64_t first = 0; first < scene->count; first += REPORT_LINES_MAX) {
        char title[120], names[REPORT_LINES_MAX][24];
        int count = scene->count - first < REPORT_LINES_MAX ? (int)(scene->count - first)
                                                            : REPORT_LINES_MAX;
        report_chart chart = {
            .title = title, .subtitle = scene->label, .count = count, .width = 760};
        int length = snprintf(title, sizeof title, "%.80s", what);
        if (count < scene->count)
            snprintf(title + length, sizeof title - (size_t)length, ", %d to %d", (int)first + 1,
                     (int)first + count);
        for (int k = 0; k < count; k++) {
            snprintf(names[k], sizeof names[k], "%d", (int)first + k + 1);
            chart.lines[k] = (report_line){.name = names[k],
                                           .x = scene->x,
                                           .y = spectra + (first + k) * scene->bands,
                                           .count = (int)scene->bands,
                                           .plain = 1};
        }
        report_chart_fit(&chart);
        report_axis_fit(&chart.x, fmin(scene->x[0], scene->x[scene->bands - 1]),
                        fmax(scene->x[0], scene->x[scene->bands - 1]), 12);
        report_figure_chart(to, &chart);
    }
}

static void write_spectra(FILE *to, const json_t *result, const report_scene *scene) {
    char averaged[80];
    report_section_begin(to, "spectra", "Endmembers");
    write_charts(to, scene, scene->endmembers, "Spectra of the endmembers");
    snprintf(averaged, sizeof averaged, "Averages of the %.0f pixels nearest to each endmember",
             report_real(result, "smooth"));
    if (scene->smooth) write_charts(to, scene, scene->smooth, averaged);
    report_section_end(to);
}

static void write_dash(report_table *table) {
    report_cell(table, "\xe2\x80\x93");
}

/* The reference of endmember k and the angle between them. */
static void write_reference(report_table *table, const json_t *angle, size_t k) {
    const json_t *match = json_object_get(angle, "match");
    size_t reference = 0, references = json_array_size(match);
    while (reference < references &&
           json_integer_value(json_array_get(match, reference)) != (json_int_t)k)
        reference++;
    if (reference < references) {
        report_cell(table, "%zu", reference + 1);
        report_cell(table, "%.2f", report_real_at(angle, "each", reference));
    } else {
        write_dash(table);
        write_dash(table);
    }
}

/* Columns for what was asked for: a reference, --stability, --intervals. */
static void write_table(FILE *to, const json_t *result) {
    const json_t *angle = json_object_get(result, "angle"),
                 *stability = json_object_get(result, "stability"),
                 *intervals = json_object_get(result, "intervals");
    char columns[200];
    snprintf(columns, sizeof columns, "#no.|name|#line|#sample|#mean abundance%s%s%s",
             json_is_object(angle) ? "|#reference|#degrees" : "", stability ? "|#stable" : "",
             intervals ? "|#mean interval" : "");
    report_table table = report_table_begin(to, "Position and mean abundance", columns);
    for (size_t k = 0; k < report_length(result, "pixels"); k++) {
        const json_t *place = report_item(result, "pixels", k);
        report_cell(&table, "%zu", k + 1);
        report_cell(&table, "%s", report_string_at(result, "names", k));
        for (size_t axis = 0; axis < 2; axis++)
            if (json_is_array(place))
                report_cell(&table, "%.0f", json_number_value(json_array_get(place, axis)));
            else
                write_dash(&table);
        report_cell(&table, "%.3f", report_real_at(result, "mean_abundance", k));
        if (json_is_object(angle)) write_reference(&table, angle, k);
        if (stability) report_cell(&table, "%.0f %%", 100 * report_real_at(stability, "each", k));
        if (intervals) report_cell(&table, "%.3f", report_real_at(intervals, "mean_width", k));
    }
    report_table_end(&table);
    if (stability)
        report_text(to,
                    "Stable: share of %.0f random halves of the pixels in which an endmember "
                    "within 5 degrees is chosen.",
                    report_real(stability, "halves"));
    if (intervals)
        report_text(to, "Mean interval: how far an abundance can move before the loss of its "
                        "pixel rises by 1 %%, on average.");
}

/* ---- maps ---- */

/* name: what the picture shows, said to those who do not see it; more: behind it in the caption. */
static void write_map(FILE *to, const report_blob *picture, const char *name, const char *more) {
    fputs("<figure><div class=\"map\">", to);
    report_picture(to, picture, name);
    report_markup(to, "</div><figcaption>%: %</figcaption></figure>\n", name, more);
}

static void write_scale(FILE *to, const char *low, const char *high) {
    report_markup(to,
                  "<div class=\"scale\" role=\"img\" aria-label=\"colours from % to %\">"
                  "<span>%</span><i></i><span>%</span></div>\n",
                  low, high, low, high);
}

static void write_maps(FILE *to, const json_t *result, const report_scene *scene) {
    char high[32], share[40];
    report_section_begin(to, "abundances", "Abundances");
    write_scale(to, "0", "1");
    fputs("<div class=\"maps\">\n", to);
    for (int64_t k = 0; k < scene->count; k++) {
        snprintf(share, sizeof share, "%.1f %% of the scene",
                 100 * report_real_at(result, "mean_abundance", (size_t)k));
        write_map(to, &scene->abundances[k], report_string_at(result, "names", (size_t)k), share);
    }
    fputs("</div>\n", to);
    report_section_end(to);
    report_section_begin(to, "quality", "Residual and proof");
    snprintf(high, sizeof high, "%.2g %%", 100 * scene->residual_high);
    fputs("<div class=\"maps\">\n<div>", to);
    write_map(to, &scene->residual, "residual",
              "share of the pixel that no mixture of the endmembers explains");
    write_scale(to, "0", high);
    fputs("</div><div>", to);
    snprintf(high, sizeof high, "%.0e", scene->tol);
    write_map(to, &scene->gap, "duality gap", "how far abundances can be from the best ones");
    write_scale(to, "1e-16", high);
    fputs("</div></div>\n", to);
    report_text(to,
                "A large residual shows what the endmembers cannot explain: a rare material, a "
                "spike, a bad line. The gap is a proof: the loss of a pixel is above its minimum "
                "by at most this share of the spectrum.");
    report_section_end(to);
}

/* ---- choices ---- */

/* Why, by the value of a setting; pairs, NULL at the end. */
static const char *reason_of(const char *value, const char *const *pairs) {
    for (; *pairs; pairs += 2)
        if (strcmp(value, pairs[0]) == 0) return pairs[1];
    return "";
}

static void write_choices(FILE *to, const json_t *result) {
    static const char *const losses[] = {"l1", "robust against spikes and bad pixels",
                                         "l2", "least squares",
                                         "kl", "counts of photons",
                                         NULL};
    static const char *const hulls[] = {"cone",    "abundances have any sum",
                                        "convex",  "abundances sum to 1",
                                        "convex0", "abundances sum to at most 1; the rest is shade",
                                        NULL};
    const json_t *set = json_object_get(result, "unmix_settings");
    const json_t *chosen = json_object_get(result, "rank_auto"),
                 *clipped = json_object_get(result, "clipped"),
                 *cube = json_object_get(result, "cube");
    report_section_begin(to, "choices", "Settings and reasons");
    report_table table = report_table_begin(to, NULL, "setting|value|why");
    report_cell(&table, "loss");
    report_cell(&table, "%s", report_string(set, "loss"));
    report_cell(&table, "%s", reason_of(report_string(set, "loss"), losses));
    report_cell(&table, "hull");
    report_cell(&table, "%s", report_string(set, "hull"));
    report_cell(&table, "%s", reason_of(report_string(set, "hull"), hulls));
    report_cell(&table, "faint");
    report_cell(&table, "%g", report_real(set, "faint"));
    report_cell(&table, "%.0f pixels are too dark to be endmembers", report_real(result, "faint"));
    report_cell(&table, "negative");
    report_cell(&table, "%s", report_string(set, "negative"));
    if (json_is_object(clipped))
        report_cell(&table, "%.0f values below 0 count as 0", report_real(clipped, "count"));
    else
        report_cell(&table, "none is allowed");
    if (report_real(cube, "unknown_values") > 0) {
        report_cell(&table, "missing");
        report_cell(&table, "%s", report_string(set, "missing"));
        report_cell(&table, "%.0f values in %.0f pixels are unknown and are left out",
                    report_real(cube, "unknown_values"), report_real(cube, "incomplete_pixels"));
    }
    if (json_is_object(chosen)) {
        report_cell(&table, "rank");
        report_cell(&table, "%.0f", report_real(chosen, "chosen"));
        if (isnan(report_real(chosen, "by_noise")))
            report_cell(&table, "estimated from the residuals; an estimate from the noise needs "
                                "more pixels than bands");
        else
            report_cell(
                &table,
                "the smaller of two estimates, %.0f from the noise and %.0f from the residuals; "
                "both also count variants of one material, so there may be fewer materials",
                report_real(chosen, "by_noise"), report_real(chosen, "by_residual"));
    }
    report_table_end(&table);
    report_command(to, report_string(result, "command"));
    report_section_end(to);
}

/* ---- data for the script ---- */

static void write_blob(FILE *to, const char *name, const report_blob *blob) {
    fprintf(to, "\"%s\":\"", name);
    report_data_address(to, blob);
    fputs("\",", to);
}

static void write_numbers_list(FILE *to, const double *values, int64_t count) {
    fputc('[', to);
    for (int64_t i = 0; i < count; i++) fprintf(to, "%s%.6g", i ? "," : "", values[i]);
    fputc(']', to);
}

static void write_data(FILE *to, const json_t *result, const report_scene *scene) {
    const json_t *cube = json_object_get(result, "cube"),
                 *pixels = json_object_get(result, "pixels");
    const json_t *first = NULL; /* the pixel that is shown first: a place 0, 0 without any */
    for (size_t k = 0; k < json_array_size(pixels) && !json_is_array(first); k++)
        first = json_array_get(pixels, k);
    fprintf(to,
            "<script type=\"application/json\" id=\"scene-data\">{\"lines\":%.0f,\"samples\":%.0f,"
            "\"step\":%lld,\"width\":%lld,\"height\":%lld,\"most\":%.6g,\"start\":[%.0f,%.0f],",
            report_real(cube, "lines"), report_real(cube, "samples"), (long long)scene->step,
            (long long)scene->width, (long long)scene->height, scene->most,
            json_number_value(json_array_get(first, 0)),
            json_number_value(json_array_get(first, 1)));
    write_blob(to, "values", &scene->values);
    write_blob(to, "scale", &scene->scale);
    write_blob(to, "weights", &scene->weights);
    fputs("\"label\":\"", to);
    for (const char *c = scene->label; *c; c++)
        if (*c >= ' ' && !strchr("\"\\<>&", *c)) fputc(*c, to); /* nothing that ends the text */
    fputs("\",\"x\":", to);
    write_numbers_list(to, scene->shown_x, scene->shown_bands);
    fputs(",\"endmembers\":[", to);
    for (int64_t k = 0; k < scene->count; k++) {
        if (k) fputc(',', to);
        write_numbers_list(to, scene->shown_endmembers + k * scene->shown_bands,
                           scene->shown_bands);
    }
    fputs("]}</script>\n", to);
}

void report_unmix_write(FILE *to, const json_t *result, const report_scene *scene) {
    static const char *const scripts[] = {report_unmix_js, NULL};
    write_head(to, result);
    write_numbers(to, result);
    write_looking(to, result, scene);
    write_spectra(to, result, scene);
    report_section_begin(to, "table", "Places");
    write_table(to, result);
    report_section_end(to);
    write_maps(to, result, scene);
    write_choices(to, result);
    write_data(to, result, scene);
    report_page_end(to, scripts);
}
