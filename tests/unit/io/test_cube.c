/* Cubes from bytes made here, value by value against the formula that made them: every order, type
 * and byte order; parts; through memory and through a scratch file; and the files that we write. */
#include "io/cube/cube_source.h"
#include "support_files.h"
#include <conehull/io.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
        {sizeof *parts, NULL, 0, NULL, 0, NULL, 0}, {sizeof *parts, stretch, 3, NULL, 0, NULL, 0},
        {sizeof *parts, NULL, 0, run, 4, NULL, 0},  {sizeof *parts, stretch, 3, run, 4, NULL, 0},
        {sizeof *parts, gaps, 4, NULL, 0, NULL, 0}, {sizeof *parts, NULL, 0, some, 7, NULL, 0},
        {sizeof *parts, gaps, 4, some, 7, NULL, 0},
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

/* BSQ is mapped, but above a quarter of the limit it is copied; BIP stays mapped. */
static void scattered_bands(void **state) {
    (void)state;
    support_memory memory;
    ch_context *context = support_context(&memory, 1);
    const int64_t shape[] = {LINES, SAMPLES, BANDS};
    for (int fortran = 0; fortran < 2; fortran++) {
        ch_cube cube = {.size = sizeof cube};
        ch_cube_part part = {.size = sizeof part, .scratch = support_path("%s", "")};
        ch_matrix X;
        unsigned char *values = make_values(fortran ? CH_BSQ : CH_BIP, fortran, types[2].element);
        const char *path = make_npy("<f4", fortran, shape, values, VALUES * 4);
        assert_int_equal(ch_cube_open(context, &cube, path, NULL), CH_OK);
        for (int limited = 0; limited < 2; limited++) {
            ch_context_set_memory_limit(context, limited ? 16 * VALUES - 1 : 0);
            assert_int_equal(ch_cube_matrix(context, &X, &cube, &part), CH_OK);
            assert_int_equal(X.layout, fortran && !limited ? CH_ROW_MAJOR : CH_COLUMN_MAJOR);
            check_values(&cube, &X, NULL, NULL);
            ch_matrix_free(context, &X);
        }
        ch_context_set_memory_limit(context, 0);
        ch_cube_close(context, &cube);
        free(values);
    }
    support_finish(context, &memory);
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
        support_message(context, "contains 35 pixels, which is not the product of the given 5 "
                                 "lines and 8 samples per line");
        free(values);
    }
    support_finish(context, &memory);
}

/* ---- ENVI ---- */

static const struct {
    int code;
    chi_element element;
    const char *little;
} codes[] = {{1, {'u', 1, 0}, "|u1"},  {2, {'i', 2, 0}, "<i2"},  {3, {'i', 4, 0}, "<i4"},
             {4, {'f', 4, 0}, "<f4"},  {5, {'f', 8, 0}, "<f8"},  {12, {'u', 2, 0}, "<u2"},
             {13, {'u', 4, 0}, "<u4"}, {14, {'i', 8, 0}, "<i8"}, {15, {'u', 8, 0}, "<u8"}};
enum { CODES = sizeof codes / sizeof *codes };

static const char *const orders[] = {[CH_BSQ] = "bsq", [CH_BIL] = "BIL", [CH_BIP] = "Bip"};

static void write_text(const char *name, const char *text) {
    support_file_write(support_path("%s", name), text, strlen(text));
}

/* The values after `offset` bytes, and a header with the text of `more` in it. */
static void make_envi(const char *data, const char *header, ch_interleave interleave, int c,
                      int big, int offset, const char *more) {
    char text[2000];
    chi_element element = codes[c].element;
    element.swap = big;
    unsigned char *values = make_values(interleave, 0, element);
    unsigned char *bytes = calloc(1, (size_t)(VALUES * element.size + offset));
    memcpy(bytes + offset, values, (size_t)(VALUES * element.size));
    support_file_write(support_path("%s", data), bytes, (size_t)(VALUES * element.size + offset));
    free(bytes);
    free(values);
    snprintf(text, sizeof text,
             "ENVI\r\n; a comment = {\nsamples = %d\nlines   = %d\nBands = %d\nheader  offset = "
             "%d\nfile type = ENVI Standard\ndata type = %d\ninterleave = %s\nbyte order = %d\n%s",
             SAMPLES, LINES, BANDS, offset, codes[c].code, orders[interleave], big, more);
    write_text(header, text);
}

