/* Draws charts as SVG, in one style for all charts of the program, as a file or inside a page.
 *
 * Lines differ in dash and marker as well as colour, so that they can be read in a gray print, and
 * their names are at their right ends. Colours are attributes, which the style sheet of pages
 * overrides (light, dark, print). Texts are escaped.
 *
 *     report_chart chart = {.title = "Residual against rank", .count = 1,
 *                           .lines = {{.name = "robust-xray", .x = rank, .y = left, .count = 8}}};
 *     report_chart_fit(&chart);
 *     chart.x.label = "anchors";
 *     report_chart_write(to, &chart); */
#pragma once

#include <stdio.h>

enum { REPORT_LINES_MAX = 10 }; /* the number of distinct colours */

typedef struct report_axis {
    const char *label;      /* NULL: none                               */
    double low, high, step; /* range of the axis, and distance of ticks */
    int decimals;           /* of the numbers at the ticks              */
} report_axis;

typedef struct report_line {
    const char *name;         /* shown at the right end; NULL: none */
    const double *x, *y;      /* count each; NaN in y leaves a gap  */
    const double *low, *high; /* a band around y, or NULL           */
    int count;
    int plain;  /* without markers                                           */
    int points; /* markers without a line                                    */
    int guide;  /* a thin dotted line to compare with: no colour, no markers */
} report_line;

/* A dotted line across the plot at x = at, with a label on top. */
typedef struct report_mark {
    double at;
    const char *label;
} report_mark;

typedef struct report_chart {
    const char *id;       /* of the <svg>, or NULL: for scripts       */
    const char *title;    /* shown on top, and read by screen readers */
    const char *subtitle; /* or NULL                                  */
    report_axis x, y;
    report_line lines[REPORT_LINES_MAX + 1]; /* one more than REPORT_LINES_MAX, for a guide */
    int count;
    const report_mark *marks;
    int mark_count;
    int width, height; /* pixels; 0: 640 x 380                                        */
    int powers;        /* 1: x and y hold logarithms (base 10); ticks show 1, 10, 100 */
} report_chart;

/* Sets both axes so that they contain the lines and bands, and for y also 0. Labels are not
 * changed. If every x is a whole number, so is every tick of x. */
void report_chart_fit(report_chart *chart);

/* Sets ends and steps of the axis to round numbers, so that it contains low .. high in about
 * `ticks` steps. */
void report_axis_fit(report_axis *axis, double low, double high, int ticks);

/* Writes the whole <svg> element. Its data-* attributes hold the position of the plot (left, right,
 * top, bottom in units of the SVG) and the x at its left and right sides (x-low, x-high). */
void report_chart_write(FILE *to, const report_chart *chart);
/* Writes the chart as a figure of a page. */
void report_figure_chart(FILE *to, const report_chart *chart);

/* Horizontal bars, each with a word before it and a number after it, for example weights of
 * words. */
typedef struct report_bars {
    const char *title, *subtitle;
    const char *const *names;
    const double *values; /* not negative; the largest value gets a full bar */
    int count;
    int decimals; /* of the numbers */
    int width;    /* pixels; 0: 480 */
} report_bars;

void report_bars_write(FILE *to, const report_bars *bars);
void report_figure_bars(FILE *to, const report_bars *bars);

/* For new kinds of charts: writes the start of an <svg> element up to its background. data is text
 * with further attributes; id may be NULL. */
void report_svg_begin(FILE *to, const char *id, int width, int height, const char *title,
                      const char *data);
void report_svg_text(FILE *to, double x, double y, const char *attributes, const char *text);
void report_svg_end(FILE *to);
/* Returns the colour of the first line, "#0b4f9c". */
const char *report_first_color(void);
