/* Line charts as SVG: one style for every picture the program makes. Lines are told apart by dash
 * and marker as well as colour, and carry their names at their right ends. */
#ifndef CONEHULL_CLI_CHART_H
#define CONEHULL_CLI_CHART_H

#include <stdio.h>

enum { CLI_CHART_LINES_MAX = 6 };

typedef struct cli_axis {
    const char *label;
    double low, high, step; /* a tick every step */
    int decimals;           /* of the numbers at the ticks */
} cli_axis;

typedef struct cli_chart {
    const char *title, *subtitle;
    cli_axis x, y;
    const double *x_values; /* count of them, rising */
    int count;
    int lines;
    const char *names[CLI_CHART_LINES_MAX];
    const double *y_values[CLI_CHART_LINES_MAX]; /* count each; NaN leaves a gap */
} cli_chart;

/* The whole <svg> element. Texts are escaped. */
void cli_chart_write(FILE *to, const cli_chart *chart);

/* Text with &, <, > and quotes made harmless, for SVG and HTML. */
void cli_escape(FILE *to, const char *text);

#endif
