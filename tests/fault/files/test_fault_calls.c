/* Readers when a call fails that no file can make fail: of the system (a disk that breaks, no
 * address space) or of a library that reads for us (no memory of its own, or contents that differ
 * from what it announced). The calls are defined here, before those of the libraries, and pass on
 * to them unless it is their turn. Each refusal has its status and words, leaves the output alone
 * and holds nothing; the same file is read when the calls work again. */
#include "support_files.h"
#include <archive.h>
#include <conehull/io.h>
#include <conehull/picture.h>
#include <dlfcn.h>
#include <errno.h>
#include <hdf5.h>
#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <zlib.h>

static const char *failing = ""; /* the call whose turn it is          */
static int reason;               /* in errno, or of the library        */
static double later;             /* seconds that the clock is ahead    */

/* Does this call fail now? */
static int fails(const char *call) {
    if (strcmp(failing, call) != 0) return 0;
    errno = reason;
    return 1;
}

static void *next_of(const char *name) {
    return dlsym(RTLD_NEXT, name);
}

/* ---- the system ---- */

int fstat(int fd, struct stat *facts) {
    int (*next)(int, struct stat *) = next_of("fstat");
    return fails("fstat") ? -1 : next(fd, facts);
}

void *mmap(void *at, size_t bytes, int protection, int flags, int fd, off_t offset) {
    void *(*next)(void *, size_t, int, int, int, off_t) = next_of("mmap");
    return fd >= 0 && fails("mmap") ? MAP_FAILED : next(at, bytes, protection, flags, fd, offset);
}

ssize_t read(int fd, void *bytes, size_t count) {
    ssize_t (*next)(int, void *, size_t) = next_of("read");
    return fails("read") ? -1 : next(fd, bytes, count);
}

ssize_t pread(int fd, void *bytes, size_t count, off_t offset) {
    ssize_t (*next)(int, void *, size_t, off_t) = next_of("pread");
    return fails("pread") ? -1 : next(fd, bytes, count, offset);
}

ssize_t pwrite(int fd, const void *bytes, size_t count, off_t offset) {
    ssize_t (*next)(int, const void *, size_t, off_t) = next_of("pwrite");
    return fails("pwrite") ? -1 : next(fd, bytes, count, offset);
}

int ftruncate(int fd, off_t length) {
    int (*next)(int, off_t) = next_of("ftruncate");
    return fails("ftruncate") ? -1 : next(fd, length);
}

int fdatasync(int fd) {
    int (*next)(int) = next_of("fdatasync");
    return fails("fdatasync") ? -1 : next(fd);
}

int unlink(const char *path) {
    int (*next)(const char *) = next_of("unlink");
    return fails("unlink") ? -1 : next(path);
}

int clock_gettime(clockid_t clock, struct timespec *time) {
    int (*next)(clockid_t, struct timespec *) = next_of("clock_gettime");
    int status = next(clock, time);
    time->tv_sec += (time_t)later;
    return status;
}

/* ---- zlib, libarchive, libpng ---- */

int inflateInit2_(z_streamp stream, int bits, const char *version, int size) {
    int (*next)(z_streamp, int, const char *, int) = next_of("inflateInit2_");
    return fails("inflateInit2_") ? Z_MEM_ERROR : next(stream, bits, version, size);
}

int inflate(z_streamp stream, int flush) {
    int (*next)(z_streamp, int) = next_of("inflate");
    return fails("inflate") ? reason : next(stream, flush);
}

int inflateInit_(z_streamp stream, const char *version, int size) {
    int (*next)(z_streamp, const char *, int) = next_of("inflateInit_");
    return fails("inflateInit_") ? Z_MEM_ERROR : next(stream, version, size);
}

struct archive *archive_read_new(void) {
    struct archive *(*next)(void) = next_of("archive_read_new");
    return fails("archive_read_new") ? NULL : next();
}

struct archive *archive_write_new(void) {
    struct archive *(*next)(void) = next_of("archive_write_new");
    return fails("archive_write_new") ? NULL : next();
}

int archive_read_open_fd(struct archive *archive, int fd, size_t block) {
    int (*next)(struct archive *, int, size_t) = next_of("archive_read_open_fd");
    return fails("archive_read_open_fd") ? ARCHIVE_FATAL : next(archive, fd, block);
}