/* BIP and BSQ of our own types in this byte order are mapped, if they begin at a multiple. */
static void envi_cubes(void **state) {
    (void)state;
    support_memory memory;
    ch_context *context = support_context(&memory, 2);
    for (int k = CH_BSQ; k <= CH_BIP; k++)
        for (int c = 0; c < CODES; c++)
            for (int way = 0; way < 4; way++) {
                int big = way & 1, offset = way & 2 ? 3 : 0, size = codes[c].element.size;
                int own =
                    codes[c].element.kind == 'f' || (codes[c].element.kind == 'u' && size <= 2);
                int mapped = k != CH_BIL && own && (size == 1 || (!big && offset == 0));
                ch_cube cube = {.size = sizeof cube};
                make_envi("scene.img", "scene.hdr", (ch_interleave)k, c, big, offset, "");
                assert_int_equal(ch_cube_open(context, &cube, support_path("scene.hdr"), NULL),
                                 CH_OK);
                assert_int_equal(cube.interleave, k);
                assert_string_equal(cube.stored + 1, codes[c].little + 1);
                if (size > 1) assert_int_equal(cube.stored[0], big ? '>' : '<');
                check_parts(context, &cube, mapped);
                ch_cube_close(context, &cube);
            }
    support_finish(context, &memory);
}

static const char rich[] =
    "description = {\n  A scene, made here.}\n"
    "wavelength units = Nanometers\n"
    "wavelength = {400, 410.5, 4.2e2,\n 430, 440, 450, 460, 470, 480, 490 , 500}\n"
    "fwhm = {5,5,5,5,5,5,5,5,5,5,6}\n"
    "bbl = {1, 1, 0, 1,1,1,1,1,1,1,0}\n"
    "band names = {b 1, b2, b3, b4, b5, b6, b7, b8, b9, b10, last one}\n"
    "map info = {UTM, 1, 1, 600000, 4000000, 30, 30, 13, North, WGS-84}\n"
    "coordinate system string = {PROJCS[\"UTM_Zone_13N\",GEOGCS[\"x\"]]}\n"
    "projection info = {3, 1, 2, 3}\n"
    "reflectance scale factor = 1e4\n"
    "data ignore value = -9999\n";

static void envi_metadata(void **state) {
    (void)state;
    support_memory memory;
    ch_context *context = support_context(&memory, 1);
    ch_cube cube = {.size = sizeof cube};
    make_envi("rich", "rich.hdr", CH_BIL, 3, 0, 0, rich);
    assert_int_equal(ch_cube_open(context, &cube, support_path("rich.hdr"), NULL), CH_OK);
    assert_string_equal(cube.description, "A scene, made here.");
    assert_string_equal(cube.unit, "Nanometers");
    assert_true(cube.wavelengths[1] == 410.5 && cube.wavelengths[2] == 420 &&
                cube.wavelengths[10] == 500 && cube.widths[10] == 6);
    assert_true(cube.good[0] == 1 && cube.good[2] == 0 && cube.good[10] == 0);
    assert_string_equal(cube.names[0], "b 1");
    assert_string_equal(cube.names[10], "last one");
    assert_string_equal(cube.map_info, "UTM, 1, 1, 600000, 4000000, 30, 30, 13, North, WGS-84");
    assert_string_equal(cube.coordinate_system, "PROJCS[\"UTM_Zone_13N\",GEOGCS[\"x\"]]");
    assert_string_equal(cube.projection, "3, 1, 2, 3");
    assert_true(cube.has_no_data && cube.no_data == -9999);
    assert_true(cube.reflectance_scale == 10000);
    assert_null(cube.spectra);
    ch_cube_close(context, &cube);
    static const char *const none[] = {"0", "-2", "inf", "nan", "10000 or so", ""};
    for (size_t k = 0; k < sizeof none / sizeof *none; k++) {
        char line[80];
        snprintf(line, sizeof line, "reflectance scale factor = %s\n", none[k]);
        make_envi("rich", "rich.hdr", CH_BIL, 3, 0, 0, line);
        assert_int_equal(ch_cube_open(context, &cube, support_path("rich.hdr"), NULL), CH_OK);
        support_check(cube.reflectance_scale == 0, "%s", none[k]);
        ch_cube_close(context, &cube);
    }
    support_finish(context, &memory);
}

