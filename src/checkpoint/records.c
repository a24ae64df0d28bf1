/* Writing and reading of checkpoint records (records.h). */
#include "checkpoint/records.h"
#include "base/arena.h"
#include "base/processes.h"

#include <assert.h>
#include <string.h>

/* ---- fields -------------------------------------------------------------------------------- */

/* Returns the next count items of a record being read, or NULL once the record has failed. */
static const unsigned char *next_items(chi_record *record, int64_t count, size_t size) {
    if (!record->failed && count > 0 && size > 0)
        record->failed = count > record->left / (int64_t)size;
    record->failed |= count < 0;
    if (record->failed) return NULL;
    const unsigned char *items = record->at;
    record->at += count * (int64_t)size;
    record->left -= count * (int64_t)size;
    return items;
}

static void add_piece(chi_record *record, const void *items, int64_t count, size_t size) {
    assert(record->count < CHI_RECORD_PIECES);
    record->pieces[record->count++] = (ch_record_piece){items, count * (int64_t)size};
}

void chi_record_values(chi_record *record, void *items, int64_t count, size_t size) {
    if (!record->reads) {
        add_piece(record, items, count, size);
        return;
    }
    const unsigned char *from = next_items(record, count, size);
    if (count <= 0) return;
    if (from)
        memcpy(items, from, (size_t)count * size);
    else
        memset(items, 0, (size_t)count * size);
}

void chi_record_numbers(chi_record *record, int64_t *numbers, int64_t count, int64_t low,
                        int64_t high) {
    chi_record_values(record, numbers, count, sizeof *numbers);
    for (int64_t k = 0; record->reads && k < count; k++) {
        chi_record_require(record, numbers[k] >= low && numbers[k] <= high);
        if (record->failed) numbers[k] = 0;
    }
}

void *chi_record_array(chi_record *record, void *items, int64_t count, size_t size) {
    if (!record->reads) {
        add_piece(record, items, count, size);
        return items;
    }
    const unsigned char *from = next_items(record, count, size);
    if (!from) return NULL;
    void *made = chi_alloc(record->context, count, size);
    if (!made)
        record->no_memory = record->failed = 1;
    else if (count > 0)
        memcpy(made, from, (size_t)count * size);
    return made;
}

const unsigned char *chi_record_part(chi_record *record, const void *items, int64_t count,
                                     size_t size) {
    if (record->reads) return next_items(record, count, size);
    add_piece(record, items, count, size);
    return items;
}

/* ---- writing ------------------------------------------------------------------------------- */

static ch_status add(const ch_checkpoint *checkpoint, const chi_record *record, int kind) {
    return checkpoint->add(checkpoint->user, record->pieces, record->count, kind);
}

ch_status chi_record_save(ch_context *context, const ch_checkpoint *checkpoint, int kind,
                          chi_record_fields fields, void *user) {
    chi_record record = {.context = context};
    if (!checkpoint) return CH_OK;
    fields(&record, user);
    int first = chi_process_index(context) == 0;
    return ch_comm_agree(context, first ? add(checkpoint, &record, kind) : CH_OK);
}

static int64_t total_bytes(const chi_record *record) {
    int64_t bytes = 0;
    for (int i = 0; i < record->count; i++) bytes += record->pieces[i].count;
    return bytes;
}

static void pack(unsigned char *to, const chi_record *record) {
    for (int i = 0; i < record->count; to += record->pieces[i++].count)
        if (record->pieces[i].count > 0)
            memcpy(to, record->pieces[i].bytes, (size_t)record->pieces[i].count);
}

/* Process 0 receives and adds the records of all processes, one at a time, so that it holds only
 * one in memory. bytes is the size of each process's record; sizes holds zeros. After a failed
 * write the other processes still send, but nothing more is added. */
static ch_status add_each(ch_context *context, const ch_checkpoint *checkpoint, int kind,
                          const chi_record *own, unsigned char *parcel, const int64_t *bytes,
                          int64_t *sizes) {
    int first = chi_process_index(context) == 0;
    ch_status status = first && bytes[0] > 0 ? add(checkpoint, own, kind) : CH_OK;
    if (!first) pack(parcel, own);
    for (int r = 1; r < chi_process_count(context); r++) {
        if (bytes[r] == 0) continue;
        sizes[r] = bytes[r];
        TRY(chi_collect(context, first ? parcel : NULL, parcel, sizes, 1));
        sizes[r] = 0;
        chi_record whole = {.pieces = {{parcel, bytes[r]}}, .count = 1};
        if (first && status == CH_OK) status = add(checkpoint, &whole, kind);
    }
    return ch_comm_agree(context, status);
}

