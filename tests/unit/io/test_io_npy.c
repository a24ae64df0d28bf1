/* .npy from bytes made here: every type, order, byte order and version; mapped or converted; and
 * headers that lie. No library reads or writes here, so that the memory sanitizer can watch it. */
#include "io/file/format.h"
#include "support_files.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ROWS = 3, COLS = 4 };

/* A .npy of any header text; returns its length. */
static size_t make_npy(unsigned char *bytes, int version, const char *dictionary,
                       const void *values, size_t count) {
    size_t before = version == 1 ? 10 : 12, length = strlen(dictionary) + 1;
    length += (64 - (before + length) % 64) % 64;
    memcpy(bytes, "\x93NUMPY", 6);
    bytes[6] = (unsigned char)version;
    bytes[7] = 0;
    memset(bytes + 8, 0, 4);
    bytes[8] = (unsigned char)length;
    bytes[9] = (unsigned char)(length >> 8);
    memset(bytes + before, ' ', length);
    memcpy(bytes + before, dictionary, strlen(dictionary));
    bytes[before + length - 1] = '\n';
    if (count) memcpy(bytes + before + length, values, count);
    return before + length + count;
}

static void put(unsigned char *to, char kind, int size, int big, double value) {
    unsigned char bytes[8] = {0};
    int64_t whole = (int64_t)value;
    float single = (float)value;
    uint16_t half = (uint16_t)(value == 0     ? 0
                               : value == 1.5 ? 0x3e00
                               : value == 200 ? 0x5a40
                                              : 0x4000);
    if (kind != 'f')
        memcpy(bytes, &whole, 8);
    else if (size == 8)
        memcpy(bytes, &value, 8);
    else if (size == 4)
        memcpy(bytes, &single, 4);
    else
        memcpy(bytes, &half, 2);
    for (int b = 0; b < size; b++) to[b] = bytes[big ? size - 1 - b : b];
}

static const struct {
    const char *letters;
    char kind;
    int size;
    ch_value_type type;
    int mapped; /* when little-endian */
} kinds[] = {{"b1", 'b', 1, CH_U8, 0},  {"i1", 'i', 1, CH_F32, 0}, {"i2", 'i', 2, CH_F32, 0},
             {"i4", 'i', 4, CH_F64, 0}, {"i8", 'i', 8, CH_F64, 0}, {"u1", 'u', 1, CH_U8, 1},
             {"u2", 'u', 2, CH_U16, 1}, {"u4", 'u', 4, CH_F64, 0}, {"u8", 'u', 8, CH_F64, 0},
             {"f2", 'f', 2, CH_F32, 0}, {"f4", 'f', 4, CH_F32, 1}, {"f8", 'f', 8, CH_F64, 1}};

static double sample(char kind, int k) {
    static const double real[] = {0, 1.5, 200, 2};
    static const double whole[] = {0, 1, 100, 2};
    return kind == 'f' ? real[k % 4] : kind == 'b' ? k % 2 : whole[k % 4];
}

static void check_type(size_t t, int fortran, int big, int version) {
    unsigned char bytes[1024], values[ROWS * COLS * 8];
    double numbers[ROWS * COLS];
    char dictionary[200];
    support_memory memory;
    ch_context *context = support_context(&memory, 1);
    for (int k = 0; k < ROWS * COLS; k++) {
        numbers[k] = sample(kinds[t].kind, k);
        int i = k / COLS, j = k % COLS, place = fortran ? i + j * ROWS : k;
        put(values + place * kinds[t].size, kinds[t].kind, kinds[t].size, big, numbers[k]);
    }
    snprintf(dictionary, sizeof dictionary,
             "{'descr': '%c%s', 'fortran_order': %s, 'shape': (%d, %d), }",
             kinds[t].size == 1 ? '|'
             : big              ? '>'
                                : '<',
             kinds[t].letters, fortran ? "True" : "False", ROWS, COLS);
    const char *path = support_path("t.npy");
    support_file_write(
        path, bytes,
        make_npy(bytes, version, dictionary, values, (size_t)(ROWS * COLS * kinds[t].size)));
    ch_matrix X,
        expected = {
            .rows = ROWS, .cols = COLS, .layout = CH_ROW_MAJOR, .values = numbers, .stride = COLS};
    ch_status status = ch_matrix_read(context, &X, path, NULL);
    support_check(status == CH_OK, "%s: %s", dictionary, ch_context_message(context));
    support_same_matrix(&X, &expected);
    assert_int_equal(X.type, kinds[t].type);
    assert_int_equal(X.layout, fortran ? CH_COLUMN_MAJOR : CH_ROW_MAJOR);
    chi_store *store = X.owner;
    int mapped = kinds[t].mapped && (!big || kinds[t].size == 1);
    support_check(!store->map == !mapped, "%s: mapped %d", dictionary, store->map != NULL);
    ch_matrix_free(context, &X);
    support_finish(context, &memory);
}

