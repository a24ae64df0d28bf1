/* Waves of columns in a checkpoint. A record names its columns by their numbers in the whole
 * matrix, and its first column is the first of a block. So a later run can use any number of
 * processes: every process reads every record, takes the blocks that belong to its part, and
 * projects the missing columns. */
#include "base/processes.h"
#include "checkpoint/records.h"
#include "project/columns/column_wave.h"

#include <stdlib.h>
#include <string.h>

/* A wave, with pointers to its parts in the record, which are not aligned. */
typedef struct wave_record {
    const chi_wave *w;
    int64_t all_cols;
    int64_t anchors, low, high;
    int64_t has_H, duals; /* duals is -1 if the record has none */
    const unsigned char *tallies, *H, *used, *row, *value;
} wave_record;

static int64_t number_at(const unsigned char *numbers, int64_t k) {
    int64_t number;
    memcpy(&number, numbers + k * (int64_t)sizeof number, sizeof number);
    return number;
}

static void tally_at(chi_tally *tally, const wave_record *p, int64_t block) {
    memcpy(tally, p->tallies + block * (int64_t)sizeof *tally, sizeof *tally);
}

static int tallies_fit(const wave_record *p, int64_t blocks) {
    for (int64_t block = 0; block < blocks; block++) {
        chi_tally tally;
        tally_at(&tally, p, block);
        if (tally.pivots < 0 || tally.pivots > UINT32_MAX) return 0;
        if (tally.unproven < 0 || tally.unproven > p->w->block) return 0;
    }
    return 1;
}

static int duals_fit(const wave_record *p) {
    int64_t sum = 0;
    for (int64_t k = 0; k < p->high - p->low; k++) {
        int64_t used = number_at(p->used, k);
        if (used < 0 || used > p->w->slot) return 0;
        sum += used;
    }
    if (sum != p->duals) return 0;
    for (int64_t e = 0; e < sum; e++) {
        int32_t row;
        memcpy(&row, p->row + e * (int64_t)sizeof row, sizeof row);
        if (row < 0 || row >= p->w->projector->X->rows) return 0;
    }
    return 1;
}

static void wave_fields(chi_record *record, void *user) {
    wave_record *p = user;
    const chi_wave *w = p->w;
    int64_t anchors = w->projector->cone->count, has_H = w->H != NULL, slots = w->slot > 0;
    chi_record_number(record, &p->anchors, anchors, anchors);
    chi_record_number(record, &p->low, 0, p->all_cols - 1);
    chi_record_number(record, &p->high, p->low + 1, p->all_cols);
    chi_record_number(record, &p->has_H, has_H, has_H);
    chi_record_number(record, &p->duals, slots - 1, slots ? CHI_COUNT_MAX : -1);
    chi_record_require(record, p->low % w->block == 0);
    chi_record_require(record, p->high % w->block == 0 || p->high == p->all_cols);
    int64_t columns = p->high - p->low, blocks = (columns + w->block - 1) / w->block;
    int64_t duals = slots ? p->duals : 0;
    p->tallies = chi_record_part(record, p->tallies, blocks, sizeof(chi_tally));
    p->H = chi_record_part(record, p->H, has_H ? columns : 0, (size_t)anchors * sizeof *w->H);
    p->used = chi_record_part(record, p->used, slots ? columns : 0, sizeof *w->used);
    p->row = chi_record_part(record, p->row, duals, sizeof *w->row);
    p->value = chi_record_part(record, p->value, duals, sizeof *w->value);
    if (!record->reads || record->failed) return;
    chi_record_require(record, tallies_fit(p, blocks));
    chi_record_require(record, !slots || duals_fit(p));
}

ch_status chi_wave_save(const chi_wave *w, const chi_projected *all,
                        const ch_checkpoint *checkpoint) {
    int64_t anchors = w->projector->cone->count;
    int64_t place = chi_process_count(w->context) > 1 ? w->projector->X->first : 0;
    int64_t first = w->slot ? all->dual_start[w->low] : 0;
    wave_record p = {.w = w,
                     .anchors = anchors,
                     .low = place + w->low,
                     .high = place + w->high,
                     .has_H = w->H != NULL,
                     .duals = w->slot ? all->dual_start[w->high] - first : -1,
                     .tallies = (const unsigned char *)w->tallies,
                     .H = (const unsigned char *)chi_wave_H(w, w->low),
                     .used = (const unsigned char *)w->used};
    if (p.duals > 0) {
        p.row = (const unsigned char *)(all->dual_row + first);
        p.value = (const unsigned char *)(all->dual_value + first);
    }
    return chi_record_save_each(w->context, checkpoint, CHI_RECORD_WAVE, w->high > w->low,
                                wave_fields, &p);
}

/* ---- the blocks of this process ------------------------------------------------------------- */

