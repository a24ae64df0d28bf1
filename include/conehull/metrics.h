/* How well a score per pixel finds a known mask: the exact ROC curve, its area, the F-measure.
 *
 * A pixel is called foreground when its score is >= a threshold. Over all pixels that were added,
 * whatever frame they are from:
 *
 *     ch_scorer *scorer;
 *     ch_scorer_create(context, &scorer);
 *     while (next_frame(scores, truth)) // each frame with a known mask
 *         ch_scorer_add_f32(scorer, scores, truth, region, pixels);
 *     ch_roc roc = {.size = sizeof roc};
 *     ch_scorer_finish(scorer, &roc);
 *     // roc.auc, roc.best_f, roc.points[]
 *     ch_pixel_counts at = ch_roc_at(&roc, threshold);
 *     ch_roc_free(context, &roc);
 *     ch_scorer_destroy(scorer);
 *
 * Experimental (library conehull_video): may change in any version. */
#ifndef CONEHULL_METRICS_H
#define CONEHULL_METRICS_H

#include <conehull/context.h>

CH_BEGIN_DECLS

/** Pixels by what they are and what they were called. */
typedef struct ch_pixel_counts {
    int64_t true_positives, false_positives, true_negatives, false_negatives;
} ch_pixel_counts;

/** TP / (TP + FP); NaN when nothing was called foreground. */
CH_API double ch_pixel_counts_precision(const ch_pixel_counts *counts);
/** TP / (TP + FN); NaN when nothing is foreground. */
CH_API double ch_pixel_counts_recall(const ch_pixel_counts *counts);
/** 2 TP / (2 TP + FP + FN); NaN when nothing is foreground and nothing was called so. */
CH_API double ch_pixel_counts_f_measure(const ch_pixel_counts *counts);

/** TN / (TN + FP); NaN when nothing is background. The false positive rate is 1 less this. */
CH_API double ch_pixel_counts_specificity(const ch_pixel_counts *counts);
/** Wrong classifications in per cent of all: 100 (FP + FN) / (TP + FP + TN + FN). */
CH_API double ch_pixel_counts_pwc(const ch_pixel_counts *counts);

/** Adds a mask (non-zero: called foreground) against the truth (non-zero: is foreground) to the
 *  counts. region may be NULL (all pixels); elsewhere only pixels where it is non-zero count. */
CH_API void ch_pixel_counts_add(ch_pixel_counts *counts, const uint8_t *mask, const uint8_t *truth,
                                const uint8_t *region, int64_t pixels);

/** One point of the curve: what scores >= threshold would give. */
typedef struct ch_roc_point {
    double threshold;
    int64_t true_positives, false_positives;
} ch_roc_point;

/** The curve: its first point calls nothing foreground (threshold +inf), every further one takes in
 *  one more distinct score, falling; the last calls everything foreground. */
typedef struct ch_roc {
    size_t size; /**< sizeof(ch_roc); the caller sets it */
    ch_roc_point *points;
    int64_t count;
    int64_t positives, negatives; /**< pixels that are, that are not                           */
    double auc;            /**< P(score of a positive > of a negative) + P(equal) / 2; NaN when
                                there are no positives or no negatives                        */
    double best_f;         /**< the largest F-measure of all thresholds; NaN without positives  */
    double best_threshold; /**< where: of several the highest; NaN without positives            */
} ch_roc;

typedef struct ch_scorer ch_scorer;

CH_API ch_status ch_scorer_create(ch_context *context, ch_scorer **scorer);
/** Adds the pixels of one frame. truth: non-zero is foreground. region: NULL, or non-zero where a
 *  pixel counts. NaN scores are refused, with their position. Bytes and 16
 *  bits are counted (no memory per pixel), f32 values are kept (4 bytes a pixel). Kinds may not be
 *  mixed in one scorer. */
CH_API ch_status ch_scorer_add_u8(ch_scorer *scorer, const uint8_t *scores, const uint8_t *truth,
                                  const uint8_t *region, int64_t pixels);
CH_API ch_status ch_scorer_add_u16(ch_scorer *scorer, const uint16_t *scores, const uint8_t *truth,
                                   const uint8_t *region, int64_t pixels);
CH_API ch_status ch_scorer_add_f32(ch_scorer *scorer, const float *scores, const uint8_t *truth,
                                   const uint8_t *region, int64_t pixels);
/** The curve of all pixels so far; more may be added after it. */
CH_API ch_status ch_scorer_finish(ch_scorer *scorer, ch_roc *roc);
CH_API void ch_scorer_destroy(ch_scorer *scorer);

/** What scores >= threshold give: exact for any threshold, in O(log count). */
CH_API ch_pixel_counts ch_roc_at(const ch_roc *roc, double threshold);
/** For drawing: at most count (>= 2) points of the curve, the first and the last among them, the
 *  others about evenly spaced along it. Returns how many. */
CH_API int64_t ch_roc_thin(const ch_roc *roc, ch_roc_point *points, int64_t count);
CH_API void ch_roc_free(ch_context *context, ch_roc *roc);

CH_END_DECLS
#endif