/* The data under every name, found from the header, and the header found from them. */
static void envi_names(void **state) {
    (void)state;
    static const char *const pairs[][2] = {
        {"n1", "n1.hdr"},         {"n2.img", "n2.hdr"},     {"n3.dat", "n3.hdr"},
        {"n4.bsq", "n4.hdr"},     {"n5.bil", "n5.bil.hdr"}, {"n6.bip", "n6.HDR"},
        {"n7.raw", "n7.raw.hdr"}, {"n8.IMG", "n8.hdr"},     {"n9.x.img", "n9.x.hdr"}};
    support_memory memory;
    ch_context *context = support_context(&memory, 1);
    for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++) {
        make_envi(pairs[k][0], pairs[k][1], CH_BSQ, 3, 0, 0, "");
        for (int from = 0; from < 2; from++) {
            ch_cube cube = {.size = sizeof cube};
            const char *path = support_path("%s", pairs[k][from]);
            support_check(ch_cube_open(context, &cube, path, NULL) == CH_OK, "%s: %s", path,
                          ch_context_message(context));
            check_parts(context, &cube, 1);
            ch_cube_close(context, &cube);
        }
    }
    ch_cube cube = {.size = sizeof cube}; /* of two the one that has the right length */
    make_envi("two.dat", "two.hdr", CH_BIP, 3, 0, 0, "");
    write_text("two.img", "a preview");
    assert_int_equal(ch_cube_open(context, &cube, support_path("two.hdr"), NULL), CH_OK);
    check_parts(context, &cube, 1);
    ch_cube_close(context, &cube);
    assert_int_equal(ch_cube_open(context, &cube, support_path("two.img"), NULL), CH_ERR_FORMAT);
    write_text("alone.dat", "numbers");
    assert_int_equal(ch_cube_open(context, &cube, support_path("alone.dat"), NULL), CH_ERR_IO);
    support_message(context, "the ENVI header of this file is missing");
    write_text("single.hdr", "ENVI\nsamples = 1\nlines = 1\ndata type = 1\n");
    assert_int_equal(ch_cube_open(context, &cube, support_path("single.hdr"), NULL), CH_ERR_IO);
    support_message(context, "the data file of this ENVI header is missing");
    support_finish(context, &memory);
}

/* As a matrix: without the bad bands, also transposed, and from the name of the data. */
static void envi_matrices(void **state) {
    (void)state;
    static const int64_t good[] = {0, 1, 3, 4, 5, 6, 7, 8, 9};
    support_memory memory;
    ch_context *context = support_context(&memory, 1);
    for (int k = CH_BSQ; k <= CH_BIP; k++)
        for (int bad = 0; bad < 2; bad++) {
            ch_cube cube = {.size = sizeof cube};
            ch_matrix X, turned, back;
            ch_matrix_read_settings settings = {.size = sizeof settings, .transpose = 1};
            make_envi("m.bin", "m.hdr", (ch_interleave)k, 5, 0, 2, bad ? rich : "");
            assert_int_equal(ch_cube_open(context, &cube, support_path("m.hdr"), NULL), CH_OK);
            assert_int_equal(ch_matrix_read(context, &X, support_path("m.hdr"), NULL), CH_OK);
            assert_int_equal(X.rows, bad ? 9 : BANDS);
            check_values(&cube, &X, bad ? good : NULL, NULL);
            assert_int_equal(ch_matrix_read(context, &turned, support_path("m.bin"), &settings),
                             CH_OK);
            assert_int_equal(ch_matrix_transpose(context, &back, &turned), CH_OK);
            support_same_matrix(&back, &X);
            ch_matrix_free(context, &X);
            ch_matrix_free(context, &turned);
            ch_cube_close(context, &cube);
        }
    ch_matrix X;
    make_envi("m.bin", "m.hdr", CH_BIP, 3, 0, 0, "bbl = {0,0,0,0,0,0,0,0,0,0,0}\n");
    assert_int_equal(ch_matrix_read(context, &X, support_path("m.hdr"), NULL), CH_ERR_DATA);
    support_message(context, "marks all 11 bands as bad");
    support_finish(context, &memory);
}

