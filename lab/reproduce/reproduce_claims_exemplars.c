/* Claims about exemplars of documents (paper, Section 5.2).
 *
 * Differences of two methods are judged against their standard error over the splits that both
 * were tried on, split by split, as all methods get the same halves. */
#include "reproduce/reproduce.h"
#include "reproduce/reproduce_claims.h"
#include <math.h>
#include <string.h>

enum { RANKS = 32, SPLITS = 1000, MEASURED = REPRO_MEASURED };

/* Names of rows of exemplars figures. */
static const char robust[] = "RobustXray", smrs[] = "SMRS";
static const char *const hull_methods[] = {"SPA", "XRAY-l2", robust, NULL};
static const char *const paper_others[] = {"XRAY-l2", "SPA", smrs, NULL};
static const char *const paper_methods[] = {robust, "XRAY-l2", "SPA", smrs, NULL};

static int values_of(double *values, const json_t *results, const char *method, const char *list) {
    return repro_list(values, RANKS, json_object_get(repro_row(results, "methods", method), list));
}

/* Returns the accuracy of a split, averaged over the ranks or, if place >= 0, at one rank; NaN if
 * it was not measured. */
static double split_value(const json_t *results, const char *method, int split, int place) {
    double values[RANKS];
    const json_t *each = json_object_get(repro_row(results, "methods", method), "each");
    int count = repro_list(values, RANKS, json_array_get(each, (size_t)split));
    if (place >= count) return NAN;
    return place >= 0 ? values[place] : repro_mean(values, count);
}

typedef struct lead {
    /* mean and standard error of the difference; the error is infinite for fewer than two splits */
    double mean, error;
} lead;

/* Returns the mean lead of method a over method b, over the splits that both have. */
static lead lead_over(const json_t *results, const char *a, const char *b, int place) {
    static double each[SPLITS];
    int splits = (int)json_array_size(json_object_get(repro_row(results, "methods", a), "each"));
    int both = 0;
    for (int s = 0; s < splits && s < SPLITS; s++) {
        double ahead = split_value(results, a, s, place) - split_value(results, b, s, place);
        if (!isnan(ahead)) each[both++] = ahead;
    }
    return (lead){repro_mean(each, both), both > 1 ? repro_sd(each, both) / sqrt(both) : INFINITY};
}

/* ---- ten exemplars ---- */

static double error_at_ten(const json_t *results, const char *method) {
    double sd[RANKS];
    double splits = repro_real(repro_row(results, "methods", method), "splits");
    values_of(sd, results, method, "sd");
    return splits > 1 ? sd[0] / sqrt(splits) : INFINITY;
}

static int say_ten(char *measured, const json_t *results, const char *method, double *mean,
                   double *error) {
    double means[RANKS];
    if (!values_of(means, results, method, "mean")) return 0;
    *mean = means[0];
    *error = error_at_ten(results, method);
    int length =
        snprintf(measured, MEASURED, "accuracy of %.1f %% with ten exemplars", 100 * *mean);
    if (isinf(*error))
        snprintf(measured + length, (size_t)(MEASURED - length), " (one split)");
    else
        snprintf(measured + length, (size_t)(MEASURED - length),
                 " (standard error %.1f over %.0f "
                 "splits)",
                 100 * *error, repro_real(repro_row(results, "methods", method), "splits"));
    return 1;
}

static repro_verdict reuters_70(char *measured, const json_t *figures) {
    double mean, error;
    if (!say_ten(measured, repro_results(figures, "exemplars-reuters"), robust, &mean, &error))
        return REPRO_NOT_RUN;
    if (mean > 0.7) return REPRO_HOLDS;
    return mean + fmax(0.02, isinf(error) ? 0 : 2 * error) > 0.7 ? REPRO_DIFFERS : REPRO_FAILS;
}

