/* Line charts as SVG, drawn from back to front: frame, grid, lines, markers, names. */
#include "chart.h"
#include <math.h>

/* Pixels of the picture and of the plotting area in it. */
enum { WIDTH = 780, HEIGHT = 440, LEFT = 72, RIGHT = 610, TOP = 76, BOTTOM = 378 };
enum { NAME_GAP = 17 }; /* between the base lines of two names */

/* Colours that differ in brightness too, so that a gray print keeps the lines apart. */
static const struct line_style {
    const char *color, *dash;
    char marker;
} styles[CLI_CHART_LINES_MAX] = {
    {"#0b4f9c", "none", 'o'}, {"#c2540a", "7 4", 's'}, {"#4f7f1f", "2 4", '^'},
    {"#7b3f98", "11 4", 'd'}, {"#555555", "5 2", 'o'}, {"#b03060", "1 3", 's'},
};

void cli_escape(FILE *to, const char *text) {
    for (; *text; text++) switch (*text) {
        case '&':
            fputs("&amp;", to);
            break;
        case '<':
            fputs("&lt;", to);
            break;
        case '>':
            fputs("&gt;", to);
            break;
        case '"':
            fputs("&quot;", to);
            break;
        default:
            fputc(*text, to);
        }
}

static double across(const cli_chart *chart, double x) {
    return LEFT + (RIGHT - LEFT) * (x - chart->x.low) / (chart->x.high - chart->x.low);
}

static double down(const cli_chart *chart, double y) {
    return BOTTOM - (BOTTOM - TOP) * (y - chart->y.low) / (chart->y.high - chart->y.low);
}

static void write_text(FILE *to, double x, double y, const char *attributes, const char *text) {
    fprintf(to, "<text x=\"%.1f\" y=\"%.1f\" %s>", x, y, attributes);
    cli_escape(to, text);
    fputs("</text>\n", to);
}

static int ticks(const cli_axis *axis) {
    return (int)floor((axis->high - axis->low) / axis->step + 1e-9) + 1;
}

static void write_axes(FILE *to, const cli_chart *chart) {
    char number[32];
    for (int i = 0; i < ticks(&chart->y); i++) {
        double value = chart->y.low + i * chart->y.step, y = down(chart, value);
        fprintf(to, "<path d=\"M%d %.1fH%d\" stroke=\"%s\"/>\n", LEFT, y, RIGHT,
                i ? "#e2e2e2" : "#333");
        snprintf(number, sizeof number, "%.*f", chart->y.decimals, value);
        write_text(to, LEFT - 9, y + 4.5, "text-anchor=\"end\" fill=\"#333\"", number);
    }
    for (int i = 0; i < ticks(&chart->x); i++) {
        double value = chart->x.low + i * chart->x.step, x = across(chart, value);
        fprintf(to, "<path d=\"M%.1f %dv5\" stroke=\"#333\"/>\n", x, BOTTOM);
        snprintf(number, sizeof number, "%.*f", chart->x.decimals, value);
        write_text(to, x, BOTTOM + 21, "text-anchor=\"middle\" fill=\"#333\"", number);
    }
    write_text(to, 0.5 * (LEFT + RIGHT), BOTTOM + 46, "text-anchor=\"middle\"", chart->x.label);
    fprintf(to, "<g transform=\"translate(24 %.1f) rotate(-90)\">", 0.5 * (TOP + BOTTOM));
    write_text(to, 0, 0, "text-anchor=\"middle\"", chart->y.label);
    fputs("</g>\n", to);
}

static void write_marker(FILE *to, char marker, double x, double y) {
    switch (marker) {
    case 's':
        fprintf(to, "<path d=\"M%.1f %.1fh7v7h-7z\"/>", x - 3.5, y - 3.5);
        break;
    case '^':
        fprintf(to, "<path d=\"M%.1f %.1fl4.5 8h-9z\"/>", x, y - 5);
        break;
    case 'd':
        fprintf(to, "<path d=\"M%.1f %.1fl5 5l-5 5l-5 -5z\"/>", x, y - 5);
        break;
    default:
        fprintf(to, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3.8\"/>", x, y);
    }
}

