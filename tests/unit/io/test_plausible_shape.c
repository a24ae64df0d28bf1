/* Rows and columns that are empty cost a file nothing: a dimension of up to 2^22 + 64 * (bytes of
 * the file) is read, one more is refused before anything is allocated for it, by every format and
 * on every rank. Of a packed text, memory follows what is there and not what is promised. */
#include "support_files.h"
#include "support_ranks.h"
#include <conehull/io.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

enum {
    LINES = 1 << 20,  /* bytes: the buffer of lines                    */
    SMALL = 1 << 17,  /* bytes: contexts, stores, heads of members     */
    UNSEEN = 1 << 16, /* entries that there is room for before they come */
    ENTRY = 20        /* bytes of one                                  */
};
#define BANNER "%%MatrixMarket matrix coordinate integer "
#define ARRAY "%%MatrixMarket matrix array real "

/* tall: the rows are many, else the columns. */
static void check_read(const char *path, int tall, int64_t expected) {
    support_memory memory;
    ch_matrix X;
    ch_context *context = support_context(&memory, 1);
    support_check(ch_matrix_read(context, &X, path, NULL) == CH_OK, "%s",
                  ch_context_message(context));
    int64_t found = tall ? X.rows : X.cols;
    support_check(expected < 0 || found == expected, "%s: %lld", path, (long long)found);
    support_check(found > 1 << 22, "%s: %lld are no test", path, (long long)found);
    ch_matrix_free(context, &X);
    support_finish(context, &memory);
}

static void check_refused(const char *path, int tall) {
    support_memory memory;
    ch_matrix X = {.rows = -7};
    ch_context *context = support_context(&memory, 1);
    ch_status status = ch_matrix_read(context, &X, path, NULL);
    support_check(status == CH_ERR_UNSUPPORTED, "%s: %d, %s", path, status,
                  ch_context_message(context));
    support_message(context, path);
    support_message(context, tall ? "rows, which is implausible for a file of"
                                  : "columns, which is implausible for a file of");
    support_message(context, tall ? "Remove empty rows" : "Remove empty columns");
    support_check(memory.peak < LINES + SMALL + ENTRY * UNSEEN, "%s: %lld bytes", path,
                  (long long)memory.peak);
    assert_int_equal(X.rows, -7);
    support_finish(context, &memory);
}

/* Text with one dimension so much above the bound; all numbers near it have as many digits. */
static int64_t write_text(const char *path, int tall, int above, const char *comment) {
    char text[400];
    int64_t bound = (int64_t)1 << 22;
    for (int pass = 0; pass < 2; pass++) {
        long long large = bound + above;
        int length = snprintf(text, sizeof text, "%sgeneral\n%%%s\n%lld %lld 1\n1 1 1\n", BANNER,
                              comment, tall ? large : 3, tall ? 3 : large);
        bound = ((int64_t)1 << 22) + 64 * (int64_t)length;
        support_file_write(path, text, (size_t)length);
    }
    return bound + above;
}

static void test_text(void **state) {
    (void)state;
    for (int tall = 0; tall < 2; tall++)
        for (int longer = 0; longer < 2; longer++) {
            const char *path = support_path("bound.mtx");
            const char *comment = longer ? "a longer file may have more of them" : "";
            check_read(path, tall, write_text(path, tall, 0, comment));
            write_text(path, tall, 1, comment);
            check_refused(path, tall);
        }
}

/* An array without values, with one dimension so much above the bound. */
static int64_t write_empty(const char *path, int tall, int64_t above) {
    enum { HEAD = 128 };
    char head[HEAD + 1];
    long long large = (1 << 22) + 64 * HEAD + above;
    memset(head, ' ', HEAD);
    memcpy(head, "\x93NUMPY\x01\x00\x76\x00", 10);
    int length = snprintf(head + 10, HEAD - 10,
                          "{'descr': '<f8', 'fortran_order': False, 'shape': (%lld, %lld), }",
                          tall ? large : 0, tall ? 0 : large);
    head[10 + length] = ' ';
    head[HEAD - 1] = '\n';
    support_file_write(path, head, HEAD);
    return large;
}

static void test_empty_array(void **state) {
    (void)state;
    for (int tall = 0; tall < 2; tall++) {
        const char *path = support_path("empty.npy");
        check_read(path, tall, write_empty(path, tall, 0));
        write_empty(path, tall, 1);
        check_refused(path, tall);
        write_empty(path, tall, (int64_t)1 << 62);
        check_refused(path, tall);
    }
}

