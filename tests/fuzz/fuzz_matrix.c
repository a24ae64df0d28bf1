/* Files of matrices: whatever they hold, reading ends with a status and a message, takes memory in
 * proportion and gives it all back, handles of HDF5 too; a matrix that comes out can be used.
 *
 * The first byte b of an input chooses, of a target with n suffixes: the suffix, b % n; whether the
 * matrix is turned, b / n % 2; and by the bits of b / 2n, where files have variables, 1: X is asked
 * for; 2: a name that follows, up to a zero; 4, for HDF5: a scratch file may be used, and the limit
 * on memory follows; of text tables, 1: a column of names, and 2: columns to leave out, which
 * follow, each up to a zero; 4: unknown values are NaN; 8: decimal commas. The rest is the file.
 *
 * .h5 goes through HDF5; fuzz_hdf5.c and fuzz_npz.c build files that are whole from the outside, so
 * that what is reached is the part that is ours. */
#include "fuzz.h"
#include <conehull/io.h>
#include <string.h>
#include <unistd.h>

/* Every value can be looked at: the offsets and the memory behind them hold together. */
static void look_through(ch_context *context, const ch_matrix *X) {
    double sum = 0;
    ch_status status = ch_matrix_check(context, X);
    fuzz_require(status == CH_OK || status == CH_ERR_DATA, "a matrix that was read is broken: %s",
                 ch_context_message(context));
    for (int64_t j = 0; j < X->cols && j < 64; j++)
        for (int64_t i = 0; i < X->rows && i < 64; i++) sum += ch_matrix_at(X, i, j);
    fuzz_require(ch_matrix_stored(X) >= 0, "sum %g", sum);
}

typedef struct kind {
    const char *const *suffixes;
    unsigned number;
    int variables, scratch; /* whether settings.var and settings.scratch mean something */
    int table;              /* a text table                                             */
} kind;

/* A name from the input; "" when no zero ends it. */
static void take_name(char name[600], fuzz_bytes *bytes) {
    const uint8_t *end = bytes->left ? memchr(bytes->next, 0, bytes->left) : NULL;
    size_t length = end ? (size_t)(end - bytes->next) : 0;
    if (length > 599) length = 599;
    if (length) memcpy(name, bytes->next, length);
    name[length] = '\0';
    if (!end) return;
    bytes->next += length + 1;
    bytes->left -= length + 1;
}

static int read_as(const kind *k, const uint8_t *input, size_t count) {
    fuzz_run run;
    fuzz_bytes bytes = {input, count};
    char name[600] = "X", index[600], drop[600];
    ch_matrix X = {.rows = -7};
    if (count < 1) return 0;
    unsigned choice = fuzz_byte(&bytes), ways = choice / k->number / 2;
    const char *path = fuzz_path(k->suffixes[choice % k->number]);
    ch_matrix_names names = {.size = sizeof names};
    ch_matrix_read_settings settings = {
        .size = sizeof settings, .transpose = choice / k->number % 2, .names = &names};
    if (k->variables && ways & 3) settings.var = name;
    if (k->variables && ways & 2) take_name(name, &bytes);
    if (k->table && ways & 1) {
        take_name(index, &bytes);
        settings.index = index;
    }
    if (k->table && ways & 2) {
        take_name(drop, &bytes);
        settings.drop = drop;
    }
    settings.unknown_as_nan = k->table && ways & 4;
    settings.decimal_comma = k->table && ways & 8;
    if (k->scratch && ways & 4) settings.scratch = fuzz_folder();
    fuzz_begin(&run, count);
    if (settings.scratch) ch_context_set_memory_limit(run.context, fuzz_limit(&bytes));
    fuzz_write(path, bytes.next, bytes.left);
    fuzz_handles_mark();
    ch_status status = ch_matrix_read(run.context, &X, path, &settings);
    fuzz_handles_closed();
    ch_context_set_memory_limit(run.context, 0);
    fuzz_require(status <= 0, "stopped although nobody asked it to");
    if (status == CH_OK) {
        look_through(run.context, &X);
        fuzz_require(names.rows.count == 0 || names.rows.count == X.rows, "names of other rows");
        fuzz_require(names.columns.count == 0 || names.columns.count == X.cols,
                     "names of other columns");
        ch_matrix_names_free(run.context, &names);
        ch_matrix_free(run.context, &X);
    } else {
        fuzz_require(X.rows == -7 && !names.rows.count && !names.columns.count,
                     "the output was changed");
    }
    fuzz_end(&run, status);
    unlink(path);
    return 0;
}

fuzz_target fuzz_npy, fuzz_zip, fuzz_mtx, fuzz_csv, fuzz_mat, fuzz_h5;

int fuzz_npy(const uint8_t *bytes, size_t count) {
    static const char *const suffixes[] = {".npy"};
    return read_as(&(kind){suffixes, 1, 0, 0, 0}, bytes, count);
}

int fuzz_zip(const uint8_t *bytes, size_t count) {
    static const char *const suffixes[] = {".npz"};
    return read_as(&(kind){suffixes, 1, 1, 0, 0}, bytes, count);
}

int fuzz_mtx(const uint8_t *bytes, size_t count) {
    static const char *const suffixes[] = {".mtx", ".mtx.gz"};
    return read_as(&(kind){suffixes, 2, 0, 0, 0}, bytes, count);
}

int fuzz_csv(const uint8_t *bytes, size_t count) {
    static const char *const suffixes[] = {".csv", ".tsv", ".csv.gz", ".tsv.gz"};
    return read_as(&(kind){suffixes, 4, 0, 0, 1}, bytes, count);
}

int fuzz_mat(const uint8_t *bytes, size_t count) {
    static const char *const suffixes[] = {".mat"};
    return read_as(&(kind){suffixes, 1, 1, 0, 0}, bytes, count);
}

int fuzz_h5(const uint8_t *bytes, size_t count) {
    static const char *const suffixes[] = {".h5", ".mat"}; /* version 7.3 is HDF5 */
    return read_as(&(kind){suffixes, 2, 1, 1, 0}, bytes, count);
}
