/* Matrix Market exchange format (R. Boisvert, R. Pozo, K. Remington, NISTIR 5935, 1996), plain or
 * compressed by gzip:
 *
 *     %%MatrixMarket matrix coordinate|array real|integer|pattern general|symmetric|skew-symmetric
 *     % comments
 *     rows cols [entries]
 *     i j [value]          coordinate: CSC, entries at the same place are added
 *     value                array: dense, column after column
 *
 * Values are stored as f64; integer and pattern matrices as u8 or u16 if every sum fits, because
 * passes over a matrix are limited by its bytes. Complex and hermitian are refused.
 *
 * With several processes, each parses the whole text, because the positions of its columns are
 * unknown, and keeps its own columns: memory depends on the part of a process. */
#include "io/file/format.h"
#include "linalg/view.h"
#include <conehull/comm.h>
#include <strings.h>

enum { UNSEEN = 1 << 16 }; /* entries reserved before they are read */

typedef struct banner {
    int coordinate, pattern, integer;
    int symmetric; /* 0 general, 1 symmetric, -1 skew-symmetric */
    int64_t rows, cols, entries;
    int64_t first, kept; /* columns to keep */
} banner;

static char *skip_blanks(char *at) {
    while (*at == ' ' || *at == '\t') at++;
    return at;
}

/* Cuts the next word out of the line; empty at its end. */
static char *next_word(char **at) {
    char *word = skip_blanks(*at), *end = word;
    while (*end && *end != ' ' && *end != '\t') end++;
    *at = *end ? end + 1 : end;
    *end = '\0';
    return word;
}

static int which(const char *word, const char *const *choices) {
    int index = 0;
    while (choices[index] && strcasecmp(word, choices[index])) index++;
    return choices[index] ? index : -1;
}

static ch_status read_banner(chi_text *text, banner *head) {
    static const char *const formats[] = {"array", "coordinate", NULL};
    static const char *const fields[] = {"real", "double", "integer", "pattern", NULL};
    static const char *const symmetries[] = {"general", "symmetric", "skew-symmetric", NULL};
    char *line, *end;
    TRY_OK(chi_text_line(text, &line, &end));
    if (!line || strncasecmp(line, "%%MatrixMarket", 14))
        return chi_fail(text->context, CH_ERR_FORMAT,
                        "%s: this is not a Matrix Market file, because line 1 does not begin with "
                        "%%%%MatrixMarket",
                        text->path);
    char *at = line + 14;
    char *object = next_word(&at), *format = next_word(&at), *field = next_word(&at),
         *symmetry = next_word(&at);
    if (strcasecmp(object, "matrix"))
        return chi_text_fail(text, "the second word of a Matrix Market file must be 'matrix'",
                             object);
    int format_index = which(format, formats), field_index = which(field, fields),
        symmetry_index = which(symmetry, symmetries);
    if (!strcasecmp(field, "complex") || !strcasecmp(symmetry, "hermitian"))
        return chi_fail(text->context, CH_ERR_UNSUPPORTED,
                        "%s: the matrix is of the kind %s %s, but only real matrices are supported",
                        text->path, field, symmetry);
    if (format_index < 0)
        return chi_text_fail(text, "the format (third word) must be coordinate or array", format);
    if (field_index < 0)
        return chi_text_fail(text, "the number type (fourth word) must be real, integer or pattern",
                             field);
    if (symmetry_index < 0)
        return chi_text_fail(
            text, "the symmetry (fifth word) must be general, symmetric or skew-symmetric",
            symmetry);
    *head = (banner){.coordinate = format_index,
                     .integer = field_index >= 2,
                     .pattern = field_index == 3,
                     .symmetric = symmetry_index == 2 ? -1 : symmetry_index};
    if (head->pattern && !head->coordinate)
        return chi_text_fail(text, "a pattern matrix must have the format coordinate", format);
    return CH_OK;
}

