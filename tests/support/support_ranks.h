/* Ranks without MPI: threads that exchange through memory, with a latency if one is asked for. */
#pragma once

#include "support.h"
#include <conehull/comm.h>

/* What all ranks exchanged, and how they shall. */
typedef struct support_wire {
    double latency; /* seconds that each step of an exchange takes; 0: none                  */
    int64_t steps;  /* of exchanges, one after the other: what the latency is paid for       */
    int64_t calls;
} support_wire;

/* Runs the body on so many ranks at once, each with a context of one thread on its memory (or on
 * malloc for NULL) and a table of exchanges, and waits for all of them. wire may be NULL. */
typedef void (*support_rank_body)(void *user, ch_context *context, int rank);
void support_run_ranks(int ranks, support_wire *wire, support_memory *memory,
                       support_rank_body body, void *user);
