/* Columns distributed over several processes.
 *
 * A ch_comm is a table of the few exchanges that the methods need. Attached to a context, it makes
 * ch_anchors() and ch_project() collective: every process calls with its own part of the columns
 * (ch_matrix.first says where the part begins; ch_comm_part() says which it should be) and the same
 * settings, and all get the same anchors, the same numbers and their own columns of H, to the bit
 * what one process alone would have found. conehull/mpi.h makes such a table of an MPI
 * communicator; any other transport will do as well.
 *
 * The first exchange of a call compares what each process was called with: settings, rows, type and
 * layout of X, W, and the version of the library. A difference, or arguments that one process
 * refuses, is a failure of all, whose message names the process. A process that fails between two
 * calls must tell the others by itself, by ch_comm_agree() or by ending them (MPI_Abort()): they
 * wait for it.
 *
 * A context without a table, or with one of one process, is one process alone. */
#ifndef CONEHULL_COMM_H
#define CONEHULL_COMM_H

#include <conehull/context.h>

CH_BEGIN_DECLS

/** Functions return 0, or anything else when the exchange failed; why() then says why. All
 * processes call the same ones in the same order, from the thread that made the call. */
typedef struct ch_comm {
    size_t size;            /**< sizeof(ch_comm) */
    int process, processes; /**< this one, from 0, and how many there are */
    void *user;
    /** bytes of process `from` to everybody. */
    int (*broadcast)(void *user, void *bytes, int64_t count, int from);
    /** count bytes of every process to everybody, in the order of the processes. */
    int (*share)(void *user, void *all, const void *own, int64_t count);
    /** The same with bytes[r] of process r; the own part is in its place already. */
    int (*share_lists)(void *user, void *all, const int64_t *bytes);
    /** *total, the same everywhere: 0 plus all values of process 0 one after the other, then those
     *  of process 1, and so on. */
    int (*sum)(void *user, double *total, const double *values, int64_t count);
    /** bytes[r] of every process one after the other in process 0's `all`, whose own part may be in
     * place; unused on the others. */
    int (*collect)(void *user, void *all, const void *own, const int64_t *bytes);
    const char *(*why)(void *user);
} ch_comm;

/** What the exchanges of a context took so far. */
typedef struct ch_comm_cost {
    size_t size;    /**< sizeof(ch_comm_cost); the caller sets it */
    int64_t calls;  /**< exchanges                                                            */
    double bytes;   /**< that this process sent or received                                      */
    double seconds; /**< of each exchange the least that a process spent in it, added up         */
    double waiting; /**< what this process spent in exchanges beyond that: for slower ones      */
} ch_comm_cost;

/** The table is copied; what its functions use must outlive the context's use of it. NULL: one
 *  process alone again. */
CH_API ch_status ch_context_set_comm(ch_context *context, const ch_comm *comm);
CH_API const ch_comm *ch_context_comm(const ch_context *context);
/** Collective: the seconds of the exchanges are compared. */
CH_API ch_status ch_context_comm_cost(ch_context *context, ch_comm_cost *cost);

/** Parts of a matrix begin at multiples of this many columns: sums are kept for blocks of columns
 *  that depend on nothing but the number of columns, so that they add up to the same bits. */
enum { CH_COMM_BLOCK = 64 };

/** Columns [*first, *first + *count) of `cols` belong to this process: blocks as even as can be.
 * Parts may be empty. */
CH_API void ch_comm_part(const ch_context *context, int64_t *first, int64_t *count, int64_t cols);

/** Collective: a status that one process has, all have; a failure of the lowest one that failed,
 * with its message, else the largest. */
CH_API ch_status ch_comm_agree(ch_context *context, ch_status status);

/** Collective: the sum of the counts. */
CH_API ch_status ch_comm_count(ch_context *context, int64_t *count);

CH_END_DECLS
#endif