/* A header that is fine but for one line, and what is said of it. */
#define SHAPE "ENVI\nsamples = 2\nlines = 3\nbands = 4\ninterleave = bil\ndata type = 4\n"
#define HUGE "999999999999999"
static const struct {
    const char *text, *message;
    ch_status status;
} refusals[] = {
    {"", "its first line is not \"ENVI\"", CH_ERR_FORMAT},
    {"ENVIRONMENT\nsamples = 2\n", "its first line is not \"ENVI\"", CH_ERR_FORMAT},
    {"ENVI\nlines = 3\nbands = 4\n", "has no line \"samples = ...\"", CH_ERR_FORMAT},
    {"ENVI\nsamples = 2\n", "has no line \"lines = ...\"", CH_ERR_FORMAT},
    {"ENVI\nsamples = 2\nlines = 3\nbands = 4\ndata type = 4\n", "has no line \"interleave = ...\"",
     CH_ERR_FORMAT},
    {"ENVI\nsamples = 2\nlines = 3\nbands = 4\ninterleave = bil\n",
     "has no line \"data type = ...\"", CH_ERR_FORMAT},
    {"ENVI\nsamples = 0\n", "line 2: the value of \"samples\" is 0, but it must be from 1 to",
     CH_ERR_FORMAT},
    {"ENVI\nsamples = -3\n", "the value of \"samples\" is -3, but it must be from 1 to",
     CH_ERR_FORMAT},
    {"ENVI\nsamples = 2.5\n", "the value of \"samples\" must be a whole number, but it is \"2.5\"",
     CH_ERR_FORMAT},
    {"ENVI\nsamples = nan\n", "the value of \"samples\" must be a whole number", CH_ERR_FORMAT},
    {"ENVI\nsamples = {2}\nlines = two\n",
     "line 3: the value of \"lines\" must be a whole number, but it is \"two\"", CH_ERR_FORMAT},
    {"ENVI\nsamples = 2\nsamples = 2\n",
     "line 3: the field \"samples\" was already given in line 2; remove one of the two",
     CH_ERR_FORMAT},
    {"ENVI\nsamples = 2\n = 3\n", "line 3: the name of the field before \"=\" is missing",
     CH_ERR_FORMAT},
    {"ENVI\nsamples = 2\ndescription = {never\nlines = 3\n",
     "line 3: the value of \"description\" begins with {, but the closing } is missing",
     CH_ERR_FORMAT},
    {SHAPE "byte order = 2\n", "the value of \"byte order\" is 2, but it must be from 0 to 1",
     CH_ERR_FORMAT},
    {SHAPE "header offset = -1\n", "the value of \"header offset\" is -1, but it must be from 0 to",
     CH_ERR_FORMAT},
    {SHAPE "header offset = 1\n", "97 bytes in total, but the file has 96", CH_ERR_FORMAT},
    {SHAPE "file compression = 1\n", "the data are compressed", CH_ERR_UNSUPPORTED},
    {SHAPE "major frame offsets = {0, 8}\n", "\"major frame offsets\" other than 0",
     CH_ERR_UNSUPPORTED},
    {SHAPE "wavelength = {1, 2, 3}\n",
     "the list \"wavelength\" has 3 entries, but it must have 4 (one for each band)",
     CH_ERR_FORMAT},
    {SHAPE "wavelength = {1, 2, x3, 4}\n",
     "entry 3 of the list \"wavelength\" is not a number: \"x3\"", CH_ERR_FORMAT},
    {SHAPE "wavelength = {1, 2, , 4}\n", "entry 3 of the list \"wavelength\" is not a number",
     CH_ERR_FORMAT},
    {SHAPE "bbl = {1, 1, 1, 1, 1}\n",
     "the list \"bbl\" has 5 entries, but it must have 4 (one for each band)", CH_ERR_FORMAT},
    {SHAPE "band names = {a, b}\n", "\"band names\" has 2 entries", CH_ERR_FORMAT},
    {SHAPE "fwhm = {}\n",
     "the list \"fwhm\" is too short; it must have 4 entries (one for each band)", CH_ERR_FORMAT},
    {SHAPE "data ignore value = none\n", "is not a number: \"none\"", CH_ERR_FORMAT},
    {SHAPE "file type = ENVI Spectral Library\n", "a spectral library must have one band",
     CH_ERR_FORMAT},
    {"ENVI\nsamples = 2\nlines = 3\nbands = 4\ninterleave = bsq\ndata type = 6\n",
     "complex numbers (data type 6)", CH_ERR_UNSUPPORTED},
    {"ENVI\nsamples = 2\nlines = 3\nbands = 4\ninterleave = bsq\ndata type = 7\n",
     "data type 7 is not supported", CH_ERR_FORMAT},
    {"ENVI\nsamples = 2\nlines = 3\nbands = 4\ninterleave = bix\ndata type = 4\n",
     "the value of \"interleave\" is \"bix\", but it must be bsq, bil or bip", CH_ERR_FORMAT},
    {"ENVI\nsamples = 2\nlines = 3\nbands = 5\ninterleave = bip\ndata type = 4\n",
     "120 bytes in total, but the file has 96", CH_ERR_FORMAT},
    {"ENVI\nsamples = " HUGE "\nlines = " HUGE "\nbands = " HUGE
     "\ninterleave = bip\ndata type = 4\n",
     "which is impossibly large", CH_ERR_FORMAT},
};

static void envi_refusals(void **state) {
    (void)state;
    support_memory memory;
    ch_context *context = support_context(&memory, 1);
    char values[96] = {0};
    support_file_write(support_path("bad.img"), values, sizeof values);
    for (size_t k = 0; k < sizeof refusals / sizeof *refusals; k++) {
        ch_cube cube = {.size = sizeof cube};
        write_text("bad.hdr", refusals[k].text);
        ch_status status = ch_cube_open(context, &cube, support_path("bad.hdr"), NULL);
        support_check(status == refusals[k].status, "%s: status %d, %s", refusals[k].text,
                      (int)status, ch_context_message(context));
        support_message(context, refusals[k].message);
        assert_null(cube.owner);
    }
    ch_cube cube = {.size = sizeof cube};
    support_file_write(support_path("bad.hdr"), "ENVI\nsamples\0 = 2\n", 18);
    assert_int_equal(ch_cube_open(context, &cube, support_path("bad.hdr"), NULL), CH_ERR_FORMAT);
    support_message(context, "it contains zero bytes");
    support_finish(context, &memory);
}

