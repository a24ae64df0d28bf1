/* Warnings about a result. The thresholds mark where it stops being useful: half of the columns
 * have no weights, half of the data are unexplained, or a quarter of the anchors are nearly empty
 * (a few may be for good reasons). An anchor is nearly empty if its sum is below 5 % of the median
 * column sum; 5 % is also the usual value of --faint. On a hull these two counts are not used,
 * because there dark anchors and columns without weights mean shade, for which that hull is
 * chosen. With weights, anchors are not compared with the median, which belongs to weighted data.
 *
 * The unexplained share compares the loss with that of a model without anchors. For l1 and l2 that
 * loss is a sum which the survey has. With missing entries, weights of columns or of entries, and
 * for other losses, it needs a pass (anchors/data/loss_without_anchors.h). */
#include "anchors/advice.h"
#include "anchors/data/loss_without_anchors.h"
#include "base/processes.h"
#include "base/sized.h"
#include "xray/xray.h"

#include <math.h>
#include <stdio.h>

static const double EMPTY = 0.05, MOST = 0.5, MANY = 0.25;

ch_status chi_scale_take(ch_context *context, chi_scale *scale, const chi_survey *survey,
                         int64_t cols) {
    *scale = (chi_scale){.squares = NAN};
    for (int64_t j = 0; j < cols; j++) scale->columns += survey->sums[j] > 0;
    TRY(chi_total(context, &scale->columns, 1));
    TRY(chi_sums_quantile(context, &scale->median, survey->sums, cols, 0.5));
    TRY(chi_sum(context, &scale->total, survey->sums, cols));
    return survey->squares ? chi_sum(context, &scale->squares, survey->squares, cols) : CH_OK;
}

static int64_t count_zero_weights(const ch_anchors_result *result) {
    int64_t count = 0;
    for (int64_t j = 0; j < result->cols; j++) {
        int64_t k = 0;
        while (k < result->rank && result->H[k + j * result->rank] == 0) k++;
        count += k == result->rank;
    }
    return count;
}

static int64_t count_empty(const ch_anchors_result *result, double least) {
    int64_t count = 0;
    for (int64_t k = 0; k < result->rank; k++) {
        double sum = 0;
        for (int64_t i = 0; i < result->rows; i++) sum += result->W[i + k * result->rows];
        count += sum < least;
    }
    return count;
}

/* Computes the loss without anchors and the number of columns that are not zero. */
static ch_status compare_with(ch_context *context, double *loss, int64_t *columns,
                              const chi_scale *scale, const chi_usable *usable,
                              const ch_anchors_settings *resolved) {
    int l1 = resolved->loss == CH_LOSS_L1, l2 = resolved->loss == CH_LOSS_L2;
    if (usable->trust || !(l1 || l2))
        return chi_loss_without_anchors(context, loss, columns, usable, resolved);
    *loss = l1 ? scale->total : scale->squares;
    *columns = scale->columns;
    return CH_OK;
}

ch_status chi_advise(ch_context *context, ch_anchors_result *result, const chi_scale *scale,
                     const chi_usable *usable, const ch_anchors_settings *resolved) {
    int64_t counts[2] = {result->H ? count_zero_weights(result) : result->zero_weights,
                         result->cols};
    int cone = resolved->hull == CH_HULL_CONE;
    int weighted = resolved->row_weights || resolved->column_weights || resolved->weights;
    double without = 0;
    int64_t columns = 0;
    TRY(compare_with(context, &without, &columns, scale, usable, resolved));
    TRY(chi_total(context, counts, 2));
    result->measured = 1;
    result->zero_weights = cone ? counts[0] - (counts[1] - columns) : 0;
    result->empty_anchors = cone && !weighted ? count_empty(result, EMPTY * scale->median) : 0;
    result->unexplained = without > 0 && without < INFINITY ? result->objective / without : NAN;
    result->warnings = 0;
    if ((double)result->zero_weights > MOST * (double)columns)
        result->warnings |= CH_WARN_ZERO_WEIGHTS;
    if ((double)result->empty_anchors >= fmax(1, MANY * (double)result->rank))
        result->warnings |= CH_WARN_EMPTY_ANCHORS;
    if (result->unexplained > MOST) result->warnings |= CH_WARN_UNEXPLAINED;
    return CH_OK;
}

int ch_anchors_rank_clear(const ch_anchors_result *result) {
    const double *residual = result ? result->max_residual : NULL;
    if (!residual) return 0;
    double last = 0, most = 0, least = result->rank < 4 ? 0.5 : 0.2;
    for (int64_t k = 1; k < result->rank; k++) {
        double fall = residual[k - 1] > 0 ? 1 - residual[k] / residual[k - 1] : 0;
        if (k + 1 == result->rank)
            last = fall;
        else
            most = fmax(most, fall);
    }
    return last >= least && last >= most;
}

int ch_anchors_warning(char *text, size_t size, const ch_anchors_result *result, int warning) {
    ch_anchors_result own = {.size = sizeof own};
    if (!text || size == 0 || !result) return 0;
    *text = 0;
    size_t known = result->size < sizeof own ? result->size : sizeof own;
    if (known < offsetof(ch_anchors_result, warnings) + sizeof own.warnings) return 0;
    if (!(result->warnings & warning)) return 0;
    long long rank = result->rank;
    switch (warning) {
    case CH_WARN_ZERO_WEIGHTS:
        snprintf(text, size,
                 "all weights of %lld columns are zero, because no mixture of the anchors fits "
                 "these columns better than zero; with the loss l1 that is common for sparse data, "
                 "where the loss l2 or kl or another weighting of the values may fit better",
                 (long long)result->zero_weights);
        return 1;
    case CH_WARN_EMPTY_ANCHORS:
        snprintf(text, size,
                 "%lld of %lld anchors are nearly empty columns (their sum is below 5 %% of the "
                 "median sum), whose direction is mostly noise; the setting faint = 0.05 excludes "
                 "such columns, and hull = convex0 compares points instead of directions",
                 (long long)result->empty_anchors, rank);
        return 1;
    case CH_WARN_UNEXPLAINED:
        snprintf(text, size,
                 "%.0f %% of the data remain unexplained by %lld anchor%s; more anchors, another "
                 "loss or "
                 "refined factors may fit better, or the data are not mixtures of a few columns",
                 100 * result->unexplained, rank, rank == 1 ? "" : "s");
        return 1;
    default:
        return 0;
    }
}
