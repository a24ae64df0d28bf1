/* Tables of numbers as text, plain or compressed by gzip: one line per row, dense, row-major f64.
 *
 * The separator is a tab for .tsv, else the first of comma, semicolon or tab that the first line
 * holds (the second line, when the first holds none); without any of them it is white space. Blank
 * lines and lines that begin with # are skipped. Headers and names are recognised as follows:
 *
 *     first line holds no number                header; row names too, if its first field is empty
 *                                               or it is one field shorter than the rows
 *     first line has an empty first field,      header and row names: these must be words, or count
 *     then numbers                              0 1 2 ... or 1 2 3 ...
 *     every row begins with a word              row names
 *
 * Any other field that is not a number is an error: nothing is guessed or filled in. Skipped lines
 * are logged. So is a first line whose numbers increase evenly (0 1 2 ..., years, wavelengths): it
 * is data, but looks like names of columns. Fields may be quoted, within one line.
 *
 * Rows of plain numbers, without names, are parsed on all threads (line_pieces.c); from the first
 * other line on, parsing goes line by line. */
#include "io/file/format.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef enum names_rule {
    NO_NAMES,
    ANY_NAMES,    /* the header says that the first field is a name                  */
    WORD_NAMES,   /* the first row begins with a word: every row must                */
    COUNTED_NAMES /* the header holds numbers: names are words, or count from 0 or 1 */
} names_rule;

typedef struct table {
    chi_text text;
    char separator; /* ' ': white space, which squeeze() reduces to one blank                */
    names_rule names;
    int corner;      /* the first line has an empty first field, and others after it */
    int64_t header;  /* fields of the header line; 0: none                           */
    int64_t columns; /* columns of numbers; 0 before the first row                   */
    int64_t rows, capacity;
    double *values;
    char *first;          /* the first non-empty line                          */
    int64_t first_number; /* its number                                        */
    int unplain;          /* there were lines other than plain numbers         */
    int rises;            /* its numbers increase by equal steps               */
    int64_t named_line;   /* WORD_NAMES: line of the first name                */
    char name[48];        /* its beginning                                     */
    double count_from;    /* COUNTED_NAMES: the first row's number; NaN: words */
    int keeps;            /* names are requested                               */
    chi_list row_names;
} table;

/* Counts separators outside quotes. */
static int64_t count_marks(const char *line, char separator) {
    int quoted = 0;
    int64_t count = 0;
    for (; *line; line++) {
        quoted ^= *line == '"';
        count += *line == separator && !quoted;
    }
    return count;
}

static int is_space(char c) {
    return c == ' ' || c == '\t';
}

/* Returns whether there is white space between fields. */
static int holds_space(const char *line) {
    int quoted = 0;
    while (is_space(*line)) line++;
    for (; *line; line++) {
        quoted ^= *line == '"';
        if (is_space(*line) && !is_space(line[1]) && line[1] && !quoted) return 1;
    }
    return 0;
}

/* Returns the length of "12,5" at text, or 0 if it is something else. */
static size_t decimal_comma(const char *text) {
    size_t whole = strspn(text, "-+0123456789"), part;
    if (!whole || text[whole] != ',') return 0;
    part = strspn(text + whole + 1, "0123456789eE");
    return part ? whole + 1 + part : 0;
}

static int is_decimal_comma(const char *field) {
    size_t length = decimal_comma(field);
    return length && !field[length];
}

/* Returns whether one of the fields made by this separator looks like 1,5. */
static int holds_decimal_comma(const char *line, char separator) {
    for (const char *at = line;; at++) {
        size_t length = decimal_comma(at);
        if (length && (!at[length] || at[length] == separator)) return 1;
        at = strchr(at, separator);
        if (!at) return 0;
    }
}

/* Returns the separator, or 0 if the line has none. For 1,5;2,5 it is the semicolon, so that the
 * message can explain it. */
static char find_mark(const char *line) {
    static const char choices[] = ",;\t";
    for (const char *choice = choices + 1; *choice; choice++)
        if (count_marks(line, *choice) && holds_decimal_comma(line, *choice)) return *choice;
    for (const char *choice = choices; *choice; choice++)
        if (count_marks(line, *choice)) return *choice;
    return 0;
}

