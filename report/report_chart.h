/* Charts as SVG: one style for every picture the program makes, as a file or inside a page.
 *
 * Lines differ in dash and marker as well as colour, so that they can be read in a gray print, and
 * carry their names at their right ends. Colours are attributes, which the house style sheet
 * overrides on pages (light, dark, print). Texts are escaped.
 *
 *     report_chart chart = {.title = "Residual against rank", .count = 1,
 *                           .lines = {{.name = "robust-xray", .x = rank, .y = left, .count = 8}}};
 *     report_chart_fit(&chart);
 *     chart.x.label = "anchors";
 *     report_chart_write(to, &chart); */
#pragma once

#include <stdio.h>

enum { REPORT_LINES_MAX = 10 }; /* as many as there are distinct colours */

typedef struct report_axis {
    const char *label;      /* NULL: none                        */
    double low, high, step; /* a tick every step                 */
    int decimals;           /* of the numbers at the ticks       */
} report_axis;

typedef struct report_line {
    const char *name;         /* at the right end; NULL: none                             */
    const double *x, *y;      /* count each; NaN in y leaves a gap                        */
    const double *low, *high; /* a band around y, or NULL                                 */
    int count;
    int plain;  /* without markers                                                        */
    int points; /* markers without a line                                                 */
    int guide;  /* a thin dotted line to compare with: no colour, no markers              */
} report_line;

/* A dotted line across the plot at x = at, with a label on top. */
typedef struct report_mark {
    double at;
    const char *label;
} report_mark;

typedef struct report_chart {
    const char *id;       /* of the <svg>, or NULL: for scripts                    */
    const char *title;    /* read aloud, and shown on top                          */
    const char *subtitle; /* or NULL                                               */
    report_axis x, y;
    report_line lines[REPORT_LINES_MAX + 1]; /* one more for a guide */
    int count;
    const report_mark *marks;
    int mark_count;
    int width, height; /* pixels; 0: 640 x 380                                            */
    int powers;        /* values are log10 of what they mean: ticks say 1, 10, 100        */
} report_chart;

/* Axes around the lines (bands included) and, for y, zero; labels are kept. Where every x is whole,
 * so is every tick. */
void report_chart_fit(report_chart *chart);

/* Round ends and steps around low .. high, with about `ticks` steps. */
void report_axis_fit(report_axis *axis, double low, double high, int ticks);

/* The whole <svg> element. Its data-* attributes say where the plot is (left, right, top, bottom in
 * its own units) and which x stand at its sides (x-low, x-high). */
void report_chart_write(FILE *to, const report_chart *chart);
/* The same as a figure of a page. */
void report_figure_chart(FILE *to, const report_chart *chart);

/* Horizontal bars with a word before and a number behind each; for weights of words, accuracies. */
typedef struct report_bars {
    const char *title, *subtitle;
    const char *const *names;
    const double *values; /* not negative; the largest is a full bar                     */
    int count;
    int decimals; /* of the numbers                                                      */
    int width;    /* pixels; 0: 480                                                      */
} report_bars;

void report_bars_write(FILE *to, const report_bars *bars);
void report_figure_bars(FILE *to, const report_bars *bars);

/* <svg ...><title> up to and including the ground; text with attributes. For new kinds of charts.
 */
void report_svg_begin(FILE *to, const char *id, int width, int height, const char *title,
                      const char *data);
void report_svg_text(FILE *to, double x, double y, const char *attributes, const char *text);
void report_svg_end(FILE *to);
/* The colour of the first line, "#0b4f9c". */
const char *report_first_color(void);
