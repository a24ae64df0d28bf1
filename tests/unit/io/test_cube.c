/* Cubes from bytes made here, value by value against the formula that made them: every order, type
 * and byte order; parts; through memory and through a scratch file; and the files that we write. */
#include "io/cube/cube_source.h"
#include "support_files.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINES = 5, SAMPLES = 7, BANDS = 11, VALUES = LINES * SAMPLES * BANDS };

/* Whole, below 256, and different for neighbours in every direction. */
static double value_at(int64_t line, int64_t sample, int64_t band) {
    return (double)((line * 31 + sample * 7 + band * 3) % 101);
}

/* The place of a value in a file of this order. */
static int64_t place_of(ch_interleave interleave, int by_sample, int64_t line, int64_t sample,
                        int64_t band) {
    int64_t o = by_sample ? sample : line, i = by_sample ? line : sample;
    int64_t outer = by_sample ? SAMPLES : LINES, inner = by_sample ? LINES : SAMPLES;
    if (interleave == CH_BIP) return (o * inner + i) * BANDS + band;
    if (interleave == CH_BIL) return (o * BANDS + band) * inner + i;
    return (band * outer + o) * inner + i;
}

static void put(unsigned char *to, chi_element element, double value) {
    unsigned char bytes[8] = {0};
    int64_t whole = (int64_t)value;
    float single = (float)value;
    memcpy(bytes, &whole, 8); /* of a little-endian machine: its low bytes come first */
    if (element.kind == 'f' && element.size == 8) memcpy(bytes, &value, 8);
    if (element.kind == 'f' && element.size == 4) memcpy(bytes, &single, 4);
    for (int b = 0; b < element.size; b++) to[b] = bytes[element.swap ? element.size - 1 - b : b];
}

/* The values of the cube in a file's order; for free(). */
static unsigned char *make_values(ch_interleave interleave, int by_sample, chi_element element) {
    unsigned char *bytes = malloc((size_t)(VALUES * element.size));
    for (int64_t l = 0; l < LINES; l++)
        for (int64_t s = 0; s < SAMPLES; s++)
            for (int64_t b = 0; b < BANDS; b++)
                put(bytes + place_of(interleave, by_sample, l, s, b) * element.size, element,
                    value_at(l, s, b));
    return bytes;
}

/* Every value of X, whose rows and columns are these bands and pixels (NULL: all). */
static void check_values(const ch_cube *cube, const ch_matrix *X, const int64_t *bands,
                         const int64_t *pixels) {
    for (int64_t j = 0; j < X->cols; j++)
        for (int64_t i = 0; i < X->rows; i++) {
            int64_t line, sample;
            ch_cube_pixel(cube, pixels ? pixels[j] : j, &line, &sample);
            double wanted = value_at(line, sample, bands ? bands[i] : i);
            support_check(ch_matrix_at(X, i, j) == wanted, "(%lld, %lld) is %g, not %g",
                          (long long)i, (long long)j, ch_matrix_at(X, i, j), wanted);
        }
}

static const int64_t gaps[] = {0, 2, 3, 10}, stretch[] = {4, 5, 6};
static const int64_t some[] = {0, 6, 7, 8, 20, 33, 34}, run[] = {9, 10, 11, 12};

/* The whole, and parts with and without gaps, in memory and through a scratch file. */
static void check_parts(ch_context *context, const ch_cube *cube, int mapped) {
    const ch_cube_part parts[] = {
        {sizeof *parts, NULL, 0, NULL, 0, NULL}, {sizeof *parts, stretch, 3, NULL, 0, NULL},
        {sizeof *parts, NULL, 0, run, 4, NULL},  {sizeof *parts, stretch, 3, run, 4, NULL},
        {sizeof *parts, gaps, 4, NULL, 0, NULL}, {sizeof *parts, NULL, 0, some, 7, NULL},
        {sizeof *parts, gaps, 4, some, 7, NULL},
    };
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++)
        for (int file = 0; file < 2; file++) {
            ch_matrix X;
            ch_cube_part part = parts[k];
            if (file) part.scratch = support_path("%s", "");
            assert_int_equal(ch_cube_matrix(context, &X, cube, &part), CH_OK);
            assert_int_equal(X.rows, part.bands ? part.band_count : BANDS);
            assert_int_equal(X.cols, part.pixels ? part.pixel_count : LINES * SAMPLES);
            check_values(cube, &X, part.bands, part.pixels);
            const chi_store *store = X.owner;
            if (k < 4) assert_int_equal(store->map != NULL, mapped);
            ch_matrix_free(context, &X);
        }
}