static int is_tsv(const char *path) {
    return chi_has_suffix(path, ".tsv") || chi_has_suffix(path, ".tsv.gz");
}

/* Decides from the first two lines; second is NULL if there is none. A title above the table, or a
 * header of one word, does not show the separator. */
static char find_separator(const char *path, const char *first, const char *second) {
    int tabs = is_tsv(path);
    const char *shows = second ? second : first;
    if (tabs && (count_marks(first, '\t') || count_marks(shows, '\t'))) return '\t';
    char mark = tabs ? 0 : find_mark(first);
    if (!mark && !tabs) mark = find_mark(shows);
    if (mark) return mark;
    if (holds_space(shows)) return ' ';
    return tabs ? '\t' : ',';
}

/* White space as separator: one blank between fields, none around the line. */
static void squeeze(char *line) {
    int quoted = 0;
    char *to = line;
    for (const char *from = line; *from; from++) {
        quoted ^= *from == '"';
        if (!is_space(*from) || quoted)
            *to++ = *from;
        else if (to > line && to[-1] != ' ')
            *to++ = ' ';
    }
    if (to > line && to[-1] == ' ') to--;
    *to = '\0';
}

static int is_blank(char c, char separator) {
    return is_space(c) && c != separator;
}

/* Cuts the field at *at out of the line: removes blanks and quotes around it and ends it by a zero.
 * *at moves to the next field, or becomes NULL after the last. Returns NULL if a quote is not
 * closed properly. */
static char *next_field(char **at, char separator) {
    char *from = *at, *to, *after;
    while (is_blank(*from, separator)) from++;
    if (*from == '"') {
        to = after = ++from;
        for (; *after && (*after != '"' || after[1] == '"'); after++) {
            if (*after == '"') after++; /* "" inside quotes is one quote */
            *to++ = *after;
        }
        if (*after++ != '"') return NULL;
        while (is_blank(*after, separator)) after++;
        if (*after && *after != separator) return NULL;
    } else {
        for (after = from; *after && *after != separator;) after++;
        for (to = after; to > from && is_blank(to[-1], separator);) to--;
    }
    *at = *after ? after + 1 : NULL;
    *to = '\0';
    return from;
}

static int parse_field(double *value, const char *field) {
    const char *after = chi_number_parse(value, field);
    return after && !*after;
}

/* Returns whether the field can only be a number, not a name. */
static int means_number(const char *field) {
    double ignored;
    return parse_field(&ignored, field) || is_decimal_comma(field);
}

/* Parses the usual field, a plain number up to the separator, without cutting it out first. */
static inline int parse_bare(double *value, char **at, char separator) {
    const char *after = chi_number_parse(value, *at);
    if (!after || (*after && *after != separator)) return 0;
    *at = *after ? (char *)after + 1 : NULL;
    return 1;
}

/* Returns the next non-empty line; NULL at the end. */
static ch_status content_line(table *t, char **line) {
    char *end, *at;
    do {
        ch_status status = chi_text_line(&t->text, line, &end);
        if (status != CH_OK || !*line) return status;
        if (strlen(*line) != (size_t)(end - *line))
            return chi_text_fail(
                &t->text, "the line contains a zero byte, so this is not a text file", *line);
        for (at = *line; *at == ' ' || (*at == '\t' && t->separator != '\t');) at++;
    } while (!*at || *at == '#');
    if (t->separator == ' ') squeeze(*line);
    return CH_OK;
}

static ch_status unclosed(const table *t) {
    return chi_text_fail(&t->text,
                         "the closing quote of a quoted field is missing, or text follows it", "");
}

static ch_status bad_field(const table *t, int64_t number, const char *field) {
    char what[120];
    const char *why =
        is_decimal_comma(field) ? "is not a number (decimal commas? write 1.5)"
        : *field                ? "is not a number"
                 : "is empty; every row needs all its numbers; write NaN for an unknown one";
    snprintf(what, sizeof what, "field %lld %s", (long long)number, why);
    return chi_text_fail(&t->text, what, field);
}

