/* H = argmin loss(X, X_A H), H >= 0: projects all columns of X onto a cone. */
#pragma once

#include "project/columns/projector.h"
#include "project/columns/weights_sink.h"

typedef struct chi_projected {
    double objective, largest; /* sum over the columns; largest residual */
    int64_t pivots, unproven;
    ch_certificate certificate;
    int64_t *dual_start; /* cols + 1 entries; NULL unless requested */
    int32_t *dual_row;
    double *dual_value;
} chi_projected;

/* Computes the canonical projection of every column. Collective: sums are over all processes,
 * everything else is for the columns of this process. H is cone->count x cols, or NULL if only the
 * sums are needed or a sink receives the weights in parts. checkpoint and sink may be NULL. If
 * `duals`, allocates the arrays of `all`, which the caller frees by chi_free(). Columns found in
 * the checkpoint are taken from it; the others are added to it. If the result is not CH_OK, `all`
 * is zero and no memory is held; after CH_STOP_CANCELLED H is incomplete. */
ch_status chi_project_all(ch_context *context, chi_projected *all, double *H,
                          const chi_projector *projector, int duals,
                          const ch_checkpoint *checkpoint, chi_weights_sink *sink);
