/* Records from which a run resumes (conehull/checkpoint.h): their kinds, how they are written and
 * read, and how they pass between processes. Without a checkpoint nothing is found and nothing is
 * saved.
 *
 * A module defines what it stores by one function that lists its fields. The function serves both
 * writing and reading:
 *
 *     static void fields(chi_record *record, void *user) {
 *         chi_record_number(record, &count, 0, most);
 *         chi_record_values(record, items, count, sizeof *items);
 *     }
 *
 * Reading trusts no value, because anyone can write a correct checksum. A record that is too short
 * or too long, or that holds a number out of bounds, is refused. Once a record has failed, its
 * fields read as zeros.
 *
 * With several processes all records are in the table of process 0. Data that all processes share
 * are one record; data of single processes are one record each. Every process sees all of them
 * later, even if their number has changed. Functions with a context are collective, and all
 * processes return the same status. */
#pragma once

#include "base/base.h"
#include <conehull/checkpoint.h>

/* Kinds of records, in the order in which a run writes them. The numbers are part of the format. */
enum chi_record_kind {
    CHI_RECORD_IDENTITY = 1,  /* input and settings of the run      */
    CHI_RECORD_STEP = 2,      /* an anchor                          */
    CHI_RECORD_AGAIN = 3,     /* the anchor that replaces the first */
    CHI_RECORD_SELECTION = 4, /* the whole selection                */
    CHI_RECORD_WAVE = 5,      /* columns of H                       */
    CHI_RECORD_STREAM = 6     /* the state of a stream              */
};

enum { CHI_RECORD_PIECES = 32 }; /* maximum number of fields of a record */
/* Maximum of all counts in records; sums of several counts do not overflow. */
#define CHI_COUNT_MAX (INT64_C(1) << 52)

/* A record being written or read. */
typedef struct chi_record {
    ch_context *context;
    int reads;
    int failed;              /* reading: too short, or an invalid value */
    int no_memory;           /* reading: an array could not be allocated */
    const unsigned char *at; /* reading: the next byte */
    int64_t left;
    /* reading, with several processes: the bytes of the record, else NULL */
    unsigned char *copy;
    ch_record_piece pieces[CHI_RECORD_PIECES]; /* writing: the fields */
    int count;
} chi_record;

/* ---- fields -------------------------------------------------------------------------------- */

typedef void (*chi_record_fields)(chi_record *record, void *user);

/* A field of `count` items of `size` bytes, which are in the caller's memory. */
void chi_record_values(chi_record *record, void *items, int64_t count, size_t size);
/* A field of `count` integers in the caller's memory; a value outside [low, high] fails on
 * reading. */
void chi_record_numbers(chi_record *record, int64_t *numbers, int64_t count, int64_t low,
                        int64_t high);
static inline void chi_record_number(chi_record *record, int64_t *number, int64_t low,
                                     int64_t high) {
    chi_record_numbers(record, number, 1, low, high);
}
/* A field of `count` items of `size` bytes. Writing: returns items. Reading: returns newly
 * allocated memory, which the caller frees, or NULL if the record has failed or memory is short. */
void *chi_record_array(chi_record *record, void *items, int64_t count, size_t size);
/* A field of `count` items of `size` bytes. Writing: returns items. Reading: returns a pointer into
 * the record, which is not aligned, or NULL if the record has failed. */
const unsigned char *chi_record_part(chi_record *record, const void *items, int64_t count,
                                     size_t size);
/* Reading: the record fails unless the condition holds. */
static inline void chi_record_require(chi_record *record, int condition) {
    record->failed |= record->reads && !condition;
}

/* ---- whole records ------------------------------------------------------------------------- */

/* Saves data that all processes share; process 0 adds the record. */
ch_status chi_record_save(ch_context *context, const ch_checkpoint *checkpoint, int kind,
                          chi_record_fields fields, void *user);
/* Saves one record for every process whose has_one is non-zero, in the order of the processes. */
ch_status chi_record_save_each(ch_context *context, const ch_checkpoint *checkpoint, int kind,
                               int has_one, chi_record_fields fields, void *user);
/* Reads the next record of this kind; *found is 0 if there is none. Returns CH_ERR_FORMAT if the
 * record is not valid. */
ch_status chi_record_load(ch_context *context, int *found, const ch_checkpoint *checkpoint,
                          int kind, chi_record_fields fields, void *user);

/* These functions read a record in steps, for a caller that reads it in another way than it was
 * written. chi_record_find() finds the next record of this kind; its bytes stay valid until the
 * next call. */
ch_status chi_record_find(ch_context *context, int *found, const ch_checkpoint *checkpoint,
                          int kind);
ch_status chi_record_take(ch_context *context, chi_record *record, const ch_checkpoint *checkpoint,
                          int kind);
/* Returns CH_OK if the whole record was read and is valid, else CH_ERR_FORMAT. Its checksum was
 * right, so it was not damaged but written by another program. */
ch_status chi_record_end(chi_record *record, const ch_checkpoint *checkpoint);