la_ssize_t archive_read_data(struct archive *archive, void *bytes, size_t count) {
    la_ssize_t (*next)(struct archive *, void *, size_t) = next_of("archive_read_data");
    return fails("archive_read_data") ? ARCHIVE_FATAL : next(archive, bytes, count);
}

int archive_errno(struct archive *archive) {
    int (*next)(struct archive *) = next_of("archive_errno");
    return strncmp(failing, "archive_read_", 13) == 0 ? reason : next(archive);
}

size_t png_get_rowbytes(png_const_structrp png, png_const_inforp info) {
    size_t (*next)(png_const_structrp, png_const_inforp) = next_of("png_get_rowbytes");
    return fails("png_get_rowbytes") ? 1 : next(png, info);
}

void png_write_end(png_structrp png, png_inforp info) {
    void (*next)(png_structrp, png_inforp) = next_of("png_write_end");
    if (fails("png_write_end")) png_error(png, "it is its turn");
    next(png, info);
}

/* ---- HDF5 ---- */

herr_t H5Literate(hid_t group, H5_index_t by, H5_iter_order_t order, hsize_t *at,
                  H5L_iterate_t visit, void *user) {
    herr_t (*next)(hid_t, H5_index_t, H5_iter_order_t, hsize_t *, H5L_iterate_t, void *) =
        next_of("H5Literate");
    return fails("H5Literate") ? -1 : next(group, by, order, at, visit, user);
}

/* ---- matrices ---- */

typedef struct refusal {
    const char *call, *name;
    int reason;
    ch_status status;
    const char *words;
} refusal;

static const refusal refusals[] = {
    {"fstat", "X.npy", EIO, CH_ERR_IO, "cannot read: Input/output error"},
    {"mmap", "X.npy", ENOMEM, CH_ERR_IO, "cannot map: Cannot allocate memory"},
    {"inflateInit2_", "X.csv", ENOMEM, CH_ERR_MEMORY, "a decompressor"},
    {"inflate", "X.csv.gz", Z_MEM_ERROR, CH_ERR_MEMORY, "a decompressor"},
    {"read", "X.csv", EIO, CH_ERR_IO, "X.csv: cannot read: Input/output error"},
    {"read", "X.csv.gz", EIO, CH_ERR_IO, "X.csv.gz: cannot read: Input/output error"},
    {"inflate", "X.csv.gz", Z_DATA_ERROR, CH_ERR_FORMAT,
     "the compressed data are truncated or damaged after line 0"},
    {"archive_read_new", "X.npz", ENOMEM, CH_ERR_MEMORY, "a decompressor"},
    {"archive_read_open_fd", "X.npz", EINVAL, CH_ERR_FORMAT, "X.npz: the zip archive is"},
    {"archive_read_data", "X.npz", ENOMEM, CH_ERR_MEMORY, "a decompressor"},
    {"archive_read_data", "X.npz", EIO, CH_ERR_IO, "X.npz: X.npy: the zip archive is"},
    {"archive_read_data", "X.npz", EINVAL, CH_ERR_FORMAT, "X.npz: X.npy: the zip archive is"},
    {"pread", "X.mat", EIO, CH_ERR_IO, "X.mat: cannot read: Input/output error"},
    {"inflateInit_", "packed.mat", 0, CH_ERR_MEMORY, "a decompressor"},
    {"H5Literate", "X73.mat", 0, CH_ERR_FORMAT,
     "X73.mat: the list of variables in the file is damaged"},
    {"H5Literate", "X.h5", 0, CH_ERR_FORMAT, "X.h5: the file contains no matrix of real numbers"},
};

