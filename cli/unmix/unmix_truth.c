/* References for conehull unmix: spectra and abundances that are known.
 *
 * Sets of the field come as .mat files whose arrays have one of a few names, either way round;
 * the number of bands and pixels says which. Spectra have all bands of the cube, or those that take
 * part. A file of one array, as a .csv or .npy, holds spectra. Abundances are a matrix, whose
 * pixels are in MATLAB's order in a .mat file, or of one, and else line by line, or maps: lines x
 * samples x count or count x lines x samples. */
#include "unmix/unmix_command.h"

const char *const unmix_spectra_names[] = {"M", "E", "GT", "endmembers", "spure", NULL};
static const char *const share_names[] = {"A", "S", "S_GT", "abundances", "cpure", NULL};

int unmix_try_array(ch_matrix *X, int *found, const cli_session *session, const char *file,
                    const char *var) {
    cli_input input = {.var = var};
    cli_messages_mute();
    int code = cli_input_read(&input, session, file);
    cli_messages_unmute();
    *found = code == EXIT_DONE;
    *X = input.X;
    if (code == EXIT_DONE || code == EXIT_USAGE) return EXIT_DONE;
    char *message = strdup(cli_last_message()); /* was muted; cli_error() overwrites it */
    cli_error(code, "%s", message ? message : file);
    free(message);
    return code;
}

int unmix_take_values(double **values, int64_t *width, const ch_matrix *X, int64_t height) {
    int turned = X->rows != height && X->cols == height;
    if (!turned && X->rows != height) return 0;
    *width = turned ? X->rows : X->cols;
    *values = malloc((size_t)(height * *width) * sizeof **values);
    for (int64_t j = 0; *values && j < *width; j++)
        for (int64_t i = 0; i < height; i++)
            (*values)[i + j * height] = turned ? ch_matrix_at(X, j, i) : ch_matrix_at(X, i, j);
    return 1;
}

/* values (bands of the cube x width) from X, which has them all, or those that take part: the
 * others become 0. 0: it has neither. */
static int take_spectra(double **values, int64_t *width, const ch_matrix *X,
                        const unmix_scene *scene) {
    int64_t bands = scene->cube.bands, used = scene->band_count;
    if (unmix_take_values(values, width, X, bands)) return 1;
    if (!unmix_take_values(values, width, X, used)) return 0;
    double *all = *values ? calloc((size_t)(bands * *width), sizeof *all) : NULL;
    for (int64_t j = 0; all && j < *width; j++)
        for (int64_t k = 0; k < used; k++)
            all[scene->bands[k] + j * bands] = (*values)[k + j * used];
    free(*values);
    *values = all;
    return 1;
}

/* The first array of one of these names that has the bands of the scene or, for abundances, its
 * pixels as rows or columns. */
static int find_array(double **values, int64_t *width, const cli_session *session, const char *file,
                      const char *const *names, const unmix_scene *scene) {
    int64_t pixels = scene->cube.lines * scene->cube.samples;
    int names_spectra = names == unmix_spectra_names;
    for (; *names && !*values; names++) {
        ch_matrix X;
        int found, fits;
        TRY(unmix_try_array(&X, &found, session, file, *names));
        if (!found) continue;
        fits = names_spectra ? take_spectra(values, width, &X, scene)
                             : unmix_take_values(values, width, &X, pixels);
        ch_matrix_free(session->context, &X);
        if (fits && !*values) return cli_no_memory();
    }
    return EXIT_DONE;
}

/* The number of a pixel in the order of the cube. */
static int64_t place_of(const ch_cube *cube, int64_t line, int64_t sample) {
    return cube->by_sample ? line + sample * cube->lines : line * cube->samples + sample;
}

/* values (count x pixels) from maps: the axis of the components is the last, or the first. */
static void take_maps(double *values, const ch_matrix *X, const ch_cube *maps, const ch_cube *cube,
                      int last) {
    int64_t a, b, width = last ? maps->bands : maps->lines;
    for (int64_t j = 0; j < X->cols; j++) {
        ch_cube_pixel(maps, j, &a, &b);
        for (int64_t c = 0; c < X->rows; c++) {
            int64_t place = last ? place_of(cube, a, b) : place_of(cube, b, c);
            values[(last ? c : a) + place * width] = ch_matrix_at(X, c, j);
        }
    }
}