/* The next line that is not blank and not a comment; NULL at the end. */
static ch_status content_line(chi_text *text, char **line, char **end) {
    ch_status status;
    do {
        status = chi_text_line(text, line, end);
        if (status != CH_OK || !*line) return status;
        *line = skip_blanks(*line);
    } while (**line == '%' || *line == *end);
    return CH_OK;
}

/* A whole number; NULL when there is none or it does not fit. */
static inline char *parse_index(int64_t *value, char *at) {
    uint64_t sum = 0;
    at = skip_blanks(at);
    char *first = at;
    for (; (unsigned char)(*at - '0') < 10; at++) sum = 10 * sum + (uint64_t)(*at - '0');
    if (at == first || at - first > 18) return NULL;
    *value = (int64_t)sum;
    return at;
}

static ch_status read_sizes(chi_text *text, banner *head) {
    char *line, *end;
    TRY_OK(content_line(text, &line, &end));
    if (!line)
        return chi_fail(
            text->context, CH_ERR_FORMAT,
            "%s: the file is truncated: the line with the numbers of rows and columns is missing",
            text->path);
    char *at = parse_index(&head->rows, line);
    if (at) at = parse_index(&head->cols, at);
    if (at && head->coordinate) at = parse_index(&head->entries, at);
    if (!at || *skip_blanks(at))
        return chi_text_fail(
            text,
            head->coordinate ? "this line must have three whole numbers: rows, columns and entries"
                             : "this line must have two whole numbers: rows and columns",
            line);
    if (head->symmetric && head->rows != head->cols)
        return chi_text_fail(text, "a symmetric matrix must be square", line);
    return CH_OK;
}

static ch_status parse_entry(chi_text *text, const banner *head, char *line, char *end,
                             int64_t *row, int64_t *col, double *value) {
    char *at = parse_index(row, line);
    if (at) at = parse_index(col, at);
    *value = 1;
    if (at && !head->pattern) {
        char *from = skip_blanks(at);
        at = from == at ? NULL : (char *)chi_number_parse(value, from);
    }
    if (!at || skip_blanks(at) != end)
        return chi_text_fail(text,
                             head->pattern
                                 ? "this line must have two whole numbers: row and column"
                                 : "this line must have three numbers: row, column and value",
                             line);
    if (*row < 1 || *row > head->rows || *col < 1 || *col > head->cols)
        return chi_fail(text->context, CH_ERR_FORMAT,
                        "%s: line %lld: entry (%lld, %lld) is outside the %lld x %lld matrix "
                        "(rows and columns count from 1)",
                        text->path, (long long)text->number, (long long)*row, (long long)*col,
                        (long long)head->rows, (long long)head->cols);
    return CH_OK;
}

static inline int keeps(const banner *head, int64_t col) {
    return col >= head->first && col - head->first < head->kept;
}

static int64_t most_entries(const banner *head) {
    return head->symmetric ? 2 * head->entries : head->entries;
}

static inline ch_status append(chi_text *text, chi_entries *entries, const banner *head,
                               int64_t row, int64_t col, double value) {
    if (!keeps(head, col)) return CH_OK;
    if (entries->count == entries->capacity)
        TRY(chi_entries_grow(text->context, entries, text->path, most_entries(head)));
    entries->row[entries->count] = (int32_t)row;
    entries->col[entries->count] = col - head->first;
    entries->value[entries->count++] = value;
    return CH_OK;
}

static ch_status short_of(const chi_text *text, int64_t promised, int64_t found) {
    return chi_fail(text->context, CH_ERR_FORMAT,
                    "%s: the file is truncated: its line of sizes states %lld values, but it ends "
                    "after %lld (line %lld)",
                    text->path, (long long)promised, (long long)found, (long long)text->number);
}

static ch_status nothing_more(chi_text *text) {
    char *line, *end;
    ch_status status = content_line(text, &line, &end);
    if (status != CH_OK || !line) return status;
    return chi_text_fail(text, "the file has more values than its line of sizes states", line);
}

/* ---- entries of whole matrices on all threads ---- */

