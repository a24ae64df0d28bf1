/* Going on with a run that was stopped or killed.
 *
 * A run with a ch_checkpoint in its settings (ch_anchors_settings.checkpoint) hands over a record
 * whenever it has got further: what it is a run of, each anchor, the selection as a whole, each
 * block of H. A later run with the same settings and data that finds these records takes them
 * instead of computing, and ends with the same bits. The library does no input or output here: a
 * table of three functions keeps the records wherever the caller likes. ch_checkpoint_file_open()
 * (io.h) keeps them in a file that is valid after a kill at any moment.
 *
 * Over several processes the functions of process 0 are called, which keeps the records of all; the
 * other ones give a table too, of which name and seconds alone are looked at. A later run may have
 * any number of processes.
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
 *  in the context that the table was made for. They are called by the thread that made the call. */
typedef struct ch_checkpoint {
    size_t size; /**< sizeof(ch_checkpoint) */
    void *user;
    const char *name; /**< for messages: the file                                            */
    /** Whether a record of this kind is among those not yet taken. */
    int (*has)(void *user, int kind);
    /** Takes the first such record, passing over those before it, which are not asked for any
     *  more. The bytes stay until the next call. */
    ch_status (*take)(void *user, const void **bytes, int64_t *count, int kind);
    /** Adds a record made of pieces. Those not taken are forgotten: the run has gone another way
     *  since, and will add them again. */
    ch_status (*add)(void *user, const ch_record_piece *pieces, int count, int kind);
    /** Of work on H between two records, about: what a kill may cost, if a block of columns takes
     *  less. 0: two seconds. Results do not depend on it. */
    double seconds;
} ch_checkpoint;

CH_END_DECLS
#endif
