/* A scene with a known answer:
 *
 *     X = E (A diag(light)) + noise + spikes
 *
 * E: reflectances of five materials, smooth functions of the wavelength. A: shares, by a soft
 * maximum over fields that peak at the centres of patches. light: between shadow and full sun, so
 * that columns of A diag(light) sum to at most 1. */
#include "base/arena.h"
#include "base/sized.h"
#include <conehull/random.h>
#include <conehull/spectra.h>
#include <math.h>

enum { MATERIALS = 5, PATCHES = 3 };
static const char *const names[MATERIALS] = {"water", "plants", "soil", "tiles", "concrete"};

static double step_at(double w, double centre, double width) {
    return 1 / (1 + exp((centre - w) / width));
}

static double bump(double w, double centre, double width) {
    return exp(-(w - centre) * (w - centre) / (2 * width * width));
}

/* Returns the reflectance at w nm. */
static double reflectance(int material, double w) {
    switch (material) {
    case 0:
        return 0.03 + 0.2 * exp(-(w - 400) / 160);
    case 1: /* the green peak, the red edge, a weak absorption of water */
        return 0.03 + 0.07 * bump(w, 550, 30) + 0.5 * step_at(w, 715, 14) - 0.06 * bump(w, 970, 25);
    case 2:
        return 0.07 + 0.36 * pow((w - 390) / 620, 0.8) - 0.04 * bump(w, 900, 60);
    case 3:
        return 0.05 + 0.42 * step_at(w, 592, 18) - 0.07 * bump(w, 870, 50);
    default:
        return 0.27 + 0.13 * step_at(w, 480, 60) + 0.02 * bump(w, 800, 120);
    }
}

typedef struct planting {
    ch_random random;
    double centre[MATERIALS][PATCHES][3]; /* line, sample, width, as shares of the longer side */
} planting;

/* Places one large patch of each material, apart from the others, and small patches anywhere. */
static void place_patches(planting *p, const ch_spectra_scene *scene) {
    static const double large[MATERIALS][2] = {{.2, .2}, {.2, .8}, {.8, .2}, {.8, .8}, {.5, .5}};
    double longer = (double)(scene->lines > scene->samples ? scene->lines : scene->samples);
    double side[2] = {(double)scene->lines / longer, (double)scene->samples / longer};
    for (int k = 0; k < MATERIALS; k++)
        for (int b = 0; b < PATCHES; b++) {
            for (int axis = 0; axis < 2; axis++) {
                double at = ch_random_uniform(&p->random);
                p->centre[k][b][axis] =
                    side[axis] * (b == 0 ? large[k][axis] + 0.1 * (at - 0.5) : at);
            }
            p->centre[k][b][2] = (b == 0 ? 0.14 : 0.05) + 0.04 * ch_random_uniform(&p->random);
        }
}

/* Computes the shares of the materials at a place; they sum to 1. */
static void shares_at(const planting *p, double *share, double line, double sample) {
    double sum = 0;
    for (int k = 0; k < MATERIALS; k++) {
        double field = 1e-3;
        for (int b = 0; b < PATCHES; b++) {
            const double *c = p->centre[k][b];
            double far =
                ((line - c[0]) * (line - c[0]) + (sample - c[1]) * (sample - c[1])) / (c[2] * c[2]);
            field += exp(-far);
        }
        share[k] = pow(field, 4); /* sharpens the borders */
        sum += share[k];
    }
    for (int k = 0; k < MATERIALS; k++) share[k] /= sum;
}

/* Makes the pixel with the largest share of each material pure and fully lit. */
static void make_pure(ch_spectra_scene *scene) {
    int64_t pixels = scene->lines * scene->samples, pure[MATERIALS];
    for (int k = 0; k < MATERIALS; k++) {
        pure[k] = 0;
        for (int64_t j = 1; j < pixels; j++) {
            int taken = 0;
            for (int e = 0; e < k; e++) taken |= pure[e] == j;
            if (!taken &&
                scene->abundances[k + j * MATERIALS] > scene->abundances[k + pure[k] * MATERIALS])
                pure[k] = j;
        }
        for (int e = 0; e < MATERIALS; e++) scene->abundances[e + pure[k] * MATERIALS] = e == k;
    }
}

