/* What the page asks about its files beside the command: the shape of a picture, and data to try.
 */
#include "common/output_folder.h"
#include "common/recovery_experiment.h"
#include "demo/demo_command.h"
#include "page.h"
#include <conehull/cube.h>
#include <conehull/io.h>

static ch_context *context; /* lives as long as the page */
static double shape[4];     /* lines, samples, bands, whether pixels go down first */

static int ready(void) {
    return context || ch_context_create(&context, NULL) == CH_OK;
}

EMSCRIPTEN_KEEPALIVE const char *page_message(void) {
    return ready() ? ch_context_message(context) : "out of memory";
}

/* The shape of a cube; NULL: it is none, and the message says why. */
EMSCRIPTEN_KEEPALIVE const double *page_cube_shape(const char *path) {
    ch_cube cube = {.size = sizeof cube};
    if (!ready() || ch_cube_open(context, &cube, path, NULL) != CH_OK) return NULL;
    shape[0] = (double)cube.lines;
    shape[1] = (double)cube.samples;
    shape[2] = (double)cube.bands;
    shape[3] = cube.by_sample;
    ch_cube_close(context, &cube);
    return shape;
}

/* The wavelengths of a cube as a .npy at `to`; 0: it has none. */
EMSCRIPTEN_KEEPALIVE int page_cube_wavelengths(const char *path, const char *to) {
    ch_cube cube = {.size = sizeof cube};
    ch_matrix view;
    if (!ready() || ch_cube_open(context, &cube, path, NULL) != CH_OK) return 0;
    ch_matrix values = {.rows = cube.bands, .cols = 1, .values = cube.wavelengths};
    int made = cube.wavelengths && ch_matrix_borrow(context, &view, &values) == CH_OK &&
               ch_matrix_write(context, to, &view) == CH_OK;
    ch_cube_close(context, &cube);
    return made;
}

/* ---- data to try: those of `conehull demo` ---- */

/* 200 x 210, 20 anchors, sparse noise of level 0.5: X.npy there. */
EMSCRIPTEN_KEEPALIVE int page_sample_matrix(const char *to) {
    enum { LEVEL = 5, RANK = 20 };
    cli_recovery experiment;
    int64_t planted[RANK];
    ch_matrix X;
    cli_recovery_paper(&experiment, 1, 0);
    if (!ready()) return 0;
    if (cli_recovery_data(context, &X, planted, &experiment, LEVEL, 0) != CH_OK) return 0;
    ch_status status = ch_matrix_write(context, to, &X);
    ch_matrix_free(context, &X);
    return status == CH_OK;
}

/* scene.hdr and scene.img in the folder: five materials, 60 x 80 pixels, 100 bands. */
EMSCRIPTEN_KEEPALIVE int page_sample_scene(const char *to) {
    cli_folder folder;
    if (!ready()) return 0;
    cli_session session = {.context = context};
    int code = cli_folder_open(&folder, &session, to);
    if (code == EXIT_DONE) code = demo_spectra_write(&folder, 0);
    return cli_folder_close(&folder, code, NULL) == EXIT_DONE;
}
