/* Robust decompositions and medians with their k-th allocation failing, for every k. */
#include "support_faults.h"
#include <conehull/conehull.h>

static ch_status finish_parts(ch_context *context, ch_status status, ch_decomposition *parts) {
    finish(context, status, parts, ch_decomposition_free);
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

/* An l1 factorisation, by rows and of a tall matrix. */
typedef ch_status (*factor_fn)(ch_context *context, ch_decomposition *parts, const ch_matrix *X,
                               const ch_factor_settings *settings);

static ch_status run_factor(ch_context *context, factor_fn factor, const ch_matrix *X) {
    ch_factor_settings set;
    ch_settings_defaults(&ch_factor_table, &set);
    set.rank = 2;
    set.iterations = 20;
    ch_decomposition parts;
    mark(&parts);
    return finish_parts(context, factor(context, &parts, X, &set), &parts);
}

static ch_status run_robust_nmf(ch_context *context) {
    return run_factor(context, ch_robust_nmf, &given.rows);
}

static ch_status run_robust_lowrank(ch_context *context) {
    ch_matrix tall;
    ch_status status = ch_matrix_transpose(context, &tall, &given.dense);
    return status < 0 ? status : run_factor(context, ch_robust_lowrank, &tall);
}

typedef struct median {
    const ch_matrix *X;
    int64_t radius;
} median;

static ch_status run_median(ch_context *context, const void *with) {
    const median *wanted = with;
    ch_median_settings set = {wanted->radius};
    ch_matrix Y;
    mark(&Y);
    return finish_matrix(context, ch_median_filter(context, &Y, wanted->X, &set), &Y);
}

static const support_fault faults[] = {
    {"ch_robust_pca", run_rpca, NULL, NULL},
    {"ch_robust_pca, tall CSC", run_rpca_tall, NULL, NULL},
    {"ch_robust_nmf, by rows", run_robust_nmf, NULL, NULL},
    {"ch_robust_lowrank, tall", run_robust_lowrank, NULL, NULL},
    {"ch_median_filter, u8", NULL, run_median, &(const median){&given.bytes, 0}},
    {"ch_median_filter, windows", NULL, run_median, &(const median){&given.rows, 3}},
};

int main(void) {
    return support_faults_run(faults, sizeof faults / sizeof *faults);
}