/* ---- .npy ---- */

static const struct {
    const char *descr;
    chi_element element;
    int mapped;
} types[] = {{"|u1", {'u', 1, 0}, 1}, {"<u2", {'u', 2, 0}, 1}, {"<f4", {'f', 4, 0}, 1},
             {"<f8", {'f', 8, 0}, 1}, {"<i2", {'i', 2, 0}, 0}, {"<i4", {'i', 4, 0}, 0},
             {"<u4", {'u', 4, 0}, 0}, {"<i8", {'i', 8, 0}, 0}, {">f4", {'f', 4, 1}, 0},
             {">u2", {'u', 2, 1}, 0}, {"<u8", {'u', 8, 0}, 0}, {">f8", {'f', 8, 1}, 0}};
enum { TYPES = sizeof types / sizeof *types };

static const char *make_npy(const char *descr, int fortran, const int64_t shape[3],
                            const unsigned char *values, size_t count) {
    const char *path = support_path("%s", "cube.npy");
    char head[128];
    memset(head, ' ', sizeof head);
    memcpy(head, "\x93NUMPY\x01\x00\x76\x00", 10);
    int length = snprintf(head + 10, 100, "{'descr': '%s', 'fortran_order': %s, 'shape': (", descr,
                          fortran ? "True" : "False");
    length +=
        snprintf(head + 10 + length, 60, "%lld, %lld", (long long)shape[0], (long long)shape[1]);
    if (shape[2] > 0) length += snprintf(head + 10 + length, 30, ", %lld", (long long)shape[2]);
    length += snprintf(head + 10 + length, 10, ")}");
    head[10 + length] = ' ';
    head[127] = '\n';
    FILE *file = fopen(path, "wb");
    fwrite(head, 1, sizeof head, file);
    fwrite(values, 1, count, file);
    fclose(file);
    return path;
}

static void npy_cubes(void **state) {
    (void)state;
    support_memory memory;
    ch_context *context = support_context(&memory, 2);
    for (int t = 0; t < TYPES; t++)
        for (int fortran = 0; fortran < 2; fortran++) {
            const int64_t shape[] = {LINES, SAMPLES, BANDS};
            ch_cube cube = {.size = sizeof cube};
            unsigned char *values =
                make_values(fortran ? CH_BSQ : CH_BIP, fortran, types[t].element);
            const char *path = make_npy(types[t].descr, fortran, shape, values,
                                        (size_t)(VALUES * types[t].element.size));
            assert_int_equal(ch_cube_open(context, &cube, path, NULL), CH_OK);
            assert_string_equal(cube.stored, types[t].descr);
            assert_int_equal(cube.interleave, fortran ? CH_BSQ : CH_BIP);
            assert_int_equal(cube.by_sample, fortran);
            assert_true(!cube.wavelengths && !cube.names && !cube.good && !cube.map_info);
            check_parts(context, &cube, types[t].mapped);
            ch_cube_close(context, &cube);
            assert_null(cube.owner);
            free(values);
        }
    support_finish(context, &memory);
}

/* A limit so low that all copies go through a file. */
static void through_scratch(void **state) {
    (void)state;
    for (int t = 0; t < TYPES; t++) {
        support_memory memory;
        ch_context *context = support_context(&memory, 1);
        const int64_t shape[] = {LINES, SAMPLES, BANDS};
        ch_cube cube = {.size = sizeof cube};
        unsigned char *values = make_values(CH_BIP, 0, types[t].element);
        const char *path =
            make_npy(types[t].descr, 0, shape, values, (size_t)(VALUES * types[t].element.size));
        assert_int_equal(ch_cube_open(context, &cube, path, NULL), CH_OK);
        ch_matrix X;
        ch_cube_part part = {.size = sizeof part, .scratch = support_path("%s", "")};
        part.bands = gaps;
        part.band_count = 4;
        /* 140 values are more than a quarter of it, and one block fits beside what is open. */
        ch_context_set_memory_limit(context, 500);
        assert_int_equal(ch_cube_matrix(context, &X, &cube, &part), CH_ERR_MEMORY);
        support_message(context, "a block of the cube");
        ch_context_set_memory_limit(context, 400 * (int64_t)ch_value_type_size(cube.type) + 6000);
        assert_int_equal(ch_cube_matrix(context, &X, &cube, &part), CH_OK);
        check_values(&cube, &X, gaps, NULL);
        ch_matrix_free(context, &X);
        ch_cube_close(context, &cube);
        free(values);
        support_finish(context, &memory);
    }
}

