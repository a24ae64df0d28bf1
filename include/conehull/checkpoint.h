/* Checkpoints: resuming a run that was stopped or killed.
 *
 * A run with a ch_checkpoint in its settings (ch_anchors_settings.checkpoint) adds records as it
 * proceeds: a description of the run, each anchor, the complete selection, each block of H. A later
 * run with the same settings and data reads these records instead of computing them again, and ends
 * with the same bits. The library does no input or output here: the caller stores the records by a
 * table of three functions. ch_checkpoint_file_open() (io.h) stores them in a file that is valid
 * after a kill at any moment.
 *
 * With several processes only the functions of process 0 are called; it stores the records of all.
 * The other processes pass a table too, of which only name and seconds are used. A later run may
 * have any number of processes.
 */
#ifndef CONEHULL_CHECKPOINT_H
#define CONEHULL_CHECKPOINT_H

#include <conehull/context.h>

CH_BEGIN_DECLS

/** A piece of a record. */
typedef struct ch_record_piece {
    const void *bytes;
    int64_t count;
} ch_record_piece;

/** Records come back in the order in which they were added. Functions that fail leave the reason
 *  in the context that the table was made for. They run on the thread that called the library. */
typedef struct ch_checkpoint {
    size_t size; /**< sizeof(ch_checkpoint) */
    void *user;
    const char *name; /**< for messages: the file                                            */
    /** Returns non-zero if a record of this kind has not been taken yet. */
    int (*has)(void *user, int kind);
    /** Takes the first record of this kind. Records before it are skipped and will not be needed
     *  again. The bytes are valid until the next call. */
    ch_status (*take)(void *user, const void **bytes, int64_t *count, int kind);
    /** Adds a record made of pieces. Records not taken yet are dropped: the run will compute and
     *  add them again. */
    ch_status (*add)(void *user, const ch_record_piece *pieces, int count, int kind);
    /** Approximate seconds of work on H between two records, which is what a kill may lose; at
     *  least one block of columns. 0 means two seconds. Results do not depend on it. */
    double seconds;
} ch_checkpoint;

CH_END_DECLS
#endif