/* A mark of missing values that the caller names, for every way to a matrix. */
static void named_no_data(void **state) {
    (void)state;
    support_memory memory;
    ch_context *context = support_context(&memory, 1);
    const int64_t shape[] = {LINES, SAMPLES, BANDS};
    const ch_cube_open_settings settings = {
        .size = sizeof settings, .has_no_data = 1, .no_data = 42};
    for (size_t t = 0; t < sizeof types / sizeof *types; t++)
        for (int own = 0; own < 2;
             own++) { /* with a mark of the file, which the caller's replaces */
            ch_cube cube = {.size = sizeof cube};
            ch_cube_part part = {.size = sizeof part, .no_data_as_nan = 1};
            ch_matrix X;
            unsigned char *values = make_values(CH_BIP, 0, types[t].element);
            const char *path = make_npy(types[t].descr, 0, shape, values,
                                        (size_t)(VALUES * types[t].element.size));
            if (own) make_envi("named", "named.hdr", CH_BIL, 3, 0, 0, "data ignore value = 7\n");
            if (own) path = support_path("named.hdr");
            assert_int_equal(ch_cube_open(context, &cube, path, &settings), CH_OK);
            assert_true(cube.has_no_data && cube.no_data == 42);
            assert_int_equal(ch_cube_matrix(context, &X, &cube, &part), CH_OK);
            int64_t missing = 0;
            for (int64_t j = 0; j < X.cols; j++)
                for (int64_t i = 0; i < X.rows; i++) {
                    double value = ch_matrix_at(&X, i, j);
                    double wanted = value_at(j / SAMPLES, j % SAMPLES, i);
                    support_check(isnan(value) ? wanted == 42 : value == wanted && value != 42,
                                  "%s: %g", types[t].descr, value);
                    missing += isnan(value);
                }
            assert_true(missing > 0);
            ch_matrix_free(context, &X);
            ch_cube_close(context, &cube);
            free(values);
        }
    support_finish(context, &memory);
}

/* ---- what we write ---- */

static void maps_come_back(void **state) {
    (void)state;
    static const char *const names[] = {"soil", "tree, old", "water"};
    support_memory memory;
    ch_context *context = support_context(&memory, 1);
    char system[3000]; /* longer than a line of text */
    for (size_t k = 0; k < sizeof system; k++) system[k] = (char)('A' + k % 26);
    system[sizeof system - 1] = 0;
    for (int by_sample = 0; by_sample < 2; by_sample++)
        for (int some_only = 0; some_only < 2; some_only++) {
            double values[3 * LINES * SAMPLES];
            ch_cube cube = {.size = sizeof cube, .lines = LINES, .samples = SAMPLES, .bands = 9};
            ch_cube back = {.size = sizeof back};
            ch_cube_part part = {.size = sizeof part, .pixels = some, .pixel_count = 7};
            int64_t pixels = some_only ? 7 : LINES * SAMPLES;
            cube.by_sample = by_sample;
            cube.map_info = "UTM, 1, 1, 600000, 4000000, 30, 30, 13, North";
            cube.coordinate_system = system;
            cube.reflectance_scale = 1e4; /* of the bands, not of these pictures */
            for (int64_t j = 0; j < pixels; j++) {
                int64_t line, sample;
                ch_cube_pixel(&cube, some_only ? some[j] : j, &line, &sample);
                for (int k = 0; k < 3; k++) values[3 * j + k] = value_at(line, sample, k) / 4;
            }
            ch_matrix maps = support_dense(context, values, 3, pixels), X;
            assert_int_equal(ch_cube_write_maps(context, support_path("maps.img"), &cube, &maps,
                                                names, some_only ? &part : NULL),
                             CH_OK);
            assert_int_equal(ch_cube_open(context, &back, support_path("maps.hdr"), NULL), CH_OK);
            assert_string_equal(back.map_info, cube.map_info);
            assert_string_equal(back.coordinate_system, system);
            assert_true(back.reflectance_scale == 0);
            assert_string_equal(back.names[1], "tree  old");
            assert_int_equal(back.has_no_data, some_only);
            assert_int_equal(ch_cube_matrix(context, &X, &back, NULL), CH_OK);
            int64_t given = 0;
            for (int64_t l = 0; l < LINES; l++)
                for (int64_t s = 0; s < SAMPLES; s++)
                    for (int64_t k = 0; k < 3; k++) {
                        double value = ch_matrix_at(&X, k, l * SAMPLES + s);
                        given += !isnan(value);
                        assert_true(isnan(value) || value == value_at(l, s, k) / 4);
                    }
            assert_int_equal(given, 3 * pixels);
            ch_matrix_free(context, &X);
            ch_cube_close(context, &back);
        }
    support_finish(context, &memory);
}