static void test_types(void **state) {
    (void)state;
    for (size_t t = 0; t < sizeof kinds / sizeof *kinds; t++)
        for (int fortran = 0; fortran < 2; fortran++)
            for (int big = 0; big < 2; big++)
                for (int version = 1; version <= 3; version++) check_type(t, fortran, big, version);
}

static void test_signs_and_limits(void **state) {
    static const struct {
        const char *descr;
        int size;
        unsigned char raw[8];
        double value;
    } rows[] = {
        {"|i1", 1, {0x80}, -128},
        {"<i2", 2, {0, 0x80}, -32768},
        {">i4", 4, {0xff, 0xff, 0xff, 0xfe}, -2},
        {"<i8", 8, {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}, -1},
        {"<u4", 4, {0xff, 0xff, 0xff, 0xff}, 4294967295.0},
        {"<u8", 8, {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}, 18446744073709551616.0},
        {"<f2", 2, {0x01, 0x00}, 5.9604644775390625e-08},
        {"<f2", 2, {0xff, 0x7b}, 65504},
        {">f2", 2, {0xfc, 0x00}, -HUGE_VAL},
        {"|b1", 1, {7}, 1}};
    (void)state;
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        unsigned char bytes[512];
        char dictionary[128];
        ch_matrix X;
        ch_context *context = support_context(NULL, 1);
        snprintf(dictionary, sizeof dictionary,
                 "{'descr': '%s', 'fortran_order': False, 'shape': (1,)}", rows[r].descr);
        const char *path = support_path("t.npy");
        support_file_write(path, bytes,
                           make_npy(bytes, 1, dictionary, rows[r].raw, (size_t)rows[r].size));
        assert_int_equal(ch_matrix_read(context, &X, path, NULL), CH_OK);
        support_check(ch_matrix_at(&X, 0, 0) == rows[r].value, "%s gives %g, not %g", rows[r].descr,
                      ch_matrix_at(&X, 0, 0), rows[r].value);
        ch_matrix_free(context, &X);
        ch_context_destroy(context);
    }
}

static void keep_log(ch_log_level level, const char *message, void *user) {
    (void)level;
    snprintf(user, 200, "%s", message);
}

static void test_vector_and_empty(void **state) {
    double values[] = {1, 2, 3};
    unsigned char bytes[512];
    char log[200] = "";
    ch_matrix X;
    ch_context *context = support_context(NULL, 1);
    const char *path = support_path("v.npy");
    (void)state;
    ch_context_set_log(context, keep_log, log);
    support_file_write(path, bytes,
                       make_npy(bytes, 1,
                                "{\"shape\": (3L,), 'fortran_order': False, 'descr': '<f8'}",
                                values, 24));
    assert_int_equal(ch_matrix_read(context, &X, path, NULL), CH_OK);
    assert_int_equal(X.rows, 3);
    assert_int_equal(X.cols, 1);
    support_close(ch_matrix_at(&X, 2, 0), 3, 0);
    assert_non_null(strstr(log, "one column"));
    ch_matrix_free(context, &X);
    support_file_write(
        path, bytes,
        make_npy(bytes, 1, "{'descr': '<f8', 'fortran_order': False, 'shape': (0, 5), }", NULL, 0));
    assert_int_equal(ch_matrix_read(context, &X, path, NULL), CH_OK);
    assert_int_equal(X.rows, 0);
    assert_int_equal(X.cols, 5);
    ch_matrix_free(context, &X);
    ch_context_destroy(context);
}

