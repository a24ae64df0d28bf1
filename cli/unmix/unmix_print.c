/* The answer of conehull unmix for people: the scene, the endmembers, every default with its
 * reason, scores. */
#include "options/option_values.h"
#include "result/result_json.h"
#include "unmix/unmix_command.h"
#include <math.h>

/* A line about a number of things, unless there are none. */
static void print_count(int64_t count, const char *one, const char *several) {
    if (count) printf("%lld %s\n", (long long)count, count == 1 ? one : several);
}

static void print_head(const unmix_scene *scene) {
    const ch_cube *cube = &scene->cube;
    printf("%s: %lld lines x %lld samples, %lld bands, %s\n", cli_plain(scene->file),
           (long long)cube->lines, (long long)cube->samples, (long long)cube->bands,
           ch_value_type_name(scene->X.type));
    if (scene->band_count + scene->dead < cube->bands)
        printf("%lld bands are used%s\n", (long long)(scene->band_count + scene->dead),
               scene->bad ? "; the file marks others as bad" : "");
    print_count(scene->dead, "band holds only zeros or no data and is not used",
                "bands hold only zeros or no data and are not used");
    print_count(scene->masked, "pixel is outside the mask", "pixels are outside the mask");
    print_count(scene->empty, "pixel holds no data", "pixels hold no data");
    print_count(scene->dropped, "pixel lacks values and is left out",
                "pixels lack values and are left out");
}

/* Both estimates of -r auto, which was taken, and what they count. */
static void print_rank(const ch_unmix_rank *rank) {
    if (rank->rank == 0) return;
    if (rank->by_noise < 0) {
        printf("rank %lld: estimated from the residuals; an estimate from the noise needs more "
               "pixels than bands\n",
               (long long)rank->rank);
        return;
    }
    printf("rank %lld: the smaller of two estimates, %lld from the residuals and %lld from the "
           "noise (HySime, signal-to-noise ratio %.1f dB)\n",
           (long long)rank->rank, (long long)rank->by_residual, (long long)rank->by_noise,
           rank->snr);
    puts(
        "  both estimates count everything that varies by more than the noise, also variants of "
        "one\n"
        "  material, so there may be fewer materials: lower -r step by step until a new pattern "
        "appears\n"
        "  in the map of the residual; if the two estimates differ, also try the larger one as -r");
}

/* One line for every choice, with its reason. */
static void print_choices(const unmix_arguments *given, const unmix_scene *scene,
                          const unmix_found *found) {
    const ch_unmix_settings *set = &given->settings;
    static const char *const losses[] = {"robust against spikes and bad pixels", "least squares",
                                         "counts of photons"};
    static const char *const hulls[] = {"abundances have any sum", "abundances sum to 1",
                                        "abundances sum to at most 1; the rest is shade"};
    printf("loss %s: %s\n", cli_choice_name(ch_unmix_table(), "loss", set->loss),
           losses[set->loss]);
    printf("hull %s: %s\n", cli_choice_name(ch_unmix_table(), "hull", set->hull), hulls[set->hull]);
    if (set->faint > 0)
        printf("faint %g: %lld pixel%s too dark to be endmembers\n", set->faint,
               (long long)found->result.faint, found->result.faint == 1 ? " is" : "s are");
    if (set->negative == CH_NEGATIVE_CLIP)
        printf("negative clip: %lld values below 0 count as 0; they sum to %.6g\n",
               (long long)found->result.clipped, -found->result.clipped_mass + 0.0);
    if (scene->unknown)
        printf("missing nan: %lld value%s in %lld pixel%s unknown and not used\n",
               (long long)scene->unknown, scene->unknown == 1 ? "" : "s",
               (long long)scene->incomplete,
               scene->unknown == 1      ? " is"
               : scene->incomplete == 1 ? " are"
                                        : "s are");
    print_rank(&found->rank);
}

/* The reference that endmember k is matched with, or -1. */
static int64_t reference_of(const ch_spectra_score *score, int64_t k) {
    for (int64_t c = 0; score->match && c < score->count; c++)
        if (score->match[c] == k) return c;
    return -1;
}

static void print_degrees(const ch_spectra_score *score, int64_t k) {
    int64_t c = reference_of(score, k);
    if (c < 0 || !score->angle)
        printf(" %8s", "-");
    else
        printf(" %8.2f", score->angle[c] * 180 / M_PI);
}

