/* Tables of numbers as text, plain or compressed by gzip: one line per row, dense, row-major f64.
 * table_fields.c cuts lines into fields.
 *
 * The separator is a tab for .tsv, else the first of comma, semicolon or tab that the first line
 * holds (the second line, when the first holds none); without any of them it is white space. A
 * first line sep=; states it. request.decimal_comma excludes commas outside quotes. Blank
 * lines and lines that begin with # are skipped. Headers and names are recognised as follows:
 *
 *     first line holds no number                header; row names too, if its first field is empty
 *                                               or it is one field shorter than the rows
 *     first line has an empty first field,      header and row names: these must be words, or count
 *     then numbers                              0 1 2 ... or 1 2 3 ...
 *     every row begins with a word              row names
 *     request.index names or numbers a column   row names; a first line that holds the name is a
 *                                               header, whatever else it holds
 *     request.drop names or numbers columns     they are left out before all of this; a first line
 *                                               that holds a name is a header
 *
 * A header has as many fields as the rows, or one fewer if it has none above the names of the rows.
 * Any other header is refused, except a title, which is one field. An empty last field of all lines
 * comes from a separator at their ends; it is no column.
 *
 * A field that is empty or holds NA or a similar word is NaN, if request.unknown_as_nan is set. Any
 * other field that is not a number is an error: nothing is guessed or filled in. Skipped lines are
 * logged. So is a first line whose numbers increase evenly (0 1 2 ..., years, wavelengths): it is
 * data, but looks like names of columns. Fields may be quoted, within one line.
 *
 * Rows of plain numbers, without names, are parsed on all threads (line_pieces.c); from the first
 * other line on, parsing goes line by line. */
#include "io/matrix/table_drop.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

typedef enum names_rule {
    NO_NAMES,
    ANY_NAMES,    /* the header says that the first field is a name                  */
    WORD_NAMES,   /* the first row begins with a word: every row must                */
    COUNTED_NAMES /* the header holds numbers: names are words, or count from 0 or 1 */
} names_rule;

typedef struct table {
    chi_text text;
    char separator; /* ' ': white space, which chi_blanks_squeeze() reduces to one blank */
    names_rule names;
    int corner;       /* the first line has an empty first field, and others after it */
    int64_t header;   /* fields of the header line; 0: none                           */
    int64_t columns;  /* columns of numbers; 0 before the first row                   */
    int64_t trailing; /* empty fields that every line has at its end             */
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
    const char *index;    /* the column of names, by name or number; NULL: the first, if any  */
    int64_t name_at;      /* its place among the fields of a row, from 0                      */
    int64_t row_fields;   /* fields of a row                                                  */
    int64_t first_kept;   /* place of the first field that is not left out                    */
    int name_is_named;    /* `index` is the name of that column, not its number               */
    int unknown_as_nan;   /* 1: fields such as NA are read as NaN                             */
    int decimal_comma;    /* 1: numbers are written as in 1.139,66                            */
    int64_t unknown;      /* number of such fields                                            */
    int64_t unknown_line; /* line of the first one                                            */
    chi_dropped dropped;  /* columns that are left out                                        */
    chi_list row_names;
} table;

/* Parses the usual field, a plain number up to the separator, without cutting it out first. */
static inline int parse_bare(double *value, char **at, char separator) {
    const char *after = chi_number_parse(value, *at);
    if (!after || (*after && *after != separator)) return 0;
    *at = *after ? (char *)after + 1 : NULL;
    return 1;
}

static int parse_field(const table *t, double *value, const char *field) {
    return t->decimal_comma ? chi_field_parse_comma(value, field) : chi_field_parse(value, field);
}

