/* Records kept and taken; reading them never trusts a length. */
#include "base/checkpoint_records.h"
#include "base/context_internal.h"
#include "base/processes.h"

#include <string.h>

int chi_records_has(const ch_checkpoint *checkpoint, int kind) {
    return checkpoint && checkpoint->has(checkpoint->user, kind);
}

ch_status chi_records_found(ch_context *context, int *found, const ch_checkpoint *checkpoint,
                            int kind) {
    int64_t of_first = chi_process_index(context) == 0 && chi_records_has(checkpoint, kind);
    TRY(chi_total(context, &of_first, 1));
    *found = of_first > 0;
    return CH_OK;
}

static ch_status add(const ch_checkpoint *checkpoint, const ch_record_piece *pieces, int count,
                     int kind) {
    return checkpoint->add(checkpoint->user, pieces, count, kind);
}

ch_status chi_records_add(ch_context *context, const ch_checkpoint *checkpoint,
                          const ch_record_piece *pieces, int count, int kind) {
    if (!checkpoint) return CH_OK;
    int first = chi_process_index(context) == 0;
    return ch_comm_agree(context, first ? add(checkpoint, pieces, count, kind) : CH_OK);
}

/* ---- records of every rank ------------------------------------------------------------------ */

static int64_t total_bytes(const ch_record_piece *pieces, int count) {
    int64_t bytes = 0;
    for (int i = 0; i < count; i++) bytes += pieces[i].count;
    return bytes;
}

/* Room for a record on its way between ranks; it stays with the context for the next one. */
static ch_status reserve(ch_context *context, int64_t bytes) {
    if (bytes <= context->parcel_room) return CH_OK;
    chi_free(context, context->parcel);
    context->parcel_room = 0;
    context->parcel = chi_alloc(context, bytes, 1);
    if (!context->parcel) return chi_no_memory(context, "a record of another rank", bytes, 1);
    context->parcel_room = bytes;
    return CH_OK;
}

static void pack(unsigned char *to, const ch_record_piece *pieces, int count) {
    for (int i = 0; i < count; to += pieces[i++].count)
        if (pieces[i].count > 0) memcpy(to, pieces[i].bytes, (size_t)pieces[i].count);
}

/* One rank after the other, so that rank 0 holds one of them at a time. status: of rank 0's own
 * record; once one was not written the others still come, but none is added. */
static ch_status send_each(ch_context *context, const ch_checkpoint *checkpoint, ch_status status,
                           int kind) {
    int ranks = chi_process_count(context), first = chi_process_index(context) == 0;
    int64_t *sizes = context->parcel_sizes; /* zeros but for the one on its way */
    const int64_t *bytes = sizes + ranks;
    for (int r = 1; r < ranks; r++) {
        if (bytes[r] == 0) continue;
        sizes[r] = bytes[r];
        ch_status sent =
            chi_collect(context, first ? context->parcel : NULL, context->parcel, sizes, 1);
        sizes[r] = 0;
        TRY(sent);
        ch_record_piece whole = {context->parcel, bytes[r]};
        if (first && status == CH_OK) status = add(checkpoint, &whole, 1, kind);
    }
    return status;
}

static ch_status exchange_each(ch_context *context, const ch_checkpoint *checkpoint,
                               const ch_record_piece *pieces, int count, int kind) {
    int ranks = chi_process_count(context), first = chi_process_index(context) == 0;
    int64_t own = total_bytes(pieces, count), *bytes = context->parcel_sizes + ranks, most = own;
    const int64_t *all = chi_share(context, &own, sizeof own);
    if (!all) return CH_ERR_IO;
    memcpy(bytes, all, (size_t)ranks * sizeof *bytes);
    for (int r = 0; first && r < ranks; r++) most = bytes[r] > most ? bytes[r] : most;
    TRY(ch_comm_agree(context, reserve(context, most)));
    ch_status status = CH_OK;
    if (first && own > 0) status = add(checkpoint, pieces, count, kind);
    if (!first) pack(context->parcel, pieces, count);
    return ch_comm_agree(context, send_each(context, checkpoint, status, kind));
}

ch_status chi_records_add_each(ch_context *context, const ch_checkpoint *checkpoint,
                               const ch_record_piece *pieces, int count, int kind) {
    if (!checkpoint) return CH_OK;
    if (chi_process_count(context) > 1)
        return exchange_each(context, checkpoint, pieces, count, kind);
    return total_bytes(pieces, count) > 0 ? add(checkpoint, pieces, count, kind) : CH_OK;
}

/* ---- reading ------------------------------------------------------------------------------- */

ch_status chi_records_take(ch_context *context, chi_record *record, const ch_checkpoint *checkpoint,
                           int kind) {
    const void *bytes = NULL;
    int64_t count = 0;
    ch_status status = CH_OK;
    *record = (chi_record){0};
    if (chi_process_index(context) == 0)
        status = checkpoint->take(checkpoint->user, &bytes, &count, kind);
    TRY(ch_comm_agree(context, status));
    TRY(chi_broadcast(context, &count, 1, sizeof count, 0));
    if (chi_process_count(context) > 1) {
        TRY(ch_comm_agree(context, reserve(context, count)));
        if (bytes && count > 0) memcpy(context->parcel, bytes, (size_t)count);
        TRY(chi_broadcast(context, context->parcel, count, 1, 0));
        bytes = context->parcel;
    }
    record->at = bytes;
    record->left = count;
    return CH_OK;
}

int chi_record_holds(const chi_record *record, int64_t count, size_t size) {
    return !record->failed && count >= 0 && count <= record->left / (int64_t)size;
}

void chi_record_get(chi_record *record, void *items, int64_t count, size_t size) {
    if (!chi_record_holds(record, count, size)) {
        record->failed = 1;
        if (count > 0) memset(items, 0, (size_t)count * size);
        return;
    }
    int64_t bytes = count * (int64_t)size;
    if (bytes > 0) memcpy(items, record->at, (size_t)bytes);
    record->at += bytes;
    record->left -= bytes;
}

const unsigned char *chi_record_part(chi_record *record, int64_t count, size_t size) {
    const unsigned char *part = record->at;
    record->failed |= !chi_record_holds(record, count, size);
    if (record->failed) return NULL;
    record->at += count * (int64_t)size;
    record->left -= count * (int64_t)size;
    return part;
}

ch_status chi_record_end(ch_context *context, const chi_record *record,
                         const ch_checkpoint *checkpoint, int fits) {
    if (fits && !record->failed && record->left == 0) return CH_OK;
    return chi_fail(context, CH_ERR_FORMAT,
                    "the checkpoint %s holds a record that does not fit the run; remove the file",
                    checkpoint->name);
}
