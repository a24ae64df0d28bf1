/* Line charts, drawn from back to front: ground, grid, bands, lines, markers, names. */
#include "report_chart.h"
#include "report_page.h"
#include <math.h>
#include <string.h>

enum { LEFT = 72, NAME_GAP = 17 /* between the base lines of two names */, NAME_MARGIN = 30 };
/* Mean width, in pixels, of a bold letter of size 13; names are short, so the mean is accurate
 * enough. */
static const double letter_width = 8.3;

/* The colours also differ in brightness, so that lines can be distinguished in a gray print. */
static const struct line_style {
    const char *color, *dash;
    char marker;
} styles[REPORT_LINES_MAX + 1] = {
    {"#0b4f9c", "none", 'o'},    {"#c2540a", "7 4", 's'}, {"#4f7f1f", "2 4", '^'},
    {"#7b3f98", "11 4", 'd'},    {"#555555", "5 2", 'o'}, {"#b03060", "1 3", 's'},
    {"#00757a", "9 3 2 3", '^'}, {"#8a6d00", "4 4", 'd'}, {"#8c2d19", "12 3 2 3 2 3", 'o'},
    {"#2f6f9f", "3 2", 's'},     {"#555555", "1 4", 'o'},
};

/* The picture, and the plotting area in it. */
typedef struct frame {
    const report_chart *chart;
    int width, height;
    double right, top, bottom;
} frame;

const char *report_first_color(void) {
    return styles[0].color;
}

void report_svg_begin(FILE *to, const char *id, int width, int height, const char *title,
                      const char *data) {
    fputs("<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"chart\" ", to);
    if (id) fprintf(to, "id=\"%s\" ", id);
    fprintf(
        to,
        "viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" style=\"min-width:%dpx\" %s role=\"img\" "
        "font-family=\"Helvetica, Arial, 'DejaVu Sans', sans-serif\" font-size=\"13\" "
        "fill=\"#111\">\n",
        width, height, width, height, width * 3 / 4, data); /* min-width: keeps words readable */
    report_markup(to, "<title>%</title>\n", title);
    fprintf(to, "<rect class=\"ground\" width=\"%d\" height=\"%d\" fill=\"#fff\"/>\n", width,
            height);
}

void report_svg_text(FILE *to, double x, double y, const char *attributes, const char *text) {
    fprintf(to, "<text x=\"%.1f\" y=\"%.1f\" %s", x, y, attributes);
    report_markup(to, ">%</text>\n", text);
}

void report_svg_end(FILE *to) {
    fputs("</svg>\n", to);
}

static double across(const frame *plot, double x) {
    const report_axis *axis = &plot->chart->x;
    return LEFT + (plot->right - LEFT) * (x - axis->low) / (axis->high - axis->low);
}

static double down(const frame *plot, double y) {
    const report_axis *axis = &plot->chart->y;
    return plot->bottom - (plot->bottom - plot->top) * (y - axis->low) / (axis->high - axis->low);
}

static int is_named(const report_line *line) {
    return line->name && line->name[0];
}

/* Computes the plotting area. The longest name gets space on the right, at most a third of the
 * picture. */
static frame lay_out(const report_chart *chart) {
    frame plot = {.chart = chart,
                  .width = chart->width ? chart->width : 640,
                  .height = chart->height ? chart->height : 380};
    size_t longest = 0;
    for (int i = 0; i < chart->count; i++)
        if (is_named(&chart->lines[i]) && strlen(chart->lines[i].name) > longest)
            longest = strlen(chart->lines[i].name);
    double margin = longest ? NAME_MARGIN + letter_width * (double)longest : 24;
    plot.right = plot.width - fmin(margin, plot.width / 3.0);
    plot.top = chart->subtitle ? 76 : 56;
    plot.bottom = plot.height - (chart->x.label ? 62 : 36);
    return plot;
}

static int ticks(const report_axis *axis) {
    return (int)floor((axis->high - axis->low) / axis->step + 1e-9) + 1;
}

static void tick_text(char *text, size_t size, const report_chart *chart, const report_axis *axis,
                      double value) {
    if (chart->powers)
        snprintf(text, size, "%.10g", pow(10, value));
    else
        snprintf(text, size, "%.*f", axis->decimals, value);
}

