/* ch_mpi_comm_create() while one rank after the other has no memory for one of its blocks: every
 * rank ends with MPI_ERR_NO_MEM, the output is as it was, and nothing is held. Linked with
 * --wrap=calloc,--wrap=free, so that calls of this program and of our libraries, not those of MPI,
 * come by here. Prints nothing when all is well. */
#include <conehull/mpi.h>
#include <stdio.h>
#include <stdlib.h>

void *__real_calloc(size_t count, size_t size);
void __real_free(void *block);
void *__wrap_calloc(size_t count, size_t size);
void __wrap_free(void *block);

static int fail_at, requests, live; /* the fail_at-th request from 1 gets NULL; 0: none does */

void *__wrap_calloc(size_t count, size_t size) {
    void *block = ++requests == fail_at ? NULL : __real_calloc(count, size);
    live += block != NULL;
    return block;
}

void __wrap_free(void *block) {
    live -= block != NULL;
    __real_free(block);
}

/* The k-th request of rank `failing` is refused; k 0: none is. Returns how much is wrong here. */
static int try_request(int rank, int failing, int k) {
    ch_comm none = {0}, *comm = &none;
    requests = live = 0;
    fail_at = rank == failing ? k : 0;
    int code = ch_mpi_comm_create(&comm, MPI_COMM_WORLD), held = live, made = comm != &none;
    if (code == MPI_SUCCESS && made) ch_mpi_comm_destroy(comm);
    int right = k ? code == MPI_ERR_NO_MEM && !made && held == 0
                  : code == MPI_SUCCESS && made && held == 2 && requests == 2;
    if (right && live == 0) return 0;
    printf("rank %d, request %d of rank %d: code %d, %s, %d blocks held, then %d\n", rank, k,
           failing, code, made ? "made" : "not made", held, live);
    return 1;
}

int main(int argc, char **argv) {
    int rank, size, wrong = 0, all = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int failing = 0; failing < size; failing++)
        for (int k = 0; k <= 2; k++) wrong += try_request(rank, failing, k);
    MPI_Allreduce(&wrong, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Finalize();
    return all != 0;
}
