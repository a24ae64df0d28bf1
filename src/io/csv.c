/* Tables of numbers as text, plain or compressed by gzip: one line per row, dense, row-major f64.
 *
 * .tsv is separated by tabs; .csv by the first of comma, semicolon or tab that its first line
 * holds. Blank lines and lines that begin with # are skipped. What is not data is found so:
 *
 *     first line begins with a separator        header, and the first column holds names
 *     first line has a word after its first
 *     field, or is a single word                header
 *     first field of the first row is a word    the first column holds names
 *
 * A header may lack the field above the names (as R writes it). Fields may be quoted, within one
 * line. A field without a number is an error: nothing is filled in. */
#include "io/format.h"
#include <stdio.h>
#include <string.h>

typedef struct table {
    chi_text text;
    char separator;
    int names;       /* the first field of each row is a name                                 */
    int64_t columns; /* of numbers; 0 before the first row                                    */
    int64_t rows, capacity;
    double *values;
} table;

/* Is there one outside quotes? */
static int holds(const char *line, char separator) {
    int quoted = 0;
    for (; *line; line++) {
        quoted ^= *line == '"';
        if (*line == separator && !quoted) return 1;
    }
    return 0;
}

static char find_separator(const char *path, const char *line) {
    static const char choices[] = ",;\t";
    if (chi_has_suffix(path, ".tsv") || chi_has_suffix(path, ".tsv.gz")) return '\t';
    for (const char *choice = choices; *choice; choice++)
        if (holds(line, *choice)) return *choice;
    return ',';
}

static int is_blank(char c, char separator) {
    return (c == ' ' || c == '\t') && c != separator;
}

/* Cuts the field at *at out of the line: blanks and quotes around it removed, a zero behind it. *at
 * moves to the next field, or becomes NULL after the last. NULL: a quote is not closed properly. */
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

/* The usual field, a bare number up to the separator, without cutting it out first. */
static inline int parse_bare(double *value, char **at, char separator) {
    const char *after = chi_number_parse(value, *at);
    if (!after || (*after && *after != separator)) return 0;
    *at = *after ? (char *)after + 1 : NULL;
    return 1;
}

/* The next line with something in it; NULL at the end. */
static ch_status content_line(table *t, char **line) {
    char *end, *at;
    do {
        ch_status status = chi_text_line(&t->text, line, &end);
        if (status != CH_OK || !*line) return status;
        if (strlen(*line) != (size_t)(end - *line))
            return chi_text_fail(&t->text, "a zero byte: not a text file", *line);
        for (at = *line; *at == ' ' || (*at == '\t' && t->separator != '\t');) at++;
    } while (!*at || *at == '#');
    return CH_OK;
}

static ch_status unclosed(const table *t) {
    return chi_text_fail(&t->text, "a quoted field does not end where it should", "");
}

/* Looks at a copy of the first line, since next_field() cuts it. */
static ch_status look_at_first(table *t, const char *line, int *header) {
    int64_t length = (int64_t)strlen(line), fields = 0;
    char *copy = chi_take(t->text.context, t->text.path, "the first line", length + 1, 1);
    if (!copy) return CH_ERR_MEMORY;
    memcpy(copy, line, (size_t)length + 1);
    char *at = copy;
    int words = 0, first_word = 0, first_empty = 0;
    double ignored;
    ch_status status = CH_OK;
    for (; at; fields++) {
        char *field = next_field(&at, t->separator);
        if (!field) {
            status = unclosed(t);
            break;
        }
        int word = !parse_field(&ignored, field);
        if (fields == 0) {
            first_word = word;
            first_empty = !*field;
        } else {
            words |= word && *field;
        }
    }
    chi_free(t->text.context, copy);
    t->names = first_empty && fields > 1;
    *header = t->names || words || (first_word && fields == 1);
    return status;
}

static ch_status count_fields(table *t, const char *line) {
    int quoted = 0;
    int64_t fields = 1;
    for (const char *at = line; *at; at++) {
        quoted ^= *at == '"';
        fields += *at == t->separator && !quoted;
    }
    if (!t->names) {
        char *copy =
            chi_take(t->text.context, t->text.path, "a line", (int64_t)strlen(line) + 1, 1);
        if (!copy) return CH_ERR_MEMORY;
        char *at = strcpy(copy, line);
        double ignored;
        const char *field = next_field(&at, t->separator);
        t->names = field && *field && fields > 1 && !parse_field(&ignored, field);
        chi_free(t->text.context, copy);
    }
    t->columns = fields - t->names;
    if (t->columns == 0) return chi_text_fail(&t->text, "a name without numbers", line);
    return CH_OK;
}

/* Room for one more row. The first guess comes from the length of a line against that of the file,
 * so that most tables are placed once. */
static ch_status reserve_row(table *t, const char *line) {
    if (t->rows < t->capacity) return CH_OK;
    int64_t guess = 2 * t->rows + 16;
    if (t->rows == 0 && t->text.size > 0 && !t->text.packed)
        guess = t->text.size / ((int64_t)strlen(line) + 1) * 9 / 8 + 16;
    int64_t count;
    if (__builtin_mul_overflow(guess, t->columns, &count)) count = INT64_MAX;
    double *larger = chi_take(t->text.context, t->text.path, "values", count, sizeof *larger);
    if (!larger) return CH_ERR_MEMORY;
    if (t->rows) memcpy(larger, t->values, (size_t)(t->rows * t->columns) * sizeof *larger);
    chi_free(t->text.context, t->values);
    t->values = larger;
    t->capacity = guess;
    return CH_OK;
}

