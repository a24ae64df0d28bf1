/* The cube of conehull unmix: its bands, its pixels, its matrix. */
#include "options/option_values.h"
#include "unmix/unmix_command.h"
#include <conehull/picture.h>
#include <math.h>

void unmix_place(const unmix_scene *scene, int64_t j, int64_t *line, int64_t *sample) {
    *line = *sample = -1;
    if (j < scene->X.cols)
        ch_cube_pixel(&scene->cube, scene->pixels ? scene->pixels[j] : j, line, sample);
}

int64_t *unmix_columns(const unmix_scene *scene) {
    int64_t count = scene->cube.lines * scene->cube.samples, line, sample;
    int64_t *column = malloc((size_t)count * sizeof *column);
    for (int64_t k = 0; column && k < count; k++) column[k] = -1;
    for (int64_t j = 0; column && j < scene->X.cols; j++) {
        unmix_place(scene, j, &line, &sample);
        column[line * scene->cube.samples + sample] = j;
    }
    return column;
}

/* --shape 95x95 */
static int take_shape(const unmix_arguments *given, ch_cube_open_settings *settings) {
    const char *text = given->shape;
    if (!text) return EXIT_DONE;
    settings->lines = cli_number_take(&text);
    int crossed = *text == 'x';
    if (crossed) text++;
    settings->samples = crossed ? cli_number_take(&text) : -1;
    return settings->lines > 0 && settings->samples > 0 && !*text
               ? EXIT_DONE
               : cli_refuse("unmix: --shape must be LINESxSAMPLES, as in 95x95; got '%s'",
                            given->shape);
}

/* --nodata -9999 */
static int take_no_data(const unmix_arguments *given, ch_cube_open_settings *settings) {
    char *end;
    if (!given->nodata) return EXIT_DONE;
    settings->no_data = strtod(given->nodata, &end);
    settings->has_no_data = 1;
    return end != given->nodata && !*end && isfinite(settings->no_data)
               ? EXIT_DONE
               : cli_refuse("unmix: --nodata must be a number, as in -9999 (NaN always marks "
                            "missing values); got '%s'",
                            given->nodata);
}

/* ---- pixels ---- */

/* taken[line * samples + sample] from a picture or a matrix of the scene's size. */
static int read_mask(char *taken, const cli_session *session, const ch_cube *cube,
                     const char *file) {
    int64_t lines, samples;
    if (cli_is_matrix_name(file)) {
        cli_input mask = {0};
        TRY(cli_input_read(&mask, session, file));
        lines = mask.X.rows;
        samples = mask.X.cols;
        for (int64_t i = 0; lines == cube->lines && samples == cube->samples && i < lines; i++)
            for (int64_t j = 0; j < samples; j++)
                taken[i * samples + j] = ch_matrix_at(&mask.X, i, j) != 0;
        ch_matrix_free(session->context, &mask.X);
    } else {
        ch_picture mask;
        TRY(cli_check(session, ch_picture_read(session->context, &mask, file)));
        lines = mask.height;
        samples = mask.width;
        for (int64_t k = 0; lines == cube->lines && samples == cube->samples && k < lines * samples;
             k++)
            taken[k] = mask.pixels[k * mask.channels] >= 128;
        ch_picture_free(session->context, &mask);
    }
    if (lines == cube->lines && samples == cube->samples) return EXIT_DONE;
    return cli_refuse("%s: the mask has %lld lines x %lld samples, but the cube has %lld x %lld; "
                      "both must have the same size",
                      file, (long long)lines, (long long)samples, (long long)cube->lines,
                      (long long)cube->samples);
}

