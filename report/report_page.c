/* The skeleton of pages and what stands in them. */
#include "report_page.h"
#include "report_assets.h"
#include <conehull/version.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* Browsers hold the page to its word: whatever is not in the file is not loaded. */
static const char policy[] = "default-src 'none'; img-src data:; style-src 'unsafe-inline'; "
                             "script-src 'unsafe-inline'";

void report_page_begin(FILE *to, const report_head *head) {
    fprintf(to,
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
            "<meta http-equiv=\"Content-Security-Policy\" content=\"%s\">\n"
            "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
            "<meta name=\"color-scheme\" content=\"light dark\">\n"
            "<meta name=\"generator\" content=\"conehull %s\">\n<title>",
            policy, ch_version());
    report_escape(to, head->title);
    fprintf(to, "</title>\n<style>\n%s%s</style>\n</head>\n<body>\n<main>\n<h1>", report_house_css,
            head->style ? head->style : "");
    report_escape(to, head->title);
    fputs("</h1>\n", to);
    if (!head->lead) return;
    fputs("<p class=\"lead\">", to);
    report_escape(to, head->lead);
    fputs("</p>\n", to);
}

void report_page_end(FILE *to, const char *const *script) {
    fprintf(to, "</main>\n<footer>conehull %s</footer>\n", ch_version());
    for (; script && *script; script++) fprintf(to, "<script>\n%s</script>\n", *script);
    fputs("</body>\n</html>\n", to);
}

void report_section_begin(FILE *to, const char *id, const char *title) {
    fprintf(to, "<section id=\"%s\" aria-labelledby=\"%s-title\">\n<h2 id=\"%s-title\">", id, id,
            id);
    report_escape(to, title);
    fputs("</h2>\n", to);
}

void report_section_end(FILE *to) {
    fputs("</section>\n", to);
}

void report_text(FILE *to, const char *format, ...) {
    char *text = NULL;
    va_list arguments;
    va_start(arguments, format);
    int length = vasprintf(&text, format, arguments);
    va_end(arguments);
    if (length < 0) return; /* without memory the stream, which is memory too, fails as well */
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

void report_numbers(FILE *to, const report_number *numbers, int count) {
    fputs("<dl class=\"numbers\">\n", to);
    for (int i = 0; i < count; i++) {
        fputs("<div><dt>", to);
        report_escape(to, numbers[i].what);
        fputs("</dt><dd>", to);
        report_escape(to, numbers[i].value);
        fputs("</dd></div>\n", to);
    }
    fputs("</dl>\n", to);
}

void report_table_begin(FILE *to, const char *caption, const char *const *heads, int count) {
    fputs("<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"", to);
    report_escape(to, caption ? caption : "table");
    fputs("\">\n<table>\n", to);
    if (caption) {
        fputs("<caption><span>", to);
        report_escape(to, caption);
        fputs("</span></caption>\n", to);
    }
    fputs("<thead><tr>", to);
    for (int i = 0; i < count; i++) {
        int number = heads[i][0] == '#';
        fprintf(to, "<th scope=\"col\"%s>", number ? " class=\"number\"" : "");
        report_escape(to, heads[i] + number);
        fputs("</th>", to);
    }
    fputs("</tr></thead>\n<tbody>\n", to);
}

void report_table_row(FILE *to, const char *const *cells, const char *const *heads, int count) {
    fputs("<tr>", to);
    for (int i = 0; i < count; i++) {
        fputs(heads[i][0] == '#' ? "<td class=\"number\">" : "<td>", to);
        report_escape(to, cells[i]);
        fputs("</td>", to);
    }
    fputs("</tr>\n", to);
}

void report_table_end(FILE *to) {
    fputs("</tbody>\n</table>\n</div>\n", to);
}

void report_figure_begin(FILE *to, const char *caption) {
    fputs("<figure>\n", to);
    if (!caption) return;
    fputs("<figcaption>", to);
    report_escape(to, caption);
    fputs("</figcaption>\n", to);
}

void report_figure_end(FILE *to) {
    fputs("</figure>\n", to);
}

void report_picture(FILE *to, const char *type, const void *bytes, size_t length, const char *alt) {
    fputs("<img alt=\"", to);
    report_escape(to, alt);
    fputs("\" src=\"", to);
    report_data_address(to, type, bytes, length);
    fputs("\">\n", to);
}

void report_command(FILE *to, const char *command) {
    fputs("<pre class=\"command\" tabindex=\"0\"><code>", to);
    report_escape(to, command);
    fputs("</code></pre>\n", to);
}

void report_data(FILE *to, const char *id, const char *json) {
    fprintf(to, "<script type=\"application/json\" id=\"%s\">", id);
    for (; *json; json++) { /* in JSON, < can stand in a string only, where \u003c means the same */
        if (*json == '<')
            fputs("\\u003c", to);
        else
            fputc(*json, to);
    }
    fputs("</script>\n", to);
}