static repro_verdict reuters_smrs(char *measured, const json_t *figures) {
    const json_t *results = repro_results(figures, "exemplars-reuters");
    double mean, error;
    if (!say_ten(measured, results, smrs, &mean, &error)) return REPRO_NOT_RUN;
    lead ahead = lead_over(results, robust, smrs, 0);
    size_t length = strlen(measured);
    snprintf(measured + length, MEASURED - length,
             "; accuracy of RobustXray minus that of SMRS: %+.1f points", 100 * ahead.mean);
    if (fabs(mean - 0.5) <= 0.05) return REPRO_HOLDS;
    return ahead.mean >= 0.1 ? REPRO_DIFFERS : REPRO_FAILS;
}

/* ---- the whole range ---- */

static repro_verdict reuters_ahead(char *measured, const json_t *figures) {
    const json_t *results = repro_results(figures, "exemplars-reuters");
    double own[RANKS], other[RANKS], rank[RANKS];
    int count = values_of(own, results, robust, "mean"), behind = 0, clear = 1, above = 1;
    if (!count) return REPRO_NOT_RUN;
    repro_list(rank, RANKS, json_object_get(results, "ranks"));
    int length = snprintf(measured, MEASURED,
                          "accuracy of RobustXray minus that of another method, in points, mean "
                          "over the range (standard error):");
    for (const char *const *name = paper_others; *name; name++) {
        lead ahead = lead_over(results, robust, *name, -1);
        clear = clear && ahead.mean > 2 * ahead.error;
        above = above && ahead.mean > 0;
        length += snprintf(measured + length, (size_t)(MEASURED - length), "%s %s %+.1f",
                           name == paper_others ? "" : ",", *name, 100 * ahead.mean);
        if (!isinf(ahead.error))
            length += snprintf(measured + length, (size_t)(MEASURED - length), " (%.1f)",
                               100 * ahead.error);
    }
    for (int k = 0; k < count; k++) {
        int below = 0;
        for (const char *const *name = paper_others; *name; name++)
            below = below || (values_of(other, results, *name, "mean") && other[k] >= own[k]);
        behind += below;
    }
    snprintf(measured + length, (size_t)(MEASURED - length),
             "; another method is as good or better at %d of %d numbers of exemplars", behind,
             count);
    if (clear && behind == 0) return REPRO_HOLDS;
    return above ? REPRO_DIFFERS : REPRO_FAILS;
}

static repro_verdict bbc_alike(char *measured, const json_t *figures) {
    const json_t *results = repro_results(figures, "exemplars-bbc");
    double best = -INFINITY, worst = INFINITY, mean[RANKS];
    int length = snprintf(measured, MEASURED, "accuracy, mean over the range:");
    for (const char *const *name = paper_methods; *name; name++) {
        int count = values_of(mean, results, *name, "mean");
        if (!count) return REPRO_NOT_RUN;
        double own = repro_mean(mean, count);
        best = fmax(best, own);
        worst = fmin(worst, own);
        length += snprintf(measured + length, (size_t)(MEASURED - length), "%s %s %.1f %%",
                           name == paper_methods ? "" : ",", *name, 100 * own);
    }
    if (best - worst <= 0.03) return REPRO_HOLDS;
    return best - worst <= 0.1 ? REPRO_DIFFERS : REPRO_FAILS;
}

/* ---- duplicates, time ---- */

/* Judges, over both data sets, the number of near duplicates among the exemplars of the largest
 * rank and the change of the accuracy if they are left out. */
static repro_verdict no_cleaning(char *measured, const json_t *figures) {
    static const char *const sets[] = {"exemplars-reuters", "exemplars-bbc"};
    double most = 0, moved = 0, mean[RANKS], rank[RANKS];
    int length = 0, seen = 0;
    for (int i = 0; i < 2; i++) {
        const json_t *results = repro_results(figures, sets[i]);
        int ranks = repro_list(rank, RANKS, json_object_get(results, "ranks"));
        if (!ranks) continue;
        length += snprintf(measured + length, (size_t)(MEASURED - length),
                           "%s%s, near duplicates among %.0f exemplars (change of the accuracy "
                           "without them, in points):",
                           seen++ ? "; " : "", i ? "BBC" : "Reuters", rank[ranks - 1]);
        for (const char *const *name = paper_methods; *name; name++) {
            const json_t *row = repro_row(results, "methods", *name);
            double share = repro_real(row, "duplicates") / rank[ranks - 1];
            values_of(mean, results, *name, "mean");
            double change = repro_real(row, "cleaned") - mean[ranks - 1];
            length += snprintf(measured + length, (size_t)(MEASURED - length), "%s %s %.1f (%+.1f)",
                               name == paper_methods ? "" : ",", *name,
                               repro_real(row, "duplicates"), 100 * change);
            if (strcmp(*name, smrs) == 0) continue;
            most = fmax(most, share);
            moved = fmax(moved, fabs(change));
        }
    }
    if (!seen) return REPRO_NOT_RUN;
    if (most <= 0.02 && moved <= 0.01) return REPRO_HOLDS;
    return moved <= 0.01 ? REPRO_DIFFERS : REPRO_FAILS;
}