static ch_status reserve_kept(chi_wave *w) {
    if (w->kept_count < w->kept_capacity) return CH_OK;
    int64_t larger = 2 * w->kept_capacity + 16;
    chi_kept_columns *kept = chi_arena_alloc(&w->arena, larger, sizeof *kept);
    TRY(chi_arena_status(&w->arena, "blocks of an earlier run"));
    if (w->kept_count) memcpy(kept, w->kept, (size_t)w->kept_count * sizeof *kept);
    w->kept = kept;
    w->kept_capacity = larger;
    return CH_OK;
}

/* Copies the duals of columns [skipped, skipped + columns) of the record. */
static ch_status take_duals(chi_kept_columns *kept, const wave_record *p, int64_t skipped) {
    int64_t columns = kept->high - kept->low, before = 0, duals = 0;
    for (int64_t k = 0; k < skipped; k++) before += number_at(p->used, k);
    for (int64_t k = 0; k < columns; k++) duals += number_at(p->used, skipped + k);
    kept->used = chi_arena_alloc(&kept->arena, columns, sizeof *kept->used);
    kept->row = chi_arena_alloc(&kept->arena, duals, sizeof *kept->row);
    kept->value = chi_arena_doubles(&kept->arena, duals);
    TRY(chi_arena_status(&kept->arena, "duals"));
    memcpy(kept->used, p->used + skipped * (int64_t)sizeof *kept->used,
           (size_t)columns * sizeof *kept->used);
    if (duals == 0) return CH_OK;
    memcpy(kept->row, p->row + before * (int64_t)sizeof *kept->row,
           (size_t)duals * sizeof *kept->row);
    memcpy(kept->value, p->value + before * (int64_t)sizeof *kept->value,
           (size_t)duals * sizeof *kept->value);
    return CH_OK;
}

static ch_status take_own(chi_wave *w, chi_projected *all, const wave_record *p) {
    const ch_matrix *X = w->projector->X;
    int64_t anchors = p->anchors, place = chi_process_count(w->context) > 1 ? X->first : 0;
    int64_t low = p->low - place, high = p->high - place;
    int64_t skipped = low < 0 ? -low : 0;
    low += skipped;
    if (high > X->cols) high = X->cols;
    if (low >= high) return CH_OK;
    TRY(reserve_kept(w));
    chi_kept_columns *kept = &w->kept[w->kept_count++];
    *kept = (chi_kept_columns){.low = low, .high = high, .arena = {.context = w->context}};
    w->low = low;
    w->high = high;
    for (int64_t block = 0; block < chi_wave_blocks(w); block++) {
        chi_tally tally;
        tally_at(&tally, p, skipped / w->block + block);
        chi_wave_add(all, w, block, &tally);
    }
    double *H = w->sink ? NULL : chi_wave_H(w, low);
    if (w->sink) {
        H = kept->H = chi_arena_doubles(&kept->arena, (high - low) * anchors);
        TRY(chi_arena_status(&kept->arena, "weights of an earlier run"));
    }
    if (H)
        memcpy(H, p->H + skipped * anchors * (int64_t)sizeof *H,
               (size_t)((high - low) * anchors) * sizeof *H);
    return w->slot ? take_duals(kept, p, skipped) : CH_OK;
}

static int by_column(const void *a, const void *b) {
    const chi_kept_columns *one = a, *other = b;
    return (one->low > other->low) - (one->low < other->low);
}

/* Returns whether no column occurs twice. Records that do not meet this were not written by a
 * run. */
static int are_apart(const chi_wave *w) {
    for (int64_t k = 1; k < w->kept_count; k++)
        if (w->kept[k].low < w->kept[k - 1].high) return 0;
    return 1;
}

static ch_status load_wave(chi_wave *w, chi_projected *all, wave_record *p,
                           const ch_checkpoint *checkpoint) {
    chi_record record;
    TRY(chi_record_take(w->context, &record, checkpoint, CHI_RECORD_WAVE));
    wave_fields(&record, p);
    int whole = !record.failed && record.left == 0; /* the same on every process */
    ch_status taken = ch_comm_agree(w->context, whole ? take_own(w, all, p) : CH_OK);
    ch_status ended = chi_record_end(&record, checkpoint);
    return taken < 0 ? taken : ended;
}

ch_status chi_waves_load(chi_wave *w, chi_projected *all, const ch_checkpoint *checkpoint) {
    wave_record p = {.w = w, .all_cols = w->projector->X->cols};
    int64_t covered = 0;
    TRY(chi_total(w->context, &p.all_cols, 1));
    while (covered < p.all_cols) { /* records after these belong to a later projection */
        int found;
        TRY(chi_record_find(w->context, &found, checkpoint, CHI_RECORD_WAVE));
        if (!found) break;
        TRY(load_wave(w, all, &p, checkpoint));
        covered += p.high - p.low;
    }
    if (w->kept_count > 1) qsort(w->kept, (size_t)w->kept_count, sizeof *w->kept, by_column);
    chi_record last = {.context = w->context, .failed = !are_apart(w)};
    return ch_comm_agree(w->context, chi_record_end(&last, checkpoint));
}
