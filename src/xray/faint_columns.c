/* Faint columns, whose sum is small compared with the sums of others. A column that holds only
 * noise, such as a dark pixel, has an arbitrary direction and is therefore often an extreme ray.
 * The limit is a share of a high quantile of the sums, because a share of the largest sum would
 * depend on one outlier. */
#include "base/processes.h"
#include "xray/select.h"
#include "xray/xray.h"

#include <string.h>

static const double QUANTILE = 0.99; /* of the positive column sums */

/* Positive numbers have the same order as their bits. */
static double of_bits(uint64_t bits) {
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static ch_status count_positive(ch_context *context, int64_t *count, const double *sums,
                                int64_t cols, double most) {
    *count = 0;
    for (int64_t j = 0; j < cols; j++) *count += sums[j] > 0 && sums[j] <= most;
    return chi_total(context, count, 1);
}

/* Finds the quantile over all processes by bisection on the bits of the number, in 64 rounds, so
 * that no process needs the sums of others. */
ch_status chi_sums_quantile(ch_context *context, double *quantile, const double *sums, int64_t cols,
                            double share) {
    uint64_t low = 0, high = UINT64_C(0x7fefffffffffffff); /* the largest number */
    int64_t all, count;
    TRY(count_positive(context, &all, sums, cols, of_bits(high)));
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        TRY(count_positive(context, &count, sums, cols, of_bits(middle)));
        if ((double)count >= share * (double)all)
            high = middle;
        else
            low = middle + 1;
    }
    *quantile = of_bits(high);
    return CH_OK;
}

ch_status chi_faint_limit(ch_context *context, double *limit, const double *sums, int64_t cols,
                          double share) {
    double quantile = 0;
    if (share > 0) TRY(chi_sums_quantile(context, &quantile, sums, cols, QUANTILE));
    *limit = share * quantile;
    return CH_OK;
}

ch_status chi_mark_faint(ch_context *context, unsigned char *role, int64_t *count,
                         const double *sums, int64_t cols, double share) {
    double limit;
    *count = 0;
    TRY(chi_faint_limit(context, &limit, sums, cols, share));
    for (int64_t j = 0; j < cols; j++) {
        if (role[j] != CHI_FREE || sums[j] >= limit) continue;
        role[j] = CHI_FAINT;
        *count += sums[j] >= 0;
    }
    return chi_total(context, count, 1);
}
