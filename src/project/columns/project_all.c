/* H = argmin loss(X, X_A H), H >= 0: the canonical projection of every column (Algorithm 1, step
 * 3).
 *
 * Columns are divided into blocks of fixed size, which the threads share. Sums are stored per block
 * and added in block order, and the part of a process begins with a block, so the sums do not
 * depend on the number of threads or processes.
 *
 * Blocks are projected in waves. After each wave:
 *
 *   - progress is reported;
 *   - the duals of the wave are appended in column order, because their number is not known before;
 *   - the wave is written to the checkpoint, if there is one, so that a later run can reuse it;
 *   - the weights are passed to the sink, if there is one.
 *
 * The size of a wave follows from the measured time per column: a killed run loses at most its last
 * wave, and a run without a checkpoint reports twice a second. Each process measures its own time,
 * because records name their columns and waves of different processes need not have equal sizes. */
#include "base/processes.h"
#include "project/columns/column_wave.h"
#include "project/lad/lad_lanes.h"

#include <math.h>
#include <string.h>

enum {
    BLOCK = 16, /* columns whose sums are added */
    /* Columns that a thread takes at a time; fewer than BLOCK, as rows may be long. */
    GRAIN = 4,
    WAVE = 4096, /* maximum number of columns in a wave */
    /* Maximum growth from wave to wave, because the cost of columns differs. */
    GROWTH = 8,
    /* Maximum number of dual entries in the slots of a wave, if BLOCK allows. */
    SLOT_ENTRIES = 1 << 21
};
static const double WAVE_SECONDS = 2;     /* maximum work lost when a run is killed        */
static const double REPORT_SECONDS = 0.5; /* time between two reports without a checkpoint */

_Static_assert(BLOCK % GRAIN == 0, "a block is some grains");
_Static_assert((int)CHI_LANE_COLUMNS == (int)BLOCK,
               "sums are the same whether columns are projected together");
_Static_assert(CH_COMM_BLOCK % BLOCK == 0 && CH_COMM_BLOCK % CHI_MOST_TOGETHER == 0,
               "the parts of the processes begin with a block");

/* Returns the weight of the objective of column j. */
static double weight_of(const chi_projector *projector, int64_t j) {
    const chi_trust *trust = projector->trust;
    return trust && trust->column_weight ? trust->column_weight[j] : 1;
}

static void add_fit(chi_tally *sum, const chi_projector *projector, const chi_fit *fit, int64_t j) {
    double objective = weight_of(projector, j) * fit->objective;
    sum->objective += objective;
    sum->largest = fmax(sum->largest, chi_residual(projector->measure, objective));
    sum->gap = fmax(sum->gap, fit->gap);
    sum->infeasibility = fmax(sum->infeasibility, fit->infeasibility);
    sum->stationarity = fmax(sum->stationarity, fit->stationarity);
    sum->pivots += fit->pivots;
    sum->unproven += !fit->proven;
}

static void keep_exceptions(const chi_wave *w, int thread, int64_t j) {
    int64_t at = (j - w->low) * w->slot;
    w->used[j - w->low] = chi_project_exceptions(w->projector, thread, w->row + at, w->value + at);
}

static void project_grain(void *user, int64_t grain, int thread) {
    chi_wave *w = user;
    const chi_projector *projector = w->projector;
    int64_t low = w->low + grain * GRAIN, high = low + GRAIN < w->high ? low + GRAIN : w->high;
    if (low % BLOCK == 0) chi_prefetch_block(w->context, projector->X, BLOCK, low / BLOCK);
    for (int64_t j = low; j < high; j++) {
        double *b = w->H ? chi_wave_H(w, j) : projector->worker[thread].b;
        chi_project_column(projector, thread, &w->fits[j - w->low], b, NULL, j);
        if (w->slot) keep_exceptions(w, thread, j);
    }
}

typedef struct listener {
    const chi_wave *w;
    int thread;
} listener;

static void keep_done(void *user, int64_t j) {
    const listener *own = user;
    keep_exceptions(own->w, own->thread, j);
}

