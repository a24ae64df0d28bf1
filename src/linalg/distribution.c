/* Parts of a matrix on several ranks. */
#include "linalg/distribution.h"
#include "linalg/prefetch.h"
#include <assert.h>

typedef struct part {
    int64_t rows, first, cols;
} part;

static ch_status refuse(const chi_spread *spread, int rank, const char *what, int64_t value,
                        int64_t wanted) {
    return chi_fail(
        spread->context, CH_ERR_ARGUMENT,
        "the part of rank %d: %s is %lld, must be %lld (ch_comm_part() tells the parts)", rank,
        what, (long long)value, (long long)wanted);
}

static ch_status check_parts(chi_spread *spread, const part *parts, int ranks) {
    spread->cols = 0;
    for (int r = 0; r < ranks; r++) {
        int64_t over = spread->cols % CH_COMM_BLOCK;
        if (parts[r].rows != parts[0].rows)
            return refuse(spread, r, "the number of rows", parts[r].rows, parts[0].rows);
        if (parts[r].first != spread->cols)
            return refuse(spread, r, "the first column", parts[r].first, spread->cols);
        if (parts[r].cols > 0 && over != 0)
            return refuse(spread, r, "the first column", spread->cols, spread->cols - over);
        spread->counts[r] = parts[r].cols;
        spread->cols += parts[r].cols;
    }
    return CH_OK;
}

ch_status chi_spread_create(ch_context *context, chi_spread *spread, const ch_matrix *X) {
    int ranks = chi_ranks(context);
    *spread = (chi_spread){.context = context, .X = X, .cols = X->cols};
    if (ranks == 1) return CH_OK;
    spread->first = X->first;
    spread->counts = chi_alloc(context, ranks, sizeof *spread->counts);
    ch_status status = spread->counts ? CH_OK : chi_no_memory(context, "ranks", ranks, 8);
    TRY(ch_comm_agree(context, status));
    assert(spread->counts); /* or its rank had not agreed */
    part own = {X->rows, X->first, X->cols};
    const part *parts = chi_share(context, &own, sizeof own);
    return parts ? check_parts(spread, parts, ranks) : CH_ERR_IO;
}

void chi_spread_destroy(chi_spread *spread) {
    if (spread->context) chi_free(spread->context, spread->counts);
    *spread = (chi_spread){0};
}

int chi_spread_owner(const chi_spread *spread, int64_t j) {
    int rank = 0;
    if (!spread->counts) return 0;
    for (int64_t end = spread->counts[0]; j >= end; end += spread->counts[rank]) rank++;
    return rank;
}

ch_status chi_spread_column(const chi_spread *spread, double *x, int64_t j) {
    int64_t local = chi_spread_local(spread, j);
    if (local >= 0) {
        chi_expect_columns(spread->context, spread->X, local, local + 1);
        chi_column_gather(x, spread->X, local);
    }
    return chi_broadcast(spread->context, x, spread->X->rows, sizeof *x,
                         chi_spread_owner(spread, j));
}
