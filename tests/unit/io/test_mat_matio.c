/* .mat files that matio has written: every class, full and sparse, of versions 4, 5, 7 and 7.3,
 * among variables of other kinds. Each is read to the same numbers. */
#include "support_files.h"
#include <conehull/io.h>
#include <matio.h>
#include <string.h>

enum { ROWS = 7, COLS = 4, KINDS = 10 };

static const struct {
    enum matio_classes class_type;
    enum matio_types type;
    int size;
    ch_value_type read_as;
} kinds[KINDS] = {{MAT_C_DOUBLE, MAT_T_DOUBLE, 8, CH_F64}, {MAT_C_SINGLE, MAT_T_SINGLE, 4, CH_F32},
                  {MAT_C_INT8, MAT_T_INT8, 1, CH_F32},     {MAT_C_UINT8, MAT_T_UINT8, 1, CH_U8},
                  {MAT_C_INT16, MAT_T_INT16, 2, CH_F32},   {MAT_C_UINT16, MAT_T_UINT16, 2, CH_U16},
                  {MAT_C_INT32, MAT_T_INT32, 4, CH_F64},   {MAT_C_UINT32, MAT_T_UINT32, 4, CH_F64},
                  {MAT_C_INT64, MAT_T_INT64, 8, CH_F64},   {MAT_C_UINT64, MAT_T_UINT64, 8, CH_F64}};

static double value(int64_t k) {
    return (double)(k * 5 % 13 < 6 ? 0 : k * 5 % 13);
}

static void put(void *to, int64_t k, enum matio_types type) {
    double x = value(k);
    switch (type) {
    case MAT_T_DOUBLE:
        ((double *)to)[k] = x;
        break;
    case MAT_T_SINGLE:
        ((float *)to)[k] = (float)x;
        break;
    case MAT_T_INT8:
    case MAT_T_UINT8:
        ((uint8_t *)to)[k] = (uint8_t)x;
        break;
    case MAT_T_INT16:
    case MAT_T_UINT16:
        ((uint16_t *)to)[k] = (uint16_t)x;
        break;
    case MAT_T_INT32:
    case MAT_T_UINT32:
        ((uint32_t *)to)[k] = (uint32_t)x;
        break;
    default:
        ((uint64_t *)to)[k] = (uint64_t)x;
    }
}

static void write_variable(mat_t *file, matvar_t *variable, enum matio_compression packed) {
    assert_non_null(variable);
    assert_int_equal(Mat_VarWrite(file, variable, packed), 0);
    Mat_VarFree(variable);
}

/* A text, and a cell with a number in it. */
static void write_others(mat_t *file, enum matio_compression packed) {
    size_t line[] = {1, 4}, one[] = {1, 1};
    double number = 3;
    matvar_t *cell = Mat_VarCreate("cell", MAT_C_CELL, MAT_T_CELL, 2, one, NULL, 0);
    Mat_VarSetCell(cell, 0, Mat_VarCreate(NULL, MAT_C_DOUBLE, MAT_T_DOUBLE, 2, one, &number, 0));
    write_variable(file, cell, packed);
    write_variable(file, Mat_VarCreate("text", MAT_C_CHAR, MAT_T_UINT8, 2, line, "text", 0),
                   packed);
}

static void check(const char *path, const char *var, ch_value_type type, ch_matrix_layout layout) {
    double numbers[ROWS * COLS];
    support_memory memory;
    ch_matrix X, expected = {.rows = ROWS, .cols = COLS, .values = numbers, .stride = ROWS};
    ch_context *context = support_context(&memory, 1);
    ch_matrix_read_settings settings = {.size = sizeof settings, .var = var};
    for (int64_t k = 0; k < ROWS * COLS; k++) numbers[k] = value(k);
    support_check(ch_matrix_read(context, &X, path, &settings) == CH_OK, "%s",
                  ch_context_message(context));
    support_same_matrix(&X, &expected);
    support_check(X.type == type, "%s: %s", path, ch_value_type_name(X.type));
    assert_int_equal(X.layout, layout);
    ch_matrix_free(context, &X);
    support_finish(context, &memory);
}

