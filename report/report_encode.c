/* Encodes text and bytes for HTML. */
#include "report_page.h"
#include <math.h>
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

void report_heat_colour(uint8_t rgb[3], double share) {
    /* Nine colours of the map viridis: dark means small, and gray prints preserve the order. */
    static const uint8_t scale[9][3] = {{68, 1, 84},    {71, 44, 122},  {59, 81, 139},
                                        {44, 113, 142}, {33, 144, 141}, {39, 173, 129},
                                        {92, 200, 99},  {170, 220, 50}, {253, 231, 37}};
    double at = 8 * fmin(1, fmax(0, share));
    int low = at < 8 ? (int)at : 7;
    for (int c = 0; c < 3; c++)
        rgb[c] = (uint8_t)lround(scale[low][c] + (at - low) * (scale[low + 1][c] - scale[low][c]));
}
