/* One pass over the values of a scene: which are not known, which pixels hold none, which bands
 * hold nothing. Not known is NaN, or what the file marks as no data. */
#include "unmix/unmix_command.h"
#include <math.h>

typedef struct scan {
    const ch_matrix *X;
    int marked;
    double mark;      /* of no data, as the values of X have it */
    int64_t *unknown; /* per band, over the pixels that hold data              */
    char *nonzero;    /* per band                                              */
    char *gone;       /* per band: not known in this pixel                     */
    char *empty;      /* per pixel                                             */
    int64_t *holes;   /* per pixel: values that are not known                  */
    int64_t empties;
} scan;

static void scan_pixel(scan *s, int64_t j) {
    int64_t bands = s->X->rows, count = 0;
    for (int64_t i = 0; i < bands; i++) {
        double x = ch_matrix_at(s->X, i, j);
        s->gone[i] = isnan(x) || (s->marked && x == s->mark);
        count += s->gone[i];
        s->nonzero[i] |= !s->gone[i] && x != 0;
    }
    s->empty[j] = count == bands;
    s->empties += count == bands;
    s->holes[j] = count;
    for (int64_t i = 0; count > 0 && count < bands && i < bands; i++) s->unknown[i] += s->gone[i];
}

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

static void drop_empty_pixels(unmix_scene *scene, const scan *s) {
    int64_t count = 0;
    for (int64_t j = 0; j < s->X->cols; j++)
        if (!s->empty[j]) scene->pixels[count++] = scene->pixels[j];
    scene->empty += s->empties;
}

static int list_pixels(unmix_scene *scene) {
    if (scene->pixels) return EXIT_DONE;
    scene->pixels = malloc((size_t)scene->X.cols * sizeof *scene->pixels);
    if (!scene->pixels) return cli_no_memory();
    for (int64_t j = 0; j < scene->X.cols; j++) scene->pixels[j] = j;
    return EXIT_DONE;
}

static int conclude(unmix_scene *scene, const scan *s, int keep_bands, int *changed) {
    if (s->empties == s->X->cols) return cli_refuse("%s: no pixel holds data", scene->file);
    *changed = (!keep_bands && drop_dead_bands(scene, s) > 0) || s->empties > 0;
    for (int64_t i = 0; i < s->X->rows; i++) scene->unknown += s->unknown[i];
    for (int64_t j = 0; j < s->X->cols; j++) scene->incomplete += s->holes[j] > 0;
    if (s->empties == 0) return EXIT_DONE;
    TRY(list_pixels(scene));
    drop_empty_pixels(scene, s);
    return EXIT_DONE;
}

int unmix_scan(unmix_scene *scene, int keep_bands, int *changed) {
    size_t bands = (size_t)scene->X.rows, pixels = (size_t)scene->X.cols;
    scan s = {.X = &scene->X, .marked = scene->cube.has_no_data, .mark = scene->cube.no_data};
    if (scene->X.type == CH_F32) s.mark = (double)(float)s.mark;
    scene->unknown = scene->incomplete = 0;
    s.unknown = calloc(bands, sizeof *s.unknown);
    s.nonzero = calloc(bands, 1);
    s.gone = calloc(bands, 1);
    s.empty = calloc(pixels, 1);
    s.holes = calloc(pixels, sizeof *s.holes);
    int code = s.unknown && s.nonzero && s.gone && s.empty && s.holes ? EXIT_DONE : cli_no_memory();
    for (int64_t j = 0; code == EXIT_DONE && j < scene->X.cols; j++) scan_pixel(&s, j);
    if (code == EXIT_DONE) code = conclude(scene, &s, keep_bands, changed);
    free(s.unknown);
    free(s.nonzero);
    free(s.gone);
    free(s.empty);
    free(s.holes);
    return code;
}
