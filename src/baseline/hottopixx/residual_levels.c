/* Soft thresholds for balls of the l1 norm.
 *
 * The threshold of a column for radius t is the level at which sum_i (|v_i| - level)_+ equals t.
 * This sum is convex and decreasing in the level, so Newton's method from 0 ends after a few rounds
 * (Michelot 1986). The threshold as a function of t is also convex and decreasing, with slope -1
 * over the number of entries above it. The same holds for the sum of the thresholds of all columns,
 * so Newton's method from any start finds the radius at which they add up to a given number. Cost:
 * O(rows columns) per round. */
#include "baseline/hottopixx/residual_levels.h"

#include <math.h>

enum { ROUNDS = 60 };
static const double PRECISE = 1e-13;

/* Returns the threshold of a column. *above becomes the number of entries above it, at least 1. */
static double level_of_column(const double *v, int64_t rows, double radius, int64_t *above) {
    double level = 0, last = -1, sum = 0;
    *above = rows;
    for (int round = 0; round < ROUNDS && level > last; round++) {
        int64_t count = 0;
        sum = 0;
        for (int64_t i = 0; i < rows; i++) {
            int over = fabs(v[i]) > level;
            count += over;
            sum += over ? fabs(v[i]) : 0;
        }
        if (count == 0) break;
        *above = count;
        last = level;
        level = fmax(level, (sum - radius) / (double)count);
    }
    return level;
}

typedef struct sweep {
    chi_residual_levels *levels;
    double radius;
} sweep;

static void find_level(void *user, int64_t j, int thread) {
    const sweep *s = user;
    const chi_residual_levels *levels = s->levels;
    int64_t above;
    (void)thread;
    levels->level[j] =
        level_of_column(levels->V + j * levels->rows, levels->rows, s->radius, &above);
    levels->slope[j] = levels->level[j] > 0 ? 1 / (double)above : 0;
}

void chi_levels_of_radius(chi_residual_levels *levels, double radius) {
    sweep s = {levels, radius};
    chi_parallel(levels->context, levels->columns, find_level, &s);
}

double chi_levels_of_sum(chi_residual_levels *levels, double sum, double guess) {
    double radius = guess;
    for (int round = 0; round < ROUNDS; round++) {
        double total = 0, slope = 0;
        chi_levels_of_radius(levels, radius);
        for (int64_t j = 0; j < levels->columns; j++) {
            total += levels->level[j];
            slope += levels->slope[j];
        }
        int inside = radius == 0 && total <= sum;
        if (inside || fabs(total - sum) <= PRECISE * sum) break;
        if (slope > 0)
            radius = fmax(radius + (total - sum) / slope, 0);
        else
            radius /= 2; /* the radius exceeds the norm of every column */
    }
    return radius;
}
