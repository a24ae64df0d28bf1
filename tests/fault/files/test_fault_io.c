/* Readers and writers when things go wrong: files cut short at every length, bytes changed, every
 * allocation refused in turn, a disk that is full, a caller that cancels. A reader ends with a
 * status and a message, leaves its output alone and holds nothing. */
#include "support_files.h"
#include <conehull/comm.h>
#include <conehull/io.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ROWS = 7, COLS = 5, LARGE = 40 * 50 * 8 }; /* bytes of chunks.h5 and whole.h5 */

typedef struct sample_file {
    const char *name;
    int cut_may_pass; /* text: what is left can be a smaller, valid file */
    int fragile;      /* read by another library: its own memory is not ours to refuse */
} sample_file;

static const sample_file samples[] = {
    {"dense.npy", 0, 0},    {"big.npy", 0, 0},       {"dense.mtx", 1, 0},  {"sparse.mtx", 1, 0},
    {"shuffled.mtx", 1, 0}, {"sparse.mtx.gz", 0, 0}, {"dense.csv", 1, 0},  {"dense.csv.gz", 0, 0},
    {"arrays.npz", 0, 0},   {"csr.npz", 0, 0},       {"coo.npz", 0, 0},    {"v5.mat", 0, 1},
    {"v7.mat", 0, 1},       {"sparse5.mat", 0, 1},   {"v4.mat", 0, 1},     {"dense.h5", 0, 1},
    {"sparse.h5", 0, 1},    {"packed.h5", 0, 1},     {"full73.mat", 0, 1}, {"sparse73.mat", 0, 1},
    {"tenx.h5", 0, 1},      {"root.h5", 0, 1}};
enum { SAMPLES = sizeof samples / sizeof *samples };

static void write_text(const char *name, const char *text) {
    support_file_write(support_path("%s", name), text, strlen(text));
}

/* What C can write itself, then what needs NumPy, SciPy and h5py. */
static int make_samples(void **state) {
    double numbers[ROWS * COLS];
    ch_context *context;
    if (support_folder_make(state)) return -1;
    for (int k = 0; k < ROWS * COLS; k++) numbers[k] = k % 3 ? k + 0.123456789012 : 0;
    ch_matrix X = {
        .rows = ROWS, .cols = COLS, .layout = CH_ROW_MAJOR, .values = numbers, .stride = COLS};
    ch_npz_array array = {"X", 'f', 2, {ROWS, COLS}, numbers};
    if (ch_context_create(&context, NULL)) return -1;
    ch_matrix S = support_reshape(context, &X, CH_CSC, CH_F64);
    static const char *const dense[] = {"dense.npy", "dense.mtx", "dense.csv", "dense.csv.gz"};
    int failed = ch_npz_write(context, support_path("arrays.npz"), &array, 1);
    for (int f = 0; f < 4; f++)
        failed |= ch_matrix_write(context, support_path("%s", dense[f]), &X);
    failed |= ch_matrix_write(context, support_path("sparse.mtx"), &S);
    failed |= ch_matrix_write(context, support_path("sparse.mtx.gz"), &S);
    ch_matrix_free(context, &S);
    ch_context_destroy(context);
    write_text("shuffled.mtx", "%%MatrixMarket matrix coordinate integer symmetric\n"
                               "4 4 6\n4 1 300\n2 1 2\n3 3 3\n2 1 4\n4 4 5\n1 1 6\n");
    support_python(
        "numpy, scipy.io, scipy.sparse, h5py",
        "import numpy as np, scipy.io as sio, scipy.sparse as sp, h5py\n"
        "x = np.arange(35.).reshape(7, 5) + .25; x[x % 3 == .25] = 0; s = sp.csr_matrix(x)\n"
        "np.save('big.npy', x.astype('>i4')); sp.save_npz('csr.npz', s); sp.save_npz('coo.npz', "
        "s.tocoo())\n"
        "sio.savemat('v5.mat', {'X': x}); sio.savemat('v7.mat', {'X': x}, do_compression=True)\n"
        "sio.savemat('sparse5.mat', {'X': s.tocsc()}); sio.savemat('v4.mat', {'X': x}, "
        "format='4')\n"
        "with h5py.File('dense.h5', 'w') as f: f['X'] = x\n"
        "with h5py.File('packed.h5', 'w') as f: f.create_dataset('X', data=x, chunks=(3, 3), "
        "compression='gzip')\n"
        "with h5py.File('sparse.h5', 'w') as f:\n"
        "    g = f.create_group('X'); g.attrs['shape'] = x.shape; g.attrs['encoding-type'] = "
        "'csr_matrix'\n"
        "    g['data'], g['indices'], g['indptr'] = s.data, s.indices, s.indptr\n"
        "for name, group in ('tenx.h5', 'X'), ('root.h5', '/'):\n" /* shapes that are packed */
        "    with h5py.File(name, 'w') as f:\n"
        "        g = f.require_group(group)\n"
        "        g['data'], g['indices'], g['indptr'] = s.data, s.indices, s.indptr\n"
        "        g.create_dataset('shape', data=x.shape, compression='gzip')\n"
        "        if group == '/': f['Y'] = x[:2]\n" /* not to be taken in its place */
        "y = np.arange(2000.).reshape(40, 50)\n"
        "for name, chunks in ('chunks.h5', (7, 11)), ('whole.h5', None):\n"
        "    with h5py.File(name, 'w') as f: f.create_dataset('X', data=y, chunks=chunks)\n"
        "def sparse(f):\n"
        "    g = f.create_group('X'); c = s.tocsc(); g.attrs['MATLAB_sparse'] = np.uint64(7)\n"
        "    g['data'], g['ir'], g['jc'] = c.data, c.indices, c.indptr\n"
        "def full(f): f['X'] = x.T\n"
        "for name, fill in (('full73.mat', full), ('sparse73.mat', sparse)):\n"
        "    with h5py.File(name, 'w', userblock_size=512) as f: fill(f)\n"
        "    with open(name, 'r+b') as f: f.seek(124); f.write(b'\\x00\\x02IM')\n");
    return failed ? -1 : 0;
}

