/* Claims about background and foreground of video (paper, Section 5.3).
 *
 * Two methods, each with the best of its parameters, are compared by the area under their ROC
 * curves; the standard error of the difference is the jackknife estimate over the frames with
 * masks: sqrt((n - 1) / n sum_i (d_i - mean d)^2), d_i the difference without frame i. */
#include "reproduce/reproduce.h"
#include "reproduce/reproduce_claims.h"
#include <math.h>
#include <string.h>

enum { FRAMES = 64, MEASURED = REPRO_MEASURED };

static const char xray[] = "RobustXray", l2[] = "XRAY-l2", rpca[] = "RPCA", nmf[] = "robust NMF",
                  lowrank[] = "robust low rank";

typedef struct gap {
    double mean, error;
} gap;

static gap gap_of(const json_t *results, const char *a, const char *b) {
    const json_t *first = repro_row(results, "methods", a);
    const json_t *second = repro_row(results, "methods", b);
    double own[FRAMES], other[FRAMES];
    int count = repro_list(own, FRAMES, json_object_get(first, "without"));
    repro_list(other, FRAMES, json_object_get(second, "without"));
    for (int i = 0; i < count; i++) own[i] -= other[i];
    double sd = repro_sd(own, count);
    return (gap){repro_real(first, "auc") - repro_real(second, "auc"),
                 count > 1 ? sd * (count - 1) / sqrt(count) : INFINITY};
}

static int is_alike(gap between) {
    return fabs(between.mean) <= fmax(0.01, 2 * between.error);
}

static int is_ahead(gap between) {
    return between.mean > 2 * between.error;
}

static int say_areas(char *measured, const json_t *results, const char *const *methods) {
    int length = snprintf(measured, MEASURED, "area under the ROC curve:");
    for (const char *const *name = methods; *name; name++) {
        const json_t *row = repro_row(results, "methods", *name);
        length += snprintf(measured + length, (size_t)(MEASURED - length), "%s %s %.3f (%s)",
                           name == methods ? "" : ",", *name, repro_real(row, "auc"),
                           repro_text(row, "parameter"));
    }
    return length;
}

static void say_gap(char *measured, const char *a, const char *b, gap between) {
    size_t length = strlen(measured);
    snprintf(measured + length, MEASURED - length, "; %s minus %s %+.3f \xc2\xb1 %.3f", a, b,
             between.mean, between.error);
}

static repro_verdict restaurant_alike(char *measured, const json_t *figures) {
    static const char *const robust[] = {xray, rpca, nmf, lowrank, NULL};
    const json_t *results = repro_results(figures, "video-restaurant");
    const char *best = xray;
    int alike = 1, near = 1;
    if (!results) return REPRO_NOT_RUN;
    say_areas(measured, results, robust);
    for (const char *const *name = robust; *name; name++)
        if (gap_of(results, *name, best).mean > 0) best = *name;
    for (const char *const *name = robust; *name; name++) {
        gap between = gap_of(results, best, *name);
        if (*name == best) continue;
        say_gap(measured, best, *name, between);
        alike = alike && is_alike(between);
        near = near && between.mean <= 0.05;
    }
    if (alike) return REPRO_HOLDS;
    return near ? REPRO_DIFFERS : REPRO_FAILS;
}

static repro_verdict hall_ahead(char *measured, const json_t *figures) {
    static const char *const all[] = {xray, nmf, l2, rpca, lowrank, NULL};
    const json_t *results = repro_results(figures, "video-hall");
    int ahead = 1, behind = 0;
    if (!results) return REPRO_NOT_RUN;
    say_areas(measured, results, all);
    gap tie = gap_of(results, xray, nmf);
    say_gap(measured, xray, nmf, tie);
    for (const char *const *name = all + 2; *name; name++) {
        gap own = gap_of(results, xray, *name);
        say_gap(measured, xray, *name, own);
        ahead = ahead && is_ahead(own) && is_ahead(gap_of(results, nmf, *name));
        behind = behind || (own.mean < 0 && !is_alike(own));
    }
    if (is_alike(tie) && ahead) return REPRO_HOLDS;
    return !behind && (is_alike(tie) || tie.mean > 0) ? REPRO_DIFFERS : REPRO_FAILS;
}

static repro_verdict hall_l2(char *measured, const json_t *figures) {
    static const char *const both[] = {l2, lowrank, NULL};
    const json_t *results = repro_results(figures, "video-hall");
    if (!results) return REPRO_NOT_RUN;
    gap between = gap_of(results, l2, lowrank);
    say_areas(measured, results, both);
    say_gap(measured, l2, lowrank, between);
    if (is_ahead(between)) return REPRO_HOLDS;
    return is_alike(between) ? REPRO_DIFFERS : REPRO_FAILS;
}

