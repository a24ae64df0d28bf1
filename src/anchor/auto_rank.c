/* The automatic rank, from the residuals on the way (the paper leaves the choice open).
 *
 * While anchors are missing, some column is far from the cone: the anchor itself. When the last one
 * is found, the largest residual falls to what the noise leaves, and then goes on slowly. So:
 *
 *     the rank is where the largest residual last fell by 20 % or more in one step (for the first
 *     anchor, from the largest column's norm: by half or more);
 *     if it never did, or is not known (exterior rand), it is where the summed objective of a
 * sample of 256 columns, anchors left out, last fell by a share of 1.5 / rows or more (a
 * coefficient fitted to noise takes about 1 / rows away).
 *
 * The run looks ahead until five anchors in a row did neither, after one that did (where columns
 * have nothing in common, only the last one does), to 200 anchors at most. The first
 * choice, which is often no anchor, is dropped, and chosen once more only if it is missed by the
 * same rule. Exact data end the run earlier: every column is in the cone. */
#include "anchor/anchor.h"

#include <math.h>

enum { LIMIT = 200, SAMPLE = 256, PATIENCE = 5 };
static const double LARGEST_FALL = 0.2, FIRST_FALL = 0.5, SAMPLE_FALL = 1.5;

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
        run->unproven += !fit.proven;
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
    double residual = chi_residual(run->measure, run->distance);
    double fall = run->count == 1 ? FIRST_FALL : LARGEST_FALL;
    int largest = run->set->exterior != CH_EXTERIOR_RAND; /* else that of any column */
    if (run->count > 0) {
        if (largest && residual <= (1 - fall) * sample->distance) sample->last_fall = run->count;
        if (fall_of_sample(run) * (double)run->X->rows >= SAMPLE_FALL)
            sample->last_gain = run->count;
    }
    /* A divergence from no anchor at all is no number to compare with. */
    sample->distance = run->count > 0 || !run->measure->divergence ? residual : 0;
    int seen = sample->last_fall > 0 || sample->last_gain > 0;
    return seen && run->count - sample->last_fall >= PATIENCE &&
           run->count - sample->last_gain >= PATIENCE && run->count - run->given >= PATIENCE;
}

int64_t chi_auto_rank(chi_run *run) {
    chi_sample *sample = &run->sample;
    int64_t rank = sample->last_fall > 0 ? sample->last_fall : sample->last_gain;
    if (rank < run->given) rank = run->given;
    if (rank < 1) rank = 1;
    sample->distance = run->residual[rank - 1];
    return rank;
}

void chi_auto_watch(chi_run *run) {
    fall_of_sample(run);
}

int chi_auto_missed(chi_run *run) {
    chi_sample *sample = &run->sample;
    double residual = chi_residual(run->measure, run->distance);
    if (sample->last_fall > 0) return sample->distance <= (1 - LARGEST_FALL) * residual;
    return -fall_of_sample(run) * (double)run->X->rows >= SAMPLE_FALL;
}