static void spectra_come_back(void **state) {
    (void)state;
    static const char *const names[] = {"a \"b\"", "c, d"};
    static const double wavelengths[] = {0.4, 0.5, 0.75};
    double values[6] = {1, 2, 3, 4, 5, 6.5};
    support_memory memory;
    ch_context *context = support_context(&memory, 1);
    ch_matrix X, made = support_dense(context, values, 3, 2);
    ch_spectra spectra = {sizeof spectra, &made, names, wavelengths, "Micrometers", 255.5};
    ch_cube back = {.size = sizeof back};
    assert_int_equal(ch_spectra_write_envi(context, support_path("ends.sli"), &spectra), CH_OK);
    assert_int_equal(ch_cube_open(context, &back, support_path("ends.sli"), NULL), CH_OK);
    assert_true(back.lines == 1 && back.samples == 2 && back.bands == 3);
    assert_string_equal(back.spectra[0], "a \"b\"");
    assert_string_equal(back.spectra[1], "c  d");
    assert_string_equal(back.unit, "Micrometers");
    assert_true(back.reflectance_scale == 255.5);
    assert_true(back.wavelengths[0] == 0.4 && back.wavelengths[2] == 0.75);
    assert_int_equal(ch_cube_matrix(context, &X, &back, NULL), CH_OK);
    support_same_matrix(&X, &made);
    ch_matrix_free(context, &X);
    ch_cube_close(context, &back);
    assert_int_equal(ch_spectra_write_csv(context, support_path("ends.csv"), &spectra), CH_OK);
    size_t count;
    char *text = (char *)support_file_read(support_path("ends.csv"), &count);
    static const char wanted[] =
        "wavelength,\"a \"\"b\"\"\",\"c, d\"\n0.4,1,4\n0.5,2,5\n0.75,3,6.5\n";
    assert_int_equal(count, sizeof wanted - 1);
    assert_memory_equal(text, wanted, count);
    free(text);
    support_finish(context, &memory);
}

/* ---- others read what we write, and we what they write ---- */

static const char gdal[] =
    "import json, os, shutil, subprocess\n"
    "if shutil.which('gdalinfo'):\n"
    "    def run(*words): return subprocess.run(words, check=True, capture_output=True, "
    "text=True).stdout\n"
    "    info = json.loads(run('gdalinfo', '-json', 'ours.img'))\n"
    "    assert info['size'] == [7, 5] and len(info['bands']) == 11, info\n"
    "    assert info['geoTransform'] == [600000.0, 30.0, 0.0, 4000000.0, 0.0, -30.0], "
    "info['geoTransform']\n"
    "    assert 'UTM' in info['coordinateSystem']['wkt'], info\n"
    "    band = info['bands'][1]\n"
    "    assert band['type'] == 'Float32' and band['description'].startswith('b2'), band\n"
    "    assert '410.5' in json.dumps(band), band\n" /* its wavelength */
    "    for order in 'BSQ', 'BIL', 'BIP':\n"
    "        for kind in 'Byte', 'Int16', 'UInt16', 'Int32', 'UInt32', 'Float32', 'Float64':\n"
    "            run('gdal_translate', '-q', '-of', 'ENVI', '-co', 'INTERLEAVE=' + order, '-ot', "
    "kind,\n"
    "                'ours.img', f'gdal_{order}_{kind}.img')\n"
    "    kinds = {'plain': (), 'planes': ('INTERLEAVE=BAND',), 'tiles': ('TILED=YES', "
    "'BLOCKXSIZE=16', 'BLOCKYSIZE=16'),\n"
    "             'tiled_planes': ('TILED=YES', 'BLOCKXSIZE=16', 'BLOCKYSIZE=16', "
    "'INTERLEAVE=BAND'), 'packed': ('COMPRESS=DEFLATE',),\n"
    "             'big': ('BIGTIFF=YES', 'ENDIANNESS=BIG'), 'lines': ('BLOCKYSIZE=1', "
    "'COMPRESS=LZW')}\n"
    "    for name, ways in kinds.items():\n"
    "        run('gdal_translate', '-q', '-ot', 'Int16', *(w for way in ways for w in ('-co', "
    "way)), 'ours.img', f'{name}.tif')\n"
    "    for band in range(11):\n"
    "        run('gdal_translate', '-q', '-b', str(band + 1), *(('-co', 'APPEND_SUBDATASET=YES') "
    "if band else ()), 'ours.img', 'pages.tif')\n"
    "    for name, *more in (('s32719', '-a_srs', 'EPSG:32719'), ('s4326', '-a_srs', 'EPSG:4326'), "
    "('s25832', '-a_srs', 'EPSG:25832'),\n"
    "                        ('s3035', '-a_srs', 'EPSG:3035'), ('point', '-mo', "
    "'AREA_OR_POINT=Point'), ('none', '-co', 'PROFILE=BASELINE')):\n"
    "        run('gdal_translate', '-q', *more, 'ours.img', name + '.tif')\n"
    "    run('gdal_translate', '-q', '-ot', 'CFloat32', 'ours.img', 'complex.tif')\n"
    "    run('gdal_translate', '-q', '-a_nodata', '17.5', 'ours.img', 'marked.tif')\n"
    "try:\n"
    "    import spectral\n"
    "    scene = spectral.open_image('ours.hdr')\n"
    "    assert scene.shape == (5, 7, 11) and scene.bands.centers[1] == 410.5\n"
    "    assert spectral.open_image('library.hdr').spectra.shape == (2, 3)\n"
    "except ImportError: pass\n";

