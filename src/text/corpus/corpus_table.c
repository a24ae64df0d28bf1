/* Documents from a column of a table: CSV and TSV (RFC 4180: quotes, doubled quotes, line ends
 * inside quotes; the first record names the columns; a .csv file whose first record has more
 * semicolons than commas is separated by semicolons), or JSON lines (one object per line). Only one
 * record is in memory at a time. */
#include "io/matrix/table_fields.h"
#include "text/corpus/corpus_internal.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct table {
    ch_context *context;
    chi_corpus_reader *read; /* NULL: only the columns are inspected */
    chi_text text;
    char separator; /* 0: JSON lines */
    char *record;   /* with its line ends; zero-terminated */
    int64_t length, capacity;
    char *decoded; /* the record as UTF-8, if it is in another encoding */
    int64_t decoded_capacity;
    int64_t line; /* where it begins */
    const char *wanted[3];
    int64_t column[3]; /* text, name, label: field numbers; -1: not used */
    const char *field[3];
    int64_t field_length[3];
    int later;      /* JSON lines: not the first object */
    char keys[200]; /* of the object, for messages      */
} table;

enum { TEXT = 0, LABEL = 2 }; /* numbers of the columns */

int chi_corpus_is_table(const char *path) {
    static const char *const names[] = {".csv",    ".tsv",    ".jsonl",    ".ndjson",
                                        ".csv.gz", ".tsv.gz", ".jsonl.gz", ".ndjson.gz"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (chi_has_suffix(path, names[k])) return 1;
    return 0;
}

static ch_status append(table *t, const char *bytes, int64_t count) {
    while (t->length + count + 1 > t->capacity)
        TRY(chi_array_double(t->context, &t->record, &t->capacity, t->length, 1, t->text.path,
                             "a record"));
    memcpy(t->record + t->length, bytes, (size_t)count);
    t->length += count;
    t->record[t->length] = '\0';
    return CH_OK;
}

/* Returns whether the end of the line is inside quotes, given whether its start is. Quotes open
 * only at the start of a field, so that quotes inside an unquoted text are ordinary characters. */
static int ends_open(const table *t, const char *line, const char *end, int open) {
    int fresh = !open; /* at the start of a field */
    for (const char *at = line; at < end && t->separator; at++) {
        if (*at == '"' && (open || fresh))
            open = !open;
        else if (*at == '"' && at > line && at[-1] == '"')
            open = 1; /* a doubled one */
        fresh = !open && *at == t->separator;
    }
    return open;
}

/* Names of columns and of documents must be UTF-8, so the whole record is converted. */
static ch_status decode_record(table *t) {
    int encoding = t->read ? (int)t->read->settings->encoding : CH_ENCODING_AUTO;
    if (encoding == CH_ENCODING_UTF8 || t->length == 0) return CH_OK;
    if (t->read) chi_corpus_note_bytes(t->read, t->record, t->length);
    while (3 * t->length + 1 > t->decoded_capacity) /* at most three bytes for one */
        TRY(chi_array_double(t->context, &t->decoded, &t->decoded_capacity, 0, 1, t->text.path,
                             "a record"));
    int64_t length =
        chi_western_to_utf8(t->decoded, t->record, t->length, encoding == CH_ENCODING_AUTO);
    char *swap = t->record;
    int64_t capacity = t->capacity;
    t->record = t->decoded;
    t->capacity = t->decoded_capacity;
    t->length = length;
    t->record[length] = '\0';
    t->decoded = swap;
    t->decoded_capacity = capacity;
    return CH_OK;
}

/* Reads the next record; *more is 0 after the last one. */
static ch_status next_record(table *t, int *more) {
    int open = 0; /* inside of quotes */
    t->length = 0;
    *more = 0;
    do {
        char *line, *end;
        TRY_OK(chi_text_line(&t->text, &line, &end));
        if (!line && open)
            return chi_fail(
                t->context, CH_ERR_FORMAT,
                "%s: line %lld: the closing quote of a field that begins in this line is missing",
                t->text.path, (long long)t->line);
        if (!line) return CH_OK;
        if (!open) t->line = t->text.number;
        if (memchr(line, '\0', (size_t)(end - line)))
            return chi_fail(t->context, CH_ERR_FORMAT,
                            "%s: line %lld: the line contains a zero byte, so this is not text",
                            t->text.path, (long long)t->text.number);
        if (open) TRY(append(t, "\n", 1));
        TRY(append(t, line, end - line));
        open = ends_open(t, line, end, open);
    } while (open);
    *more = 1;
    return decode_record(t);
}

/* ---- CSV and TSV ---- */

/* Returns the field at *at, unquoted in place; *at moves after the separator, or becomes NULL. */
static char *take_field(char **at, int64_t *length, char separator) {
    char *from = *at, *to = from, *field = from;
    if (*from == '"') {
        for (from++; *from; from++) {
            if (*from == '"' && from[1] != '"') break;
            if (*from == '"') from++;
            *to++ = *from;
        }
        if (*from == '"') from++;
    }
    while (*from && *from != separator) *to++ = *from++;
    *length = to - field;
    *at = *from ? from + 1 : NULL;
    return field;
}

static int64_t take_number(const char *text) {
    char *end;
    long long number = strtoll(text, &end, 10);
    return *text && !*end && number >= 1 ? number - 1 : -1;
}

/* Spreadsheets of countries with a decimal comma use semicolons as separators. */
static void choose_separator(table *t) {
    int64_t commas = 0, semicolons = 0;
    int open = 0;
    if (t->separator != ',') return;
    for (const char *at = t->record; *at; at++) {
        if (*at == '"') open = !open;
        commas += !open && *at == ',';
        semicolons += !open && *at == ';';
    }
    if (semicolons > commas) t->separator = ';';
}

/* Finds the requested columns, by name or by number from 1. */
static ch_status find_columns(table *t) {
    char *at = t->record, names[300] = "";
    int64_t count = 0;
    int utf8 = chi_utf8_check(t->record, t->length) < 0;
    for (int k = 0; k < 3; k++) t->column[k] = -1;
    if (at[0] == '\xef' && at[1] == '\xbb' && at[2] == '\xbf') at += 3;
    for (; at; count++) {
        int64_t length;
        const char *field = take_field(&at, &length, t->separator);
        for (int k = 0; k < 3; k++)
            if (t->wanted[k] && (int64_t)strlen(t->wanted[k]) == length &&
                !memcmp(t->wanted[k], field, (size_t)length))
                t->column[k] = count;
        if (strlen(names) + (size_t)length + 3 < sizeof names)
            strncat(strcat(names, count ? ", " : ""), field, (size_t)length);
    }
    for (int k = 0; k < 3; k++) {
        if (!t->wanted[k]) continue;
        if (t->column[k] < 0) t->column[k] = take_number(t->wanted[k]);
        if (t->column[k] < 0 || t->column[k] >= count) {
            ch_text_make_printable(names);
            return chi_fail(t->context, CH_ERR_FORMAT,
                            "%s: the table has no column '%.80s'; it has %lld columns: %s%s",
                            t->text.path, t->wanted[k], (long long)count, names,
                            utf8 ? "" : "; the names are not UTF-8; use --encoding auto");
        }
    }
    return CH_OK;
}

static ch_status split_record(table *t) {
    char *at = t->record;
    int64_t count = 0;
    for (int k = 0; k < 3; k++) t->field[k] = NULL;
    for (; at; count++) {
        int64_t length;
        const char *field = take_field(&at, &length, t->separator);
        for (int k = 0; k < 3; k++)
            if (t->column[k] == count) {
                t->field[k] = field;
                t->field_length[k] = length;
            }
    }
    for (int k = 0; k < 3; k++)
        if (t->wanted[k] && !t->field[k])
            return chi_fail(
                t->context, CH_ERR_FORMAT,
                "%s: line %lld: this line has only %lld fields, but column '%s' is number %lld",
                t->text.path, (long long)t->line, (long long)count, t->wanted[k],
                (long long)t->column[k] + 1);
    return CH_OK;
}

/* ---- JSON lines ---- */

static ch_status not_json(const table *t, const char *what) {
    return chi_fail(t->context, CH_ERR_FORMAT, "%s: line %lld: %s", t->text.path,
                    (long long)t->line, what);
}

static char *skip_space(char *at) {
    while (*at == ' ' || *at == '\t' || *at == '\r') at++;
    return at;
}

static int hex4(uint32_t *code, const char *at) {
    *code = 0;
    for (int k = 0; k < 4; k++) {
        const char *digits = "0123456789abcdef", *found = strchr(digits, at[k] | 0x20);
        if (!at[k] || !found) return 0;
        *code = *code * 16 + (uint32_t)(found - digits);
    }
    return 1;
}

/* Decodes the character after a backslash to *to. Returns the position after it, or NULL. */
static char *take_escape(char *at, char **to) {
    static const char plain[] = "\"\\/bfnrt", means[] = "\"\\/\b\f\n\r\t";
    const char *known = *at ? strchr(plain, *at) : NULL;
    uint32_t code, low;
    if (known) {
        *(*to)++ = means[known - plain];
        return at + 1;
    }
    if (*at != 'u' || !hex4(&code, at + 1)) return NULL;
    at += 5;
    if (code >= 0xd800 && code < 0xdc00 && at[0] == '\\' && at[1] == 'u' && hex4(&low, at + 2) &&
        low >= 0xdc00 && low < 0xe000) {
        code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
        at += 6;
    }
    if (code == 0 || (code >= 0xd800 && code < 0xe000)) code = 0xfffd;
    *to += chi_utf8_encode(*to, code); /* never longer than the escape */
    return at;
}

/* Decodes in place the string that begins after a quote. Returns the position after its end, or
 * NULL. */
static char *take_string(char *at, int64_t *length) {
    char *to = at, *from = at;
    while (at && *at && *at != '"') {
        if (*at == '\\')
            at = take_escape(at + 1, &to);
        else
            *to++ = *at++;
    }
    if (!at || !*at) return NULL;
    *length = to - from;
    return at + 1;
}

/* Skips a value that is not needed: numbers, words, arrays and objects. Strings are decoded on the
 * way. */
static char *skip_value(char *at) {
    int64_t depth = 0, length;
    for (; at && *at; at++) {
        if (*at == '"') {
            at = take_string(at + 1, &length);
            if (!at) return NULL;
            at--;
        } else if (*at == '[' || *at == '{') {
            depth++;
        } else if (depth > 0 && (*at == ']' || *at == '}')) {
            depth--;
        } else if (depth == 0 && (*at == ',' || *at == '}')) {
            return at;
        }
    }
    return NULL;
}

static void note_key(table *t, const char *key, int64_t length) {
    size_t used = strlen(t->keys);
    if (used + (size_t)length + 3 < sizeof t->keys)
        snprintf(t->keys + used, sizeof t->keys - used, "%s%.*s", used ? ", " : "", (int)length,
                 key);
}

/* An object without the text or the name is like one in which it is null: an empty text, a document
 * without a name. But the first object must have all keys, so that a wrong name is detected. */
static ch_status check_keys(table *t) {
    for (int k = 0; k < 3; k++) {
        if (!t->wanted[k] || t->field[k]) continue;
        if (!t->later || k == LABEL) {
            ch_text_make_printable(t->keys);
            return chi_fail(t->context, CH_ERR_FORMAT,
                            "%s: line %lld: the JSON object has no key '%.80s'; its keys are: %s",
                            t->text.path, (long long)t->line, t->wanted[k], t->keys);
        }
        t->field[k] = k == TEXT ? "" : NULL;
        t->field_length[k] = 0;
    }
    t->later = 1;
    return CH_OK;
}

static ch_status split_object(table *t) {
    char *at = skip_space(t->record);
    t->keys[0] = '\0';
    for (int k = 0; k < 3; k++) t->field[k] = NULL;
    if (*at++ != '{')
        return not_json(
            t, "the line is not a JSON object; a .jsonl file must have one object per line");
    for (at = skip_space(at); *at == '"'; at = skip_space(at)) {
        char *key = at + 1, *value;
        int64_t key_length, length;
        at = take_string(key, &key_length);
        if (at) at = skip_space(at);
        if (!at || *at != ':') return not_json(t, "the line is not valid JSON: a key has no value");
        value = skip_space(at + 1);
        int quoted = *value == '"';
        at = quoted ? take_string(value + 1, &length) : skip_value(value);
        if (!at) return not_json(t, "the line is not valid JSON: the end of a value is missing");
        if (!quoted) length = at - value;
        note_key(t, key, key_length);
        for (int k = 0; k < 3; k++)
            if (t->wanted[k] && (int64_t)strlen(t->wanted[k]) == key_length &&
                !memcmp(t->wanted[k], key, (size_t)key_length)) {
                t->field[k] = quoted ? value + 1 : value;
                t->field_length[k] = length;
                if (!quoted && length >= 4 && !strncmp(value, "null", 4)) t->field_length[k] = 0;
            }
        at = skip_space(at);
        if (*at == ',') at = skip_space(at + 1);
    }
    if (*at != '}')
        return not_json(t, "the line is not valid JSON: the end of the object is missing");
    return check_keys(t);
}

/* ---- the call ---- */

static ch_status add_record(table *t, chi_list *names, chi_list *labels) {
    char name[32];
    TRY(chi_corpus_read_bytes(t->read, t->field[0], t->field_length[0], t->line));
    if (t->field[1] && t->field_length[1] > 0)
        TRY(chi_list_add(names, t->field[1], t->field_length[1]));
    else
        TRY(chi_list_add(names, name,
                         snprintf(name, sizeof name, "row %lld", (long long)names->count + 1)));
    return t->field[2] ? chi_list_add(labels, t->field[2], t->field_length[2]) : CH_OK;
}

static ch_status read_records(table *t, chi_list *names, chi_list *labels) {
    int more;
    TRY_OK(next_record(t, &more));
    if (!more) return chi_fail(t->context, CH_ERR_FORMAT, "%s: the file is empty", t->text.path);
    if (t->separator) {
        choose_separator(t);
        TRY(find_columns(t));
        TRY_OK(next_record(t, &more));
    }
    while (more) {
        if (t->length > 0) {
            TRY(t->separator ? split_record(t) : split_object(t));
            TRY(add_record(t, names, labels));
        }
        TRY_OK(next_record(t, &more));
    }
    return CH_OK;
}

static ch_status open_table(table *t, const char *path) {
    if (chi_has_suffix(path, ".csv") || chi_has_suffix(path, ".csv.gz")) t->separator = ',';
    if (chi_has_suffix(path, ".tsv") || chi_has_suffix(path, ".tsv.gz")) t->separator = '\t';
    return chi_text_open(t->context, &t->text, path);
}

static void close_table(table *t) {
    chi_text_close(&t->text);
    chi_free(t->context, t->record);
    chi_free(t->context, t->decoded);
}

ch_status chi_corpus_read_table(chi_corpus_reader *read, chi_list *names, chi_list *labels,
                                const char *path) {
    const ch_corpus_settings *set = read->settings;
    table t = {.context = read->context,
               .read = read,
               .wanted = {set->text_column, set->name_column, set->label_column}};
    read->is_utf8 = set->encoding != CH_ENCODING_UTF8;
    TRY(open_table(&t, path));
    ch_status status = read_records(&t, names, labels);
    close_table(&t);
    return status;
}

/* ---- which columns hold texts ---- */

enum { LOOKED_AT = 100, COLUMNS_MAX = 256 };

static int is_text(const char *field, int64_t length) {
    char copy[64], *end;
    if (length == 0) return 0;
    if (length >= (int64_t)sizeof copy) return 1;
    memcpy(copy, field, (size_t)length);
    copy[length] = '\0';
    if (chi_field_is_unknown(copy)) return 0; /* NA, in a column of numbers or of texts */
    strtod(copy, &end);
    return end == copy || *skip_space(end) != '\0';
}

/* Lists the columns of the first record by name, and whether a later record has a text there. */
static ch_status look_at_records(table *t, chi_list *all, char *texts) {
    int more;
    for (int record = 0; record <= LOOKED_AT; record++) {
        int64_t length, column = 0;
        TRY_OK(next_record(t, &more));
        if (!more) break;
        if (record == 0) choose_separator(t);
        char *at = t->record;
        if (record == 0 && !strncmp(at, "\xef\xbb\xbf", 3)) at += 3;
        for (; at && column < COLUMNS_MAX; column++) {
            const char *field = take_field(&at, &length, t->separator);
            if (record == 0)
                TRY(chi_list_add(all, field, length));
            else if (is_text(field, length))
                texts[column] = 1;
        }
    }
    return CH_OK;
}

/* Lists the keys of the first object whose values are strings. */
static ch_status look_at_object(table *t, chi_list *all, char *texts) {
    int more;
    TRY_OK(next_record(t, &more));
    char *at = more ? skip_space(t->record) : NULL;
    if (!at || *at++ != '{') return CH_OK;
    for (at = skip_space(at); *at == '"' && all->count < COLUMNS_MAX; at = skip_space(at)) {
        char *key = at + 1, *value;
        int64_t key_length, length;
        at = take_string(key, &key_length);
        if (!at || *(at = skip_space(at)) != ':') break;
        value = skip_space(at + 1);
        at = *value == '"' ? take_string(value + 1, &length) : skip_value(value);
        if (!at) break;
        texts[all->count] = *value == '"';
        TRY(chi_list_add(all, key, key_length));
        at = skip_space(at);
        if (*at == ',') at++;
    }
    return CH_OK;
}

static ch_status list_texts(table *t, ch_text_list *columns, chi_list *all, const char *texts) {
    chi_list chosen = {.context = t->context, .path = t->text.path};
    const char *name = all->bytes;
    int64_t count = 0;
    for (int64_t k = 0; k < all->count; k++) count += texts[k];
    int rows = t->separator && count == 1 && texts[0] && all->count > 1; /* names of rows */
    ch_status status = CH_OK;
    for (int64_t k = 0; k < all->count && status == CH_OK; k++, name += strlen(name) + 1)
        if (texts[k] && !rows) status = chi_list_add(&chosen, name, (int64_t)strlen(name));
    if (status == CH_OK) status = chi_list_give(columns, &chosen);
    chi_list_free(&chosen);
    return status;
}

ch_status ch_corpus_columns(ch_context *context, ch_text_list *columns, const char *path) {
    if (!context || !columns) return CH_ERR_ARGUMENT;
    if (!path || !*path)
        return chi_fail(context, CH_ERR_ARGUMENT, "the name of a file is missing or empty");
    if (!chi_corpus_is_table(path))
        return chi_fail(
            context, CH_ERR_FORMAT,
            "%s: the file must be a table with a name that ends in .csv, .tsv or .jsonl", path);
    table t = {.context = context};
    chi_list all = {.context = context, .path = path};
    char texts[COLUMNS_MAX] = {0};
    TRY(open_table(&t, path));
    ch_status status =
        t.separator ? look_at_records(&t, &all, texts) : look_at_object(&t, &all, texts);
    ch_text_list made;
    if (status == CH_OK) status = list_texts(&t, &made, &all, texts);
    if (status == CH_OK) *columns = made;
    if (status == CH_STOP_CANCELLED) *columns = (ch_text_list){0};
    chi_list_free(&all);
    close_table(&t);
    return status;
}
