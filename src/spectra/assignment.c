/* One-to-one matching with the least total cost (the assignment problem)
 *
 *     min  sum_i C[i, s(i)]   over one-to-one s
 *
 * by shortest augmenting paths with potentials u, v (H. Kuhn 1955; J. Munkres 1957; R. Jonker and
 * A. Volgenant, Computing 38, 1987). C_ij - u_i - v_j >= 0, with equality on matched pairs, which
 * proves the answer. O(small^2 large), where small and large are the lesser and the greater of rows
 * and columns. */
#include "base/arena.h"
#include <conehull/spectra.h>
#include <math.h>
#include <string.h>

/* Costs with no more rows than columns. Columns are numbered from 1; column 0 represents the row to
 * be matched next. */
typedef struct assignment {
    const double *cost;
    int64_t small, large;          /* rows, columns                                        */
    int64_t row_step, column_step; /* cost of (i, j) at i row_step + j column_step         */
    double *u, *v, *least;         /* potentials; least reduced cost of a column           */
    int64_t *row, *from;           /* per column: its row; the previous column on the path */
    char *done;
} assignment;

static double reduced(const assignment *a, int64_t i, int64_t column) {
    return a->cost[(i - 1) * a->row_step + (column - 1) * a->column_step] - a->u[i] - a->v[column];
}

/* Makes one step of the search from column `at`. Returns the nearest column that is not done. */
static int64_t grow(assignment *a, int64_t at) {
    int64_t next = 0;
    double shift = INFINITY;
    a->done[at] = 1;
    for (int64_t j = 1; j <= a->large; j++) {
        if (a->done[j]) continue;
        double cost = reduced(a, a->row[at], j);
        if (cost < a->least[j]) {
            a->least[j] = cost;
            a->from[j] = at;
        }
        if (a->least[j] < shift) {
            shift = a->least[j];
            next = j;
        }
    }
    for (int64_t j = 0; j <= a->large; j++)
        if (a->done[j]) {
            a->u[a->row[j]] += shift;
            a->v[j] -= shift;
        } else {
            a->least[j] -= shift;
        }
    return next;
}

static void match_row(assignment *a, int64_t i) {
    int64_t at = 0;
    a->row[0] = i;
    memset(a->done, 0, (size_t)a->large + 1);
    for (int64_t j = 0; j <= a->large; j++) a->least[j] = INFINITY;
    do at = grow(a, at);
    while (a->row[at] != 0);
    for (int64_t before; at != 0; at = before) { /* reverses the path */
        before = a->from[at];
        a->row[at] = a->row[before];
    }
}

static ch_status check_costs(ch_context *context, const double *cost, int64_t rows, int64_t cols) {
    for (int64_t k = 0; k < rows * cols; k++)
        if (!isfinite(cost[k]))
            return chi_fail(context, CH_ERR_DATA,
                            "the cost of row %lld and column %lld is not a finite number",
                            (long long)(k % rows), (long long)(k / rows));
    return CH_OK;
}

static ch_status reserve(chi_arena *arena, assignment *a) {
    a->u = chi_arena_alloc_zero(arena, a->small + 1, sizeof(double));
    a->v = chi_arena_alloc_zero(arena, a->large + 1, sizeof(double));
    a->least = chi_arena_doubles(arena, a->large + 1);
    a->row = chi_arena_alloc_zero(arena, a->large + 1, sizeof(int64_t));
    a->from = chi_arena_alloc_zero(arena, a->large + 1, sizeof(int64_t));
    a->done = chi_arena_alloc(arena, a->large + 1, 1);
    return chi_arena_status(arena, "matching");
}

ch_status ch_spectra_match(ch_context *context, int64_t *match, double *total, const double *cost,
                           int64_t rows, int64_t cols) {
    if (!context || !match || !cost) return CH_ERR_ARGUMENT;
    if (rows < 1 || cols < 1)
        return chi_fail(
            context, CH_ERR_ARGUMENT,
            "the matrix of costs for the matching must have rows and columns, got %lld x %lld",
            (long long)rows, (long long)cols);
    TRY(check_costs(context, cost, rows, cols));
    int turned = rows > cols;
    assignment a = {.cost = cost,
                    .small = turned ? cols : rows,
                    .large = turned ? rows : cols,
                    .row_step = turned ? rows : 1,
                    .column_step = turned ? 1 : rows};
    chi_arena arena = {.context = context};
    ch_status status = reserve(&arena, &a);
    for (int64_t i = 1; status == CH_OK && i <= a.small; i++) match_row(&a, i);
    double sum = 0;
    for (int64_t i = 0; status == CH_OK && i < rows; i++) match[i] = -1;
    for (int64_t j = 1; status == CH_OK && j <= a.large; j++) {
        if (a.row[j] == 0) continue;
        int64_t row = turned ? j - 1 : a.row[j] - 1, col = turned ? a.row[j] - 1 : j - 1;
        match[row] = col;
        sum += cost[row + col * rows];
    }
    chi_arena_free(&arena);
    if (status == CH_OK && total) *total = sum;
    return status;
}
