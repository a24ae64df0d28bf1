/* Columns over the processes of an MPI communicator (library conehull_mpi).
 *
 *     MPI_Init(&argc, &argv);
 *     ch_comm *comm;
 *     if (ch_mpi_comm_create(&comm, MPI_COMM_WORLD) != 0) return;
 *     ch_context_set_comm(context, comm);
 *     // every process: its part of X (ch_comm_part()), then ch_anchors() as usual
 *     ch_context_set_comm(context, NULL);
 *     ch_mpi_comm_destroy(comm);
 *
 * libconehull does not depend on MPI. libconehull_mpi does not call libconehull: it only fills the
 * table of functions that conehull/comm.h declares. */
#ifndef CONEHULL_MPI_H
#define CONEHULL_MPI_H

#include <conehull/comm.h>
#include <mpi.h>

CH_BEGIN_DECLS

/** Makes a table of exchanges for the processes of a communicator; ch_mpi_comm_destroy() frees the
 *  table. All processes of the communicator must make this call. The communicator is duplicated, so
 *  that messages of the library do not mix with those of the caller; the duplicate has the same
 *  error handler. (MPI's default handler ends all processes when one process is lost.) Returns 0 or
 *  an MPI error code, such as MPI_ERR_NO_MEM if memory runs out. Call the library from the thread
 *  that MPI allows to communicate; the level MPI_THREAD_FUNNELED is sufficient. */
CH_API int ch_mpi_comm_create(ch_comm **comm, MPI_Comm communicator);
/** Frees a table of ch_mpi_comm_create() and its duplicate of the communicator. All processes must
 *  make this call, before MPI_Finalize(). NULL is allowed. */
CH_API void ch_mpi_comm_destroy(ch_comm *comm);

CH_END_DECLS
#endif