/* The sample's bytes, or NULL when it could not be made. */
static unsigned char *load(const sample_file *sample, size_t *count) {
    const char *path = support_path("%s", sample->name);
    return access(path, R_OK) ? NULL : support_file_read(path, count);
}

/* Reads; whatever the status, nothing may be held and an output is complete or untouched. */
static ch_status read_once(const char *path, char message[600]) {
    support_memory memory;
    ch_context *context = support_context(&memory, 1);
    ch_matrix X = {.rows = -7};
    ch_status status = ch_matrix_read(context, &X, path, NULL);
    snprintf(message, 600, "%s", ch_context_message(context));
    if (status == CH_OK)
        ch_matrix_free(context, &X);
    else {
        support_check(X.rows == -7, "%s: the output was changed", path);
        support_check(strstr(message, path) != NULL, "\"%s\" does not name %s", message, path);
    }
    support_finish(context, &memory);
    return status;
}

static void test_cut_short(void **state) {
    char message[600];
    (void)state;
    for (int s = 0; s < SAMPLES; s++) {
        size_t count;
        unsigned char *bytes = load(&samples[s], &count);
        if (!bytes) continue;
        const char *path = support_path("cut-%s", samples[s].name);
        support_file_write(path, bytes, count);
        assert_int_equal(read_once(path, message), CH_OK);
        for (size_t length = 0; length < count; length++) {
            assert_int_equal(truncate(path, (off_t)(count - 1 - length)), 0);
            ch_status status = read_once(path, message);
            int fine = status == CH_ERR_FORMAT || (samples[s].cut_may_pass && status == CH_OK);
            support_check(fine, "%s cut to %zu of %zu bytes: %d, %s", samples[s].name,
                          count - 1 - length, count, status, message);
        }
        remove(path);
        free(bytes);
    }
}

/* Our own readers take any bytes; what other libraries make of damaged files is theirs. */
static void test_changed_bytes(void **state) {
    ch_random random;
    char message[600];
    (void)state;
    support_seed(&random, "changed_bytes", 31);
    for (int s = 0; s < SAMPLES; s++) {
        size_t count;
        unsigned char *bytes = samples[s].fragile ? NULL : load(&samples[s], &count);
        if (!bytes) continue;
        const char *path = support_path("changed-%s", samples[s].name);
        for (int round = 0; round < 400; round++) {
            size_t place = (size_t)ch_random_below(&random, (int64_t)count);
            unsigned char before = bytes[place];
            bytes[place] =
                round % 3 ? (unsigned char)ch_random_bits(&random) : "0919- ,'\n"[round / 3 % 9];
            support_file_write(path, bytes, count);
            ch_status status = read_once(path, message);
            support_check(status <= 0, "%s: %d", path, status);
            bytes[place] = before;
        }
        remove(path);
        free(bytes);
    }
}

