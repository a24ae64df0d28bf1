/* Documents as counts of words: real ones, or made ones. */
#pragma once

#include "harness/harness.h"
#include <conehull/matrix.h>

/* Counts, terms x documents, CSC. */
typedef struct bench_documents {
    ch_matrix X;
    char data[BENCH_TEXT]; /* in words */
    double *values;        /* of made ones */
    int32_t *row;
    int64_t *start;
} bench_documents;

/* "bbc" or "reuters10" of the data, every fourth document with --quick; without data made ones.
 * Complains itself and returns the exit code; close in any case. */
int bench_documents_open(bench_documents *documents, const bench_run *run, const char *name);
void bench_documents_close(bench_documents *documents, const bench_run *run);
