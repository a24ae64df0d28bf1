/* A matrix whose columns are distributed over several processes. */
#include "linalg/distribution.h"
#include <assert.h>

typedef struct part {
    int64_t rows, first, cols;
} part;

static ch_status refuse(const chi_distribution *spread, int process, const char *what,
                        int64_t value, int64_t wanted) {
    return chi_fail(
        spread->context, CH_ERR_ARGUMENT,
        "the matrix of process %d is wrong: %s is %lld, but it must be %lld (see ch_comm_part())",
        process, what, (long long)value, (long long)wanted);
}

static ch_status check_parts(chi_distribution *spread, const part *parts, int processes) {
    spread->cols = 0;
    for (int r = 0; r < processes; r++) {
        int64_t over = spread->cols % CH_COMM_BLOCK;
        if (parts[r].rows != parts[0].rows)
            return refuse(spread, r, "its number of rows", parts[r].rows, parts[0].rows);
        if (parts[r].first != spread->cols)
            return refuse(spread, r, "its first column", parts[r].first, spread->cols);
        if (parts[r].cols > 0 && over != 0)
            return refuse(spread, r, "its first column", spread->cols, spread->cols - over);
        spread->counts[r] = parts[r].cols;
        spread->cols += parts[r].cols;
    }
    return CH_OK;
}

ch_status chi_distribution_create(ch_context *context, chi_distribution *spread,
                                  const ch_matrix *X) {
    int processes = chi_process_count(context);
    *spread = (chi_distribution){.context = context, .X = X, .cols = X->cols};
    if (processes == 1) return CH_OK;
    spread->first = X->first;
    spread->counts = chi_alloc(context, processes, sizeof *spread->counts);
    ch_status status = spread->counts ? CH_OK : chi_no_memory(context, "processes", processes, 8);
    TRY(ch_comm_agree(context, status));
    assert(spread->counts); /* allocated before the processes agreed */
    part own = {X->rows, X->first, X->cols};
    const part *parts = chi_share(context, &own, sizeof own);
    return parts ? check_parts(spread, parts, processes) : CH_ERR_IO;
}

void chi_distribution_destroy(chi_distribution *spread) {
    if (spread->context) chi_free(spread->context, spread->counts);
    *spread = (chi_distribution){0};
}

int chi_distribution_owner(const chi_distribution *spread, int64_t j) {
    int process = 0;
    if (!spread->counts) return 0;
    for (int64_t end = spread->counts[0]; j >= end; end += spread->counts[process]) process++;
    return process;
}

ch_status chi_distribution_share(const chi_distribution *spread, void *items, int64_t count,
                                 size_t size, int64_t j) {
    return chi_broadcast(spread->context, items, count, size, chi_distribution_owner(spread, j));
}

ch_status chi_distribution_column(const chi_distribution *spread, double *x, int64_t j) {
    int64_t local = chi_distribution_local(spread, j);
    if (local >= 0) {
        chi_prefetch_columns(spread->context, spread->X, local, local + 1);
        chi_column_gather(x, spread->X, local);
    }
    return chi_distribution_share(spread, x, spread->X->rows, sizeof *x, j);
}
