/* Small files that ask for much: what a reader takes is in proportion to the file, or to what its
 * compressed bytes can unfold to, whatever the sizes inside promise. */
#include "support_files.h"
#include <conehull/clip.h>
#include <conehull/io.h>
#include <stdlib.h>
#include <string.h>

static int64_t length_of(const char *path) {
    size_t count;
    free(support_file_read(path, &count));
    return (int64_t)count;
}

/* One line makes one row: twice the characters of "0,0,...,0" in doubles, and copies of the line.
 */
static void one_line_makes_one_row(void **state) {
    enum { COLUMNS = 400000 };
    static const char *const names[] = {"wide.csv", "wide.csv.gz"};
    (void)state;
    for (int n = 0; n < 2; n++) {
        support_memory memory;
        ch_matrix X;
        const char *path = support_path("%s", names[n]);
        double *zeros = calloc(COLUMNS, sizeof *zeros);
        assert_non_null(zeros);
        ch_context *context = support_context(&memory, 1);
        ch_matrix wide = {.rows = 1, .cols = COLUMNS, .values = zeros, .stride = 1};
        assert_int_equal(ch_matrix_write(context, path, &wide), CH_OK);
        memory.peak = memory.bytes;
        assert_int_equal(ch_matrix_read(context, &X, path, NULL), CH_OK);
        assert_int_equal(X.rows, 1);
        assert_int_equal(X.cols, COLUMNS);
        support_check(memory.peak < 14 * 2 * COLUMNS, "%s: %lld bytes for a line of %d", path,
                      (long long)memory.peak, 2 * COLUMNS);
        ch_matrix_free(context, &X);
        support_finish(context, &memory);
        free(zeros);
    }
}

/* Rows of all lengths still go where they belong when room is made for a few at a time. */
static void rows_survive_growth(void **state) {
    static const char *const names[] = {"rows.csv", "rows.tsv.gz"};
    double numbers[101 * 3];
    (void)state;
    for (int k = 0; k < 101 * 3; k++) numbers[k] = k < 3 ? k * 1.0000000001e100 : k % 7;
    for (int rows = 1; rows <= 101; rows += rows < 20 ? 1 : 27)
        for (int n = 0; n < 2; n++) {
            support_memory memory;
            ch_matrix X, Y = {.rows = rows,
                              .cols = 3,
                              .layout = CH_ROW_MAJOR,
                              .values = numbers,
                              .stride = 3};
            ch_context *context = support_context(&memory, 1);
            const char *path = support_path("%s", names[n]);
            assert_int_equal(ch_matrix_write(context, path, &Y), CH_OK);
            assert_int_equal(ch_matrix_read(context, &X, path, NULL), CH_OK);
            support_same_matrix(&X, &Y);
            ch_matrix_free(context, &X);
            support_finish(context, &memory);
        }
}

/* The first mask is a picture, the others are empty files. */
static void masks_are_paid_one_by_one(void **state) {
    enum { SIDE = 700, FILES = 40 };
    support_memory memory;
    ch_masks masks = {.size = sizeof masks};
    ch_context *context = support_context(&memory, 1);
    ch_picture black = {SIDE, SIDE, 1, calloc(SIDE, SIDE)};
    const char *path = support_path("000.png");
    (void)state;
    assert_non_null(black.pixels);
    assert_int_equal(ch_picture_write(context, path, &black), CH_OK);
    for (int f = 1; f < FILES; f++) support_file_write(support_path("%03d.png", f), "", 0);
    memory.peak = memory.bytes;
    assert_int_equal(ch_masks_read(context, &masks, support_path(".")), CH_ERR_FORMAT);
    support_message(context, "empty");
    support_check(memory.peak < 4 * SIDE * SIDE, "%lld bytes for one mask of %d",
                  (long long)memory.peak, SIDE * SIDE);
    for (int f = 1; f < FILES; f++)
        assert_int_equal(ch_picture_write(context, support_path("%03d.png", f), &black), CH_OK);
    for (int f = 0; f < FILES; f += 7) {
        black.pixels[f] = 255;
        assert_int_equal(ch_picture_write(context, support_path("%03d.png", f), &black), CH_OK);
        black.pixels[f] = 0;
    }
    assert_int_equal(ch_masks_read(context, &masks, support_path(".")), CH_OK);
    assert_int_equal(masks.count, FILES);
    for (int f = 0; f < FILES; f++) {
        assert_int_equal(masks.frame[f], f);
        for (int j = 0; j < SIDE * SIDE; j++)
            if (masks.foreground[(int64_t)f * SIDE * SIDE + j] != (f % 7 == 0 && j == f))
                fail_msg("mask %d, pixel %d", f, j);
    }
    ch_masks_free(context, &masks);
    support_finish(context, &memory);
    free(black.pixels);
}

