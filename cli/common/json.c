/* JSON helpers. A NULL from any of them makes the enclosing json_pack("o") NULL too, so memory is
 * checked once, where the object is used. */
#include "common/json.h"
#include "common/exit_codes.h"
#include "common/message.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

json_t *cli_json_real(double value) {
    return isfinite(value) ? json_real(value) : json_null();
}

json_t *cli_json_reals(const double *values, int64_t count) {
    json_t *list = json_array();
    for (int64_t i = 0; list && i < count; i++)
        if (json_array_append_new(list, cli_json_real(values[i])) != 0) {
            json_decref(list);
            list = NULL;
        }
    return list;
}

json_t *cli_json_integers(const int64_t *values, int64_t count) {
    json_t *list = json_array();
    for (int64_t i = 0; list && i < count; i++)
        if (json_array_append_new(list, json_integer(values[i])) != 0) {
            json_decref(list);
            list = NULL;
        }
    return list;
}

/* The fewest digits that give value back; always with a point or an exponent, as reals have, and
 * an exponent without zeros in front. */
static int shortest(char *to, size_t size, double value) {
    int digits = 15, length;
    do {
        length = snprintf(to, size, "%.*g", digits, value);
    } while (digits++ < 17 && strtod(to, NULL) != value);
    if (!strpbrk(to, ".e")) length += snprintf(to + length, size - (size_t)length, ".0");
    char *exponent = strchr(to, 'e');
    if (!exponent) return length;
    char *zeros = exponent + 2, *rest = zeros + strspn(zeros, "0"); /* printf gives e+05, e-09 */
    memmove(zeros, rest, strlen(rest) + 1);
    return length - (int)(rest - zeros);
}

/* Rewrites the reals of a JSON text where they stand: they only become shorter. */
static void shorten_reals(char *text) {
    char *to = text, number[40];
    int quoted = 0;
    while (*text) {
        size_t length = quoted ? 0 : strspn(text, "+-.0123456789eE");
        if (length > 0 && length < sizeof number && strchr("-0123456789", *text)) {
            memcpy(number, text, length);
            number[length] = 0;
            if (strpbrk(number, ".eE")) {
                size_t written = (size_t)shortest(number, sizeof number, strtod(number, NULL));
                if (written > length) memcpy(number, text, written = length);
                memcpy(to, number, written);
                to += written;
                text += length;
                continue;
            }
        }
        if (quoted && *text == '\\') *to++ = *text++;
        quoted ^= *text == '"';
        *to++ = *text++;
    }
    *to = 0;
}

char *cli_json_text(const json_t *object, size_t flags) {
    char *text = json_dumps(object, flags);
    if (text) shorten_reals(text);
    return text;
}

int cli_json_print(json_t *object) {
    char *text = object ? cli_json_text(object, 0) : NULL;
    json_decref(object);
    if (!text) {
        cli_complain("out of memory for the result");
        return EXIT_MEMORY;
    }
    puts(text); /* a full disk is noticed when stdout is flushed at the end */
    free(text);
    return EXIT_DONE;
}
