/* The properties of each loss that its projection does not define. To add a loss, add a row to the
 * table. */
#include "base/processes.h"
#include "project/columns/projector.h"

#include <math.h>

enum { RANGE = 500 }; /* exponents that leave headroom for squares and their sums */

/* |r|_1 <= sqrt(rows) |r|_2 */
static double from_l2_to_l1(double square, int64_t rows) {
    return sqrt((double)rows * square);
}

static double from_l2_to_l2(double square, int64_t rows) {
    (void)rows;
    return square;
}

static const chi_measure measures[] = {
    {.loss = CH_LOSS_L1, .degree = 1, .all_pairs = 0, .from_l2 = from_l2_to_l1},
    {.loss = CH_LOSS_QUANTILE, .degree = 1, .all_pairs = 0, .from_l2 = from_l2_to_l1},
    {.loss = CH_LOSS_L2, .degree = 2, .all_pairs = 1, .from_l2 = from_l2_to_l2},
    {.loss = CH_LOSS_KL, .degree = 1, .divergence = 1},
    {.loss = CH_LOSS_IS, .degree = 1, .divergence = 1},
    {.loss = CH_LOSS_BETA, .degree = 1, .divergence = 1},
    {.loss = CH_LOSS_LOGISTIC, .degree = 1, .divergence = 1},
    /* The custom loss is also defined for an empty cone, because phi may be finite at 0 and phi =
     * x^2 must select the same anchors as l2. */
    {.loss = CH_LOSS_CUSTOM, .degree = 1, .divergence = 1, .empty = 1},
};

const chi_measure *chi_measure_find(int loss) {
    for (size_t i = 0; i < sizeof measures / sizeof *measures; i++)
        if (measures[i].loss == loss) return &measures[i];
    return NULL;
}

double chi_skew_of(const ch_anchors_settings *settings) {
    return settings->loss == CH_LOSS_QUANTILE ? 1 - 2 * settings->quantile : 0;
}

double chi_residual(const chi_measure *measure, double objective) {
    return measure->degree == 2 ? sqrt(objective) : objective;
}

double chi_degree_of(const ch_anchors_settings *set) {
    int loss = set->loss;
    if (loss == CH_LOSS_L1 || loss == CH_LOSS_QUANTILE || loss == CH_LOSS_KL) return 1;
    if (loss == CH_LOSS_L2) return 2;
    return loss == CH_LOSS_BETA ? set->beta : 0;
}

const double *chi_row_weights_of(const ch_anchors_settings *set) {
    if (!set->row_weights || chi_degree_of(set) != 0) return NULL;
    for (int64_t i = 0; i < set->row_weight_count; i++)
        if (set->row_weights[i] != 0 && set->row_weights[i] != 1) return set->row_weights;
    return NULL;
}

static double weighted_at_floor(const chi_cone *cone, const chi_column *x) {
    const chi_loss *loss = cone->loss;
    double value[CHI_LOSS_BLOCK], weight[CHI_LOSS_BLOCK], model[CHI_LOSS_BLOCK], sum = 0;
    for (int k = 0; k < CHI_LOSS_BLOCK; k++) model[k] = loss->floor;
    for (int64_t low = 0, at = 0; low < x->rows; low += CHI_LOSS_BLOCK) {
        int64_t some =
            chi_column_rows(cone, x, low, &at, loss->lifts_data ? loss->floor : 0, value, weight);
        sum += chi_loss_weighted_value(loss, weight, value, model, some);
    }
    return sum;
}

double chi_divergence_at_floor(const chi_cone *cone, const chi_column *x) {
    const chi_loss *loss = cone->loss;
    if (cone->row_weight) return weighted_at_floor(cone, x);
    double lift = loss->lifts_data ? loss->floor : 0;
    double sum = (double)(x->rows - x->count) * chi_loss_value(loss, &lift, &loss->floor, 1);
    for (int64_t low = 0; low < x->count; low += CHI_LOSS_BLOCK) {
        double lifted[CHI_LOSS_BLOCK], model[CHI_LOSS_BLOCK];
        int64_t some = x->count - low < CHI_LOSS_BLOCK ? x->count - low : CHI_LOSS_BLOCK;
        for (int64_t e = 0; e < some; e++) {
            lifted[e] = x->value[low + e] + lift;
            model[e] = loss->floor;
        }
        sum = chi_loss_add_values(loss, sum, lifted, model, some);
    }
    return sum;
}

ch_status chi_check_sizes(ch_context *context, const double *sums, int64_t cols) {
    double largest = 0;
    for (int64_t j = 0; j < cols; j++) largest = sums[j] > largest ? sums[j] : largest;
    TRY(chi_largest(context, &largest, 1));
    if (largest == 0 || (largest >= ldexp(1, -RANGE) && largest <= ldexp(1, RANGE))) return CH_OK;
    return chi_fail(context, CH_ERR_DATA,
                    "the largest column sum is %.3g, but it must be between 2^-%d and 2^%d; "
                    "multiply the data by a power of two",
                    largest, RANGE, RANGE);
}
