/* A column that does not have all rows, or whose entries do not count alike: its problem
 *
 *     min  loss(f . x, (F A) b)   over the rows with f > 0,      F = diag(f)
 *
 * is made from the column and the anchors of all rows. Unknown rows are left out rather than zero,
 * so that the answer, its certificate and its cost are those of a matrix that never had them.
 *
 * Cost: O(rows k) for a column, and O(rows k^2) for the products of the anchors. */
#include "project/columns/projector.h"

#include <string.h>

void chi_own_rows_create(chi_projector *projector, chi_worker *worker) {
    chi_arena *arena = &projector->arena;
    const chi_cone *cone = projector->cone;
    chi_cone *own = &worker->own_cone;
    *own = *cone;
    own->arena = (chi_arena){.context = arena->context}; /* the projector's holds all of it */
    own->A = chi_arena_doubles(arena, cone->rows * cone->capacity);
    own->At = chi_arena_doubles(arena, cone->rows * cone->At_stride);
    own->narrow = chi_arena_alloc(arena, cone->narrow_stride * cone->capacity, sizeof *own->narrow);
    own->narrow_unit = chi_arena_doubles(arena, cone->capacity);
    own->narrow_exact = chi_arena_alloc(arena, cone->capacity, sizeof *own->narrow_exact);
    own->sums = chi_arena_doubles(arena, cone->capacity);
    own->first = chi_arena_alloc(arena, cone->rows, sizeof *own->first);
    own->gram = chi_arena_alloc_zero(arena, cone->capacity * cone->capacity + CHI_NARROW_PAD,
                                     sizeof *own->gram);
    worker->own_row = chi_arena_alloc(arena, cone->rows, sizeof *worker->own_row);
    worker->own_anchor = chi_arena_doubles(arena, cone->rows);
    worker->own_products = chi_arena_doubles(arena, cone->capacity * cone->capacity);
    worker->ones = chi_arena_doubles(arena, cone->rows);
    for (int64_t i = 0; worker->ones && i < cone->rows; i++) worker->ones[i] = 1;
}

/* The rows that the column has; the lift of a hull is the last of all. */
static int64_t list_rows(int32_t *row, const double *factor, int64_t rows, int64_t lifted) {
    int64_t count = 0;
    for (int64_t i = 0; i < rows; i++)
        if (factor[i] > 0) row[count++] = (int32_t)i;
    for (int64_t i = rows; i < lifted; i++) row[count++] = (int32_t)i;
    return count;
}

static void gather(double *to, const double *from, const int32_t *row, int64_t count,
                   const double *factor, int64_t rows) {
    for (int64_t i = 0; i < count; i++)
        to[i] = row[i] < rows ? factor[row[i]] * from[row[i]] : from[row[i]];
}

/* What the loss needs of the anchors: l1 all, l2 products, divergences neither these nor single
 * precision. */
static void fill_cone(chi_cone *own, const chi_worker *worker, const chi_projector *projector,
                      int64_t count, const double *factor, int64_t rows) {
    const chi_cone *cone = projector->cone;
    int l1 = !projector->measure->divergence && projector->measure->degree == 1;
    own->rows = count;
    own->count = 0;
    own->narrow_stride = (count + CHI_NARROW_PAD - 1) / CHI_NARROW_PAD * CHI_NARROW_PAD;
    memset(own->At, 0, (size_t)(count * own->At_stride) * sizeof *own->At);
    for (int64_t i = 0; i < count; i++) own->first[i] = CHI_NO_ANCHOR;
    for (int64_t k = 0; k < cone->count; k++) {
        gather(worker->own_anchor, cone->A + k * cone->rows, worker->own_row, count, factor, rows);
        if (l1)
            chi_cone_append(own, worker->own_anchor);
        else
            chi_cone_append_rows(own, worker->own_anchor);
    }
    if (projector->measure->degree == 2) chi_cone_multiply(own, worker->own_products, worker->ones);
}

/* The column at hand, dense, without its zeros. */
static void load_column(const chi_kernels *kernels, chi_worker *worker, int64_t rows) {
    int64_t count = 0;
    for (int64_t i = 0; i < rows; i++) {
        double x = worker->own_anchor[i];
        if (x == 0) continue;
        worker->index[count] = (int32_t)i;
        worker->value[count++] = x;
    }
    worker->x = (chi_column){.rows = rows,
                             .count = count,
                             .value = worker->value,
                             .sum = chi_sum_abs(kernels, worker->value, count),
                             .square = chi_dot(kernels, worker->value, worker->value, count)};
    worker->x.index = count == rows ? NULL : worker->index;
}

void chi_own_rows_load(const chi_projector *projector, chi_worker *worker, int64_t j) {
    const chi_trust *trust = projector->trust;
    const chi_cone *cone = projector->cone;
    const double *factor = trust->factor + j * trust->rows;
    int64_t count = list_rows(worker->own_row, factor, trust->rows, cone->rows);
    fill_cone(&worker->own_cone, worker, projector, count, factor, trust->rows);
    chi_column_gather(worker->value, projector->X, j);
    gather(worker->own_anchor, worker->value, worker->own_row, count, factor, trust->rows);
    load_column(cone->kernels, worker, count);
}
