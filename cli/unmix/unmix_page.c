/* report.html of conehull unmix: pictures and thinned data, so that the page stays a few megabytes
 * whatever the scene is. */
#include "unmix/unmix_command.h"
#include <math.h>

enum {
    SIDE = 640,        /* pixels of a side of a picture, at most                                */
    SHOWN_BANDS = 256, /* bands of a spectrum under the pointer, at most                        */
    SHOWN_BYTES = 3 << 20 /* spectra under the pointer, at most; text of the page is 4/3 of that */
};

/* What is written, and freed afterwards. */
typedef struct page {
    const unmix_scene *scene;
    const unmix_found *found;
    const json_t *json;
    unmix_pictures pictures;
    report_scene view;
    report_blob *abundances;
    double *x, *shown_x, *shown_endmembers;
    double *endmembers, *smooth; /* as they are shown; smooth may be NULL */
    char label[160], caption[160];
} page;

static int encode(report_blob *blob, const cli_session *session, const ch_picture *picture) {
    blob->type = "image/png";
    return cli_check(session,
                     ch_picture_encode_png(session->context, &blob->bytes, &blob->length, picture));
}

static int encode_all(page *of, const cli_session *session) {
    TRY(unmix_pictures_make(&of->pictures, session, of->scene, of->found, SIDE));
    of->abundances = calloc((size_t)of->pictures.count, sizeof *of->abundances);
    if (!of->abundances) return cli_no_memory();
    for (int64_t k = 0; k < of->pictures.count; k++)
        TRY(encode(&of->abundances[k], session, &of->pictures.abundances[k]));
    TRY(encode(&of->view.colour, session, &of->pictures.colour));
    TRY(encode(&of->view.residual, session, &of->pictures.residual));
    return encode(&of->view.gap, session, &of->pictures.gap);
}

/* ---- axes and labels ---- */

static double band_value(const unmix_scene *scene, int64_t row) {
    return scene->wavelengths ? scene->wavelengths[row] : (double)scene->bands[row] + 1;
}

/* What shown values are divided by: the file's scale of reflectance, else 1. */
static double divisor_of(const unmix_scene *scene) {
    return scene->cube.reflectance_scale > 0 ? scene->cube.reflectance_scale : 1;
}

static void make_labels(page *of) {
    const unmix_scene *scene = of->scene;
    const int64_t *rows = of->pictures.colour_bands;
    const char *unit = scene->cube.unit ? scene->cube.unit : "";
    char against[64] = "";
    if (scene->cube.reflectance_scale > 0)
        snprintf(against, sizeof against, "reflectance (value / %.10g) against ",
                 scene->cube.reflectance_scale);
    snprintf(of->label, sizeof of->label, "%s%s%s%.60s", against,
             scene->wavelengths ? "wavelength" : "band", scene->wavelengths && unit[0] ? ", " : "",
             scene->wavelengths ? cli_plain(unit) : "");
    snprintf(of->caption, sizeof of->caption, "red, green, blue: %s %.6g, %.6g and %.6g",
             scene->wavelengths ? "wavelengths" : "bands", band_value(scene, rows[0]),
             band_value(scene, rows[1]), band_value(scene, rows[2]));
}

/* spectra (bands x count) as they are shown; NULL without memory. */
static double *shown_copy(const page *of, const double *spectra) {
    size_t count = (size_t)(of->scene->X.rows * of->view.count);
    double *copy = malloc(count * sizeof *copy), divisor = divisor_of(of->scene);
    for (size_t e = 0; copy && e < count; e++) copy[e] = spectra[e] / divisor;
    return copy;
}

/* ---- spectra under the pointer ---- */

static void choose_steps(page *of, int64_t *band_step) {
    const ch_cube *cube = &of->scene->cube;
    report_scene *view = &of->view;
    int64_t bands = of->scene->X.rows;
    *band_step = (bands + SHOWN_BANDS - 1) / SHOWN_BANDS;
    view->shown_bands = (bands + *band_step - 1) / *band_step;
    for (view->step = 1;; view->step++) {
        view->width = (cube->samples + view->step - 1) / view->step;
        view->height = (cube->lines + view->step - 1) / view->step;
        if (view->width * view->height * (view->shown_bands + view->count + 4) <= SHOWN_BYTES)
            return;
    }
}

static int make_axes(page *of, int64_t band_step) {
    const unmix_scene *scene = of->scene;
    report_scene *view = &of->view;
    of->x = malloc((size_t)scene->X.rows * sizeof(double));
    of->shown_x = malloc((size_t)view->shown_bands * sizeof(double));
    of->shown_endmembers = malloc((size_t)(view->shown_bands * view->count) * sizeof(double));
    of->endmembers = shown_copy(of, of->found->result.W);
    of->smooth = of->found->smooth ? shown_copy(of, of->found->smooth) : NULL;
    if (!of->x || !of->shown_x || !of->shown_endmembers || !of->endmembers ||
        (of->found->smooth && !of->smooth))
        return cli_no_memory();
    for (int64_t i = 0; i < scene->X.rows; i++) of->x[i] = band_value(scene, i);
    for (int64_t i = 0; i < view->shown_bands; i++) {
        of->shown_x[i] = of->x[i * band_step];
        for (int64_t k = 0; k < view->count; k++)
            of->shown_endmembers[i + k * view->shown_bands] =
                of->endmembers[i * band_step + k * scene->X.rows];
    }
    return EXIT_DONE;
}

