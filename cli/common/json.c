/* JSON helpers. If one of them returns NULL, the enclosing object becomes NULL too, so memory is
 * checked once, where the object is used. */
#include "common/json.h"
#include "common/exit_codes.h"
#include "common/message.h"
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

json_t *cli_json_real(double value) {
    return isfinite(value) ? json_real(value) : json_null();
}

json_t *cli_json_append(json_t *list, json_t *value) {
    if (json_array_append_new(list, value) == 0) return list;
    json_decref(list);
    return NULL;
}

json_t *cli_json_merge(json_t *object, json_t *more) {
    int failed = json_object_update(object, more);
    json_decref(more);
    if (!failed) return object;
    json_decref(object);
    return NULL;
}

json_t *cli_json_reals(const double *values, int64_t count) {
    json_t *list = json_array();
    for (int64_t i = 0; i < count; i++) list = cli_json_append(list, cli_json_real(values[i]));
    return list;
}

json_t *cli_json_integers(const int64_t *values, int64_t count) {
    json_t *list = json_array();
    for (int64_t i = 0; i < count; i++) list = cli_json_append(list, json_integer(values[i]));
    return list;
}

void cli_json_set_seconds(json_t *object, const char *name, double seconds) {
    json_object_set_new(json_object_get(object, "seconds"), name, cli_json_real(seconds));
}

/* ---- objects ---- */

static json_t *pack_members(const char **format, va_list *values);

/* Makes the value for the letter at *format. */
static json_t *pack_value(const char **format, va_list *values) {
    const void *first;
    json_t *list;
    switch (*(*format)++) {
    case 's':
        first = va_arg(*values, const char *);
        return first ? json_string(first) : json_null();
    case 'i':
        return json_integer(va_arg(*values, int64_t));
    case 'd':
        return json_integer(va_arg(*values, int));
    case 'b':
        return json_boolean(va_arg(*values, int));
    case 'r':
        return cli_json_real(va_arg(*values, double));
    case 'o':
        return va_arg(*values, json_t *);
    case 'I':
        first = va_arg(*values, const int64_t *);
        return cli_json_integers(first, va_arg(*values, int64_t));
    case 'R':
        first = va_arg(*values, const double *);
        return cli_json_reals(first, va_arg(*values, int64_t));
    case 'T':
        first = va_arg(*values, const ch_settings_table *);
        return cli_settings_json(first, va_arg(*values, const void *));
    case '{':
        return pack_members(format, values);
    case '[':
        for (list = json_array(); **format != ']';)
            list = cli_json_append(list, pack_value(format, values));
        ++*format;
        return list;
    }
    return json_null();
}

/* Makes members up to '}' or the end. jansson treats a NULL object or value as a failure and
 * releases the other; so every value is consumed, and a failure makes the object NULL. */
static json_t *pack_members(const char **format, va_list *values) {
    json_t *object = json_object();
    for (*format += strspn(*format, " "); **format && **format != '}';) {
        char name[32];
        size_t length = strcspn(*format, ":");
        snprintf(name, sizeof name, "%.*s", (int)length, *format);
        *format += length + 1;
        if (json_object_set_new(object, name, pack_value(format, values)) != 0) {
            json_decref(object);
            object = NULL;
        }
        *format += strspn(*format, " ");
    }
    *format += **format == '}';
    return object;
}

json_t *cli_json_pack(const char *format, ...) {
    va_list values;
    va_start(values, format);
    json_t *object = pack_members(&format, &values);
    va_end(values);
    return object;
}

/* ---- settings ---- */

static json_t *setting_json(const ch_setting *row, const void *field) {
    switch (row->kind) {
    case CH_SETTING_INT:
        return json_integer(*(const int64_t *)field);
    case CH_SETTING_REAL:
        return cli_json_real(*(const double *)field);
    case CH_SETTING_FLAG:
        return json_boolean(*(const int *)field);
    case CH_SETTING_CHOICE:
        return json_string(row->choices[*(const int *)field]);
    }
    return NULL;
}

json_t *cli_settings_json(const ch_settings_table *table, const void *settings) {
    json_t *object = json_object();
    for (int i = 0; i < table->count; i++) {
        const ch_setting *row = &table->rows[i];
        json_object_set_new(object, row->name,
                            setting_json(row, (const char *)settings + row->offset));
    }
    if (json_object_size(object) == (size_t)table->count) return object;
    json_decref(object); /* out of memory */
    return NULL;
}

ch_status cli_settings_from_json(ch_context *context, const ch_settings_table *table,
                                 void *settings, const json_t *object) {
    for (int i = 0; i < table->count; i++) {
        const json_t *value = json_object_get(object, table->rows[i].name);
        char number[32];
        const char *text = number;
        if (!value) continue;
        if (json_is_string(value))
            text = json_string_value(value);
        else if (json_is_real(value))
            snprintf(number, sizeof number, "%.17g", json_real_value(value));
        else if (json_is_integer(value))
            snprintf(number, sizeof number, "%lld", (long long)json_integer_value(value));
        else
            text = json_is_true(value) ? "1" : "0";
        ch_status status = ch_settings_set(context, table, settings, table->rows[i].name, text);
        if (status < 0) return status;
    }
    return CH_OK;
}

/* ---- texts ---- */

/* Writes the fewest digits that read back as value, always with a point or an exponent, as reals
 * have, and an exponent without leading zeros. */
static int shortest(char *to, size_t size, double value) {
    int digits = 15, length;
    do {
        length = snprintf(to, size, "%.*g", digits, value);
    } while (digits++ < 17 && strtod(to, NULL) != value);
    if (!strpbrk(to, ".e")) length += snprintf(to + length, size - (size_t)length, ".0");
    char *exponent = strchr(to, 'e');
    if (!exponent) return length;
    char *zeros = exponent + 2, *rest = zeros + strspn(zeros, "0"); /* printf writes e+05, e-09 */
    memmove(zeros, rest, strlen(rest) + 1);
    return length - (int)(rest - zeros);
}

/* Rewrites the reals of a JSON text in place; they only become shorter. */
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
    if (!text) return cli_error(EXIT_MEMORY, "not enough memory to write the result as JSON");
    puts(text); /* a full disk is detected when stdout is flushed at the end */
    free(text);
    return EXIT_DONE;
}
