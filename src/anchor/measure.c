/* What each loss says of a column besides its projection. To add a loss: a row. */
#include "anchor/anchor.h"

#include <math.h>

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
};

const chi_measure *chi_measure_find(int loss) {
    for (size_t i = 0; i < sizeof measures / sizeof *measures; i++)
        if (measures[i].loss == loss) return &measures[i];
    return NULL;
}

double chi_residual(const chi_measure *measure, double objective) {
    return measure->degree == 2 ? sqrt(objective) : objective;
}
