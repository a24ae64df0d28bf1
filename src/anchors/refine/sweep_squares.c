/* One sweep of coordinate descent over a factor under l2 (chi_sweep_squares):
 *
 *     b_kj <- max(0, b_kj + (A'(X - A b))_kj / (A'A)_kk)   for k = 1 .. rank, every column j.
 *
 * Several passes over the rank numbers of a column share the product A'x (Gillis and Glineur,
 * Neural Computation 24, 2012). Dense data are read in their own order by passes that compute the
 * products of several anchors with all columns; sparse columns are read one by one.
 *
 * Cost: O(nonzeros rank + rank^2 (rows + cols)) for A'X, the Gram matrix and up to PASSES passes
 * over every column; memory of the size of b for A'X of dense data, whose sums follow the storage
 * order. */
#include "anchors/refine/refine_sweeps.h"
#include "project/nnls/nnls.h"

enum { COLUMNS_PER_BLOCK = 64, PASSES = 3 };
/* A column is done when a pass moves it by less than this share of its first pass. */
static const double settled = 0.1;

/* Workspace of a thread for a column: its non-zero rows, A'x and the gradient. */
typedef struct workspace {
    int32_t *index; /* of sparse data, as value */
    double *value, *c, *g;
} workspace;

typedef struct sweep {
    const chi_cone *cone;
    const ch_matrix *X;
    const double *products; /* columns x rank: A'X; NULL for sparse data */
    double *b;              /* rank x columns                            */
    double *loss;           /* per block                                 */
    workspace *of_thread;
    int64_t rank;
} sweep;

/* own->c = A'x */
static void correlate(const sweep *s, const workspace *own, int64_t j) {
    chi_column x;
    if (s->products) {
        for (int64_t k = 0; k < s->rank; k++) own->c[k] = s->products[j + k * s->X->cols];
        return;
    }
    chi_column_load(s->cone->kernels, &x, own->index, own->value, s->X, j);
    chi_nnls_correlate(own->c, s->cone, &x, 0);
}

/* Returns the loss of column j less |x|^2, which does not change. */
static double sweep_column(const sweep *s, const workspace *own, int64_t j) {
    const chi_cone *cone = s->cone;
    double *b = s->b + j * s->rank, first = 0, change = 0;
    correlate(s, own, j);
    chi_quadratic problem = chi_nnls_problem(cone, own->c);
    chi_nnls_gradient(cone->kernels, own->g, &problem, b);
    for (int pass = 0; pass < PASSES; pass++) {
        double move = chi_nnls_sweep(cone->kernels, b, own->g, &problem);
        if (pass == 0) first = move;
        if (move <= settled * first) break;
    }
    for (int64_t k = 0; k < s->rank; k++) change -= b[k] * (own->c[k] + own->g[k]);
    return change;
}

static void sweep_block(void *user, int64_t block, int thread) {
    const sweep *s = user;
    int64_t end = (block + 1) * COLUMNS_PER_BLOCK;
    s->loss[block] = 0;
    for (int64_t j = block * COLUMNS_PER_BLOCK; j < end && j < s->X->cols; j++)
        s->loss[block] += sweep_column(s, &s->of_thread[thread], j);
}

static int is_sparse(const ch_matrix *X) {
    return X->layout == CH_CSC;
}

static workspace *reserve_workspaces(chi_arena *arena, int threads, const ch_matrix *X,
                                     int64_t rank) {
    workspace *all = chi_arena_alloc_zero(arena, threads, sizeof *all);
    for (int t = 0; all && t < threads; t++) {
        all[t].index = is_sparse(X) ? chi_arena_alloc(arena, X->rows, sizeof(int32_t)) : NULL;
        all[t].value = is_sparse(X) ? chi_arena_doubles(arena, X->rows) : NULL;
        all[t].c = chi_arena_doubles(arena, rank);
        all[t].g = chi_arena_doubles(arena, rank);
    }
    return all;
}

/* products = A'X */
static ch_status multiply(ch_context *context, double *products, const chi_cone *cone,
                          const ch_matrix *X, int64_t rank) {
    for (int64_t k = 0; k < rank; k += CHI_SCORE_MAX) {
        int some = rank - k < CHI_SCORE_MAX ? (int)(rank - k) : CHI_SCORE_MAX;
        TRY(chi_score(context, products + k * X->cols, X, cone->A + k * X->rows, some));
    }
    return CH_OK;
}

ch_status chi_sweep_squares(const chi_sweeps *pair, double *b, const double *fixed,
                            const ch_matrix *X, double *loss) {
    ch_context *context = pair->context;
    int64_t rank = pair->rank;
    int64_t blocks = (X->cols + COLUMNS_PER_BLOCK - 1) / COLUMNS_PER_BLOCK;
    chi_arena arena = {.context = context};
    chi_cone cone;
    sweep s = {.cone = &cone, .X = X, .b = b, .rank = rank};
    double *basis = chi_arena_doubles(&arena, X->rows * rank);
    double *products = is_sparse(X) ? NULL : chi_arena_doubles(&arena, X->cols * rank);
    s.products = products;
    s.loss = chi_arena_doubles(&arena, blocks);
    s.of_thread = reserve_workspaces(&arena, ch_context_threads(context), X, rank);
    ch_status status = chi_arena_status(&arena, "refinement");
    ch_status made = chi_cone_create(context, &cone, X->rows, rank);
    if (status == CH_OK) status = made;
    if (status == CH_OK) {
        for (int64_t i = 0; i < X->rows; i++)
            for (int64_t k = 0; k < rank; k++) basis[i + k * X->rows] = fixed[k + i * rank];
        chi_cone_fill(context, &cone, basis, rank);
        if (products) status = multiply(context, products, &cone, X, rank);
    }
    if (status == CH_OK) status = chi_parallel_until(context, blocks, sweep_block, &s);
    if (loss) *loss = 0;
    for (int64_t block = 0; loss && block < blocks && status == CH_OK; block++)
        *loss += s.loss[block];
    chi_cone_destroy(&cone);
    chi_arena_free(&arena);
    return status;
}