static void project_together(void *user, int64_t block, int thread) {
    chi_wave *w = user;
    listener own = {w, thread};
    int64_t low = w->low + block * w->block, count = w->projector->cone->count;
    chi_column_block columns = {.X = w->projector->X,
                                .lo = low,
                                .hi = low + w->block < w->high ? low + w->block : w->high,
                                .fits = w->fits + (low - w->low),
                                .H = w->H ? chi_wave_H(w, low)
                                          : w->points + thread * w->block * count,
                                .done = w->slot ? keep_done : NULL,
                                .user = &own};
    chi_prefetch_block(w->context, w->projector->X, w->block, w->low / w->block + block);
    for (int64_t j = low; w->slot && j < columns.hi; j++) w->used[j - w->low] = 0;
    chi_project_together(w->projector, thread, &columns);
}

static void add_block(chi_wave *w, int64_t block) {
    int64_t low = w->low + block * w->block, high = low + w->block;
    chi_tally *sum = &w->tallies[block];
    *sum = (chi_tally){0};
    for (int64_t j = low; j < high && j < w->high; j++)
        add_fit(sum, w->projector, &w->fits[j - w->low], j);
}

void chi_wave_add(chi_projected *all, const chi_wave *w, int64_t block, const chi_tally *tally) {
    w->objective[w->low / w->block + block] = tally->objective;
    all->objective += tally->objective;
    all->largest = fmax(all->largest, tally->largest);
    all->certificate.gap = fmax(all->certificate.gap, tally->gap);
    all->certificate.dual_infeasibility =
        fmax(all->certificate.dual_infeasibility, tally->infeasibility);
    all->certificate.stationarity = fmax(all->certificate.stationarity, tally->stationarity);
    all->pivots += tally->pivots;
    all->unproven += tally->unproven;
}

/* Reserves memory for `more` duals after the first `held`; the capacity doubles. */
static ch_status reserve_duals(chi_wave *w, chi_projected *all, int64_t held, int64_t more) {
    if (held + more <= w->capacity) return CH_OK;
    int64_t larger = 2 * (held + more);
    int32_t *row = chi_alloc(w->context, larger, sizeof *row);
    double *value = chi_alloc(w->context, larger, sizeof *value);
    if (!row || !value) {
        chi_free(w->context, row);
        chi_free(w->context, value);
        return chi_no_memory(w->context, "duals", larger, sizeof *row + sizeof *value);
    }
    if (held > 0) {
        memcpy(row, all->dual_row, (size_t)held * sizeof *row);
        memcpy(value, all->dual_value, (size_t)held * sizeof *value);
    }
    chi_free(w->context, all->dual_row);
    chi_free(w->context, all->dual_value);
    all->dual_row = row;
    all->dual_value = value;
    w->capacity = larger;
    return CH_OK;
}

static ch_status append_duals(chi_wave *w, chi_projected *all) {
    for (int64_t j = w->low; j < w->high; j++) {
        int64_t at = (j - w->low) * w->slot, used = w->used[j - w->low];
        int64_t held = all->dual_start[j];
        TRY(reserve_duals(w, all, held, used));
        all->dual_start[j + 1] = held + used;
        if (used == 0) continue; /* there may be no memory for duals yet */
        memcpy(all->dual_row + held, w->row + at, (size_t)used * sizeof *w->row);
        memcpy(all->dual_value + held, w->value + at, (size_t)used * sizeof *w->value);
    }
    return CH_OK;
}

/* Sets the sizes of waves. A column with duals needs a slot as long as the column. */
static void size_waves(chi_wave *w, int duals) {
    int64_t rows = w->projector->X->rows, threads = w->projector->threads;
    int64_t together = chi_projects_together(w->projector);
    w->block = together ? together : BLOCK;
    w->most = WAVE / w->block;
    w->slot = duals ? rows : 0;
    while (duals && w->most > threads && w->most * w->block * rows > SLOT_ENTRIES) w->most /= 2;
    w->least = threads < w->most ? threads : w->most;
    /* Short, so that the first report comes soon and a caller can estimate the total time. */
    w->blocks = w->least;
}

