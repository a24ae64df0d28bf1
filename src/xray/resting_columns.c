/* Resting columns, which were idle (idle_columns.c) when last tested and are not in the heap. If
 * such a column is still idle, its distance is its size; if an anchor helps it now, the distance is
 * smaller. So the size is an upper bound, and only columns that may decide are tested again: the
 * farthest, and those that tie with it, by increasing index, until one is still idle. */
#include "xray/distances.h"

static int still_rests(chi_distances *far, int64_t j) {
    if (chi_try_idle(far, j, 0)) return 1;
    far->resting[j] = 0;
    chi_heap_push(far, j);
    return 0;
}

static int64_t farthest_at_rest(const chi_distances *far) {
    int64_t found = -1;
    for (int64_t j = 0; j < far->data->spread.X->cols; j++)
        if (far->resting[j] && chi_is_candidate(far, j) &&
            (found < 0 || chi_key(far, j) > chi_key(far, found)))
            found = j;
    return found;
}

int64_t chi_rest_farthest(chi_distances *far) {
    if (!far->idle) return -1;
    int64_t farthest = farthest_at_rest(far);
    if (farthest < 0 || still_rests(far, farthest)) return farthest;
    for (int64_t j = 0; j < far->data->spread.X->cols; j++)
        if (far->resting[j]) still_rests(far, j);
    return farthest_at_rest(far);
}

int64_t chi_rest_lowest(chi_distances *far, int64_t below, int *woken) {
    for (int64_t j = 0; far->idle && j < below; j++) {
        if (!far->resting[j] || chi_key(far, j) < far->need || !chi_is_candidate(far, j)) continue;
        if (still_rests(far, j)) return j;
        *woken |= chi_key(far, j) >= far->need;
    }
    return below;
}
