/* Names of rows and columns: from a file, or as the matrix brings them. */
#include "names/names_input.h"
#include "common/matrix_input.h"
#include "common/try.h"
#include <conehull/corpus.h>
#include <ctype.h>

#define AT(field) .at = offsetof(cli_names, field)
const cli_option_row cli_names_rows[] = {
    {"Input", "names", 0, "FILE", AT(file),
     "file with a name for each data point (column; with --transpose, row), one per line; it "
     "replaces the names in the input (header of a text table, names in an .h5ad file)",
     .cases = CLI_FROM_MATRIX},
    {"Input", "row-names", 0, "FILE", AT(rows_file),
     "file with a name for each feature (row; with --transpose, column), one per line",
     .cases = CLI_FROM_MATRIX},
    {0}};

/* Whether the file has a line for each of `count` things. */
static int has_lines(const cli_session *session, const char *file, int64_t count) {
    ch_text_list probe = {0};
    int fits = ch_text_list_read(session->context, &probe, file, count, "") == CH_OK;
    ch_text_list_free(session->context, &probe);
    return fits;
}

int cli_read_list(const cli_session *session, ch_text_list *lines, const char *file, int64_t count,
                  int64_t other, const char *what) {
    char *of = NULL;
    TRY(cli_refuse_stdin(file));
    if (asprintf(&of, "%s of %s", what, session->options.operands[0]) < 0) return cli_no_memory();
    ch_status status = ch_text_list_read(session->context, lines, file, count, of);
    free(of);
    int code = cli_check(session, status);
    if (status < 0 && other != count && has_lines(session, file, other))
        cli_complain("%s: the number of lines fits the other dimension of the matrix; is "
                     "--transpose missing, or given by mistake?",
                     file);
    return code;
}

static int read_one(ch_text_list *list, const cli_session *session, const char *file, int64_t count,
                    int64_t other, const char *what) {
    if (list->count != count || file) ch_text_list_free(session->context, list);
    return file ? cli_read_list(session, list, file, count, other, what) : EXIT_DONE;
}

int cli_names_read(cli_names *names, const cli_session *session, int64_t rows, int64_t cols,
                   int turned) {
    static const char *const sides[] = {"columns", "rows"};
    TRY(read_one(&names->of.columns, session, names->file, cols, rows, sides[turned]));
    return read_one(&names->of.rows, session, names->rows_file, rows, cols, sides[!turned]);
}

void cli_names_free(cli_names *names, const cli_session *session) {
    ch_matrix_names_free(session->context, &names->of);
}

int cli_names_any(const cli_names *names) {
    return names->of.columns.count || names->of.rows.count;
}

static const char *name_at(const ch_text_list *list, int64_t k) {
    return k >= 0 && k < list->count && list->text[k][0] ? list->text[k] : NULL;
}

const char *cli_column_name(const cli_names *names, int64_t column) {
    return name_at(&names->of.columns, column);
}

const char *cli_row_name(const cli_names *names, int64_t row) {
    return name_at(&names->of.rows, row);
}

/* A file may hold anything; JSON is UTF-8. */
static json_t *text_json(const char *text) {
    return text ? json_string(cli_plain(text)) : json_null();
}

json_t *cli_names_json(const cli_names *names, const int64_t *columns, int64_t count) {
    json_t *list = json_array();
    for (int64_t k = 0; k < count; k++)
        list = cli_json_append(list, text_json(cli_column_name(names, columns[k])));
    return list;
}

json_t *cli_row_names_json(const cli_names *names, const int64_t *rows, int64_t count) {
    json_t *list = json_array();
    for (int64_t k = 0; k < count; k++)
        list = cli_json_append(list, text_json(cli_row_name(names, rows[k])));
    return list;
}

json_t *cli_names_from_json(const cli_names *names) {
    const char *columns = names->file ? names->file : names->of.columns.count ? "input" : NULL;
    const char *rows = names->rows_file ? names->rows_file : names->of.rows.count ? "input" : NULL;
    return cli_json_pack("columns:o rows:o", text_json(columns), text_json(rows));
}

/* The number behind a word at text, and what follows it; -1: there is none. */
static int64_t number_behind(const char *text, const char *word, const char **end) {
    size_t length = strlen(word);
    if (strncmp(text, word, length) != 0 || !isdigit((unsigned char)text[length])) return -1;
    char *behind;
    long long number = strtoll(text + length, &behind, 10);
    *end = behind;
    return isalnum((unsigned char)*behind) ? -1 : number;
}

/* What the numbers of a message count. */
typedef struct places {
    int rows, columns; /* 1: those of the matrix, which may have names                    */
    int turned;        /* the file has a row for each column of the matrix                */
} places;

/* Columns of W and rows of H are anchors, and a library has rows and columns of its own. */
static places places_of(const char *message, int turned) {
    int library = strncmp(message, "library:", 8) == 0;
    int weights = strncmp(message, "H ", 2) == 0;
    int files = library || weights || strstr(message, " of W") != NULL;
    return (places){.rows = !library && !weights, .columns = !library, .turned = turned && !files};
}

char *cli_names_explain(const cli_names *names, const char *message, int turned) {
    char *text = NULL;
    size_t length = 0;
    FILE *to = open_memstream(&text, &length);
    if (!to) return NULL;
    const places of = places_of(message, turned);
    for (const char *at = message, *end = NULL; *at;) {
        int starts = at == message || !isalnum((unsigned char)at[-1]);
        int64_t row = starts ? number_behind(at, "row ", &end) : -1;
        int64_t column = starts && row < 0 ? number_behind(at, "column ", &end) : -1;
        const char *name = row >= 0 && of.rows         ? cli_row_name(names, row)
                           : column >= 0 && of.columns ? cli_column_name(names, column)
                                                       : NULL;
        if (row < 0 && column < 0) {
            fputc(*at++, to);
            continue;
        }
        fprintf(to, "%s %lld", (row >= 0) != of.turned ? "row" : "column",
                (long long)(row >= 0 ? row : column));
        if (name && strncmp(end, " of W", 5) != 0) fprintf(to, " (%s)", name);
        at = end;
    }
    if (fclose(to) == 0) return text;
    free(text);
    return NULL;
}

int cli_largest_rows(int64_t *rows, int most, const double *values, int64_t count) {
    int found = 0;
    for (int64_t i = 0; i < count; i++) {
        if (!(values[i] > 0)) continue;
        int k = found < most ? found++ : most;
        for (; k > 0 && values[rows[k - 1]] < values[i]; k--)
            if (k < most) rows[k] = rows[k - 1];
        if (k < most) rows[k] = i;
    }
    return found;
}

void cli_put_field(FILE *to, const char *text) {
    fputc('"', to);
    for (; *text; text++) {
        if (*text == '"') fputc('"', to);
        fputc(*text, to);
    }
    fputc('"', to);
}

void cli_write_lines(FILE *to, const void *lines) {
    const ch_text_list *list = lines;
    for (int64_t i = 0; i < list->count; i++) fprintf(to, "%s\n", list->text[i]);
}
