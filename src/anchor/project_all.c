/* H = argmin loss(X, X_A H), H >= 0: every column's canonical projection (Algorithm 1, step 3).
 *
 * Columns are cut into blocks of fixed size that the threads share; sums are kept per block and
 * added in block order, so they depend neither on the threads nor on the ranks, whose parts begin
 * with a block. Blocks run in waves: between two waves the caller hears of the progress, the duals
 * of the wave, whose number nobody knows in advance, are appended in column order, and the wave
 * goes to the checkpoint, from which a later run takes it. */
#include "anchor/anchor.h"
#include "linalg/expect.h"

#include <math.h>
#include <string.h>

enum {
    BLOCK = 16,            /* columns whose sums are added                                    */
    GRAIN = 4,             /* of these, as many as a thread takes at a time: rows may be long */
    TOGETHER = 64,         /* columns that are projected together, where they are             */
    WAVE = 4096,           /* columns between two words to the caller                         */
    SLOT_ENTRIES = 1 << 21 /* dual entries that the slots of a wave may hold, if BLOCK allows */
};

_Static_assert(BLOCK % GRAIN == 0, "a block is some grains");
_Static_assert(CH_COMM_BLOCK % BLOCK == 0 && CH_COMM_BLOCK % TOGETHER == 0,
               "the parts of the ranks begin with a block");

/* What a block of columns added up to. */
typedef struct tally {
    double objective, largest, gap, infeasibility, stationarity;
    int64_t pivots, unproven;
} tally;

typedef struct wave {
    ch_context *context;
    const chi_projector *projector;
    double *H;         /* of all columns, or NULL                                            */
    int64_t low, high; /* its columns                                                        */
    int64_t block;     /* columns of a block                                                 */
    int begun;         /* a wave was made                                                    */
    double *points;    /* a block a thread, if H is NULL and columns are projected together  */
    chi_fit *fits;     /* one a column                                                       */
    tally *tallies;    /* one a block                                                        */
    double *objective; /* of every block of all waves                                        */
    int64_t slot;      /* entries of a column's slot; 0: no duals wanted                     */
    int32_t *row;
    double *value;
    int64_t *used;    /* entries in each slot                                               */
    int64_t capacity; /* duals there is room for in the result                              */
} wave;

static void add_fit(tally *sum, const chi_measure *measure, const chi_fit *fit) {
    sum->objective += fit->objective;
    sum->largest = fmax(sum->largest, chi_residual(measure, fit->objective));
    sum->gap = fmax(sum->gap, fit->gap);
    sum->infeasibility = fmax(sum->infeasibility, fit->infeasibility);
    sum->stationarity = fmax(sum->stationarity, fit->stationarity);
    sum->pivots += fit->pivots;
    sum->unproven += !fit->proven;
}

static void keep_exceptions(const wave *w, int thread, int64_t j) {
    int64_t at = (j - w->low) * w->slot;
    w->used[j - w->low] = chi_project_exceptions(w->projector, thread, w->row + at, w->value + at);
}

static void project_grain(void *user, int64_t grain, int thread) {
    wave *w = user;
    const chi_projector *projector = w->projector;
    int64_t low = w->low + grain * GRAIN, high = low + GRAIN < w->high ? low + GRAIN : w->high;
    if (low % BLOCK == 0) chi_expect_block(w->context, projector->X, BLOCK, low / BLOCK);
    for (int64_t j = low; j < high; j++) {
        double *b = w->H ? w->H + j * projector->cone->count : projector->worker[thread].b;
        chi_project_column(projector, thread, &w->fits[j - w->low], b, NULL, j);
        if (w->slot) keep_exceptions(w, thread, j);
    }
}

typedef struct listener {
    const wave *w;
    int thread;
} listener;

static void hear_of(void *user, int64_t j) {
    const listener *own = user;
    keep_exceptions(own->w, own->thread, j);
}

static void project_together(void *user, int64_t block, int thread) {
    wave *w = user;
    listener own = {w, thread};
    int64_t low = w->low + block * TOGETHER, count = w->projector->cone->count;
    int64_t high = low + TOGETHER < w->high ? low + TOGETHER : w->high;
    double *H = w->H ? w->H + low * count : w->points + thread * TOGETHER * count;
    chi_expect_block(w->context, w->projector->X, TOGETHER, w->low / TOGETHER + block);
    for (int64_t j = low; w->slot && j < high; j++) w->used[j - w->low] = 0;
    chi_project_together(w->projector, thread, w->fits + (low - w->low), H, low, high,
                         w->slot ? hear_of : NULL, &own);
}