/* Abundances as maps. */
static int find_maps(unmix_truth *truth, const cli_session *session, const char *file,
                     const ch_cube *cube) {
    for (const char *const *name = share_names; *name && !truth->abundances; name++) {
        ch_cube maps = {.size = sizeof maps};
        ch_matrix X = {0};
        ch_cube_open_settings settings = {.size = sizeof settings, .var = *name};
        if (ch_cube_open(session->context, &maps, file, &settings) < 0) continue;
        int last = maps.lines == cube->lines && maps.samples == cube->samples; /* axis of count */
        int first = !last && maps.samples == cube->lines && maps.bands == cube->samples;
        int fits = (last || first) && ch_cube_matrix(session->context, &X, &maps, NULL) == CH_OK;
        int64_t width = last ? maps.bands : maps.lines;
        double *values =
            fits ? malloc((size_t)(cube->lines * cube->samples * width) * sizeof *values) : NULL;
        if (values) take_maps(values, &X, &maps, cube, last);
        if (values && (!truth->count || truth->count == width)) {
            truth->abundances = values;
            truth->count = width;
        } else {
            free(values);
        }
        ch_matrix_free(session->context, &X);
        ch_cube_close(session->context, &maps);
    }
    return EXIT_DONE;
}

/* values (pixels x width) becomes width x pixels, in the cube's order of pixels; in_columns: they
 * come column by column of the picture. */
static int turn(double **values, const ch_cube *cube, int64_t width, int in_columns) {
    int64_t pixels = cube->lines * cube->samples;
    double *turned = malloc((size_t)(pixels * width) * sizeof *turned);
    if (!turned) return cli_no_memory();
    for (int64_t j = 0; j < pixels; j++) {
        int64_t to = in_columns ? place_of(cube, j % cube->lines, j / cube->lines)
                                : place_of(cube, j / cube->samples, j % cube->samples);
        for (int64_t k = 0; k < width; k++) turned[k + to * width] = (*values)[j + k * pixels];
    }
    free(*values);
    *values = turned;
    return EXIT_DONE;
}

/* By its name: a MATLAB file, whose pixels come column by column of the picture. */
static int is_mat(const char *file) {
    size_t length = strlen(file);
    return length > 4 && strcasecmp(file + length - 4, ".mat") == 0;
}

/* Spectra with as many values as the cube has lines: its bands come first. */
static int suspect_order(const cli_session *session, const char *file, const unmix_scene *scene) {
    unmix_scene turned = *scene;
    double *values = NULL;
    int64_t count;
    turned.cube.bands = turned.band_count = scene->cube.lines;
    if (scene->bands_first || scene->table) return EXIT_DONE;
    TRY(find_array(&values, &count, session, file, unmix_spectra_names, &turned));
    int fits = values != NULL;
    free(values);
    if (!fits) return EXIT_DONE;
    return cli_refuse(
        "%s: the reference spectra have %lld values, as many as the cube has lines, but the cube "
        "has %lld bands; if the array of the cube is bands x lines x samples, use --bands-first",
        file, (long long)scene->cube.lines, (long long)scene->cube.bands);
}

static int read_truth(unmix_truth *truth, const cli_session *session, const char *file,
                      const unmix_scene *scene) {
    const ch_cube *cube = &scene->cube;
    int64_t width = 0, pixels = cube->lines * cube->samples;
    truth->from = file;
    TRY(find_array(&truth->endmembers, &truth->count, session, file, unmix_spectra_names, scene));
    TRY(find_array(&truth->abundances, &width, session, file, share_names, scene));
    if (truth->abundances) {
        if (truth->count && truth->count != width)
            return cli_refuse("%s: the file contains %lld spectra, but abundances of %lld "
                              "endmembers; both numbers must be equal",
                              file, (long long)truth->count, (long long)width);
        TRY(turn(&truth->abundances, cube, width, is_mat(file) || is_mat(scene->file)));
        truth->count = width;
    } else {
        TRY(find_maps(truth, session, file, cube));
    }
    if (truth->count) return EXIT_DONE;
    TRY(suspect_order(session, file, scene));
    return cli_refuse(
        "%s: the file contains no reference for %lld bands and %lld pixels; spectra must be named "
        "M, E, GT, endmembers or spure, and abundances A, S, S_GT, abundances or cpure",
        file, (long long)cube->bands, (long long)pixels);
}

int unmix_truth_read(unmix_truth *truth, const cli_session *session, const unmix_arguments *given,
                     const unmix_scene *scene) {
    if (given->truth && given->endmembers)
        return cli_wrong_use(session,
                             "--truth and --endmembers cannot be used together; give one of them");
    if (given->truth) return read_truth(truth, session, given->truth, scene);
    truth->from = given->endmembers;
    if (!given->endmembers) return EXIT_DONE;
    return unmix_spectra_read(&truth->endmembers, &truth->count, NULL, session, given->endmembers,
                              scene);
}

void unmix_truth_free(unmix_truth *truth) {
    free(truth->endmembers);
    free(truth->abundances);
}
