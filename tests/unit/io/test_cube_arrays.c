/* Cubes of other programs: .mat of every version, HDF5 in several orders of its axes, HyperSpy's
 * layout. Python writes them; every value is held against the formula that made it. */
#include "support_files.h"
#include <conehull/cube.h>
#include <string.h>

enum { LINES = 5, SAMPLES = 7, BANDS = 11 };

static double value_at(int64_t line, int64_t sample, int64_t band) {
    return (double)((line * 31 + sample * 7 + band * 3) % 101);
}

static const char script[] =
    "import numpy as np, scipy.io as sio, h5py\n"
    "l, s, b = np.meshgrid(range(5), range(7), range(11), indexing='ij')\n"
    "c = ((31 * l + 7 * s + 3 * b) % 101).astype('f8')\n"
    "Y = c.reshape(35, 11, order='F').T\n" /* bands x pixels, column by column of the picture */
    "w = 400 + 10. * np.arange(11)\n"
    "gt = np.ones((3, 11)); ab = np.ones((5, 7, 3))\n"
    "for name, packed in ('plain.mat', False), ('packed.mat', True):\n"
    "    sio.savemat(name, {'Y': Y, 'nRow': 5, 'nCol': 7, 'nBand': 11, 'M': gt}, "
    "do_compression=packed)\n"
    "sio.savemat('samson.mat', {'GT': gt, 'S_GT': ab, 'Y': Y, 'lines': 5, 'cols': 7})\n"
    "sio.savemat('bare.mat', {'V': Y.astype('u1'), 'wavelength': w})\n"
    "sio.savemat('abundances.mat', {'V': Y.T, 'A': ab})\n" /* pixels x bands, shape by A */
    "sio.savemat('scene.mat', {'paviaU': c.astype('u2'), 'names': np.ones((2, 1))})\n"
    "sio.savemat('v4.mat', {'Y': Y, 'nRow': 5., 'nCol': 7.}, format='4')\n"
    "sio.savemat('several.mat', {'one': Y, 'two': Y})\n"
    "def mat73(name, **arrays):\n"
    "    with h5py.File(name, 'w', userblock_size=512) as f:\n"
    "        for key, array in arrays.items():\n"
    "            f.create_dataset(key, data=np.asarray(array).T).attrs['MATLAB_class'] = "
    "np.bytes_('double')\n"
    "    with open(name, 'r+b') as f: f.write(b'MATLAB 7.3 MAT-file'.ljust(116) + bytes(8) + "
    "b'\\x00\\x02IM')\n"
    "mat73('y73.mat', Y=Y, nRow=[[5.]], nCol=[[7.]], wavelength=w[None])\n"
    "mat73('scene73.mat', scene=c)\n"
    "mat73('turned73.mat', V=Y.T, nRow=[[5.]], nCol=[[7.]])\n"
    "for name, axes in ('lsb.h5', (0, 1, 2)), ('lbs.h5', (0, 2, 1)), ('bls.h5', (2, 0, 1)):\n"
    "    with h5py.File(name, 'w') as f:\n"
    "        f.create_dataset('deep/cube', data=c.transpose(axes).astype('i2'), chunks=(2, 3, 2), "
    "compression='gzip')\n"
    "        f['wavelengths'] = w; f['wavelengths'].attrs['units'] = 'nm'; f['other'] = "
    "np.ones(4)\n"
    "with h5py.File('last.nc', 'w') as f: f['reflectance'] = c.astype('f4')\n"
    "with h5py.File('two.h5', 'w') as f: f['a'] = c; f['b'] = c\n"
    "with h5py.File('flat.h5', 'w') as f: f['X'] = c.reshape(35, 11).T\n"
    "def hspy(name, data, signal, uneven=None):\n"
    "    with h5py.File(name, 'w') as f:\n"
    "        g = f.create_group('Experiments/scene'); g['data'] = data\n"
    "        for d in range(data.ndim):\n"
    "            a = g.create_group(f'axis-{d}'); a.attrs['navigate'] = d != signal; "
    "a.attrs['size'] = data.shape[d]\n"
    "            if d == signal and uneven is not None: a['axis'] = uneven; continue\n"
    "            a.attrs.update(scale=.5, offset=3., units='eV')\n"
    "hspy('image.hspy', c, 2); hspy('first.hspy', c.transpose(2, 0, 1), 0)\n"
    "hspy('line.hspy', c[2], 1); hspy('uneven.hspy', c, 2, w * w)\n";