/* Files that SciPy and h5py write: "tall" or "wide", "at" the bound or one "over" it. */
static void test_sparse(void **state) {
    static const char *const names[] = {"tall.%s.npz",     "tall.%s.coo.npz", "wide.%s.coo.npz",
                                        "wide.%s.csr.npz", "tall.%s.h5",      "wide.%s.h5",
                                        "tall.%s.mat",     "wide.%s.mtx.gz",  "tall.%s.mtx.gz"};
    (void)state;
    if (!support_python(
            "numpy, scipy.io, scipy.sparse, h5py",
            "import gzip, os, numpy as np, scipy.io as sio, scipy.sparse as sp, h5py\n"
            "arrays = np.array([5.]), np.array([1]), np.array([0, 0, 1, 1])\n"
            "def matrix(wide, n):\n"
            "    return sp.csr_matrix(arrays, (3, n)) if wide else sp.csc_matrix(arrays, (n, 3))\n"
            "def npz(path, wide, n): sp.save_npz(path, matrix(wide, n), compressed=False)\n"
            "def coo(path, wide, n): sp.save_npz(path, matrix(wide, n).tocoo(), compressed=False)\n"
            "def mat(path, wide, n): sio.savemat(path, {'X': matrix(wide, n)})\n"
            "def h5(path, wide, n):\n"
            "    with h5py.File(path, 'w') as f:\n"
            "        g = f.create_group('X'); g['data'], g['indices'], g['indptr'] = arrays\n"
            "        g.attrs['shape'] = matrix(wide, n).shape\n"
            "        g.attrs['encoding-type'] = 'csr_matrix' if wide else 'csc_matrix'\n"
            "def gz(path, wide, n):\n"
            "    text = '%%%%MatrixMarket matrix coordinate real general\\n%d %d 1\\n1 1 5\\n'\n"
            "    text %= (3, n) if wide else (n, 3)\n"
            "    open(path, 'wb').write(gzip.compress(text.encode(), 0))\n"
            "for make, ending, wides in ((npz, 'npz', (0,)), (npz, 'csr.npz', (1,)), (coo, "
            "'coo.npz', (0, 1)), (h5, 'h5', (0, 1)), (mat, 'mat', (0,)), (gz, 'mtx.gz', (0, 1))):\n"
            "    for wide in wides:\n"
            "        path = ('wide' if wide else 'tall') + '.%s.' + ending\n"
            "        make(path % 'at', wide, 2**22)\n"
            "        bound = 2**22 + 64 * os.path.getsize(path % 'at')\n"
            "        for above in (0, 1):\n"
            "            name = path % ('over' if above else 'at'); make(name, wide, bound + "
            "above)\n"
            "            assert 2**22 + 64 * os.path.getsize(name) == bound, name\n"))
        skip();
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        char name[64];
        int tall = *names[k] == 't';
        snprintf(name, sizeof name, names[k], "at");
        check_read(support_path("%s", name), tall, -1);
        snprintf(name, sizeof name, names[k], "over");
        check_refused(support_path("%s", name), tall);
    }
}

/* Zeros that are packed: 129 to 1032 values in a byte, and a dimension that is that long. */
static void test_dense(void **state) {
    static const char *const endings[] = {"npz", "h5", "mat", "mtx.gz"};
    (void)state;
    if (!support_python(
            "numpy, scipy.io, h5py",
            "import gzip, os, numpy as np, scipy.io as sio, h5py\n"
            "def npz(path, X): np.savez_compressed(path, X=X)\n"
            "def mat(path, X): sio.savemat(path, {'X': X}, do_compression=True)\n"
            "def h5(path, X):\n"
            "    with h5py.File(path, 'w') as f:\n"
            "        f.create_dataset('X', data=X, chunks=(1, 1 << 20), compression='gzip')\n"
            "def gz(path, X):\n"
            "    head = '%%%%MatrixMarket matrix array real general\\n%d %d\\n' % X.shape\n"
            "    open(path, 'wb').write(gzip.compress(head.encode() + b'0\\n' * X.size))\n"
            "for make, ending in (npz, 'npz'), (h5, 'h5'), (mat, 'mat'), (gz, 'mtx.gz'):\n"
            "    n, slack = 2**22, 1 << 14\n"
            "    for _ in range(3):\n"
            "        make('probe', np.zeros((1, n), 'u1')) if ending != 'npz' else "
            "make(open('probe', 'wb'), np.zeros((1, n), 'u1'))\n"
            "        n = 2**22 + 64 * os.path.getsize('probe')\n"
            "    make('below.' + ending, np.zeros((1, n - slack), 'u1'))\n"
            "    make('above.' + ending, np.zeros((1, n + slack), 'u1'))\n"))
        skip();
    for (size_t k = 0; k < sizeof endings / sizeof *endings; k++) {
        check_read(support_path("below.%s", endings[k]), 0, -1);
        check_refused(support_path("above.%s", endings[k]), 0);
    }
}

