/* Columns at rest: they were idle (idle_columns.c) when last tested. A column that is so still has
 * its size for a distance, and it is not farther than that if an anchor helps it now. So only those
 * are tested that may decide: the farthest, and of those that tie, by index, until one is idle. */
#include "xray/distances.h"

static int still_rests(chi_run *run, int64_t j) {
    if (chi_try_idle(run, j, 0)) return 1;
    run->far.resting[j] = 0;
    chi_heap_push(&run->far, j);
    return 0;
}

static int64_t farthest_at_rest(const chi_run *run) {
    const chi_distances *far = &run->far;
    int64_t found = -1;
    for (int64_t j = 0; j < run->X->cols; j++)
        if (far->resting[j] && chi_is_candidate(run, j) &&
            (found < 0 || far->bound[j] > far->bound[found]))
            found = j;
    return found;
}

int64_t chi_rest_farthest(chi_run *run) {
    if (!chi_may_be_idle(run)) return -1;
    int64_t farthest = farthest_at_rest(run);
    if (farthest < 0 || still_rests(run, farthest)) return farthest;
    for (int64_t j = 0; j < run->X->cols; j++)
        if (run->far.resting[j]) still_rests(run, j);
    return farthest_at_rest(run);
}

int64_t chi_rest_lowest(chi_run *run, int64_t below, int *woken) {
    const chi_distances *far = &run->far;
    for (int64_t j = 0; chi_may_be_idle(run) && j < below; j++) {
        if (!far->resting[j] || far->bound[j] < far->need || !chi_is_candidate(run, j)) continue;
        if (still_rests(run, j)) return j;
        *woken |= far->bound[j] >= far->need;
    }
    return below;
}
