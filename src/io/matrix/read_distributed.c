/* Reads a matrix in several processes: each reads and keeps its part, and all agree on failure and
 * on the type of the values. The type of a sparse matrix is the smallest that holds its values. A
 * part may fit in a smaller type than the whole, and kernels of different types round
 * differently. */
#include "base/processes.h"
#include "io/file/format.h"
#include "linalg/view.h"

static ch_status cut_sparse(ch_context *context, ch_matrix *X, int64_t first, int64_t count) {
    ch_matrix part;
    int64_t *list = chi_alloc(context, count, sizeof *list);
    if (!list) return chi_no_memory(context, "a part of the columns", count, sizeof *list);
    for (int64_t k = 0; k < count; k++) list[k] = first + k;
    ch_status status = ch_matrix_copy(context, &part, X, list, count);
    chi_free(context, list);
    ch_matrix_free(context, X);
    if (status == CH_OK) *X = part;
    return status;
}

/* Cuts the part of this process out of a matrix that was read whole; for a dense one it is a view
 * of the same memory. */
static ch_status cut(ch_context *context, ch_matrix *X) {
    int64_t first, count;
    ch_comm_part(context, &first, &count, X->cols);
    if (X->layout == CH_CSC) TRY(cut_sparse(context, X, first, count));
    if (X->layout != CH_CSC)
        X->values = chi_value_at(X, X->layout == CH_COLUMN_MAJOR ? first * X->stride : first);
    X->cols = count;
    X->first = first;
    return CH_OK;
}

static ch_status agree_on_type(ch_context *context, ch_matrix *X, const char *path) {
    static const ch_value_type types[] = {CH_U8, CH_U16, CH_F32, CH_F64};
    double widest = chi_type_width(X->type);
    TRY(chi_largest(context, &widest, 1));
    ch_value_type type = types[(int)widest];
    int other = X->layout == CH_CSC && type != X->type;
    return ch_comm_agree(context, other ? chi_csc_retype(context, X, path, type) : CH_OK);
}

ch_status chi_read_distributed(ch_context *context, ch_matrix *X, const char *path,
                               const ch_matrix_read_settings *settings) {
    ch_matrix made = {0};
    int part;
    ch_status own = chi_read_here(context, &made, &part, path, settings);
    ch_status status = ch_comm_agree(context, own);
    if (status == CH_OK && !part) status = ch_comm_agree(context, cut(context, &made));
    if (status == CH_OK && part) status = agree_on_type(context, &made, path);
    if (status == CH_OK)
        *X = made;
    else if (own == CH_OK)
        ch_matrix_free(context, &made);
    return status;
}
