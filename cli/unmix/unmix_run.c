/* The run of conehull unmix: rank, endmembers, abundances, proofs, averages, scores. */
#include "unmix/unmix_command.h"
#include <math.h>

cli_input unmix_as_input(const unmix_scene *scene, const unmix_arguments *given) {
    return (cli_input){.file = scene->file,
                       .var = given->var,
                       .index = given->index,
                       .drop = given->drop,
                       .decimal = given->decimal,
                       .transpose = scene->turned,
                       .X = scene->X,
                       .cols = scene->X.cols,
                       .seconds = scene->seconds};
}

static int check(const cli_session *session, ch_status status, const unmix_scene *scene) {
    const cli_input input = {.file = scene->file, .transpose = scene->turned};
    return cli_input_check(session, status, &input);
}

/* -r auto: the number goes into the settings, so that the recheck repeats a run of that rank. */
static int choose_rank(unmix_found *found, const cli_session *session, const unmix_arguments *given,
                       const unmix_scene *scene) {
    if (given->settings.rank > 0) return EXIT_DONE;
    double start = cli_seconds();
    ch_unmix_settings settings = given->settings;
    settings.missing = found->settings.missing;
    found->rank.size = sizeof found->rank;
    TRY(check(session, ch_unmix_choose_rank(session->context, &found->rank, &scene->X, &settings),
              scene));
    found->settings.rank = found->rank.rank;
    found->seconds_rank = cli_seconds() - start;
    return EXIT_DONE;
}

/* Loss and gap of every pixel, and its size, to which the loss is compared. */
static int prove(unmix_found *found, const cli_session *session, const unmix_scene *scene) {
    double start = cli_seconds();
    size_t pixels = (size_t)scene->X.cols;
    found->loss = malloc(pixels * sizeof(double));
    found->gap = malloc(pixels * sizeof(double));
    found->sizes = calloc(pixels, sizeof(double));
    if (!found->loss || !found->gap || !found->sizes) return cli_no_memory();
    TRY(check(session,
              ch_column_proofs(session->context, found->loss, found->gap, &scene->X, &found->result,
                               &found->settings),
              scene));
    TRY(check(session,
              ch_spectra_sizes(session->context, found->sizes, &scene->X, found->settings.loss),
              scene));
    found->seconds_prove = cli_seconds() - start;
    return EXIT_DONE;
}

static int average(unmix_found *found, const cli_session *session, const unmix_arguments *given,
                   const unmix_scene *scene) {
    const ch_unmix_settings *set = &given->settings;
    size_t rank = (size_t)found->result.rank;
    if (set->smooth == 0) return EXIT_DONE;
    found->smooth = malloc((size_t)scene->X.rows * rank * sizeof(double));
    found->members = malloc((size_t)set->smooth * rank * sizeof(int64_t));
    if (!found->smooth || !found->members) return cli_no_memory();
    const ch_spectra_smoothing how = {set->smooth, set->average};
    return check(session,
                 ch_spectra_smooth(session->context, found->smooth, found->members, &scene->X,
                                   found->result.W, found->result.rank, &how),
                 scene);
}

/* On request: intervals of the abundances, endmembers of halves of the pixels. */
static int look_closer(unmix_found *found, const cli_session *session, const unmix_arguments *given,
                       const unmix_scene *scene) {
    const ch_anchors_result *result = &found->result;
    const double rise = 0.01;
    if (given->intervals) {
        size_t bytes = (size_t)(result->rank * result->cols) * sizeof(double);
        found->low = malloc(bytes);
        found->high = malloc(bytes);
        if (!found->low || !found->high) return cli_no_memory();
        TRY(check(session,
                  ch_unmix_intervals(session->context, found->low, found->high, &scene->X, result,
                                     &found->settings, rise),
                  scene));
    }
    if (!given->stability) return EXIT_DONE;
    const ch_unmix_halves how = {given->halves, 5 * M_PI / 180};
    found->stability = malloc((size_t)result->rank * sizeof(double));
    if (!found->stability) return cli_no_memory();
    return check(session,
                 ch_unmix_stability(session->context, found->stability, &scene->X, result,
                                    &found->settings, &how),
                 scene);
}

