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

/** The exchanges between processes. Process indices count from 0. Functions return 0 on success;
 *  otherwise why() gives the reason. All processes call the same functions in the same order, from
 *  the thread that called the library. */
typedef struct ch_comm {
    size_t size;            /**< sizeof(ch_comm) */
    int process, processes; /**< index of this process, from 0, and number of processes */
    void *user;             /**< first argument of all functions */
    /** Copies `count` bytes from process `from` to all others. */
    int (*broadcast)(void *user, void *bytes, int64_t count, int from);
    /** Every process contributes `count` bytes, which are at `own`. All processes receive the bytes
     *  of all processes, in the order of the processes, in `all`. */
    int (*share)(void *user, void *all, const void *own, int64_t count);
    /** Like share(), but process r contributes bytes[r] bytes, which are already at their place in
     *  the array `all` of that process. */
    int (*share_lists)(void *user, void *all, const int64_t *bytes);
    /** Adds up the `count` values of all processes into one number, *total. Values are added one
     *  after the other, those of process 0 first, then those of process 1, and so on, so that
     *  *total has the same bits in every process. */
    int (*sum)(void *user, double *total, const double *values, int64_t count);
    /** Process r contributes bytes[r] bytes, which are at `own`. Process 0 receives the bytes of
     *  all processes, in the order of the processes, in `all`, where its own bytes may be in place
     *  already. The other processes do not use `all`. */
    int (*collect)(void *user, void *all, const void *own, const int64_t *bytes);
    /** Returns the reason of the last failure in words; may be NULL. */
    const char *(*why)(void *user);
} ch_comm;

/** The cost of the exchanges of a context so far. */
typedef struct ch_comm_cost {
    size_t size;   /**< sizeof(ch_comm_cost); the caller sets it */
    int64_t calls; /**< number of exchanges */
    double bytes;  /**< bytes sent or received by this process */
    /** Seconds that the exchanges themselves took, without waiting. For each exchange this is the
     *  shortest time that any process spent in it, because that process did not wait for others. */
    double seconds;
    double waiting; /**< seconds that this process waited in exchanges for slower processes */
} ch_comm_cost;

/** Attaches a table of exchanges to a context; NULL detaches it. The table is copied; what its
 *  functions use must stay valid while it is attached. */
CH_API ch_status ch_context_set_comm(ch_context *context, const ch_comm *comm);
/** Returns the attached table, or NULL. */
CH_API const ch_comm *ch_context_comm(const ch_context *context);
/** Reports the cost of the exchanges of a context so far. All processes make this call, because it
 *  compares their times. The caller sets cost->size. */
CH_API ch_status ch_context_comm_cost(ch_context *context, ch_comm_cost *cost);

/** The columns of a process begin at a multiple of this number. Sums are formed over blocks of
 *  columns whose size depends only on the total number of columns. Because every process has whole
 *  blocks, sums have the same bits for any number of processes. */
enum { CH_COMM_BLOCK = 64 };

/** Computes which of `cols` columns belong to this process: *first .. *first + *count - 1. Blocks
 *  of CH_COMM_BLOCK columns are divided as evenly as possible; a part may be empty. */
CH_API void ch_comm_part(const ch_context *context, int64_t *first, int64_t *count, int64_t cols);

/** All processes make this call, each with its own status, and all return the same one: if some
 *  failed, the status and the message of the failed process with the lowest index; otherwise the
 *  largest status. */
CH_API ch_status ch_comm_agree(ch_context *context, ch_status status);

/** Replaces *count by the sum of the *count of all processes. All processes make this call. */
CH_API ch_status ch_comm_count(ch_context *context, int64_t *count);

CH_END_DECLS
#endif