/* Thirty members of one stream: the head of each counts the heads behind it as its extra field. */
static const char make_bomb[] =
    "import io, struct, zlib, numpy as np\n"
    "b = io.BytesIO(); np.save(b, np.zeros((1000, 700))); b = b.getvalue()\n"
    "c = zlib.compressobj(9, zlib.DEFLATED, -15); packed = c.compress(b) + c.flush()\n"
    "n, head, heads, entries = 30, 30 + 6 + 4, b'', b''\n"
    "for i in range(n):\n"
    "    name = b'%02d.npy' % i\n"
    "    facts = struct.pack('<HHHHHIIIH', 20, 0, 8, 0, 33, zlib.crc32(b), len(packed), len(b), "
    "6)\n"
    "    rest = (n - 1 - i) * head\n"
    "    heads += b'PK\\3\\4' + facts + struct.pack('<H', 4 + rest) + name\n"
    "    heads += struct.pack('<HH', 0xfffe, rest)\n"
    "    entries += (b'PK\\1\\2' + struct.pack('<H', 20) + facts\n"
    "                + struct.pack('<HHHHII', 0, 0, 0, 0, 0, i * head) + name)\n"
    "end = struct.pack('<HHHHIIH', 0, 0, n, n, len(entries), len(heads) + len(packed), 0)\n"
    "open('bomb.npz', 'wb').write(heads + packed + entries + b'PK\\5\\6' + end)\n";

static void members_of_an_archive_share_its_bytes(void **state) {
    support_memory memory;
    ch_npz_array *arrays;
    int count;
    (void)state;
    if (!support_python("numpy", make_bomb)) skip();
    const char *path = support_path("bomb.npz");
    int64_t length = length_of(path);
    ch_context *context = support_context(&memory, 1);
    ch_status status = ch_npz_read(context, &arrays, &count, path);
    support_check(memory.peak < 2 * 1032 * (length + 200), "%lld bytes for an archive of %lld",
                  (long long)memory.peak, (long long)length);
    assert_int_equal(status, CH_ERR_FORMAT);
    support_message(context, "which is more than a zip archive of");
    support_finish(context, &memory);
}

static void store_big_endian(unsigned char *to, uint32_t number) {
    for (int i = 0; i < 4; i++) to[i] = (unsigned char)(number >> (24 - 8 * i));
}

static uint32_t crc_of(const unsigned char *bytes, int count) {
    uint32_t crc = ~0u;
    for (int i = 0; i < count; i++) {
        crc ^= bytes[i];
        for (int bit = 0; bit < 8; bit++) crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
    }
    return ~crc;
}

/* The head of a PNG of black bytes says 2500 x 2500 instead of 1000 x 1000. */
static void sizes_of_a_png_fit_its_bytes(void **state) {
    enum { SIDE = 1000, CLAIM = 2500, HEAD = 12, SIZES = 16, CHECK = 29 };
    support_memory memory;
    ch_picture black = {SIDE, SIDE, 1, calloc(SIDE, SIDE)}, picture;
    uint8_t *bytes;
    size_t count;
    (void)state;
    assert_non_null(black.pixels);
    ch_context *context = support_context(&memory, 1);
    const char *path = support_path("claims.png");
    assert_int_equal(ch_picture_encode_png(context, &bytes, &count, &black), CH_OK);
    store_big_endian(bytes + SIZES, CLAIM);
    store_big_endian(bytes + SIZES + 4, CLAIM);
    store_big_endian(bytes + CHECK, crc_of(bytes + HEAD, CHECK - HEAD));
    support_file_write(path, bytes, count);
    ch_picture_bytes_free(context, bytes);
    memory.peak = memory.bytes;
    assert_int_equal(ch_picture_read(context, &picture, path), CH_ERR_FORMAT);
    support_message(context, "more than a file of");
    support_check(memory.peak < 1 << 20, "%lld bytes for a PNG of %zu", (long long)memory.peak,
                  count);
    support_finish(context, &memory);
    free(black.pixels);
}

/* A member of an archive is called as the array is, or the array is refused. */
static void names_of_arrays_are_never_cut(void **state) {
    char name[300];
    double number = 3;
    ch_npz_array array = {name, 'f', 0, {0, 0}, &number}, *arrays;
    support_memory memory;
    int count;
    (void)state;
    const char *path = support_path("names.npz");
    ch_context *context = support_context(&memory, 1);
    memset(name, 'n', sizeof name);
    name[252] = '\0';
    assert_int_equal(ch_npz_write(context, path, &array, 1), CH_ERR_ARGUMENT);
    support_message(context, "252 bytes, and at most 251");
    name[251] = '\0';
    assert_int_equal(ch_npz_write(context, path, &array, 1), CH_OK);
    assert_int_equal(ch_npz_read(context, &arrays, &count, path), CH_OK);
    assert_int_equal(count, 1);
    assert_string_equal(arrays[0].name, name);
    ch_npz_free(context, arrays, count);
    support_finish(context, &memory);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_line_makes_one_row),
        cmocka_unit_test(rows_survive_growth),
        cmocka_unit_test(members_of_an_archive_share_its_bytes),
        cmocka_unit_test(sizes_of_a_png_fit_its_bytes),
        cmocka_unit_test(names_of_arrays_are_never_cut),
        cmocka_unit_test(masks_are_paid_one_by_one),
    };
    return cmocka_run_group_tests(tests, support_folder_make, support_folder_remove);
}
