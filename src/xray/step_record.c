/* One step of the selection as a record, so that a later run need not make it again.
 *
 * What a run knows falls in three parts. Stored here: what decides the steps to come and cannot be
 * had for less than the step itself (the anchor, the rays not used yet, the random state, the place
 * in the sequence of rand, what the automatic rank has seen), and what ends up in the result (the
 * residual, the column and D* that gave the anchor, counts). Made anew by the run that goes on: p,
 * sizes, copies, the sample, the sequence, which begin() computes from data and seed, and roles and
 * cone, which follow from the anchors. Given up: bounds, feasible points and products of the
 * columns, which only save work. So projections and pivots count what both runs did, and may
 * differ from those of a run in one piece; nothing else does.
 *
 * With the bounds gone the first search after a restart begins like one after anchors given in
 * advance. The steps of a run that drops its first anchor, and chooses once more, have a kind of
 * their own: what lies between (looking ahead, cutting back) is computed again. */
#include "base/checkpoint_records.h"
#include "base/processes.h"
#include "xray/select.h"

#include <string.h>

typedef struct step {
    int64_t anchor, count; /* the step's, and how many stood before it                     */
    int64_t exterior;      /* the column whose D* it is by, or -1                          */
    double residual;       /* after the anchors before it                                  */
    int64_t ray_count, rays_used;
    int64_t next; /* of the sequence of rand                                               */
    int64_t unproven, duals_checked, duals_valid, solves, pivots;
    ch_random random;
    int64_t sampled; /* automatic rank: objectives that follow                             */
    double distance; /* of chi_sample                                                      */
    int64_t last_fall, last_gain;
    int64_t rows; /* entries of D* that follow                                             */
} step;

static int kind_of(const chi_run *run) {
    return run->reselecting ? CHI_KEEP_AGAIN : CHI_KEEP_STEP;
}

void chi_count_work(const chi_projector *projector, int64_t *solves, int64_t *pivots) {
    *solves = *pivots = 0;
    for (int t = 0; t < projector->threads; t++) {
        *solves += projector->worker[t].solves;
        *pivots += projector->worker[t].pivots;
    }
}

/* What the processes have counted each for itself. */
static ch_status count_all(const chi_run *run, step *s) {
    int64_t counts[] = {run->basis.unproven, run->result->duals_checked, run->result->duals_valid,
                        0, 0};
    chi_count_work(&run->basis.projector, &counts[3], &counts[4]);
    TRY(chi_total(run->context, counts, 5));
    s->unproven = counts[0];
    s->duals_checked = counts[1];
    s->duals_valid = counts[2];
    s->solves = counts[3];
    s->pivots = counts[4];
    return CH_OK;
}

ch_status chi_step_save(chi_run *run) {
    const chi_sample *sample = &run->sample;
    const chi_rays *rays = &run->rays;
    int64_t before = run->basis.cone.count - 1;
    if (!run->set->checkpoint) return CH_OK;
    step s;
    memset(&s, 0, sizeof s);
    s.anchor = run->result->anchors[before];
    s.count = before;
    s.exterior = rays->exterior;
    s.residual = before > 0 ? run->result->max_residual[before - 1] : 0;
    s.ray_count = rays->count;
    s.rays_used = rays->used;
    s.next = run->far.next;
    TRY(count_all(run, &s));
    s.random = run->random;
    s.sampled = sample->count;
    s.distance = sample->distance;
    s.last_fall = sample->last_fall;
    s.last_gain = sample->last_gain;
    s.rows = run->set->keep_duals && s.exterior >= 0 ? run->basis.cone.rows : 0;
    ch_record_piece pieces[] = {{&s, sizeof s},
                                {rays->found, s.ray_count * (int64_t)sizeof *rays->found},
                                {sample->objective, s.sampled * (int64_t)sizeof *sample->objective},
                                {rays->d, s.rows * (int64_t)sizeof *rays->d}};
    return chi_records_add(run->context, run->set->checkpoint, pieces, 4, kind_of(run));
}

static int is_column(const chi_run *run, int64_t j) {
    return j >= 0 && j < run->data.spread.cols;
}

static int fits(const chi_run *run, const step *s) {
    int64_t capacity = run->basis.cone.capacity;
    if (!is_column(run, s->anchor) || s->count != run->basis.cone.count) return 0;
    for (int64_t k = 0; k < s->count; k++)
        if (run->result->anchors[k] == s->anchor) return 0;
    if (s->exterior != -1 && !is_column(run, s->exterior)) return 0;
    if (s->ray_count < 0 || s->ray_count > capacity) return 0;
    if (s->rays_used < 0 || s->rays_used > s->ray_count) return 0;
    if (s->next < 0 || s->next > run->data.spread.cols) return 0;
    if (s->sampled != run->sample.count) return 0;
    if (s->last_fall < 0 || s->last_fall > capacity) return 0;
    if (s->last_gain < 0 || s->last_gain > capacity) return 0;
    const int64_t counts[] = {s->unproven, s->duals_checked, s->duals_valid, s->solves, s->pivots};
    for (int i = 0; i < 5; i++)
        if (!chi_record_counts(counts[i])) return 0;
    return s->rows == (run->set->keep_duals && s->exterior >= 0 ? run->basis.cone.rows : 0);
}

/* The counts of all processes are those of the first from now on. */
static void take_over(chi_run *run, const step *s) {
    const chi_projector *projector = &run->basis.projector;
    int first = chi_process_index(run->context) == 0;
    if (s->count > 0 && !run->reselecting) run->result->max_residual[s->count - 1] = s->residual;
    run->rays.exterior = s->exterior;
    run->rays.count = s->ray_count;
    run->rays.used = s->rays_used;
    run->far.next = s->next;
    run->basis.unproven = first ? s->unproven : 0;
    run->result->duals_checked = first ? s->duals_checked : 0;
    run->result->duals_valid = first ? s->duals_valid : 0;
    run->random = s->random;
    run->sample.distance = s->distance;
    run->sample.last_fall = s->last_fall;
    run->sample.last_gain = s->last_gain;
    for (int t = 0; t < projector->threads; t++) {
        projector->worker[t].solves = first && t == 0 ? s->solves : 0;
        projector->worker[t].pivots = first && t == 0 ? s->pivots : 0;
    }
}

static ch_status read_step(chi_run *run, int64_t *j) {
    const ch_checkpoint *checkpoint = run->set->checkpoint;
    chi_record record;
    step s;
    TRY(chi_records_take(run->context, &record, checkpoint, kind_of(run)));
    chi_record_get(&record, &s, 1, sizeof s);
    int good = fits(run, &s);
    if (good) {
        chi_record_get(&record, run->rays.found, s.ray_count, sizeof *run->rays.found);
        chi_record_get(&record, run->sample.objective, s.sampled, sizeof(double));
        chi_record_get(&record, run->rays.d, s.rows, sizeof *run->rays.d);
        for (int64_t k = 0; k < s.ray_count; k++) good &= is_column(run, run->rays.found[k]);
    }
    TRY(chi_record_end(run->context, &record, checkpoint, good));
    take_over(run, &s);
    *j = s.anchor;
    return CH_OK;
}

ch_status chi_steps_restore(chi_run *run) {
    int found = run->set->checkpoint != NULL;
    while (found && run->basis.cone.count < run->rank) {
        int64_t j;
        TRY(chi_records_found(run->context, &found, run->set->checkpoint, kind_of(run)));
        if (!found) break;
        TRY(read_step(run, &j));
        TRY(chi_take_anchor(run, j));
    }
    return CH_OK;
}
