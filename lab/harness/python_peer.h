/* A Python script as the other side of a ratio. Scripts are lab/peers/peer_*.py, built into the
 * program. A script prints "ready ABOUT", or "missing WHAT"; then it answers every line that it is
 * sent with: seconds by the clock, seconds of processors, and two numbers of its own. */
#pragma once

#include "harness/harness.h"
#include "harness/peer.h"

enum { BENCH_PYTHON_LINE = 400 };

typedef struct bench_python {
    const char *name; /* what it runs: "scikit-learn" */
    bench_peer peer;
    char about[BENCH_PYTHON_LINE]; /* ABOUT; or why no Python here will do, and peer.pid is 0 */
    const char *line;              /* what bench_python_ask() sends                            */
    double values[2];              /* of the last answer                                       */
} bench_python;

/* The first of /usr/bin/python3 and python3 that has what the script needs. words[0 .. count): its
 * arguments. */
void bench_python_start(bench_python *python, const char *name, const bench_run *run,
                        const char *script, char *const *words, int count);
/* A work: user is the bench_python; the times are its own. */
int bench_python_ask(void *user, bench_time *time);
void bench_python_stop(bench_python *python);

/* path = a new empty file conehull-bench-*SUFFIX in $TMPDIR or /tmp, to hand data over in.
 * Complains itself and returns the exit code. */
int bench_temporary(char *path, size_t size, const char *suffix);

/* text = "3,14,15". */
void bench_list_text(char *text, size_t size, const int64_t *list, int64_t count);
