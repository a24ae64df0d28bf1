/* Selects the element at a given place of the sorted values by Hoare's algorithm: O(count) on
 * average for any values. */
#include "linalg/linalg.h"

double chi_select_value(double *x, int64_t count, int64_t at) {
    int64_t low = 0, high = count - 1;
    while (low < high) {
        double pivot = x[low + (high - low) / 2];
        int64_t i = low, j = high;
        while (i <= j) {
            while (x[i] < pivot) i++;
            while (x[j] > pivot) j--;
            if (i > j) break;
            double swap = x[i];
            x[i++] = x[j];
            x[j--] = swap;
        }
        if (at <= j)
            high = j;
        else if (at >= i)
            low = i;
        else
            break;
    }
    return x[at];
}
