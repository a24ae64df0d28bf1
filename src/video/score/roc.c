/* Counts for a threshold, the rates computed from them, and points of a ROC curve. */
#include "base/sized.h"
#include <conehull/metrics.h>
#include <math.h>

static double ratio(int64_t part, int64_t whole) {
    return whole ? (double)part / (double)whole : NAN;
}

double ch_pixel_counts_precision(const ch_pixel_counts *counts) {
    return ratio(counts->true_positives, counts->true_positives + counts->false_positives);
}

double ch_pixel_counts_recall(const ch_pixel_counts *counts) {
    return ratio(counts->true_positives, counts->true_positives + counts->false_negatives);
}

double ch_pixel_counts_f_measure(const ch_pixel_counts *counts) {
    int64_t twice = 2 * counts->true_positives;
    return ratio(twice, twice + counts->false_positives + counts->false_negatives);
}

double ch_pixel_counts_specificity(const ch_pixel_counts *counts) {
    return ratio(counts->true_negatives, counts->true_negatives + counts->false_positives);
}

double ch_pixel_counts_pwc(const ch_pixel_counts *counts) {
    int64_t wrong = counts->false_positives + counts->false_negatives;
    return 100 * ratio(wrong, wrong + counts->true_positives + counts->true_negatives);
}

void ch_pixel_counts_add(ch_pixel_counts *counts, const uint8_t *mask, const uint8_t *truth,
                         const uint8_t *region, int64_t pixels) {
    int64_t sums[4] = {0}; /* index: 2 * (called foreground) + (is foreground) */
    for (int64_t i = 0; i < pixels; i++)
        if (!region || region[i]) sums[2 * (mask[i] != 0) + (truth[i] != 0)]++;
    counts->true_negatives += sums[0];
    counts->false_negatives += sums[1];
    counts->false_positives += sums[2];
    counts->true_positives += sums[3];
}

ch_pixel_counts ch_roc_at(const ch_roc *roc, double threshold) {
    /* Points[low].threshold >= threshold > points[high].threshold. */
    int64_t low = 0, high = roc->count;
    while (high - low > 1) {
        int64_t middle = low + (high - low) / 2;
        if (roc->points[middle].threshold >= threshold)
            low = middle;
        else
            high = middle;
    }
    int64_t taken = roc->points[low].true_positives, wrong = roc->points[low].false_positives;
    return (ch_pixel_counts){.true_positives = taken,
                             .false_positives = wrong,
                             .true_negatives = roc->negatives - wrong,
                             .false_negatives = roc->positives - taken};
}

/* Returns the length of the curve up to a point. Both rates only rise, so their sum measures it. */
static double along(const ch_roc *roc, int64_t point) {
    const ch_roc_point *at = &roc->points[point];
    double length = roc->positives ? (double)at->true_positives / (double)roc->positives : 0;
    return length + (roc->negatives ? (double)at->false_positives / (double)roc->negatives : 0);
}

int64_t ch_roc_thin(const ch_roc *roc, ch_roc_point *points, int64_t count) {
    int64_t last = roc->count - 1, taken = 0;
    double total = along(roc, last);
    for (int64_t i = 0; i < last && taken < count - 1; i++) {
        double wanted = total * (double)taken / (double)(count - 1);
        if (i == 0 || along(roc, i) >= wanted) points[taken++] = roc->points[i];
    }
    points[taken++] = roc->points[last];
    return taken;
}

void ch_roc_free(ch_context *context, ch_roc *roc) {
    if (!roc) return;
    chi_free(context, roc->points);
    chi_result_clear(roc);
}
