/* Records of a run for one that goes on with it (conehull/checkpoint.h). With no table, nothing is
 * found and nothing kept. Over several ranks all are in the table of rank 0: what ranks know alike
 * is one record, what each has for itself one of every rank, which all get to see later, however
 * many they are then. Functions with a context are collective, and all ranks return alike. */
#ifndef CONEHULL_CHECKPOINT_RECORDS_H
#define CONEHULL_CHECKPOINT_RECORDS_H

#include "base/base.h"
#include <conehull/checkpoint.h>

/* Kinds of records, in the order in which a run makes them; numbers are part of the format. */
enum chi_kind {
    CHI_KEEP_IDENTITY = 1, /* what it is a run of                       */
    CHI_KEEP_STEP = 2,     /* an anchor                                 */
    CHI_KEEP_AGAIN = 3,    /* the anchor chosen in place of the first   */
    CHI_KEEP_SELECTED = 4, /* the selection as a whole                  */
    CHI_KEEP_WAVE = 5,     /* columns of H                              */
    CHI_KEEP_STREAM = 6    /* the state of a stream                     */
};

ch_status chi_records_found(ch_context *context, int *found, const ch_checkpoint *checkpoint,
                            int kind);
/* The same for one process alone. */
int chi_records_has(const ch_checkpoint *checkpoint, int kind);

/* What all ranks have alike: rank 0 adds it. */
ch_status chi_records_add(ch_context *context, const ch_checkpoint *checkpoint,
                          const ch_record_piece *pieces, int count, int kind);
/* A record of every rank, one after the other; those without a byte are left out. */
ch_status chi_records_add_each(ch_context *context, const ch_checkpoint *checkpoint,
                               const ch_record_piece *pieces, int count, int kind);

/* A record being read. */
typedef struct chi_record {
    const unsigned char *at;
    int64_t left;
    int failed; /* it ended too early */
} chi_record;

/* The bytes stay until the next call. */
ch_status chi_records_take(ch_context *context, chi_record *record, const ch_checkpoint *checkpoint,
                           int kind);
/* The next count items; zeros once the record has failed. */
void chi_record_get(chi_record *record, void *items, int64_t count, size_t size);
/* The same where they lie, not aligned; NULL once the record has failed. */
const unsigned char *chi_record_part(chi_record *record, int64_t count, size_t size);
/* Whether so many items are left: before memory is asked for. */
int chi_record_holds(const chi_record *record, int64_t count, size_t size);
/* Whether a count can be one: adding to it does not overflow. */
static inline int chi_record_counts(int64_t count) {
    return count >= 0 && count <= INT64_C(1) << 52;
}
/* CH_OK when all of it was read and fits, else CH_ERR_FORMAT: its checksum was right, so it was not
 * damaged but made by something else. */
ch_status chi_record_end(ch_context *context, const chi_record *record,
                         const ch_checkpoint *checkpoint, int fits);

#endif