/* scene->pixels by the mask. */
static int take_mask(unmix_scene *scene, const cli_session *session, const char *file) {
    const ch_cube *cube = &scene->cube;
    int64_t all = cube->lines * cube->samples, count = 0, line, sample;
    char *taken = calloc((size_t)all + 1, 1);
    scene->pixels = malloc(((size_t)all + 1) * sizeof *scene->pixels);
    int code = taken && scene->pixels ? read_mask(taken, session, cube, file) : cli_no_memory();
    for (int64_t j = 0; code == EXIT_DONE && j < all; j++) {
        ch_cube_pixel(cube, j, &line, &sample);
        if (taken[line * cube->samples + sample]) scene->pixels[count++] = j;
    }
    free(taken);
    scene->masked = all - count;
    if (code == EXIT_DONE && count == 0) code = cli_refuse("%s: the mask selects no pixel", file);
    scene->X.cols = count;
    return code;
}

/* ---- the matrix ---- */

/* scene->X, within --memory from the first pass on. */
static int read_matrix(unmix_scene *scene, const cli_session *session, int64_t pixel_count) {
    int all_bands = scene->band_count == scene->cube.bands;
    ch_cube_part part = {.size = sizeof part,
                         .bands = all_bands ? NULL : scene->bands,
                         .band_count = all_bands ? 0 : scene->band_count,
                         .pixels = scene->pixels,
                         .pixel_count = scene->pixels ? pixel_count : 0,
                         .no_data_as_nan = scene->marks,
                         .scratch = cli_scratch_folder()};
    TRY(cli_check_file(session, ch_cube_matrix(session->context, &scene->X, &scene->cube, &part),
                       scene->file));
    return cli_check(session, ch_matrix_limit(session->context, &scene->X, scene->memory));
}

static int take_wavelengths(unmix_scene *scene) {
    if (!scene->cube.wavelengths) return EXIT_DONE;
    scene->wavelengths = malloc((size_t)scene->band_count * sizeof(double));
    if (!scene->wavelengths) return cli_no_memory();
    for (int64_t k = 0; k < scene->band_count; k++)
        scene->wavelengths[k] = scene->cube.wavelengths[scene->bands[k]];
    return EXIT_DONE;
}

/* Values that are not known: a copy of all values in double, and as many weights, are taken. */
static int check_memory(const unmix_scene *scene) {
    double need = 2 * sizeof(double) * (double)scene->X.rows * (double)scene->X.cols;
    if (scene->memory == 0 || scene->unknown == 0 || need <= (double)scene->memory)
        return EXIT_DONE;
    return cli_error(EXIT_MEMORY,
                     "%s: %lld values in %lld of %lld pixels are unknown, and fitting these pixels "
                     "takes %.3g GB, which is more than --memory allows; leave out these pixels "
                     "(--complete-pixels) or the bands that lack values (--bands)",
                     scene->file, (long long)scene->unknown, (long long)scene->incomplete,
                     (long long)scene->X.cols, need / 1e9);
}

static int read_parts(unmix_scene *scene, const cli_session *session,
                      const unmix_arguments *given) {
    int changed;
    scene->bands = malloc((size_t)scene->cube.bands * sizeof *scene->bands);
    if (!scene->bands) return cli_no_memory();
    TRY(unmix_take_bands(session, &scene->cube, given, scene->bands, &scene->band_count,
                         &scene->bad));
    int64_t pixels = scene->cube.lines * scene->cube.samples;
    if (given->pixels) {
        TRY(take_mask(scene, session, given->pixels));
        pixels -= scene->masked;
    }
    do { /* a pixel may hold nothing but in bands that are left out */
        ch_matrix_free(session->context, &scene->X);
        TRY(read_matrix(scene, session, pixels - scene->empty - scene->dropped));
        TRY(unmix_scan(scene, session, given, &changed));
    } while (changed);
    if (scene->unknown > 0 && given->settings.missing == CH_MISSING_NONE)
        return cli_refuse("%s: %lld values in %lld pixels are NaN or marked as no data; remove "
                          "--missing none to ignore them",
                          scene->file, (long long)scene->unknown, (long long)scene->incomplete);
    TRY(check_memory(scene));
    if (scene->unknown > 0 && scene->cube.has_no_data) {
        ch_matrix_free(session->context, &scene->X);
        scene->marks = 1;
        TRY(read_matrix(scene, session, pixels - scene->empty));
    }
    return take_wavelengths(scene);
}

