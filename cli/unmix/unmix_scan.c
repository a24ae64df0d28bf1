/* One pass over the values of a scene: which are not known, which pixels hold none, which bands
 * hold nothing. Not known is NaN, or what the file marks as no data. */
#include "unmix/unmix_command.h"

typedef struct scan {
    const ch_matrix *X;
    int64_t *unknown; /* per band, over the pixels that hold data              */
    uint8_t *nonzero; /* per band                                              */
    int64_t *holes;   /* per pixel: values that are not known                  */
    int64_t empties;
} scan;

/* Bands without a value in any pixel that holds data, or with nothing but zeros, leave the list. */
static int64_t drop_dead_bands(unmix_scene *scene, const scan *s) {
    int64_t count = 0, full = s->X->cols - s->empties, all = scene->band_count;
    for (int64_t k = 0; k < all; k++) count += s->nonzero[k] && s->unknown[k] < full;
    if (count < 2 || count == all) return 0; /* of none the selection says what is wrong */
    count = 0;
    for (int64_t k = 0; k < all; k++)
        if (s->nonzero[k] && s->unknown[k] < full) scene->bands[count++] = scene->bands[k];
    scene->band_count = count;
    scene->dead += all - count;
    return all - count;
}

/* Pixels with more than `most` values that are not known leave the list; returns how many. */
static int64_t drop_pixels(unmix_scene *scene, const scan *s, int64_t most) {
    int64_t count = 0;
    for (int64_t j = 0; j < s->X->cols; j++)
        if (s->holes[j] <= most) scene->pixels[count++] = scene->pixels[j];
    return s->X->cols - count;
}

static int list_pixels(unmix_scene *scene) {
    if (scene->pixels) return EXIT_DONE;
    scene->pixels = malloc((size_t)scene->X.cols * sizeof *scene->pixels);
    if (!scene->pixels) return cli_no_memory();
    for (int64_t j = 0; j < scene->X.cols; j++) scene->pixels[j] = j;
    return EXIT_DONE;
}

static int conclude(unmix_scene *scene, const scan *s, const unmix_arguments *given, int *changed) {
    if (s->empties == s->X->cols)
        return cli_refuse("%s: no pixel of the cube contains data", scene->file);
    *changed = (!given->bands && drop_dead_bands(scene, s) > 0) || s->empties > 0;
    for (int64_t i = 0; i < s->X->rows; i++) scene->unknown += s->unknown[i];
    for (int64_t j = 0; j < s->X->cols; j++) scene->incomplete += s->holes[j] > 0;
    if (s->empties > 0) {
        TRY(list_pixels(scene));
        scene->empty += drop_pixels(scene, s, s->X->rows - 1);
    } else if (given->complete_pixels && !*changed && scene->incomplete > 0) {
        if (scene->incomplete == s->X->cols)
            return cli_refuse("%s: no pixel has all its values, so --complete-pixels leaves no "
                              "pixel; leave out the bands that lack values (--bands)",
                              scene->file);
        TRY(list_pixels(scene));
        scene->dropped = drop_pixels(scene, s, 0);
        *changed = 1;
    }
    return EXIT_DONE;
}

static int refuse_infinite(const unmix_scene *scene, int64_t j, int64_t row) {
    int64_t line, sample, band = scene->bands[row] + 1;
    unmix_place(scene, j, &line, &sample);
    return cli_refuse("%s: the value at line %lld, sample %lld (counted from 0), band %lld "
                      "(counted from 1) is infinite; store NaN where nothing is known, or leave "
                      "out the band (--bands) or the pixel (--pixels)",
                      scene->file, (long long)line, (long long)sample, (long long)band);
}

static int look(scan *s, const unmix_scene *scene, const cli_session *session) {
    const ch_cube *cube = &scene->cube;
    TRY(cli_check_file(session,
                       ch_spectra_gaps(session->context, s->holes, s->unknown, s->nonzero, s->X,
                                       cube->has_no_data ? &cube->no_data : NULL),
                       scene->file));
    for (int64_t j = 0; j < s->X->cols; j++) {
        if (s->holes[j] < 0) return refuse_infinite(scene, j, -1 - s->holes[j]);
        s->empties += s->holes[j] == s->X->rows;
    }
    return EXIT_DONE;
}

/* Only counts; the selection reports infinite values and their places. */
static int count_unknown(unmix_scene *scene, scan *s, const cli_session *session) {
    TRY(cli_check_file(
        session, ch_spectra_gaps(session->context, s->holes, s->unknown, s->nonzero, s->X, NULL),
        scene->file));
    for (int64_t j = 0; j < s->X->cols; j++) {
        scene->unknown += s->holes[j] > 0 ? s->holes[j] : 0;
        scene->incomplete += s->holes[j] > 0;
    }
    return EXIT_DONE;
}

int unmix_scan(unmix_scene *scene, const cli_session *session, const unmix_arguments *given,
               int *changed) {
    size_t bands = (size_t)scene->X.rows, pixels = (size_t)scene->X.cols;
    scan s = {.X = &scene->X,
              .unknown = calloc(bands, sizeof *s.unknown),
              .nonzero = calloc(bands, 1),
              .holes = calloc(pixels, sizeof *s.holes)};
    scene->unknown = scene->incomplete = 0;
    *changed = 0;
    int code = s.unknown && s.nonzero && s.holes ? EXIT_DONE : cli_no_memory();
    if (code == EXIT_DONE && scene->table) code = count_unknown(scene, &s, session);
    if (code == EXIT_DONE && !scene->table) code = look(&s, scene, session);
    if (code == EXIT_DONE && !scene->table) code = conclude(scene, &s, given, changed);
    free(s.unknown);
    free(s.nonzero);
    free(s.holes);
    return code;
}
