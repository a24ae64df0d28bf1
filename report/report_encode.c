/* Text and bytes as HTML can carry them. */
#include "report_page.h"
#include <stdint.h>

void report_escape(FILE *to, const char *text) {
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
        case '\'':
            fputs("&#39;", to);
            break;
        default:
            fputc(*text, to);
        }
}

void report_data_address(FILE *to, const char *type, const void *bytes, size_t length) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const unsigned char *byte = bytes;
    fprintf(to, "data:%s;base64,", type);
    for (size_t i = 0; i < length; i += 3) {
        size_t left = length - i;
        uint32_t three = (uint32_t)byte[i] << 16;
        if (left > 1) three |= (uint32_t)byte[i + 1] << 8;
        if (left > 2) three |= byte[i + 2];
        fputc(digits[three >> 18], to);
        fputc(digits[three >> 12 & 63], to);
        fputc(left > 1 ? digits[three >> 6 & 63] : '=', to);
        fputc(left > 2 ? digits[three & 63] : '=', to);
    }
}