static repro_verdict lobby_alike(char *measured, const json_t *figures) {
    static const char *const all[] = {xray, rpca, lowrank, nmf, NULL};
    const json_t *results = repro_results(figures, "video-lobby");
    int alike = 1, ahead = 1;
    if (!results) return REPRO_NOT_RUN;
    say_areas(measured, results, all);
    for (int i = 0; i < 3; i++) {
        gap over_nmf = gap_of(results, all[i], nmf);
        say_gap(measured, all[i], nmf, over_nmf);
        ahead = ahead && is_ahead(over_nmf);
        for (int k = 0; k < i; k++) alike = alike && is_alike(gap_of(results, all[k], all[i]));
    }
    if (alike && ahead) return REPRO_HOLDS;
    return alike || ahead ? REPRO_DIFFERS : REPRO_FAILS;
}

/* Returns the processor time for the parameters that the authors used. */
static double authors_time(const json_t *results, const char *method) {
    size_t i;
    const json_t *row;
    json_array_foreach(json_object_get(results, "grid"), i, row) {
        if (json_is_true(json_object_get(row, "authors")) &&
            strcmp(repro_text(row, "method"), method) == 0)
            return repro_real(row, "processor");
    }
    return NAN;
}

static int is_quick(const json_t *figures, const char *figure) {
    return json_is_true(json_object_get(json_object_get(figures, figure), "quick"));
}

/* Judges by sequences of full size; if there are none, by reduced ones, whose times are less
 * meaningful. */
static repro_verdict rpca_10x(char *measured, const json_t *figures) {
    static const char *const sets[] = {"video-restaurant", "video-hall", "video-lobby"};
    static const char *const words[] = {"Restaurant", "Hall", "Lobby"};
    double least[2] = {INFINITY, INFINITY}; /* of full size; reduced */
    int first = 1;
    int length = snprintf(measured, MEASURED,
                          "processor time of RPCA divided by that of RobustXray, at the best "
                          "parameters (at those of the authors):");
    for (int i = 0; i < 3; i++) {
        const json_t *results = repro_results(figures, sets[i]);
        int quick = is_quick(figures, sets[i]);
        if (!results) continue;
        double ratio = repro_real(repro_row(results, "methods", rpca), "processor") /
                       repro_real(repro_row(results, "methods", xray), "processor");
        length += snprintf(measured + length, (size_t)(MEASURED - length), "%s %s%s %.1f (%.1f)",
                           first ? "" : ",", words[i], quick ? ", reduced," : "", ratio,
                           authors_time(results, rpca) / authors_time(results, xray));
        least[quick] = fmin(least[quick], ratio);
        first = 0;
    }
    double decides = isinf(least[0]) ? least[1] : least[0];
    if (isinf(decides)) return REPRO_NOT_RUN;
    if (decides >= 10) return REPRO_HOLDS;
    return decides > 1 ? REPRO_DIFFERS : REPRO_FAILS;
}

const repro_claim repro_video_claims[] = {
    {"restaurant-alike", "On Restaurant all robust methods separate about equally well",
     "video-restaurant",
     "alike: areas differ by no more than 0.01 or two standard errors (jackknife over the frames "
     "with masks); holds: all alike to the best; differs: all within 0.05 of it",
     restaurant_alike},
    {"hall-ahead",
     "On Airport Hall RobustXray and local-search robust NMF are tied and ahead of the others",
     "video-hall",
     "ahead: by more than two standard errors; holds: the two are alike, and each is ahead of "
     "XRAY-l2, RPCA and robust low rank; differs: RobustXray is behind none of them",
     hall_ahead},
    {"hall-l2", "On Airport Hall XRAY in l2 is ahead of local-search robust low rank", "video-hall",
     "holds: ahead; differs: alike", hall_l2},
    {"lobby-alike",
     "On Lobby RobustXray, RPCA and local-search robust low rank are alike, ahead of robust NMF",
     "video-lobby",
     "holds: the three are alike, and each is ahead of robust NMF; differs: one of "
     "the two",
     lobby_alike},
    {"rpca-10x", "RobustXray is at least 10 times faster than robust PCA on video",
     "video-restaurant, video-hall, video-lobby",
     "each at the parameter of its best area; reduced sequences of a quick run count only where "
     "there are no others; holds: 10 or more on every sequence; differs: faster on every sequence",
     rpca_10x},
    {NULL, NULL, NULL, NULL, NULL}};
