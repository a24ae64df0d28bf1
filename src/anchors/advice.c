/* Warnings about a result. The thresholds mark where it stops being useful: half of the columns
 * have no weights, half of the data are unexplained, or a quarter of the anchors are nearly empty
 * (a few may be for good reasons). An anchor is nearly empty if its sum is below 5 % of the median
 * column sum; 5 % is also the usual value of --faint. On a hull these two counts are not used,
 * because there dark anchors and columns without weights mean shade, for which that hull is
 * chosen. With weights, anchors are not compared with the median, which belongs to weighted data.
 *
 * An anchor is lonely if it is a part of at most FEW columns: itself and a copy of it. That is a
 * sign of an outlier, which is extreme by definition: a loss such as l1 bounds its weight in the
 * fit of other columns, but not its distance from them, by which anchors are selected. Small data
 * have such anchors without an outlier. So the mean number of columns of which an anchor is a part
 * must be USUAL or more: if columns chose their anchors at random, an anchor would then have at
 * most one column besides itself with probability (1 + 9) e^-9 = 0.1 % (Poisson with mean USUAL -
 * 1).
 *
 * The unexplained share compares the loss with that of a model without anchors. For l1 and l2 that
 * loss is a sum which the survey has. With missing entries, weights of columns or of entries, and
 * for other losses, it needs a pass (anchors/data/loss_without_anchors.h). */
#include "anchors/advice.h"
#include "anchors/data/loss_without_anchors.h"
#include "base/processes.h"
#include "base/sized.h"
#include "project/columns/weights_sink.h"
#include "xray/xray.h"

#include <math.h>
#include <stdio.h>

enum { FEW = 2 };
static const double EMPTY = 0.05, MOST = 0.5, MANY = 0.25, USUAL = 10;

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

/* Counts the anchors whose sum is below `least`. */
static int64_t count_empty(const chi_parts *parts, int64_t rank, double least) {
    int64_t count = 0;
    for (int64_t k = 0; k < rank; k++) count += parts->sums[k] < least;
    return count;
}

ch_status chi_parts_make(ch_context *context, chi_parts *parts, const ch_anchors_result *result) {
    int64_t rank = result->rank;
    parts->count = chi_alloc_zero(context, rank, sizeof *parts->count);
    parts->sums = chi_alloc_zero(context, rank, sizeof *parts->sums);
    if (!parts->count || !parts->sums)
        return chi_no_memory(context, "parts of columns", rank, sizeof(double));
    for (int64_t e = 0; e < rank * result->rows; e++) parts->sums[e / result->rows] += result->W[e];
    return CH_OK;
}

void chi_parts_free(ch_context *context, chi_parts *parts) {
    chi_free(context, parts->count);
    chi_free(context, parts->sums);
    *parts = (chi_parts){0};
}

/* Returns whether the run selected the anchor from X: the user did not, and the library has not. */
static int is_selected(int64_t anchor, int64_t cols, const ch_anchors_settings *set) {
    for (int64_t k = 0; k < set->keep_count; k++)
        if (set->keep[k] == anchor) return 0;
    return anchor < cols;
}

/* Fills lonely_anchors, lonely_column and mean_shared. `cols` counts the columns of all processes.
 * Anchors whose sum is below `least` have a warning of their own. */
