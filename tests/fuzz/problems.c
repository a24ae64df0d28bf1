/* Small problems out of bytes; see problems.h. */
#include "problems.h"
#include <string.h>

double problem_value(unsigned byte, int plain) {
    static const double scales[] = {1,   1,    1,   1,    1,   1,       1, 1,
                                    0.1, 1e-3, 1e3, 1e-6, 1e6, 1.0 / 3, 7, 255};
    return (double)(byte & 15) * (plain ? 1 : scales[byte >> 4]);
}

void problem_take(small_problem *p, fuzz_run *run, fuzz_bytes *bytes) {
    memset(p, 0, sizeof *p);
    unsigned first = fuzz_byte(bytes);
    p->plain = first & 1;
    p->m = 1 + (first >> 1) % PROBLEM_ROWS;
    p->k = 1 + fuzz_below(bytes, PROBLEM_ANCHORS);
    for (int64_t e = 0; e < p->m * p->k; e++) p->A[e] = problem_value(fuzz_byte(bytes), p->plain);
    for (int64_t i = 0; i < p->m; i++) p->x[i] = problem_value(fuzz_byte(bytes), p->plain);
    fuzz_require(chi_cone_create(run->context, &p->cone, p->m, p->k) == CH_OK, "no cone");
    for (int64_t j = 0; j < p->k; j++) chi_cone_append(&p->cone, p->A + j * p->m);
    ch_matrix X = {.rows = p->m, .cols = 1, .values = p->x, .stride = p->m};
    chi_column_load(p->cone.kernels, &p->column, p->index, p->value, &X, 0);
}

void problem_give(small_problem *p) {
    chi_cone_destroy(&p->cone);
}

long double problem_rest(const small_problem *p, const double *b, int64_t i) {
    long double rest = p->x[i];
    for (int64_t j = 0; j < p->k; j++) rest -= (long double)p->A[i + j * p->m] * b[j];
    return rest;
}
