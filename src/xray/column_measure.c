/* What each loss says of a column besides its projection. To add a loss: a row. */
#include "linalg/prefetch.h"
#include "xray/xray.h"

#include <math.h>

enum {
    BLOCK = 16, /* columns a thread takes at a time                                           */
    RANGE = 500 /* exponents that leave room for squares, and for sums of them                */
};
/* A residual up to this share of the column's norm is rounding: some hundred units of it. */
static const double ROUNDING = 1e-13;

/* |r|_1 <= sqrt(rows) |r|_2 */
static double spread_l1(double square, int64_t rows) {
    return sqrt((double)rows * square);
}

static double spread_l2(double square, int64_t rows) {
    (void)rows;
    return square;
}

static const chi_measure measures[] = {
    {.loss = CH_LOSS_L1, .degree = 1, .all_pairs = 0, .spread = spread_l1},
    {.loss = CH_LOSS_L2, .degree = 2, .all_pairs = 1, .spread = spread_l2},
    {.loss = CH_LOSS_KL, .degree = 1, .divergence = 1},
    {.loss = CH_LOSS_IS, .degree = 1, .divergence = 1},
    {.loss = CH_LOSS_BETA, .degree = 1, .divergence = 1},
    {.loss = CH_LOSS_LOGISTIC, .degree = 1, .divergence = 1},
    /* phi may be finite at 0, and x^2 must choose as l2 does. */
    {.loss = CH_LOSS_CUSTOM, .degree = 1, .divergence = 1, .empty = 1},
};

const chi_measure *chi_measure_find(int loss) {
    for (size_t i = 0; i < sizeof measures / sizeof *measures; i++)
        if (measures[i].loss == loss) return &measures[i];
    return NULL;
}

double chi_residual(const chi_measure *measure, double objective) {
    return measure->degree == 2 ? sqrt(objective) : objective;
}

double chi_divergence_at_floor(const chi_loss *loss, const chi_column *x) {
    double lift = loss->lifts_data ? loss->floor : 0;
    double sum = (double)(x->rows - x->count) * chi_loss_value(loss, &lift, &loss->floor, 1);
    for (int64_t e = 0; e < x->count; e++) {
        double lifted = x->value[e] + lift;
        sum += chi_loss_value(loss, &lifted, &loss->floor, 1);
    }
    return sum;
}

/* Size of the column at hand and what its divergence is at y = x + floor: a column of the cone
 * comes at least as near as that, and where x is zero nothing comes nearer. */
static double measure_column(const chi_loss *loss, double *least, const chi_column *x) {
    double lift = loss->lifts_data ? loss->floor : 0, zeros = (double)(x->rows - x->count), size;
    size = zeros * chi_loss_scale(loss, &lift, 1);
    *least = zeros * chi_loss_value(loss, &lift, &loss->floor, 1);
    for (int64_t e = 0; e < x->count; e++) {
        double lifted = x->value[e] + lift, model = x->value[e] + loss->floor;
        size += chi_loss_scale(loss, &lifted, 1);
        if (lifted != model) *least += chi_loss_value(loss, &lifted, &model, 1);
    }
    return size;
}

static void measure_block(void *user, int64_t block, int thread) {
    chi_run *run = user;
    int64_t low = block * BLOCK, high = low + BLOCK < run->X->cols ? low + BLOCK : run->X->cols;
    chi_worker *worker = &run->projector.worker[thread];
    chi_prefetch_block(run->context, run->X, BLOCK, block);
    for (int64_t j = low; j < high; j++) {
        run->least[j] = 0;
        if (!(run->norm[j] > 0)) continue;
        chi_column_load(&worker->x, worker->index, worker->value, run->X, j);
        run->size[j] = measure_column(&run->projector.loss, &run->least[j], &worker->x);
        if (run->measure->empty)
            run->norm[j] = chi_divergence_at_floor(&run->projector.loss, &worker->x);
    }
}

ch_status chi_check_sizes(ch_context *context, const double *sums, int64_t cols) {
    double largest = 0;
    for (int64_t j = 0; j < cols; j++) largest = sums[j] > largest ? sums[j] : largest;
    TRY(chi_largest(context, &largest, 1));
    if (largest == 0 || (largest >= ldexp(1, -RANGE) && largest <= ldexp(1, RANGE))) return CH_OK;
    return chi_fail(context, CH_ERR_DATA,
                    "the largest column sums to %.3g; conehull needs it between 2^-%d and 2^%d: "
                    "multiply the data by a power of two",
                    largest, RANGE, RANGE);
}

ch_status chi_measure_columns(chi_run *run) {
    run->share = pow(fmax(run->set->stop, ROUNDING), run->measure->degree);
    if (!run->measure->divergence) return CH_OK;
    chi_prefetch_pass(run->context, run->X, BLOCK, 0);
    return chi_parallel_until(run->context, (run->X->cols + BLOCK - 1) / BLOCK, measure_block, run);
}
