/* The angle between two spectra, independent of their brightness. With unit vectors u and v
 *
 *     angle = 2 atan2(|u - v|, |u + v|)
 *
 * which is accurate to rounding at every angle; acos(<u, v>) loses half of the digits near 0. */
#include <conehull/spectra.h>
#include <math.h>

/* Returns the largest |x_i|, by which values are divided so that squares neither overflow nor
 * vanish; NaN if one is not finite. */
static double largest(const double *x, int64_t count) {
    double most = 0;
    for (int64_t i = 0; i < count; i++) {
        if (!isfinite(x[i])) return NAN;
        most = fmax(most, fabs(x[i]));
    }
    return most;
}

static double length_of(const double *x, int64_t count, double unit) {
    double sum = 0;
    for (int64_t i = 0; i < count; i++) sum += (x[i] / unit) * (x[i] / unit);
    return unit * sqrt(sum);
}

double ch_spectral_angle(const double *a, const double *b, int64_t bands) {
    if (!a || !b) return NAN;
    double most_a = largest(a, bands), most_b = largest(b, bands), apart = 0, along = 0;
    if (!(most_a > 0) || !(most_b > 0)) return NAN;
    double length_a = length_of(a, bands, most_a), length_b = length_of(b, bands, most_b);
    for (int64_t i = 0; i < bands; i++) {
        double u = a[i] / length_a, v = b[i] / length_b;
        apart += (u - v) * (u - v);
        along += (u + v) * (u + v);
    }
    return 2 * atan2(sqrt(apart), sqrt(along));
}
