/* References for conehull unmix: spectra and abundances that are known.
 *
 * Sets of the field come as .mat files whose arrays have one of a few names, either way round;
 * the numbers of bands and pixels show which way. A file of one array, as a .csv or .npy,
 * holds spectra. Abundances of a picture have as many lines and samples as the cube. */
#include "unmix/unmix_command.h"

static const char *const spectra_names[] = {"M", "E", "GT", "endmembers", "spure", NULL};
static const char *const share_names[] = {"A", "S", "S_GT", "abundances", "cpure", NULL};

/* Array `var` of a file; *found 0, without a message, when there is none. */
static int try_read(ch_matrix *X, int *found, const cli_session *session, const char *file,
                    const char *var) {
    cli_input input = {.var = var};
    cli_messages_mute();
    int code = cli_input_read(&input, session, file);
    cli_messages_unmute();
    *found = code == EXIT_DONE;
    *X = input.X;
    return code == EXIT_DONE || code == EXIT_USAGE ? EXIT_DONE : cli_error(code, "%s", file);
}

/* values (height x width) = X or its transpose, whichever has `height` rows. */
static int take_values(double **values, int64_t *width, const ch_matrix *X, int64_t height) {
    int turned = X->rows != height && X->cols == height;
    if (!turned && X->rows != height) return 0;
    *width = turned ? X->rows : X->cols;
    *values = malloc((size_t)(height * *width) * sizeof **values);
    for (int64_t j = 0; *values && j < *width; j++)
        for (int64_t i = 0; i < height; i++)
            (*values)[i + j * height] = turned ? ch_matrix_at(X, j, i) : ch_matrix_at(X, i, j);
    return 1;
}

/* The first array of one of these names that has `height` rows or columns. */
static int find_array(double **values, int64_t *width, const cli_session *session, const char *file,
                      const char *const *names, int64_t height) {
    for (; *names && !*values; names++) {
        ch_matrix X;
        int found, fits;
        TRY(try_read(&X, &found, session, file, *names));
        if (!found) continue;
        fits = take_values(values, width, &X, height);
        ch_matrix_free(session->context, &X);
        if (fits && !*values) return cli_no_memory();
    }
    return EXIT_DONE;
}

