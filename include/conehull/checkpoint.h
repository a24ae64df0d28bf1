/* Checkpoints let a run that was stopped or killed resume.
 *
 * A run with a ch_checkpoint in its settings (ch_anchors_settings.checkpoint) adds records as it
 * proceeds: a description of the run, each anchor, the complete selection, each block of H. A later
 * run with the same settings and data reads these records instead of computing them again, and ends
 * with the same bits. The library does no input or output here: it calls three functions of the
 * caller, which store the records. ch_checkpoint_file_open() (io.h) provides functions that store
 * them in a file, which is valid after a kill at any moment.
 *
 * With several processes only process 0 calls the functions; it stores the records of all. The
 * other processes pass a ch_checkpoint too, but only its name and seconds are used. A later run
 * may have any number of processes. */
#ifndef CONEHULL_CHECKPOINT_H
#define CONEHULL_CHECKPOINT_H

#include <conehull/context.h>

CH_BEGIN_DECLS

/** A piece of a record: bytes that the library owns, valid during the call. */
typedef struct ch_record_piece {
    const void *bytes; /**< address of the first byte */
    int64_t count;     /**< number of bytes */
} ch_record_piece;

/** A store of records, provided by the caller. A record is a number of bytes with a kind, which is
 *  a positive integer. The store returns records in the order in which they were added. The library
 *  calls the functions on the thread that called it. A function that fails returns a negative
 *  status. A store of the library (ch_checkpoint_file) also leaves the reason in the message of its
 *  context. */
typedef struct ch_checkpoint {
    size_t size;      /**< sizeof(ch_checkpoint); the caller sets it */
    void *user;       /**< first argument of the three functions */
    const char *name; /**< name of the store in messages, usually that of a file */
    /** Returns non-zero if there is a record of this kind that take() has not returned or skipped
     *  yet. */
    int (*has)(void *user, int kind);
    /** Returns the next record of this kind: sets *bytes and *count. Records of other kinds before
     *  it are skipped and will not be requested again. The bytes belong to the store and are valid
     *  until the next call of any of the functions. */
    ch_status (*take)(void *user, const void **bytes, int64_t *count, int kind);
    /** Appends a record that consists of pieces[0 .. count), one after the other. Records that
     *  take() has not returned yet are dropped first, because the run computes and adds them
     *  again. */
    ch_status (*add)(void *user, const ch_record_piece *pieces, int count, int kind);
    /** Approximate seconds of work on H between two records. A kill loses about this much work, and
     *  at least one block of columns. 0: two seconds. Results do not depend on it. */
    double seconds;
} ch_checkpoint;

CH_END_DECLS
#endif
