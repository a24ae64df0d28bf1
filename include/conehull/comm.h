/* Columns distributed over several processes.
 *
 * A ch_comm is a table of the functions by which processes exchange data. Attached to a context, it
 * makes ch_anchors() and ch_project() collective: every process makes the call, with the same
 * settings and its own part of the columns (ch_comm_part() says which columns; ch_matrix.first says
 * where the part begins). All processes get the same anchors and figures, and each gets its own
 * columns of H. The results have the same bits as those of a run in one process. conehull/mpi.h
 * makes such a table from an MPI communicator. For any other transport, the caller writes the
 * functions of the table.
 *
 * At its start a call compares the arguments of all processes: settings, rows, type and layout of
 * X, W of ch_project(), and the version of the library. If they differ, or if the arguments of one
 * process are invalid, the call fails on all processes with a message that names the process. If a
 * process fails between two collective calls, the other processes would wait for it forever at the
 * next call. Therefore, before the next collective call, either all processes call ch_comm_agree()
 * to learn of failures, or the failed process ends all processes, for instance by MPI_Abort().
 *
 * Calls with a context that has no table, or a table of one process, run in this process alone. */
#ifndef CONEHULL_COMM_H
#define CONEHULL_COMM_H

#include <conehull/context.h>

CH_BEGIN_DECLS

/** The functions by which processes exchange data, implemented by the caller or by conehull/mpi.h.
 *  The library calls them in the same order on all processes, from the thread that called the
 *  library. Each function returns 0 on success and non-zero on failure; why() then gives the
 *  reason. Process indices count from 0. */
typedef struct ch_comm {
    size_t size;            /**< sizeof(ch_comm) */
    int process, processes; /**< index of this process, from 0, and number of processes */
    void *user;             /**< first argument of all functions of this table */
    /** Copies the `count` bytes at `bytes` of process `from` to `bytes` of all other processes. */
    int (*broadcast)(void *user, void *bytes, int64_t count, int from);
    /** Every process contributes the `count` bytes at `own`. In `all`, every process receives the
     *  bytes of all processes, in the order of the processes. */
    int (*share)(void *user, void *all, const void *own, int64_t count);
    /** Like share(), but the lengths differ: process r contributes bytes[r] bytes. Before the call,
     *  process r writes these bytes to their place in its own `all`, which begins after the bytes
     *  of processes 0 to r - 1. */
    int (*share_lists)(void *user, void *all, const int64_t *bytes);
    /** Sets *total to the sum of the `count` values of every process; count may differ between
     *  processes. Values are added one after the other, first those of process 0, then those of
     *  process 1, and so on, so that *total has the same bits in every process. */
    int (*sum)(void *user, double *total, const double *values, int64_t count);
    /** Each process r contributes the bytes[r] bytes at its `own`. Process 0 receives the bytes of
     *  all processes in `all`, in the order of the processes; its own bytes may already be there
     *  (own == all). The other processes do not use `all`. */
    int (*collect)(void *user, void *all, const void *own, const int64_t *bytes);
    /** Returns the reason of the last failure in words, never NULL. This function is optional: the
     *  member may be NULL. */
    const char *(*why)(void *user);
} ch_comm;

/** The cost of all exchanges between processes since the table was attached to the context. */
typedef struct ch_comm_cost {
    size_t size;   /**< sizeof(ch_comm_cost); the caller sets it */
    int64_t calls; /**< number of exchanges, which are calls of functions of the ch_comm */
    double bytes;  /**< bytes sent or received by this process */
    /** Seconds that the exchanges took, without the time of waiting for slower processes. It is a
     *  sum over all exchanges; for each exchange the shortest time of any process is added, because
     *  the process with the shortest time did not wait. */
    double seconds;
    double waiting; /**< seconds that this process waited in exchanges for slower processes */
} ch_comm_cost;

/** Attaches a table of exchanges to a context. The table is copied; the data behind its `user`
 *  pointer must stay valid while the table is attached. comm NULL detaches the table. */
CH_API ch_status ch_context_set_comm(ch_context *context, const ch_comm *comm);
/** Returns the table that is attached to a context, or NULL if there is none or it has only one
 *  process. */
CH_API const ch_comm *ch_context_comm(const ch_context *context);
/** Reports the cost of the exchanges of a context so far. All processes must make this call,
 *  because it compares their times. The caller sets cost->size. */
CH_API ch_status ch_context_comm_cost(ch_context *context, ch_comm_cost *cost);

/** Number of columns per block. The part of each process begins at a multiple of this number, so
 *  that no block is divided between processes. Sums over columns are formed block by block and
 *  therefore have the same bits for any number of processes. */
enum { CH_COMM_BLOCK = 64 };

/** Computes which of the `cols` columns of a matrix belong to this process: *count columns,
 *  beginning with column *first (from 0). Blocks of CH_COMM_BLOCK columns are divided among the
 *  processes as evenly as possible; *count may be 0. */
CH_API void ch_comm_part(const ch_context *context, int64_t *first, int64_t *count, int64_t cols);

/** Makes all processes agree on one status. All processes must make this call, each with its own
 *  status, and all get the same return value. If no status is negative, the return value is the
 *  largest status. Otherwise it is the first negative status in the order of the processes, and all
 *  contexts receive the message of this process. */
CH_API ch_status ch_comm_agree(ch_context *context, ch_status status);

/** Replaces *count by the sum of the values of *count in all processes. All processes must make
 *  this call. */
CH_API ch_status ch_comm_count(ch_context *context, int64_t *count);

CH_END_DECLS
#endif
