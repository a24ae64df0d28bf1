/* Waves of columns in a checkpoint. A record has its columns by their numbers in the whole, and
 * begins with a block; so a later run on any number of ranks finds in it what is its own: every
 * rank sees every record, takes over the blocks of its part, and projects what is missing. */
#include "base/processes.h"
#include "project/columns/column_wave.h"

#include <stdlib.h>
#include <string.h>

/* Followed by the tallies of its blocks, its columns of H, and of the duals their number in each
 * column, their rows and their values. */
typedef struct wave_head {
    int64_t anchors, low, high;
    int64_t has_H, duals; /* duals: -1 when they are not kept */
} wave_head;

ch_status chi_wave_save(ch_context *context, const chi_projected *all, const chi_wave *w,
                        const ch_checkpoint *checkpoint) {
    int64_t anchors = w->projector->cone->count, columns = w->high - w->low;
    int64_t place = chi_process_count(context) > 1 ? w->projector->X->first : 0;
    int64_t first = w->slot ? all->dual_start[w->low] : 0;
    wave_head head = {anchors, place + w->low, place + w->high, w->H != NULL,
                      w->slot ? all->dual_start[w->high] - first : -1};
    int64_t width = w->H ? columns * anchors : 0, used = w->slot ? columns : 0;
    int64_t duals = w->slot ? head.duals : 0;
    ch_record_piece pieces[] = {
        {&head, sizeof head},
        {w->tallies, chi_wave_blocks(w) * (int64_t)sizeof *w->tallies},
        {w->H ? w->H + w->low * anchors : NULL, width * (int64_t)sizeof *w->H},
        {w->used, used * (int64_t)sizeof *w->used},
        {duals ? all->dual_row + first : NULL, duals * (int64_t)sizeof *all->dual_row},
        {duals ? all->dual_value + first : NULL, duals * (int64_t)sizeof *all->dual_value}};
    return chi_records_add_each(context, checkpoint, pieces, columns > 0 ? 6 : 0, CHI_KEEP_WAVE);
}

/* ---- a record of an earlier run ------------------------------------------------------------- */

/* Its parts, where they lie: not aligned. */
typedef struct wave_parts {
    wave_head head;
    int64_t blocks;
    const unsigned char *tallies, *H, *used, *row, *value;
} wave_parts;

static int64_t number_at(const unsigned char *numbers, int64_t k) {
    int64_t number;
    memcpy(&number, numbers + k * (int64_t)sizeof number, sizeof number);
    return number;
}

static void tally_at(chi_tally *tally, const wave_parts *p, int64_t block) {
    memcpy(tally, p->tallies + block * (int64_t)sizeof *tally, sizeof *tally);
}

static int tallies_fit(const wave_parts *p, const chi_wave *w) {
    for (int64_t block = 0; block < p->blocks; block++) {
        chi_tally tally;
        tally_at(&tally, p, block);
        if (tally.pivots < 0 || tally.pivots > UINT32_MAX) return 0;
        if (tally.unproven < 0 || tally.unproven > w->block) return 0;
    }
    return 1;
}

static int duals_fit(const wave_parts *p, const chi_wave *w) {
    int64_t sum = 0;
    for (int64_t k = 0; k < p->head.high - p->head.low; k++) {
        int64_t used = number_at(p->used, k);
        if (used < 0 || used > w->slot) return 0;
        sum += used;
    }
    if (sum != p->head.duals) return 0;
    for (int64_t e = 0; e < sum; e++) {
        int32_t row;
        memcpy(&row, p->row + e * (int64_t)sizeof row, sizeof row);
        if (row < 0 || row >= w->projector->X->rows) return 0;
    }
    return 1;
}

static int head_fits(const wave_head *head, const chi_wave *w, int64_t all_cols) {
    if (head->anchors != w->projector->cone->count) return 0;
    if (head->low < 0 || head->high <= head->low || head->high > all_cols) return 0;
    if (head->low % w->block || (head->high % w->block && head->high != all_cols)) return 0;
    if (head->has_H != (w->H != NULL)) return 0;
    return w->slot ? chi_record_counts(head->duals) : head->duals == -1;
}

/* Whether the record is a wave of this run; every rank finds the same. */
static int look_at(wave_parts *p, chi_record *record, const chi_wave *w, int64_t all_cols) {
    chi_record_get(record, &p->head, 1, sizeof p->head);
    if (record->failed || !head_fits(&p->head, w, all_cols)) return 0;
    int64_t columns = p->head.high - p->head.low;
    p->blocks = (columns + w->block - 1) / w->block;
    p->tallies = chi_record_part(record, p->blocks, sizeof(chi_tally));
    p->H = chi_record_part(record, w->H ? columns : 0, (size_t)p->head.anchors * sizeof *w->H);
    p->used = chi_record_part(record, w->slot ? columns : 0, sizeof *w->used);
    p->row = chi_record_part(record, w->slot ? p->head.duals : 0, sizeof *w->row);
    p->value = chi_record_part(record, w->slot ? p->head.duals : 0, sizeof *w->value);
    if (record->failed || !tallies_fit(p, w)) return 0;
    return !w->slot || duals_fit(p, w);
}