/* What C can write itself, then what needs SciPy and h5py. */
static int make_samples(void **state) {
    double numbers[] = {1, 2, 3, 4, 5, 6};
    ch_context *context;
    if (support_folder_make(state) || ch_context_create(&context, NULL)) return -1;
    ch_matrix X = {.rows = 3, .cols = 2, .values = numbers, .stride = 3};
    ch_npz_array array = {"X", 'f', 2, {3, 2}, numbers};
    int failed = ch_matrix_write(context, support_path("X.npy"), &X) ||
                 ch_matrix_write(context, support_path("X.csv"), &X) ||
                 ch_matrix_write(context, support_path("X.csv.gz"), &X) ||
                 ch_npz_write(context, support_path("X.npz"), &array, 1);
    ch_context_destroy(context);
    support_python("numpy, scipy.io, h5py",
                   "import numpy as np, scipy.io as sio, h5py\n"
                   "X = np.arange(1., 7).reshape(2, 3)\n"
                   "sio.savemat('X.mat', {'X': X.T})\n"
                   "sio.savemat('packed.mat', {'X': X.T}, do_compression=True)\n"
                   "with h5py.File('X.h5', 'w') as f: f['X'] = X.T\n"
                   "with h5py.File('large.h5', 'w') as f: f['X'] = np.ones((64, 64))\n"
                   "np.savez('rows.npz', X=X)\n"
                   "with h5py.File('X73.mat', 'w', userblock_size=512) as f: f['X'] = X\n"
                   "with h5py.File('none73.mat', 'w', userblock_size=512) as f:\n"
                   "    g = f.create_group('X'); g.attrs['MATLAB_sparse'] = np.uint64(3)\n"
                   "    g['jc'] = np.zeros(3, 'int64')\n"
                   "for name in ('X73.mat', 'none73.mat'):\n"
                   "    with open(name, 'r+b') as f: f.seek(124); f.write(b'\\x00\\x02IM')\n");
    return failed ? -1 : 0;
}

static void test_matrices(void **state) {
    int looked = 0;
    (void)state;
    for (size_t r = 0; r < sizeof refusals / sizeof *refusals; r++) {
        const refusal *row = &refusals[r];
        const char *path = support_path("%s", row->name);
        support_memory memory;
        ch_matrix X = {.rows = -7};
        if (access(path, R_OK)) continue;
        looked++;
        ch_context *context = support_context(&memory, 1);
        failing = row->call;
        reason = row->reason;
        ch_status status = ch_matrix_read(context, &X, path, NULL);
        failing = "";
        support_check(status == row->status, "%s of %s: %d, %s", row->call, row->name, status,
                      ch_context_message(context));
        support_message(context, row->words);
        assert_int_equal(X.rows, -7);
        support_check(ch_matrix_read(context, &X, path, NULL) == CH_OK, "%s after %s: %s",
                      row->name, row->call, ch_context_message(context));
        support_close(ch_matrix_at(&X, 2, 1), 6, 0);
        ch_matrix_free(context, &X);
        support_finish(context, &memory);
    }
    assert_true(looked >= 12);
}

/* A data set that goes through a scratch file, which cannot be written, or not be mapped. */
static void test_scratch(void **state) {
    static const refusal rows[] = {
        {"pwrite", "large.h5", ENOSPC, CH_ERR_IO,
         "a scratch file cannot be written in this folder: No space left"},
        {"mmap", "large.h5", ENOMEM, CH_ERR_IO,
         "a scratch file in this folder cannot be mapped into memory: Cannot allocate"},
    };
    char folder[1024];
    (void)state;
    if (access(support_path("large.h5"), R_OK)) skip();
    snprintf(folder, sizeof folder, "%s", support_path("."));
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        support_memory memory;
        ch_matrix X = {.rows = -7};
        ch_matrix_read_settings settings = {.size = sizeof settings, .scratch = folder};
        ch_context *context = support_context(&memory, 1);
        int held = support_folder_count();
        ch_context_set_memory_limit(context, 64 * 64 * 8 * 4 - 4);
        failing = rows[r].call;
        reason = rows[r].reason;
        ch_status status = ch_matrix_read(context, &X, support_path("large.h5"), &settings);
        failing = "";
        support_check(status == rows[r].status, "%s: %d, %s", rows[r].call, status,
                      ch_context_message(context));
        support_message(context, rows[r].words);
        support_message(context, folder);
        assert_int_equal(X.rows, -7);
        assert_int_equal(support_folder_count(), held);
        ch_context_set_memory_limit(context, 0);
        support_finish(context, &memory);
    }
}

