/* Cubes and spectra: no allocation of a reader or writer may fail unnoticed. */
#include "support_faults.h"
#include <conehull/cube.h>
#include <conehull/io.h>
#include <stdio.h>
#include <unistd.h>

enum { LINES = 3, SAMPLES = 10 }; /* COLS pixels */

static void release_cube(ch_context *context, void *output) {
    ch_cube_close(context, output);
}

RELEASE(ch_matrix)

static ch_status call_open(ch_context *context, void *output, const void *with) {
    return ch_cube_open(context, output, support_path("%s", (const char *)with), NULL);
}

/* All bands, or some that need a copy; a limit, which needs a scratch file. */
typedef struct taking {
    const char *name;
    int some, limited, marked;
} taking;

/* Files that Python makes. */
static int is_there(const void *with) {
    return access(support_path("%s", (const char *)with), R_OK) == 0;
}

static int take_is_there(const void *with) {
    return is_there(((const taking *)with)->name);
}

/* And only if the build has libtiff. */
static int is_tiff(const void *with) {
    ch_cube cube = {.size = sizeof cube};
    ch_status status = is_there(with) ? call_open(given.context, &cube, with) : CH_ERR_IO;
    ch_cube_close(given.context, &cube);
    return status == CH_OK;
}

static int take_tiff(const void *with) {
    return is_tiff(((const taking *)with)->name);
}

static ch_status call_matrix(ch_context *context, void *output, const void *with) {
    static const int64_t bands[] = {0, 2, 3};
    const taking *it = with;
    ch_cube cube = {.size = sizeof cube};
    ch_cube_part part = {.size = sizeof part};
    ch_cube_open_settings settings = {
        .size = sizeof settings, .has_no_data = it->marked, .no_data = 5};
    ch_status status = ch_cube_open(context, &cube, support_path("%s", it->name), &settings);
    if (status < 0) return status;
    part.no_data_as_nan = it->marked;
    if (it->some) {
        part.bands = bands;
        part.band_count = 3;
    }
    if (it->limited) {
        part.scratch = support_path("%s", "");
        ch_context_set_memory_limit(context, 32000); /* values take 9000 bytes */
    }
    status = ch_cube_matrix(context, output, &cube, &part);
    ch_context_set_memory_limit(context, 0);
    ch_cube_close(context, &cube);
    return status;
}

static const char *const names[] = {"soil", "tree", "water, deep", "a", "b", "c", "d", "e",
                                    "f",    "g",    "h",           "i", "j", "k", "l"};

static ch_status call_maps(ch_context *context, void *output, const void *with) {
    static int64_t pixels[COLS];
    ch_cube cube = {.size = sizeof cube,
                    .lines = with ? 2 * LINES : LINES,
                    .samples = SAMPLES,
                    .map_info = "UTM, 1, 1, 600000, 4000000, 30, 30, 13, North"};
    ch_cube_part part = {.size = sizeof part, .pixels = pixels, .pixel_count = COLS};
    (void)output;
    for (int j = 0; j < COLS; j++) pixels[j] = 2 * j;
    return ch_cube_write_maps(context, support_path("maps.img"), &cube, &given.dense, names,
                              with ? &part : NULL);
}

static ch_status call_spectra(ch_context *context, void *output, const void *with) {
    double wavelengths[ROWS];
    ch_spectra spectra = {sizeof spectra, &given.dense, NULL, wavelengths, "Nanometers", 1e4};
    (void)output;
    for (int b = 0; b < ROWS; b++) wavelengths[b] = 400 + 10 * b;
    return with ? ch_spectra_write_csv(context, support_path("spectra.csv"), &spectra)
                : ch_spectra_write_envi(context, support_path("spectra.sli"), &spectra);
}

#define CUBE .size = sizeof(ch_cube), .release = release_cube, .sized = sizeof(ch_cube)
#define TAKE(file, way, some, limited, ...)                                                \
    {                                                                                      \
        "ch_cube_matrix, " file way, call_matrix, &(const taking){file, some, limited, 0}, \
            OUT(ch_matrix), __VA_ARGS__                                                    \
    }

