/* The rows of `conehull bench`: first the ratios that it measures without a NAME. */
#include "bench/bench_table.h"

const bench_entry bench_entries[] = {
    {"rpca_over_robust_xray", "robust PCA over RobustXray, 200 frames of a film", bench_rpca, 1},
    {"rpca_over_robust_xray_full", "the same on a whole sequence", bench_rpca_full, 1},
    {"smrs_over_robust_xray", "SMRS over RobustXray, choosing exemplars", bench_smrs, 1},
    {"admm_over_exact", "projections by alternating directions over exact ones", bench_admm, 1},
    {"admm_loose_over_exact", "the same, alternating directions to gap 1e-3 only", bench_admm_loose,
     1},
    {"select_over_read", "selection of r anchors over r plain reads of the data",
     bench_select_over_read, 1},
    {"sklearn_over_conehull", "scikit-learn's NMF over anchors and weights, KL, rank 20",
     bench_sklearn, 1},
    {"sklearn_weights_over_conehull", "the same with the anchors given: weights alone",
     bench_sklearn_weights, 1},
    {"two_threads", "one thread over two, RobustXray on 200 frames of a film", bench_two_threads,
     1},
    {"kernels", "passes over a matrix over a plain read of its bytes", bench_kernels, 0},
    {.name = NULL},
};
