/* Projects all columns of X onto a cone: H = argmin loss(X, X_A H) over H >= 0. */
#pragma once

#include "project/columns/projector.h"
#include "project/columns/weights_sink.h"

typedef struct chi_projected {
    double objective, largest; /* sum of the losses of the columns; largest residual of a column */
    int64_t pivots, unproven;
    ch_certificate certificate;
    int64_t *dual_start; /* cols + 1 entries; NULL unless requested */
    int32_t *dual_row;
    double *dual_value;
} chi_projected;

/* Collective: computes the canonical projection of every column. The sums in *all are over all
 * processes; everything else is for the columns of this process. H is cone->count x cols, or NULL
 * if only the sums are needed or a sink receives the weights in parts. checkpoint and sink may be
 * NULL. If `duals` is non-zero, the call allocates the arrays of *all, which the caller frees with
 * chi_free(). Columns that the checkpoint holds are taken from it; the others are added to it. If
 * the call does not return CH_OK, *all is zero and no memory is held; after CH_STOP_CANCELLED H is
 * incomplete. */
ch_status chi_project_all(ch_context *context, chi_projected *all, double *H,
                          const chi_projector *projector, int duals,
                          const ch_checkpoint *checkpoint, chi_weights_sink *sink);
