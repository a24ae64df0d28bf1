/* Compares scores of pixels with a known mask: exact ROC curve, area under the curve, F-measure.
 *
 * A pixel is classified as foreground if its score is at least a threshold. The pixels of all
 * frames are counted together:
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

/** The confusion matrix of classified pixels: numbers of pixels. Positives are the pixels
 *  classified as foreground, negatives those classified as background. A positive or negative is
 *  true if the known mask agrees, and false if it does not. The formulas below write TP, FP, TN and
 *  FN for the four numbers. */
typedef struct ch_pixel_counts {
    int64_t true_positives, false_positives, true_negatives, false_negatives;
} ch_pixel_counts;

/** Returns the precision: the share of the pixels classified as foreground that really are
 *  foreground, TP / (TP + FP). NaN if no pixel was classified as foreground. */
CH_API double ch_pixel_counts_precision(const ch_pixel_counts *counts);
/** Returns the recall: the share of the foreground pixels that were classified as foreground, TP /
 *  (TP + FN). NaN if no pixel is foreground. */
CH_API double ch_pixel_counts_recall(const ch_pixel_counts *counts);
/** Returns the F-measure: the harmonic mean of precision and recall, 2 TP / (2 TP + FP + FN). NaN
 *  if no pixel is foreground or classified as foreground. */
CH_API double ch_pixel_counts_f_measure(const ch_pixel_counts *counts);

/** Returns the specificity: the share of the background pixels that were classified as background,
 *  TN / (TN + FP). NaN if no pixel is background. The false positive rate is 1 - specificity. */
CH_API double ch_pixel_counts_specificity(const ch_pixel_counts *counts);
/** Returns the percentage of wrong classifications, 0 to 100: 100 (FP + FN) / (TP + FP + TN +
 *  FN). */
CH_API double ch_pixel_counts_pwc(const ch_pixel_counts *counts);

/** Compares `pixels` pixels of `mask` with the known mask `truth` and adds the outcome to the
 *  counts. In both masks non-zero is foreground. Only pixels where `region` is non-zero are
 *  counted; region NULL means all pixels. */
CH_API void ch_pixel_counts_add(ch_pixel_counts *counts, const uint8_t *mask, const uint8_t *truth,
                                const uint8_t *region, int64_t pixels);

/** One point of a ROC curve: the outcome of one threshold. */
typedef struct ch_roc_point {
    double threshold;        /**< pixels with a score >= threshold are classified as foreground */
    int64_t true_positives;  /**< number of foreground pixels with a score >= threshold */
    int64_t false_positives; /**< number of background pixels with a score >= threshold */
} ch_roc_point;

/** A ROC curve. At its first point no pixel is classified as foreground (threshold +inf); then the
 *  thresholds are all distinct scores in decreasing order; at the last point all pixels are
 *  classified as foreground. ch_roc_free() frees the points. */
typedef struct ch_roc {
    size_t size;                  /**< sizeof(ch_roc); the caller sets it */
    ch_roc_point *points;         /**< the points, in the order of decreasing thresholds */
    int64_t count;                /**< number of points */
    int64_t positives, negatives; /**< numbers of foreground and background pixels */
    /** Area under the curve: the probability that a foreground pixel has a larger score than a
     *  background pixel, plus half the probability that they are equal. NaN without foreground or
     *  without background. */
    double auc;
    double best_f; /**< largest F-measure of all thresholds; NaN without foreground */
    /** Highest threshold at which the F-measure is best_f; NaN without foreground. */
    double best_threshold;
} ch_roc;

/** A scorer: it collects, for many pixels, the foreground score and whether the pixel really is
 *  foreground, and computes the ROC curve. It is opaque; ch_scorer_create() makes it. */
typedef struct ch_scorer ch_scorer;

/** Creates a scorer; ch_scorer_destroy() frees it. */
CH_API ch_status ch_scorer_create(ch_context *context, ch_scorer **scorer);
/** Adds the 8-bit scores of `pixels` pixels of one frame to a scorer, which counts them in a
 *  histogram. `truth` is non-zero where a pixel is foreground. Only pixels where `region` is
 *  non-zero are counted; region NULL means all pixels. All scores of one scorer must have the same
 *  type: u8, u16 or f32. */
CH_API ch_status ch_scorer_add_u8(ch_scorer *scorer, const uint8_t *scores, const uint8_t *truth,
                                  const uint8_t *region, int64_t pixels);
/** Adds 16-bit scores to a scorer, like ch_scorer_add_u8(). They are counted in a histogram. */
CH_API ch_status ch_scorer_add_u16(ch_scorer *scorer, const uint16_t *scores, const uint8_t *truth,
                                   const uint8_t *region, int64_t pixels);
/** Adds floating-point scores to a scorer, like ch_scorer_add_u8(). They are stored, which takes 4
 *  bytes of memory per pixel. Returns CH_ERR_DATA if a score is NaN; the message names its
 *  position. */
CH_API ch_status ch_scorer_add_f32(ch_scorer *scorer, const float *scores, const uint8_t *truth,
                                   const uint8_t *region, int64_t pixels);
/** Computes the ROC curve of all pixels that were added to a scorer so far. The caller sets
 *  roc->size and later calls ch_roc_free(). More pixels may be added after this call. */
CH_API ch_status ch_scorer_finish(ch_scorer *scorer, ch_roc *roc);
/** Frees a scorer. NULL is allowed. */
CH_API void ch_scorer_destroy(ch_scorer *scorer);

/** Returns the exact confusion matrix for any threshold; the threshold need not belong to a point
 *  of the curve. The call takes O(log roc->count) time. */
CH_API ch_pixel_counts ch_roc_at(const ch_roc *roc, double threshold);
/** Reduces a curve for drawing. Writes at most `count` points of the curve to `points`, an array of
 *  the caller: the first point, the last point, and points about evenly spaced between them; count
 *  must be at least 2. Returns the number of points written. */
CH_API int64_t ch_roc_thin(const ch_roc *roc, ch_roc_point *points, int64_t count);
/** Frees the points of a curve. NULL is allowed. */
CH_API void ch_roc_free(ch_context *context, ch_roc *roc);

CH_END_DECLS
#endif