/* "endmember 1", or what the library calls it. */
static int name_endmembers(unmix_found *found, const unmix_library *library) {
    const ch_anchors_result *result = &found->result;
    found->names = calloc((size_t)result->rank + 1, sizeof *found->names);
    if (!found->names) return cli_no_memory();
    for (int64_t k = 0; k < result->rank; k++) {
        int64_t known = result->anchors[k] - result->cols;
        char **name = &found->names[k];
        if (known >= 0 && library->names)
            *name = strdup(library->names[known]);
        else if (asprintf(name, "%s %lld", known < 0 ? "endmember" : "library",
                          (long long)(known < 0 ? k : known) + 1) < 0)
            *name = NULL;
        if (!*name) return cli_no_memory();
    }
    return EXIT_DONE;
}

int unmix_find(unmix_found *found, const cli_session *session, const unmix_arguments *given,
               const unmix_scene *scene, const unmix_library *library) {
    found->result.size = sizeof found->result;
    TRY(cli_check(session, ch_unmix_prepare(session->context, &found->settings, &given->settings)));
    /* Spares a copy, and a library needs complete data. */
    if (scene->unknown == 0) found->settings.missing = CH_MISSING_NONE;
    TRY(choose_rank(found, session, given, scene));
    if (library->count) found->settings.library = &library->L;
    found->settings.library_only = given->library_only;
    TRY(check(session, ch_anchors(session->context, &found->result, &scene->X, &found->settings),
              scene));
    TRY(name_endmembers(found, library));
    TRY(prove(found, session, scene));
    TRY(look_closer(found, session, given, scene));
    return average(found, session, given, scene);
}

double unmix_residual(const unmix_found *found, int64_t j) {
    double loss = found->loss[j];
    if (found->settings.loss == CH_LOSS_L2) loss = sqrt(loss);
    return found->sizes[j] > 0 ? loss / found->sizes[j] : 0;
}

/* ---- scores ---- */

/* The reference at the bands and pixels that take part: rows (columns) of values, which has
 * `height` rows. NULL without memory, or without values. */
static double *part_of(const double *values, int64_t height, const int64_t *rows, int64_t row_count,
                       const int64_t *cols, int64_t col_count) {
    double *part = values ? malloc((size_t)(row_count * col_count) * sizeof *part) : NULL;
    for (int64_t j = 0; part && j < col_count; j++)
        for (int64_t i = 0; i < row_count; i++)
            part[i + j * row_count] = values[(rows ? rows[i] : i) + (cols ? cols[j] : j) * height];
    return part;
}

static int compare(ch_spectra_score *score, const cli_session *session, const unmix_scene *scene,
                   const ch_spectra_set *found, const unmix_truth *truth) {
    int64_t bands = scene->X.rows, pixels = scene->X.cols, count = truth->count;
    double *spectra =
        part_of(truth->endmembers, scene->cube.bands, scene->bands, bands, NULL, count);
    double *shares = part_of(truth->abundances, count, NULL, count, scene->pixels, pixels);
    int missing = (truth->endmembers && !spectra) || (truth->abundances && !shares);
    ch_spectra_set set = {bands, pixels, count, spectra, shares};
    score->size = sizeof *score;
    int code =
        missing ? cli_no_memory()
                : cli_check_file(session, ch_spectra_compare(session->context, score, found, &set),
                                 truth->from);
    free(spectra);
    free(shares);
    return code;
}

/* Whether the reference has no shade: abundances that sum to 1 in every pixel. */
static int sums_to_one(const unmix_truth *truth, int64_t pixels) {
    for (int64_t j = 0; truth->abundances && j < pixels; j++) {
        double sum = 0;
        for (int64_t k = 0; k < truth->count; k++) sum += truth->abundances[k + j * truth->count];
        if (!(fabs(sum - 1) <= 1e-3)) return 0;
    }
    return truth->abundances != NULL;
}

/* H with rows times factor (or NULL) and, if asked for, columns that sum to 1, or to 0: the
 * materials alone, whatever the light. NULL without memory. */