static ch_status exchange_each(ch_context *context, const ch_checkpoint *checkpoint, int kind,
                               const chi_record *record, chi_arena *arena) {
    int processes = chi_process_count(context), first = chi_process_index(context) == 0;
    int64_t own = total_bytes(record), most = own;
    int64_t *sizes = chi_arena_alloc_zero(arena, processes, sizeof *sizes);
    int64_t *bytes = chi_arena_alloc(arena, processes, sizeof *bytes);
    TRY(ch_comm_agree(context, chi_arena_status(arena, "records of processes")));
    const int64_t *all = chi_share(context, &own, sizeof own);
    if (!all) return CH_ERR_IO;
    memcpy(bytes, all, (size_t)processes * sizeof *bytes);
    for (int r = 0; first && r < processes; r++) most = bytes[r] > most ? bytes[r] : most;
    unsigned char *parcel = chi_arena_alloc(arena, most, 1);
    TRY(ch_comm_agree(context, chi_arena_status(arena, "a record of another process")));
    return add_each(context, checkpoint, kind, record, parcel, bytes, sizes);
}

ch_status chi_record_save_each(ch_context *context, const ch_checkpoint *checkpoint, int kind,
                               int has_one, chi_record_fields fields, void *user) {
    chi_record record = {.context = context};
    chi_arena arena = {.context = context};
    if (!checkpoint) return CH_OK;
    if (has_one) fields(&record, user);
    if (chi_process_count(context) == 1) return has_one ? add(checkpoint, &record, kind) : CH_OK;
    ch_status status = exchange_each(context, checkpoint, kind, &record, &arena);
    chi_arena_free(&arena);
    return status;
}

/* ---- reading ------------------------------------------------------------------------------- */

ch_status chi_record_find(ch_context *context, int *found, const ch_checkpoint *checkpoint,
                          int kind) {
    int64_t there =
        chi_process_index(context) == 0 && checkpoint && checkpoint->has(checkpoint->user, kind);
    TRY(chi_total(context, &there, 1));
    *found = there > 0;
    return CH_OK;
}

/* Sends the record of process 0 to all. */
static ch_status spread_record(chi_record *record) {
    ch_context *context = record->context;
    TRY(chi_broadcast(context, &record->left, 1, sizeof record->left, 0));
    if (chi_process_count(context) == 1) return CH_OK;
    record->copy = chi_alloc(context, record->left, 1);
    TRY(ch_comm_agree(context, record->copy ? CH_OK
                                            : chi_no_memory(context, "a record of another process",
                                                            record->left, 1)));
    if (record->at && record->left > 0) memcpy(record->copy, record->at, (size_t)record->left);
    record->at = record->copy;
    return chi_broadcast(context, record->copy, record->left, 1, 0);
}

static void forget(chi_record *record) {
    chi_free(record->context, record->copy);
    record->copy = NULL;
}

ch_status chi_record_take(ch_context *context, chi_record *record, const ch_checkpoint *checkpoint,
                          int kind) {
    const void *bytes = NULL;
    ch_status status = CH_OK;
    *record = (chi_record){.context = context, .reads = 1};
    if (chi_process_index(context) == 0)
        status = checkpoint->take(checkpoint->user, &bytes, &record->left, kind);
    record->at = bytes;
    TRY(ch_comm_agree(context, status));
    status = spread_record(record);
    if (status < 0) forget(record);
    return status;
}

ch_status chi_record_end(chi_record *record, const ch_checkpoint *checkpoint) {
    int fits = !record->failed && record->left == 0;
    forget(record);
    if (fits) return CH_OK;
    return chi_fail(
        record->context, CH_ERR_FORMAT,
        "the checkpoint %s contains a record that does not belong to this run; remove the file",
        checkpoint->name);
}

ch_status chi_record_load(ch_context *context, int *found, const ch_checkpoint *checkpoint,
                          int kind, chi_record_fields fields, void *user) {
    chi_record record;
    *found = 0;
    if (!checkpoint) return CH_OK;
    TRY(chi_record_find(context, found, checkpoint, kind));
    if (!*found) return CH_OK;
    TRY(chi_record_take(context, &record, checkpoint, kind));
    fields(&record, user);
    ch_status status = CH_OK;
    if (record.no_memory) status = chi_no_memory(context, "a record", record.left, 1);
    status = ch_comm_agree(context, status);
    if (status == CH_OK) return chi_record_end(&record, checkpoint);
    forget(&record);
    return status;
}