/* Data at an odd offset cannot be used in place. */
static void test_misaligned(void **state) {
    static const char dictionary[] = "{'descr': '<f8', 'fortran_order': False, 'shape': (1, 2)}\n";
    unsigned char bytes[256] = "\x93NUMPY\x01";
    double values[] = {0.5, 3};
    ch_matrix X;
    ch_context *context = support_context(NULL, 1);
    const char *path = support_path("m.npy");
    (void)state;
    bytes[8] = sizeof dictionary - 1;
    memcpy(bytes + 10, dictionary, sizeof dictionary - 1);
    memcpy(bytes + 9 + sizeof dictionary, values, 16);
    assert_true((9 + sizeof dictionary) % 8 != 0);
    support_file_write(path, bytes, 9 + sizeof dictionary + 16);
    assert_int_equal(ch_matrix_read(context, &X, path, NULL), CH_OK);
    assert_true((uintptr_t)X.values % 8 == 0);
    support_close(ch_matrix_at(&X, 0, 1), 3, 0);
    ch_matrix_free(context, &X);
    ch_context_destroy(context);
}

static void test_lies(void **state) {
    static const struct {
        const char *dictionary;
        ch_status status;
        const char *words;
    } rows[] = {
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }", CH_ERR_FORMAT, "truncated"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (1, 1), }", CH_ERR_FORMAT, "appended"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (4000000000, 4000000000, 4000000000), "
         "}",
         CH_ERR_FORMAT, "too large"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (2000000000, 2000000000), }",
         CH_ERR_FORMAT, "which is impossibly large"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999999999999,), }",
         CH_ERR_FORMAT, "too large"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (100000, 100000), }", CH_ERR_FORMAT,
         "80000000128 bytes"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (-1, 2), }", CH_ERR_FORMAT, "shape"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (1, 2, 1), }", CH_ERR_UNSUPPORTED,
         "3 dimensions"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (), }", CH_ERR_UNSUPPORTED,
         "0 dimensions"},
        {"{'descr': '<c16', 'fortran_order': False, 'shape': (1, 1), }", CH_ERR_UNSUPPORTED,
         "complex"},
        {"{'descr': '|O', 'fortran_order': False, 'shape': (1, 1), }", CH_ERR_UNSUPPORTED, "'|O'"},
        {"{'descr': '<U4', 'fortran_order': False, 'shape': (1, 1), }", CH_ERR_UNSUPPORTED,
         "'<U4'"},
        {"{'descr': '<f16', 'fortran_order': False, 'shape': (1, 1), }", CH_ERR_UNSUPPORTED,
         "'<f16'"},
        {"{'descr': '<f3', 'fortran_order': False, 'shape': (1, 1), }", CH_ERR_UNSUPPORTED,
         "'<f3'"},
        {"{'descr': '<M8[ns]', 'fortran_order': False, 'shape': (1, 2), }", CH_ERR_UNSUPPORTED,
         "M8"},
        {"{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (2,), }", CH_ERR_UNSUPPORTED,
         "records"},
        {"{'descr': '<f8', 'fortran_order': Maybe, 'shape': (1, 2), }", CH_ERR_FORMAT,
         "fortran_order"},
        {"{'descr': '<f8', 'shape': (1, 2), }", CH_ERR_FORMAT, "missing"},
        {"{'descr': '<f8', 'descr': '<f8', 'fortran_order': False, 'shape': (1, 2), }",
         CH_ERR_FORMAT, "repeated"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (1, 2), 'x': 1}", CH_ERR_FORMAT,
         "unknown"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (1, 2)} x", CH_ERR_FORMAT, "after"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (1, 2", CH_ERR_FORMAT, "shape"},
        {"nothing", CH_ERR_FORMAT, "dictionary"},
        {"{descr: '<f8'}", CH_ERR_FORMAT, "a key is missing before a colon"},
        {"{'descr' '<f8'}", CH_ERR_FORMAT, "a key is missing before a colon"},
        {"{'a key of many letters': 1}", CH_ERR_FORMAT, "a key is missing before a colon"},
        {"{'descr': '<f8' 'shape': (1, 2), }", CH_ERR_FORMAT, "a comma is missing"},
        {"{'descr': '<f8aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'}", CH_ERR_FORMAT, "type"},
    };
    double values[] = {1, 2};
    (void)state;
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        unsigned char bytes[512];
        support_memory memory;
        ch_matrix X = {.rows = -7};
        ch_context *context = support_context(&memory, 1);
        const char *path = support_path("lie.npy");
        support_file_write(path, bytes, make_npy(bytes, 1, rows[r].dictionary, values, 16));
        ch_status status = ch_matrix_read(context, &X, path, NULL);
        support_check(status == rows[r].status, "%s: %d, %s", rows[r].dictionary, status,
                      ch_context_message(context));
        support_message(context, rows[r].words);
        support_message(context, path);
        support_check(memory.peak < 1 << 20, "%lld bytes were taken", (long long)memory.peak);
        assert_int_equal(X.rows, -7);
        support_finish(context, &memory);
    }
}