static double *scaled_shares(const ch_anchors_result *result, const double *factor, int to_one) {
    size_t entries = (size_t)(result->rank * result->cols);
    double *shares = malloc(entries * sizeof *shares);
    for (int64_t j = 0; shares && j < result->cols; j++) {
        double *h = shares + j * result->rank, sum = 0;
        for (int64_t k = 0; k < result->rank; k++) {
            h[k] = result->H[k + j * result->rank] * (factor ? factor[k] : 1);
            sum += h[k];
        }
        for (int64_t k = 0; to_one && k < result->rank; k++) h[k] = sum > 0 ? h[k] / sum : 0;
    }
    return shares;
}

/* How much brighter endmember k is than its reference e, by least squares: <w, e> / <e, e>. */
static double brightness_of(const unmix_scene *scene, const double *w, const double *e) {
    double product = 0, square = 0;
    for (int64_t i = 0; i < scene->X.rows; i++) {
        double of = e[scene->bands[i]];
        product += w[i] * of;
        square += of * of;
    }
    return square > 0 ? product / square : 1;
}

/* An abundance is one of an endmember of some brightness: twice as bright, half as much. Where the
 * reference names its spectra, abundances are also compared at their brightness. A cube with a
 * reflectance scale factor may have other units than the reference, which abundances that sum to 1
 * do not depend on. */
static int score_at_brightness(unmix_found *found, const cli_session *session,
                               const unmix_scene *scene, const unmix_truth *truth) {
    const ch_anchors_result *result = &found->result;
    double scale = scene->cube.reflectance_scale;
    if (!truth->endmembers || !truth->abundances) return EXIT_DONE;
    if (scale > 0 && scale != 1 && !found->scored_without_shade) return EXIT_DONE;
    double *factor = malloc((size_t)result->rank * sizeof *factor);
    for (int64_t k = 0; factor && k < result->rank; k++) factor[k] = 1;
    for (int64_t c = 0; factor && c < truth->count; c++) {
        int64_t k = found->score.match[c];
        if (k >= 0)
            factor[k] = brightness_of(scene, result->W + k * result->rows,
                                      truth->endmembers + c * scene->cube.bands);
    }
    double *shares = factor ? scaled_shares(result, factor, found->scored_without_shade) : NULL;
    ch_spectra_set set = {scene->X.rows, scene->X.cols, result->rank, result->W, shares};
    int code =
        shares ? compare(&found->bright_score, session, scene, &set, truth) : cli_no_memory();
    free(factor);
    free(shares);
    return code;
}

int unmix_score(unmix_found *found, const cli_session *session, const unmix_scene *scene,
                const unmix_truth *truth) {
    const ch_anchors_result *result = &found->result;
    ch_spectra_set set = {scene->X.rows, scene->X.cols, result->rank, result->W, result->H};
    if (truth->count == 0) return EXIT_DONE;
    found->scored_without_shade = sums_to_one(truth, scene->cube.lines * scene->cube.samples);
    double *shares = found->scored_without_shade ? scaled_shares(result, NULL, 1) : NULL;
    if (found->scored_without_shade && !shares) return cli_no_memory();
    if (shares) set.abundances = shares;
    int code = compare(&found->score, session, scene, &set, truth);
    free(shares);
    if (code == EXIT_DONE) code = score_at_brightness(found, session, scene, truth);
    if (code != EXIT_DONE || !found->smooth || !truth->endmembers) return code;
    set.endmembers = found->smooth;
    set.abundances = NULL;
    return compare(&found->smooth_score, session, scene, &set, truth);
}

void unmix_found_free(unmix_found *found, const cli_session *session) {
    ch_anchors_result_free(session->context, &found->result);
    ch_spectra_score_free(session->context, &found->score);
    ch_spectra_score_free(session->context, &found->smooth_score);
    ch_spectra_score_free(session->context, &found->bright_score);
    unmix_names_free(found->names);
    free(found->loss);
    free(found->gap);
    free(found->sizes);
    free(found->smooth);
    free(found->low);
    free(found->high);
    free(found->stability);
    free(found->members);
}
