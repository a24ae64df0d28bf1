/* One sweep of coordinate descent over a factor under KL (chi_sweep_kl). With y = A b + floor,
 *
 *     b_k <- max(0, b_k - g / h),   g = sum_i a_ik - sum_i a_ik x_i / y_i,   h = sum_i a_ik^2 x_i / y_i^2
 *
 * for k = 1 .. rank and every column x of X: Newton's method in one variable (Hsieh and Dhillon, KDD
 * 2011). Only the non-zeros of x occur in the second and third sum, and the first sum is the same
 * for all columns.
 *
 * Cost: O(nonzeros rank). Memory: a copy of the other factor, and one more per thread. */
#include "anchors/refine/refine_sweeps.h"
#include "kernels/kernels.h"
#include "project/cone.h"

/* A second pass over a column needs neither its rows of A nor its model again, and gains as much as
 * a second sweep; a third one gains less. */
enum { COLUMNS_PER_BLOCK = 16, PASSES = 2 };

/* Workspace of a thread for a column: its non-zero rows, the model y and the rows of A there. */
typedef struct workspace {
    int32_t *index;
    double *value, *y, *A;
} workspace;

typedef struct sweep {
    const chi_kernels *kernels;
    const ch_matrix *X;
    double *A;    /* rows x rank: the other factor */
    double *sums; /* A'1                           */
    double *b;    /* rank x columns                */
    double *loss; /* per block; NULL: not wanted   */
    workspace *of_thread;
    int64_t rank;
    double floor;
} sweep;

/* Returns the rows of A in which x is not zero, as a matrix of x->count rows. */
static const double *rows_of_column(const sweep *s, const workspace *own, const chi_column *x) {
    if (!x->index) return s->A;
    for (int64_t k = 0; k < s->rank; k++) {
        const double *from = s->A + k * s->X->rows;
        double *to = own->A + k * x->count;
        for (int64_t i = 0; i < x->count; i++) to[i] = from[x->index[i]];
    }
    return own->A;
}

static void sweep_column(const sweep *s, const workspace *own, int64_t j, double *loss) {
    const chi_kernels *kernels = s->kernels;
    chi_column x;
    double *b = s->b + j * s->rank;
    chi_column_load(kernels, &x, own->index, own->value, s->X, j);
    const double *A = rows_of_column(s, own, &x);
    kernels->newton->model(own->y, A, b, s->rank, s->floor, x.count);
    for (int pass = 0; pass < PASSES; pass++)
        kernels->kl->sweep(b, own->y, A, s->sums, x.value, s->rank, x.count);
    if (!loss) return;
    /* value() counts y in the rows of x; sums'b + rows floor counts y in all rows. */
    double all = s->floor * (double)s->X->rows, here = 0;
    for (int64_t k = 0; k < s->rank; k++) all += s->sums[k] * b[k];
    for (int64_t i = 0; i < x.count; i++) here += own->y[i];
    *loss += kernels->kl->value(x.value, own->y, x.count) + (all - here);
}

static void sweep_block(void *user, int64_t block, int thread) {
    const sweep *s = user;
    int64_t end = (block + 1) * COLUMNS_PER_BLOCK;
    double *loss = s->loss ? &s->loss[block] : NULL;
    if (loss) *loss = 0;
    for (int64_t j = block * COLUMNS_PER_BLOCK; j < end && j < s->X->cols; j++)
        sweep_column(s, &s->of_thread[thread], j, loss);
}

static void reserve(chi_arena *arena, sweep *s, int threads, int64_t blocks, int wants_loss) {
    int64_t rows = s->X->rows, rank = s->rank;
    s->A = chi_arena_doubles(arena, rows * rank);
    s->sums = chi_arena_doubles(arena, rank);
    if (wants_loss) s->loss = chi_arena_doubles(arena, blocks);
    s->of_thread = chi_arena_alloc_zero(arena, threads, sizeof *s->of_thread);
    for (int t = 0; s->of_thread && t < threads; t++) {
        workspace *own = &s->of_thread[t];
        own->index = chi_arena_alloc(arena, rows, sizeof(int32_t));
        own->value = chi_arena_doubles(arena, rows);
        own->y = chi_arena_doubles(arena, rows);
        own->A = chi_arena_doubles(arena, rows * rank);
    }
}

static void take_factor(sweep *s, const double *fixed) {
    int64_t rows = s->X->rows;
    for (int64_t k = 0; k < s->rank; k++) {
        s->sums[k] = 0;
        for (int64_t i = 0; i < rows; i++) {
            double a = fixed[k + i * s->rank];
            s->A[i + k * rows] = a;
            s->sums[k] += a;
        }
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
