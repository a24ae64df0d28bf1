/* Parses the text of an ENVI header. A value in braces extends to the next closing brace, over any
 * number of lines; every other value ends with its line. Lines that begin with a semicolon are
 * comments. */
#include "io/cube/envi_file.h"
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

ch_status chi_envi_fail(const chi_envi *envi, const chi_envi_field *field, const char *format,
                        ...) {
    char what[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    return chi_fail(envi->context, CH_ERR_FORMAT, "%s: line %lld: %s", envi->path,
                    (long long)field->line, what);
}

/* ---- the text, field by field ---- */

static ch_status load_text(chi_envi *envi, int64_t *size) {
    int fd;
    TRY(chi_open_file(envi->context, &fd, size, envi->path));
    ch_status status = CH_OK;
    if (*size > CHI_ENVI_HEADER_MAX)
        status = chi_fail(envi->context, CH_ERR_FORMAT,
                          "%s: the ENVI header has %lld bytes; at most %d are supported",
                          envi->path, (long long)*size, CHI_ENVI_HEADER_MAX);
    if (status == CH_OK) {
        envi->text = chi_take(envi->context, envi->path, "the header", *size + 1, 1);
        status = envi->text ? chi_get(envi->context, envi->path, fd, envi->text, *size, 0)
                            : CH_ERR_MEMORY;
    }
    close(fd);
    if (status == CH_OK) envi->text[*size] = '\0';
    return status;
}

static int is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f' || c == '\v';
}

/* Returns the text between from and to without surrounding blanks, terminated in place. */
static char *trim(char *from, char *to) {
    while (from < to && is_blank(*from)) from++;
    while (to > from && is_blank(to[-1])) to--;
    *to = '\0';
    return from;
}

/* Converts a key in place to lower case with single blanks. */
static char *normal_key(char *from, char *to) {
    char *key = trim(from, to), *put = key;
    for (const char *at = key; *at; at++)
        if (!is_blank(*at))
            *put++ = (char)tolower((unsigned char)*at);
        else if (put[-1] != ' ')
            *put++ = ' ';
    *put = '\0';
    return key;
}

enum { MOST_FIELDS = 4096 };

static ch_status add_field(chi_envi *envi, chi_envi_field field) {
    const chi_envi_field *before = chi_envi_find(envi, field.key);
    if (before)
        return chi_envi_fail(
            envi, &field, "the field \"%s\" was already given in line %lld; remove one of the two",
            field.key, (long long)before->line);
    if (envi->count == MOST_FIELDS) /* every new field is compared with all before it */
        return chi_envi_fail(envi, &field,
                             "the ENVI header has more than %d fields, which is not supported",
                             MOST_FIELDS);
    if (envi->count == envi->capacity)
        TRY(chi_array_double(envi->context, &envi->fields, &envi->capacity, envi->count,
                             sizeof *envi->fields, envi->path, "fields of the header"));
    envi->fields[envi->count++] = field;
    return CH_OK;
}

/* Takes a value in braces from `open` on, which may span lines. *next becomes the text after it. */
static ch_status take_braced(const chi_envi *envi, chi_envi_field *field, char *open, char **next,
                             int64_t *line) {
    char *close = strchr(open, '}');
    if (!close)
        return chi_envi_fail(envi, field,
                             "the value of \"%s\" begins with {, but the closing } is missing",
                             field->key);
    for (const char *at = open; at < close; at++) *line += *at == '\n';
    field->value = trim(open + 1, close);
    field->braced = 1;
    *next = close + 1 + strcspn(close + 1, "\n");
    return CH_OK;
}

static ch_status take_line(chi_envi *envi, char *at, char **next, int64_t *line) {
    chi_envi_field field = {.line = *line};
    char *end = at + strcspn(at, "\n"), *equals = memchr(at, '=', (size_t)(end - at));
    char *first = at;
    *next = end;
    while (first < end && is_blank(*first)) first++;
    if (first == end || *first == ';') return CH_OK;
    if (!equals) {
        chi_log(envi->context, CH_LOG_WARNING, "%s: line %lld has no \"=\" and is ignored",
                envi->path, (long long)*line);
        return CH_OK;
    }
    char *value = equals + 1;
    field.key = normal_key(at, equals);
    if (!*field.key)
        return chi_envi_fail(envi, &field, "the name of the field before \"=\" is missing");
    while (value < end && is_blank(*value)) value++;
    if (*value == '{') {
        TRY(take_braced(envi, &field, value, next, line));
    } else {
        if (*end) *next = end + 1; /* trim() replaces this line feed by the end of the value */
        field.value = trim(value, end);
        *line += *next > end;
    }
    return add_field(envi, field);
}

