/* Checkpoints let a run that was stopped or killed resume.
 *
 * If ch_anchors_settings.checkpoint is set, the run adds records to this ch_checkpoint as it
 * proceeds: a description of the run, each anchor, the complete selection, each block of H. A later
 * run with the same settings and data takes these parts from the records instead of computing them
 * again. Its result has the same bits as that of a run that was not interrupted. The library itself
 * does no input or output here: it calls three functions of the caller, which store the records.
 * ch_checkpoint_file_open() (io.h) provides functions that store the records in a file; this file
 * is valid even if the process is killed at any moment.
 *
 * With several processes only process 0 calls the functions; it stores the records of all
 * processes. The other processes must pass a ch_checkpoint too; the library uses only its members
 * `name` and `seconds`. A later run may have a different number of processes. */
#ifndef CONEHULL_CHECKPOINT_H
#define CONEHULL_CHECKPOINT_H

#include <conehull/context.h>

CH_BEGIN_DECLS

/** A piece of a record that the library passes to ch_checkpoint.add. The bytes belong to the
 *  library and are valid only during the call. */
typedef struct ch_record_piece {
    const void *bytes; /**< address of the first byte */
    int64_t count;     /**< number of bytes */
} ch_record_piece;

/** A store of records, which the caller implements. A record is a sequence of bytes with a kind, a
 *  positive integer. The store returns records in the order in which they were added. The library
 *  calls the three functions on the thread that called the library. take() and add() return CH_OK,
 *  or a negative status if they fail. The store that the library provides (ch_checkpoint_file) then
 *  also sets the message of its context. */
typedef struct ch_checkpoint {
    size_t size;      /**< sizeof(ch_checkpoint); the caller sets it */
    void *user;       /**< first argument of the three functions */
    const char *name; /**< name of the store in messages, usually the name of a file */
    /** Returns non-zero if the store has a record of this kind that take() has neither returned nor
     *  skipped yet, else 0. */
    int (*has)(void *user, int kind);
    /** Returns the next record of this kind: sets *bytes to its first byte and *count to its length
     *  in bytes. Records of other kinds before it are skipped and will not be requested again. The
     *  bytes belong to the store and are valid until the next call of any of the three
     *  functions. */
    ch_status (*take)(void *user, const void **bytes, int64_t *count, int kind);
    /** Appends one record, which consists of the bytes of pieces[0 .. count) one after the other.
     *  First the store drops all records that take() has neither returned nor skipped, because the
     *  run will compute and add them again. */
    ch_status (*add)(void *user, const ch_record_piece *pieces, int count, int kind);
    /** Approximate time, in seconds, between two records while H is computed; 0 means two seconds.
     *  If the process is killed, the work since the last record is lost. A record covers at least
     *  one block of columns, so the time between two records is at least that of a block. Results
     *  do not depend on this number. */
    double seconds;
} ch_checkpoint;

CH_END_DECLS
#endif
