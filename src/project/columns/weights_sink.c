/* Passes the weights of columns to the callback of the caller (ch_weights_fn). */
#include "project/columns/weights_sink.h"

#include <string.h>

static const double PART = 0.1; /* less may be noise that happens to fit */

void chi_weights_count(int64_t *parts, const double *h, const double *sums, int64_t rank) {
    double whole = 0;
    for (int64_t k = 0; k < rank; k++) whole += h[k] * sums[k];
    for (int64_t k = 0; k < rank; k++) parts[k] += h[k] * sums[k] > PART * whole;
}

ch_status chi_weights_give(chi_weights_sink *sink, double *H, int64_t rows, int64_t first,
                           int64_t count) {
    int64_t rank = rows - sink->origin;
    for (int64_t j = 0; j < count; j++) {
        double *h = H + j * rank;
        int64_t k = 0;
        if (sink->origin) memmove(h, H + j * rows + 1, (size_t)rank * sizeof *h);
        while (k < rank && h[k] == 0) k++;
        sink->zero_weights += k == rank;
        chi_weights_count(sink->parts, h, sink->sums, rank);
    }
    return sink->take(sink->user, H, first, count) == 0 ? CH_OK : CH_STOP_CANCELLED;
}
