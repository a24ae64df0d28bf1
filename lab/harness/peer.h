/* Another program as the other side of a ratio. It is started once and then receives one line per
 * turn, so that its start is not measured. No shell is used. */
#pragma once

#include <stddef.h>
#include <sys/types.h>

typedef struct bench_peer {
    pid_t pid; /* 0: there is no process */
    int to, from;
} bench_peer;

/* Starts words[0] with this number of threads for BLAS and OpenMP; its stderr is discarded. Returns
 * 0, or -1 if the system cannot start a process. If the program does not exist, the first
 * bench_peer_ask() fails. */
int bench_peer_start(bench_peer *peer, char *const *words, int threads);

/* Sends a line (NULL: none) and waits for a line, which is stored in answer. Returns 0, or -1 if
 * the program ended or a signal was received. */
int bench_peer_ask(bench_peer *peer, char *answer, size_t size, const char *line);

/* Ends the program. Does nothing if it was never started. */
void bench_peer_stop(bench_peer *peer);
