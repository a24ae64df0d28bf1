/* Scores of pixels compared with a known mask: the exact ROC curve, its area, the F-measure.
 *
 * A pixel is classified as foreground if its score is >= a threshold. All frames are pooled:
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

/** The confusion matrix of pixels. */
typedef struct ch_pixel_counts {
    int64_t true_positives, false_positives, true_negatives, false_negatives;
} ch_pixel_counts;

/** TP / (TP + FP); NaN if no pixel was classified as foreground. */
CH_API double ch_pixel_counts_precision(const ch_pixel_counts *counts);
/** TP / (TP + FN); NaN if no pixel is foreground. */
CH_API double ch_pixel_counts_recall(const ch_pixel_counts *counts);
/** 2 TP / (2 TP + FP + FN); NaN if that is 0 / 0. */
CH_API double ch_pixel_counts_f_measure(const ch_pixel_counts *counts);

/** TN / (TN + FP); NaN if no pixel is background. The false positive rate is 1 minus this. */
CH_API double ch_pixel_counts_specificity(const ch_pixel_counts *counts);
/** Wrong classifications in per cent of all: 100 (FP + FN) / (TP + FP + TN + FN). */
CH_API double ch_pixel_counts_pwc(const ch_pixel_counts *counts);

/** Compares a mask with the truth (non-zero is foreground in both) and adds the pixels to the
 *  counts. Only pixels where region is non-zero count; NULL means all. */
CH_API void ch_pixel_counts_add(ch_pixel_counts *counts, const uint8_t *mask, const uint8_t *truth,
                                const uint8_t *region, int64_t pixels);

/** One point of the curve: counts of the pixels with scores >= threshold. */
typedef struct ch_roc_point {
    double threshold;
    int64_t true_positives, false_positives;
} ch_roc_point;

/** The curve. At its first point no pixel is foreground (threshold +inf); thresholds then go
 *  through all distinct scores in decreasing order; at the last point all pixels are foreground. */
typedef struct ch_roc {
    size_t size; /**< sizeof(ch_roc); the caller sets it */
    ch_roc_point *points;
    int64_t count;
    int64_t positives, negatives; /**< numbers of foreground and background pixels               */
    double auc;            /**< P(score of a positive > of a negative) + P(equal) / 2; NaN when
                                there are no positives or no negatives                        */
    double best_f;         /**< the largest F-measure of all thresholds; NaN without positives  */
    double best_threshold; /**< its threshold, the highest if several; NaN without positives    */
} ch_roc;

typedef struct ch_scorer ch_scorer;

CH_API ch_status ch_scorer_create(ch_context *context, ch_scorer **scorer);
/** Adds the pixels of one frame. truth: non-zero is foreground. region: NULL, or non-zero where a
 *  pixel counts. NaN scores are refused; the message names their position. u8 and u16 scores are
 *  counted in a histogram, f32 scores are stored (4 bytes a pixel). All scores of a scorer must
 *  have one type. */
CH_API ch_status ch_scorer_add_u8(ch_scorer *scorer, const uint8_t *scores, const uint8_t *truth,
                                  const uint8_t *region, int64_t pixels);
CH_API ch_status ch_scorer_add_u16(ch_scorer *scorer, const uint16_t *scores, const uint8_t *truth,
                                   const uint8_t *region, int64_t pixels);
CH_API ch_status ch_scorer_add_f32(ch_scorer *scorer, const float *scores, const uint8_t *truth,
                                   const uint8_t *region, int64_t pixels);
/** The curve of all pixels added so far; more may be added afterwards. */
CH_API ch_status ch_scorer_finish(ch_scorer *scorer, ch_roc *roc);
CH_API void ch_scorer_destroy(ch_scorer *scorer);

/** The counts at any threshold, exact, in O(log count). */
CH_API ch_pixel_counts ch_roc_at(const ch_roc *roc, double threshold);
/** Reduces the curve for drawing to at most count (>= 2) points: the first, the last, and others
 *  about evenly spaced along it. Returns their number. */
CH_API int64_t ch_roc_thin(const ch_roc *roc, ch_roc_point *points, int64_t count);
CH_API void ch_roc_free(ch_context *context, ch_roc *roc);

CH_END_DECLS
#endif