/* Abundances as a picture with `count` bands: lines x samples x count. */
static int find_maps(unmix_truth *truth, const cli_session *session, const char *file,
                     const ch_cube *cube) {
    for (const char *const *name = share_names; *name && !truth->abundances; name++) {
        ch_cube maps = {.size = sizeof maps};
        ch_matrix X = {0};
        ch_cube_open_settings settings = {.size = sizeof settings, .var = *name};
        if (ch_cube_open(session->context, &maps, file, &settings) < 0) continue;
        int fits = maps.lines == cube->lines && maps.samples == cube->samples &&
                   ch_cube_matrix(session->context, &X, &maps, NULL) == CH_OK;
        int64_t pixels = cube->lines * cube->samples, line, sample, place, width = X.rows;
        double *values = fits ? malloc((size_t)(pixels * width) * sizeof *values) : NULL;
        for (int64_t j = 0; values && j < pixels; j++) {
            ch_cube_pixel(&maps, j, &line, &sample);
            place = cube->by_sample ? line + sample * cube->lines : line * cube->samples + sample;
            for (int64_t k = 0; k < width; k++) values[k + place * width] = ch_matrix_at(&X, k, j);
        }
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

/* values (pixels x width) becomes width x pixels. */
static int turn(double **values, int64_t pixels, int64_t width) {
    double *turned = malloc((size_t)(pixels * width) * sizeof *turned);
    if (!turned) return cli_no_memory();
    for (int64_t j = 0; j < pixels; j++)
        for (int64_t k = 0; k < width; k++) turned[k + j * width] = (*values)[j + k * pixels];
    free(*values);
    *values = turned;
    return EXIT_DONE;
}

static int read_truth(unmix_truth *truth, const cli_session *session, const char *file,
                      const ch_cube *cube) {
    int64_t width = 0, pixels = cube->lines * cube->samples;
    truth->from = file;
    TRY(find_array(&truth->endmembers, &truth->count, session, file, spectra_names, cube->bands));
    TRY(find_array(&truth->abundances, &width, session, file, share_names, pixels));
    if (truth->abundances) {
        if (truth->count && truth->count != width)
            return cli_refuse("%s: holds %lld spectra and abundances of %lld", file,
                              (long long)truth->count, (long long)width);
        TRY(turn(&truth->abundances, pixels, width));
        truth->count = width;
    } else {
        TRY(find_maps(truth, session, file, cube));
    }
    if (truth->count) return EXIT_DONE;
    return cli_refuse("%s: holds no reference for %lld bands and %lld pixels; spectra must be "
                      "called M, E, GT, endmembers or spure, abundances A, S, S_GT, abundances or "
                      "cpure",
                      file, (long long)cube->bands, (long long)pixels);
}

/* ---- spectra of a file ---- */

void unmix_names_free(char **names) {
    for (char **name = names; name && *name; name++) free(*name);
    free(names);
}

/* NULL without names, or without memory. */
static char **copy_names(const char *const *names, int64_t count) {
    char **copies = names ? calloc((size_t)count + 1, sizeof *copies) : NULL;
    for (int64_t k = 0; copies && k < count; k++) {
        copies[k] = strdup(names[k]);
        if (copies[k]) continue;
        unmix_names_free(copies);
        return NULL;
    }
    return copies;
}

static int read_library(ch_matrix *X, char ***names, const cli_session *session, const char *file) {
    ch_cube library = {.size = sizeof library};
    TRY(cli_check(session, ch_cube_open(session->context, &library, file, NULL)));
    ch_status status = ch_cube_matrix(session->context, X, &library, NULL);
    if (status == CH_OK && names)
        *names = copy_names(library.spectra, library.lines * library.samples);
    ch_cube_close(session->context, &library);
    return cli_check(session, status);
}

/* By its name: an ENVI file, which may name its spectra. */
static int is_envi(const char *file) {
    size_t length = strlen(file);
    return length > 4 && (strcasecmp(file + length - 4, ".sli") == 0 ||
                          strcasecmp(file + length - 4, ".hdr") == 0);
}

int unmix_spectra_read(double **values, int64_t *count, char ***names, const cli_session *session,
                       const char *file, int64_t bands) {
    ch_matrix X;
    if (is_envi(file) || !cli_is_matrix_name(file)) {
        TRY(read_library(&X, names, session, file));
    } else {
        TRY(find_array(values, count, session, file, spectra_names, bands));
        if (*values) return EXIT_DONE;
        cli_input input = {0};
        TRY(cli_input_read(&input, session, file));
        X = input.X;
    }
    int fits = take_values(values, count, &X, bands);
    int64_t rows = X.rows, cols = X.cols;
    ch_matrix_free(session->context, &X);
    if (fits) return *values ? EXIT_DONE : cli_no_memory();
    return cli_refuse(
        "%s: is %lld x %lld, and the cube has %lld bands; a spectrum is a column or a "
        "row",
        file, (long long)rows, (long long)cols, (long long)bands);
}

int unmix_truth_read(unmix_truth *truth, const cli_session *session, const unmix_arguments *given,
                     const unmix_scene *scene) {
    if (given->truth && given->endmembers)
        return cli_wrong_use(session, "--truth and --endmembers are two references; give one");
    if (given->truth) return read_truth(truth, session, given->truth, &scene->cube);
    truth->from = given->endmembers;
    if (!given->endmembers) return EXIT_DONE;
    return unmix_spectra_read(&truth->endmembers, &truth->count, NULL, session, given->endmembers,
                              scene->cube.bands);
}

void unmix_truth_free(unmix_truth *truth) {
    free(truth->endmembers);
    free(truth->abundances);
}