static void add_block(wave *w, int64_t block) {
    int64_t low = w->low + block * w->block, high = low + w->block;
    tally *sum = &w->tallies[block];
    *sum = (tally){0};
    for (int64_t j = low; j < high && j < w->high; j++)
        add_fit(sum, w->projector->measure, &w->fits[j - w->low]);
}

static void add_tally(chi_projected *all, const tally *block) {
    all->objective += block->objective;
    all->largest = fmax(all->largest, block->largest);
    all->certificate.gap = fmax(all->certificate.gap, block->gap);
    all->certificate.dual_infeasibility =
        fmax(all->certificate.dual_infeasibility, block->infeasibility);
    all->certificate.stationarity = fmax(all->certificate.stationarity, block->stationarity);
    all->pivots += block->pivots;
    all->unproven += block->unproven;
}

/* Room for `more` duals after the first `held`; the capacity doubles. */
static ch_status reserve_duals(ch_context *context, chi_projected *all, wave *w, int64_t held,
                               int64_t more) {
    if (held + more <= w->capacity) return CH_OK;
    int64_t larger = 2 * (held + more);
    int32_t *row = chi_alloc(context, larger, sizeof *row);
    double *value = chi_alloc(context, larger, sizeof *value);
    if (!row || !value) {
        chi_free(context, row);
        chi_free(context, value);
        return chi_no_memory(context, "duals", larger, sizeof *row + sizeof *value);
    }
    if (held > 0) {
        memcpy(row, all->dual_row, (size_t)held * sizeof *row);
        memcpy(value, all->dual_value, (size_t)held * sizeof *value);
    }
    chi_free(context, all->dual_row);
    chi_free(context, all->dual_value);
    all->dual_row = row;
    all->dual_value = value;
    w->capacity = larger;
    return CH_OK;
}

static ch_status append_duals(ch_context *context, chi_projected *all, wave *w) {
    for (int64_t j = w->low; j < w->high; j++) {
        int64_t at = (j - w->low) * w->slot, used = w->used[j - w->low];
        int64_t held = all->dual_start[j];
        TRY(reserve_duals(context, all, w, held, used));
        all->dual_start[j + 1] = held + used;
        if (used == 0) continue; /* and perhaps no memory for any yet */
        memcpy(all->dual_row + held, w->row + at, (size_t)used * sizeof *w->row);
        memcpy(all->dual_value + held, w->value + at, (size_t)used * sizeof *w->value);
    }
    return CH_OK;
}

static ch_status create_wave(ch_context *context, wave *w, chi_projected *all, int64_t *blocks,
                             int duals) {
    int64_t rows = w->projector->X->rows, cols = w->projector->X->cols;
    int together = chi_projects_together(w->projector);
    w->block = together ? TOGETHER : BLOCK;
    *blocks = WAVE / w->block;
    if (together && !w->H) {
        int64_t points = w->projector->threads * TOGETHER * w->projector->cone->count;
        w->points = chi_alloc(context, points, sizeof *w->points);
        if (!w->points) return chi_no_memory(context, "a block", points, sizeof *w->points);
    }
    if (duals) {
        w->slot = rows;
        while (*blocks > w->projector->threads && *blocks * w->block * rows > SLOT_ENTRIES)
            *blocks /= 2;
        int64_t columns = *blocks * w->block;
        w->row = chi_alloc(context, columns * rows, sizeof *w->row);
        w->value = chi_alloc(context, columns * rows, sizeof *w->value);
        w->used = chi_alloc(context, columns, sizeof *w->used);
        all->dual_start = chi_alloc_zero(context, cols + 1, sizeof *all->dual_start);
        if (!w->row || !w->value || !w->used || !all->dual_start)
            return chi_no_memory(context, "duals", columns * rows + cols, sizeof *w->value);
    }
    w->fits = chi_alloc(context, *blocks * w->block, sizeof *w->fits);
    w->tallies = chi_alloc(context, *blocks, sizeof *w->tallies);
    w->objective = chi_alloc(context, cols / w->block + 1, sizeof *w->objective);
    if (!w->fits || !w->tallies || !w->objective)
        return chi_no_memory(context, "sums", *blocks * w->block + cols / w->block,
                             sizeof *w->fits);
    return CH_OK;
}

