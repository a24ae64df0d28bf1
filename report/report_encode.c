/* Text and bytes as HTML can carry them. */
#include "report_page.h"
#include <stdarg.h>

void report_escape(FILE *to, const char *text) {
    static const char *const names[256] = {
        ['&'] = "&amp;", ['<'] = "&lt;", ['>'] = "&gt;", ['"'] = "&quot;", ['\''] = "&#39;"};
    for (; *text; text++)
        if (names[(unsigned char)*text])
            fputs(names[(unsigned char)*text], to);
        else
            fputc(*text, to);
}

void report_markup(FILE *to, const char *markup, ...) {
    va_list texts;
    va_start(texts, markup);
    for (; *markup; markup++)
        if (*markup == '%')
            report_escape(to, va_arg(texts, const char *));
        else
            fputc(*markup, to);
    va_end(texts);
}

void report_data_address(FILE *to, const report_blob *blob) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const uint8_t *byte = blob->bytes;
    if (!blob->type) return;
    fprintf(to, "data:%s;base64,", blob->type);
    for (size_t i = 0; i < blob->length; i += 3) {
        size_t left = blob->length - i;
        uint32_t three = (uint32_t)byte[i] << 16;
        if (left > 1) three |= (uint32_t)byte[i + 1] << 8;
        if (left > 2) three |= byte[i + 2];
        fputc(digits[three >> 18], to);
        fputc(digits[three >> 12 & 63], to);
        fputc(left > 1 ? digits[three >> 6 & 63] : '=', to);
        fputc(left > 2 ? digits[three & 63] : '=', to);
    }
}
