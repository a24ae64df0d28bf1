/* One rank of several. Rank 0 alone prints and writes; the others compute. */
#include "main/launch.h"
#include <conehull/mpi.h>
#include <unistd.h>

static ch_comm *ranks;
static int neighbours = 1; /* ranks on this machine */

static void count_neighbours(void) {
    MPI_Comm machine;
    if (MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine) !=
        MPI_SUCCESS)
        return;
    MPI_Comm_size(machine, &neighbours);
    MPI_Comm_free(&machine);
}

int cli_launch_begin(int *count, char ***words) {
    int level;
    if (MPI_Init_thread(count, words, MPI_THREAD_FUNNELED, &level) != MPI_SUCCESS ||
        ch_mpi_comm_create(&ranks, MPI_COMM_WORLD) != MPI_SUCCESS)
        return cli_error(EXIT_FILES, "MPI cannot be started");
    count_neighbours();
    if (ranks->process == 0) return EXIT_DONE;
    cli_messages_mute();
    return freopen("/dev/null", "w", stdout) ? EXIT_DONE : EXIT_FILES;
}

/* Launchers report a code of every process; the one of rank 0 is that of the run. */
int cli_launch_end(int code) {
    int rank = ranks->process;
    fflush(stdout);
    ch_mpi_comm_destroy(ranks);
    MPI_Finalize();
    return rank == 0 ? code : EXIT_DONE;
}

const ch_comm *cli_launch_comm(void) {
    return ranks->size > 1 ? ranks : NULL;
}

int cli_launch_threads(void) {
    long cores = sysconf(_SC_NPROCESSORS_ONLN) / neighbours;
    return cores > 1 ? (int)cores : 1;
}

const char *cli_launch_library(void) {
    static char name[MPI_MAX_LIBRARY_VERSION_STRING];
    int length = 0;
    if (MPI_Get_library_version(name, &length) != MPI_SUCCESS) return "MPI";
    name[strcspn(name, ",\n")] = '\0';
    return name;
}