/* One rank of two, to which the other seems to say what it says. */
static int share_alike(void *user, void *all, const void *own, int64_t count) {
    (void)user;
    memcpy(all, own, (size_t)count);
    memcpy((char *)all + count, own, (size_t)count);
    return 0;
}

static int hear_oneself(void *user, void *bytes, int64_t count, int from) {
    (void)user, (void)bytes, (void)count, (void)from;
    return 0;
}

/* Ways to read, and the limit of the context: one that sends dense data sets through a file. */
typedef struct reading {
    ch_matrix_read_settings settings;
    int64_t limit;
} reading;

/* Reads with the k-th request refused, and with go_on those after it; returns whether one was. */
static int read_without(const char *name, const reading *way, int64_t k, int go_on) {
    const ch_comm table = {.size = 2, .share = share_alike, .broadcast = hear_oneself};
    support_memory memory;
    ch_matrix X = {.rows = -7};
    int files = support_folder_count();
    ch_context *context = support_context(&memory, 1);
    if (way->settings.spread) assert_int_equal(ch_context_set_comm(context, &table), CH_OK);
    ch_context_set_memory_limit(context, way->limit);
    memory.requests = 0;
    memory.fail_at = k;
    memory.fail_on = go_on;
    ch_status status = ch_matrix_read(context, &X, support_path("%s", name), &way->settings);
    int refused = memory.failed > 0;
    support_check(status == (refused ? CH_ERR_MEMORY : CH_OK), "%s, request %lld: %d, %s", name,
                  (long long)k, status, ch_context_message(context));
    if (refused) {
        assert_int_equal(X.rows, -7);
        support_message(context, "memory");
    } else {
        ch_matrix_free(context, &X);
    }
    support_finish(context, &memory);
    assert_int_equal(support_folder_count(), files);
    return refused;
}

static void refuse_each(const char *name, const reading *way) {
    if (access(support_path("%s", name), R_OK)) return;
    for (int go_on = 0; go_on < 2; go_on++)
        for (int64_t k = 1; read_without(name, way, k, go_on); k++) assert_true(k < 1000);
}

static void test_no_memory(void **state) {
    static const reading ways[] = {{{0}, 0}, {{.transpose = 1}, 0}, {{.spread = 1}, 0}};
    (void)state;
    for (int s = 0; s < SAMPLES; s++)
        for (size_t w = 0; w < sizeof ways / sizeof *ways; w++)
            refuse_each(samples[s].name, &ways[w]);
}

/* Larger than a quarter of the limit, so through a file that has no name. */
static void test_no_memory_scratch(void **state) {
    static const char *const names[] = {"chunks.h5", "whole.h5"};
    char folder[512];
    snprintf(folder, sizeof folder, "%s", support_path("."));
    const reading ways[] = {
        {{.scratch = folder}, 4 * LARGE - 4},
        {{.scratch = folder, .transpose = 1}, 4 * LARGE - 4},
        {{.scratch = folder, .spread = 1}, 4 * LARGE - 4},
    };
    (void)state;
    for (size_t n = 0; n < sizeof names / sizeof *names; n++)
        for (size_t w = 0; w < sizeof ways / sizeof *ways; w++) refuse_each(names[n], &ways[w]);
}

