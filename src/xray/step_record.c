/* Stores each step of the selection as a record, so that a resumed run need not repeat it.
 *
 * The state of a run has three parts:
 *
 *   - Stored: what decides the following steps and costs as much to recompute as the step itself
 *     (the anchor, the unused rays, the random state, the place in the sequence of rand, the
 *     observations of the automatic rank), and what belongs to the result (the residual, the
 *     exterior column and D* of the step, counts).
 *   - Recomputed by chi_run_create() from data and seed: p, sizes, copies, the sample and the
 *     sequence. Roles and cone follow from the anchors.
 *   - Discarded: bounds, feasible points and products of the columns, which only save work. So the
 *     counts of projections and pivots include the work of both runs and may differ from those of
 *     an uninterrupted run; nothing else differs.
 *
 * Without bounds, the first search of a resumed run starts like one after anchors given in advance.
 * Steps that choose the first anchor again have their own kind of record. What happens between
 * (looking ahead, cutting back) is recomputed. */
#include "base/processes.h"
#include "checkpoint/records.h"
#include "xray/select.h"

typedef struct step {
    chi_run *run;
    int64_t before; /* number of anchors before this step */
    int64_t anchor;
    int64_t count[CHI_RUN_COUNTS];
} step;

static void step_fields(chi_record *record, void *user) {
    step *s = user;
    chi_run *run = s->run;
    chi_rays *rays = &run->rays;
    chi_sample *sample = &run->sample;
    int64_t last = run->data.spread.cols - 1, capacity = run->basis.cone.capacity;
    chi_record_number(record, &s->before, s->before, s->before);
    chi_record_number(record, &s->anchor, 0, last);
    for (int64_t k = 0; k < s->before; k++)
        chi_record_require(record, run->result->anchors[k] != s->anchor);
    if (s->before > 0 && !run->reselecting) /* the residual before this step */
        chi_record_values(record, &run->result->max_residual[s->before - 1], 1, sizeof(double));
    chi_record_number(record, &rays->exterior, -1, last);
    chi_record_number(record, &rays->count, 0, capacity);
    chi_record_number(record, &rays->used, 0, rays->count);
    chi_record_numbers(record, rays->found, rays->count, 0, last);
    chi_record_number(record, &run->far.next, 0, last);
    chi_record_numbers(record, s->count, CHI_RUN_COUNTS, 0, CHI_COUNT_MAX);
    chi_record_values(record, &run->random, 1, sizeof run->random);
    if (run->set->rank == 0) {
        chi_record_values(record, sample->objective, sample->count, sizeof *sample->objective);
        chi_record_values(record, &sample->distance, 1, sizeof sample->distance);
        chi_record_values(record, &sample->taken, 1, sizeof sample->taken);
        chi_record_values(record, &sample->mean, 1, sizeof sample->mean);
        chi_record_number(record, &sample->last_fall, 0, capacity);
        chi_record_number(record, &sample->last_gain, 0, capacity);
    }
    if (run->set->keep_duals && rays->exterior >= 0)
        chi_record_values(record, rays->d, run->basis.cone.rows, sizeof *rays->d);
}

static int kind_of(const chi_run *run) {
    return run->reselecting ? CHI_RECORD_AGAIN : CHI_RECORD_STEP;
}

ch_status chi_run_counts(const chi_run *run, int64_t *counts) {
    const chi_projector *projector = &run->basis.projector;
    counts[0] = run->basis.unproven;
    counts[1] = run->result->duals_checked;
    counts[2] = run->result->duals_valid;
    counts[3] = counts[4] = 0;
    for (int t = 0; t < projector->threads; t++) {
        counts[3] += projector->worker[t].solves;
        counts[4] += projector->worker[t].pivots;
    }
    return chi_total(run->context, counts, CHI_RUN_COUNTS);
}

ch_status chi_step_save(chi_run *run) {
    int64_t before = run->basis.cone.count - 1;
    if (!run->set->checkpoint) return CH_OK;
    step s = {.run = run, .before = before, .anchor = run->result->anchors[before]};
    TRY(chi_run_counts(run, s.count));
    return chi_record_save(run->context, run->set->checkpoint, kind_of(run), step_fields, &s);
}

/* Restores the counts: the first process holds the sums over all processes, others hold 0. */
static void take_over(chi_run *run, const int64_t *count) {
    const chi_projector *projector = &run->basis.projector;
    int first = chi_process_index(run->context) == 0;
    run->basis.unproven = first ? count[0] : 0;
    run->result->duals_checked = first ? count[1] : 0;
    run->result->duals_valid = first ? count[2] : 0;
    for (int t = 0; t < projector->threads; t++) {
        projector->worker[t].solves = first && t == 0 ? count[3] : 0;
        projector->worker[t].pivots = first && t == 0 ? count[4] : 0;
    }
}

ch_status chi_steps_restore(chi_run *run) {
    for (int found = 1; run->basis.cone.count < run->rank;) {
        step s = {.run = run, .before = run->basis.cone.count};
        TRY(chi_record_load(run->context, &found, run->set->checkpoint, kind_of(run), step_fields,
                            &s));
        if (!found) break;
        take_over(run, s.count);
        TRY(chi_take_anchor(run, s.anchor));
    }
    return CH_OK;
}
