/* Horizontal bars: word, bar, number; one line each. */
#include "report_chart.h"
#include "report_page.h"
#include <math.h>
#include <string.h>

enum { LINE = 24, BAR = 15, NUMBER_WIDTH = 64 };
static const double letter_width = 7.6;

static void write_bar(FILE *to, const report_bars *bars, int i, double left, double scale,
                      double y) {
    char number[32];
    double end = left + scale * bars->values[i];
    report_svg_text(to, left - 8, y + 4.5, "text-anchor=\"end\"", bars->names[i]);
    fprintf(to,
            "<rect class=\"bars f0\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%d\" "
            "fill=\"%s\"/>\n",
            left, y - BAR / 2.0, fmax(end - left, 0.5), BAR, report_first_color());
    snprintf(number, sizeof number, "%.*f", bars->decimals, bars->values[i]);
    report_svg_text(to, end + 7, y + 4.5, "class=\"soft\" fill=\"#555\"", number);
}

void report_bars_write(FILE *to, const report_bars *bars) {
    int width = bars->width ? bars->width : 480;
    double top = bars->subtitle ? 66 : 46;
    double largest = 0;
    size_t longest = 1;
    for (int i = 0; i < bars->count; i++) {
        largest = fmax(largest, bars->values[i]);
        if (strlen(bars->names[i]) > longest) longest = strlen(bars->names[i]);
    }
    double left = fmin(14 + letter_width * (double)longest, 0.45 * width);
    double scale = (width - NUMBER_WIDTH - left) / (largest > 0 ? largest : 1);
    int height = (int)(top + LINE * bars->count + 4);
    report_svg_begin(to, NULL, width, height, bars->title, "");
    report_svg_text(to, 6, 24, "font-size=\"16\" font-weight=\"600\"", bars->title);
    if (bars->subtitle) report_svg_text(to, 6, 45, "class=\"soft\" fill=\"#555\"", bars->subtitle);
    for (int i = 0; i < bars->count; i++)
        write_bar(to, bars, i, left, scale, top + LINE * i + LINE / 2.0 - 8);
    report_svg_end(to);
}

void report_figure_bars(FILE *to, const report_bars *bars) {
    report_figure_begin(to, NULL);
    report_bars_write(to, bars);
    report_figure_end(to);
}