ch_status chi_envi_read(ch_context *context, chi_envi *envi, const char *path) {
    int64_t size, line = 1;
    *envi = (chi_envi){.context = context, .path = path};
    TRY(load_text(envi, &size));
    char *at = envi->text, *next;
    if (strncmp(at, "\xef\xbb\xbf", 3) == 0) at += 3; /* UTF-8 byte order mark */
    if (strncmp(at, "ENVI", 4) != 0 || (at[4] && !is_blank(at[4])))
        return chi_fail(
            context, CH_ERR_FORMAT,
            "%s: the file is not an ENVI header, because its first line is not \"ENVI\"", path);
    if ((int64_t)strlen(envi->text) != size)
        return chi_fail(context, CH_ERR_FORMAT,
                        "%s: the file is not an ENVI header, because it contains zero bytes and is "
                        "therefore not text",
                        path);
    for (at += 4; *at; at = next) {
        if (*at == '\n') {
            line++;
            next = at + 1;
            continue;
        }
        TRY(take_line(envi, at, &next, &line));
    }
    return CH_OK;
}

void chi_envi_free(chi_envi *envi) {
    if (!envi->context) return;
    chi_free(envi->context, envi->text);
    chi_free(envi->context, envi->fields);
}

/* ---- values ---- */

const chi_envi_field *chi_envi_find(const chi_envi *envi, const char *key) {
    for (int64_t f = 0; f < envi->count; f++)
        if (strcmp(envi->fields[f].key, key) == 0) return &envi->fields[f];
    return NULL;
}

ch_status chi_envi_whole(const chi_envi *envi, int64_t *value, const char *key, int64_t low,
                         int64_t high, int64_t otherwise) {
    const chi_envi_field *field = chi_envi_find(envi, key);
    double number;
    *value = otherwise;
    if (!field && otherwise < low)
        return chi_fail(envi->context, CH_ERR_FORMAT,
                        "%s: the header has no line \"%s = ...\", which is required", envi->path,
                        key);
    if (!field) return CH_OK;
    const char *rest = chi_number_parse(&number, field->value);
    if (!rest || *rest || !(number >= -0x1p53 && number <= 0x1p53) ||
        number != (double)(int64_t)number)
        return chi_envi_fail(envi, field,
                             "the value of \"%s\" must be a whole number, but it is \"%.60s\"", key,
                             field->value);
    if (number < (double)low || number > (double)high)
        return chi_envi_fail(envi, field,
                             "the value of \"%s\" is %.60s, but it must be from %lld to %lld", key,
                             field->value, (long long)low, (long long)high);
    *value = (int64_t)number;
    return CH_OK;
}

/* Returns the end of an entry of a list. *next becomes the text after the comma, or NULL after the
 * last. */
static const char *entry_end(const char *at, const char **next) {
    const char *end = at + strcspn(at, ",");
    *next = *end ? end + 1 : NULL;
    return end;
}

/* Counts entries. A comma after the last entry does not begin another one. */
static int64_t count_entries(const char *value) {
    int64_t count = 0;
    for (const char *at = value, *next; at; at = next) {
        const char *end = entry_end(at, &next);
        if (next || strspn(at, " \t\r\n\f\v") < (size_t)(end - at)) count++;
    }
    return count;
}

static ch_status check_count(const chi_envi *envi, const chi_envi_field *field, int64_t count,
                             const char *of) {
    int64_t found = count_entries(field->value);
    if (found == count) return CH_OK;
    return chi_envi_fail(envi, field,
                         "the list \"%s\" has %lld entries, but it must have %lld (%s)", field->key,
                         (long long)found, (long long)count, of);
}

ch_status chi_envi_numbers(const chi_envi *envi, double *values, const chi_envi_field *field,
                           int64_t count, const char *of) {
    TRY(check_count(envi, field, count, of));
    const char *at = field->value, *next;
    for (int64_t k = 0; k < count; k++, at = next) {
        const char *end = entry_end(at, &next);
        while (at < end && is_blank(*at)) at++;
        const char *rest = at < end ? chi_number_parse(&values[k], at) : NULL;
        while (rest && rest < end && is_blank(*rest)) rest++;
        if (rest != end)
            return chi_envi_fail(
                envi, field, "entry %lld of the list \"%s\" is not a number: \"%.*s\"",
                (long long)k + 1, field->key, (int)(end - at < 40 ? end - at : 40), at);
    }
    return CH_OK;
}

ch_status chi_envi_names(const chi_envi *envi, char **texts, const chi_envi_field *field,
                         int64_t count, const char *of) {
    TRY(check_count(envi, field, count, of));
    char *put = (char *)(texts + count);
    const char *at = field->value, *next;
    memcpy(put, at, strlen(at) + 1);
    for (int64_t k = 0; k < count; k++, at = next) {
        const char *end = entry_end(at, &next);
        texts[k] = trim(put + (at - field->value), put + (end - field->value));
    }
    return CH_OK;
}
