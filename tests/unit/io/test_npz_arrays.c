/* .npz of named arrays: what was written comes back, here and in numpy, and the bytes depend on
 * nothing else. */
#include "support_files.h"
#include <conehull/io.h>
#include <stdlib.h>
#include <string.h>

static void test_npz_arrays(void **state) {
    double values[] = {1.5, -2, 3, 4, 5, 6}, one = 7;
    int64_t wide[] = {1, -2, (int64_t)1 << 60};
    int32_t narrow[] = {5, 6};
    ch_npz_array arrays[] = {{"W", 'f', 2, {3, 2}, values},
                             {"list", 'i', 1, {3, 0}, wide},
                             {"small", 'j', 1, {2, 0}, narrow},
                             {"one", 'f', 0, {0, 0}, &one},
                             {"none", 'f', 2, {0, 4}, NULL}};
    enum { COUNT = sizeof arrays / sizeof *arrays };
    support_memory memory;
    ch_context *context = support_context(&memory, 1);
    ch_npz_array *back;
    int count;
    const char *path = support_path("a.npz");
    (void)state;
    support_check(ch_npz_write(context, path, arrays, COUNT) == CH_OK, "%s",
                  ch_context_message(context));
    support_check(ch_npz_read(context, &back, &count, path) == CH_OK, "%s",
                  ch_context_message(context));
    assert_int_equal(count, COUNT);
    for (int a = 0; a < COUNT; a++) {
        assert_string_equal(back[a].name, arrays[a].name);
        assert_int_equal(back[a].kind, arrays[a].kind);
        assert_int_equal(back[a].dims, arrays[a].dims);
        int64_t total = 1;
        for (int d = 0; d < arrays[a].dims; d++) {
            assert_int_equal(back[a].shape[d], arrays[a].shape[d]);
            total *= arrays[a].shape[d];
        }
        size_t size = arrays[a].kind == 'j' ? 4 : 8;
        if (total) assert_memory_equal(back[a].data, arrays[a].data, (size_t)total * size);
    }
    ch_npz_free(context, back, count);

    ch_matrix X; /* the only matrix in it */
    support_check(ch_matrix_read(context, &X, path, NULL) == CH_ERR_ARGUMENT, "two matrices");
    support_message(context, "W (3 x 2), none (0 x 4)");
    ch_matrix_read_settings settings = {.size = sizeof settings, .var = "W", .transpose = 1};
    support_check(ch_matrix_read(context, &X, path, &settings) == CH_OK, "%s",
                  ch_context_message(context));
    assert_int_equal(X.rows, 2);
    support_close(ch_matrix_at(&X, 1, 0), 4, 0);
    ch_matrix_free(context, &X);

    size_t first, second; /* the same bytes wherever and whenever they are written */
    unsigned char *a = support_file_read(path, &first);
    setenv("TZ", "Asia/Tokyo", 1);
    assert_int_equal(ch_npz_write(context, path, arrays, COUNT), CH_OK);
    unsetenv("TZ");
    unsigned char *b = support_file_read(path, &second);
    assert_int_equal(first, second);
    assert_memory_equal(a, b, first);
    free(a);
    free(b);
    support_python("numpy",
                   "import numpy\n"
                   "z = numpy.load('a.npz')\n"
                   "assert z['W'].tolist() == [[1.5, 4], [-2, 5], [3, 6]], z['W']\n"
                   "assert z['list'].tolist() == [1, -2, 1 << 60] and z['small'].dtype == 'int32'\n"
                   "assert z['one'] == 7 and z['none'].shape == (0, 4)\n");
    ch_npz_array bad = {"x", 'q', 1, {1, 0}, values};
    assert_int_equal(ch_npz_write(context, path, &bad, 1), CH_ERR_ARGUMENT);
    support_finish(context, &memory);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_npz_arrays),
    };
    return cmocka_run_group_tests(tests, support_folder_make, support_folder_remove);
}
