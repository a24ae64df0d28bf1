/* One of several processes. Only process 0 prints and writes; the others compute. */
#include "main/launch.h"
#include <conehull/mpi.h>
#include <conehull/version.h>
#include <time.h>
#include <unistd.h>

static ch_comm *ranks;
static int neighbours = 1; /* processes on this machine */

static void count_neighbours(void) {
    MPI_Comm machine;
    if (MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine) !=
        MPI_SUCCESS)
        return;
    MPI_Comm_size(machine, &neighbours);
    MPI_Comm_free(&machine);
}

/* ---- one command for all ---- */

/* The command of a process: its beginning to show, its length and hash to compare. */
typedef struct typed {
    uint64_t length, hash;
    char version[16], shown[512];
} typed;

static typed describe_words(int count, char **words) {
    typed own = {.hash = 14695981039346656037u}; /* FNV-1a */
    snprintf(own.version, sizeof own.version, "%s", ch_version());
    for (int i = 1; i < count; i++) {
        size_t used = strlen(own.shown);
        snprintf(own.shown + used, sizeof own.shown - used, "%s%s", i > 1 ? " " : "", words[i]);
        for (const char *at = words[i];; at++) {
            own.hash = (own.hash ^ (unsigned char)*at) * 1099511628211u;
            own.length++;
            if (!*at) break;
        }
    }
    return own;
}

/* Processes that do different work would wait for each other for ever, or mix their results. */
static int compare_words(int count, char **words) {
    typed own = describe_words(count, words), *all = calloc((size_t)ranks->processes, sizeof *all);
    int code = EXIT_DONE;
    if (!all) {
        cli_messages_unmute();
        MPI_Abort(MPI_COMM_WORLD, cli_no_memory()); /* the others wait in the exchange */
        return EXIT_MEMORY;
    }
    if (ranks->share(ranks->user, all, &own, sizeof own) != 0)
        code = cli_error(EXIT_FILES, "the processes could not compare their commands by MPI");
    for (int r = 1; r < ranks->processes && code == EXIT_DONE; r++)
        if (strcmp(all[r].version, all[0].version) != 0)
            code = cli_refuse("process %d runs conehull %s, but process 0 runs %s; all processes "
                              "must run the same version",
                              r, all[r].version, all[0].version);
        else if (all[r].length != all[0].length || all[r].hash != all[0].hash)
            code = cli_refuse("process %d was started as '%s', but process 0 as '%s'; all "
                              "processes must run the same command",
                              r, all[r].shown, all[0].shown);
    free(all);
    return code;
}

int cli_launch_begin(int *count, char ***words) {
    int level;
    if (MPI_Init_thread(count, words, MPI_THREAD_FUNNELED, &level) != MPI_SUCCESS ||
        ch_mpi_comm_create(&ranks, MPI_COMM_WORLD) != MPI_SUCCESS)
        return cli_error(EXIT_FILES, "MPI cannot be started");
    count_neighbours();
    if (ranks->process > 0) cli_messages_mute();
    int code = compare_words(*count, *words);
    if (code != EXIT_DONE) {
        ch_mpi_comm_destroy(ranks);
        MPI_Finalize();
        return code;
    }
    if (ranks->process == 0) return EXIT_DONE;
    return freopen("/dev/null", "w", stdout) ? EXIT_DONE : EXIT_FILES;
}

/* ---- the end ---- */

/* A process that failed alone (for example because a folder is missing on its machine only) must
 * not leave the others waiting in an exchange. Returns whether all processes reach their end soon;
 * a process that did not fail waits as long as necessary. */
static int all_arrive(int failed) {
    enum { SECONDS = 10 };
    MPI_Request arrival;
    int arrived = 0;
    if (MPI_Ibarrier(MPI_COMM_WORLD, &arrival) != MPI_SUCCESS) return 1;
    if (!failed) return MPI_Wait(&arrival, MPI_STATUS_IGNORE) == MPI_SUCCESS;
    for (double start = cli_seconds(); !arrived && cli_seconds() - start < SECONDS;) {
        if (MPI_Test(&arrival, &arrived, MPI_STATUS_IGNORE) != MPI_SUCCESS) return 1;
        if (!arrived) nanosleep(&(struct timespec){0, 10000000}, NULL);
    }
    return arrived;
}

/* Launchers report a code for every process; that of process 0 is that of the run. */
int cli_launch_end(int code) {
    int rank = ranks->process, failed = code > EXIT_EARLY && code != EXIT_INTERRUPTED;
    fflush(stdout);
    if (!all_arrive(failed) && failed) {
        cli_messages_unmute();
        cli_complain("process %d ended the run: %s", rank, cli_last_message());
        fflush(stderr);
        MPI_Abort(MPI_COMM_WORLD, code);
    }
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
