/* Arguments that readers, and the writers beside them, refuse before they look at a file: status
 * and words, and outputs as they were. */
#include "io/clip/frames.h"
#include "io/file/format.h"
#include "support_files.h"
#include <conehull/corpus.h>
#include <conehull/io.h>
#include <conehull/picture.h>
#include <string.h>

static void test_no_place_for_the_answer(void **state) {
    const char *name = "x";
    double number = 1;
    uint8_t pixel = 1, *bytes;
    const ch_picture one = {1, 1, 1, &pixel};
    const ch_npz_array array = {"X", 'f', 1, {1, 1}, &number};
    const ch_matrix M = {.rows = 1, .cols = 1, .values = &number, .stride = 1};
    ch_checkpoint_file *file;
    ch_matrix X;
    ch_text_list lines;
    ch_masks masks = {.size = sizeof masks};
    ch_npz_array *arrays;
    size_t size;
    int count;
    (void)state;
    ch_context *context = support_context(NULL, 1);
    const ch_status got[] = {
        ch_matrix_read(NULL, &X, name, NULL),
        ch_matrix_read(context, NULL, name, NULL),
        ch_matrix_write(NULL, name, &M),
        ch_matrix_write(context, name, NULL),
        ch_text_list_read(NULL, &lines, name, -1, NULL),
        ch_text_list_read(context, NULL, name, -1, NULL),
        ch_masks_read(NULL, &masks, name),
        ch_masks_read(context, NULL, name),
        ch_npz_read(NULL, &arrays, &count, name),
        ch_npz_read(context, NULL, &count, name),
        ch_npz_read(context, &arrays, NULL, name),
        ch_npz_write(NULL, name, &array, 1),
        ch_npz_write(context, name, NULL, 1),
        ch_npz_write(context, name, &array, -1),
        ch_checkpoint_file_open(NULL, &file, name, 0),
        ch_checkpoint_file_open(context, NULL, name, 0),
        ch_picture_encode_png(NULL, &bytes, &size, &one),
        ch_picture_encode_png(context, NULL, &size, &one),
        ch_picture_encode_png(context, &bytes, NULL, &one),
    };
    for (size_t k = 0; k < sizeof got / sizeof *got; k++)
        support_check(got[k] == CH_ERR_ARGUMENT, "call %d: %d", (int)k, got[k]);
    ch_context_destroy(context);
}

static void test_no_names(void **state) {
    double number = 1;
    const ch_matrix M = {.rows = 1, .cols = 1, .values = &number, .stride = 1};
    support_memory memory;
    ch_npz_array *arrays = NULL;
    int count = -7;
    (void)state;
    ch_context *context = support_context(&memory, 1);
    for (int k = 0; k < 2; k++) {
        assert_int_equal(ch_npz_read(context, &arrays, &count, k ? "" : NULL), CH_ERR_ARGUMENT);
        support_message(context, "the name of a file is missing or empty");
        assert_int_equal(ch_matrix_write(context, k ? "" : NULL, &M), CH_ERR_ARGUMENT);
        support_message(context, "the name of a file is missing or empty");
    }
    assert_true(arrays == NULL && count == -7);
    support_finish(context, &memory);
}

static void test_pictures(void **state) {
    uint8_t pixels[4] = {0}, *bytes = NULL;
    const ch_picture wrong[] = {{2, 2, 2, pixels}, {2, 2, 1, NULL}};
    size_t size = 7;
    support_memory memory;
    (void)state;
    ch_context *context = support_context(&memory, 1);
    for (int k = 0; k < 3; k++) {
        assert_int_equal(ch_picture_encode_png(context, &bytes, &size, k < 2 ? &wrong[k] : NULL),
                         CH_ERR_ARGUMENT);
        support_message(
            context,
            "a picture to be written must have 1 or 3 channels, and its pixels must not be NULL");
    }
    assert_true(bytes == NULL && size == 7);
    support_finish(context, &memory);
}

/* What readers ask of each other; no file gets that far today. */
static void test_inside(void **state) {
    static const int64_t sizes[][2] = {{INT64_MAX, 2}, {-1, 2}, {2, -1}, {INT64_MAX / 4, 1}};
    support_memory memory;
    chi_names names = {NULL, 0, 0};
    ch_matrix X = {.rows = -7};
    void *values;
    (void)state;
    ch_context *context = support_context(&memory, 1);
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        assert_int_equal(chi_dense_create(context, &X, &values, "a file", sizes[k][0], sizes[k][1],
                                          CH_ROW_MAJOR, CH_F64),
                         CH_ERR_FORMAT);
        support_message(context, "columns is too large");
        assert_int_equal(X.rows, -7);
    }
    static const char *const patterns[] = {"plain.png", "%s.png", "%d%d.png", "%25d.png"};
    for (size_t k = 0; k < sizeof patterns / sizeof *patterns; k++) {
        assert_int_equal(chi_names_pattern(context, &names, patterns[k]), CH_ERR_ARGUMENT);
        support_message(context, "is not a pattern");
    }
    assert_int_equal(chi_names_pattern(context, &names, support_path("none%%d.png")), CH_ERR_IO);
    support_message(context, "no file has a name that matches this pattern");
    assert_int_equal(names.count, 0);
    support_finish(context, &memory);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_place_for_the_answer),
        cmocka_unit_test(test_no_names),
        cmocka_unit_test(test_pictures),
        cmocka_unit_test(test_inside),
    };
    return cmocka_run_group_tests(tests, support_folder_make, support_folder_remove);
}
