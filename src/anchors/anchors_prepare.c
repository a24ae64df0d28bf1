/* What comes before a selection or a projection: are settings and data usable, and what is the
 * floor of a divergence? */
#include "anchors/anchors_internal.h"
#include "base/processes.h"
#include "base/sized.h"
#include "linalg/prefetch.h"
#include "project/columns/projector.h"

#include <math.h>

static ch_status check_part(ch_context *context, ch_anchors_settings *set, const ch_matrix *X,
                            const ch_anchors_settings *given) {
    TRY(chi_settings_take(context, set, ch_anchors_table(), given));
    if (set->checkpoint) TRY(chi_sized_check(context, set->checkpoint, "ch_checkpoint"));
    if (!chi_projection_find(set->loss, set->projection))
        return chi_fail(
            context, CH_ERR_SETTING,
            "projection: exact is for losses l1 and l2, admm for l1, cd for all but l1");
    chi_begin_phase(context, "check", 0);
    return chi_matrix_check_until(context, X);
}

ch_status chi_check_input(ch_context *context, ch_anchors_settings *set, const ch_matrix *X,
                          const ch_anchors_settings *given) {
    int64_t cols = X->cols;
    TRY(chi_total(context, &cols, 1));
    if (X->rows < 1 || cols < 1)
        return chi_fail(context, CH_ERR_DATA, "the matrix is empty: %lld x %lld",
                        (long long)X->rows, (long long)cols);
    return ch_comm_agree(context, check_part(context, set, X, given));
}

ch_status chi_check_column_sums(ch_context *context, const ch_matrix *X) {
    double *sum = chi_alloc(context, X->cols, sizeof *sum);
    ch_status status = sum ? CH_OK : chi_no_memory(context, "column sums", X->cols, sizeof *sum);
    status = ch_comm_agree(context, status);
    if (status == CH_OK) status = chi_column_norms(context, sum, NULL, X);
    if (status == CH_OK) status = chi_check_sizes(context, sum, X->cols);
    chi_free(context, sum);
    return status;
}

enum { BLOCK = 64 }; /* columns that a thread adds up at a time */

typedef struct sums {
    ch_context *context;
    const ch_matrix *X;
    int32_t *index; /* rows entries a thread */
    double *value;
    double *of_column;
} sums;

/* By the non-zeros in order, unlike chi_column_norms(): the same bits for every layout, as the
 * floor must be, for all of H hangs on it. */
static void add_columns(void *user, int64_t block, int thread) {
    const sums *s = user;
    int64_t low = block * BLOCK, high = low + BLOCK < s->X->cols ? low + BLOCK : s->X->cols;
    chi_prefetch_block(s->context, s->X, BLOCK, block);
    for (int64_t j = low; j < high; j++) {
        chi_column x;
        chi_column_load(chi_kernels_of(s->context), &x, s->index + thread * s->X->rows,
                        s->value + thread * s->X->rows, s->X, j);
        s->of_column[j] = x.sum;
    }
}

/* The largest column sum of X, and CHI_FLOOR times its mean, or times 1 when X is zero. */
static ch_status add_up(ch_context *context, double *largest, double *floor, sums *s) {
    int64_t cols = s->X->cols;
    double total;
    chi_prefetch_pass(context, s->X, BLOCK, 0);
    TRY(chi_parallel_until(context, (cols + BLOCK - 1) / BLOCK, add_columns, s));
    for (int64_t j = 0; j < cols; j++) *largest = fmax(*largest, s->of_column[j]);
    TRY(chi_largest(context, largest, 1));
    TRY(chi_sum(context, &total, s->of_column, cols));
    TRY(chi_check_sizes(context, s->of_column, cols));
    TRY(chi_total(context, &cols, 1));
    *floor = CHI_FLOOR * (total > 0 ? total / ((double)s->X->rows * (double)cols) : 1);
    return CH_OK;
}

/* One pass. */
static ch_status look_at_sizes(ch_context *context, double *largest, double *floor,
                               const ch_matrix *X) {
    int64_t room = ch_context_threads(context) * X->rows;
    sums s = {.context = context, .X = X};
    ch_status status = CH_OK;
    s.index = chi_alloc(context, room, sizeof *s.index);
    s.value = chi_alloc(context, room, sizeof *s.value);
    s.of_column = chi_alloc(context, X->cols, sizeof *s.of_column);
    if (!s.index || !s.value || !s.of_column)
        status = chi_no_memory(context, "column sums", room + X->cols, sizeof *s.value);
    status = ch_comm_agree(context, status);
    if (status == CH_OK) status = add_up(context, largest, floor, &s);
    chi_free(context, s.of_column);
    chi_free(context, s.value);
    chi_free(context, s.index);
    return status;
}

ch_status chi_check_shares(ch_context *context, const ch_matrix *X) {
    double *x = chi_alloc(context, X->rows, sizeof *x);
    if (!x) return chi_no_memory(context, "a column", X->rows, sizeof *x);
    ch_status status = CH_OK;
    for (int64_t j = 0; status == CH_OK && j < X->cols; j++) {
        int64_t i = 0;
        if (j % BLOCK == 0) chi_prefetch_block(context, X, BLOCK, j / BLOCK);
        chi_column_gather(x, X, j);
        while (i < X->rows && x[i] <= 1) i++;
        if (i < X->rows)
            status = chi_fail(
                context, CH_ERR_DATA,
                "row %lld, column %lld (from 0): %g is above 1; loss logistic is for shares in "
                "[0, 1] (scale the data)",
                (long long)i, (long long)(X->first + j), x[i]);
    }
    chi_free(context, x);
    return status;
}

/* The floor, and whether the loss can be computed on data of this size. */
static ch_status settle_floor(ch_context *context, ch_anchors_settings *set, const ch_matrix *X) {
    double largest = 0, usual = 0;
    chi_loss loss;
    if (set->floor == 0)
        return chi_fail(context, CH_ERR_SETTING,
                        "floor must be above 0 (or negative: 1e-6 times the mean of X)");
    TRY(look_at_sizes(context, &largest, &usual, X));
    if (set->floor < 0) set->floor = usual;
    chi_loss_settings choice = {set->loss, set->beta, set->reverse, set->floor, set->custom};
    TRY(chi_loss_init(context, &loss, &choice));
    if (chi_loss_in_range(&loss, largest)) return CH_OK;
    return chi_fail(context, CH_ERR_SETTING,
                    "loss %s on columns that sum to %g with floor %g leaves the range of numbers; "
                    "scale the data or set another floor%s",
                    loss.generator->name, largest, set->floor,
                    set->loss == CH_LOSS_CUSTOM ? " (or phi'' is not positive)" : "");
}

ch_status chi_settings_resolve(ch_context *context, ch_anchors_settings *set, const ch_matrix *X) {
    if (set->loss == CH_LOSS_BETA && set->beta == 2) set->loss = CH_LOSS_L2;
    if (!chi_measure_find(set->loss)->divergence) {
        set->floor = 0;
        return CH_OK;
    }
    TRY(settle_floor(context, set, X));
    if (set->loss != CH_LOSS_LOGISTIC) return CH_OK;
    return ch_comm_agree(context, chi_check_shares(context, X));
}
