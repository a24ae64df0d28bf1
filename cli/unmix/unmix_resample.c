/* Spectra of a file at the bands of a cube: band by band if the wavelengths agree or are not known,
 * else by linear interpolation,
 *
 *     y(t) = y_a + (t - x_a) / (x_b - x_a) (y_b - y_a),    x_a <= t <= x_b neighbours.
 *
 * A band at most half a step of the file outside its range takes the value at its end. */
#include "unmix/unmix_command.h"
#include <math.h>

/* A known value of a spectrum at its wavelength, in the unit of the cube. */
typedef struct point {
    double x, y;
} point;

static int by_x(const void *left, const void *right) {
    double a = ((const point *)left)->x, b = ((const point *)right)->x;
    return (a > b) - (a < b);
}

/* ---- units ---- */

static int is_stated(const char *unit) {
    return unit && *unit && strcasecmp(unit, "unknown") != 0;
}

/* What wavelengths of the file are multiplied by to be in the unit of the cube. */
static int find_factor(double *factor, const unmix_spectra *spectra, const ch_cube *cube) {
    double own = unmix_unit_size(cube->unit), other = unmix_unit_size(spectra->unit);
    *factor = own > 0 && other > 0 ? other / own : 1;
    if (!is_stated(cube->unit) || !is_stated(spectra->unit)) return EXIT_DONE;
    if ((own > 0 && other > 0) || strcasecmp(cube->unit, spectra->unit) == 0) return EXIT_DONE;
    return cli_refuse("%s: its wavelengths are in %s, those of the cube in %s; nm and um can be "
                      "converted into each other, other units cannot",
                      spectra->file, spectra->unit, cube->unit);
}

/* ---- the same bands ---- */

/* Whether the wavelengths agree with those of these bands of the cube (NULL: all), to 1 % of the
 * mean distance of its bands: headers state them with few digits. */
static int same_bands(const unmix_spectra *spectra, double factor, const ch_cube *cube,
                      const int64_t *bands, int64_t count) {
    const double *of = cube->wavelengths;
    double step = cube->bands > 1 ? fabs(of[cube->bands - 1] - of[0]) / (double)(cube->bands - 1)
                                  : fabs(of[0]);
    if (spectra->bands != count) return 0;
    for (int64_t k = 0; k < count; k++)
        if (!(fabs(spectra->wavelengths[k] * factor - of[bands ? bands[k] : k]) <= 0.01 * step))
            return 0;
    return 1;
}

static int is_known(double value) {
    /* -1.23e34 marks deleted channels in the library of the USGS */
    return isfinite(value) && value > -1e30;
}

/* The band of the file that belongs to row i of X, if both have the same bands. */
static int64_t row_of(const unmix_spectra *spectra, const unmix_scene *scene, int64_t i) {
    return spectra->bands == scene->cube.bands ? scene->bands[i] : i;
}

/* Returns the first spectrum that lacks a value at a band that takes part, or -1; *row: which. */
static int64_t find_hole(const unmix_spectra *spectra, const unmix_scene *scene, int64_t *row) {
    for (int64_t k = 0; k < spectra->count; k++)
        for (*row = 0; *row < scene->band_count; ++*row)
            if (!is_known(spectra->values[row_of(spectra, scene, *row) + k * spectra->bands]))
                return k;
    return -1;
}

/* values = spectra, band by band. */
static void copy_bands(double *values, const unmix_spectra *spectra, const unmix_scene *scene) {
    for (int64_t k = 0; k < spectra->count; k++)
        for (int64_t i = 0; i < scene->band_count; i++)
            values[scene->bands[i] + k * scene->cube.bands] =
                spectra->values[row_of(spectra, scene, i) + k * spectra->bands];
}

/* ---- other bands ---- */

/* The known points of spectrum k, by rising wavelength; returns how many. */
static int64_t list_points(point *points, const unmix_spectra *spectra, int64_t k, double factor) {
    int64_t count = 0;
    for (int64_t i = 0; i < spectra->bands; i++) {
        point p = {spectra->wavelengths[i] * factor, spectra->values[i + k * spectra->bands]};
        if (isfinite(p.x) && is_known(p.y)) points[count++] = p;
    }
    qsort(points, (size_t)count, sizeof *points, by_x);
    return count;
}

static double interpolate(const point *points, int64_t count, double x) {
    int64_t low = 0, high = count - 1;
    if (x <= points[low].x) return points[low].y;
    if (x >= points[high].x) return points[high].y;
    while (high - low > 1) {
        int64_t middle = low + (high - low) / 2;
        if (points[middle].x <= x)
            low = middle;
        else
            high = middle;
    }
    const point *a = &points[low], *b = &points[high]; /* a->x <= x < b->x */
    return a->y + (x - a->x) / (b->x - a->x) * (b->y - a->y);
}

/* Lowest and highest wavelength of the bands that take part. */
static void find_range(double range[2], const unmix_scene *scene) {
    range[0] = INFINITY;
    range[1] = -INFINITY;
    for (int64_t i = 0; i < scene->band_count; i++) {
        range[0] = fmin(range[0], scene->wavelengths[i]);
        range[1] = fmax(range[1], scene->wavelengths[i]);
    }
}

