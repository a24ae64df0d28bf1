/* Projection of a column with missing rows or weighted entries. Its problem
 *
 *     min  loss(f . x, (F A) b)   over the rows with f > 0,      F = diag(f)
 *
 * is built from the column and the anchors. Unknown rows (f = 0) are left out instead of set to
 * zero, so that the answer, its certificate and its cost are those of a matrix without these rows.
 *
 * If the loss is l2 and all f are 0 or 1, no copy of the anchors is needed. Rows that are zero in x
 * do not contribute to A'x, so only the Gram matrix of the anchors differs. It is computed as the
 * Gram matrix of all rows minus that of the unknown rows, unless this takes more additions or loses
 * digits by cancellation.
 *
 * Cost: O(rows k) per column. The Gram matrix costs O(rows k^2), for l2 times the share of rows
 * that are known or unknown, whichever is smaller. */
#include "project/columns/projector.h"

#include <string.h>

/* If an anchor's square or sum on the known rows is below this share of that on all rows, the
 * products are computed from the known rows directly. A difference would lose digits, and the
 * solvers assume full accuracy. */
static const double CANCELS = 0.25;

void chi_own_rows_create(chi_projector *projector, chi_worker *worker) {
    chi_arena *arena = &projector->arena;
    const chi_cone *cone = projector->cone;
    chi_cone *own = &worker->own_cone;
    *own = *cone;
    own->arena = (chi_arena){.context = arena->context}; /* the projector's arena owns all arrays */
    own->A = chi_arena_doubles(arena, cone->rows * cone->capacity);
    own->At = chi_arena_doubles(arena, cone->rows * cone->At_stride);
    own->narrow = chi_arena_alloc(arena, cone->narrow_stride * cone->capacity, sizeof *own->narrow);
    own->narrow_unit = chi_arena_doubles(arena, cone->capacity);
    own->narrow_exact = chi_arena_alloc(arena, cone->capacity, sizeof *own->narrow_exact);
    own->sums = chi_arena_doubles(arena, cone->At_stride);
    own->first = chi_arena_alloc(arena, cone->rows, sizeof *own->first);
    own->gram = chi_arena_alloc_zero(arena, cone->capacity * cone->capacity + CHI_NARROW_PAD,
                                     sizeof *own->gram);
    worker->own_row = chi_arena_alloc(arena, cone->rows + 1, sizeof *worker->own_row);
    worker->own_anchor = chi_arena_doubles(arena, cone->rows);
    worker->own_columns = chi_arena_doubles(arena, chi_cone_padded(cone->rows) * cone->capacity);
    worker->own_products = chi_arena_doubles(arena, cone->At_stride * cone->At_stride);
    worker->own_list = chi_arena_alloc(arena, cone->rows + 1, sizeof *worker->own_list);
    worker->own_sums = chi_arena_doubles(arena, cone->At_stride);
    if (cone->row_weight) worker->own_row_weight = chi_arena_doubles(arena, cone->rows);
    own->row_weight = worker->own_row_weight;
    worker->own_A = own->A;
    worker->own_At = own->At;
    worker->ones = chi_arena_doubles(arena, cone->rows);
    for (int64_t i = 0; worker->ones && i < cone->rows; i++) worker->ones[i] = 1;
}

/* Lists the rows that the column has. The lifted row of a hull is always the last. */
static int64_t list_rows(int32_t *row, const unsigned char *known, int64_t rows, int64_t lifted) {
    int64_t count = 0;
    for (int64_t i = 0; i < rows; i++) { /* no branches: they would be unpredictable */
        row[count] = (int32_t)i;
        count += known[i];
    }
    for (int64_t i = rows; i < lifted; i++) row[count++] = (int32_t)i;
    return count;
}

/* Copies the listed rows, multiplied by the factors of column j. */
static void gather(double *to, const double *from, const int32_t *row, int64_t count,
                   const chi_trust *trust, int64_t j) {
    const double *factor = trust->factor ? trust->factor + j * trust->rows : NULL;
    for (int64_t i = 0; i < count; i++) to[i] = from[row[i]];
    for (int64_t i = 0; factor && i < count; i++)
        to[i] *= row[i] < trust->rows ? factor[row[i]] : trust->lift[j];
}

/* Makes `own` an empty cone with memory of its own, for the listed rows. */
static void begin_cone(chi_cone *own, const chi_worker *worker, const chi_cone *cone, int64_t count,
                       int64_t rows) {
    own->A = worker->own_A;
    own->At = worker->own_At;
    own->known = NULL;
    own->rows = count;
    own->count = 0;
    own->shrunk++;
    for (int64_t i = 0; cone->row_weight && i < count; i++)
        worker->own_row_weight[i] =
            worker->own_row[i] < rows ? cone->row_weight[worker->own_row[i]] : 1;
    own->narrow_stride = (count + CHI_NARROW_PAD - 1) / CHI_NARROW_PAD * CHI_NARROW_PAD;
}

/* Fills the parts of the cone of column j that the loss needs: l1 needs all, l2 needs the products,
 * divergences need neither products nor single precision. */