/* Returns the next non-empty line; NULL at the end. */
static ch_status content_line(table *t, char **line) {
    char *end, *at;
    do {
        ch_status status = chi_text_line(&t->text, line, &end);
        if (status != CH_OK || !*line) return status;
        if (strlen(*line) != (size_t)(end - *line))
            return chi_text_fail(&t->text,
                                 "the line contains a zero byte: the file is binary, or it is "
                                 "UTF-16 text without a byte order mark (text must be UTF-8, or "
                                 "UTF-16 with a byte order mark)",
                                 *line);
        for (at = *line; *at == ' ' || (*at == '\t' && t->separator != '\t');) at++;
    } while (!*at || (*at == '#' && strncasecmp(at, "#N/A", 4) != 0)); /* that is a value */
    if (t->separator == ' ') chi_blanks_squeeze(*line);
    return CH_OK;
}

static ch_status unclosed(const table *t) {
    return chi_text_fail(&t->text,
                         "the closing quote of a quoted field is missing, or text follows it", "");
}

/* chi_field_next() changes the line, so a line that is needed again is copied. */
static char *copy_line(table *t, const char *line) {
    char *copy = chi_take(t->text.context, t->text.path, "a line", (int64_t)strlen(line) + 1, 1);
    return copy ? strcpy(copy, line) : NULL;
}

/* Writes " (fat)" for the field of a row, whose number is from 1, if the header names it; else
 * "". */
static void name_field(table *t, char shown[48], int64_t number) {
    int64_t place = number - 1 - (t->row_fields - t->header);
    const char *name = "";
    int title = t->header == 1 && t->row_fields > 2;
    char *copy = t->header && !title && place >= 0 ? copy_line(t, t->first) : NULL, *at = copy;
    for (int64_t k = 0; at && name && k <= place; k++) name = chi_field_next(&at, t->separator);
    shown[0] = '\0';
    if (copy && name && *name) snprintf(shown, 48, " (%.40s)", name);
    chi_free(t->text.context, copy);
}

static const char *explain_field(const table *t, const char *field) {
    if (!*field) return "is empty; every row needs all its numbers; write NaN for an unknown one";
    if (chi_field_is_unknown(field))
        return "stands for a missing value, but a number is needed here";
    if (chi_field_has_comma(field))
        return "is not a number; for decimal commas give --decimal comma (setting decimal_comma)";
    if (t->decimal_comma && chi_field_means_number(field))
        return "has a decimal point, but --decimal comma (setting decimal_comma) is given";
    if (!t->header) return "is not a number";
    if (t->rows > 0) return "is not a number; correct it, or leave out the column with --drop";
    if (t->index) return "is not a number; if the column holds words, --drop leaves it out";
    if (t->names == NO_NAMES)
        return "is not a number; if the column names the rows, give its number with --index; "
               "--drop leaves out a column of words";
    return "is not a number; if the column holds words, --drop leaves it out; if it names the "
           "rows, give its number with --index";
}

static ch_status bad_field(table *t, int64_t number, const char *field) {
    char what[240], name[48];
    name_field(t, name, number);
    snprintf(what, sizeof what, "field %lld%s %s", (long long)number, name,
             explain_field(t, field));
    return chi_text_fail(&t->text, what, field);
}