/* A file, what is asked of it, and where its first and last wavelength are (0, 0: it has none). */
typedef struct sample {
    const char *name, *var;
    int64_t lines, samples; /* asked for */
    int transpose, by_sample;
    double first, last;
    const char *unit;
} sample;

static const sample samples[] = {
    {"plain.mat", NULL, 0, 0, 0, 1, 0, 0, NULL},
    {"packed.mat", NULL, 0, 0, 0, 1, 0, 0, NULL},
    {"samson.mat", NULL, 0, 0, 0, 1, 0, 0, NULL},
    {"bare.mat", NULL, LINES, SAMPLES, 0, 1, 400, 500, NULL},
    {"abundances.mat", NULL, 0, 0, 0, 1, 0, 0, NULL},
    {"scene.mat", NULL, 0, 0, 0, 1, 0, 0, NULL},
    {"v4.mat", NULL, 0, 0, 0, 1, 0, 0, NULL},
    {"several.mat", "two", LINES, SAMPLES, 0, 1, 0, 0, NULL},
    {"y73.mat", NULL, 0, 0, 0, 1, 400, 500, NULL},
    {"scene73.mat", NULL, 0, 0, 0, 1, 0, 0, NULL},
    {"turned73.mat", NULL, 0, 0, 0, 1, 0, 0, NULL},
    {"lsb.h5", NULL, 0, 0, 0, 0, 400, 500, "nm"},
    {"lbs.h5", NULL, 0, 0, 0, 0, 400, 500, "nm"},
    {"bls.h5", "/deep/cube", 0, 0, 0, 0, 400, 500, "nm"},
    {"last.nc", NULL, 0, 0, 0, 0, 0, 0, NULL},
    {"two.h5", "b", 0, 0, 0, 0, 0, 0, NULL},
    {"flat.h5", NULL, LINES, SAMPLES, 0, 0, 0, 0, NULL},
    {"image.hspy", NULL, 0, 0, 0, 0, 3, 8, "eV"},
    {"first.hspy", NULL, 0, 0, 0, 0, 3, 8, "eV"},
    {"uneven.hspy", NULL, 0, 0, 0, 0, 160000, 250000, NULL},
};

static int made;

static int make(void **state) {
    if (support_folder_make(state)) return -1;
    made = support_python("numpy, scipy.io, h5py", script);
    return 0;
}

static void check_matrix(ch_context *context, const sample *from, const ch_cube *cube,
                         const ch_cube_part *part) {
    ch_matrix X;
    support_check(ch_cube_matrix(context, &X, cube, part) == CH_OK, "%s: %s", from->name,
                  ch_context_message(context));
    for (int64_t j = 0; j < X.cols; j++)
        for (int64_t i = 0; i < X.rows; i++) {
            int64_t line, place;
            ch_cube_pixel(cube, part->pixels ? part->pixels[j] : j, &line, &place);
            double wanted = value_at(line, place, part->bands ? part->bands[i] : i);
            support_check(ch_matrix_at(&X, i, j) == wanted, "%s: (%lld, %lld) is %g, not %g",
                          from->name, (long long)i, (long long)j, ch_matrix_at(&X, i, j), wanted);
        }
    ch_matrix_free(context, &X);
}