static ch_status create_wave(chi_wave *w, chi_projected *all) {
    int64_t rows = w->projector->X->rows, cols = w->projector->X->cols;
    int64_t columns = w->most * w->block;
    if (w->sink) w->H = chi_arena_doubles(&w->arena, columns * w->projector->cone->count);
    if (chi_projects_together(w->projector) && !w->H)
        w->points = chi_arena_doubles(&w->arena,
                                      w->projector->threads * w->block * w->projector->cone->count);
    if (w->slot) {
        w->row = chi_arena_alloc(&w->arena, columns * rows, sizeof *w->row);
        w->value = chi_arena_doubles(&w->arena, columns * rows);
        w->used = chi_arena_alloc(&w->arena, columns, sizeof *w->used);
        all->dual_start = chi_alloc_zero(w->context, cols + 1, sizeof *all->dual_start);
        if (!all->dual_start)
            return chi_no_memory(w->context, "duals", cols, sizeof *all->dual_start);
    }
    w->fits = chi_arena_alloc(&w->arena, columns, sizeof *w->fits);
    w->tallies = chi_arena_alloc(&w->arena, w->most, sizeof *w->tallies);
    w->objective = chi_arena_doubles(&w->arena, cols / w->block + 1);
    return chi_arena_status(&w->arena, "a wave of columns");
}

static void destroy_wave(chi_wave *w) {
    for (int64_t k = 0; k < w->kept_count; k++) chi_arena_free(&w->kept[k].arena);
    chi_arena_free(&w->arena);
}

/* ---- all waves ----------------------------------------------------------------------------- */

static ch_status make_wave(chi_wave *w, chi_projected *all) {
    int together = chi_projects_together(w->projector) > 0;
    if (!w->begun) chi_prefetch_pass(w->context, w->projector->X, w->block, w->low / w->block);
    w->begun = 1;
    int64_t parts = together ? chi_wave_blocks(w) : (w->high - w->low + GRAIN - 1) / GRAIN;
    TRY(chi_parallel_apart(w->context, parts, together ? project_together : project_grain, w));
    for (int64_t block = 0; block < chi_wave_blocks(w); block++) {
        add_block(w, block);
        chi_wave_add(all, w, block, &w->tallies[block]);
    }
    return w->slot ? append_duals(w, all) : CH_OK;
}

/* Passes the weights of columns low .. high - 1 to the sink, if there is one. */
static ch_status give_weights(const chi_wave *w, double *H, int64_t low, int64_t high) {
    if (!w->sink || high == low) return CH_OK;
    return chi_weights_give(w->sink, H, w->projector->cone->count, low, high - low);
}

/* Appends the duals, and passes on the weights, of columns from w->low on that an earlier run
 * projected. */
static ch_status pass_kept(chi_wave *w, chi_projected *all) {
    for (; w->kept_next < w->kept_count && w->kept[w->kept_next].low == w->low; w->kept_next++) {
        chi_kept_columns *kept = &w->kept[w->kept_next];
        int64_t held = w->slot ? all->dual_start[kept->low] : 0, duals = 0;
        for (int64_t j = kept->low; w->slot && j < kept->high; j++) {
            duals += kept->used[j - kept->low];
            all->dual_start[j + 1] = held + duals;
        }
        if (duals > 0) {
            TRY(reserve_duals(w, all, held, duals));
            memcpy(all->dual_row + held, kept->row, (size_t)duals * sizeof *kept->row);
            memcpy(all->dual_value + held, kept->value, (size_t)duals * sizeof *kept->value);
        }
        w->low = kept->high;
        TRY_OK(give_weights(w, kept->H, kept->low, kept->high));
        chi_arena_free(&kept->arena); /* otherwise all duals would be stored twice at the end */
    }
    w->high = w->low;
    return CH_OK;
}

/* Sets the size of the next wave so that it takes about `seconds`, if its columns are like those of
 * the last wave. */
static void pace(chi_wave *w, double took, double seconds) {
    double wanted = fmin(seconds * (double)chi_wave_blocks(w) / fmax(took, 1e-9),
                         (double)GROWTH * (double)w->blocks);
    w->blocks = wanted < (double)w->least  ? w->least
                : wanted > (double)w->most ? w->most
                                           : (int64_t)wanted;
}