/* A field that is not a plain number up to the separator. */
static ch_status take_field(table *t, double *value, int64_t number, const char *field) {
    if (parse_field(t, value, field)) return CH_OK;
    if (!t->unknown_as_nan || !chi_field_is_unknown(field)) return bad_field(t, number, field);
    *value = NAN;
    if (t->unknown++ == 0) t->unknown_line = t->text.number;
    return CH_OK;
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

/* What the first line holds. */
typedef struct first_fields {
    int64_t count, numbers,
        words;       /* fields in all, with a number, and with words of a header      */
    steps all;       /* its numbers                                                   */
    int like_number; /* its first field begins like a number                          */
    int64_t index;   /* place of the field that t->index names; -1: there is none     */
    int64_t indices; /* number of such fields                                         */
} first_fields;

static ch_status survey_first(table *t, first_fields *f) {
    char *end = NULL, *copy = copy_line(t, t->first), *at = copy;
    int64_t given = t->index && *t->index ? strtoll(t->index, &end, 10) : 0;
    int64_t numbered = given > 0 && !*end ? given - 1 : -1;
    *f = (first_fields){.index = -1};
    if (!copy) return CH_ERR_MEMORY;
    for (; at; f->count++) {
        char *field = chi_field_next(&at, t->separator);
        if (!field) break;
        if (chi_is_dropped(&t->dropped, f->count)) continue;
        if (f->count == t->first_kept) {
            t->corner = !*field && at;
            f->like_number = *field && strchr("+-.0123456789", *field);
        }
        double value;
        int number = parse_field(t, &value, field) || chi_field_means_number(field);
        f->numbers += number;
        int unknown = t->unknown_as_nan && chi_field_is_unknown(field);
        f->words += !number && !unknown && *field && f->count != numbered;
        if (parse_field(t, &value, field)) add_step(&f->all, value);
        if (t->index && strcmp(field, t->index) == 0 && f->indices++ == 0) f->index = f->count;
    }
    ch_status status = at ? unclosed(t) : CH_OK;
    chi_free(t->text.context, copy);
    if (numbered >= 0 && numbered < f->count) f->index = -1; /* 1 is a number, not a name */
    t->name_at = f->index >= 0 ? f->index : numbered;
    t->name_is_named = f->index >= 0;
    return status;
}

/* With t->index: the column of names is given, and a header is what holds its name, or no number
 * elsewhere. */
static ch_status apply_index(table *t, const first_fields *f) {
    t->names = ANY_NAMES;
    if (t->name_at < 0)
        return chi_fail(
            t->text.context, CH_ERR_ARGUMENT,
            "%s: no column is called \"%s\" in line %lld; give the name of a column, or "
            "its number from 1",
            t->text.path, t->index, (long long)t->first_number);
    if (f->index >= 0 && f->indices > 1)
        return chi_fail(t->text.context, CH_ERR_ARGUMENT,
                        "%s: %lld columns are called \"%s\" in line %lld; give the number of the "
                        "column of names, from 1",
                        t->text.path, (long long)f->indices, t->index, (long long)t->first_number);
    if (f->index >= 0 || t->dropped.named || (f->words && f->numbers == 0)) t->header = f->count;
    return CH_OK;
}

static ch_status find_dropped(table *t) {
    char *copy = copy_line(t, t->first);
    if (!copy) return CH_ERR_MEMORY;
    ch_status status = chi_dropped_find(t->text.context, &t->dropped, t->text.path, t->first_number,
                                        copy, t->separator);
    chi_free(t->text.context, copy);
    while (chi_is_dropped(&t->dropped, t->first_kept)) t->first_kept++;
    return status;
}

/* Decides whether the first line is a header, and whether there are names below it. */
static ch_status look_at_first(table *t) {
    first_fields f;
    TRY(find_dropped(t));
    TRY(survey_first(t, &f));
    /* Three numbers may well be data, unless they count from 0 or follow a word. */
    t->rises = !f.all.uneven && f.all.count >= (f.words || f.all.first == 0 ? 3 : 4);
    if (t->index) return apply_index(t, &f);
    t->name_at = t->first_kept;
    if (t->dropped.named ||
        (!f.numbers && f.words && !(f.count == 1 && f.like_number))) { /* "1 2" alone is no title */
        t->header = f.count;
        t->names = t->corner ? ANY_NAMES : NO_NAMES;
    } else if (t->corner && f.numbers) {
        t->header = f.count;
        t->names = COUNTED_NAMES;
    }
    return CH_OK;
}

/* Returns what is wrong with a header of another length than the rows. */
static const char *explain_length(const table *t, const char *line, int64_t fields) {
    if (t->header > fields && chi_last_is_empty(t->first, t->separator))
        return "the header ends with a separator that the rows do not have; delete it";
    if (t->header < fields && chi_last_is_empty(line, t->separator))
        return "the rows end with a separator that the header does not have; delete it there";
    if (t->header + 1 < fields && t->separator == ',')
        return "if the numbers have decimal commas, save the table with semicolons between the "
               "fields and give --decimal comma; if the line is a title, delete it";
    return "a header has as many fields as the rows, or one fewer if it has none above the names "
           "of the rows; if the line is a title, delete it";
}

/* Refuses a header that does not show which of its fields belongs to which column. A title is one
 * field. */
static ch_status check_header(const table *t, const char *line, int64_t fields) {
    int title = t->header == 1 && !t->dropped.named && !t->name_is_named;
    int shorter = t->header + 1 == fields && t->names != NO_NAMES && !t->corner;
    int empty_line = chi_last_is_empty(line, t->separator);
    if (t->header == 0 || title || (shorter && !empty_line)) return CH_OK;
    if (t->header != fields)
        return chi_fail(t->text.context, CH_ERR_FORMAT,
                        "%s: line %lld has %lld field%s, but line %lld has %lld: %s", t->text.path,
                        (long long)t->first_number, (long long)t->header, t->header == 1 ? "" : "s",
                        (long long)t->text.number, (long long)fields,
                        explain_length(t, line, fields));
    if (t->names == NO_NAMES || t->corner || t->index || empty_line ||
        !chi_last_is_empty(t->first, t->separator))
        return CH_OK;
    return chi_fail(t->text.context, CH_ERR_FORMAT,
                    "%s: the last field of line %lld is empty, but that of line %lld is not, so "
                    "the header does not say which name belongs to which column; name the last "
                    "column, or delete the separator at the end of the header",
                    t->text.path, (long long)t->first_number, (long long)t->text.number);
}

/* Refuses a first row of words: it is a header below a title, or holds units. */
static ch_status check_words(table *t, const char *line, int64_t fields) {
    char *copy = fields > 2 && t->header ? copy_line(t, line) : NULL, *at = copy;
    int64_t words = 0, numbers = 0;
    double ignored;
    for (int64_t f = 0; at; f++) {
        const char *field = chi_field_next(&at, t->separator);
        if (!field) break;
        int number = parse_field(t, &ignored, field) || chi_field_means_number(field);
        int named = t->names != NO_NAMES && f == t->name_at;
        if (chi_is_dropped(&t->dropped, f) || named) continue;
        numbers += number;
        words += !number && !chi_field_is_unknown(field);
    }
    chi_free(t->text.context, copy);
    if (words < 2 || numbers > 0) return CH_OK;
    char what[160];
    snprintf(what, sizeof what,
             "this line below the header (line %lld) has no numbers; if one of the two is a title "
             "or holds units, delete it",
             (long long)t->first_number);
    return chi_text_fail(&t->text, what, line);
}

/* From the first row: the number of numbers, and whether a name precedes them. */
static ch_status look_at_row(table *t, const char *line) {
    int64_t fields = 1 + chi_marks_count(line, t->separator);
    if (t->names == NO_NAMES && t->header > 1 && fields == t->header + 1)
        t->names = *line == '"' ? ANY_NAMES : COUNTED_NAMES;
    if (t->names == NO_NAMES && fields > 1) {
        char *copy = copy_line(t, line), *at = copy;
        if (!copy) return CH_ERR_MEMORY;
        const char *field = chi_field_next(&at, t->separator);
        for (int64_t k = 0; k < t->first_kept && field && at; k++)
            field = chi_field_next(&at, t->separator);
        double ignored;
        if (field && *field && !parse_field(t, &ignored, field) && !chi_field_means_number(field) &&
            !(t->unknown_as_nan && chi_field_is_unknown(field))) {
            t->names = WORD_NAMES;
            t->named_line = t->text.number;
            snprintf(t->name, sizeof t->name, "%s", field);
        }
        chi_free(t->text.context, copy);
    }
    int64_t gone = 0;
    t->row_fields = fields;
    for (int64_t f = 0; f < fields; f++) gone += chi_is_dropped(&t->dropped, f);
    t->dropped.count = gone; /* numbers beyond the last field have no effect */
    t->columns = fields - gone - (t->names != NO_NAMES && !chi_is_dropped(&t->dropped, t->name_at));
    if (t->columns <= 0)
        return chi_text_fail(&t->text,
                             gone ? "no column of numbers is left; all are dropped or names"
                                  : "the line has a name, but no numbers",
                             line);
    if (t->index && chi_is_dropped(&t->dropped, t->name_at))
        return chi_fail(t->text.context, CH_ERR_ARGUMENT,
                        "%s: column %s cannot hold the names of the rows and be left out (drop)",
                        t->text.path, t->index);
    if (t->dropped.named && fields == t->header + 1)
        return chi_fail(t->text.context, CH_ERR_ARGUMENT,
                        "%s: line %lld has one field more than the header, so the header does not "
                        "say which columns to leave out; give their numbers, from 1",
                        t->text.path, (long long)t->text.number);
    if (t->name_is_named && fields == t->header + 1)
        return chi_fail(t->text.context, CH_ERR_ARGUMENT,
                        "%s: line %lld has one field more than the header, so the header does not "
                        "say which column is \"%s\"; give the number of the column, from 1",
                        t->text.path, (long long)t->text.number, t->index);
    TRY(check_words(t, line, fields));
    TRY(check_header(t, line, fields));
    if (t->name_at >= fields)
        return chi_fail(t->text.context, CH_ERR_ARGUMENT,
                        "%s: column %s cannot contain the names, because line %lld has only %lld "
                        "fields",
                        t->text.path, t->index, (long long)t->text.number, (long long)fields);
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
    int number = parse_field(t, &value, name), fine = t->names == ANY_NAMES || !number;
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

static ch_status take_name(table *t, char **at) {
    const char *name = chi_field_next(at, t->separator);
    if (!name) return unclosed(t);
    TRY(check_name(t, name));
    return t->keeps ? chi_list_add(&t->row_names, name, (int64_t)strlen(name)) : CH_OK;
}

/* Removes the separators at the end of the line that the first two lines have too. */
static ch_status cut_trailing(const table *t, char *line) {
    for (int64_t k = 0; k < t->trailing; k++)
        if (!chi_last_cut(line, t->separator))
            return chi_text_fail(
                &t->text,
                "the last field is empty in the lines before, so it is no column, but this line "
                "does not end with a separator; write NaN for an unknown value",
                "");
    return CH_OK;
}

static ch_status read_row(table *t, char *line) {
    int64_t f = 0, j = 0;
    char *at = line;
    if (t->columns == 0) TRY(look_at_row(t, line));
    TRY(reserve_row(t, line));
    double *row = t->values + t->rows * t->columns;
    int64_t name_at = t->names == NO_NAMES ? -1 : t->name_at;
    int64_t fields = t->columns + (name_at >= 0) + t->dropped.count;
    for (; at && f < fields; f++) {
        if (chi_is_dropped(&t->dropped, f)) {
            if (!chi_field_next(&at, t->separator)) return unclosed(t);
            continue;
        }
        if (f == name_at) {
            TRY(take_name(t, &at));
            continue;
        }
        if (t->decimal_comma || !parse_bare(&row[j], &at, t->separator)) {
            char *field = chi_field_next(&at, t->separator);
            if (!field) return unclosed(t);
            TRY(take_field(t, &row[j], f + 1, field));
        }
        j++;
    }
    if (at || f < fields)
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
    if (t->names != NO_NAMES || t->separator == ' ' || t->unplain || t->dropped.count ||
        t->trailing || t->decimal_comma)
        return CH_OK;
    TRY(chi_text_parse(&t->text, &taken, &kind, t));
    t->unplain = taken < 0;
    if (taken > 0) t->rows += taken;
    return CH_OK;
}

static ch_status find_separator(table *t, const char *second) {
    t->separator = t->decimal_comma ? chi_separator_beside_commas(t->text.path, t->first, second)
                                    : chi_separator_find(t->text.path, t->first, second);
    if (t->separator) return CH_OK;
    return chi_fail(t->text.context, CH_ERR_FORMAT,
                    "%s: the fields are separated by commas, so decimal commas cannot be "
                    "distinguished from separators; save the table with semicolons or tabs "
                    "between the fields, or remove --decimal comma (setting decimal_comma)",
                    t->text.path);
}

/* Reads the first line and judges it by the second, which is in *line afterwards; NULL if there is
 * none. */
static ch_status read_first(table *t, char **line) {
    TRY_OK(content_line(t, line));
    char stated = *line ? chi_separator_stated(*line) : 0;
    if (stated) {
        t->separator = stated; /* blank lines may hold tabs */
        TRY_OK(content_line(t, line));
    }
    if (!*line) return CH_OK;
    t->first = copy_line(t, *line);
    t->first_number = t->text.number;
    if (!t->first) return CH_ERR_MEMORY;
    TRY_OK(content_line(t, line));
    if (!stated) TRY(find_separator(t, *line));
    if (t->separator == ' ') {
        chi_blanks_squeeze(t->first);
        if (*line) chi_blanks_squeeze(*line);
    }
    while (*line && t->separator != ' ' && chi_last_is_empty(t->first, t->separator) &&
           chi_last_is_empty(*line, t->separator)) {
        chi_last_cut(t->first, t->separator);
        chi_last_cut(*line, t->separator);
        t->trailing++;
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
        if (status == CH_OK && line) status = cut_trailing(t, line);
    }
    if (status == CH_OK && t->rows == 0)
        status = chi_fail(t->text.context, CH_ERR_FORMAT,
                          "%s: the file contains no rows of numbers", t->text.path);
    return status;
}

/* ---- columns with the same name ---- */

static int by_text(const void *left, const void *right) {
    const char *const *a = left, *const *b = right;
    return strcmp(*a, *b);
}

/* Returns the number, from 1, of the field of a row that column k comes from. */
static int64_t field_of(const table *t, int64_t k) {
    int64_t f = 0;
    for (;; f++) {
        int named = t->names != NO_NAMES && f == t->name_at;
        if (!chi_is_dropped(&t->dropped, f) && !named && k-- == 0) return f + 1;
    }
}

static ch_status warn_of_twins(const table *t, const ch_text_list *names) {
    if (names->count < 2) return CH_OK;
    const char **sorted =
        chi_take(t->text.context, t->text.path, "names of columns", names->count, sizeof *sorted);
    if (!sorted) return CH_ERR_MEMORY;
    memcpy(sorted, names->text, (size_t)names->count * sizeof *sorted);
    qsort(sorted, (size_t)names->count, sizeof *sorted, by_text);
    const char *twin = NULL;
    for (int64_t k = 1; k < names->count && !twin; k++)
        if (*sorted[k] && strcmp(sorted[k - 1], sorted[k]) == 0) twin = sorted[k];
    int64_t place[2] = {0}, found = 0;
    for (int64_t k = 0; twin && k < names->count; k++)
        if (strcmp(names->text[k], twin) == 0 && found++ < 2) place[found - 1] = field_of(t, k);
    chi_free(t->text.context, sorted);
    if (twin)
        chi_log(t->text.context, CH_LOG_WARNING,
                "%s: %lld columns are called \"%.40s\" (fields %lld and %lld%s); results cannot "
                "distinguish these columns by name; --drop %lld leaves out the second",
                t->text.path, (long long)found, twin, (long long)place[0], (long long)place[1],
                found > 2 ? ", ..." : "", (long long)place[1]);
    return CH_OK;
}

/* Takes the header fields above numbers as names; none if it is a title. */
static ch_status name_columns(table *t, ch_text_list *names) {
    chi_list list = {.context = t->text.context, .path = t->text.path};
    int64_t shift = t->row_fields - t->header; /* 1: the header has no field for the names */
    int64_t gone = 0;
    for (int64_t k = 0; k < t->header; k++) gone += chi_is_dropped(&t->dropped, k + shift);
    int64_t before = t->header - gone - t->columns;
    if (t->header == 0 || !(before == 0 || (before == 1 && t->names != NO_NAMES))) return CH_OK;
    ch_status status = CH_OK;
    char *at = t->first;
    for (int64_t k = 0; at && status == CH_OK; k++) {
        const char *field = chi_field_next(&at, t->separator); /* look_at_first() has checked it */
        if (chi_is_dropped(&t->dropped, k + shift)) continue;
        if (before == 0 || k != t->name_at)
            status = chi_list_add(&list, field, (int64_t)strlen(field));
    }
    if (status == CH_OK) status = chi_list_give_names(names, &list);
    chi_list_free(&list);
    return status;
}

static ch_status take_names(table *t, ch_matrix_names *names) {
    if (!t->keeps) return CH_OK;
    TRY(name_columns(t, &names->columns));
    TRY(warn_of_twins(t, &names->columns));
    return t->index ? chi_list_give(&names->rows, &t->row_names)
                    : chi_list_give_names(&names->rows, &t->row_names);
}

static void tell_reading(const table *t, const ch_matrix_names *taken) {
    int names = t->names != NO_NAMES;
    char cells[120] = "", shifted[128] = "";
    if (taken && taken->columns.count && t->header + 1 == t->row_fields)
        snprintf(shifted, sizeof shifted,
                 "; the header has one field fewer than the rows, so \"%.30s\" names field 2",
                 taken->columns.text[0]);
    if (t->unknown)
        snprintf(cells, sizeof cells,
                 "%s%lld cell%s without a number read as NaN, the first in line %lld",
                 t->header || names ? "; " : "", (long long)t->unknown, t->unknown == 1 ? "" : "s",
                 (long long)t->unknown_line);
    if (t->header || names || t->unknown)
        chi_log(t->text.context, CH_LOG_INFO, "%s: %s%s%s%s%s%s", t->text.path,
                t->header ? "header line" : "", t->header && names ? " and " : "",
                names ? "row names" : "",
                !t->header && !names                                   ? ""
                : taken && (taken->rows.count || taken->columns.count) ? " used as names"
                                                                       : " skipped",
                shifted, cells);
    if (t->rises && !t->header && t->rows > 1)
        chi_log(t->text.context, CH_LOG_WARNING,
                "%s: the numbers of line %lld increase evenly, as in a header; the line is read as "
                "data, delete it if it is a header",
                t->text.path, (long long)t->first_number);
}

ch_status chi_csv_read(ch_context *context, ch_matrix *X, const char *path, chi_request *request) {
    table t = {.separator = chi_is_tsv(path) ? '\t' : ',',
               .keeps = request->names != NULL,
               .index = request->index,
               .dropped.list = request->drop,
               .unknown_as_nan = request->unknown_as_nan,
               .decimal_comma = request->decimal_comma,
               .row_names = {.context = context, .path = path}};
    TRY(chi_text_open(context, &t.text, path));
    ch_status status = read_table(&t);
    if (status == CH_OK) status = take_names(&t, request->names);
    chi_store *store = status == CH_OK ? chi_store_create(context) : NULL;
    if (status == CH_OK && !store) status = CH_ERR_MEMORY;
    if (status == CH_OK) tell_reading(&t, request->names);
    chi_free(context, t.first);
    chi_free(context, t.dropped.gone);
    chi_list_free(&t.row_names);
    if (status == CH_OK) {
        store->values = t.values;
        chi_store_dense(X, store, t.values, t.rows, t.columns, CH_ROW_MAJOR, CH_F64);
    } else {
        chi_free(context, t.values);
    }
    chi_text_close(&t.text);
    return status;
}