/* GeoTIFF: what becomes of the coordinate system, which GDAL reads back from our maps. */
#define PLACE(system) system ", 1, 1, 600000, 4000000, 30, 30"
static const struct {
    const char *name, *map_info, *begins; /* NULL: there is none */
} systems[] = {
    {"s32719", PLACE("UTM") ", 19, South, WGS-84, units=Meters",
     "PROJCS[\"WGS_1984_UTM_Zone_19S\",GEOGCS[\"GCS_WGS_1984\","},
    {"s25832", PLACE("UTM") ", 32, North, units=Meters",
     "PROJCS[\"ETRS_1989_UTM_Zone_32N\",GEOGCS[\"GCS_ETRS_1989\","},
    {"s4326", PLACE("Geographic Lat/Lon") ", WGS-84, units=Degrees",
     "GEOGCS[\"GCS_WGS_1984\",DATUM[\"D_WGS_1984\","},
    {"s3035", PLACE("Arbitrary"), NULL},
    {"point", "UTM, 1.5, 1.5, 600015, 3999985, 30, 30, 13, North, WGS-84, units=Meters",
     "PROJCS[\"WGS_1984_UTM_Zone_13N\","}, /* the centre of the same pixel */
    {"none", NULL, NULL},
};

static const char gdal_again[] =
    "import json, shutil, subprocess\n"
    "if shutil.which('gdalinfo'):\n"
    "    def info(name): return json.loads(subprocess.run(['gdalinfo', '-json', name], check=True, "
    "capture_output=True, text=True).stdout)\n"
    "    for name in 's32719', 's4326', 's25832', 'point':\n"
    "        before, after = info(name + '.tif'), info(name + '.img')\n"
    "        assert before['geoTransform'] == after['geoTransform'], (name, "
    "after['geoTransform'])\n"
    "        for word in 'zone 19S', 'zone 32N', 'zone 13N', 'ETRS89', 'WGS 84':\n"
    "            there = [word in now['coordinateSystem']['wkt'] for now in (before, after)]\n"
    "            assert there[0] <= there[1], (name, word, after['coordinateSystem']['wkt'])\n";

static void tiff_systems(ch_context *context) {
    for (size_t k = 0; k < sizeof systems / sizeof *systems; k++) {
        ch_cube cube = {.size = sizeof cube};
        ch_matrix X;
        const char *path = support_path("%s.tif", systems[k].name), *begins = systems[k].begins;
        assert_int_equal(ch_cube_open(context, &cube, path, NULL), CH_OK);
        support_check(systems[k].map_info ? cube.map_info != NULL : !cube.map_info, "%s", path);
        if (cube.map_info) assert_string_equal(cube.map_info, systems[k].map_info);
        support_check(!begins ? !cube.coordinate_system
                              : cube.coordinate_system &&
                                    !strncmp(cube.coordinate_system, begins, strlen(begins)),
                      "%s", path);
        assert_int_equal(ch_cube_matrix(context, &X, &cube, NULL), CH_OK);
        path = support_path("%s.img", systems[k].name);
        assert_int_equal(ch_cube_write_maps(context, path, &cube, &X, NULL, NULL), CH_OK);
        ch_matrix_free(context, &X);
        ch_cube_close(context, &cube);
    }
    assert_true(support_python("json", gdal_again));
}

