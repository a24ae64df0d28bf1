/* The two halves of the recheck. */
#ifndef CONEHULL_VERIFY_H
#define CONEHULL_VERIFY_H

#include <conehull/anchors.h>

/* Rounding that an honest result may show: sums of some thousands of terms in double. */
#define CHI_ROUNDING 1e-12

/* H >= 0, every column optimal to tol, and the objective as stored; fills v. */
ch_status chi_verify_columns(ch_context *context, ch_verification *v, const ch_matrix *X,
                             const ch_anchors_result *result, const ch_anchors_settings *settings);

#endif
