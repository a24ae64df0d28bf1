/* Reads the matrix of a command. */
#include "common/matrix_input.h"
#include "common/progress.h"
#include "common/try.h"
#include "options/option_values.h"
#include "sandbox/matrix_apart.h"
#include <conehull/io.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <math.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#define AT(field) .at = offsetof(cli_input, field)
const cli_option_row cli_input_rows[] = {
    {"Input", "transpose", 0, NULL, AT(transpose),
     "the data points are the rows of the file, not its columns, and anchors are row numbers. In "
     "an .h5ad file the data points are the cells; with this option they are the genes",
     .cases = CLI_FROM_MATRIX},
    {"Input", "index", 0, "COLUMN", AT(index),
     "column of a .csv or .tsv file that holds the names of the rows: its name in the first "
     "line, or its number from 1. Without this option, or with the value 'none', the first column "
     "holds the names if it contains words; if it contains numbers, it is data, and the rows have "
     "no names",
     .cases = CLI_FROM_MATRIX},
    {"Input", "drop", 0, "NAME[,NAME...]", AT(drop),
     "columns of a .csv or .tsv file to leave out, such as IDs or remarks: their names in the "
     "first line, or their numbers from 1. The default 'none' leaves out no column",
     .cases = CLI_FROM_MATRIX},
    {"Input", "decimal", 0, "point|comma", AT(decimal),
     "how numbers of a .csv or .tsv file are written (default: point). comma: 1139,66 or 1.139,66, "
     "with semicolons or tabs between the fields",
     .cases = CLI_FROM_MATRIX},
    {"Input", "var", 0, "NAME", AT(var),
     "name of the matrix to read if a .mat, .npz or .h5 file holds several",
     .cases = CLI_FROM_MATRIX},
    {0}};
const cli_option_row cli_memory_rows[] = {
    {"Common options", "memory", 0, "LIMIT", AT(memory),
     "maximum memory, at least 512M, as in 800M or 1.5G (default: all memory of the machine). A "
     ".npy file that does not fit is read several times instead of being held in memory. A dense "
     ".h5 file that does not fit is first unpacked to a scratch file in the folder $TMPDIR or, "
     "without this variable, in /var/tmp"},
    {0}};

/* Memory of the program, its libraries and the stacks of threads. */
enum { LEAST_MEMORY = 512 << 20, PROGRAM = 48 << 20 };

/* *bytes becomes the limit, or 0 if there is none. */
static int take_memory(const cli_session *session, const cli_input *input, int64_t *bytes) {
    *bytes = input->memory ? cli_bytes_take(input->memory) : 0;
    if (!input->memory) return EXIT_DONE;
    if (*bytes < LEAST_MEMORY)
        return cli_refuse("%s: --memory must be a size from %dM on, as in 800M or 1.5G; got '%s'",
                          session->options.command, LEAST_MEMORY >> 20, input->memory);
    ch_context_set_memory_limit(session->context, *bytes - PROGRAM);
    return EXIT_DONE;
}

/* Returns a folder for large files: not /tmp, which is in memory on many systems. */
const char *cli_scratch_folder(void) {
    const char *asked = getenv("TMPDIR");
    return asked && *asked ? asked : "/var/tmp";
}

int cli_refuse_stdin(const char *path) {
    if (strcmp(path, "-") != 0) return EXIT_DONE;
    return cli_refuse("-: this command cannot read standard input; give the name of a file");
}

/* ---- one file for all processes ---- */

enum { SAMPLES = 64, SAMPLE = 4096 };

/* Length and hash of samples of a file; size is -1 if it cannot be inspected. */
typedef struct fingerprint {
    int64_t size;
    uint64_t hash;
} fingerprint;