static void refuse_spread(void *path, ch_context *context, int rank) {
    ch_matrix_read_settings settings = {.size = sizeof settings, .distributed = 1};
    ch_matrix X = {.rows = -7};
    ch_status status = ch_matrix_read(context, &X, path, &settings);
    support_check(status == CH_ERR_UNSUPPORTED && X.rows == -7, "rank %d: %d, %s", rank, status,
                  ch_context_message(context));
}

static void test_ranks(void **state) {
    support_memory memory[7];
    (void)state;
    for (int tall = 0; tall < 2; tall++) {
        char path[512];
        snprintf(path, sizeof path, "%s", support_path("spread.mtx"));
        write_text(path, tall, 1, "");
        support_run_ranks(7, NULL, memory, refuse_spread, path);
        for (int rank = 0; rank < 7; rank++)
            support_check(memory[rank].peak < LINES + SMALL, "rank %d: %lld bytes", rank,
                          (long long)memory[rank].peak);
    }
}

/* A child that writes the text into a pipe of that name. */
static pid_t feed_pipe(const char *path, const char *text, size_t length) {
    assert_int_equal(mkfifo(path, 0600), 0);
    pid_t child = fork();
    if (child == 0) {
        support_file_write(path, text, length);
        _exit(0);
    }
    assert_true(child > 0);
    return child;
}

static void end_pipe(const char *path, pid_t child) {
    waitpid(child, NULL, 0);
    remove(path);
}

/* A pipe has no length before its end: the same answer, once it is there. */
static void test_pipe(void **state) {
    static const char *const texts[] = {BANNER "general\n3 900000000 1\n1 1 1\n",
                                        ARRAY "general\n0 900000000\n"};
    const char *path = support_path("pipe.mtx");
    (void)state;
    for (size_t t = 0; t < sizeof texts / sizeof *texts; t++) {
        pid_t child = feed_pipe(path, texts[t], strlen(texts[t]));
        check_refused(path, 0);
        end_pipe(path, child);
    }
}

static const char *const symmetries[] = {"general", "symmetric", "skew-symmetric"};

/* An array that promises 10^10 values and more and holds three: no memory for the others. */
static void test_array_of_pipe_cut(void **state) {
    static const char *const promised[] = {"10000000000", "5000050000", "4999950000"};
    const char *path = support_path("cut.mtx");
    (void)state;
    for (int s = 0; s < 3; s++) {
        char text[200], words[100];
        support_memory memory;
        ch_matrix X = {.rows = -7};
        int length =
            snprintf(text, sizeof text, "%s%s\n100000 100000\n1\n2\n3\n", ARRAY, symmetries[s]);
        snprintf(words, sizeof words,
                 "the file is truncated: its line of sizes states %s values, but it ends after 3",
                 promised[s]);
        pid_t child = feed_pipe(path, text, (size_t)length);
        ch_context *context = support_context(&memory, 1);
        assert_int_equal(ch_matrix_read(context, &X, path, NULL), CH_ERR_FORMAT);
        end_pipe(path, child);
        support_message(context, words);
        support_check(memory.peak < LINES + SMALL + 8 * UNSEEN, "%s: %lld bytes", symmetries[s],
                      (long long)memory.peak);
        assert_int_equal(X.rows, -7);
        support_finish(context, &memory);
    }
}

/* The matrix of a text that comes in by a pipe, in more values than there is room for at first, is
 * that of the same text in a file. */
static void test_array_of_pipe(void **state) {
    enum { N = 500, ROOM = N * N * 8 };
    char *text = malloc(ROOM);
    (void)state;
    assert_non_null(text);
    for (int s = 0; s < 3; s++) {
        support_memory memory;
        ch_matrix X, expected;
        const char *path = support_path("pipe.mtx"), *file = support_path("whole.mtx");
        int at = snprintf(text, ROOM, "%s%s\n%d %d\n", ARRAY, symmetries[s], N, N);
        int values = s == 0 ? N * N : s == 1 ? N * (N + 1) / 2 : N * (N - 1) / 2;
        assert_true(values > UNSEEN);
        for (int k = 0; k < values; k++)
            at += snprintf(text + at, (size_t)(ROOM - at), "%d%c", k % 9973, k % 7 ? ' ' : '\n');
        support_file_write(file, text, (size_t)at);
        pid_t child = feed_pipe(path, text, (size_t)at);
        ch_context *context = support_context(&memory, 1);
        ch_status status = ch_matrix_read(context, &X, path, NULL);
        end_pipe(path, child);
        support_check(status == CH_OK, "%s", ch_context_message(context));
        support_check(ch_matrix_read(context, &expected, file, NULL) == CH_OK, "%s",
                      ch_context_message(context));
        support_same_matrix(&X, &expected);
        support_close(ch_matrix_at(&X, 2, 1), s == 0 ? N + 2 : s == 1 ? N + 1 : N - 1, 0);
        support_close(ch_matrix_at(&X, 1, 2), s == 0 ? 2 * N + 1 : s == 1 ? N + 1 : 1 - N, 0);
        support_close(ch_matrix_at(&X, 1, 1), s == 0 ? N + 1 : s == 1 ? N : 0, 0);
        ch_matrix_free(context, &expected);
        ch_matrix_free(context, &X);
        support_finish(context, &memory);
    }
    free(text);
}