/* A file that never ends: the limit of memory ends it, or a fault of its device. */
static void test_endless(void **state) {
    static const refusal rows[] = {
        {"", "endless.npy", 0, CH_ERR_MEMORY, "contents"},
        {"", "endless.csv", 0, CH_ERR_MEMORY, "a line"},
        {"read", "endless.npy", EIO, CH_ERR_IO, "endless.npy: cannot read: Input/output error"},
    };
    (void)state;
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        const char *path = support_path("%s", rows[r].name);
        support_memory memory;
        ch_matrix X = {.rows = -7};
        ch_context *context = support_context(&memory, 1);
        assert_int_equal(symlink("/dev/zero", path), 0);
        ch_context_set_memory_limit(context, 4 << 20);
        failing = rows[r].call;
        reason = rows[r].reason;
        ch_status status = ch_matrix_read(context, &X, path, NULL);
        failing = "";
        support_check(status == rows[r].status, "%s: %d, %s", rows[r].name, status,
                      ch_context_message(context));
        support_message(context, rows[r].words);
        support_message(context, rows[r].name);
        assert_int_equal(X.rows, -7);
        assert_int_equal(unlink(path), 0);
        support_finish(context, &memory);
    }
}

/* Numbers that come by a pipe, for which there is no room. */
static void test_pipe(void **state) {
    static const char text[] = "%%MatrixMarket matrix array real general\n300 300\n1 2 3 4\n";
    char command[2200];
    support_memory memory;
    ch_matrix X = {.rows = -7};
    (void)state;
    const char *from = support_path("file"), *path = support_path("pipe.mtx");
    support_file_write(from, text, sizeof text - 1);
    assert_int_equal(mkfifo(path, 0600), 0);
    snprintf(command, sizeof command, "cat '%s' > '%s' &", from, path);
    assert_int_equal(system(command), 0);
    ch_context *context = support_context(&memory, 1);
    ch_context_set_memory_limit(context, (1 << 20) + 170000); /* a line, a block, few values */
    ch_status status = ch_matrix_read(context, &X, path, NULL);
    support_check(status == CH_ERR_MEMORY, "%d, %s", status, ch_context_message(context));
    support_message(context, "pipe.mtx: not enough memory: values would take ");
    assert_int_equal(X.rows, -7);
    support_finish(context, &memory);
}

/* Every allocation refused in turn, where a reader takes a way that other files do not lead to. */
static void test_no_memory(void **state) {
    (void)state;
    if (access(support_path("none73.mat"), R_OK)) skip();
    for (int arrays = 0; arrays < 2; arrays++)
        for (int64_t k = 1, failed = 1; failed; k++) {
            support_memory memory;
            ch_npz_array *list = NULL;
            ch_matrix X = {.rows = -7};
            int count = -7;
            ch_context *context = support_context(&memory, 1);
            memory.requests = 0;
            memory.fail_at = k;
            ch_status status = arrays
                                   ? ch_npz_read(context, &list, &count, support_path("rows.npz"))
                                   : ch_matrix_read(context, &X, support_path("none73.mat"), NULL);
            failed = memory.failed;
            support_check(status == (failed ? CH_ERR_MEMORY : CH_OK), "request %lld: %d, %s",
                          (long long)k, status, ch_context_message(context));
            assert_true(!failed || (X.rows == -7 && count == -7 && !list));
            if (!failed && arrays) ch_npz_free(context, list, count);
            if (!failed && !arrays) ch_matrix_free(context, &X);
            support_finish(context, &memory);
        }
}

/* ---- checkpoints ---- */

static ch_checkpoint_file *begin_run(ch_context *context, const char *path, int resume) {
    ch_checkpoint_file *file;
    failing = "";
    support_check(ch_checkpoint_file_open(context, &file, path, resume) == CH_OK, "%s",
                  ch_context_message(context));
    return file;
}

static ch_status add_record(ch_checkpoint_file *file) {
    static const char bytes[100] = "a record";
    const ch_record_piece piece = {bytes, sizeof bytes};
    const ch_checkpoint *table = ch_checkpoint_file_interface(file);
    return table->add(table->user, &piece, 1, 1);
}

static void check_io(ch_context *context, ch_status status, const char *words) {
    failing = "";
    support_check(status == CH_ERR_IO, "%d, %s", status, ch_context_message(context));
    support_message(context, words);
    support_message(context, "run.chk");
}

