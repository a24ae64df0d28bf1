/* A data set larger than memory may be, through a scratch file: the numbers that are read into
 * memory, whatever the chunks and types, columns side by side, and nothing left in the folder; on
 * ranks whatever their number. */
#include "support_files.h"
#include <conehull/comm.h>
#include <conehull/io.h>
#include <dirent.h>
#include <stdio.h>
#include <string.h>

enum { ROWS = 37, COLS = 211, LIMIT = 40000 };

static const char script[] =
    "import h5py, numpy as n\n"
    "X = n.arange(37 * 211).reshape(37, 211) * 31 % 251\n"
    "shapes = [(5, 7), (37, 3), (1, 211), (37, 211), (2, 100), None]\n"
    "for t, type in enumerate(['<f8', '>f4', '<u2', 'u1']):\n"
    "    for c, chunk in enumerate(shapes):\n"
    "        with h5py.File(f'{t}{c}.h5', 'w') as f:\n"
    "            f.create_dataset('X', data=X.astype(type), chunks=chunk)\n";
enum { TYPES = 4, SHAPES = 6 };

static int entries(const char *folder) {
    int count = 0;
    DIR *list = opendir(folder);
    assert_non_null(list);
    while (readdir(list)) count++;
    closedir(list);
    return count;
}

static void expect_same(const char *path, const char *folder, int transpose) {
    ch_matrix X, Y;
    support_memory memory;
    ch_context *context = support_context(&memory, 1);
    ch_matrix_read_settings settings = {
        .size = sizeof settings, .transpose = transpose, .scratch = folder};
    int before = entries(folder);
    support_check(ch_matrix_read(context, &X, path, &settings) == CH_OK, "%s",
                  ch_context_message(context));
    assert_int_equal(X.layout, transpose ? CH_COLUMN_MAJOR : CH_ROW_MAJOR); /* no limit: memory */
    int64_t bytes = ROWS * COLS * (int64_t)ch_value_type_size(X.type);
    ch_context_set_memory_limit(context, 4 * bytes - 4);
    support_check(ch_matrix_read(context, &Y, path, &settings) == CH_OK, "%s",
                  ch_context_message(context));
    ch_context_set_memory_limit(context, 0);
    support_same_matrix(&Y, &X);
    assert_int_equal(Y.type, X.type);
    assert_int_equal(Y.layout, CH_COLUMN_MAJOR);
    assert_int_equal(ch_matrix_limit(context, &Y, 1 << 20), CH_OK);
    assert_int_equal(ch_matrix_check(context, &Y), CH_OK);
    assert_int_equal(entries(folder), before);
    ch_matrix_free(context, &X);
    ch_matrix_free(context, &Y);
    support_finish(context, &memory);
}

static void chunks_come_to_the_same(void **state) {
    char folder[512];
    (void)state;
    if (!support_python("h5py, numpy", script)) skip();
    snprintf(folder, sizeof folder, "%s", support_path("."));
    for (int t = 0; t < TYPES; t++)
        for (int c = 0; c < SHAPES; c++)
            for (int transpose = 0; transpose < 2; transpose++)
                expect_same(support_path("%d%d.h5", t, c), folder, transpose);
}

/* One rank of several, to which the others seem to say what it says. */
static int share_alike(void *user, void *all, const void *own, int64_t count) {
    for (int r = 0; r < ((const ch_comm *)user)->processes; r++)
        memcpy((char *)all + r * count, own, (size_t)count);
    return 0;
}

/* The whole is too large, no part is: parts are stored as the whole, empty ones too. */
static void ranks_store_alike(void **state) {
    (void)state;
    static const int ranks[] = {1, 2, 7};
    char folder[512];
    if (!support_python("h5py, numpy", script)) skip();
    snprintf(folder, sizeof folder, "%s", support_path("."));
    for (size_t k = 0; k < sizeof ranks / sizeof *ranks; k++)
        for (int rank = 0; rank < ranks[k]; rank++) {
            support_memory memory;
            ch_context *context = support_context(&memory, 1);
            ch_comm table = {
                .size = sizeof table, .process = rank, .processes = ranks[k], .share = share_alike};
            ch_matrix_read_settings settings = {
                .size = sizeof settings, .distributed = 1, .scratch = folder};
            ch_matrix X;
            int64_t first, count;
            table.user = &table;
            assert_int_equal(ch_context_set_comm(context, &table), CH_OK);
            ch_comm_part(context, &first, &count, COLS);
            ch_context_set_memory_limit(context, 4 * ROWS * COLS * 8 - 4);
            support_check(ch_matrix_read(context, &X, support_path("00.h5"), &settings) == CH_OK,
                          "%s", ch_context_message(context));
            assert_int_equal(X.layout, CH_COLUMN_MAJOR);
            assert_int_equal(X.rows, ROWS);
            assert_int_equal(X.cols, count);
            assert_int_equal(X.first, first);
            for (int64_t j = 0; j < count; j++)
                for (int64_t i = 0; i < ROWS; i++)
                    assert_true(ch_matrix_at(&X, i, j) ==
                                (double)((i * COLS + first + j) * 31 % 251));
            ch_matrix_free(context, &X);
            support_finish(context, &memory);
        }
}

static void a_missing_folder_is_told(void **state) {
    (void)state;
    ch_matrix X;
    ch_context *context = support_context(NULL, 1);
    if (!support_python("h5py, numpy", script)) skip();
    ch_matrix_read_settings settings = {.size = sizeof settings, .scratch = "/nowhere/at/all"};
    ch_context_set_memory_limit(context, LIMIT);
    assert_int_equal(ch_matrix_read(context, &X, support_path("00.h5"), &settings), CH_ERR_IO);
    support_message(context, "/nowhere/at/all");
    support_finish(context, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chunks_come_to_the_same),
        cmocka_unit_test(ranks_store_alike),
        cmocka_unit_test(a_missing_folder_is_told),
    };
    return cmocka_run_group_tests(tests, support_folder_make, support_folder_remove);
}
