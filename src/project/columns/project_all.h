/* H = argmin loss(X, X_A H), H >= 0: all columns of X onto a cone. */
#pragma once

#include "project/columns/projector.h"
#include "project/columns/weights_sink.h"

typedef struct chi_projected {
    double objective, largest; /* sum over the columns; largest residual                    */
    int64_t pivots, unproven;
    ch_certificate certificate;
    int64_t *dual_start; /* cols + 1; NULL unless asked for                                 */
    int32_t *dual_row;
    double *dual_value;
} chi_projected;

/* Collective: canonical projection of every column; sums are over all processes, the rest is of the
 * columns of this one. H: cone->count x cols, or NULL when only the sums are wanted, or when a sink
 * (or NULL) gets it in parts. With duals,
 * the arrays of `all` are allocated; chi_free() frees them. Columns that the checkpoint (or NULL)
 * has are taken from it, others are added to it. Unless CH_OK (CH_STOP_CANCELLED: H is incomplete),
 * `all` is zero and nothing is held. */
ch_status chi_project_all(ch_context *context, chi_projected *all, double *H,
                          const chi_projector *projector, int duals,
                          const ch_checkpoint *checkpoint, chi_weights_sink *sink);