static void write_line(FILE *to, const cli_chart *chart, int line) {
    const struct line_style *style = &styles[line];
    const double *values = chart->y_values[line];
    fprintf(to,
            "<path fill=\"none\" stroke=\"%s\" stroke-width=\"2.2\" stroke-dasharray=\"%s\" d=\"",
            style->color, style->dash);
    for (int i = 0, pen_down = 0; i < chart->count; pen_down = !isnan(values[i]), i++)
        if (!isnan(values[i]))
            fprintf(to, "%c%.1f %.1f", pen_down ? 'L' : 'M', across(chart, chart->x_values[i]),
                    down(chart, values[i]));
    /* The white edge keeps a marker apart from lines that cross it. */
    fprintf(to, "\"/>\n<g fill=\"%s\" stroke=\"#fff\" stroke-width=\"1\">", style->color);
    for (int i = 0; i < chart->count; i++)
        if (!isnan(values[i]))
            write_marker(to, style->marker, across(chart, chart->x_values[i]),
                         down(chart, values[i]));
    fputs("</g>\n", to);
}

/* Where names go: at the heights of the last points, moved apart where they would overlap. */
static void place_names(double *place, const double *wish, int count) {
    int order[CLI_CHART_LINES_MAX];
    for (int i = 0; i < count; i++) {
        int k = i;
        for (; k > 0 && wish[order[k - 1]] > wish[i]; k--) order[k] = order[k - 1];
        order[k] = i;
        place[i] = wish[i];
    }
    /* Upper ones are pushed down, then, where the floor is reached, lower ones push back up. */
    for (int k = 1; k < count; k++)
        place[order[k]] = fmax(place[order[k]], place[order[k - 1]] + NAME_GAP);
    double floor_y = BOTTOM + 4;
    for (int k = count - 1; k >= 0; k--, floor_y -= NAME_GAP)
        place[order[k]] = fmin(place[order[k]], floor_y);
}

static void write_names(FILE *to, const cli_chart *chart) {
    double wish[CLI_CHART_LINES_MAX], place[CLI_CHART_LINES_MAX];
    for (int line = 0; line < chart->lines; line++) {
        double last = chart->y.low;
        for (int i = 0; i < chart->count; i++)
            if (!isnan(chart->y_values[line][i])) last = chart->y_values[line][i];
        wish[line] = down(chart, last);
    }
    place_names(place, wish, chart->lines);
    for (int line = 0; line < chart->lines; line++) {
        char attributes[64];
        fprintf(to, "<path d=\"M%d %.1fL%d %.1f\" stroke=\"%s\" stroke-width=\"0.8\"/>\n",
                RIGHT + 6, wish[line], RIGHT + 18, place[line], styles[line].color);
        snprintf(attributes, sizeof attributes, "fill=\"%s\" font-weight=\"600\"",
                 styles[line].color);
        write_text(to, RIGHT + 22, place[line] + 4.5, attributes, chart->names[line]);
    }
}

void cli_chart_write(FILE *to, const cli_chart *chart) {
    fprintf(to,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" "
            "height=\"%d\" "
            "role=\"img\" font-family=\"Helvetica, Arial, 'DejaVu Sans', sans-serif\" "
            "font-size=\"13\" fill=\"#111\">\n<title>",
            WIDTH, HEIGHT, WIDTH, HEIGHT);
    cli_escape(to, chart->title);
    fprintf(to, "</title>\n<rect width=\"%d\" height=\"%d\" fill=\"#fff\"/>\n", WIDTH, HEIGHT);
    write_text(to, LEFT, 30, "font-size=\"17\" font-weight=\"600\"", chart->title);
    write_text(to, LEFT, 51, "fill=\"#555\"", chart->subtitle);
    write_axes(to, chart);
    for (int line = chart->lines - 1; line >= 0; line--) write_line(to, chart, line);
    write_names(to, chart);
    fputs("</svg>\n", to);
}
