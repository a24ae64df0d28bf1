/* Fields of a line of a text table: finds their ends and determines their kind. */
#include "io/matrix/table_fields.h"
#include <string.h>
#include <strings.h>

int64_t chi_marks_count(const char *line, char separator) {
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

/* Returns the length of the line without the separator at its end; -1 if there is none. */
static int64_t length_before_last(const char *line, char separator) {
    int quoted = 0;
    int64_t last = -1;
    for (int64_t k = 0; line[k]; k++) {
        quoted ^= line[k] == '"';
        if (line[k] == separator && !quoted)
            last = k;
        else if (!is_space(line[k]))
            last = -1;
    }
    return last;
}

int chi_last_is_empty(const char *line, char separator) {
    return length_before_last(line, separator) >= 0;
}

int chi_last_cut(char *line, char separator) {
    int64_t length = length_before_last(line, separator);
    if (length >= 0) line[length] = '\0';
    return length >= 0;
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

/* Returns the length of a whole number at text, with or without points between thousands: 1.139. */
static size_t whole_length(const char *text) {
    static const char digits[] = "0123456789";
    size_t sign = *text == '-' || *text == '+', length = sign + strspn(text + sign, digits);
    if (text[length] != '.' || length == sign || length > sign + 3 || text[sign] == '0')
        return length > sign ? length : 0;
    size_t grouped = length;
    while (text[grouped] == '.' && strspn(text + grouped + 1, digits) == 3) grouped += 4;
    return grouped;
}

/* Returns the length of "12,5" at text, or 0 if it is something else. */
static size_t decimal_comma(const char *text) {
    size_t whole = whole_length(text), part;
    if (!whole || text[whole] != ',') return 0;
    part = strspn(text + whole + 1, "0123456789eE");
    return part ? whole + 1 + part : 0;
}

int chi_field_has_comma(const char *field) {
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
        if (chi_marks_count(line, *choice) && holds_decimal_comma(line, *choice)) return *choice;
    for (const char *choice = choices; *choice; choice++)
        if (chi_marks_count(line, *choice)) return *choice;
    return 0;
}

int chi_is_tsv(const char *path) {
    return chi_has_suffix(path, ".tsv") || chi_has_suffix(path, ".tsv.gz");
}

char chi_separator_stated(const char *line) {
    size_t quote = *line == '"';
    if (strncasecmp(line + quote, "sep=", 4) != 0) return 0;
    char stated = line[quote + 4];
    if (!stated || !strchr(",;\t|", stated)) return 0;
    return strcmp(line + quote + 5, quote ? "\"" : "") == 0 ? stated : 0;
}

/* Returns whether commas outside quotes separate fields of the line: it is more than one number. */
static int is_cut_by_commas(const char *line) {
    return chi_marks_count(line, ',') > 0 && !chi_field_has_comma(line);
}

/* Returns whether a quoted field of the line is a number with a decimal comma. */
static int quotes_commas(const char *line) {
    for (const char *at = strchr(line, '"'); at; at = strchr(at, '"')) {
        size_t length = decimal_comma(++at);
        if (length && at[length] == '"') return 1;
    }
    return 0;
}

char chi_separator_beside_commas(const char *path, const char *first, const char *second) {
    const char *shows = second ? second : first, *marks = chi_is_tsv(path) ? "\t;" : ";\t";
    for (const char *mark = marks; *mark; mark++)
        if (chi_marks_count(first, *mark) || chi_marks_count(shows, *mark)) return *mark;
    if (quotes_commas(first) || quotes_commas(shows)) return ',';
    if (holds_space(shows)) return ' ';
    return is_cut_by_commas(first) || is_cut_by_commas(shows) ? 0 : ';';
}

/* A title above the table, or a header of one word, does not show the separator. */
char chi_separator_find(const char *path, const char *first, const char *second) {
    int tabs = chi_is_tsv(path);
    const char *shows = second ? second : first;
    if (tabs && (chi_marks_count(first, '\t') || chi_marks_count(shows, '\t'))) return '\t';
    char mark = tabs ? 0 : find_mark(first);
    if (!mark && !tabs) mark = find_mark(shows);
    if (mark) return mark;
    if (holds_space(shows)) return ' ';
    return tabs ? '\t' : ',';
}

void chi_blanks_squeeze(char *line) {
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

char *chi_field_next(char **at, char separator) {
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

int chi_field_parse(double *value, const char *field) {
    const char *after = chi_number_parse(value, field);
    return after && !*after;
}

int chi_field_parse_comma(double *value, const char *field) {
    char text[400]; /* a double has at most 309 digits before the point, and 17 that count */
    size_t whole = whole_length(field), used = 0;
    if (strlen(field) >= sizeof text || strchr(field + whole, '.')) return 0;
    for (size_t k = 0; k < whole; k++)
        if (field[k] != '.') text[used++] = field[k];
    strcpy(text + used, field + whole);
    char *comma = strchr(text, ',');
    if (comma) *comma = '.';
    return chi_field_parse(value, text);
}

int chi_field_means_number(const char *field) {
    double ignored;
    return chi_field_parse(&ignored, field) || chi_field_has_comma(field);
}

/* What spreadsheets, R, pandas, databases, SAS and public tables write. "nan" is a number. */
int chi_field_is_unknown(const char *field) {
    static const char *const words[] = {"",     "NA",   "N/A", "#N/A", "<NA>",
                                        "null", "none", "-",   "?",    "."};
    for (size_t k = 0; k < sizeof words / sizeof *words; k++)
        if (strcasecmp(field, words[k]) == 0) return 1;
    return 0;
}
