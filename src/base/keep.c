/* Records kept and taken; reading them never trusts a length. */
#include "base/keep.h"
#include "base/ranks.h"

#include <string.h>

int chi_keep_has(const ch_checkpoint *checkpoint, int kind) {
    return checkpoint && checkpoint->has(checkpoint->user, kind);
}

ch_status chi_keep_found(ch_context *context, int *found, const ch_checkpoint *checkpoint,
                         int kind) {
    int64_t missing = !chi_keep_has(checkpoint, kind);
    TRY(chi_total(context, &missing, 1));
    *found = missing == 0;
    return CH_OK;
}

ch_status chi_keep_add(const ch_checkpoint *checkpoint, const ch_piece *pieces, int count,
                       int kind) {
    return checkpoint ? checkpoint->add(checkpoint->user, pieces, count, kind) : CH_OK;
}

ch_status chi_keep_take(chi_record *record, const ch_checkpoint *checkpoint, int kind) {
    const void *bytes;
    *record = (chi_record){0};
    TRY(checkpoint->take(checkpoint->user, &bytes, &record->left, kind));
    record->at = bytes;
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

ch_status chi_record_end(ch_context *context, const chi_record *record,
                         const ch_checkpoint *checkpoint, int fits) {
    if (fits && !record->failed && record->left == 0) return CH_OK;
    return chi_fail(context, CH_ERR_FORMAT,
                    "the checkpoint %s holds a record that does not fit the run; remove the file",
                    checkpoint->name);
}