static void npy_matrices(void **state) {
    (void)state;
    support_memory memory;
    ch_context *context = support_context(&memory, 1);
    const int64_t shape[] = {BANDS, LINES * SAMPLES, 0};
    for (int fortran = 0; fortran < 2; fortran++) {
        ch_cube cube = {.size = sizeof cube};
        ch_cube_open_settings settings = {.size = sizeof settings};
        unsigned char *values = make_values(fortran ? CH_BIP : CH_BSQ, 0, types[2].element);
        const char *path = make_npy("<f4", fortran, shape, values, VALUES * 4);
        assert_int_equal(ch_cube_open(context, &cube, path, &settings), CH_OK);
        assert_int_equal(cube.lines, 1);
        assert_int_equal(cube.samples, LINES * SAMPLES);
        ch_cube_close(context, &cube);
        settings.lines = LINES;
        settings.samples = SAMPLES;
        assert_int_equal(ch_cube_open(context, &cube, path, &settings), CH_OK);
        assert_int_equal(cube.lines, LINES);
        check_parts(context, &cube, 1);
        ch_cube_close(context, &cube);
        settings.samples++;
        assert_int_equal(ch_cube_open(context, &cube, path, &settings), CH_ERR_ARGUMENT);
        support_message(context, "holds 35 pixels, which are not 5 lines of 8 samples");
        free(values);
    }
    support_finish(context, &memory);
}

/* ---- arguments ---- */

static void bad_arguments(void **state) {
    (void)state;
    support_memory memory;
    ch_context *context = support_context(&memory, 1);
    const int64_t shape[] = {LINES, SAMPLES, BANDS}, falling[] = {3, 2}, far[] = {BANDS};
    unsigned char *values = make_values(CH_BIP, 0, types[0].element);
    const char *path = make_npy("|u1", 0, shape, values, VALUES);
    ch_cube cube = {.size = sizeof cube};
    ch_matrix X;
    int64_t line, sample;
    ch_cube_close(context, NULL);
    ch_cube_close(context, &cube);
    assert_int_equal(ch_cube_matrix(context, &X, &cube, NULL), CH_ERR_ARGUMENT);
    support_message(context, "not open");
    assert_int_equal(ch_cube_open(context, NULL, path, NULL), CH_ERR_ARGUMENT);
    assert_int_equal(ch_cube_open(context, &cube, "", NULL), CH_ERR_ARGUMENT);
    assert_int_equal(ch_cube_open(context, &cube, path, NULL), CH_OK);
    ch_cube_part part = {.size = sizeof part, .bands = falling, .band_count = 2};
    assert_int_equal(ch_cube_matrix(context, &X, &cube, &part), CH_ERR_ARGUMENT);
    support_message(context, "band 2 follows 3");
    part = (ch_cube_part){.size = sizeof part, .bands = far, .band_count = 1};
    assert_int_equal(ch_cube_matrix(context, &X, &cube, &part), CH_ERR_ARGUMENT);
    support_message(context, "band 11 is outside 0..10");
    part = (ch_cube_part){.size = sizeof part, .pixels = far, .pixel_count = 0};
    assert_int_equal(ch_cube_matrix(context, &X, &cube, &part), CH_ERR_ARGUMENT);
    ch_cube_pixel(&cube, LINES * SAMPLES, &line, &sample);
    assert_true(line == -1 && sample == -1);
    ch_cube_pixel(&cube, LINES * SAMPLES - 1, &line, &sample);
    assert_true(line == LINES - 1 && sample == SAMPLES - 1);
    ch_cube_close(context, &cube);
    free(values);
    support_finish(context, &memory);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(npy_cubes),
        cmocka_unit_test(through_scratch),
        cmocka_unit_test(npy_matrices),
        cmocka_unit_test(bad_arguments),
    };
    return cmocka_run_group_tests(tests, support_folder_make, support_folder_remove);
}