static const struct {
    enum mat_ft version;
    enum matio_compression packed;
    const char *name;
} files[] = {{MAT_FT_MAT5, MAT_COMPRESSION_NONE, "5"},
             {MAT_FT_MAT5, MAT_COMPRESSION_ZLIB, "7"},
             {MAT_FT_MAT73, MAT_COMPRESSION_NONE, "73"}};

static void full_matrices(void **state) {
    (void)state;
    for (size_t f = 0; f < sizeof files / sizeof *files; f++)
        for (int k = 0; k < KINDS; k++)
            for (int logical = 0; logical <= (kinds[k].class_type == MAT_C_UINT8); logical++) {
                const char *path = support_path("full_%s_%d_%d.mat", files[f].name, k, logical);
                unsigned char numbers[8 * ROWS * COLS];
                size_t sizes[] = {ROWS, COLS};
                mat_t *file = Mat_CreateVer(path, NULL, files[f].version);
                assert_non_null(file);
                for (int64_t n = 0; n < ROWS * COLS; n++) put(numbers, n, kinds[k].type);
                write_others(file, files[f].packed);
                write_variable(file,
                               Mat_VarCreate("X", kinds[k].class_type, kinds[k].type, 2, sizes,
                                             numbers, logical ? MAT_F_LOGICAL : 0),
                               files[f].packed);
                Mat_Close(file);
                check(path, "X", kinds[k].read_as, CH_COLUMN_MAJOR);
                check(path, NULL, kinds[k].read_as, CH_COLUMN_MAJOR);
            }
}

static void sparse_matrices(void **state) {
    (void)state;
    mat_uint32_t rows[ROWS * COLS], starts[COLS + 1] = {0};
    double values[ROWS * COLS];
    mat_uint32_t count = 0;
    for (mat_uint32_t k = 0; k < ROWS * COLS; k++) {
        if (value(k) != 0) {
            rows[count] = k % ROWS;
            values[count++] = value(k);
        }
        starts[k / ROWS + 1] = count;
    }
    for (size_t f = 0; f < sizeof files / sizeof *files; f++) {
        const char *path = support_path("sparse_%s.mat", files[f].name);
        size_t sizes[] = {ROWS, COLS};
        mat_sparse_t sparse = {.nzmax = count,
                               .ir = rows,
                               .nir = count,
                               .jc = starts,
                               .njc = COLS + 1,
                               .ndata = count,
                               .data = values};
        mat_t *file = Mat_CreateVer(path, NULL, files[f].version);
        write_others(file, files[f].packed);
        write_variable(file, Mat_VarCreate("X", MAT_C_SPARSE, MAT_T_DOUBLE, 2, sizes, &sparse, 0),
                       files[f].packed);
        Mat_Close(file);
        check(path, "X", CH_F64, CH_CSC);
        check(path, NULL, CH_F64, CH_CSC);
    }
}

static void version_4(void **state) {
    (void)state;
    const char *path = support_path("v4.mat");
    double numbers[ROWS * COLS];
    size_t sizes[] = {ROWS, COLS}, line[] = {1, 4};
    mat_t *file = Mat_CreateVer(path, NULL, MAT_FT_MAT4);
    for (int64_t k = 0; k < ROWS * COLS; k++) numbers[k] = value(k);
    assert_non_null(file);
    write_variable(file, Mat_VarCreate("text", MAT_C_CHAR, MAT_T_UINT8, 2, line, "text", 0),
                   MAT_COMPRESSION_NONE);
    write_variable(file, Mat_VarCreate("X", MAT_C_DOUBLE, MAT_T_DOUBLE, 2, sizes, numbers, 0),
                   MAT_COMPRESSION_NONE);
    Mat_Close(file);
    check(path, "X", CH_F64, CH_COLUMN_MAJOR);
    check(path, NULL, CH_F64, CH_COLUMN_MAJOR);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(full_matrices),
        cmocka_unit_test(sparse_matrices),
        cmocka_unit_test(version_4),
    };
    return cmocka_run_group_tests(tests, support_folder_make, support_folder_remove);
}