/* next_field() changes the line, so a line that is needed again is copied. */
static char *copy_line(table *t, const char *line) {
    char *copy = chi_take(t->text.context, t->text.path, "a line", (int64_t)strlen(line) + 1, 1);
    return copy ? strcpy(copy, line) : NULL;
}

/* Consecutive numbers: how many, and whether they increase by equal steps. */
typedef struct steps {
    int64_t count;
    double first, last, step;
    int uneven;
} steps;

static void add_step(steps *all, double value) {
    double step = value - all->last, least = 1e-9 * fabs(value); /* .1 .2 .3 are rounded */
    if (all->count == 0) all->first = value;
    if (all->count == 1) all->step = step;
    if (all->count >= 1 && !(step > least && fabs(step - all->step) <= least)) all->uneven = 1;
    all->last = value;
    all->count++;
}

/* Decides whether the first line is a header, and whether there are names below it. */
static ch_status look_at_first(table *t) {
    int64_t fields = 0, numbers = 0, words = 0;
    steps all = {0};
    int like_number = 0;
    ch_status status = CH_OK;
    char *copy = copy_line(t, t->first), *at = copy;
    if (!copy) return CH_ERR_MEMORY;
    for (; at; fields++) {
        char *field = next_field(&at, t->separator);
        if (!field) {
            status = unclosed(t);
            break;
        }
        if (fields == 0) {
            t->corner = !*field && at;
            like_number = *field && strchr("+-.0123456789", *field);
        }
        double value;
        int number = means_number(field);
        numbers += number;
        words += !number && *field;
        if (parse_field(&value, field)) add_step(&all, value);
    }
    chi_free(t->text.context, copy);
    /* Three numbers may well be data, unless they count from 0 or follow a word. */
    t->rises = !all.uneven && all.count >= (words || all.first == 0 ? 3 : 4);
    if (!numbers && words && !(fields == 1 && like_number)) { /* "1 2" alone is not a title */
        t->header = fields;
        t->names = t->corner ? ANY_NAMES : NO_NAMES;
    } else if (t->corner && numbers) {
        t->header = fields;
        t->names = COUNTED_NAMES;
    }
    return status;
}

/* From the first row: the number of numbers, and whether a name precedes them. */
static ch_status look_at_row(table *t, const char *line) {
    int64_t fields = 1 + count_marks(line, t->separator);
    if (t->names == NO_NAMES && t->header > 1 && fields == t->header + 1)
        t->names = *line == '"' ? ANY_NAMES : COUNTED_NAMES;
    if (t->names == NO_NAMES && fields > 1) {
        char *copy = copy_line(t, line), *at = copy;
        if (!copy) return CH_ERR_MEMORY;
        const char *field = next_field(&at, t->separator);
        if (field && *field && !means_number(field)) {
            t->names = WORD_NAMES;
            t->named_line = t->text.number;
            snprintf(t->name, sizeof t->name, "%s", field);
        }
        chi_free(t->text.context, copy);
    }
    t->columns = fields - (t->names != NO_NAMES);
    if (t->columns == 0)
        return chi_text_fail(&t->text, "the line has a name, but no numbers", line);
    return CH_OK;
}

/* The first row that breaks the rule for names shows that the first line was misjudged. */
static ch_status refuse_name(table *t) {
    char what[160];
    long long here = t->text.number;
    if (t->names == WORD_NAMES) {
        t->text.number = t->named_line;
        snprintf(what, sizeof what,
                 "field 1 is not a number (nor a row name: line %lld begins with a number)", here);
        return chi_text_fail(&t->text, what, t->name);
    }
    t->text.number = t->first_number;
    snprintf(what, sizeof what, "%s: line %lld does not begin with a row name or the next count",
             t->corner ? "field 1 is empty, but this is not a header"
                       : "this line has one field fewer than the rows, but the rows have no names",
             here);
    return chi_text_fail(&t->text, what, "");
}