static ch_status count_lonely(ch_context *context, ch_anchors_result *result, chi_parts *parts,
                              int64_t cols, double least, const ch_anchors_settings *set) {
    int64_t rank = result->rank, all = 0;
    for (int64_t j = 0; result->H && j < result->cols; j++)
        chi_weights_count(parts->count, result->H + j * rank, parts->sums, rank);
    TRY(chi_total(context, parts->count, (int)rank));
    result->lonely_anchors = 0;
    result->lonely_column = -1;
    for (int64_t k = 0; k < rank; k++) {
        all += parts->count[k];
        if (parts->count[k] > FEW || parts->sums[k] < least) continue;
        if (!is_selected(result->anchors[k], cols, set)) continue;
        if (result->lonely_anchors++ == 0) result->lonely_column = result->anchors[k];
    }
    result->mean_shared = rank > 0 ? (double)all / (double)rank : 0;
    return CH_OK;
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

ch_status chi_advise(ch_context *context, ch_anchors_result *result, chi_parts *parts,
                     const chi_scale *scale, const chi_usable *usable,
                     const ch_anchors_settings *resolved) {
    int64_t counts[2] = {result->H ? count_zero_weights(result) : result->zero_weights,
                         result->cols};
    int cone = resolved->hull == CH_HULL_CONE;
    int weighted = resolved->row_weights || resolved->column_weights || resolved->weights;
    double without = 0;
    int64_t columns = 0;
    TRY(compare_with(context, &without, &columns, scale, usable, resolved));
    TRY(chi_total(context, counts, 2));
    double least = cone && !weighted ? EMPTY * scale->median : 0;
    TRY(count_lonely(context, result, parts, counts[1], least, resolved));
    result->measured = 1;
    result->zero_weights = cone ? counts[0] - (counts[1] - columns) : 0;
    result->empty_anchors = count_empty(parts, result->rank, least);
    result->unexplained = without > 0 && without < INFINITY ? result->objective / without : NAN;
    result->warnings = 0;
    if ((double)result->zero_weights > MOST * (double)columns)
        result->warnings |= CH_WARN_ZERO_WEIGHTS;
    if ((double)result->empty_anchors >= fmax(1, MANY * (double)result->rank))
        result->warnings |= CH_WARN_EMPTY_ANCHORS;
    if (result->unexplained > MOST) result->warnings |= CH_WARN_UNEXPLAINED;
    if (result->lonely_anchors > 0 && result->mean_shared >= USUAL)
        result->warnings |= CH_WARN_LONELY_ANCHORS;
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

/* Under a divergence, entries that are zero in all anchors may cost more than a model without
 * anchors, whose loss is then exceeded. */
static void write_unexplained(char *text, size_t size, const ch_anchors_result *result) {
    static const char advice[] = "more anchors, another loss or refined factors may fit better, or "
                                 "the data are not mixtures of a few columns";
    const char *plural = result->rank == 1 ? "" : "s";
    if (result->unexplained > 1)
        snprintf(text, size,
                 "the data remain unexplained: the loss with %lld anchor%s is %.1f times the loss "
                 "without anchors; %s",
                 (long long)result->rank, plural, result->unexplained, advice);
    else
        snprintf(text, size, "%.0f %% of the data remain unexplained by %lld anchor%s; %s",
                 100 * result->unexplained, (long long)result->rank, plural, advice);
}

int ch_anchors_warning(char *text, size_t size, const ch_anchors_result *result, int warning) {
    ch_anchors_result own = {.size = sizeof own};
    if (!text || size == 0 || !result) return 0;
    *text = 0;
    size_t known = result->size < sizeof own ? result->size : sizeof own;
    if (known < offsetof(ch_anchors_result, warnings) + sizeof own.warnings) return 0;
    if (!(result->warnings & warning)) return 0;
    if (warning == CH_WARN_LONELY_ANCHORS && known < sizeof own) return 0;
    long long rank = result->rank;
    switch (warning) {
    case CH_WARN_ZERO_WEIGHTS:
        snprintf(text, size,
                 "all weights of %lld columns are zero, because no mixture of the anchors fits "
                 "these columns better than zero; with the loss l1 this is common for sparse "
                 "data; the loss l2 or kl, or another weighting of the values, may fit better",
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
        write_unexplained(text, size, result);
        return 1;
    case CH_WARN_LONELY_ANCHORS:
        snprintf(
            text, size,
            "%lld of %lld anchors make up a tenth or more of at most two columns each (the first "
            "is column %lld, counted from 0), although the mean is %.0f columns; they are rare "
            "columns or outliers, and no loss prevents the selection of outliers: leave such "
            "columns out, or try loss = quantile with exterior = share, which selects fewer of "
            "them",
            (long long)result->lonely_anchors, rank, (long long)result->lonely_column,
            result->mean_shared);
        return 1;
    default:
        return 0;
    }
}
