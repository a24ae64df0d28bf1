/* Records of a run for one that goes on with it (conehull/checkpoint.h): their kinds, how they are
 * written and read, and how they pass between processes. Without a checkpoint nothing is found and
 * nothing kept.
 *
 * A module says what it stores by one function that lists its fields and serves both ways:
 *
 *     static void fields(chi_record *record, void *user) {
 *         chi_record_number(record, &count, 0, most);
 *         chi_record_values(record, items, count, sizeof *items);
 *     }
 *
 * Reading trusts nothing: a checksum is written by anybody. A record that is too short or too long,
 * or that holds a number out of bounds, is refused; once it has failed, its fields read as zeros.
 *
 * Over several processes all records are in the table of process 0: what processes know alike is
 * one record, what each has for itself one of every process, which all get to see later, however
 * many they are then. Functions with a context are collective, and all processes return alike. */
#pragma once

#include "base/base.h"
#include <conehull/checkpoint.h>

/* Kinds of records, in the order in which a run makes them; numbers are part of the format. */
enum chi_record_kind {
    CHI_RECORD_IDENTITY = 1,  /* what it is a run of                       */
    CHI_RECORD_STEP = 2,      /* an anchor                                 */
    CHI_RECORD_AGAIN = 3,     /* the anchor chosen in place of the first   */
    CHI_RECORD_SELECTION = 4, /* the selection as a whole                  */
    CHI_RECORD_WAVE = 5,      /* columns of H                              */
    CHI_RECORD_STREAM = 6     /* the state of a stream                     */
};

enum { CHI_RECORD_PIECES = 32 }; /* fields of a record, at most */
/* No count is larger: adding to it does not overflow. */
#define CHI_COUNT_MAX (INT64_C(1) << 52)

/* A record being written or read. */
typedef struct chi_record {
    ch_context *context;
    int reads;
    int failed;              /* reading: too short, or a value that cannot be  */
    int no_memory;           /* ... or an array could not be allocated         */
    const unsigned char *at; /* reading: what is left, ...                     */
    int64_t left;
    unsigned char *copy;                       /* ... and its memory, over several processes     */
    ch_record_piece pieces[CHI_RECORD_PIECES]; /* writing */
    int count;
} chi_record;

/* ---- fields -------------------------------------------------------------------------------- */

typedef void (*chi_record_fields)(chi_record *record, void *user);

/* count items in the caller's memory. */
void chi_record_values(chi_record *record, void *items, int64_t count, size_t size);
/* The same for numbers within [low, high]. */
void chi_record_numbers(chi_record *record, int64_t *numbers, int64_t count, int64_t low,
                        int64_t high);
static inline void chi_record_number(chi_record *record, int64_t *number, int64_t low,
                                     int64_t high) {
    chi_record_numbers(record, number, 1, low, high);
}
/* Writing: the items, which it returns. Reading: memory that the caller frees, or NULL. */
void *chi_record_array(chi_record *record, void *items, int64_t count, size_t size);
/* Writing: the same. Reading: where they lie in the record, not aligned; NULL once it has failed.
 */
const unsigned char *chi_record_part(chi_record *record, const void *items, int64_t count,
                                     size_t size);
/* Reading: the record fails unless the condition holds. */
static inline void chi_record_require(chi_record *record, int condition) {
    record->failed |= record->reads && !condition;
}

/* ---- whole records ------------------------------------------------------------------------- */

/* What all processes have alike: process 0 adds it. */
ch_status chi_record_save(ch_context *context, const ch_checkpoint *checkpoint, int kind,
                          chi_record_fields fields, void *user);
/* A record of every process that has one, one after the other. */
ch_status chi_record_save_each(ch_context *context, const ch_checkpoint *checkpoint, int kind,
                               int has_one, chi_record_fields fields, void *user);
/* The next record of the kind. CH_ERR_FORMAT: it does not fit. */
ch_status chi_record_load(ch_context *context, int *found, const ch_checkpoint *checkpoint,
                          int kind, chi_record_fields fields, void *user);

/* In steps, for a record that is not read as it was written. The bytes stay until the next call. */
ch_status chi_record_find(ch_context *context, int *found, const ch_checkpoint *checkpoint,
                          int kind);
ch_status chi_record_take(ch_context *context, chi_record *record, const ch_checkpoint *checkpoint,
                          int kind);
/* CH_OK when all of it was read and fits, else CH_ERR_FORMAT: its checksum was right, so it was not
 * damaged but made by something else. */
ch_status chi_record_end(chi_record *record, const ch_checkpoint *checkpoint);
