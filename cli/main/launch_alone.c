/* A single process. If a launcher has started several, conehull-mpi takes over. Without
 * conehull-mpi all would do the same work and overwrite each other's files, so that is refused. */
#include "main/launch.h"
#include "main/program.h"
#include <unistd.h>

/* Environment variables that launchers set: Open MPI; MPICH and similar, Slurm's PMI-2. */
static const struct launcher {
    const char *size, *rank;
} launchers[] = {
    {"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"},
    {"PMI_SIZE", "PMI_RANK"},
};

static int number(const char *variable) {
    const char *text = getenv(variable);
    return text ? atoi(text) : 0;
}

/* Returns the launcher of more than one process, or NULL. */
static const struct launcher *find_launcher(void) {
    const char *asked = getenv("CONEHULL_MPI");
    if (asked && strcmp(asked, "0") == 0) return NULL;
    for (size_t i = 0; i < sizeof launchers / sizeof *launchers; i++)
        if (number(launchers[i].size) > 1) return &launchers[i];
    return NULL;
}

static const char with_mpi[] = "conehull-mpi";

int cli_launch_begin(int *count, char ***words) {
    char other[PATH_MAX];
    const struct launcher *launcher = find_launcher();
    (void)count;
    if (!launcher) return EXIT_DONE;
    if (cli_program_beside(other, with_mpi)) execv(other, *words);
    if (number(launcher->rank) == 0)
        cli_complain(
            "conehull was started as %d processes, but it was built without MPI, so all processes "
            "would do the same work. Build it with MPI (see README), or start one process. If "
            "these are separate runs, set CONEHULL_MPI=0 in the environment",
            number(launcher->size));
    return EXIT_USAGE;
}

int cli_launch_end(int code) {
    return code;
}

const ch_comm *cli_launch_comm(void) {
    return NULL;
}

int cli_launch_threads(void) {
    return 0;
}

const char *cli_launch_library(void) {
    char other[PATH_MAX];
    return cli_program_beside(other, with_mpi) ? with_mpi : NULL;
}