/* A matrix with a row per pixel (--transpose), or with a column per pixel in a format that no cube
 * has (.csv; of .h5ad a row, as in every command): a picture of one column unless --shape says
 * otherwise. */
static int read_table(unmix_scene *scene, const cli_session *session, const unmix_arguments *given,
                      const ch_cube_open_settings *settings) {
    cli_input input = {.var = given->var,
                       .memory = given->memory,
                       .transpose = given->transpose,
                       .index = given->index,
                       .drop = given->drop,
                       .decimal = given->decimal,
                       .cells = 1};
    ch_cube *cube = &scene->cube;
    if (given->bands || given->wavelengths || given->pixels || given->complete_pixels ||
        given->nodata)
        return cli_wrong_use(session,
                             "--bands, --wavelengths, --pixels, --complete-pixels and --nodata "
                             "cannot be used with %s",
                             given->transpose ? "--transpose" : "a matrix");
    int code = cli_input_read(&input, session, scene->file);
    cli_names_free(&input.names, session);
    TRY(code);
    scene->X = input.X;
    scene->turned = input.transpose;
    cube->bands = input.X.rows;
    cube->lines = settings->lines ? settings->lines : input.X.cols;
    cube->samples = settings->lines ? settings->samples : 1;
    if (cube->lines * cube->samples != input.X.cols)
        return cli_refuse("%s: the file contains %lld pixels, which is not the product of the "
                          "given %lld lines and %lld samples per line",
                          scene->file, (long long)input.X.cols, (long long)cube->lines,
                          (long long)cube->samples);
    scene->band_count = cube->bands;
    scene->table = 1;
    scene->bands = malloc((size_t)cube->bands * sizeof *scene->bands);
    if (!scene->bands) return cli_no_memory();
    for (int64_t k = 0; k < cube->bands; k++) scene->bands[k] = k;
    int changed;
    return unmix_scan(scene, session, given, &changed);
}

/* By its suffix. */
static int is_cube_name(const char *file) {
    const char *dot = strrchr(file, '.');
    for (const char *const *format = ch_cube_formats(); dot && *format; format++)
        if (strcasecmp(dot + 1, *format) == 0) return 1;
    return 0;
}

/* What the process holds besides the matrix: the program, its libraries, stacks. */
enum { LEAST_MEMORY = 512 << 20, PROGRAM = 48 << 20 };

int unmix_read(unmix_scene *scene, const cli_session *session, const unmix_arguments *given) {
    double start = cli_seconds();
    int64_t memory = given->memory ? cli_bytes_take(given->memory) : 0;
    ch_cube_open_settings settings = {.size = sizeof settings, .var = given->var};
    scene->file = session->options.operands[0];
    scene->shaped = given->shape != NULL;
    scene->memory = memory;
    scene->bands_first = settings.bands_first = given->bands_first;
    scene->cube.size = sizeof scene->cube;
    TRY(cli_refuse_stdin(scene->file));
    TRY(take_shape(given, &settings));
    TRY(take_no_data(given, &settings));
    if (given->memory && memory < LEAST_MEMORY)
        return cli_refuse("unmix: --memory must be a size from %dM on, as in 800M or 1.5G; got "
                          "'%s'",
                          LEAST_MEMORY >> 20, given->memory);
    if (given->transpose || (cli_is_matrix_name(scene->file) && !is_cube_name(scene->file))) {
        TRY(read_table(scene, session, given, &settings));
        scene->seconds = cli_seconds() - start;
        return EXIT_DONE;
    }
    if (memory) ch_context_set_memory_limit(session->context, memory - PROGRAM);
    TRY(cli_cube_open(session, &scene->cube, scene->file, &settings,
                      memory ? memory - PROGRAM : 0));
    TRY(read_parts(scene, session, given));
    scene->seconds = cli_seconds() - start;
    return EXIT_DONE;
}

void unmix_scene_free(unmix_scene *scene, const cli_session *session) {
    ch_matrix_free(session->context, &scene->X);
    ch_cube_close(session->context, &scene->cube);
    free(scene->bands);
    free(scene->pixels);
    free(scene->wavelengths);
}