static void test_bad_starts(void **state) {
    static const struct {
        const char *bytes;
        size_t count;
        ch_status status;
        const char *words;
    } rows[] = {
        {"", 0, CH_ERR_FORMAT, "NUMPY"},
        {"NUMPY", 5, CH_ERR_FORMAT, "NUMPY"},
        {"\x93NUMPY", 6, CH_ERR_FORMAT, "header is invalid: it is truncated"},
        {"\x93NUMPY\x01\x00\x10", 9, CH_ERR_FORMAT, "header is invalid: it is truncated"},
        {"\x93NUMPY\x02\x00\x10\x00", 10, CH_ERR_FORMAT, "header is invalid: it is truncated"},
        {"\x93NUMPY\x09\x00\x10\x00\x00\x00{}", 14, CH_ERR_UNSUPPORTED, "version 9.0"},
        {"\x93NUMPY\x01\x00\xff\xff{}", 12, CH_ERR_FORMAT, "a length of 65535 bytes"},
        {"\x93NUMPY\x01\x00\x40\x00{}", 12, CH_ERR_FORMAT, "64 bytes, but only 2 follow"},
        {"\x93NUMPY\x02\x00\xff\xff\xff\xff{}", 14, CH_ERR_FORMAT, "a length of 4294967295 bytes"}};
    (void)state;
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        ch_matrix X;
        ch_context *context = support_context(NULL, 1);
        const char *path = support_path("start.npy");
        support_file_write(path, rows[r].bytes, rows[r].count);
        assert_int_equal(ch_matrix_read(context, &X, path, NULL), rows[r].status);
        support_message(context, rows[r].words);
        ch_context_destroy(context);
    }
}

static void check_io_refused(const char *path, ch_status expected, const char *words) {
    ch_matrix X;
    ch_context *context = support_context(NULL, 1);
    ch_status status = ch_matrix_read(context, &X, path, NULL);
    support_check(status == expected, "%s: %d, %s", path, status, ch_context_message(context));
    support_message(context, words);
    ch_context_destroy(context);
}