static ch_status bad_field(const table *t, int64_t number, const char *field) {
    char what[120];
    snprintf(what, sizeof what, "field %lld %s", (long long)number,
             *field ? "is not a number" : "is empty; every row needs all its numbers");
    return chi_text_fail(&t->text, what, field);
}

static ch_status read_row(table *t, char *line) {
    int64_t field_number = 1, j = 0;
    char *at = line;
    if (t->columns == 0) TRY(count_fields(t, line));
    TRY(reserve_row(t, line));
    double *row = t->values + t->rows * t->columns;
    if (t->names) {
        if (!next_field(&at, t->separator)) return unclosed(t);
        field_number++;
    }
    for (; at && j < t->columns; j++, field_number++) {
        if (parse_bare(&row[j], &at, t->separator)) continue;
        char *field = next_field(&at, t->separator);
        if (!field) return unclosed(t);
        if (!parse_field(&row[j], field)) return bad_field(t, field_number, field);
    }
    if (at || j < t->columns)
        return chi_fail(t->text.context, CH_ERR_FORMAT,
                        "%s: line %lld: %s %lld numbers, but the rows before have %lld",
                        t->text.path, (long long)t->text.number, at ? "more than" : "only",
                        (long long)j, (long long)t->columns);
    t->rows++;
    return CH_OK;
}

static ch_status read_table(table *t) {
    char *line;
    int header = 0;
    ch_status status = content_line(t, &line);
    if (status == CH_OK && line) {
        t->separator = find_separator(t->text.path, line);
        status = look_at_first(t, line, &header);
        if (status == CH_OK && header) status = content_line(t, &line);
    }
    while (status == CH_OK && line) {
        status = read_row(t, line);
        if (status == CH_OK) status = content_line(t, &line);
    }
    if (status == CH_OK && t->rows == 0)
        status =
            chi_fail(t->text.context, CH_ERR_FORMAT, "%s: holds no rows of numbers", t->text.path);
    return status;
}

ch_status chi_csv_read(ch_context *context, ch_matrix *X, const char *path, const char *var) {
    table t = {.separator = chi_has_suffix(path, ".tsv") ? '\t' : ','};
    (void)var;
    TRY(chi_text_open(context, &t.text, path));
    ch_status status = read_table(&t);
    chi_store *store = status == CH_OK ? chi_store_create(context) : NULL;
    if (status == CH_OK && !store) status = CH_ERR_MEMORY;
    if (status == CH_OK) {
        store->block[0] = t.values;
        *X = (ch_matrix){.rows = t.rows,
                         .cols = t.columns,
                         .layout = CH_ROW_MAJOR,
                         .type = CH_F64,
                         .values = t.values,
                         .stride = t.columns,
                         .owner = store,
                         .release = chi_store_release};
    } else {
        chi_free(context, t.values);
    }
    chi_text_close(&t.text);
    return status;
}

static ch_status write_number(chi_sink *sink, double value, char after) {
    char text[CHI_NUMBER_MAX + 1];
    int length = chi_number_format(text, value);
    text[length] = after;
    return chi_sink_write(sink, text, (size_t)length + 1);
}

static ch_status write_dense(chi_sink *sink, const ch_matrix *X, char separator) {
    for (int64_t i = 0; i < X->rows; i++)
        for (int64_t j = 0; j < X->cols; j++)
            TRY(write_number(sink, ch_matrix_at(X, i, j), j + 1 < X->cols ? separator : '\n'));
    return CH_OK;
}

/* Column i of the transpose is row i of the table. */
static ch_status write_sparse(chi_sink *sink, const ch_matrix *transpose, char separator) {
    for (int64_t i = 0; i < transpose->cols; i++) {
        int64_t k = transpose->column_start[i], last = transpose->column_start[i + 1];
        for (int64_t j = 0; j < transpose->rows; j++) {
            int stored = k < last && transpose->row_index[k] == j;
            TRY(write_number(sink, stored ? chi_stored_value(transpose, k) : 0,
                             j + 1 < transpose->rows ? separator : '\n'));
            k += stored;
        }
    }
    return CH_OK;
}

ch_status chi_csv_write(ch_context *context, const char *path, const ch_matrix *X) {
    chi_sink sink;
    ch_matrix transpose = {0};
    char separator = chi_has_suffix(path, ".tsv") || chi_has_suffix(path, ".tsv.gz") ? '\t' : ',';
    if (X->layout == CH_CSC) TRY(ch_matrix_transpose(context, &transpose, X));
    ch_status status = chi_sink_open(context, &sink, path);
    if (status == CH_OK) {
        status = X->layout == CH_CSC ? write_sparse(&sink, &transpose, separator)
                                     : write_dense(&sink, X, separator);
        status = chi_sink_close(&sink, status);
    }
    ch_matrix_free(context, &transpose);
    return status;
}
