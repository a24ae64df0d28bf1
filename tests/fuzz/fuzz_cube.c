/* Cubes. fuzz_envi: any bytes as the header of a data file of a length that the first bytes choose;
 * fuzz_cube: any bytes as a .npy or .mat file; fuzz_tiff: as a TIFF file. What can be opened is
 * made a matrix, whole and in part, in memory or through a scratch file; what comes back has the
 * sizes that were promised, and ENVI files are written and read again. */
#include "fuzz.h"
#include <conehull/cube.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

fuzz_target fuzz_envi, fuzz_cube, fuzz_tiff;

enum { DATA = 1 << 14 };

/* The first and the last band and pixel, and everything. */
static void take_parts(fuzz_run *run, const ch_cube *cube, unsigned ways) {
    int64_t pixels = cube->lines * cube->samples;
    const int64_t bands[2] = {0, cube->bands - 1}, places[2] = {0, pixels - 1};
    ch_cube_part part = {.size = sizeof part,
                         .scratch = ways & 1 ? fuzz_folder() : NULL,
                         .no_data_as_nan = (ways & 8) != 0};
    ch_matrix X;
    if (ways & 2 && cube->bands > 1) {
        part.bands = bands;
        part.band_count = 2;
    }
    if (ways & 4 && pixels > 1) {
        part.pixels = places;
        part.pixel_count = 2;
    }
    if (ch_cube_matrix(run->context, &X, cube, &part) != CH_OK) return;
    fuzz_require(X.rows == (part.bands ? 2 : cube->bands), "%lld rows", (long long)X.rows);
    fuzz_require(X.cols == (part.pixels ? 2 : pixels), "%lld columns", (long long)X.cols);
    ch_status checked = ch_matrix_check(run->context, &X);
    fuzz_require(checked == CH_OK || checked == CH_ERR_DATA, "a broken matrix: %s",
                 ch_context_message(run->context));
    if (!part.bands && !part.pixels) {
        ch_cube back = {.size = sizeof back};
        const char *path = fuzz_path("-back.img");
        ch_status written = ch_cube_write_maps(run->context, path, cube, &X, NULL, NULL);
        if (written == CH_OK) written = ch_cube_open(run->context, &back, path, NULL);
        fuzz_require(written == CH_OK || written == CH_ERR_MEMORY, "what we wrote: %s",
                     ch_context_message(run->context));
        fuzz_require(written != CH_OK || (back.lines == cube->lines && back.bands == cube->bands),
                     "another shape");
        fuzz_require(written != CH_OK || !back.map_info == !cube->map_info, "no map information");
        fuzz_require(written != CH_OK || back.reflectance_scale == cube->reflectance_scale,
                     "another scale");
        ch_cube_close(run->context, &back);
        unlink(path);
        unlink(fuzz_path("-back.hdr"));
    }
    ch_matrix_free(run->context, &X);
}

static void open_and_take(const char *path, size_t count, unsigned ways, int64_t limit) {
    fuzz_run run;
    ch_cube cube = {.size = sizeof cube};
    ch_cube_open_settings settings = {.size = sizeof settings,
                                      .transpose = ways >> 3 & 1,
                                      .bands_first = ways >> 6 & 1,
                                      .has_no_data = ways >> 5 & 1,
                                      .no_data = 3};
    fuzz_begin(&run, count);
    ch_status status = ch_cube_open(run.context, &cube, path, &settings);
    if (ways & 1) ch_context_set_memory_limit(run.context, limit);
    if (status == CH_OK) take_parts(&run, &cube, ways);
    ch_context_set_memory_limit(run.context, 0);
    fuzz_require(status == CH_OK || !cube.owner, "the output was changed");
    ch_cube_close(run.context, &cube);
    fuzz_end(&run, status);
}

int fuzz_envi(const uint8_t *input, size_t count) {
    static uint8_t values[DATA];
    fuzz_bytes bytes = {input, count};
    unsigned ways = fuzz_byte(&bytes);
    int64_t length = fuzz_byte(&bytes) << (ways >> 4 & 7), limit = fuzz_limit(&bytes);
    const char *data = fuzz_path("-scene.img"), *header = fuzz_path("-scene.hdr");
    for (int k = 0; k < DATA; k++) values[k] = (uint8_t)(k % 61);
    if (length > DATA) length = DATA;
    fuzz_write(data, values, (size_t)length);
    fuzz_write(header, bytes.next, bytes.left);
    open_and_take(ways >> 7 ? data : header, count + (size_t)length, ways, limit);
    unlink(data);
    unlink(header);
    return 0;
}

int fuzz_cube(const uint8_t *input, size_t count) {
    fuzz_bytes bytes = {input, count};
    unsigned ways = fuzz_byte(&bytes);
    int64_t limit = fuzz_limit(&bytes);
    /* HDF5 itself cannot stand any bytes (SECURITY.md): files of version 7.3 are left out. */
    if (bytes.left > 520 && memcmp(bytes.next + 512, "\x89HDF", 4) == 0) return 0;
    const char *path = fuzz_path(ways >> 7 ? "-cube.mat" : "-cube.npy");
    fuzz_write(path, bytes.next, bytes.left);
    open_and_take(path, count, ways, limit);
    unlink(path);
    return 0;
}

int fuzz_tiff(const uint8_t *input, size_t count) {
    fuzz_bytes bytes = {input, count};
    unsigned ways = fuzz_byte(&bytes);
    int64_t limit = fuzz_limit(&bytes);
    const char *path = fuzz_path("-cube.tif");
    fuzz_write(path, bytes.next, bytes.left);
    open_and_take(path, count, ways, limit);
    unlink(path);
    return 0;
}
