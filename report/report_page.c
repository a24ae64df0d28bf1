/* Writes the frame of pages and their elements. */
#include "report_page.h"
#include <conehull/version.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* The security policy of pages: browsers load nothing from outside the file, except a video in the
 * same folder. */
static const char policy[] = "default-src 'none'; img-src data:; media-src 'self' file:; "
                             "style-src 'unsafe-inline'; script-src 'unsafe-inline'";

void report_page_begin(FILE *to, const report_head *head) {
    fprintf(to,
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
            "<meta http-equiv=\"Content-Security-Policy\" content=\"%s\">\n"
            "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
            "<meta name=\"color-scheme\" content=\"light dark\">\n"
            "<meta name=\"generator\" content=\"conehull %s\">\n",
            policy, ch_version());
    report_markup(to, "<title>%</title>\n", head->title);
    fprintf(to, "<style>\n%s%s</style>\n</head>\n<body>\n<main>\n", report_house_css,
            head->style ? head->style : "");
    report_markup(to, "<h1>%</h1>\n", head->title);
    if (head->lead) report_markup(to, "<p class=\"lead\">%</p>\n", head->lead);
}

void report_page_end(FILE *to, const char *const *script) {
    fprintf(to, "</main>\n<footer>conehull %s</footer>\n", ch_version());
    for (; script && *script; script++) fprintf(to, "<script>\n%s</script>\n", *script);
    fputs("</body>\n</html>\n", to);
}

void report_section_begin(FILE *to, const char *id, const char *title) {
    report_markup(to, "<section id=\"%\" aria-labelledby=\"%-title\">\n<h2 id=\"%-title\">%</h2>\n",
                  id, id, id, title);
}

void report_section_end(FILE *to) {
    fputs("</section>\n", to);
}

/* Returns the formatted text, which the caller frees, or NULL if memory is short; then the stream,
 * which is in memory too, also fails. */
static char *format_text(const char *format, va_list arguments) {
    char *text;
    return vasprintf(&text, format, arguments) < 0 ? NULL : text;
}

void report_text(FILE *to, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    char *text = format_text(format, arguments);
    va_end(arguments);
    fputs("<p>", to);
    int code = 0;
    for (char *piece = text; piece;) {
        char *quote = strchr(piece, '`');
        if (quote) *quote = 0;
        report_escape(to, piece);
        if (quote) fputs((code = !code) ? "<code>" : "</code>", to);
        piece = quote ? quote + 1 : NULL;
    }
    fputs(code ? "</code></p>\n" : "</p>\n", to);
    free(text);
}

void report_numbers_begin(FILE *to) {
    fputs("<dl class=\"numbers\">\n", to);
}

void report_number(FILE *to, const char *what, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    char *value = format_text(format, arguments);
    va_end(arguments);
    report_markup(to, "<div><dt>%</dt><dd>%</dd></div>\n", what, value ? value : "");
    free(value);
}

void report_numbers_end(FILE *to) {
    fputs("</dl>\n", to);
}

report_table report_table_begin(FILE *to, const char *caption, const char *heads) {
    report_table table = {.to = to};
    report_markup(
        to, "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"%\">\n<table>\n",
        caption ? caption : "table");
    if (caption) report_markup(to, "<caption><span>%</span></caption>\n", caption);
    fputs("<thead><tr>", to);
    for (const char *at = heads;; at++) {
        char head[64];
        size_t length = strcspn(at, "|");
        int number = *at == '#';
        snprintf(head, sizeof head, "%.*s", (int)length - number, at + number);
        report_markup(
            to, number ? "<th scope=\"col\" class=\"number\">%</th>" : "<th scope=\"col\">%</th>",
            head);
        table.numbers |= (unsigned)number << table.columns++;
        at += length;
        if (!*at) break;
    }
    fputs("</tr></thead>\n<tbody>\n", to);
    return table;
}

void report_cell(report_table *table, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    char *text = format_text(format, arguments);
    va_end(arguments);
    if (table->at == 0) fputs("<tr>", table->to);
    report_markup(table->to,
                  table->numbers >> table->at & 1 ? "<td class=\"number\">%</td>" : "<td>%</td>",
                  text ? text : "");
    table->at = (table->at + 1) % table->columns;
    if (table->at == 0) fputs("</tr>\n", table->to);
    free(text);
}

void report_cell_link(report_table *table, const char *file) {
    if (table->at == 0) fputs("<tr>", table->to);
    report_markup(table->to, file[0] ? "<td><a href=\"%\">%</a></td>" : "<td></td>", file, file);
    table->at = (table->at + 1) % table->columns;
    if (table->at == 0) fputs("</tr>\n", table->to);
}

/* Writes a path as part of a URL (RFC 3986): all bytes except letters, digits and -._~/ become
 * %XX. */
static void write_path(FILE *to, const char *path) {
    for (; *path; path++) {
        unsigned char byte = (unsigned char)*path;
        int plain = (byte >= '0' && byte <= '9') ||
                    ((byte | 0x20) >= 'a' && (byte | 0x20) <= 'z') || strchr("-._~/", byte);
        fprintf(to, plain ? "%c" : "%%%02X", byte);
    }
}

void report_cell_file(report_table *table, const char *folder, const char *name, const char *more) {
    FILE *to = table->to;
    if (table->at == 0) fputs("<tr>", to);
    fputs("<td>", to);
    if (folder[0]) {
        fputs("<a href=\"file://", to);
        write_path(to, folder);
        fputc('/', to);
        write_path(to, name);
        fputs("\">", to);
    }
    report_escape(to, name);
    if (folder[0]) fputs("</a>", to);
    if (more && more[0]) report_markup(to, ": %", more);
    fputs("</td>", to);
    table->at = (table->at + 1) % table->columns;
    if (table->at == 0) fputs("</tr>\n", to);
}

void report_cell_real(report_table *table, int decimals, double value) {
    if (isnan(value))
        report_cell(table, "\xe2\x80\x93");
    else
        report_cell(table, "%.*f", decimals, value);
}

void report_table_end(report_table *table) {
    fputs("</tbody>\n</table>\n</div>\n", table->to);
}

void report_figure_begin(FILE *to, const char *caption) {
    fputs("<figure>\n", to);
    if (caption) report_markup(to, "<figcaption>%</figcaption>\n", caption);
}

void report_figure_end(FILE *to) {
    fputs("</figure>\n", to);
}

void report_picture(FILE *to, const report_blob *blob, const char *alt) {
    report_markup(to, "<img alt=\"%\" src=\"", alt);
    report_data_address(to, blob);
    fputs("\">\n", to);
}

void report_command(FILE *to, const char *command) {
    report_markup(to, "<pre class=\"command\" tabindex=\"0\"><code>%</code></pre>\n", command);
}