typedef struct plain_entries {
    const chi_text *text;
    const banner *head;
    chi_entries *entries; /* one per line read: none dropped or added */
} plain_entries;

static ch_status reserve_entries(void *user, int64_t lines, int *plain) {
    const plain_entries *p = user;
    chi_entries *entries = p->entries;
    *plain = lines <= p->head->entries - entries->count; /* more than stated: reported later */
    while (*plain && entries->count + lines > entries->capacity)
        TRY(chi_entries_grow(p->text->context, entries, p->text->path, most_entries(p->head)));
    return CH_OK;
}

static const char *parse_plain(void *user, const char *line, int64_t number) {
    const plain_entries *p = user;
    const banner *head = p->head;
    int64_t row, col, k = p->entries->count + number;
    double value = 1;
    const char *at = parse_index(&row, (char *)line);
    if (at) at = parse_index(&col, (char *)at);
    if (at && !head->pattern) {
        const char *from = skip_blanks((char *)at);
        at = from == at ? NULL : chi_number_parse(&value, from);
    }
    if (!at || row < 1 || row > head->rows || col < 1 || col > head->cols) return NULL;
    at = skip_blanks((char *)at);
    at += *at == '\r';
    p->entries->row[k] = (int32_t)(row - 1);
    p->entries->col[k] = col - 1;
    p->entries->value[k] = value;
    return *at == '\n' ? at + 1 : NULL;
}

/* Reads the entries in the buffer; *plain = 0 if they must be read line by line. */
static ch_status read_plain_entries(chi_text *text, const banner *head, chi_entries *entries,
                                    int *plain) {
    static const chi_line_kind kind = {reserve_entries, parse_plain};
    plain_entries p = {text, head, entries};
    int64_t taken;
    TRY(chi_text_parse(text, &taken, &kind, &p));
    *plain = taken >= 0;
    if (taken > 0) entries->count += taken;
    return CH_OK;
}

static ch_status read_entries(chi_text *text, const banner *head, chi_entries *entries) {
    int plain = !head->symmetric && head->kept == head->cols;
    for (int64_t k = 0; k < head->entries; k++) {
        char *line, *end;
        int64_t row = 0, col = 0;
        double value = 0;
        TRY_OK(content_line(text, &line, &end));
        if (!line) return short_of(text, head->entries, k);
        TRY(parse_entry(text, head, line, end, &row, &col, &value));
        TRY(append(text, entries, head, row - 1, col - 1, value));
        if (head->symmetric && row != col)
            TRY(append(text, entries, head, col - 1, row - 1, head->symmetric * value));
        if (plain) TRY(read_plain_entries(text, head, entries, &plain));
        if (plain) k = entries->count - 1;
    }
    return nothing_more(text);
}

/* The number of entries to reserve for the kept columns. If these are all columns, it is the
 * largest possible number, so that a matrix read whole never grows; otherwise their share plus an
 * eighth, because columns differ. The length of a compressed text or a pipe says little about its
 * content, so more space is made only when entries arrive. */
static int64_t expected_entries(const chi_text *text, const banner *head) {
    int64_t most = most_entries(head);
    if ((text->packed || text->size < 0) && most > UNSEEN) return UNSEEN;
    if (head->kept == head->cols) return most; /* none among them, too */
    double share = (double)head->kept / (double)head->cols;
    int64_t expected = (int64_t)(1.125 * share * (double)most) + 64;
    return expected > most ? most : expected;
}

