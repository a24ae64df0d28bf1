/* Robust decompositions and medians with their k-th allocation failing, for every k. */
#include "support_faults.h"
#include <conehull/conehull.h>

RELEASE(ch_decomposition)
RELEASE(ch_matrix)

static ch_status call_rpca(ch_context *context, void *output, const void *with) {
    ch_rpca_settings set;
    ch_rpca_defaults(&set);
    set.keep_sparse = 1;
    return ch_robust_pca(context, output, with, &set);
}

/* More rows than columns: a transposed copy, and factors that change places. */
static ch_status call_rpca_tall(ch_context *context, void *output, const void *with) {
    ch_rpca_settings set;
    ch_matrix tall;
    ch_rpca_defaults(&set);
    ch_status status = ch_matrix_transpose(context, &tall, with);
    if (status < 0) return status;
    status = ch_robust_pca(context, output, &tall, &set);
    ch_matrix_free(context, &tall);
    return status;
}

static ch_factor_settings factor_settings(void) {
    ch_factor_settings set;
    ch_factor_defaults(&set);
    set.rank = 2;
    set.iterations = 20;
    return set;
}

static ch_status call_robust_nmf(ch_context *context, void *output, const void *with) {
    const ch_factor_settings set = factor_settings();
    return ch_robust_nmf(context, output, with, &set);
}

static ch_status call_robust_lowrank(ch_context *context, void *output, const void *with) {
    const ch_factor_settings set = factor_settings();
    ch_matrix tall;
    ch_status status = ch_matrix_transpose(context, &tall, with);
    if (status < 0) return status;
    status = ch_robust_lowrank(context, output, &tall, &set);
    ch_matrix_free(context, &tall);
    return status;
}

typedef struct median {
    const ch_matrix *X;
    int64_t radius;
} median;

static ch_status call_median(ch_context *context, void *output, const void *with) {
    const median *it = with;
    const ch_median_settings set = {sizeof set, it->radius};
    return ch_median_filter(context, output, it->X, &set);
}

static const median whole = {&given.bytes, 0}, windows = {&given.rows, 3};

static const support_fault faults[] = {
    {"ch_robust_pca", call_rpca, &given.dense, OUT_SIZED(ch_decomposition)},
    {"ch_robust_pca, tall CSC", call_rpca_tall, &given.csc, OUT_SIZED(ch_decomposition)},
    {"ch_robust_nmf, by rows", call_robust_nmf, &given.rows, OUT_SIZED(ch_decomposition),
     .early = 1},
    {"ch_robust_lowrank, tall", call_robust_lowrank, &given.dense, OUT_SIZED(ch_decomposition),
     .early = 1},
    {"ch_median_filter, u8", call_median, &whole, OUT(ch_matrix)},
    {"ch_median_filter, windows", call_median, &windows, OUT(ch_matrix)},
};

int main(void) {
    return support_faults_run(faults, sizeof faults / sizeof *faults, NULL);
}
