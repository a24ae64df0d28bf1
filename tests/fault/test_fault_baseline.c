/* Robust decompositions and medians with their k-th allocation failing, for every k. */
#include "support_faults.h"
#include <conehull/conehull.h>

static ch_status finish_parts(ch_context *context, ch_status status, ch_decomposition *parts) {
    if (status < 0)
        untouched(parts);
    else
        ch_decomposition_free(context, parts);
    return status;
}

static ch_status run_rpca(ch_context *context) {
    ch_rpca_settings set;
    ch_settings_defaults(&ch_rpca_table, &set);
    set.keep_sparse = 1;
    ch_decomposition parts;
    mark(&parts);
    return finish_parts(context, ch_robust_pca(context, &parts, &given.dense, &set), &parts);
}

/* More rows than columns: a transposed copy, and factors that change places. */
static ch_status run_rpca_tall(ch_context *context) {
    ch_rpca_settings set;
    ch_settings_defaults(&ch_rpca_table, &set);
    ch_matrix tall;
    mark(&tall);
    ch_status status = ch_matrix_transpose(context, &tall, &given.csc);
    if (status < 0) return status;
    ch_decomposition parts;
    mark(&parts);
    status = finish_parts(context, ch_robust_pca(context, &parts, &tall, &set), &parts);
    ch_matrix_free(context, &tall);
    return status;
}

static ch_status run_robust_nmf(ch_context *context) {
    ch_factor_settings set;
    ch_settings_defaults(&ch_factor_table, &set);
    set.rank = 2;
    set.iterations = 20;
    ch_decomposition parts;
    mark(&parts);
    return finish_parts(context, ch_robust_nmf(context, &parts, &given.rows, &set), &parts);
}

static ch_status run_robust_lowrank(ch_context *context) {
    ch_factor_settings set;
    ch_settings_defaults(&ch_factor_table, &set);
    set.rank = 2;
    set.iterations = 20;
    ch_decomposition parts;
    ch_matrix tall;
    mark(&parts);
    ch_status status = ch_matrix_transpose(context, &tall, &given.dense);
    if (status < 0) return status;
    return finish_parts(context, ch_robust_lowrank(context, &parts, &tall, &set), &parts);
}

static ch_status run_median(ch_context *context, const ch_matrix *X, int64_t radius) {
    ch_median_settings set = {radius};
    ch_matrix Y;
    mark(&Y);
    return finish_matrix(context, ch_median_filter(context, &Y, X, &set), &Y);
}

static ch_status run_median_bytes(ch_context *context) {
    return run_median(context, &given.bytes, 0);
}

static ch_status run_median_window(ch_context *context) {
    return run_median(context, &given.rows, 3);
}

static const support_fault faults[] = {
    {"ch_robust_pca", run_rpca},
    {"ch_robust_pca, tall CSC", run_rpca_tall},
    {"ch_robust_nmf, by rows", run_robust_nmf},
    {"ch_robust_lowrank, tall", run_robust_lowrank},
    {"ch_median_filter, u8", run_median_bytes},
    {"ch_median_filter, windows", run_median_window},
};

int main(void) {
    return support_faults_run(faults, sizeof faults / sizeof *faults);
}