static fingerprint look_at(const char *file) {
    fingerprint found = {-1, 14695981039346656037u}; /* FNV-1a */
    struct stat facts;
    unsigned char bytes[SAMPLE];
    int fd = open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) return found;
    if (fstat(fd, &facts) == 0 && S_ISREG(facts.st_mode)) found.size = facts.st_size;
    for (int k = 0; k < SAMPLES && found.size > 0; k++) {
        int64_t last = found.size > SAMPLE ? found.size - SAMPLE : 0;
        ssize_t got = pread(fd, bytes, SAMPLE, (off_t)(last * k / (SAMPLES - 1)));
        for (ssize_t i = 0; i < got; i++) found.hash = (found.hash ^ bytes[i]) * 1099511628211u;
    }
    close(fd);
    return found;
}

/* Checks that all processes read the same file: on several machines, one name may lead to different
 * files. */
static int compare_files(const cli_session *session, const char *file) {
    const ch_comm *comm = ch_context_comm(session->context);
    if (!comm) return EXIT_DONE;
    fingerprint own = look_at(file), *all = calloc((size_t)comm->processes, sizeof *all);
    int code = EXIT_DONE;
    if (!all) return cli_no_memory();
    if (comm->share(comm->user, all, &own, sizeof own) != 0)
        code = cli_error(
            EXIT_FILES, "%s: the processes could not check by MPI that they all read the same file",
            file);
    for (int r = 1; r < comm->processes && code == EXIT_DONE; r++)
        if (all[r].size != all[0].size)
            code = cli_refuse(
                "%s: process %d reads a file of %lld bytes under this name, but process 0 reads "
                "a file of %lld bytes (-1: the file is missing); all processes must read the "
                "same file",
                file, r, (long long)all[r].size, (long long)all[0].size);
        else if (all[r].hash != all[0].hash)
            code = cli_refuse("%s: process %d reads a file with other contents than process 0; all "
                              "processes must read the same file",
                              file, r);
    free(all);
    return code;
}

int cli_is_h5ad(const char *file) {
    return fnmatch("*.h5ad", file, FNM_CASEFOLD) == 0;
}

int cli_is_table(const char *file) {
    static const char *const suffixes[] = {"*.csv", "*.tsv", "*.csv.gz", "*.tsv.gz", NULL};
    for (const char *const *s = suffixes; *s; s++)
        if (fnmatch(*s, file, FNM_CASEFOLD) == 0) return 1;
    return 0;
}

/* Most tables with a header have one row per data point, and more rows than columns. */
static int is_tall_table(const cli_input *input) {
    return cli_is_table(input->file) && !input->transpose && input->names.of.columns.count > 0 &&
           input->X.rows > input->cols;
}

void cli_input_suggest_transpose(const cli_input *input, const cli_session *session) {
    if (session->common.quiet || !cli_is_first(session) || !is_tall_table(input)) return;
    cli_complain("%s: the %lld columns are used as the data points; if the %lld rows are the data "
                 "points, give --transpose",
                 input->file, (long long)input->cols, (long long)input->X.rows);
}

/* Returns whether the header calls a column an identifier: one of these words, or a last word such
 * as in customer_id and postal code. */
static int is_id_word(const char *header) {
    static const char *const words[] = {"id",  "index", "idx",   "no",    "no.",    "nr",
                                        "nr.", "num",   "row",   "uid",   "number", "row_id",
                                        "key", "code",  "rowid", "sample"};
    static const char *const ends[] = {"id", "idx", "no", "nr", "key", "code"};
    for (size_t k = 0; header && k < sizeof words / sizeof *words; k++)
        if (strcasecmp(header, words[k]) == 0) return 1;
    const char *last = header ? strrchr(header, ' ') : NULL;
    const char *other = header ? strrchr(header, '_') : NULL;
    if (!last || (other && other > last)) last = other;
    for (size_t k = 0; last && k < sizeof ends / sizeof *ends; k++)
        if (strcasecmp(last + 1, ends[k]) == 0) return 1;
    return 0;
}

/* Returns the value of a row and a column of the table. */
static double cell(const cli_input *input, int64_t row, int64_t column) {
    return input->transpose ? ch_matrix_at(&input->X, column, row)
                            : ch_matrix_at(&input->X, row, column);
}