static void fill_cone(chi_cone *own, const chi_worker *worker, const chi_projector *projector,
                      int64_t count, int64_t j) {
    const chi_cone *cone = projector->cone;
    const chi_trust *trust = projector->trust;
    int l1 = !projector->measure->divergence && projector->measure->degree == 1;
    begin_cone(own, worker, cone, count, trust->rows);
    if (l1 && !trust->factor &&
        chi_cone_take_rows(own, cone, worker->own_row, count, worker->own_columns, worker->ones))
        return;
    own->count = 0;
    memset(own->At, 0, (size_t)(count * own->At_stride) * sizeof *own->At);
    for (int64_t i = 0; i < count; i++) own->first[i] = CHI_NO_ANCHOR;
    for (int64_t k = 0; k < cone->count; k++) {
        gather(worker->own_anchor, cone->A + k * cone->rows, worker->own_row, count, trust, j);
        if (l1)
            chi_cone_append(own, worker->own_anchor);
        else
            chi_cone_append_rows(own, worker->own_anchor);
    }
    if (projector->measure->degree == 2) chi_cone_multiply(own, worker->own_products, worker->ones);
}

/* Loads the current column, stored densely in own_anchor, without its zeros. */
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

/* ---- l2 with known and unknown entries ------------------------------------------------------ */

/* Lists the rows whose mark is this: 1 for known ones, 0 for others. Returns their number. */
static int64_t list_marked(int64_t *list, const unsigned char *known, int64_t rows, int mark) {
    int64_t count = 0;
    for (int64_t i = 0; i < rows; i++) { /* no branches: they would be unpredictable */
        list[count] = i;
        count += known[i] == mark;
    }
    return count;
}

/* Sets own->gram and own->sums to the sums over the given rows or, if `but`, over all other
 * rows. */
static void add_rows(chi_worker *worker, const chi_cone *cone, const chi_model_entries *rows,
                     int but) {
    chi_cone *own = &worker->own_cone;
    int64_t ld = cone->capacity, width = cone->At_stride;
    cone->kernels->model->products(worker->own_products, rows);
    cone->kernels->model->multiples(worker->own_sums, rows);
    for (int64_t k = 0; k < cone->count; k++) {
        for (int64_t l = k; l < cone->count; l++) {
            double product = worker->own_products[k * width + l];
            if (but) product = cone->gram[l + k * ld] - product;
            own->gram[l + k * ld] = own->gram[k + l * ld] = product;
        }
        own->sums[k] = but ? cone->sums[k] - worker->own_sums[k] : worker->own_sums[k];
    }
}

static int cancels(const chi_cone *own, const chi_cone *cone) {
    int64_t step = cone->capacity + 1;
    for (int64_t k = 0; k < cone->count; k++)
        if (own->gram[k * step] < CANCELS * cone->gram[k * step] ||
            own->sums[k] < CANCELS * cone->sums[k])
            return 1;
    return 0;
}

/* Computes the products and sums of the anchors on the rows of the column. Returns 0 if an anchor
 * is zero on these rows; then the caller must use fill_cone(). */
static int fill_products(chi_worker *worker, const chi_cone *cone, const unsigned char *known,
                         int64_t rows) {
    chi_cone *own = &worker->own_cone;
    chi_model_entries these = {.vector = cone->At,
                               .width = cone->At_stride,
                               .x = worker->ones,
                               .at = worker->own_list,
                               .count = list_marked(worker->own_list, known, rows, 0)};
    int but = 2 * these.count <= cone->rows;
    if (but) add_rows(worker, cone, &these, 1);
    if (!but || cancels(own, cone)) {
        these.count = list_marked(worker->own_list, known, rows, 1);
        for (int64_t i = rows; i < cone->rows; i++) /* the lifted row of a hull */
            worker->own_list[these.count++] = i;
        add_rows(worker, cone, &these, 0);
    }
    for (int64_t k = 0; k < cone->count; k++)
        if (own->sums[k] < CHI_ANCHOR_LEAST) return 0;
    own->A = cone->A;
    own->At = cone->At;
    own->rows = cone->rows;
    own->count = cone->count;
    own->known = known;
    own->known_rows = rows;
    own->origin = cone->origin;
    return 1;
}

/* Loads the current column densely, with zeros in the unknown rows. */
static void load_marked(const chi_projector *projector, chi_worker *worker,
                        const unsigned char *known, int64_t j) {
    const chi_kernels *kernels = projector->cone->kernels;
    int64_t lifted = projector->cone->rows;
    chi_column_gather(worker->value, projector->X, j);
    for (int64_t i = 0; i < projector->trust->rows; i++) worker->value[i] *= known[i];
    worker->x = (chi_column){.rows = lifted,
                             .value = worker->value,
                             .square = chi_dot(kernels, worker->value, worker->value, lifted)};
    worker->x.count = worker->x.square > 0 ? lifted : 0;
}

void chi_own_rows_load(const chi_projector *projector, chi_worker *worker, int64_t j) {
    const chi_trust *trust = projector->trust;
    const chi_cone *cone = projector->cone;
    const unsigned char *known = trust->known + j * trust->rows;
    if (!trust->factor && projector->measure->degree == 2 && !projector->measure->divergence &&
        fill_products(worker, cone, known, trust->rows)) {
        load_marked(projector, worker, known, j);
        return;
    }
    int64_t count = list_rows(worker->own_row, known, trust->rows, cone->rows);
    fill_cone(&worker->own_cone, worker, projector, count, j);
    chi_column_gather(worker->value, projector->X, j);
    gather(worker->own_anchor, worker->value, worker->own_row, count, trust, j);
    load_column(cone->kernels, worker, count);
}