static repro_verdict smrs_slower(char *measured, const json_t *figures) {
    static const char *const sets[] = {"exemplars-reuters", "exemplars-bbc"};
    double least = INFINITY, most = 0;
    int length = snprintf(measured, MEASURED, "time of SMRS divided by that of another method,");
    for (int i = 0; i < 2; i++) {
        const json_t *results = repro_results(figures, sets[i]);
        if (!results) continue;
        double slow = repro_real(repro_row(results, "methods", smrs), "select");
        length += snprintf(measured + length, (size_t)(MEASURED - length),
                           "%s on %s:", most > 0 ? ";" : "", i ? "BBC" : "Reuters");
        for (const char *const *name = hull_methods; *name; name++) {
            double ratio = slow / repro_real(repro_row(results, "methods", *name), "select");
            least = fmin(least, ratio);
            most = fmax(most, ratio);
            length += snprintf(measured + length, (size_t)(MEASURED - length), "%s %s %.0f",
                               name == hull_methods ? "" : ",", *name, ratio);
        }
    }
    if (!(most > 0)) return REPRO_NOT_RUN;
    if (least >= 3 && most <= 10) return REPRO_HOLDS;
    return least >= 3 ? REPRO_DIFFERS : REPRO_FAILS;
}

const repro_claim repro_exemplars_claims[] = {
    {"reuters-70",
     "On Reuters a classifier trained on ten exemplars of RobustXray has an accuracy above 70 %",
     "exemplars-reuters",
     "holds: above 70 % on average; differs: less than two standard errors, or 2 points, below it",
     reuters_70},
    {"reuters-ahead",
     "On Reuters RobustXray's exemplars are ahead of all others from 10 to 150 by a clear margin",
     "exemplars-reuters",
     "others: XRAY-l2, SPA, SMRS; holds: ahead of each by more than two standard errors on average "
     "over the range, and of all at every number; differs: ahead of each on average",
     reuters_ahead},
    {"reuters-smrs",
     "On Reuters a classifier trained on ten exemplars of SMRS has an accuracy of 50 %",
     "exemplars-reuters",
     "holds: within 5 points of 50 %; differs: 10 points or more behind RobustXray", reuters_smrs},
    {"bbc-alike", "On BBC the exemplars of all methods give about the same accuracy",
     "exemplars-bbc",
     "RobustXray, XRAY-l2, SPA, SMRS; holds: averages over the range within 3 points; differs: "
     "within 10",
     bbc_alike},
    {"no-cleaning", "SPA and XRAY select no near duplicates, so none need to be removed",
     "exemplars-reuters, exemplars-bbc",
     "near duplicate: cosine above 0.9 with an earlier exemplar; holds: at most 2 % of the "
     "exemplars of SPA, XRAY-l2 and RobustXray, and accuracy without them within 1 point; differs: "
     "the latter alone",
     no_cleaning},
    {"smrs-slower", "SPA and XRAY are 3 to 10 times faster than SMRS",
     "exemplars-reuters, exemplars-bbc",
     "time to choose the largest number of exemplars; holds: all ratios from 3 to 10; differs: all "
     "3 or more, some above 10",
     smrs_slower},
    {NULL, NULL, NULL, NULL, NULL}};