static int64_t table_rows(const cli_input *input) {
    return input->transpose ? input->X.cols : input->X.rows;
}

/* Returns whether the first column of a table without names of its rows may be their numbers: it
 * counts by one, or its header says so and it holds rising whole numbers. Four numbers in a row are
 * no accident; three are enough from 0 on. */
static int has_index_column(const cli_input *input, const char *header) {
    int64_t rows = table_rows(input);
    int called = is_id_word(header);
    double before = 0;
    for (int64_t k = 0; k < rows; k++) {
        double value = cell(input, k, 0), step = k ? value - before : 1;
        if (value != floor(value) || !(called ? step > 0 : step == 1)) return 0;
        before = value;
    }
    return rows >= (called ? 2 : before == (double)rows - 1 ? 3 : 4);
}

static int by_value(const void *left, const void *right) {
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/* Returns whether a column holds whole numbers that all differ. Fewer than LEAST may do so by
 * accident. */
static int is_distinct(const cli_input *input, int64_t column) {
    enum { LEAST = 5 };
    int64_t rows = table_rows(input), k = 0;
    double *sorted = rows >= LEAST ? malloc((size_t)rows * sizeof *sorted) : NULL;
    if (!sorted) return 0;
    int distinct = 1;
    for (; k < rows && distinct; k++) {
        sorted[k] = cell(input, k, column);
        distinct = sorted[k] == floor(sorted[k]);
    }
    if (distinct) qsort(sorted, (size_t)rows, sizeof *sorted, by_value);
    for (k = 1; distinct && k < rows; k++) distinct = sorted[k] > sorted[k - 1];
    free(sorted);
    return distinct;
}

/* Returns whether all numbers of a column are days such as 20240302. */
static int holds_dates(const cli_input *input, int64_t column) {
    int64_t rows = table_rows(input);
    for (int64_t k = 0; k < rows; k++) {
        double value = cell(input, k, column);
        if (value != floor(value) || !(value >= 19000101 && value <= 21001231)) return 0;
        int month = (int)fmod(floor(value / 100), 100), day = (int)fmod(value, 100);
        if (month < 1 || month > 12 || day < 1 || day > 31) return 0;
    }
    return rows > 0;
}

/* A note about numbers of the rows that are read as data. Where other names are known, only a
 * header makes them suspect. Returns whether there was one. */
static int suggest_index(const cli_input *input, const char *header, int64_t names) {
    if ((names && !is_id_word(header)) || !has_index_column(input, header)) return 0;
    cli_complain("warning: %s: the first column%s%s%s looks like numbers of the rows, but is read "
                 "as data; %s",
                 input->file, header ? " (" : "", header ? header : "", header ? ")" : "",
                 names ? "--drop 1 leaves it out" : "--index 1 takes it as names");
    return 1;
}

/* Notes about columns of a table that hold names of rows or dates, but are read as data. */
static void suggest_columns(const cli_input *input, const cli_session *session) {
    enum { NOTES = 5 };
    const ch_matrix_names *names = &input->names.of;
    const ch_text_list *rows = input->transpose ? &names->columns : &names->rows;
    const ch_text_list *columns = input->transpose ? &names->rows : &names->columns;
    int64_t count = input->transpose ? input->X.rows : input->X.cols;
    if (session->common.quiet || !cli_is_table(input->file) || count < 2) return;
    if (input->file != session->options.operands[0] || ch_context_comm(session->context)) return;
    int64_t next = suggest_index(input, columns->count ? columns->text[0] : NULL, rows->count);
    for (int notes = 0; next < count && notes < NOTES; next++) {
        const char *header = columns->count > next ? columns->text[next] : NULL;
        int dates = holds_dates(input, next);
        int named = !dates && is_id_word(header) && is_distinct(input, next);
        notes += dates || named;
        if (dates && !header)
            cli_complain("warning: %s: column %lld of the data looks like dates, but is read as "
                         "data; --drop leaves it out",
                         input->file, (long long)next + 1);
        else if (dates || named)
            cli_complain("warning: %s: column '%s' looks like %s, but is read as data; --drop '%s' "
                         "leaves it out%s",
                         input->file, header, dates ? "dates" : "an identifier", header,
                         dates || rows->count ? "" : ", and --index takes it as names");
    }
}

static void say_direction(const cli_input *input, const cli_session *session) {
    if (input->companion || session->common.quiet || !cli_is_h5ad(input->file)) return;
    if (!cli_is_first(session)) return;
    long long points = (long long)input->cols, features = (long long)input->X.rows;
    if (input->transpose)
        cli_complain("%s: the %lld cells (rows) are used as the data points, with %lld genes each; "
                     "--transpose uses the genes instead",
                     input->file, points, features);
    else
        cli_complain("%s: the %lld genes (columns) are used as the data points, each with "
                     "%lld values, one per cell, because --transpose is given",
                     input->file, points, features);
}

/* A matrix is one file. Folders are read by other commands. */
static int refuse_folder(const cli_input *input, const cli_session *session, const char *file) {
    struct stat seen;
    if (stat(file, &seen) != 0 || !S_ISDIR(seen.st_mode)) return EXIT_DONE;
    if (input->companion)
        return cli_error(EXIT_FILES, "%s: this is a folder; give the name of a file", file);
    return cli_error(
        EXIT_FILES,
        "%s: this is a folder, but '%s' reads a matrix from one file. For a folder of texts use "
        "'conehull topics' or 'conehull exemplars', for a folder of pictures 'conehull video'",
        file, session->options.command);
}

/* cli_check() for reading. Options that the user has not given may be the reason of a failure. */
static int check_read(const cli_input *input, const cli_session *session, ch_status status) {
    const struct {
        const char *name, *value, *from, *none;
    } options[] = {{"index", input->index, input->index_from, "none"},
                   {"drop", input->drop, input->drop_from, "none"},
                   {"decimal", input->decimal, input->decimal_from, "point"}};
    int code = cli_check(session, status);
    for (int k = 0; status < 0 && k < 3; k++)
        if (options[k].from && options[k].value)
            cli_complain("--%s %s is that of the run in %s; --%s %s switches it off",
                         options[k].name, options[k].value, options[k].from, options[k].name,
                         options[k].none);
    return code;
}

static int take_decimal(const cli_session *session, const cli_input *input, int *comma) {
    const char *given = input->decimal ? input->decimal : "point";
    *comma = strcmp(given, "comma") == 0;
    if (*comma || strcmp(given, "point") == 0) return EXIT_DONE;
    return cli_wrong_use(session, "--decimal must be point or comma; got '%s'", given);
}

int cli_input_read(cli_input *input, const cli_session *session, const char *file) {
    ch_context *context = session->context;
    if (!input->companion && cli_is_h5ad(file)) input->transpose = !input->transpose;
    if (input->index && strcmp(input->index, "none") == 0) input->index = NULL;
    if (input->drop && strcmp(input->drop, "none") == 0) input->drop = NULL;
    input->names.of.size = sizeof input->names.of;
    ch_matrix_read_settings settings = {.size = sizeof settings,
                                        .var = input->var,
                                        .transpose = input->transpose,
                                        .distributed = 1,
                                        .names = &input->names.of,
                                        .index = input->index,
                                        .drop = input->drop,
                                        .unknown_as_nan = input->cells};
    double start = cli_seconds();
    int64_t memory;
    TRY(take_decimal(session, input, &settings.decimal_comma));
    int apart;
    input->file = file;
    TRY(cli_refuse_stdin(file));
    TRY(refuse_folder(input, session, file));
    TRY(take_memory(session, input, &memory));
    TRY(compare_files(session, file));
    if (memory > 0) settings.scratch = cli_scratch_folder();
    TRY(cli_matrix_read_apart(session, &input->X, &apart, file, &settings,
                              memory > 0 ? memory - PROGRAM : 0));
    if (!apart)
        TRY(check_read(input, session, ch_matrix_read(context, &input->X, file, &settings)));
    ch_status status = ch_matrix_limit(context, &input->X, memory);
    input->cols = input->X.cols;
    if (status == CH_OK) status = ch_comm_count(context, &input->cols);
    if (status < 0) ch_matrix_free(context, &input->X);
    int code = cli_check(session, status);
    if (code == EXIT_DONE)
        code = cli_names_read(&input->names, session, input->X.rows, input->cols,
                              input->transpose != 0);
    input->seconds = cli_seconds() - start;
    if (code == EXIT_DONE) say_direction(input, session);
    if (code == EXIT_DONE) suggest_columns(input, session);
    return code;
}

void cli_input_free(cli_input *input, const cli_session *session) {
    ch_matrix_free(session->context, &input->X);
    cli_names_free(&input->names, session);
}

int cli_cube_open(const cli_session *session, ch_cube *cube, const char *file,
                  const ch_cube_open_settings *settings, int64_t memory) {
    TRY(cli_cube_try_apart(session, file, settings, memory > 0 ? cli_scratch_folder() : NULL,
                           memory));
    return cli_check(session, ch_cube_open(session->context, cube, file, settings));
}

const char *cli_input_point(const cli_input *input) {
    return input->transpose ? "row" : "column";
}

const char *cli_input_turned(const cli_input *input) {
    return input->transpose ? ", transposed" : "";
}

/* Returns whether the message begins with the place of an entry, "the value at row 3, column
 * 17". */
static int names_a_place(const char *message) {
    static const char words[] = "the value at row ";
    return strncmp(message, words, sizeof words - 1) == 0;
}

/* The library calls data points columns; this message is about their number. Returns it with rows
 * instead, for free(); NULL for other messages. */
static char *call_rows(const char *message) {
    static const char about[] = "the rank is ", word[] = "column";
    char *text = strncmp(message, about, sizeof about - 1) == 0 ? strdup(message) : NULL;
    for (char *at = text ? strstr(text, word) : NULL; at; at = strstr(at, word)) {
        memcpy(at, "row", 3);
        memmove(at + 3, at + sizeof word - 1, strlen(at + sizeof word - 1) + 1);
    }
    return text;
}

int cli_input_check(const cli_session *session, ch_status status, const cli_input *input) {
    char *name = NULL, *message = NULL;
    int turned =
        status < 0 && input->transpose && names_a_place(ch_context_message(session->context));
    if (asprintf(&name, "%s%s", input->file, turned ? "" : cli_input_turned(input)) < 0)
        name = NULL;
    if (turned || (status < 0 && status != CH_ERR_IO && cli_names_any(&input->names)))
        message = cli_names_explain(&input->names, ch_context_message(session->context), turned);
    char *rows =
        status < 0 && input->transpose ? call_rows(ch_context_message(session->context)) : NULL;
    if (rows) {
        free(message);
        message = rows;
    }
    cli_progress_clear();
    int code = message && *message
                   ? cli_error(cli_exit_code(status), "%s: %s", name ? name : input->file, message)
                   : cli_check_file(session, status, name ? name : input->file);
    free(name);
    free(message);
    return code;
}

double cli_stored_value(const ch_matrix *X, int64_t k) {
    switch (X->type) {
    case CH_F64:
        return ((const double *)X->values)[k];
    case CH_F32:
        return (double)((const float *)X->values)[k];
    case CH_U8:
        return ((const unsigned char *)X->values)[k];
    default:
        return ((const uint16_t *)X->values)[k];
    }
}

int cli_is_matrix_name(const char *path) {
    size_t length = strlen(path);
    for (const char *const *format = ch_matrix_formats(); *format; format++) {
        size_t suffix = strlen(*format);
        if (length > suffix + 1 && path[length - suffix - 1] == '.' &&
            strcmp(path + length - suffix, *format) == 0)
            return 1;
    }
    return 0;
}