static int check_range(const point *points, int64_t count, const unmix_spectra *spectra, int64_t k,
                       const unmix_scene *scene) {
    const char *unit = is_stated(scene->cube.unit) ? scene->cube.unit : "no unit";
    double range[2];
    find_range(range, scene);
    if (count < 2)
        return cli_refuse("%s: spectrum %lld has %lld values at wavelengths; at least 2 are needed",
                          spectra->file, (long long)k + 1, (long long)count);
    const point *last = &points[count - 1];
    if (range[0] >= points[0].x - (points[1].x - points[0].x) / 2 &&
        range[1] <= last->x + (last->x - last[-1].x) / 2)
        return EXIT_DONE;
    return cli_refuse("%s: spectrum %lld covers wavelengths from %g to %g, but the bands of the "
                      "cube are at %g to %g (%s); leave out bands with --wavelengths",
                      spectra->file, (long long)k + 1, points[0].x, last->x, range[0], range[1],
                      unit);
}

static int resample(double *values, const unmix_spectra *spectra, double factor,
                    const unmix_scene *scene) {
    point *points = malloc((size_t)spectra->bands * sizeof *points);
    int code = points ? EXIT_DONE : cli_no_memory();
    for (int64_t k = 0; k < spectra->count && code == EXIT_DONE; k++) {
        int64_t count = list_points(points, spectra, k, factor);
        code = check_range(points, count, spectra, k, scene);
        for (int64_t i = 0; i < scene->band_count && code == EXIT_DONE; i++)
            values[scene->bands[i] + k * scene->cube.bands] =
                interpolate(points, count, scene->wavelengths[i]);
    }
    free(points);
    return code;
}

static void say_resampled(const unmix_spectra *spectra, double factor, int same,
                          const cli_session *session, const unmix_scene *scene) {
    if (session->common.quiet) return;
    if (same)
        cli_complain("%s: the spectra lack values at some of the bands in use; these values are "
                     "interpolated linearly",
                     spectra->file);
    else
        cli_complain("%s: its %lld wavelengths are not those of the cube; its spectra are "
                     "interpolated linearly at the %lld bands that are used",
                     spectra->file, (long long)spectra->bands, (long long)scene->band_count);
    if (factor != 1)
        cli_complain("%s: its wavelengths are in %s and are converted to %s, the unit of the cube",
                     spectra->file, spectra->unit, scene->cube.unit);
}

/* ---- brightness ---- */

/* Says that one file alone states a reflectance scale factor, which is not 1. */
static void say_unscaled(const unmix_spectra *spectra, double own, double other) {
    if (own > 0)
        cli_complain(
            "%s: its spectra are used as they are stored, but values of the cube are "
            "reflectance x %.10g; if the spectra are reflectances, multiply them by this factor",
            spectra->file, own);
    else
        cli_complain("%s: its spectra are stored as reflectance times %.10g and are not rescaled, "
                     "because the cube states no reflectance scale factor",
                     spectra->file, other);
}

/* Both files may state a reflectance scale factor; then spectra are converted to that of the
 * cube. */
static void rescale(double *values, const unmix_spectra *spectra, const cli_session *session,
                    const ch_cube *cube) {
    double own = cube->reflectance_scale, other = spectra->scale;
    int both = own > 0 && other > 0;
    if (own == other || (!both && own + other == 1)) return;
    for (int64_t e = 0; both && e < cube->bands * spectra->count; e++) values[e] *= own / other;
    if (session->common.quiet) return;
    if (both)
        cli_complain("%s: its values are reflectance x %.10g and are converted to reflectance x "
                     "%.10g, as in the cube",
                     spectra->file, other, own);
    else
        say_unscaled(spectra, own, other);
}

/* Spectra without wavelengths, or of a cube without them: the number of bands must agree. */
static int fit_numbers(double *values, const unmix_spectra *spectra, const unmix_scene *scene) {
    int64_t row, hole;
    if (spectra->bands != scene->cube.bands && spectra->bands != scene->band_count)
        return cli_refuse("%s: its spectra have %lld values, but the cube has %lld bands%s",
                          spectra->file, (long long)spectra->bands, (long long)scene->cube.bands,
                          spectra->wavelengths ? " and no wavelengths" : "");
    hole = find_hole(spectra, scene, &row);
    if (hole < 0) {
        copy_bands(values, spectra, scene);
        return EXIT_DONE;
    }
    return cli_refuse("%s: spectrum %lld has no value at band %lld (from 1); leave out the band "
                      "(--bands)",
                      spectra->file, (long long)hole + 1, (long long)scene->bands[row] + 1);
}

/* By their wavelengths. */
static int fit_wavelengths(double *values, const unmix_spectra *spectra, const cli_session *session,
                           const unmix_scene *scene) {
    const ch_cube *cube = &scene->cube;
    double factor;
    int64_t row;
    TRY(find_factor(&factor, spectra, cube));
    int same = same_bands(spectra, factor, cube, NULL, cube->bands) ||
               same_bands(spectra, factor, cube, scene->bands, scene->band_count);
    if (same && find_hole(spectra, scene, &row) < 0) {
        copy_bands(values, spectra, scene);
        return EXIT_DONE;
    }
    TRY(resample(values, spectra, factor, scene));
    say_resampled(spectra, factor, same, session, scene);
    return EXIT_DONE;
}

int unmix_spectra_fit(double **values, const unmix_spectra *spectra, const cli_session *session,
                      const unmix_scene *scene) {
    *values = calloc((size_t)(scene->cube.bands * spectra->count), sizeof **values);
    if (!*values) return cli_no_memory();
    int code = spectra->wavelengths && scene->wavelengths
                   ? fit_wavelengths(*values, spectra, session, scene)
                   : fit_numbers(*values, spectra, scene);
    if (code == EXIT_DONE) {
        rescale(*values, spectra, session, &scene->cube);
        return EXIT_DONE;
    }
    free(*values);
    *values = NULL;
    return code;
}
