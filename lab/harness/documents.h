/* Documents as counts of words: real documents, or generated ones. */
#pragma once

#include "harness/harness.h"
#include <conehull/matrix.h>

/* Counts, terms x documents, CSC. */
typedef struct bench_documents {
    ch_matrix X;
    char data[BENCH_TEXT]; /* description as text */
    double *values;        /* values of generated counts */
    int32_t *row;
    int64_t *start;
} bench_documents;

/* Reads "bbc" or "reuters10" from the data folder, with --quick every fourth document; without a
 * data folder, generates documents. Prints errors and returns the exit code. The caller must call
 * bench_documents_close(), whatever the exit code. */
int bench_documents_open(bench_documents *documents, const bench_run *run, const char *name);
void bench_documents_close(bench_documents *documents, const bench_run *run);
