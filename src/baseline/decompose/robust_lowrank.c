/* Robust low rank by local search (paper, Section 5.3):
 *
 *     min |X - W H|_1
 *
 * The loop is in robust_factor.c. W is kept orthonormal, so the least squares fit of H is W'M. The
 * fit of W spans the columns of M H', which is one step of subspace iteration. */
#include "baseline/decompose/robust_factor.h"
#include <math.h>
#include <string.h>

/* A column is dependent if its norm, after projection onto the complement of the columns before it,
 * is below this share of its original norm. */
static const double DEPENDENT = 1e-10;

/* Orthonormalises the columns of W; dependent ones are replaced by random directions. Each column
 * is orthogonalised twice, which suffices. */
static void orthonormalise(const chi_kernels *kernels, double *W, int64_t m, int64_t rank,
                           ch_random *random) {
    for (int64_t k = 0; k < rank; k++) {
        double *w = W + k * m, before = sqrt(chi_dot(kernels, w, w, m)), after = before;
        for (int attempt = 0; attempt < 3; attempt++) {
            for (int pass = 0; pass < 2; pass++)
                for (int64_t l = 0; l < k; l++)
                    chi_axpy(kernels, w, -chi_dot(kernels, W + l * m, w, m), W + l * m, m);
            after = sqrt(chi_dot(kernels, w, w, m));
            if (after > DEPENDENT * before) break;
            for (int64_t i = 0; i < m; i++) w[i] = ch_random_normal(random);
            before = sqrt(chi_dot(kernels, w, w, m));
        }
        for (int64_t i = 0; i < m; i++) w[i] = after > 0 ? w[i] / after : 0;
    }
}

static void fit_H(double *H, double *V, const double *gram, int64_t rank, int64_t width) {
    (void)gram;
    memcpy(H, V, (size_t)(rank * width) * sizeof *H);
}

static void fit_W(const chi_kernels *kernels, double *W, double *P, double *Q, int64_t m,
                  int64_t rank, ch_random *random) {
    (void)Q;
    memcpy(W, P, (size_t)(m * rank) * sizeof *W);
    orthonormalise(kernels, W, m, rank, random);
}

static const chi_factor_rule rule = {.check = chi_matrix_check_signed,
                                     .exact = 1,
                                     .start = orthonormalise,
                                     .fit_H = fit_H,
                                     .fit_W = fit_W};

ch_status ch_robust_lowrank(ch_context *context, ch_decomposition *parts, const ch_matrix *X,
                            const ch_factor_settings *settings) {
    TRY(chi_check_view(context, X));
    return chi_robust_factor(context, parts, X, settings, &rule);
}