static void test_no_memory_writing(void **state) {
    static const char *const names[] = {"w.npy", "w.mtx", "w.mtx.gz", "w.csv", "w.tsv.gz", "w.npz"};
    double numbers[ROWS * COLS] = {0, 1, 2, 3};
    ch_matrix dense = {
        .rows = ROWS, .cols = COLS, .layout = CH_ROW_MAJOR, .values = numbers, .stride = COLS};
    ch_npz_array array = {"X", 'f', 2, {ROWS, COLS}, numbers};
    int before = support_folder_count();
    (void)state;
    for (size_t n = 0; n < sizeof names / sizeof *names; n++)
        for (int sparse = 0; sparse < 2; sparse++)
            for (int64_t k = 1;; k++) {
                support_memory memory;
                const char *path = support_path("%s", names[n]);
                ch_context *context = support_context(&memory, 1);
                ch_matrix X =
                    support_reshape(context, &dense, sparse ? CH_CSC : CH_COLUMN_MAJOR, CH_F64);
                memory.requests = 0;
                memory.fail_at = k;
                ch_status status = strstr(path, ".npz") ? ch_npz_write(context, path, &array, 1)
                                                        : ch_matrix_write(context, path, &X);
                int64_t failed = memory.failed;
                support_check(status == (failed ? CH_ERR_MEMORY : CH_OK),
                              "%s, request %lld: %d, %s", path, (long long)k, status,
                              ch_context_message(context));
                ch_matrix_free(context, &X);
                support_finish(context, &memory);
                if (!failed) {
                    assert_int_equal(remove(path), 0);
                    break;
                }
                assert_int_equal(support_folder_count(), before); /* no half file */
            }
}

static void test_no_memory_arrays(void **state) {
    (void)state;
    for (int64_t k = 1;; k++) {
        support_memory memory;
        ch_npz_array *arrays = NULL;
        int count = -7;
        ch_context *context = support_context(&memory, 1);
        memory.requests = 0;
        memory.fail_at = k;
        ch_status status = ch_npz_read(context, &arrays, &count, support_path("arrays.npz"));
        int64_t failed = memory.failed;
        assert_int_equal(status, failed ? CH_ERR_MEMORY : CH_OK);
        if (failed)
            assert_int_equal(count, -7);
        else
            ch_npz_free(context, arrays, count);
        support_finish(context, &memory);
        if (!failed) break;
    }
}

/* Refuses at once what does not fit the machine, and takes little from a small file. */
static void test_modest(void **state) {
    static const char *const texts[] = {
        "%%MatrixMarket matrix coordinate real general\n1000 1000 900000000\n1 1 1\n",
        "%%MatrixMarket matrix array real general\n1000000 1000000\n1\n",
        "%%MatrixMarket matrix coordinate real general\n2147483647 3 2\n2 2 1\n1 1 1\n",
        "%%MatrixMarket matrix coordinate real general\n1 2500000000 1\n1 1 1\n",
        "%%MatrixMarket matrix coordinate real general\n1 100000000 1\n1 1 1\n",
        "%%MatrixMarket matrix coordinate real symmetric\n100000000 100000000 1\n1 1 1\n"};
    (void)state;
    for (size_t t = 0; t < sizeof texts / sizeof *texts; t++) {
        support_memory memory;
        ch_matrix X;
        write_text("modest.mtx", texts[t]);
        ch_context *context = support_context(&memory, 1);
        ch_status status = ch_matrix_read(context, &X, support_path("modest.mtx"), NULL);
        support_check(memory.peak < 4 << 20, "%lld bytes for a file of %zu", (long long)memory.peak,
                      strlen(texts[t]));
        if (status == CH_OK) ch_matrix_free(context, &X);
        support_finish(context, &memory);
    }
}

static int stop_at_once(const ch_progress_event *event, void *user) {
    ++*(int *)user;
    return event->done >= 0;
}

static void test_cancel(void **state) {
    enum { LINES = 1 << 20 };
    support_memory memory;
    ch_matrix X = {.rows = -7};
    int events = 0;
    const char *path = support_path("long.csv");
    FILE *file = fopen(path, "w");
    (void)state;
    assert_non_null(file);
    for (int line = 0; line < LINES; line++) fputs("1,2,3,4,5,6\n", file);
    fclose(file);
    ch_context *context = support_context(&memory, 1);
    ch_context_set_progress(context, stop_at_once, &events);
    assert_int_equal(ch_matrix_read(context, &X, path, NULL), CH_STOP_CANCELLED);
    assert_int_equal(events, 1);
    assert_int_equal(X.rows, 0); /* an empty matrix: there is no use in half of one */
    ch_matrix_free(context, &X);
    support_finish(context, &memory);
    remove(path);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cut_short),        cmocka_unit_test(test_changed_bytes),
        cmocka_unit_test(test_no_memory),        cmocka_unit_test(test_no_memory_writing),
        cmocka_unit_test(test_no_memory_arrays), cmocka_unit_test(test_modest),
        cmocka_unit_test(test_cancel),           cmocka_unit_test(test_no_memory_scratch),
    };
    return cmocka_run_group_tests(tests, make_samples, support_folder_remove);
}