/* Projects the next wave, if any column is left. The wave ends where kept columns begin. */
static ch_status next_wave(chi_wave *w, chi_projected *all, const ch_checkpoint *checkpoint) {
    int64_t end = w->kept_next < w->kept_count ? w->kept[w->kept_next].low : w->projector->X->cols;
    if (w->low >= end) return CH_OK;
    double began = chi_seconds(), seconds = checkpoint ? checkpoint->seconds : 0;
    w->high = w->low + w->blocks * w->block < end ? w->low + w->blocks * w->block : end;
    if (w->sink) w->H_from = w->low;
    TRY(make_wave(w, all));
    pace(w, chi_seconds() - began,
         !checkpoint   ? REPORT_SECONDS
         : seconds > 0 ? seconds
                       : WAVE_SECONDS);
    return CH_OK;
}

/* With a checkpoint all processes make their waves at the same time, because a record holds the
 * waves of all processes. */
static ch_status agree_on(const chi_wave *w, ch_status status, int together) {
    return together ? ch_comm_agree(w->context, status) : status;
}

static ch_status run_waves(chi_wave *w, chi_projected *all, const ch_checkpoint *checkpoint) {
    int64_t cols = w->projector->X->cols;
    int together = checkpoint && chi_process_count(w->context) > 1;
    for (w->low = 0;; w->low = w->high) {
        TRY(agree_on(w, pass_kept(w, all), together));
        int64_t left = cols - w->low;
        if (together) TRY(chi_total(w->context, &left, 1));
        if (left == 0) break;
        TRY(agree_on(w, next_wave(w, all, checkpoint), together));
        TRY(chi_wave_save(w, all, checkpoint));
        TRY_OK(give_weights(w, w->H, w->low, w->high));
        int stop = w->high > w->low &&
                   chi_notify(w->context, "project", w->high, cols, -1, all->objective);
        TRY_OK(agree_on(w, stop ? CH_STOP_CANCELLED : CH_OK, together));
    }
    return w->slot ? reserve_duals(w, all, 0, 1) : CH_OK;
}

/* Combines the sums and maxima of all processes. */
static ch_status add_processes(const chi_wave *w, chi_projected *all) {
    ch_certificate *worst = &all->certificate;
    double largest[] = {all->largest, worst->gap, worst->dual_infeasibility, worst->stationarity};
    int64_t counts[] = {all->pivots, all->unproven};
    int64_t cols = w->projector->X->cols;
    TRY(chi_sum(w->context, &all->objective, w->objective, (cols + w->block - 1) / w->block));
    TRY(chi_largest(w->context, largest, 4));
    TRY(chi_total(w->context, counts, 2));
    all->largest = largest[0];
    *worst = (ch_certificate){largest[1], largest[2], largest[3]};
    all->pivots = counts[0];
    all->unproven = counts[1];
    return CH_OK;
}

ch_status chi_project_all(ch_context *context, chi_projected *all, double *H,
                          const chi_projector *projector, int duals,
                          const ch_checkpoint *checkpoint, chi_weights_sink *sink) {
    chi_wave w = {.context = context,
                  .projector = projector,
                  .arena = {.context = context},
                  .H = H,
                  .sink = sink};
    *all = (chi_projected){0};
    if (!projector->solver->exceptions) duals = 0; /* the dual is the residual */
    chi_begin_phase(context, "project", projector->X->cols);
    size_waves(&w, duals);
    ch_status status = create_wave(&w, all);
    if (checkpoint) status = ch_comm_agree(context, status);
    if (checkpoint && status == CH_OK) status = chi_waves_load(&w, all, checkpoint);
    if (status == CH_OK) status = chi_outside_status(run_waves(&w, all, checkpoint));
    status = ch_comm_agree(context, status);
    if (status == CH_OK) status = add_processes(&w, all);
    if (projector->measure->divergence && !projector->loss.convex)
        /* There is no lower bound, so the gap is unknown rather than 0. */
        all->certificate.gap = NAN;
    if (status != CH_OK) {
        chi_free(context, all->dual_start);
        chi_free(context, all->dual_row);
        chi_free(context, all->dual_value);
        *all = (chi_projected){0};
    }
    destroy_wave(&w);
    return status;
}
