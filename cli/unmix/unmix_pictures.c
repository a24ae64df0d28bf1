/* Pictures of a scene: false colour, abundances, residual, gap. */
#include "unmix/unmix_command.h"
#include <math.h>

static const uint8_t nothing[3] = {110, 110, 110}; /* colour of places without data */

static int make_picture(ch_picture *picture, int64_t width, int64_t height) {
    *picture = (ch_picture){width, height, 3, malloc((size_t)(3 * width * height))};
    return picture->pixels ? EXIT_DONE : cli_no_memory();
}

/* The data of the pictures. */
typedef struct drawing {
    const unmix_scene *scene;
    const unmix_found *found;
    const int64_t *columns;
    int64_t step, width, height;
} drawing;

/* Returns the column of X that belongs to pixel k of a picture, or -1 if there is none. */
static int64_t column_at(const drawing *of, int64_t k) {
    int64_t line = k / of->width * of->step, sample = k % of->width * of->step;
    return of->columns[line * of->scene->cube.samples + sample];
}

/* ---- false colour ---- */

/* Returns the row of X whose wavelength is nearest to `nanometres`. */
static int64_t nearest_row(const unmix_scene *scene, double nanometres, double unit) {
    int64_t best = 0;
    for (int64_t i = 1; i < scene->band_count; i++)
        if (fabs(scene->wavelengths[i] * unit - nanometres) <
            fabs(scene->wavelengths[best] * unit - nanometres))
            best = i;
    return best;
}

/* Chooses the bands nearest to red, green and blue if the scene contains these wavelengths; else
 * one band in each third of the range, the longest wavelength as red. */
static void choose_bands(int64_t *rows, const unmix_scene *scene) {
    static const double visible[3] = {640, 550, 460};
    int64_t last = scene->band_count - 1;
    int micro = scene->cube.unit && strncasecmp(scene->cube.unit, "micro", 5) == 0;
    double unit = micro ? 1000 : 1;
    const double *w = scene->wavelengths;
    int seen = w && fmin(w[0], w[last]) * unit < 480 && fmax(w[0], w[last]) * unit > 620;
    for (int c = 0; c < 3; c++)
        rows[c] = seen ? nearest_row(scene, visible[c], unit) : (5 - 2 * c) * last / 6;
}

static int by_value(const void *left, const void *right) {
    double a = *(const double *)left, b = *(const double *)right;
    return a < b ? -1 : a > b;
}

/* Draws a band as one channel. Black and white are the 2nd and the 98th percentile of the
 * values. */
static int draw_band(ch_picture *picture, const drawing *of, int64_t row, int channel) {
    int64_t places = of->width * of->height, count = 0;
    double *value = malloc((size_t)places * 2 * sizeof *value), *sorted = value + places;
    if (!value) return cli_no_memory();
    for (int64_t k = 0; k < places; k++) {
        int64_t j = column_at(of, k);
        value[k] = j < 0 ? NAN : ch_matrix_at(&of->scene->X, row, j);
        if (isfinite(value[k])) sorted[count++] = value[k];
    }
    qsort(sorted, (size_t)count, sizeof *sorted, by_value);
    double low = count ? sorted[count / 50] : 0, high = count ? sorted[count - 1 - count / 50] : 1;
    for (int64_t k = 0; k < places; k++) {
        double share = high > low ? (value[k] - low) / (high - low) : 0;
        picture->pixels[3 * k + channel] =
            isfinite(value[k]) ? (uint8_t)lround(255 * fmin(1, fmax(0, share))) : nothing[channel];
    }
    free(value);
    return EXIT_DONE;
}

static int draw_colour(unmix_pictures *pictures, const drawing *of) {
    choose_bands(pictures->colour_bands, of->scene);
    TRY(make_picture(&pictures->colour, of->width, of->height));
    for (int c = 0; c < 3; c++) TRY(draw_band(&pictures->colour, of, pictures->colour_bands[c], c));
    return EXIT_DONE;
}

/* ---- maps ---- */

/* Returns the position of column j on the colour scale, from 0 to 1. */
typedef double (*share_of)(const drawing *of, int64_t j, double parameter);

static double abundance_share(const drawing *of, int64_t j, double endmember) {
    const ch_anchors_result *result = &of->found->result;
    return result->H[(int64_t)endmember + j * result->rank];
}

static double residual_share(const drawing *of, int64_t j, double high) {
    return high > 0 ? unmix_residual(of->found, j) / high : 0;
}

/* The colour scale of gaps is logarithmic, from 1e-16, the level of rounding errors, to the
 * tolerance. */
static double gap_share(const drawing *of, int64_t j, double tol) {
    double gap = fmax(of->found->gap[j], 1e-16);
    return log10(gap / 1e-16) / log10(tol / 1e-16);
}

static int draw_map(ch_picture *picture, const drawing *of, share_of share, double parameter) {
    TRY(make_picture(picture, of->width, of->height));
    for (int64_t k = 0; k < of->width * of->height; k++) {
        int64_t j = column_at(of, k);
        if (j < 0)
            memcpy(picture->pixels + 3 * k, nothing, 3);
        else
            report_heat_colour(picture->pixels + 3 * k, share(of, j, parameter));
    }
    return EXIT_DONE;
}

/* Sets *high to the 98th percentile of the residuals, so that a single odd pixel does not make the
 * map black. */
static int find_residual_high(double *high, const unmix_found *found) {
    int64_t count = found->result.cols;
    double *sorted = malloc((size_t)count * sizeof *sorted);
    if (!sorted) return cli_no_memory();
    for (int64_t j = 0; j < count; j++) sorted[j] = unmix_residual(found, j);
    qsort(sorted, (size_t)count, sizeof *sorted, by_value);
    *high = sorted[count - 1 - count / 50];
    free(sorted);
    return EXIT_DONE;
}

static int draw_all(unmix_pictures *pictures, const drawing *of) {
    const unmix_found *found = of->found;
    pictures->abundances = calloc((size_t)found->result.rank, sizeof *pictures->abundances);
    if (!pictures->abundances) return cli_no_memory();
    pictures->count = found->result.rank;
    TRY(draw_colour(pictures, of));
    for (int64_t k = 0; k < found->result.rank; k++)
        TRY(draw_map(&pictures->abundances[k], of, abundance_share, (double)k));
    TRY(find_residual_high(&pictures->residual_high, found));
    TRY(draw_map(&pictures->residual, of, residual_share, pictures->residual_high));
    return draw_map(&pictures->gap, of, gap_share, found->settings.tol);
}

int unmix_pictures_make(unmix_pictures *pictures, const cli_session *session,
                        const unmix_scene *scene, const unmix_found *found, int64_t most) {
    const ch_cube *cube = &scene->cube;
    int64_t longest = cube->lines > cube->samples ? cube->lines : cube->samples;
    int64_t step = (longest + most - 1) / most, *columns = unmix_columns(scene);
    (void)session;
    *pictures = (unmix_pictures){.step = step};
    if (!columns) return cli_no_memory();
    const drawing of = {scene,
                        found,
                        columns,
                        step,
                        (cube->samples + step - 1) / step,
                        (cube->lines + step - 1) / step};
    int code = draw_all(pictures, &of);
    free(columns);
    return code;
}

void unmix_pictures_free(unmix_pictures *pictures) {
    for (int64_t k = 0; k < pictures->count; k++) free(pictures->abundances[k].pixels);
    free(pictures->abundances);
    free(pictures->colour.pixels);
    free(pictures->residual.pixels);
    free(pictures->gap.pixels);
}