static void print_endmembers(const unmix_scene *scene, const unmix_found *found) {
    const ch_anchors_result *result = &found->result;
    const ch_spectra_score *score = &found->score;
    printf("%9s %6s %6s %8s", "endmember", "line", "sample", "mean");
    if (score->match) printf(" %9s %8s", "reference", "degrees");
    if (found->smooth_score.match) printf(" %8s", "smooth");
    if (score->rmse) printf(" %8s", "rmse");
    if (found->stability) printf(" %8s", "stable");
    putchar('\n');
    for (int64_t k = 0; k < result->rank; k++) {
        int64_t line, sample, c = reference_of(score, k);
        double sum = 0;
        for (int64_t j = 0; j < result->cols; j++) sum += result->H[k + j * result->rank];
        unmix_place(scene, result->anchors[k], &line, &sample);
        if (line >= 0)
            printf("%9lld %6lld %6lld %8.4f", (long long)k + 1, (long long)line, (long long)sample,
                   sum / (double)result->cols);
        else
            printf("%9lld %13s %8.4f", (long long)k + 1, "library", sum / (double)result->cols);
        if (score->match && c >= 0) printf(" %9lld", (long long)c + 1);
        if (score->match && c < 0) printf(" %9s", "-");
        if (score->match) print_degrees(score, k);
        if (found->smooth_score.match) print_degrees(&found->smooth_score, k);
        if (score->rmse && c >= 0) printf(" %8.4f", score->rmse[c]);
        if (score->rmse && c < 0) printf(" %8s", "-");
        if (found->stability) printf(" %6.0f %%", 100 * found->stability[k]);
        if (line < 0) printf("  %s", cli_plain(found->names[k]));
        putchar('\n');
    }
}

static void print_scores(const unmix_arguments *given, const unmix_scene *scene,
                         const unmix_found *found) {
    const ch_spectra_score *score = &found->score;
    if (!score->match) return;
    if (score->angle)
        printf("mean angle to the reference: %.3f degrees, %.4f radians\n",
               score->mean_angle * 180 / M_PI, score->mean_angle);
    if (found->smooth_score.match)
        printf("mean angle of the averaged endmembers: %.3f degrees, %.4f radians\n",
               found->smooth_score.mean_angle * 180 / M_PI, found->smooth_score.mean_angle);
    if (score->rmse)
        printf("mean error of the abundances (RMSE)%s: %.4f\n",
               found->scored_without_shade ? ", scaled to sum 1 as the reference's do" : "",
               score->mean_rmse);
    if (found->bright_score.rmse)
        printf("mean RMSE with every endmember scaled to the brightness of its reference: "
               "%.4f\n",
               found->bright_score.mean_rmse);
    if (!score->rmse && given->truth)
        printf("%s holds no abundances for %lld lines x %lld samples\n", cli_plain(given->truth),
               (long long)scene->cube.lines, (long long)scene->cube.samples);
}

static void print_widths(const unmix_found *found) {
    double sum = 0;
    int64_t count = found->result.rank * found->result.cols;
    for (int64_t e = 0; found->low && e < count; e++) sum += found->high[e] - found->low[e];
    if (found->low)
        printf("mean width of the interval of an abundance in which the loss rises by at most 1 "
               "%%: %.4f\n",
               sum / (double)count);
}

void unmix_print(const unmix_arguments *given, const unmix_scene *scene, const unmix_found *found,
                 double write) {
    const ch_anchors_result *result = &found->result;
    double mean = 0;
    for (int64_t j = 0; j < result->cols; j++)
        mean += unmix_residual(found, j) / (double)result->cols;
    print_head(scene);
    print_choices(given, scene, found);
    putchar('\n');
    print_endmembers(scene, found);
    puts("mean: mean abundance over all pixels");
    if (found->stability)
        puts("stable: percentage of the random halves of the pixels in which a spectrum within 5 "
             "degrees is chosen");
    putchar('\n');
    print_widths(found);
    print_scores(given, scene, found);
    printf("mean relative residual of a pixel: %.2f %%\n", 100 * mean);
    cli_certificate_print(result->objective, &result->certificate, result->unproven, "pixel");
    printf("seconds: read %.3f rank %.3f select %.3f project %.3f prove %.3f write %.3f\n",
           scene->seconds, found->seconds_rank, result->seconds_select, result->seconds_project,
           found->seconds_prove, write);
    if (result->status != CH_OK)
        printf("status: %s: %s\n", cli_status_name(result->status),
               ch_status_sentence(result->status));
    if (given->folder) cli_say_written(given->folder, "report.html");
}