static void write_axes(FILE *to, const frame *plot) {
    const report_chart *chart = plot->chart;
    char number[32];
    for (int i = 0; i < ticks(&chart->y); i++) {
        double value = chart->y.low + i * chart->y.step, y = down(plot, value);
        fprintf(to, "<path class=\"%s\" d=\"M%d %.1fH%.1f\" stroke=\"%s\"/>\n", i ? "grid" : "axis",
                LEFT, y, plot->right, i ? "#e2e2e2" : "#333");
        tick_text(number, sizeof number, chart, &chart->y, value);
        report_svg_text(to, LEFT - 9, y + 4.5, "text-anchor=\"end\" fill=\"#333\"", number);
    }
    for (int i = 0; i < ticks(&chart->x); i++) {
        double value = chart->x.low + i * chart->x.step, x = across(plot, value);
        fprintf(to, "<path class=\"axis\" d=\"M%.1f %.1fv5\" stroke=\"#333\"/>\n", x, plot->bottom);
        tick_text(number, sizeof number, chart, &chart->x, value);
        report_svg_text(to, x, plot->bottom + 21, "text-anchor=\"middle\" fill=\"#333\"", number);
    }
    if (chart->x.label)
        report_svg_text(to, 0.5 * (LEFT + plot->right), plot->bottom + 46, "text-anchor=\"middle\"",
                        chart->x.label);
    if (!chart->y.label) return;
    fprintf(to, "<g transform=\"translate(20 %.1f) rotate(-90)\">",
            0.5 * (plot->top + plot->bottom));
    report_svg_text(to, 0, 0, "text-anchor=\"middle\"", chart->y.label);
    fputs("</g>\n", to);
}

static void write_marks(FILE *to, const frame *plot) {
    for (int i = 0; i < plot->chart->mark_count; i++) {
        const report_mark *mark = &plot->chart->marks[i];
        double x = across(plot, mark->at);
        fprintf(to,
                "<path class=\"mark\" d=\"M%.1f %.1fV%.1f\" stroke=\"#777\" "
                "stroke-dasharray=\"3 3\"/>\n",
                x, plot->top - 4, plot->bottom);
        report_svg_text(to, x + 4, plot->top + 8, "class=\"soft\" fill=\"#555\" font-size=\"11.5\"",
                        mark->label);
    }
}

static void write_marker(FILE *to, char marker, double x, double y) {
    if (marker == 's')
        fprintf(to, "<path d=\"M%.1f %.1fh7v7h-7z\">", x - 3.5, y - 3.5);
    else if (marker == 'o')
        fprintf(to, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3.8\">", x, y);
    else
        fprintf(to, "<path d=\"M%.1f %.1fl%s\">", x, y - 5,
                marker == '^' ? "4.5 8h-9z" : "5 5l-5 5l-5 -5z");
}

/* Limits an edge of a band to the range of the axis, because mean plus or minus deviation may
 * exceed the range of possible values. */
static double band_edge(const frame *plot, double y) {
    return down(plot, fmin(fmax(y, plot->chart->y.low), plot->chart->y.high));
}

static void write_band(FILE *to, const frame *plot, int index) {
    const report_line *line = &plot->chart->lines[index];
    if (!line->low || !line->high || line->count < 2) return;
    fprintf(to, "<path class=\"f%d\" fill=\"%s\" fill-opacity=\"0.14\" d=\"", index,
            styles[index].color);
    for (int i = 0; i < line->count; i++)
        fprintf(to, "%c%.1f %.1f", i ? 'L' : 'M', across(plot, line->x[i]),
                band_edge(plot, line->high[i]));
    for (int i = line->count; i-- > 0;)
        fprintf(to, "L%.1f %.1f", across(plot, line->x[i]), band_edge(plot, line->low[i]));
    fputs("z\"/>\n", to);
}

/* Writes the path of a line. Points that cannot be distinguished from the previous point are left
 * out, because exact curves are long. */
static void write_path(FILE *to, const frame *plot, const report_line *line) {
    double last_x = -1e9, last_y = -1e9;
    int pen_down = 0;
    for (int i = 0; i < line->count; i++) {
        double x = across(plot, line->x[i]), y = down(plot, line->y[i]);
        if (!isfinite(y)) {
            pen_down = 0;
            continue;
        }
        int near = fabs(x - last_x) + fabs(y - last_y) < 0.4;
        if (pen_down && near && i + 1 < line->count) continue;
        fprintf(to, "%c%.1f %.1f", pen_down ? 'L' : 'M', x, y);
        last_x = x;
        last_y = y;
        pen_down = 1;
    }
}

/* Writes the markers of a line. A light edge separates a marker from lines that cross it; the title
 * of a marker shows its numbers. */
static void write_markers(FILE *to, const frame *plot, int index) {
    const report_line *line = &plot->chart->lines[index];
    const report_chart *chart = plot->chart;
    fprintf(to, "<g class=\"markers f%d\" fill=\"%s\" stroke=\"#fff\" stroke-width=\"1\">", index,
            styles[index].color);
    for (int i = 0; i < line->count; i++) {
        if (!isfinite(line->y[i])) continue;
        char marker = styles[index].marker;
        write_marker(to, marker, across(plot, line->x[i]), down(plot, line->y[i]));
        fputs("<title>", to);
        if (line->name) report_escape(to, line->name);
        fprintf(to, "%s%.*f: %.*f</title></%s>", line->name ? ", " : "", chart->x.decimals + 1,
                line->x[i], chart->y.decimals + 2, line->y[i],
                strchr("s^d", marker) ? "path" : "circle");
    }
    fputs("</g>\n", to);
}

