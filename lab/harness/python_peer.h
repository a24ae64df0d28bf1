/* A Python script as the other side of a ratio. Scripts are lab/peers/peer_*.py, built into the
 * program. A script prints "ready ABOUT" or "missing WHAT". Then it answers every line that it
 * receives with four numbers: elapsed seconds, processor seconds, and two numbers that the script
 * defines. */
#pragma once

#include "harness/harness.h"
#include "harness/peer.h"

enum { BENCH_PYTHON_LINE = 400 };

typedef struct bench_python {
    const char *name; /* name of the software that it runs: "scikit-learn" */
    bench_peer peer;
    /* ABOUT; or, if peer.pid is 0, the reason why no Python can be used */
    char about[BENCH_PYTHON_LINE];
    const char *line; /* the line that bench_python_ask() sends */
    double values[2]; /* the two numbers of the last answer */
} bench_python;

/* Starts the script with the first of /usr/bin/python3 and python3 that has the required modules.
 * words[0 .. count) are the arguments of the script. */
void bench_python_start(bench_python *python, const char *name, const bench_run *run,
                        const char *script, char *const *words, int count);
/* A function for bench_work.run: user is the bench_python, and the times are those that the script
 * reports. */
int bench_python_ask(void *user, bench_time *time);
void bench_python_stop(bench_python *python);

/* path = a new empty file conehull-bench-*SUFFIX in $TMPDIR or /tmp, for passing data to a script.
 * Prints errors and returns the exit code. */
int bench_temporary(char *path, size_t size, const char *suffix);

/* Writes a list as text: "3,14,15". */
void bench_list_text(char *text, size_t size, const int64_t *list, int64_t count);