/* ---- what is this rank's own ---------------------------------------------------------------- */

static ch_status make_room(ch_context *context, chi_wave *w) {
    if (w->kept_count < w->kept_room) return CH_OK;
    int64_t larger = 2 * w->kept_room + 16;
    chi_kept_columns *kept = chi_alloc(context, larger, sizeof *kept);
    if (!kept) return chi_no_memory(context, "blocks of an earlier run", larger, sizeof *kept);
    if (w->kept_count) memcpy(kept, w->kept, (size_t)w->kept_count * sizeof *kept);
    chi_free(context, w->kept);
    w->kept = kept;
    w->kept_room = larger;
    return CH_OK;
}

/* The duals of columns [skipped, skipped + columns) of the record. */
static ch_status take_duals(ch_context *context, chi_kept_columns *kept, const wave_parts *p,
                            int64_t skipped) {
    int64_t columns = kept->high - kept->low, before = 0, duals = 0;
    for (int64_t k = 0; k < skipped; k++) before += number_at(p->used, k);
    for (int64_t k = 0; k < columns; k++) duals += number_at(p->used, skipped + k);
    kept->used = chi_alloc(context, columns, sizeof *kept->used);
    kept->row = chi_alloc(context, duals, sizeof *kept->row);
    kept->value = chi_alloc(context, duals, sizeof *kept->value);
    if (!kept->used || !kept->row || !kept->value)
        return chi_no_memory(context, "duals", duals + columns, sizeof *kept->value);
    memcpy(kept->used, p->used + skipped * (int64_t)sizeof *kept->used,
           (size_t)columns * sizeof *kept->used);
    if (duals == 0) return CH_OK;
    memcpy(kept->row, p->row + before * (int64_t)sizeof *kept->row,
           (size_t)duals * sizeof *kept->row);
    memcpy(kept->value, p->value + before * (int64_t)sizeof *kept->value,
           (size_t)duals * sizeof *kept->value);
    return CH_OK;
}

static ch_status take_own(ch_context *context, chi_projected *all, chi_wave *w,
                          const wave_parts *p) {
    const ch_matrix *X = w->projector->X;
    int64_t anchors = p->head.anchors, place = chi_process_count(context) > 1 ? X->first : 0;
    int64_t low = p->head.low - place, high = p->head.high - place;
    int64_t skipped = low < 0 ? -low : 0;
    low += skipped;
    if (high > X->cols) high = X->cols;
    if (low >= high) return CH_OK;
    TRY(make_room(context, w));
    chi_kept_columns *kept = &w->kept[w->kept_count++];
    *kept = (chi_kept_columns){.low = low, .high = high};
    w->low = low;
    w->high = high;
    for (int64_t block = 0; block < chi_wave_blocks(w); block++) {
        chi_tally tally;
        tally_at(&tally, p, skipped / w->block + block);
        chi_wave_add(all, w, block, &tally);
    }
    if (w->H)
        memcpy(w->H + low * anchors, p->H + skipped * anchors * (int64_t)sizeof *w->H,
               (size_t)((high - low) * anchors) * sizeof *w->H);
    return w->slot ? take_duals(context, kept, p, skipped) : CH_OK;
}

static int by_column(const void *a, const void *b) {
    const chi_kept_columns *one = a, *other = b;
    return (one->low > other->low) - (one->low < other->low);
}

/* Whether no column is there twice, which no run leaves. */
static int are_apart(const chi_wave *w) {
    for (int64_t k = 1; k < w->kept_count; k++)
        if (w->kept[k].low < w->kept[k - 1].high) return 0;
    return 1;
}

ch_status chi_waves_load(ch_context *context, chi_projected *all, chi_wave *w,
                         const ch_checkpoint *checkpoint) {
    int64_t all_cols = w->projector->X->cols, covered = 0;
    int found;
    TRY(chi_total(context, &all_cols, 1));
    while (covered < all_cols) { /* records behind these are of a later projection */
        chi_record record;
        wave_parts parts;
        TRY(chi_records_found(context, &found, checkpoint, CHI_KEEP_WAVE));
        if (!found) break;
        TRY(chi_records_take(context, &record, checkpoint, CHI_KEEP_WAVE));
        int good = look_at(&parts, &record, w, all_cols);
        TRY(chi_record_end(context, &record, checkpoint, good));
        TRY(ch_comm_agree(context, take_own(context, all, w, &parts)));
        covered += parts.head.high - parts.head.low;
    }
    if (w->kept_count > 1) qsort(w->kept, (size_t)w->kept_count, sizeof *w->kept, by_column);
    chi_record last = {0};
    return ch_comm_agree(context, chi_record_end(context, &last, checkpoint, are_apart(w)));
}

void chi_kept_forget(ch_context *context, chi_kept_columns *kept) {
    chi_free(context, kept->used);
    chi_free(context, kept->row);
    chi_free(context, kept->value);
    kept->used = NULL;
    kept->row = NULL;
    kept->value = NULL;
}

void chi_waves_forget(ch_context *context, chi_wave *w) {
    for (int64_t k = 0; k < w->kept_count; k++) chi_kept_forget(context, &w->kept[k]);
    chi_free(context, w->kept);
}