static void test_checkpoint(void **state) {
    support_memory memory;
    ch_checkpoint_file *file, *none = NULL;
    const void *bytes;
    int64_t count;
    (void)state;
    ch_context *context = support_context(&memory, 1);
    const char *path = support_path("run.chk");
    reason = EIO;
    file = begin_run(context, path, 0);
    for (int k = 0; k < 3; k++) assert_int_equal(add_record(file), CH_OK);
    failing = "fdatasync";
    check_io(context, ch_checkpoint_file_close(file, 0),
             "the checkpoint cannot be written: Input/output error");
    failing = "fstat";
    check_io(context, ch_checkpoint_file_open(context, &none, path, 1),
             "cannot read: Input/output");
    failing = "pread";
    check_io(context, ch_checkpoint_file_open(context, &none, path, 1),
             "cannot read: Input/output");
    assert_null(none);
    file = begin_run(context, path, 1);
    assert_int_equal(ch_checkpoint_file_records(file), 3);
    const ch_checkpoint *table = ch_checkpoint_file_interface(file);
    assert_int_equal(table->take(table->user, &bytes, &count, 1), CH_OK);
    failing = "ftruncate"; /* two records that nobody took */
    check_io(context, add_record(file), "the checkpoint cannot be written: Input/output error");
    assert_int_equal(add_record(file), CH_OK);
    later += 100; /* time to ask for the disk */
    failing = "fdatasync";
    check_io(context, add_record(file), "the checkpoint cannot be written: Input/output error");
    later += 100;
    assert_int_equal(add_record(file), CH_OK);
    failing = "unlink";
    check_io(context, ch_checkpoint_file_close(file, 1), "cannot remove: Input/output error");
    file = begin_run(context, path, 1); /* the work is still there, and can be removed */
    assert_true(ch_checkpoint_file_records(file) >= 2);
    assert_int_equal(ch_checkpoint_file_close(file, 1), CH_OK);
    assert_int_equal(access(path, F_OK), -1);
    file = begin_run(context, path, 0); /* nor is it missed when somebody else removed it */
    assert_int_equal(unlink(path), 0);
    assert_int_equal(ch_checkpoint_file_close(file, 1), CH_OK);
    support_finish(context, &memory);
}

/* ---- pictures and archives ---- */

static void test_pictures(void **state) {
    uint8_t pixels[6] = {1, 2, 3, 4, 5, 6}, *bytes = NULL;
    const ch_picture six = {3, 2, 1, pixels};
    ch_picture got = {.width = -7};
    size_t count = 7;
    support_memory memory;
    (void)state;
    ch_context *context = support_context(&memory, 1);
    const char *path = support_path("six.png");
    assert_int_equal(ch_picture_write(context, path, &six), CH_OK);
    failing = "png_get_rowbytes";
    ch_status status = ch_picture_read(context, &got, path);
    failing = "";
    assert_int_equal(status, CH_ERR_FORMAT);
    support_message(context,
                    "six.png: the PNG file is damaged: its rows have an unexpected length");
    assert_int_equal(got.width, -7);
    failing = "png_write_end";
    status = ch_picture_encode_png(context, &bytes, &count, &six);
    failing = "";
    assert_int_equal(status, CH_ERR_MEMORY);
    support_message(context, "encoded as PNG, probably because memory ran out: it is its turn");
    assert_true(bytes == NULL && count == 7);
    assert_int_equal(ch_picture_read(context, &got, path), CH_OK);
    assert_memory_equal(got.pixels, pixels, sizeof pixels);
    ch_picture_free(context, &got);
    support_finish(context, &memory);
}

static void test_archive_written(void **state) {
    double numbers[2] = {1, 2};
    const ch_npz_array array = {"X", 'f', 1, {2, 1}, numbers};
    support_memory memory;
    (void)state;
    ch_context *context = support_context(&memory, 1);
    int held = support_folder_count();
    failing = "archive_write_new";
    ch_status status = ch_npz_write(context, support_path("new.npz"), &array, 1);
    failing = "";
    assert_int_equal(status, CH_ERR_MEMORY);
    support_message(context, "an archive");
    assert_int_equal(support_folder_count(), held);
    support_finish(context, &memory);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_matrices),
        cmocka_unit_test(test_scratch),
        cmocka_unit_test(test_checkpoint),
        cmocka_unit_test(test_pictures),
        cmocka_unit_test(test_archive_written),
        cmocka_unit_test(test_endless),
        cmocka_unit_test(test_pipe),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, make_samples, support_folder_remove);
}
