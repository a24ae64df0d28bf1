/* One sweep of coordinate descent over a factor under KL (chi_sweep_kl). With y = A b + floor,
 *
 *     b_k <- max(0, b_k - g / h),   g = sum_i a_ik - sum_i a_ik x_i / y_i,
 *                                   h = sum_i a_ik^2 x_i / y_i^2
 *
 * for k = 1 .. rank and every column x of X: Newton's method in one variable (Hsieh and Dhillon,
 * KDD 2011). Only the non-zeros of x occur in the second and third sum, and the first sum is the
 * same for all columns.
 *
 * Cost: O(nonzeros rank). Memory: a copy of the other factor, and one more per thread. */
#include "anchors/refine/refine_sweeps.h"
#include "kernels/kernels.h"
#include "project/cone.h"

/* A second pass over a column needs neither its rows of A nor its model again, and gains as much as
 * a second sweep; a third one gains less. */
enum { COLUMNS_PER_BLOCK = 16, PASSES = 2 };
/* Short columns are taken together, as long as their rows of A, this many numbers for each at most,
 * fit in the cache. */
enum { SHORT = 4096 };

/* Workspace of a column: its non-zero rows, padded by rows in which x = 0 and A = 0, the model y
 * and the rows of A there. */
typedef struct workspace {
    int32_t *index;
    double *value, *y, *A;
} workspace;

typedef struct sweep {
    const chi_kernels *kernels;
    const ch_matrix *X;
    double *A;        /* padded rows x rank: the other factor */
    double *sums;     /* A'1                           */
    double *b;        /* rank x columns                */
    double *loss;     /* per block; NULL: not wanted   */
    workspace *place; /* `together` per thread     */
    int together;     /* columns taken at a time   */
    int64_t rank;
    double floor;
} sweep;

static int64_t padded(int64_t count) {
    return (count + CHI_SWEEP_PAD - 1) / CHI_SWEEP_PAD * CHI_SWEEP_PAD;
}

/* Loads column j and the rows of A in which it is not zero. */
static chi_sweep_column load_column(const sweep *s, const workspace *own, int64_t j) {
    chi_column x;
    chi_column_load(s->kernels, &x, own->index, own->value, s->X, j);
    int64_t count = x.count, stride = padded(count);
    for (int64_t i = count; i < stride; i++) own->value[i] = 0;
    for (int64_t k = 0; x.index && k < s->rank; k++) {
        const double *from = s->A + k * padded(s->X->rows);
        double *to = own->A + k * stride;
        for (int64_t i = 0; i < count; i++) to[i] = from[x.index[i]];
        for (int64_t i = count; i < stride; i++) to[i] = 0;
    }
    chi_sweep_column column = {.b = s->b + j * s->rank,
                               .y = own->y,
                               .A = x.index ? own->A : s->A,
                               .x = own->value,
                               .count = stride};
    s->kernels->newton->model(column.y, column.A, column.b, s->rank, s->floor, stride);
    return column;
}

static double loss_of(const sweep *s, const chi_sweep_column *column) {
    /* value() counts y in the rows of the column; sums'b + rows floor counts y in all rows. */
    double all = s->floor * (double)s->X->rows, here = 0;
    for (int64_t k = 0; k < s->rank; k++) all += s->sums[k] * column->b[k];
    for (int64_t i = 0; i < column->count; i++) here += column->y[i];
    return s->kernels->kl->value(column->x, column->y, column->count) + (all - here);
}

static void sweep_block(void *user, int64_t block, int thread) {
    const sweep *s = user;
    int64_t low = block * COLUMNS_PER_BLOCK, end = low + COLUMNS_PER_BLOCK;
    if (end > s->X->cols) end = s->X->cols;
    if (s->loss) s->loss[block] = 0;
    for (int64_t j = low; j < end; j += s->together) {
        chi_sweep_column column[CHI_SWEEP_TOGETHER];
        int count = end - j < s->together ? (int)(end - j) : s->together;
        for (int c = 0; c < count; c++)
            column[c] = load_column(s, &s->place[thread * s->together + c], j + c);
        for (int pass = 0; pass < PASSES; pass++)
            s->kernels->kl->sweep(column, count, s->sums, s->rank);
        for (int c = 0; s->loss && c < count; c++) s->loss[block] += loss_of(s, &column[c]);
    }
}

static void reserve(chi_arena *arena, sweep *s, int threads, int64_t blocks, int wants_loss) {
    int64_t rows = padded(s->X->rows), rank = s->rank;
    s->A = chi_arena_doubles(arena, rows * rank);
    s->sums = chi_arena_doubles(arena, rank);
    if (wants_loss) s->loss = chi_arena_doubles(arena, blocks);
    s->together = rows * rank <= SHORT ? CHI_SWEEP_TOGETHER : 1;
    s->place = chi_arena_alloc_zero(arena, threads * s->together, sizeof *s->place);
    for (int t = 0; s->place && t < threads * s->together; t++) {
        workspace *own = &s->place[t];
        own->index = chi_arena_alloc(arena, rows, sizeof(int32_t));
        own->value = chi_arena_doubles(arena, rows);
        own->y = chi_arena_doubles(arena, rows);
        own->A = chi_arena_doubles(arena, rows * rank);
    }
}

static void take_factor(sweep *s, const double *fixed) {
    int64_t rows = s->X->rows, stride = padded(rows);
    for (int64_t k = 0; k < s->rank; k++) {
        s->sums[k] = 0;
        for (int64_t i = 0; i < rows; i++) {
            double a = fixed[k + i * s->rank];
            s->A[i + k * stride] = a;
            s->sums[k] += a;
        }
        for (int64_t i = rows; i < stride; i++) s->A[i + k * stride] = 0;
    }
}

ch_status chi_sweep_kl(const chi_sweeps *pair, double *b, const double *fixed, const ch_matrix *X,
                       double *loss) {
    ch_context *context = pair->context;
    int64_t blocks = (X->cols + COLUMNS_PER_BLOCK - 1) / COLUMNS_PER_BLOCK;
    chi_arena arena = {.context = context};
    sweep s = {.kernels = chi_kernels_of(context),
               .X = X,
               .b = b,
               .rank = pair->rank,
               .floor = pair->floor};
    reserve(&arena, &s, ch_context_threads(context), blocks, loss != NULL);
    ch_status status = chi_arena_status(&arena, "refinement");
    if (status == CH_OK) {
        take_factor(&s, fixed);
        status = chi_parallel_until(context, blocks, sweep_block, &s);
    }
    if (loss) *loss = 0;
    for (int64_t block = 0; loss && block < blocks && status == CH_OK; block++)
        *loss += s.loss[block];
    chi_arena_free(&arena);
    return status;
}