static ch_status read_coordinate(chi_text *text, ch_matrix *X, const banner *head) {
    ch_context *context = text->context;
    chi_entries entries;
    TRY(chi_sparse_check_size(context, text->path, head->rows, head->cols));
    TRY(chi_plausible_shape(context, text->path, head->rows, head->cols, text->size));
    TRY(chi_plausible(context, text->path, head->entries, 4, text->size, /* "1 1\n" */
                      text->packed ? CHI_DEFLATE_PACKING : 1));
    TRY(chi_entries_create(context, &entries, text->path, expected_entries(text, head)));
    ch_status status = read_entries(text, head, &entries);
    if (status == CH_OK && text->size < 0) /* a pipe: checked by the bytes received */
        status = chi_plausible_shape(context, text->path, head->rows, head->cols, text->passed);
    if (status != CH_OK) {
        chi_entries_free(context, &entries);
        return status;
    }
    return chi_csc_from_entries(context, X, text->path, &entries, head->rows, head->kept,
                                head->integer ? CHI_TRY_UNSIGNED : CHI_KEEP_F64);
}

/* Reads the next value, however values are spread over lines. */
static ch_status next_value(chi_text *text, char **at, double *value) {
    while (!*at || !**at) {
        char *end;
        TRY_OK(content_line(text, at, &end));
        if (!*at) return CH_OK;
    }
    char *after = (char *)chi_number_parse(value, *at);
    if (!after || (*after && *after != ' ' && *after != '\t'))
        return chi_text_fail(text, "the value is not a number", *at);
    *at = skip_blanks(after);
    return CH_OK;
}

/* The position of a stored value of an array: for symmetric ones only below the diagonal. */
typedef struct position {
    int64_t row, col;
} position;

static position next_position(const banner *head, position at) {
    if (++at.row < head->rows) return at;
    at.col++;
    return (position){head->symmetric ? at.col + (head->symmetric < 0) : 0, at.col};
}

static int64_t values_in_text(const banner *head) {
    int64_t size = head->rows, all = size * head->cols; /* read_array() has checked that it fits */
    if (!head->symmetric) return all;
    return (all - size) / 2 + (head->symmetric > 0 ? size : 0);
}

static inline void put_one(double *values, const banner *head, int64_t row, int64_t col,
                           double value) {
    if (keeps(head, col)) values[row + (col - head->first) * head->rows] = value;
}

static inline void put(double *values, const banner *head, position at, double value) {
    put_one(values, head, at.row, at.col, value);
    if (head->symmetric && at.row != at.col)
        put_one(values, head, at.col, at.row, head->symmetric * value);
}

/* Values in order of arrival, for chi_free(), because their number is unknown. */
typedef struct arrivals {
    double *value;
    int64_t count, capacity;
} arrivals;

static ch_status arrive(chi_text *text, arrivals *come, int64_t most, double value) {
    if (come->count == come->capacity) {
        int64_t larger = come->capacity ? come->capacity + come->capacity / 2 : UNSEEN;
        if (larger > most) larger = most;
        TRY(chi_array_enlarge(text->context, &come->value, come->count, larger, sizeof *come->value,
                              text->path, "values"));
        come->capacity = larger;
    }
    come->value[come->count++] = value;
    return CH_OK;
}

/* Stores values in the list, if there is one, else in the matrix. */
static ch_status read_values(chi_text *text, const banner *head, double *values, arrivals *come) {
    int64_t count = values_in_text(head);
    position to = {head->symmetric < 0, 0};
    double value = 0;
    char *at = NULL;
    for (int64_t k = 0; k < count; k++, to = next_position(head, to)) {
        TRY_OK(next_value(text, &at, &value));
        if (!at) return short_of(text, count, k);
        if (come)
            TRY(arrive(text, come, count, value));
        else
            put(values, head, to, value);
    }
    if (at && *at)
        return chi_text_fail(text, "the file has more values than its line of sizes states", at);
    return nothing_more(text);
}

static ch_status create_array(chi_text *text, ch_matrix *X, double **values, const banner *head) {
    void *block;
    TRY(chi_dense_create(text->context, X, &block, text->path, head->rows, head->kept,
                         CH_COLUMN_MAJOR, CH_F64));
    *values = block;
    for (int64_t j = 0; head->symmetric < 0 && j < head->cols; j++) put_one(block, head, j, j, 0);
    return CH_OK;
}

/* The length of a pipe is unknown before its end: memory grows with the bytes received, not with
 * what its first lines state. */
