/* Runs one command in several processes under mpirun. The program conehull is a single process
 * without MPI. If a launcher starts it, it is replaced by conehull-mpi in the same folder, which is
 * the same program with MPI. */
#pragma once

#include "common/command.h"

/* Called before anything is printed. Returns EXIT_DONE, or the exit code with which to end at
 * once. */
int cli_launch_begin(int *count, char ***words);
/* Called last; returns the exit code of this process. */
int cli_launch_end(int code);

/* The processes of this run, or NULL for a single process. */
const ch_comm *cli_launch_comm(void);
/* Default number of threads of this process: its share of the machine; 0 means all cores. */
int cli_launch_threads(void);
/* Returns "Open MPI 4.1.4", or NULL if conehull-mpi is not installed. The callee owns the text. */
const char *cli_launch_library(void);
