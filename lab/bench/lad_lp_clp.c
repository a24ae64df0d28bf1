/* Solves by Clp: max x'd, A'd <= 0, -1 <= d <= 1 or min 1'(u + v), A b + u - v = x. */
#include "bench/lad_lp.h"

#include <coin/Clp_C_Interface.h>
#include <math.h>
#include <stdlib.h>

const char *lad_lp_name(void) {
    return "Clp";
}

/* A sparse matrix column by column, with bounds and costs. */
typedef struct program {
    int *index, count;
    CoinBigIndex *start;
    double *value, *low, *high, *cost;
} program;

static program create(int64_t columns, int64_t entries) {
    program p = {.index = malloc((size_t)entries * sizeof *p.index),
                 .start = calloc((size_t)columns + 1, sizeof *p.start),
                 .value = malloc((size_t)entries * sizeof *p.value),
                 .low = calloc((size_t)columns, sizeof *p.low),
                 .high = calloc((size_t)columns, sizeof *p.high),
                 .cost = calloc((size_t)columns, sizeof *p.cost)};
    return p;
}

static void set_column(program *p, double low, double high, double cost) {
    p->low[p->count] = low;
    p->high[p->count] = high;
    p->cost[p->count++] = cost;
    p->start[p->count] = p->start[p->count - 1];
}

static void add_entry(program *p, int64_t row, double value) {
    CoinBigIndex at = p->start[p->count]++;
    p->index[at] = (int)row;
    p->value[at] = value;
}

static double finish(program *p, int64_t rows, const double *row_low, const double *row_high) {
    Clp_Simplex *model = Clp_newModel();
    Clp_setLogLevel(model, 0);
    Clp_loadProblem(model, p->count, (int)rows, p->start, p->index, p->value, p->low, p->high,
                    p->cost, row_low, row_high);
    Clp_dual(model, 0);
    double objective = Clp_objectiveValue(model);
    Clp_deleteModel(model);
    free(p->index);
    free(p->start);
    free(p->value);
    free(p->low);
    free(p->high);
    free(p->cost);
    return objective;
}

double lad_lp_solve(const double *A, const double *x, int64_t rows, int64_t k, int primal) {
    if (primal) {
        program p = create(k + 2 * rows, rows * (k + 2));
        for (int64_t j = 0; j < k; j++) {
            set_column(&p, 0, INFINITY, 0);
            for (int64_t i = 0; i < rows; i++) add_entry(&p, i, A[i + j * rows]);
        }
        for (int64_t i = 0; i < 2 * rows; i++) {
            set_column(&p, 0, INFINITY, 1);
            add_entry(&p, i % rows, i < rows ? 1 : -1);
        }
        return finish(&p, rows, x, x);
    }
    program p = create(rows, rows * k);
    double *low = malloc((size_t)k * sizeof *low), *high = calloc((size_t)k, sizeof *high);
    for (int64_t i = 0; i < rows; i++) {
        set_column(&p, -1, 1, -x[i]);
        for (int64_t j = 0; j < k; j++) add_entry(&p, j, A[i + j * rows]);
    }
    for (int64_t j = 0; j < k; j++) low[j] = -INFINITY;
    double objective = -finish(&p, k, low, high);
    free(low);
    free(high);
    return objective;
}
