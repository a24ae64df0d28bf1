/* The two halves of the recheck. */
#ifndef CONEHULL_VERIFY_H
#define CONEHULL_VERIFY_H

#include <conehull/anchors.h>

/* Rounding that an honest result may show: sums of some thousands of terms in double. */
#define CHI_ROUNDING 1e-12

/* The loss of H: beta 2 is l2. */
static inline int chi_verified_loss(const ch_anchors_settings *settings) {
    return settings->loss == CH_LOSS_BETA && settings->beta == 2 ? CH_LOSS_L2 : settings->loss;
}

/* H >= 0, every column optimal to tol, and the objective as stored; fills v. norms: |x|_1 of the
 * columns, |x|_2^2 for l2. */
ch_status chi_verify_columns(ch_context *context, ch_verification *v, const ch_matrix *X,
                             const double *norms, const ch_anchors_result *result,
                             const ch_anchors_settings *settings);

#endif
