/* Columns distributed over several processes.
 *
 * A ch_comm is a table of the few exchanges that the methods need. Attached to a context, it makes
 * ch_anchors() and ch_project() collective: every process calls with its own part of the columns
 * (ch_matrix.first says where the part begins; ch_comm_part() says which it should be) and the same
 * settings, and all get the same anchors, the same numbers and their own columns of H, with
 * the same bits as a run in one process. conehull/mpi.h makes such a table from an MPI
 * communicator; any other transport works as well.
 *
 * The first exchange of a call compares what each process was called with: settings, rows, type and
 * layout of X, W, and the version of the library. If they differ, or if one process
 * refuses its arguments, the call fails on all processes with a message that names the process. A
 * process that fails between two calls must notify the others, which wait for it: by
 * ch_comm_agree(), or by ending them (MPI_Abort()).
 *
 * A context without a table, or with a table of one process, runs alone. */
#ifndef CONEHULL_COMM_H
#define CONEHULL_COMM_H

#include <conehull/context.h>

CH_BEGIN_DECLS

/** Functions return 0 on success; otherwise why() gives the reason. All processes call the same
 *  functions in the same order, from the thread that called the library. */
typedef struct ch_comm {
    size_t size;            /**< sizeof(ch_comm) */
    int process, processes; /**< this one, from 0, and how many there are */
    void *user;
    /** Sends count bytes of process `from` to all. */
    int (*broadcast)(void *user, void *bytes, int64_t count, int from);
    /** Sends count bytes of every process to all, in the order of the processes. */
    int (*share)(void *user, void *all, const void *own, int64_t count);
    /** The same with bytes[r] bytes of process r; the own part is already in place. */
    int (*share_lists)(void *user, void *all, const int64_t *bytes);
    /** Adds to 0 the values of process 0 one after the other, then those of process 1, and so on,
     *  so that *total has the same bits everywhere. */
    int (*sum)(void *user, double *total, const double *values, int64_t count);
    /** Collects bytes[r] bytes of every process r in `all` of process 0, whose own part may already
     *  be in place. The others do not use `all`. */
    int (*collect)(void *user, void *all, const void *own, const int64_t *bytes);
    const char *(*why)(void *user);
} ch_comm;

/** The cost of the exchanges of a context so far. */
typedef struct ch_comm_cost {
    size_t size;    /**< sizeof(ch_comm_cost); the caller sets it */
    int64_t calls;  /**< exchanges                                                            */
    double bytes;   /**< sent or received by this process                                      */
    double seconds; /**< sum over exchanges of the shortest time that a process spent in it      */
    double waiting; /**< further time of this process in exchanges: waiting for slower ones      */
} ch_comm_cost;

/** Attaches a table, which is copied; what its functions use must outlive the context's use of it.
 *  NULL detaches it. */
CH_API ch_status ch_context_set_comm(ch_context *context, const ch_comm *comm);
CH_API const ch_comm *ch_context_comm(const ch_context *context);
/** Collective: the seconds of the exchanges are compared. */
CH_API ch_status ch_context_comm_cost(ch_context *context, ch_comm_cost *cost);

/** Parts of a matrix begin at multiples of this many columns. Sums are formed over blocks of
 *  columns that depend on the number of columns only, so that they have the same bits for any
 *  number of processes. */
enum { CH_COMM_BLOCK = 64 };

/** Columns [*first, *first + *count) of `cols` belong to this process. Blocks are divided as evenly
 *  as possible; a part may be empty. */
CH_API void ch_comm_part(const ch_context *context, int64_t *first, int64_t *count, int64_t cols);

/** Collective: returns the same status on all processes: the failure of the lowest process that
 *  failed, with its message, else the largest status. */
CH_API ch_status ch_comm_agree(ch_context *context, ch_status status);

/** Collective: replaces *count by the sum over all processes. */
CH_API ch_status ch_comm_count(ch_context *context, int64_t *count);

CH_END_DECLS
#endif