/* ---- waves of an earlier run --------------------------------------------------------------- */

/* Followed by the tallies of its blocks, its columns of H, and of the duals their number in each
 * column, their rows and their values. */
typedef struct wave_head {
    int64_t anchors, low, high;
    int64_t has_H, duals; /* duals: -1 when they are not kept */
} wave_head;

static int64_t blocks_of(const wave *w) {
    return (w->high - w->low + w->block - 1) / w->block;
}

static ch_status save_wave(const chi_projected *all, const wave *w,
                           const ch_checkpoint *checkpoint) {
    int64_t anchors = w->projector->cone->count, columns = w->high - w->low;
    int64_t first = w->slot ? all->dual_start[w->low] : 0;
    wave_head head = {anchors, w->low, w->high, w->H != NULL,
                      w->slot ? all->dual_start[w->high] - first : -1};
    int64_t width = w->H ? columns * anchors : 0, used = w->slot ? columns : 0;
    int64_t duals = w->slot ? head.duals : 0;
    ch_piece pieces[] = {
        {&head, sizeof head},
        {w->tallies, blocks_of(w) * (int64_t)sizeof *w->tallies},
        {w->H ? w->H + w->low * anchors : NULL, width * (int64_t)sizeof *w->H},
        {w->used, used * (int64_t)sizeof *w->used},
        {duals ? all->dual_row + first : NULL, duals * (int64_t)sizeof *all->dual_row},
        {duals ? all->dual_value + first : NULL, duals * (int64_t)sizeof *all->dual_value}};
    return chi_keep_add(checkpoint, pieces, 6, CHI_KEEP_WAVE);
}

static void take_tally(chi_projected *all, const wave *w, int64_t block, const tally *of_block) {
    add_tally(all, of_block);
    w->objective[w->low / w->block + block] = of_block->objective;
}

static ch_status load_duals(ch_context *context, chi_projected *all, wave *w, chi_record *record,
                            int64_t duals, int *good) {
    int64_t *start = all->dual_start, held = start[w->low];
    chi_record_get(record, start + w->low + 1, w->high - w->low, sizeof *start);
    for (int64_t j = w->low; j < w->high; j++) { /* counts become places */
        *good &= start[j + 1] >= 0 && start[j + 1] <= w->slot;
        start[j + 1] = *good ? start[j] + start[j + 1] : start[j];
    }
    *good &= start[w->high] - held == duals &&
             chi_record_holds(record, duals, sizeof *all->dual_row + sizeof *all->dual_value);
    if (!*good) return CH_OK;
    TRY(reserve_duals(context, all, w, held, duals));
    chi_record_get(record, all->dual_row + held, duals, sizeof *all->dual_row);
    chi_record_get(record, all->dual_value + held, duals, sizeof *all->dual_value);
    for (int64_t e = held; e < held + duals; e++)
        *good &= all->dual_row[e] >= 0 && all->dual_row[e] < w->projector->X->rows;
    return CH_OK;
}

/* The wave from w->low on as an earlier run left it, however wide it is. */
static ch_status load_wave(ch_context *context, chi_projected *all, wave *w,
                           const ch_checkpoint *checkpoint) {
    int64_t anchors = w->projector->cone->count, cols = w->projector->X->cols;
    chi_record record;
    wave_head head;
    TRY(chi_keep_take(&record, checkpoint, CHI_KEEP_WAVE));
    chi_record_get(&record, &head, 1, sizeof head);
    int good = head.anchors == anchors && head.low == w->low && head.high > head.low &&
               head.high <= cols && (head.high % w->block == 0 || head.high == cols) &&
               head.has_H == (w->H != NULL) && (head.duals >= 0) == (w->slot > 0);
    if (good) {
        w->high = head.high;
        for (int64_t block = 0; block < blocks_of(w); block++) {
            tally of_block;
            chi_record_get(&record, &of_block, 1, sizeof of_block);
            good &= of_block.pivots >= 0 && of_block.pivots <= UINT32_MAX &&
                    of_block.unproven >= 0 && of_block.unproven <= w->block;
            if (good) take_tally(all, w, block, &of_block);
        }
        if (w->H)
            chi_record_get(&record, w->H + w->low * anchors, (w->high - w->low) * anchors,
                           sizeof *w->H);
        if (w->slot) TRY(load_duals(context, all, w, &record, head.duals, &good));
    }
    return chi_record_end(context, &record, checkpoint, good);
}