static const support_fault faults[] = {
    {"ch_cube_open, cube.npy", call_open, "cube.npy", CUBE},
    TAKE("cube.npy", "", 0, 0, .early = 0),
    TAKE("cube.npy", ", some bands", 1, 0, .early = 0),
    {"ch_cube_open, scene.hdr", call_open, "scene.hdr", CUBE},
    {"ch_cube_open, scene.img", call_open, "scene.img", CUBE},
    TAKE("scene.hdr", "", 0, 0, .early = 0),
    TAKE("scene.hdr", ", limited", 0, 1, .early = 0),
    TAKE("scene.img", ", some bands", 1, 0, .early = 0),
    {"ch_cube_open, Y.mat", call_open, "Y.mat", CUBE, .possible = is_there},
    {"ch_cube_open, Y73.mat", call_open, "Y73.mat", CUBE, .possible = is_there},
    {"ch_cube_open, image.hspy", call_open, "image.hspy", CUBE, .possible = is_there},
    TAKE("Y.mat", "", 0, 0, .possible = take_is_there),
    TAKE("Y.mat", ", some bands", 1, 0, .possible = take_is_there),
    {"ch_cube_matrix, Y.mat, no data", call_matrix, &(const taking){"Y.mat", 1, 0, 1},
     OUT(ch_matrix), .possible = take_is_there},
    TAKE("Y73.mat", "", 0, 0, .possible = take_is_there),
    TAKE("image.hspy", ", limited", 0, 1, .possible = take_is_there),
    {"ch_cube_open, image.tif", call_open, "image.tif", CUBE, .possible = is_tiff},
    TAKE("image.tif", "", 0, 0, .possible = take_tiff),
    {"ch_cube_write_maps", call_maps, NULL, .makes = "maps.hdr"},
    {"ch_cube_write_maps, some pixels", call_maps, "some", .makes = "maps.hdr"},
    {"ch_spectra_write_envi", call_spectra, NULL, .makes = "spectra.hdr"},
    {"ch_spectra_write_csv", call_spectra, "csv", .makes = "spectra.csv"},
};

static int make_files(void) {
    static const char header[] =
        "ENVI\nsamples = 10\nlines = 30\nbands = 15\ndata type = 12\ninterleave = bil\nbyte order "
        "= "
        "1\n"
        "wavelength units = nm\nwavelength = {1,2,3,4,5,6,7,8,9,10,11,12,13,14,15}\n"
        "bbl = {1,1,1,1,1,1,1,1,1,1,1,1,1,1,0}\ndescription = {a scene}\n"
        "band names = {a,b,c,d,e,f,g,h,i,j,k,l,m,n,o}\nmap info = {Arbitrary, 1, 1, 0, 0, 1, 1}\n";
    static const char values[2 * ROWS * COLS * 10];
    ch_status status = ch_matrix_write(given.context, support_path("cube.npy"), &given.rows);
    support_file_write(support_path("scene.hdr"), header, sizeof header - 1);
    support_file_write(support_path("scene.img"), values, sizeof values);
    support_python(
        "numpy, scipy.io, h5py",
        "import numpy as np, scipy.io as sio, h5py\n"
        "c = np.arange(4500.).reshape(30, 10, 15) % 97; Y = c.reshape(300, 15, order='F').T\n"
        "sio.savemat('Y.mat', dict(Y=Y, nRow=30, nCol=10, wavelength=np.arange(15.)))\n"
        "with h5py.File('Y73.mat', 'w', userblock_size=512) as f:\n"
        "    f['Y'] = Y.T; f['nRow'] = [[30.]]; f['nCol'] = [[10.]]; f['wl'] = np.ones((1, 15))\n"
        "with open('Y73.mat', 'r+b') as f: f.write(b'MATLAB'.ljust(116) + bytes(8) + "
        "b'\\x00\\x02IM')\n"
        "import struct\n"
        "tags = {256: 10, 257: 30, 258: 0, 259: 1, 262: 1, 273: 500, 277: 15, 278: 30, 279: 9000, "
        "284: 1}\n"
        "geo = [(33550, 12, 3, 332), (33922, 12, 6, 356), (34735, 3, 12, 404)]\n"
        "head = struct.pack('<2sHIH', b'II', 42, 8, len(tags) + 3) + b''.join(struct.pack('<HHII', "
        "t, 3, 15 if t == 258 else 1,\n"
        "    300 if t == 258 else v) for t, v in tags.items())\n"
        "head += b''.join(struct.pack('<HHII', *g) for g in geo) + bytes(4)\n"
        "with open('image.tif', 'wb') as f: f.write(head.ljust(300, b'\\0') + struct.pack('<15H', "
        "*[16] * 15) + bytes(2) +\n"
        "    struct.pack('<9d12H', 30, 30, 0, 0, 0, 0, 6e5, 4e6, 0, 1, 1, 0, 2, 1024, 0, 1, 1, "
        "3072, "
        "0, 1, 32613) + bytes(72 + 9000))\n"
        "with h5py.File('image.hspy', 'w') as f:\n"
        "    g = f.create_group('Experiments/s'); g['data'] = c.astype('u2')\n"
        "    for d in range(3): g.create_group(f'axis-{d}').attrs.update(navigate=d < 2, scale=1., "
        "offset=0., units='eV')\n");
    return status != CH_OK;
}

int main(void) {
    return support_faults_run(faults, sizeof faults / sizeof *faults, make_files);
}