static ch_status read_array_of_pipe(chi_text *text, ch_matrix *X, const banner *head) {
    arrivals come = {0};
    double *values = NULL;
    ch_status status = read_values(text, head, NULL, &come);
    if (status == CH_OK)
        status =
            chi_plausible_shape(text->context, text->path, head->rows, head->cols, text->passed);
    if (status == CH_OK) status = create_array(text, X, &values, head);
    position to = {head->symmetric < 0, 0};
    for (int64_t k = 0; status == CH_OK && k < come.count; k++, to = next_position(head, to))
        put(values, head, to, come.value[k]);
    chi_free(text->context, come.value);
    return status;
}

static ch_status read_array(chi_text *text, ch_matrix *X, const banner *head) {
    int64_t count;
    double *values;
    if (__builtin_mul_overflow(head->rows, head->cols, &count))
        return chi_fail(text->context, CH_ERR_FORMAT,
                        "%s: a matrix of %lld rows x %lld columns is too large", text->path,
                        (long long)head->rows, (long long)head->cols);
    if (text->size < 0) return read_array_of_pipe(text, X, head);
    TRY(chi_plausible(text->context, text->path, values_in_text(head), 2, text->size,
                      text->packed ? CHI_DEFLATE_PACKING : 1));
    TRY(chi_plausible_shape(text->context, text->path, head->rows, head->cols, text->size));
    TRY(create_array(text, X, &values, head));
    ch_status status = read_values(text, head, values, NULL);
    if (status != CH_OK) ch_matrix_free(text->context, X);
    return status;
}

ch_status chi_mtx_read(ch_context *context, ch_matrix *X, const char *path, chi_request *request) {
    chi_text text;
    banner head = {0};
    TRY(chi_text_open(context, &text, path));
    ch_status status = read_banner(&text, &head);
    if (status == CH_OK) status = read_sizes(&text, &head);
    head.kept = head.cols;
    if (request->part) ch_comm_part(context, &head.first, &head.kept, head.cols);
    if (status == CH_OK)
        status = head.coordinate ? read_coordinate(&text, X, &head) : read_array(&text, X, &head);
    chi_text_close(&text);
    if (status == CH_OK) X->first = head.first;
    return status;
}

static ch_status write_coordinate(chi_sink *sink, const ch_matrix *X) {
    TRY(chi_sink_print(sink, "%lld %lld %lld\n", (long long)X->rows, (long long)X->cols,
                       (long long)ch_matrix_stored(X)));
    for (int64_t j = 0; j < X->cols; j++)
        for (int64_t k = X->column_start[j]; k < X->column_start[j + 1]; k++) {
            TRY(chi_sink_number(sink, X->row_index[k] + 1.0, ' '));
            TRY(chi_sink_number(sink, (double)j + 1, ' '));
            TRY(chi_sink_number(sink, chi_number_at(X, k), '\n'));
        }
    return CH_OK;
}

static ch_status write_array(chi_sink *sink, const ch_matrix *X) {
    TRY(chi_sink_print(sink, "%lld %lld\n", (long long)X->rows, (long long)X->cols));
    for (int64_t j = 0; j < X->cols; j++)
        for (int64_t i = 0; i < X->rows; i++)
            TRY(chi_sink_number(sink, ch_matrix_at(X, i, j), '\n'));
    return CH_OK;
}

ch_status chi_mtx_write(ch_context *context, const char *path, const ch_matrix *X) {
    chi_sink sink;
    int sparse = X->layout == CH_CSC, integer = X->type == CH_U8 || X->type == CH_U16;
    TRY(chi_sink_open(context, &sink, path));
    ch_status status =
        chi_sink_print(&sink, "%%%%MatrixMarket matrix %s %s general\n",
                       sparse ? "coordinate" : "array", integer ? "integer" : "real");
    if (status == CH_OK) status = sparse ? write_coordinate(&sink, X) : write_array(&sink, X);
    return chi_sink_close(&sink, status);
}