/* ---- all waves ----------------------------------------------------------------------------- */

static ch_status make_wave(ch_context *context, chi_projected *all, wave *w, int64_t blocks) {
    int64_t cols = w->projector->X->cols;
    int together = chi_projects_together(w->projector);
    w->high = w->low + blocks * w->block < cols ? w->low + blocks * w->block : cols;
    if (!w->begun) chi_expect_pass(context, w->projector->X, w->block, w->low / w->block);
    w->begun = 1;
    int64_t parts = together ? blocks_of(w) : (w->high - w->low + GRAIN - 1) / GRAIN;
    TRY(chi_parallel_until(context, parts, together ? project_together : project_grain, w));
    for (int64_t block = 0; block < blocks_of(w); block++) {
        add_block(w, block);
        take_tally(all, w, block, &w->tallies[block]);
    }
    return w->slot ? append_duals(context, all, w) : CH_OK;
}

static ch_status run_waves(ch_context *context, chi_projected *all, wave *w, int64_t blocks,
                           const ch_checkpoint *checkpoint) {
    int64_t cols = w->projector->X->cols;
    for (w->low = 0; w->low < cols; w->low = w->high) {
        if (chi_keep_has(checkpoint, CHI_KEEP_WAVE)) {
            TRY(load_wave(context, all, w, checkpoint));
        } else {
            TRY(make_wave(context, all, w, blocks));
            TRY(save_wave(all, w, checkpoint));
        }
        if (chi_notify(context, "project", w->high, cols, -1, all->objective))
            return CH_STOP_CANCELLED;
    }
    return w->slot ? reserve_duals(context, all, w, 0, 1) : CH_OK;
}

/* What the columns of all ranks add up to. */
static ch_status add_ranks(ch_context *context, chi_projected *all, const wave *w) {
    ch_certificate *worst = &all->certificate;
    double largest[] = {all->largest, worst->gap, worst->dual_infeasibility, worst->stationarity};
    int64_t counts[] = {all->pivots, all->unproven};
    int64_t cols = w->projector->X->cols;
    TRY(chi_sum(context, &all->objective, w->objective, (cols + w->block - 1) / w->block));
    TRY(chi_largest(context, largest, 4));
    TRY(chi_total(context, counts, 2));
    all->largest = largest[0];
    *worst = (ch_certificate){largest[1], largest[2], largest[3]};
    all->pivots = counts[0];
    all->unproven = counts[1];
    return CH_OK;
}

ch_status chi_project_all(ch_context *context, chi_projected *all, double *H,
                          const chi_projector *projector, int duals,
                          const ch_checkpoint *checkpoint) {
    wave w = {.context = context, .projector = projector, .H = H};
    int64_t blocks = 0;
    *all = (chi_projected){0};
    if (!projector->solver->exceptions) duals = 0; /* the residual is the dual */
    chi_begin_phase(context, "project", projector->X->cols);
    ch_status status = create_wave(context, &w, all, &blocks, duals);
    if (status == CH_OK) status = chi_heard(run_waves(context, all, &w, blocks, checkpoint));
    status = ch_comm_agree(context, status);
    if (status == CH_OK) status = add_ranks(context, all, &w);
    if (status != CH_OK) chi_projected_free(context, all);
    chi_free(context, w.points);
    chi_free(context, w.objective);
    chi_free(context, w.tallies);
    chi_free(context, w.fits);
    chi_free(context, w.used);
    chi_free(context, w.value);
    chi_free(context, w.row);
    return status;
}

void chi_projected_free(ch_context *context, chi_projected *all) {
    chi_free(context, all->dual_start);
    chi_free(context, all->dual_row);
    chi_free(context, all->dual_value);
    all->dual_start = NULL;
    all->dual_row = NULL;
    all->dual_value = NULL;
}