static ch_status check_name(table *t, const char *name) {
    double value;
    int number = parse_field(&value, name), fine = t->names == ANY_NAMES || !number;
    if (t->names == COUNTED_NAMES) {
        if (t->rows == 0) t->count_from = number ? value : NAN;
        int counts = t->count_from == 0 || t->count_from == 1;
        fine = number ? counts && value == t->count_from + (double)t->rows
                      : *name && isnan(t->count_from);
    }
    return fine ? CH_OK : refuse_name(t);
}

/* Makes space for one more row. The first estimate comes from the length of a line and of the file,
 * so that most tables are allocated once; one long line in a small file gets one row. With gzip the
 * length of the text is unknown, so space grows with the rows. */
static ch_status reserve_row(table *t, const char *line) {
    if (t->rows < t->capacity) return CH_OK;
    int64_t guess = t->rows ? 2 * t->rows : 1, length = (int64_t)strlen(line) + 1;
    if (t->rows == 0 && t->text.size >= length && !t->text.packed)
        guess = (t->text.size + length - 1) / length * 9 / 8;
    int64_t count;
    if (__builtin_mul_overflow(guess, t->columns, &count)) count = INT64_MAX;
    TRY(chi_array_enlarge(t->text.context, &t->values, t->rows * t->columns, count,
                          sizeof *t->values, t->text.path, "values"));
    t->capacity = guess;
    return CH_OK;
}

static ch_status read_row(table *t, char *line) {
    int64_t field_number = 1, j = 0;
    char *at = line;
    if (t->columns == 0) TRY(look_at_row(t, line));
    TRY(reserve_row(t, line));
    double *row = t->values + t->rows * t->columns;
    if (t->names != NO_NAMES) {
        const char *name = next_field(&at, t->separator);
        if (!name) return unclosed(t);
        TRY(check_name(t, name));
        if (t->keeps) TRY(chi_list_add(&t->row_names, name, (int64_t)strlen(name)));
        field_number++;
    }
    for (; at && j < t->columns; j++, field_number++) {
        if (parse_bare(&row[j], &at, t->separator)) continue;
        char *field = next_field(&at, t->separator);
        if (!field) return unclosed(t);
        if (!parse_field(&row[j], field)) return bad_field(t, field_number, field);
    }
    if (at || j < t->columns)
        return chi_fail(
            t->text.context, CH_ERR_FORMAT,
            "%s: line %lld: this row has %s %lld numbers, but the rows before it have %lld",
            t->text.path, (long long)t->text.number, at ? "more than" : "only", (long long)j,
            (long long)t->columns);
    t->rows++;
    return CH_OK;
}

/* ---- rows of bare numbers ---- */

static ch_status reserve_rows(void *user, int64_t lines, int *plain) {
    table *t = user;
    int64_t wanted = t->rows + lines, count;
    (void)plain;
    if (wanted <= t->capacity) return CH_OK;
    if (wanted < 2 * t->rows) wanted = 2 * t->rows;
    if (__builtin_mul_overflow(wanted, t->columns, &count)) count = INT64_MAX;
    TRY(chi_array_enlarge(t->text.context, &t->values, t->rows * t->columns, count,
                          sizeof *t->values, t->text.path, "values"));
    t->capacity = wanted;
    return CH_OK;
}

static const char *parse_plain(void *user, const char *at, int64_t number) {
    const table *t = user;
    double *row = t->values + (t->rows + number) * t->columns;
    for (int64_t j = 0; j < t->columns; j++) {
        while (*at == ' ') at++;
        at = chi_number_parse(&row[j], at);
        if (!at) return NULL;
        if (j + 1 < t->columns && *at++ != t->separator) return NULL;
    }
    at += *at == '\r';
    return *at == '\n' ? at + 1 : NULL;
}

static ch_status read_plain_rows(table *t) {
    static const chi_line_kind kind = {reserve_rows, parse_plain};
    int64_t taken;
    if (t->names != NO_NAMES || t->separator == ' ' || t->unplain) return CH_OK;
    TRY(chi_text_parse(&t->text, &taken, &kind, t));
    t->unplain = taken < 0;
    if (taken > 0) t->rows += taken;
    return CH_OK;
}

