/* Medians of columns, for median_filter.c. The median of count values is the lower one, element
 * (count - 1) / 2 of the sorted values. */
#pragma once

#include <stdint.h>

/* median[i] = the lower median of those entries of x[i - radius .. i + radius] that exist. O(1) per
 * entry, for any radius and values (median_window.c). */
void chi_median_window_bytes(uint8_t *median, const uint8_t *x, int64_t count, int64_t radius);

/* Workspace of chi_median_window(), which computes these medians for doubles in O(log count) per
 * entry. order and rank have count entries each, occupied has (count + 63) / 64. */
typedef struct chi_median_work {
    int32_t *order, *spare, *rank;
    uint64_t *occupied;
} chi_median_work;
void chi_median_window(const chi_median_work *w, double *median, const double *x, int64_t count,
                       int64_t radius);