static void others_agree(void **state) {
    (void)state;
    static const char *const kinds[] = {"Byte",   "Int16",   "UInt16", "Int32",
                                        "UInt32", "Float32", "Float64"};
    static const char *const words[] = {"BSQ", "BIL", "BIP"};
    double spectra[6] = {1, 2, 3, 4, 5, 6};
    support_memory memory;
    ch_context *context = support_context(&memory, 1);
    ch_cube cube = {.size = sizeof cube};
    ch_matrix X, two = support_dense(context, spectra, 3, 2);
    ch_spectra library = {.size = sizeof library, .values = &two};
    make_envi("given", "given.hdr", CH_BIL, 3, 0, 0, rich);
    assert_int_equal(ch_cube_open(context, &cube, support_path("given.hdr"), NULL), CH_OK);
    assert_int_equal(ch_cube_matrix(context, &X, &cube, NULL), CH_OK);
    cube.coordinate_system = NULL; /* that of rich is none that GDAL knows */
    cube.projection = NULL;
    assert_int_equal(ch_cube_write_maps(context, support_path("ours.img"), &cube, &X, NULL, NULL),
                     CH_OK);
    assert_int_equal(ch_spectra_write_envi(context, support_path("library.sli"), &library), CH_OK);
    if (!support_python("json", gdal)) skip();
    for (int k = CH_BSQ; k <= CH_BIP; k++)
        for (size_t t = 0; t < sizeof kinds / sizeof *kinds; t++) {
            ch_cube back = {.size = sizeof back};
            const char *path = support_path("gdal_%s_%s.img", words[k], kinds[t]);
            if (access(path, R_OK) != 0) continue; /* no GDAL here */
            assert_int_equal(ch_cube_open(context, &back, path, NULL), CH_OK);
            assert_int_equal(back.interleave, k);
            check_parts(context, &back, k != CH_BIL && !strstr(kinds[t], "Int32") && t != 1);
            ch_cube_close(context, &back);
        }
    static const char *const pages[] = {"plain",  "planes", "tiles", "tiled_planes",
                                        "packed", "big",    "lines", "pages"};
    for (size_t t = 0; t < sizeof pages / sizeof *pages; t++) {
        ch_cube back = {.size = sizeof back};
        const char *path = support_path("%s.tif", pages[t]);
        if (access(path, R_OK) != 0) continue;
        ch_status status = ch_cube_open(context, &back, path, NULL);
        if (status == CH_ERR_UNSUPPORTED) continue; /* no libtiff here */
        support_check(status == CH_OK, "%s: %s", path, ch_context_message(context));
        support_check(back.lines == LINES && back.samples == SAMPLES && back.bands == BANDS, "%s",
                      path);
        assert_string_equal(back.map_info, PLACE("UTM") ", 13, North, WGS-84, units=Meters");
        check_parts(context, &back, 0);
        ch_cube_close(context, &back);
        support_check(ch_cube_open(context, &back, support_path("complex.tif"), NULL) ==
                          CH_ERR_UNSUPPORTED,
                      "complex numbers");
        assert_int_equal(ch_cube_open(context, &back, support_path("marked.tif"), NULL), CH_OK);
        assert_true(back.has_no_data && back.no_data == 17.5);
        ch_cube_close(context, &back);
        if (t == 0) tiff_systems(context);
    }
    ch_matrix_free(context, &X);
    ch_cube_close(context, &cube);
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
    support_message(context, "the cube has not been opened");
    assert_int_equal(ch_cube_open(context, NULL, path, NULL), CH_ERR_ARGUMENT);
    assert_int_equal(ch_cube_open(context, &cube, "", NULL), CH_ERR_ARGUMENT);
    assert_int_equal(ch_cube_open(context, &cube, path, NULL), CH_OK);
    ch_cube_part part = {.size = sizeof part, .bands = falling, .band_count = 2};
    assert_int_equal(ch_cube_matrix(context, &X, &cube, &part), CH_ERR_ARGUMENT);
    support_message(context, "band 2 follows 3");
    part = (ch_cube_part){.size = sizeof part, .bands = far, .band_count = 1};
    assert_int_equal(ch_cube_matrix(context, &X, &cube, &part), CH_ERR_ARGUMENT);
    support_message(context, "band 11 is not in the cube; valid numbers are 0 to 10");
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
        cmocka_unit_test(npy_cubes),       cmocka_unit_test(through_scratch),
        cmocka_unit_test(scattered_bands), cmocka_unit_test(npy_matrices),
        cmocka_unit_test(envi_cubes),      cmocka_unit_test(envi_metadata),
        cmocka_unit_test(envi_names),      cmocka_unit_test(envi_matrices),
        cmocka_unit_test(envi_refusals),   cmocka_unit_test(named_no_data),
        cmocka_unit_test(maps_come_back),  cmocka_unit_test(spectra_come_back),
        cmocka_unit_test(others_agree),    cmocka_unit_test(bad_arguments),
    };
    return cmocka_run_group_tests(tests, support_folder_make, support_folder_remove);
}