/* Reads the first line and judges it by the second, which is in *line afterwards; NULL if there is
 * none. */
static ch_status read_first(table *t, char **line) {
    TRY_OK(content_line(t, line));
    if (!*line) return CH_OK;
    t->first = copy_line(t, *line);
    t->first_number = t->text.number;
    if (!t->first) return CH_ERR_MEMORY;
    TRY_OK(content_line(t, line));
    t->separator = find_separator(t->text.path, t->first, *line);
    if (t->separator == ' ') {
        squeeze(t->first);
        if (*line) squeeze(*line);
    }
    int64_t second_number = t->text.number;
    t->text.number = t->first_number;
    TRY(look_at_first(t));
    if (!t->header) TRY(read_row(t, t->first));
    t->text.number = second_number;
    return CH_OK;
}

static ch_status read_table(table *t) {
    char *line;
    ch_status status = read_first(t, &line);
    while (status == CH_OK && line) {
        status = read_row(t, line);
        if (status == CH_OK) status = read_plain_rows(t);
        if (status == CH_OK) status = content_line(t, &line);
    }
    if (status == CH_OK && t->rows == 0)
        status = chi_fail(t->text.context, CH_ERR_FORMAT,
                          "%s: the file contains no rows of numbers", t->text.path);
    return status;
}

/* Takes the header fields above numbers as names; none if it has another number of fields, like a
 * title. */
static ch_status name_columns(table *t, ch_text_list *names) {
    chi_list list = {.context = t->text.context, .path = t->text.path};
    int64_t before = t->header - t->columns;
    if (t->header == 0 || !(before == 0 || (before == 1 && t->names != NO_NAMES))) return CH_OK;
    ch_status status = CH_OK;
    char *at = t->first;
    for (int64_t k = 0; at && status == CH_OK; k++) {
        const char *field = next_field(&at, t->separator); /* look_at_first() has checked it */
        if (k >= before) status = chi_list_add(&list, field, (int64_t)strlen(field));
    }
    if (status == CH_OK) status = chi_list_give_names(names, &list);
    chi_list_free(&list);
    return status;
}

static ch_status take_names(table *t, ch_matrix_names *names) {
    if (!t->keeps) return CH_OK;
    TRY(name_columns(t, &names->columns));
    return chi_list_give_names(&names->rows, &t->row_names);
}

static void tell_reading(const table *t, const ch_matrix_names *taken) {
    int names = t->names != NO_NAMES;
    if (t->header || names)
        chi_log(t->text.context, CH_LOG_INFO, "%s: %s%s%s %s", t->text.path,
                t->header ? "header line" : "", t->header && names ? " and " : "",
                names ? "row names" : "",
                taken && (taken->rows.count || taken->columns.count) ? "used as names" : "skipped");
    if (t->rises && !t->header && t->rows > 1)
        chi_log(t->text.context, CH_LOG_WARNING,
                "%s: the numbers of line %lld increase evenly, as in a header; the line is read as "
                "data, delete it if it is a header",
                t->text.path, (long long)t->first_number);
}

ch_status chi_csv_read(ch_context *context, ch_matrix *X, const char *path, chi_request *request) {
    table t = {.separator = is_tsv(path) ? '\t' : ',',
               .keeps = request->names != NULL,
               .row_names = {.context = context, .path = path}};
    TRY(chi_text_open(context, &t.text, path));
    ch_status status = read_table(&t);
    if (status == CH_OK) status = take_names(&t, request->names);
    chi_store *store = status == CH_OK ? chi_store_create(context) : NULL;
    if (status == CH_OK && !store) status = CH_ERR_MEMORY;
    chi_free(context, t.first);
    chi_list_free(&t.row_names);
    if (status == CH_OK) {
        tell_reading(&t, request->names);
        store->values = t.values;
        chi_store_dense(X, store, t.values, t.rows, t.columns, CH_ROW_MAJOR, CH_F64);
    } else {
        chi_free(context, t.values);
    }
    chi_text_close(&t.text);
    return status;
}
