/* What each loss says of a column besides its projection. To add a loss: a row. */
#include "anchor/anchor.h"

#include <math.h>

enum { BLOCK = 16 }; /* columns a thread takes at a time */

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
    {.loss = CH_LOSS_CUSTOM, .degree = 1, .divergence = 1},
};

const chi_measure *chi_measure_find(int loss) {
    for (size_t i = 0; i < sizeof measures / sizeof *measures; i++)
        if (measures[i].loss == loss) return &measures[i];
    return NULL;
}

double chi_residual(const chi_measure *measure, double objective) {
    return measure->degree == 2 ? sqrt(objective) : objective;
}

static void size_block(void *user, int64_t block, int thread) {
    chi_run *run = user;
    const chi_projector *projector = &run->projector;
    int64_t low = block * BLOCK, high = low + BLOCK < run->X->cols ? low + BLOCK : run->X->cols;
    double *x = projector->worker[thread].value;
    double lift = projector->loss.lifts_data ? projector->loss.floor : 0;
    for (int64_t j = low; j < high; j++) {
        if (run->norm[j] <= 0) continue;
        chi_column_gather(x, run->X, j);
        for (int64_t i = 0; i < run->X->rows; i++) x[i] += lift;
        run->size[j] = chi_loss_scale(&projector->loss, x, run->X->rows);
    }
}

void chi_measure_sizes(chi_run *run) {
    if (run->projector.loss.linear_zeros) return; /* |x|_1, which is there already */
    chi_parallel(run->context, (run->X->cols + BLOCK - 1) / BLOCK, size_block, run);
}
