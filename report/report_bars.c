/* Draws horizontal bars, each with a word before it and a number after it. A word that is longer
 * than its column, or a title that is longer than the picture, continues on the next line; nothing
 * is cut. */
#include "report_chart.h"
#include "report_page.h"
#include <math.h>
#include <string.h>

enum { LINE = 24, NEXT_LINE = 16, BAR = 15, NUMBER_WIDTH = 64, TITLE_Y = 24, TITLE_LINE = 21 };
/* Width of a letter in pixels, in words with many m and n, which are wide. The mean is 7.6 for
 * words and 9.6 for titles. */
static const double letter_width = 8.8, title_width = 11.8;

/* From U+1100 on, in UTF-8 from the byte e1 on, letters are mostly those of East Asia, which are as
 * wide as two others. */
static int width_of(unsigned char first) {
    return first >= 0xe1 ? 2 : 1;
}

/* Returns the number of bytes at the beginning of the text that fit in a line of `letters`: at
 * least one character. A line ends after a blank or a slash if its second half has one. */
static size_t fitting(const char *text, int letters) {
    size_t end = 0, gap = 0;
    for (int used = 0; text[end];) {
        used += width_of((unsigned char)text[end]);
        if (end && used > letters) return gap ? gap : end;
        do end++;
        while ((text[end] & 0xc0) == 0x80);
        if ((text[end - 1] == ' ' || text[end - 1] == '/') && 2 * used > letters) gap = end;
    }
    return end;
}

static int count_lines(const char *text, int letters) {
    int lines = 1;
    for (size_t taken = fitting(text, letters); text[taken]; lines++)
        taken += fitting(text + taken, letters);
    return lines;
}

static int count_letters(const char *text) {
    int letters = 0;
    for (; *text; text++)
        if ((*text & 0xc0) != 0x80) letters += width_of((unsigned char)*text);
    return letters;
}

/* A text divided into lines, which are written as <tspan> elements. */
typedef struct lines {
    double x, y, step;
    int letters;
    const char *attributes;
} lines;

static void write_lines(FILE *to, const lines *how, const char *text) {
    double y = how->y;
    fprintf(to, "<text %s>", how->attributes);
    do {
        char line[4 * 256 + 1];
        size_t taken = fitting(text, how->letters < 256 ? how->letters : 256);
        memcpy(line, text, taken);
        line[taken] = '\0';
        fprintf(to, "<tspan x=\"%.1f\" y=\"%.1f\">", how->x, y);
        report_escape(to, line);
        fputs("</tspan>", to);
        text += taken;
        y += how->step;
    } while (*text);
    fputs("</text>\n", to);
}

/* Positions of the parts of the chart. */
typedef struct layout {
    int width, name_letters, title_letters;
    double left, scale, top, height;
} layout;

static layout lay_out(const report_bars *bars) {
    layout at = {.width = bars->width ? bars->width : 480};
    double largest = 0;
    int longest = 1;
    for (int i = 0; i < bars->count; i++) {
        int letters = count_letters(bars->names[i]);
        largest = fmax(largest, bars->values[i]);
        if (letters > longest) longest = letters;
    }
    at.left = fmin(14 + letter_width * longest, 0.45 * at.width);
    at.scale = (at.width - NUMBER_WIDTH - at.left) / (largest > 0 ? largest : 1);
    at.name_letters = (int)((at.left - 14) / letter_width + 1e-9);
    at.title_letters = (int)((at.width - 12) / title_width);
    at.top =
        (bars->subtitle ? 66 : 46) + TITLE_LINE * (count_lines(bars->title, at.title_letters) - 1);
    at.height = at.top + 4;
    for (int i = 0; i < bars->count; i++)
        at.height += LINE + NEXT_LINE * (count_lines(bars->names[i], at.name_letters) - 1);
    return at;
}

static void write_bar(FILE *to, const report_bars *bars, int i, const layout *at, double y) {
    char number[32];
    double end = at->left + at->scale * bars->values[i];
    write_lines(to,
                &(lines){at->left - 8, y + 4.5, NEXT_LINE, at->name_letters, "text-anchor=\"end\""},
                bars->names[i]);
    fprintf(to,
            "<rect class=\"bars f0\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%d\" "
            "fill=\"%s\"/>\n",
            at->left, y - BAR / 2.0, fmax(end - at->left, 0.5), BAR, report_first_color());
    snprintf(number, sizeof number, "%.*f", bars->decimals, bars->values[i]);
    report_svg_text(to, end + 7, y + 4.5, "class=\"soft\" fill=\"#555\"", number);
}

void report_bars_write(FILE *to, const report_bars *bars) {
    layout at = lay_out(bars);
    double y = at.top + LINE / 2.0 - 8;
    report_svg_begin(to, NULL, at.width, (int)at.height, bars->title, "");
    write_lines(
        to,
        &(lines){6, TITLE_Y, TITLE_LINE, at.title_letters, "font-size=\"16\" font-weight=\"600\""},
        bars->title);
    if (bars->subtitle)
        report_svg_text(to, 6, at.top - 21, "class=\"soft\" fill=\"#555\"", bars->subtitle);
    for (int i = 0; i < bars->count; i++) {
        write_bar(to, bars, i, &at, y);
        y += LINE + NEXT_LINE * (count_lines(bars->names[i], at.name_letters) - 1);
    }
    report_svg_end(to);
}

void report_figure_bars(FILE *to, const report_bars *bars) {
    report_figure_begin(to, NULL);
    report_bars_write(to, bars);
    report_figure_end(to);
}