static void fill_abundances(planting *p, ch_spectra_scene *scene) {
    double longer = (double)(scene->lines > scene->samples ? scene->lines : scene->samples);
    for (int64_t l = 0; l < scene->lines; l++)
        for (int64_t s = 0; s < scene->samples; s++) {
            double *share = scene->abundances + (l * scene->samples + s) * MATERIALS;
            double y = (double)l / longer, x = (double)s / longer;
            double light = 0.78 + 0.17 * sin(9 * x + 4 * y) + 0.05 * ch_random_uniform(&p->random);
            if (sin(23 * (x + 0.6 * y)) > 0.93) light *= 0.12; /* shadows */
            shares_at(p, share, y, x);
            for (int k = 0; k < MATERIALS; k++) share[k] *= light;
        }
    make_pure(scene);
}

static void fill_values(planting *p, ch_spectra_scene *scene) {
    for (int64_t j = 0; j < scene->lines * scene->samples; j++)
        for (int64_t i = 0; i < scene->bands; i++) {
            double x = scene->noise * ch_random_normal(&p->random);
            for (int k = 0; k < MATERIALS; k++)
                x += scene->endmembers[i + k * scene->bands] * scene->abundances[k + j * MATERIALS];
            if (ch_random_uniform(&p->random) < scene->spikes)
                x += 0.2 + 0.4 * ch_random_uniform(&p->random);
            scene->values[i + j * scene->bands] = (float)x;
        }
}

static ch_status reserve(ch_context *context, ch_spectra_scene *made) {
    int64_t pixels = made->lines * made->samples;
    made->count = MATERIALS;
    made->names = names;
    made->wavelengths = chi_alloc(context, made->bands, sizeof(double));
    made->endmembers = chi_alloc(context, made->bands, MATERIALS * sizeof(double));
    made->abundances = chi_alloc(context, pixels, MATERIALS * sizeof(double));
    made->values = chi_alloc(context, pixels, (size_t)made->bands * sizeof(float));
    if (made->wavelengths && made->endmembers && made->abundances && made->values) return CH_OK;
    return chi_no_memory(context, "a scene", pixels, (size_t)made->bands * sizeof(float));
}

ch_status ch_spectra_scene_make(ch_context *context, ch_spectra_scene *scene) {
    if (!context || !scene) return CH_ERR_ARGUMENT;
    ch_spectra_scene made = {.size = sizeof made};
    planting p;
    TRY(chi_sized_take(context, &made, sizeof made, scene, "ch_spectra_scene"));
    if (made.lines < 8 || made.samples < 8 || made.bands < 8 || made.lines > 1 << 20 ||
        made.samples > 1 << 20 || made.bands > 1 << 16)
        return chi_fail(context, CH_ERR_SETTING,
                        "a generated scene cannot have %lld lines, %lld samples and %lld bands; it "
                        "needs at least 8 of each",
                        (long long)made.lines, (long long)made.samples, (long long)made.bands);
    if (!(made.noise >= 0 && made.noise <= 1) || !(made.spikes >= 0 && made.spikes <= 1))
        return chi_fail(
            context, CH_ERR_SETTING,
            "the settings 'noise' and 'spikes' of a generated scene must be from 0 to 1");
    made.wavelengths = made.endmembers = made.abundances = NULL;
    made.values = NULL;
    ch_status status = reserve(context, &made);
    if (status < 0) {
        ch_spectra_scene_free(context, &made);
        return status;
    }
    ch_random_seed(&p.random, (uint64_t)made.seed);
    place_patches(&p, &made);
    for (int64_t i = 0; i < made.bands; i++) {
        made.wavelengths[i] = 400 + 600 * (double)i / (double)(made.bands - 1);
        for (int k = 0; k < MATERIALS; k++)
            made.endmembers[i + k * made.bands] = reflectance(k, made.wavelengths[i]);
    }
    fill_abundances(&p, &made);
    fill_values(&p, &made);
    chi_result_give(scene, &made, sizeof made);
    return CH_OK;
}

void ch_spectra_scene_free(ch_context *context, ch_spectra_scene *scene) {
    if (!context || !scene) return;
    chi_free(context, scene->wavelengths);
    chi_free(context, scene->endmembers);
    chi_free(context, scene->abundances);
    chi_free(context, scene->values);
    scene->wavelengths = scene->endmembers = scene->abundances = NULL;
    scene->values = NULL;
}
