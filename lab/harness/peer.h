/* Another program as the other side of a ratio: started once, asked line by line, so that it takes
 * turns with us and its start is not timed. No shell is involved. */
#pragma once

#include <stddef.h>
#include <sys/types.h>

typedef struct bench_peer {
    pid_t pid; /* 0: none */
    int to, from;
} bench_peer;

/* Starts words[0] with so many threads for BLAS and OpenMP; its stderr is dropped. 0, or -1 when
 * the system cannot. A program that does not exist shows at the first line, which does not come. */
int bench_peer_start(bench_peer *peer, char *const *words, int threads);

/* Sends a line (NULL: none) and waits for one. -1 when the program ended or a signal came. */
int bench_peer_ask(bench_peer *peer, char *answer, size_t size, const char *line);

/* Ends it; one that was never started is fine. */
void bench_peer_stop(bench_peer *peer);