static void cubes_of_others(void **state) {
    static const int64_t bands[] = {1, 2, 9}, pixels[] = {0, 8, 9, 34};
    (void)state;
    if (!made) skip();
    for (size_t k = 0; k < sizeof samples / sizeof *samples; k++) {
        const sample *from = &samples[k];
        support_memory memory;
        ch_context *context = support_context(&memory, 2);
        ch_cube cube = {.size = sizeof cube};
        ch_cube_open_settings settings = {.size = sizeof settings,
                                          .var = from->var,
                                          .lines = from->lines,
                                          .samples = from->samples,
                                          .transpose = from->transpose};
        ch_cube_part all = {.size = sizeof all};
        ch_cube_part some = {sizeof some, bands, 3, pixels, 4, NULL, 0};
        ch_status status = ch_cube_open(context, &cube, support_path("%s", from->name), &settings);
        support_check(status == CH_OK, "%s: %s", from->name, ch_context_message(context));
        support_check(cube.lines == LINES && cube.samples == SAMPLES && cube.bands == BANDS &&
                          cube.by_sample == from->by_sample,
                      "%s: %lld x %lld x %lld", from->name, (long long)cube.lines,
                      (long long)cube.samples, (long long)cube.bands);
        assert_int_equal(cube.wavelengths != NULL, from->last > 0);
        if (cube.wavelengths)
            support_check(
                cube.wavelengths[0] == from->first && cube.wavelengths[BANDS - 1] == from->last,
                "%s: from %g to %g", from->name, cube.wavelengths[0], cube.wavelengths[BANDS - 1]);
        if (from->unit) assert_string_equal(cube.unit, from->unit);
        check_matrix(context, from, &cube, &all);
        check_matrix(context, from, &cube, &some);
        ch_cube_close(context, &cube);
        support_finish(context, &memory);
    }
}

/* A line of pixels, and a matrix that is turned. */
static void fewer_dimensions(void **state) {
    (void)state;
    if (!made) skip();
    support_memory memory;
    ch_context *context = support_context(&memory, 1);
    ch_cube cube = {.size = sizeof cube};
    ch_matrix X;
    assert_int_equal(ch_cube_open(context, &cube, support_path("line.hspy"), NULL), CH_OK);
    assert_true(cube.lines == 1 && cube.samples == SAMPLES && cube.bands == BANDS);
    assert_int_equal(ch_cube_matrix(context, &X, &cube, NULL), CH_OK);
    assert_true(ch_matrix_at(&X, 4, 3) == value_at(2, 3, 4));
    ch_matrix_free(context, &X);
    ch_cube_close(context, &cube);
    for (int k = 0; k < 3; k++) {
        static const char *const names[] = {"several.mat", "flat.h5", "y73.mat"};
        static const char *const vars[] = {"one", NULL, "Y"};
        ch_cube_open_settings settings = {.size = sizeof settings, .var = vars[k], .transpose = 1};
        assert_int_equal(ch_cube_open(context, &cube, support_path("%s", names[k]), &settings),
                         CH_OK);
        assert_true(cube.lines == 1 && cube.samples == BANDS && cube.bands == LINES * SAMPLES);
        assert_int_equal(ch_cube_matrix(context, &X, &cube, NULL), CH_OK);
        int64_t pixel = k == 1 ? 9 : 17; /* line 1, sample 2, by line and by sample: 9 and 11 */
        assert_true(ch_matrix_at(&X, pixel, 5) == (k == 1 ? value_at(1, 2, 5) : value_at(2, 3, 5)));
        ch_matrix_free(context, &X);
        ch_cube_close(context, &cube);
    }
    support_finish(context, &memory);
}

