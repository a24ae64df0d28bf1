/* Under mpirun: one command on several ranks. The program conehull is one process alone and holds
 * no MPI; started by a launcher it hands over to conehull-mpi beside it, which is the same with
 * MPI. */
#pragma once

#include "common/command.h"

/* Before anything is printed. Returns EXIT_DONE, or the code to end with at once. */
int cli_launch_begin(int *count, char ***words);
/* The last thing; returns the code of this process. */
int cli_launch_end(int code);

/* The ranks of this run, NULL for one process alone. */
const ch_comm *cli_launch_comm(void);
/* Threads of this rank when nobody says how many: its share of the machine; 0: all of it. */
int cli_launch_threads(void);
/* "Open MPI 4.1.4", or NULL when conehull-mpi is not there. Belongs to the callee. */
const char *cli_launch_library(void);