/* Values of one digit below the diagonal: fewer bytes than half of the matrix asks for. */
static void test_short_values(void **state) {
    enum { N = 300 };
    static char text[N * N + 200];
    const char *path = support_path("short.mtx");
    support_memory memory;
    ch_matrix X;
    int at = snprintf(text, sizeof text, "%sskew-symmetric\n%d %d\n", ARRAY, N, N);
    (void)state;
    for (int k = 0; k < N * (N - 1) / 2; k++, at += 2) memcpy(text + at, "1\n", 2);
    support_file_write(path, text, (size_t)at - 1);
    ch_context *context = support_context(&memory, 1);
    support_check(ch_matrix_read(context, &X, path, NULL) == CH_OK, "%s",
                  ch_context_message(context));
    support_close(ch_matrix_at(&X, N - 1, 0) + ch_matrix_at(&X, 3, N - 1), 0, 0);
    ch_matrix_free(context, &X);
    support_finish(context, &memory);
}

enum { SIZE = 5000 };

/* A packed text of `held` entries that promises more, made hard to pack by a comment of noise. */
static void write_promise(const char *path, const char *symmetry, int held, int promised) {
    ch_random random;
    gzFile file = gzopen(path, "wb");
    ch_random_seed(&random, 51);
    gzprintf(file, "%s%s\n", BANNER, symmetry);
    for (int k = 0; k < 4000; k++)
        gzprintf(file, "%% %llx\n", (unsigned long long)ch_random_bits(&random));
    gzprintf(file, "%d %d %d\n", SIZE, SIZE, promised);
    for (int k = 0; k < held; k++) gzprintf(file, "%d %d 1\n", SIZE - k % 1999, 1 + k % 1777);
    assert_int_equal(gzclose(file), Z_OK);
}

/* Kept entries once and a half, because that is what arrays grow by, the part that grows twice,
 * and their copy for sorting. */
static int64_t most_bytes(int64_t entries) {
    int64_t room = entries > UNSEEN ? entries : UNSEEN;
    return LINES + SMALL + 8 * (SIZE + 1) + room * (ENTRY * 3 / 2 + 12);
}

static void test_promises(void **state) {
    enum { PROMISED = 5000000 };
    static const int counts[] = {0, 1000, 70000, 300000};
    (void)state;
    for (int s = 0; s < 3; s++)
        for (size_t k = 0; k < sizeof counts / sizeof *counts; k++)
            for (int whole = 0; whole < 2; whole++) {
                support_memory memory;
                ch_matrix X = {.rows = -7};
                const char *path = support_path("promise.mtx.gz");
                write_promise(path, symmetries[s], counts[k], whole ? counts[k] : PROMISED);
                ch_context *context = support_context(&memory, 1);
                ch_status status = ch_matrix_read(context, &X, path, NULL);
                support_check(status == (whole ? CH_OK : CH_ERR_FORMAT), "%s, %d: %d, %s",
                              symmetries[s], counts[k], status, ch_context_message(context));
                if (!whole)
                    support_message(
                        context, "the file is truncated: its line of sizes states 5000000 values");
                int64_t most = most_bytes((s ? 2 : 1) * (int64_t)counts[k]);
                support_check(memory.peak <= most, "%s, %d: %lld bytes, more than %lld",
                              symmetries[s], counts[k], (long long)memory.peak, (long long)most);
                double sum = 0;
                for (int64_t j = 0; whole && j < SIZE; j++)
                    for (int64_t at = X.column_start[j]; at < X.column_start[j + 1]; at++)
                        sum += X.type == CH_F64  ? ((const double *)X.values)[at]
                               : X.type == CH_U8 ? ((const uint8_t *)X.values)[at]
                                                 : ((const uint16_t *)X.values)[at];
                if (whole) support_close(sum, s == 2 ? 0 : (s + 1) * counts[k], 0);
                if (whole) ch_matrix_free(context, &X);
                support_finish(context, &memory);
            }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_text),          cmocka_unit_test(test_sparse),
        cmocka_unit_test(test_dense),         cmocka_unit_test(test_ranks),
        cmocka_unit_test(test_pipe),          cmocka_unit_test(test_promises),
        cmocka_unit_test(test_empty_array),   cmocka_unit_test(test_array_of_pipe_cut),
        cmocka_unit_test(test_array_of_pipe), cmocka_unit_test(test_short_values),
    };
    return cmocka_run_group_tests(tests, support_folder_make, support_folder_remove);
}