static void write_line(FILE *to, const frame *plot, int index) {
    const report_line *line = &plot->chart->lines[index];
    if (line->guide)
        fputs("<path class=\"guide\" fill=\"none\" stroke=\"#888\" stroke-width=\"1\" "
              "stroke-dasharray=\"2 4\" d=\"",
              to);
    else if (!line->points)
        fprintf(to,
                "<path class=\"c%d\" fill=\"none\" stroke=\"%s\" stroke-width=\"%s\" "
                "stroke-dasharray=\"%s\" d=\"",
                index, styles[index].color, line->plain ? "1.6" : "2.2", styles[index].dash);
    if (line->guide || !line->points) {
        write_path(to, plot, line);
        fputs("\"/>\n", to);
    }
    if (!line->guide && !line->plain) write_markers(to, plot, index);
}

/* Computes the heights of the names: those of the last points, moved where names would overlap. */
static void place_names(double *place, const double *wish, int count, double bottom) {
    int order[REPORT_LINES_MAX + 1];
    for (int i = 0; i < count; i++) {
        int k = i;
        for (; k > 0 && wish[order[k - 1]] > wish[i]; k--) order[k] = order[k - 1];
        order[k] = i;
        place[i] = wish[i];
    }
    /* Names that overlap the name above are moved down; names below the bottom are then moved up
     * again. */
    for (int k = 1; k < count; k++)
        place[order[k]] = fmax(place[order[k]], place[order[k - 1]] + NAME_GAP);
    double floor_y = bottom + 4;
    for (int k = count - 1; k >= 0; k--, floor_y -= NAME_GAP)
        place[order[k]] = fmin(place[order[k]], floor_y);
}

static void write_names(FILE *to, const frame *plot) {
    double wish[REPORT_LINES_MAX + 1], place[REPORT_LINES_MAX + 1], last_x[REPORT_LINES_MAX + 1];
    int named[REPORT_LINES_MAX + 1], count = 0;
    for (int index = 0; index < plot->chart->count; index++) {
        const report_line *line = &plot->chart->lines[index];
        if (!is_named(line)) continue;
        int last = line->count - 1;
        while (last > 0 && !isfinite(line->y[last])) last--;
        int known = last >= 0 && isfinite(line->y[last]);
        wish[count] = known ? down(plot, line->y[last]) : plot->bottom;
        last_x[count] = known ? across(plot, line->x[last]) : plot->right;
        named[count++] = index;
    }
    place_names(place, wish, count, plot->bottom);
    for (int i = 0; i < count; i++) {
        char attributes[96];
        int guide = plot->chart->lines[named[i]].guide;
        const char *color = guide ? "#555" : styles[named[i]].color;
        /* If a line ends early, a dotted line, which shows no data, leads to its name. */
        int early = last_x[i] < plot->right - 12;
        fprintf(to,
                "<path class=\"%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"0.8\"%s "
                "d=\"M%.1f %.1fL%.1f %.1fL%.1f %.1f\"/>\n",
                early ? "guide" : "", early ? "#888" : color,
                early ? " stroke-dasharray=\"1 4\"" : "", last_x[i] + 6, wish[i], plot->right + 6,
                wish[i], plot->right + 18, place[i]);
        if (guide)
            snprintf(attributes, sizeof attributes, "class=\"soft\" fill=\"%s\"", color);
        else
            snprintf(attributes, sizeof attributes, "class=\"c%d\" fill=\"%s\" font-weight=\"600\"",
                     named[i], color);
        report_svg_text(to, plot->right + 22, place[i] + 4.5, attributes,
                        plot->chart->lines[named[i]].name);
    }
}

void report_chart_write(FILE *to, const report_chart *chart) {
    frame plot = lay_out(chart);
    char data[200];
    snprintf(data, sizeof data,
             "data-left=\"%d\" data-right=\"%.1f\" data-top=\"%.1f\" data-bottom=\"%.1f\" "
             "data-x-low=\"%.10g\" data-x-high=\"%.10g\"",
             LEFT, plot.right, plot.top, plot.bottom, chart->x.low, chart->x.high);
    report_svg_begin(to, chart->id, plot.width, plot.height, chart->title, data);
    report_svg_text(to, LEFT, 30, "font-size=\"17\" font-weight=\"600\"", chart->title);
    if (chart->subtitle)
        report_svg_text(to, LEFT, 51, "class=\"soft\" fill=\"#555\"", chart->subtitle);
    write_axes(to, &plot);
    write_marks(to, &plot);
    for (int i = 0; i < chart->count; i++) write_band(to, &plot, i);
    for (int i = chart->count - 1; i >= 0; i--) write_line(to, &plot, i);
    write_names(to, &plot);
    report_svg_end(to);
}

void report_figure_chart(FILE *to, const report_chart *chart) {
    report_figure_begin(to, NULL);
    report_chart_write(to, chart);
    report_figure_end(to);
}