static uint8_t byte_of(double value, double most) {
    return most > 0 ? (uint8_t)lround(255 * fmin(1, fmax(0, value / most))) : 0;
}

/* One place: its spectrum relative to its largest value, in steps of 1 / 254, and its abundances.
 * 255 stands for a value that is not known. */
static void fill_place(page *of, int64_t place, int64_t j, int64_t band_step) {
    report_scene *view = &of->view;
    const ch_anchors_result *result = &of->found->result;
    uint8_t *values = view->values.bytes + place * view->shown_bands;
    double most = 0;
    for (int64_t i = 0; i < view->shown_bands; i++)
        most = fmax(most, ch_matrix_at(&of->scene->X, i * band_step, j));
    for (int64_t i = 0; i < view->shown_bands; i++) {
        double value = ch_matrix_at(&of->scene->X, i * band_step, j);
        values[i] = isnan(value) ? 255 : byte_of(value * 254 / 255, most);
    }
    for (int64_t k = 0; k < view->count; k++)
        view->weights.bytes[place * view->count + k] =
            byte_of(result->H[k + j * result->rank], view->most);
    float scale = (float)(most / divisor_of(of->scene));
    memcpy(view->scale.bytes + place * (int64_t)sizeof scale, &scale, sizeof scale);
}

static int make_blob(report_blob *blob, int64_t bytes) {
    *blob = (report_blob){"application/octet-stream", calloc((size_t)bytes + 1, 1), (size_t)bytes};
    return blob->bytes ? EXIT_DONE : cli_no_memory();
}

static int make_data(page *of, int64_t band_step) {
    report_scene *view = &of->view;
    const ch_anchors_result *result = &of->found->result;
    int64_t places = view->width * view->height, samples = of->scene->cube.samples;
    int64_t *columns = unmix_columns(of->scene);
    const float none = -1;
    int code = columns ? EXIT_DONE : cli_no_memory();
    if (code == EXIT_DONE) code = make_blob(&view->values, places * view->shown_bands);
    if (code == EXIT_DONE) code = make_blob(&view->weights, places * view->count);
    if (code == EXIT_DONE) code = make_blob(&view->scale, places * (int64_t)sizeof none);
    view->most = 1;
    for (int64_t e = 0; e < result->rank * result->cols; e++)
        view->most = fmax(view->most, result->H[e]);
    for (int64_t p = 0; code == EXIT_DONE && p < places; p++) {
        int64_t line = p / view->width * view->step, sample = p % view->width * view->step;
        int64_t j = columns[line * samples + sample];
        if (j >= 0)
            fill_place(of, p, j, band_step);
        else
            memcpy(view->scale.bytes + p * (int64_t)sizeof none, &none, sizeof none);
    }
    free(columns);
    return code;
}

/* ---- the page ---- */

static int prepare(page *of, const cli_session *session) {
    report_scene *view = &of->view;
    int64_t band_step;
    view->count = of->found->result.rank;
    view->bands = of->scene->X.rows;
    TRY(encode_all(of, session));
    choose_steps(of, &band_step);
    TRY(make_axes(of, band_step));
    TRY(make_data(of, band_step));
    make_labels(of);
    view->abundances = of->abundances;
    view->x = of->x;
    view->endmembers = of->endmembers;
    view->smooth = of->smooth;
    view->shown_x = of->shown_x;
    view->shown_endmembers = of->shown_endmembers;
    view->label = of->label;
    view->colour_caption = of->caption;
    view->residual_high = of->pictures.residual_high;
    view->tol = of->found->settings.tol;
    return EXIT_DONE;
}

static void write_page(FILE *to, const void *user) {
    const page *of = user;
    report_unmix_write(to, of->json, &of->view);
}

static void free_page(page *of, ch_context *context) {
    report_blob *pictures[] = {&of->view.colour, &of->view.residual, &of->view.gap};
    for (size_t k = 0; k < 3; k++) ch_picture_bytes_free(context, pictures[k]->bytes);
    for (int64_t k = 0; of->abundances && k < of->pictures.count; k++)
        ch_picture_bytes_free(context, of->abundances[k].bytes);
    free(of->abundances);
    free(of->view.values.bytes);
    free(of->view.scale.bytes);
    free(of->view.weights.bytes);
    free(of->x);
    free(of->shown_x);
    free(of->shown_endmembers);
    free(of->endmembers);
    free(of->smooth);
    unmix_pictures_free(&of->pictures);
}

int unmix_write_page(cli_folder *folder, const unmix_scene *scene, const unmix_found *found,
                     const json_t *json) {
    page of = {.scene = scene, .found = found, .json = json};
    int code = prepare(&of, folder->session);
    if (code == EXIT_DONE) code = cli_folder_write(folder, "report.html", write_page, &of);
    free_page(&of, folder->session->context);
    return code;
}