static void test_system_refuses(void **state) {
    static const char *const suffixes[] = {"npy", "npz", "mtx", "mtx.gz", "mat",
                                           "h5",  "csv", "tsv", "unknown"};
    (void)state;
    for (size_t s = 0; s < sizeof suffixes / sizeof *suffixes; s++) {
        const char *path = support_path("missing.%s", suffixes[s]);
        check_io_refused(path, CH_ERR_IO, "No such file");
        assert_int_equal(mkdir(path, 0700), 0);
        check_io_refused(path, CH_ERR_IO, "Is a directory");
        rmdir(path);
    }
    const char *path = support_path("what.xyz");
    support_file_write(path, "hello", 5);
    check_io_refused(path, CH_ERR_UNSUPPORTED, ".npy");
    ch_context *context = support_context(NULL, 1);
    ch_matrix X = {.rows = 1, .cols = 1, .values = "12345678", .stride = 1};
    assert_int_equal(ch_matrix_write(context, path, &X), CH_ERR_UNSUPPORTED);
    support_message(context, ".mtx");
    assert_int_equal(ch_matrix_write(context, support_path("no/such/folder.npy"), &X), CH_ERR_IO);
    support_message(context, "No such file");
    ch_matrix_read_settings settings = {.size = sizeof settings, .var = "X"};
    path = support_path("v.npy");
    assert_int_equal(ch_matrix_write(context, path, &X), CH_OK);
    assert_int_equal(ch_matrix_read(context, &X, path, &settings), CH_ERR_ARGUMENT);
    support_message(context, "\"X\"");
    assert_int_equal(ch_matrix_read(context, &X, NULL, NULL), CH_ERR_ARGUMENT);
    ch_context_destroy(context);
}

static void test_output(void **state) {
    ch_output_file *output;
    size_t count;
    ch_context *context = support_context(NULL, 1);
    const char *path = support_path("out.txt");
    int before = support_folder_count();
    (void)state;
    assert_int_equal(ch_output_file_open(context, &output, path), CH_OK);
    assert_int_equal(ch_output_file_write(output, "half", 4), CH_OK);
    assert_int_equal(access(path, F_OK), -1); /* not there yet */
    ch_output_file_discard(output);
    assert_int_equal(support_folder_count(), before);

    char *large = malloc(200000);
    memset(large, 'x', 200000);
    assert_int_equal(ch_output_file_open(context, &output, path), CH_OK);
    for (size_t at = 0, step = 1; at < 200000; at += step, step = step * 3 % 70001 + 1) {
        if (step > 200000 - at) step = 200000 - at;
        assert_int_equal(ch_output_file_write(output, large + at, step), CH_OK);
    }
    assert_int_equal(ch_output_file_commit(output), CH_OK);
    unsigned char *back = support_file_read(path, &count);
    assert_int_equal(count, 200000);
    assert_memory_equal(back, large, count);
    free(back);
    free(large);
    assert_int_equal(support_folder_count(), before + 1);

    chmod(path, 0600); /* a replaced file keeps its mode, a link stays a link */
    const char *link = support_path("link.txt");
    assert_int_equal(symlink("out.txt", link), 0);
    assert_int_equal(ch_output_file_open(context, &output, link), CH_OK);
    assert_int_equal(ch_output_file_write(output, "new", 3), CH_OK);
    assert_int_equal(ch_output_file_commit(output), CH_OK);
    struct stat facts;
    assert_int_equal(lstat(link, &facts), 0);
    assert_true(S_ISLNK(facts.st_mode));
    assert_int_equal(stat(path, &facts), 0);
    assert_int_equal(facts.st_size, 3);
    assert_int_equal(facts.st_mode & 0777, 0600);

    assert_int_equal(ch_output_file_open(context, &output, "/dev/full"), CH_OK); /* disk full */
    ch_output_file_write(output, "x", 1);
    assert_int_equal(ch_output_file_commit(output), CH_ERR_IO);
    support_message(context, "No space");
    assert_int_equal(ch_output_file_open(context, &output, support_path(".")), CH_ERR_IO);
    ch_output_file_discard(NULL);
    ch_context_destroy(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_types),
        cmocka_unit_test(test_signs_and_limits),
        cmocka_unit_test(test_vector_and_empty),
        cmocka_unit_test(test_misaligned),
        cmocka_unit_test(test_lies),
        cmocka_unit_test(test_bad_starts),
        cmocka_unit_test(test_system_refuses),
        cmocka_unit_test(test_output),
    };
    return cmocka_run_group_tests(tests, support_folder_make, support_folder_remove);
}