/* A mark of missing values that the caller names. "bare.mat" holds bytes, "plain.mat" f8. */
static void named_no_data(void **state) {
    static const int64_t bands[] = {1, 2, 9};
    static const char *const names[] = {"bare.mat", "plain.mat", "y73.mat", "image.hspy", "lbs.h5"};
    (void)state;
    if (!made) skip();
    support_memory memory;
    ch_context *context = support_context(&memory, 1);
    for (int k = 0; k < 10; k++) {
        ch_cube cube = {.size = sizeof cube};
        ch_matrix X;
        int part = k % 2, missing = 0;
        const ch_cube_open_settings settings = {.size = sizeof settings,
                                                .lines = k < 2 ? LINES : 0,
                                                .samples = k < 2 ? SAMPLES : 0,
                                                .has_no_data = 1,
                                                .no_data = 37};
        const ch_cube_part some = {.size = sizeof some,
                                   .bands = part ? bands : NULL,
                                   .band_count = part ? 3 : 0,
                                   .no_data_as_nan = 1};
        assert_int_equal(ch_cube_open(context, &cube, support_path("%s", names[k / 2]), &settings),
                         CH_OK);
        assert_int_equal(ch_cube_matrix(context, &X, &cube, &some), CH_OK);
        for (int64_t j = 0; j < X.cols; j++)
            for (int64_t i = 0; i < X.rows; i++) {
                int64_t line, place;
                ch_cube_pixel(&cube, j, &line, &place);
                double value = ch_matrix_at(&X, i, j);
                double wanted = value_at(line, place, part ? bands[i] : i);
                support_check(value != value ? wanted == 37 : value == wanted && value != 37,
                              "%s: %g", names[k / 2], value);
                missing += value != value;
            }
        assert_true(missing > 0);
        ch_matrix_free(context, &X);
        ch_cube_close(context, &cube);
    }
    support_finish(context, &memory);
}

static void refusals(void **state) {
    (void)state;
    if (!made) skip();
    support_memory memory;
    ch_context *context = support_context(&memory, 1);
    ch_cube cube = {.size = sizeof cube};
    ch_cube_open_settings settings = {.size = sizeof settings, .var = "none"};
    assert_int_equal(ch_cube_open(context, &cube, support_path("several.mat"), NULL),
                     CH_ERR_ARGUMENT);
    support_message(
        context,
        "select the cube with --var NAME, where NAME is one of: one (11 x 35), two (11 x 35)");
    assert_int_equal(ch_cube_open(context, &cube, support_path("several.mat"), &settings),
                     CH_ERR_ARGUMENT);
    support_message(context, "named \"none\"; its arrays are: one (11 x 35), two (11 x 35)");
    assert_int_equal(ch_cube_open(context, &cube, support_path("two.h5"), NULL), CH_ERR_ARGUMENT);
    support_message(context, "select the cube with --var NAME, where NAME is one of: a, b");
    assert_int_equal(ch_cube_open(context, &cube, support_path("two.h5"), &settings),
                     CH_ERR_ARGUMENT);
    support_message(context, "named \"none\"; its data sets are: a, b");
    support_file_write(support_path("no.hspy"), "hello", 5);
    assert_int_equal(ch_cube_open(context, &cube, support_path("no.hspy"), NULL), CH_ERR_FORMAT);
    support_message(context, "not an HDF5 file");
    support_file_write(support_path("old.nc"), "CDF\1rest", 8);
    assert_int_equal(ch_cube_open(context, &cube, support_path("old.nc"), NULL),
                     CH_ERR_UNSUPPORTED);
    support_message(context, "NetCDF of version 3");
    support_finish(context, &memory);
}

/* The field's own set, where it is at hand. */
static void samson(void **state) {
    (void)state;
    const char *path = support_data("spectra/samson/samson.mat");
    if (!path) skip();
    support_memory memory;
    ch_context *context = support_context(&memory, 1);
    ch_cube cube = {.size = sizeof cube};
    ch_matrix X;
    assert_int_equal(ch_cube_open(context, &cube, path, NULL), CH_OK);
    assert_true(cube.lines == 95 && cube.samples == 95 && cube.bands == 156 && cube.by_sample);
    assert_int_equal(ch_cube_matrix(context, &X, &cube, NULL), CH_OK);
    assert_true(X.layout == CH_COLUMN_MAJOR && X.rows == 156 && X.cols == 9025);
    ch_matrix_free(context, &X);
    ch_cube_close(context, &cube);
    support_finish(context, &memory);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cubes_of_others), cmocka_unit_test(fewer_dimensions),
        cmocka_unit_test(named_no_data),   cmocka_unit_test(refusals),
        cmocka_unit_test(samson),
    };
    return cmocka_run_group_tests(tests, make, support_folder_remove);
}
