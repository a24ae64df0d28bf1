/* The automatic rank, from the residuals on the way (paper, Section 6 leaves the choice open).
 *
 * An anchor made a difference when it lowered
 *     the largest residual by a tenth or more, or
 *     the summed objective of a fixed sample of columns by a share of 2 / rows or more.
 * The run stops when three anchors in a row made none, or at the limit, and the last anchor that
 * did is the last one kept. Why these: a coefficient fitted to noise lowers a column's objective by
 * about a share of 1 / rows, so twice that is more than noise gives away; an anchor that few
 * columns need hardly shows in a sample, but its own column is far from the cone until it is
 * chosen. With exact data the run ends earlier, when every column is in the cone. */
#include "anchor/anchor.h"

#include <math.h>

enum { LIMIT = 200, SAMPLE = 256, PATIENCE = 3 };
static const double LARGEST_FALL = 0.9, SAMPLE_FALL = 2.0;

int64_t chi_auto_limit(const chi_run *run, int64_t usable) {
    int64_t limit = run->X->rows < usable ? run->X->rows : usable;
    if (limit > LIMIT) limit = LIMIT;
    return limit > run->set->keep_count ? limit : run->set->keep_count;
}

ch_status chi_auto_create(chi_run *run) {
    chi_sample *sample = &run->sample;
    int64_t cols = run->X->cols;
    sample->list = chi_alloc(run->context, cols, sizeof *sample->list);
    sample->objective = chi_alloc(run->context, SAMPLE, sizeof *sample->objective);
    if (!sample->list || !sample->objective)
        return chi_no_memory(run->context, "the automatic rank", cols, sizeof *sample->list);
    ch_random_shuffle(&run->random, sample->list, cols);
    for (int64_t at = 0; at < cols && sample->count < SAMPLE; at++) {
        int64_t j = sample->list[at];
        if (run->role[j] == CHI_EMPTY) continue;
        sample->objective[sample->count] = run->measure->divergence ? INFINITY : run->size[j];
        sample->list[sample->count++] = j;
    }
    sample->distance = INFINITY;
    return CH_OK;
}

void chi_auto_destroy(chi_run *run) {
    chi_free(run->context, run->sample.objective);
    chi_free(run->context, run->sample.list);
}

/* Share of the sample's objective that the last anchor took away; anchors do not count, since
 * their own objective falls to zero whatever they explain. */
static double fall_of_sample(chi_run *run) {
    chi_sample *sample = &run->sample;
    double before = 0, after = 0;
    chi_fit fit;
    for (int64_t at = 0; at < sample->count; at++) {
        int64_t j = sample->list[at];
        chi_project_column(&run->projector, 0, &fit, run->projector.worker[0].b, NULL, j);
        if (run->role[j] != CHI_CHOSEN) {
            before += sample->objective[at];
            after += fit.objective;
        }
        sample->objective[at] = fit.objective;
    }
    return before > 0 ? 1 - after / before : 0;
}

int chi_auto_enough(chi_run *run) {
    chi_sample *sample = &run->sample;
    if (run->count <= run->given || run->reselecting) return 0;
    double residual = chi_residual(run->measure, run->distance);
    int fell = residual <= LARGEST_FALL * sample->distance;
    fell |= fall_of_sample(run) * (double)run->X->rows >= SAMPLE_FALL;
    sample->distance = residual;
    if (fell) sample->last = run->count;
    return run->count - sample->last >= PATIENCE;
}

int64_t chi_auto_rank(const chi_run *run) {
    return run->count - run->sample.last >= PATIENCE ? run->sample.last : run->count;
}
