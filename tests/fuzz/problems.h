/* Small problems out of bytes, for the targets that check answers. */
#pragma once

#include "fuzz.h"
#include "project/cone.h"

enum { PROBLEM_ROWS = 10, PROBLEM_ANCHORS = 5 };

typedef struct small_problem {
    int64_t m, k;
    int plain; /* small integers only                       */
    double A[PROBLEM_ROWS * PROBLEM_ANCHORS], x[PROBLEM_ROWS];
    chi_cone cone;
    int32_t index[PROBLEM_ROWS];
    double value[PROBLEM_ROWS];
    chi_column column;
} small_problem;

/* A non-negative number from a byte: 0..15, times a power of ten unless plain. */
double problem_value(unsigned byte, int plain);

/* Takes sizes, anchors and a column from the bytes. */
void problem_take(small_problem *p, fuzz_run *run, fuzz_bytes *bytes);
void problem_give(small_problem *p);

/* x_i - (A b)_i in long double. */
long double problem_rest(const small_problem *p, const double *b, int64_t i);
