/* Files of matrices: whatever they hold, reading ends with a status and a message, takes memory in
 * proportion and gives it all back, handles of HDF5 too; a matrix that comes out can be used. The
 * first byte chooses among the suffixes of a target and whether the matrix is turned; the rest is
 * the file.
 *
 * .mat and .h5 go through matio and HDF5; fuzz_hdf5.c and fuzz_npz.c build files that are whole
 * from the outside, so that what is reached is the part that is ours. */
#include "fuzz.h"
#include <conehull/io.h>
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

static int read_as(const char *const *suffixes, unsigned number, const uint8_t *bytes,
                   size_t count) {
    fuzz_run run;
    ch_matrix X = {.rows = -7};
    if (count < 1) return 0;
    const char *path = fuzz_path(suffixes[bytes[0] % number]);
    fuzz_write(path, bytes + 1, count - 1);
    fuzz_begin(&run, count);
    ch_read_settings settings = {NULL, bytes[0] / number % 2, 0, NULL};
    fuzz_handles_mark();
    ch_status status = ch_read_matrix(run.context, &X, path, &settings);
    fuzz_handles_closed();
    fuzz_require(status <= 0, "stopped without being told to");
    if (status == CH_OK) {
        look_through(run.context, &X);
        ch_matrix_free(run.context, &X);
    } else {
        fuzz_require(X.rows == -7, "the output was changed");
    }
    fuzz_end(&run, status);
    unlink(path);
    return 0;
}

fuzz_target fuzz_npy, fuzz_zip, fuzz_mtx, fuzz_csv, fuzz_mat, fuzz_h5;

int fuzz_npy(const uint8_t *bytes, size_t count) {
    static const char *const suffixes[] = {".npy"};
    return read_as(suffixes, 1, bytes, count);
}

int fuzz_zip(const uint8_t *bytes, size_t count) {
    static const char *const suffixes[] = {".npz"};
    return read_as(suffixes, 1, bytes, count);
}

int fuzz_mtx(const uint8_t *bytes, size_t count) {
    static const char *const suffixes[] = {".mtx", ".mtx.gz"};
    return read_as(suffixes, 2, bytes, count);
}

int fuzz_csv(const uint8_t *bytes, size_t count) {
    static const char *const suffixes[] = {".csv", ".tsv", ".csv.gz", ".tsv.gz"};
    return read_as(suffixes, 4, bytes, count);
}

int fuzz_mat(const uint8_t *bytes, size_t count) {
    static const char *const suffixes[] = {".mat"};
    return read_as(suffixes, 1, bytes, count);
}

int fuzz_h5(const uint8_t *bytes, size_t count) {
    static const char *const suffixes[] = {".h5", ".mat"}; /* version 7.3 is HDF5 */
    return read_as(suffixes, 2, bytes, count);
}
