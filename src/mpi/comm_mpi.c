/* The exchanges of conehull/comm.h over an MPI communicator. MPI counts are ints, so larger
 * exchanges are split. */
#include <conehull/mpi.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PIECE = 1 << 28, TAG_SUM = 1, TAG_COLLECT = 2 };

typedef struct channel {
    ch_comm table;
    MPI_Comm communicator;
    int *counts, *places; /* per process, for lists                       */
    char message[MPI_MAX_ERROR_STRING];
} channel;

/* Stores the message of a failure. */
static int note(channel *c, int code) {
    int length = 0;
    if (code != MPI_SUCCESS && MPI_Error_string(code, c->message, &length) != MPI_SUCCESS)
        snprintf(c->message, sizeof c->message, "MPI error %d", code);
    return code;
}

static const char *why(void *user) {
    const channel *c = user;
    return c->message;
}

static int broadcast(void *user, void *bytes, int64_t count, int from) {
    channel *c = user;
    int code = MPI_SUCCESS;
    for (int64_t at = 0; code == MPI_SUCCESS && at < count; at += PIECE) {
        int piece = count - at < PIECE ? (int)(count - at) : PIECE;
        code = MPI_Bcast((char *)bytes + at, piece, MPI_BYTE, from, c->communicator);
    }
    return note(c, code);
}

static int share(void *user, void *all, const void *own, int64_t count) {
    channel *c = user;
    return note(
        c, MPI_Allgather(own, (int)count, MPI_BYTE, all, (int)count, MPI_BYTE, c->communicator));
}

static int share_lists(void *user, void *all, const int64_t *bytes) {
    channel *c = user;
    int64_t place = 0;
    for (int r = 0; r < c->table.processes && place <= INT_MAX; place += bytes[r++]) {
        c->counts[r] = (int)bytes[r];
        c->places[r] = (int)place;
    }
    if (place <= INT_MAX)
        return note(c, MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, c->counts, c->places,
                                      MPI_BYTE, c->communicator));
    int code = MPI_SUCCESS;
    place = 0;
    for (int r = 0; code == MPI_SUCCESS && r < c->table.processes; place += bytes[r++])
        code = broadcast(user, (char *)all + place, bytes[r], r);
    return code;
}

/* The sum passes from process to process, each adding its values. This takes as many steps as there
 * are processes: the price of a fixed order. */
static int sum(void *user, double *total, const double *values, int64_t count) {
    channel *c = user;
    int process = c->table.process, last = c->table.processes - 1, code = MPI_SUCCESS;
    double running = 0;
    if (process > 0)
        code = MPI_Recv(&running, 1, MPI_DOUBLE, process - 1, TAG_SUM, c->communicator,
                        MPI_STATUS_IGNORE);
    for (int64_t k = 0; k < count; k++) running += values[k];
    if (code == MPI_SUCCESS && process < last)
        code = MPI_Send(&running, 1, MPI_DOUBLE, process + 1, TAG_SUM, c->communicator);
    if (code == MPI_SUCCESS) code = MPI_Bcast(&running, 1, MPI_DOUBLE, last, c->communicator);
    *total = running;
    return note(c, code);
}

static int send_pieces(const channel *c, const void *own, int64_t bytes) {
    int code = MPI_SUCCESS;
    for (int64_t at = 0; code == MPI_SUCCESS && at < bytes; at += PIECE)
        code = MPI_Send((const char *)own + at, bytes - at < PIECE ? (int)(bytes - at) : PIECE,
                        MPI_BYTE, 0, TAG_COLLECT, c->communicator);
    return code;
}

static int receive_pieces(const channel *c, char *all, int64_t bytes, int from) {
    int code = MPI_SUCCESS;
    for (int64_t at = 0; code == MPI_SUCCESS && at < bytes; at += PIECE)
        code = MPI_Recv(all + at, bytes - at < PIECE ? (int)(bytes - at) : PIECE, MPI_BYTE, from,
                        TAG_COLLECT, c->communicator, MPI_STATUS_IGNORE);
    return code;
}

static int collect(void *user, void *all, const void *own, const int64_t *bytes) {
    channel *c = user;
    if (c->table.process > 0) return note(c, send_pieces(c, own, bytes[c->table.process]));
    int code = MPI_SUCCESS;
    char *to = all;
    if (bytes[0] > 0) memmove(to, own, (size_t)bytes[0]); /* may be in place */
    for (int r = 1; code == MPI_SUCCESS && r < c->table.processes; r++) {
        to += bytes[r - 1];
        code = receive_pieces(c, to, bytes[r], r);
    }
    return note(c, code);
}

int ch_mpi_comm_create(ch_comm **comm, MPI_Comm communicator) {
    int process, size;
    int code = MPI_Comm_rank(communicator, &process);
    if (code == MPI_SUCCESS) code = MPI_Comm_size(communicator, &size);
    if (code != MPI_SUCCESS) return code;
    channel *c = calloc(1, sizeof *c);
    int *lists = calloc(2 * (size_t)size, sizeof *lists);
    int had = c && lists, all = 0; /* all stop when one cannot continue */
    code = MPI_Allreduce(&had, &all, 1, MPI_INT, MPI_MIN, communicator);
    if (code == MPI_SUCCESS && !(all && c && lists)) code = MPI_ERR_NO_MEM;
    if (code == MPI_SUCCESS) code = MPI_Comm_dup(communicator, &c->communicator);
    if (code != MPI_SUCCESS) {
        free(lists);
        free(c);
        return code;
    }
    c->counts = lists;
    c->places = lists + size;
    c->table = (ch_comm){sizeof(ch_comm), process,     size, c,       broadcast,
                         share,           share_lists, sum,  collect, why};
    *comm = &c->table;
    return MPI_SUCCESS;
}

void ch_mpi_comm_destroy(ch_comm *comm) {
    if (!comm) return;
    channel *c = comm->user;
    MPI_Comm_free(&c->communicator);
    free(c->counts);
    free(c);
}
