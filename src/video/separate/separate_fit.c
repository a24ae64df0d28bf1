/* The two steps of a refit, pixel by pixel and frame by frame:
 *
 *     H = argmin_{H >= 0} |X - W H|_1       W = argmin_{W >= 0} |X - W H|_1
 *
 * Both use the exact l1 projection of ch_anchors(); the second projects the rows of X onto the rows
 * of H. Each pixel and frame has a duality gap. */
#include "anchors/anchors_internal.h"
#include "linalg/view.h"
#include "video/separate/separation.h"
#include <math.h>

ch_status chi_fit_H(chi_fitting *how, double *H, const ch_matrix *X, const double *W,
                    int64_t rank) {
    ch_anchors_settings set;
    ch_project_info info = {.size = sizeof info};
    ch_anchors_defaults(&set);
    set.tol = how->tol;
    ch_status status = chi_project_kept(how->context, H, &info, X, W, rank, &set, how->checkpoint);
    if (status < 0 || status == CH_STOP_CANCELLED) return status;
    how->parts->gap = fmax(how->parts->gap, info.certificate.gap);
    how->parts->unproven += info.unproven;
    how->objective = info.objective;
    return CH_OK;
}

/* ---- H from some of the frames ------------------------------------------------------------- */

/* Bytes of a stripe: it is still in the cache when it is fitted, and the next stripe takes the same
 * memory again, while the system would have to provide and clear every page of a whole copy. */
enum { STRIPE = 1 << 20 };

/* Returns columns [low, low + cols) of a dense X. */
static ch_matrix stripe_of(const ch_matrix *X, int64_t low, int64_t cols) {
    int64_t step = X->layout == CH_ROW_MAJOR ? 1 : X->stride;
    ch_matrix stripe = *X;
    stripe.values = chi_value_at(X, low * step);
    stripe.cols = cols;
    stripe.owner = NULL;
    stripe.release = NULL;
    return stripe;
}

static int64_t stripe_columns(const chi_fitting *how, const ch_matrix *X, int64_t rows) {
    if (how->checkpoint) return X->cols; /* its records name the columns of a whole plane */
    int64_t cols = STRIPE / (rows * (int64_t)ch_value_type_size(X->type));
    return cols < 1 ? 1 : cols;
}

static ch_status fit_stripe(chi_fitting *how, double *H, const ch_matrix *X,
                            const chi_kept_indices *frames, const double *W, int64_t rank) {
    ch_matrix part;
    TRY(chi_matrix_copy_part(how->context, &part, X, frames->list, frames->kept, NULL, X->cols));
    chi_within(how->context, "project");
    ch_status status = chi_fit_H(how, H, &part, W, rank);
    chi_within(how->context, NULL);
    ch_matrix_free(how->context, &part);
    return status;
}

ch_status chi_fit_H_of_frames(chi_fitting *how, double *H, const ch_matrix *X,
                              const chi_kept_indices *frames, const double *W, int64_t rank) {
    if (!frames->list) return chi_fit_H(how, H, X, W, rank);
    int64_t most = stripe_columns(how, X, frames->kept);
    double sum = 0;
    for (int64_t low = 0, high; low < X->cols; low = high) {
        high = X->cols - low < most ? X->cols : low + most;
        ch_matrix stripe = stripe_of(X, low, high - low);
        TRY_OK(fit_stripe(how, H + low * rank, &stripe, frames, W, rank));
        sum += how->objective;
        if (chi_notify(how->context, "project", high, X->cols, -1, sum)) return CH_STOP_CANCELLED;
    }
    how->objective = sum;
    return CH_OK;
}

/* ---- W ------------------------------------------------------------------------------------- */

static void transpose(double *to, const double *from, int64_t rows, int64_t cols) {
    for (int64_t j = 0; j < cols; j++)
        for (int64_t i = 0; i < rows; i++) to[j + i * cols] = from[i + j * rows];
}

ch_status chi_fit_W(chi_fitting *how, double *W, const ch_matrix *X, const double *H,
                    int64_t rank) {
    chi_arena arena = {.context = how->context};
    double *basis = chi_arena_doubles(&arena, rank * X->cols);
    double *weights = chi_arena_doubles(&arena, rank * X->rows);
    ch_matrix turned;
    ch_status status = chi_arena_status(&arena, "a refit");
    if (status == CH_OK) status = ch_matrix_transpose(how->context, &turned, X);
    if (status == CH_OK) {
        transpose(basis, H, rank, X->cols);
        status = chi_fit_H(how, weights, &turned, basis, rank);
    }
    if (status == CH_OK) transpose(W, weights, rank, X->rows);
    chi_arena_free(&arena);
    return status;
}

/* ---- the loss ------------------------------------------------------------------------------ */

enum { BLOCK = 64 }; /* pixels that a thread sums at a time */

typedef struct loss_job {
    const chi_kernels *kernels;
    const ch_matrix *X;
    const double *W, *H;
    int64_t rank;
    double *column, *sums; /* X->rows per thread; one per block */
} loss_job;

static void add_block(void *user, int64_t block, int thread) {
    const loss_job *job = user;
    const ch_matrix *X = job->X;
    int64_t high = (block + 1) * BLOCK < X->cols ? (block + 1) * BLOCK : X->cols;
    double *r = job->column + thread * X->rows;
    job->sums[block] = 0;
    for (int64_t j = block * BLOCK; j < high; j++) {
        chi_column_gather(r, X, j);
        for (int64_t k = 0; k < job->rank; k++)
            chi_axpy(job->kernels, r, -job->H[k + j * job->rank], job->W + k * X->rows, X->rows);
        job->sums[block] += chi_sum_abs(job->kernels, r, X->rows);
    }
}

ch_status chi_l1_of_fit(ch_context *context, double *sum, const ch_matrix *X, const double *W,
                        const double *H, int64_t rank) {
    int64_t blocks = (X->cols + BLOCK - 1) / BLOCK;
    chi_arena arena = {.context = context};
    loss_job job = {.kernels = chi_kernels_of(context), .X = X, .W = W, .H = H, .rank = rank};
    job.column = chi_arena_doubles(&arena, X->rows * ch_context_threads(context));
    job.sums = chi_arena_doubles(&arena, blocks);
    ch_status status = chi_arena_status(&arena, "a loss");
    if (status == CH_OK) {
        chi_parallel(context, blocks, add_block, &job);
        *sum = 0;
        for (int64_t block = 0; block < blocks; block++) *sum += job.sums[block];
    }
    chi_arena_free(&arena);
    return status;
}
