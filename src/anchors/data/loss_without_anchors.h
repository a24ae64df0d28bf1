/* The loss of a model without anchors, with which the loss of a result is compared. */
#pragma once

#include "anchors/data/usable_data.h"

/* Collective. *loss becomes the loss of the known entries of usable->X, with all weights, under
 *
 *     y = 0                                    for l1, quantile and l2
 *     y = the mean of the column, in each row  for divergences, which are infinite at 0
 *
 * For divergences it is at least the size of the data (chi_loss_scale()): almost constant columns
 * have almost the loss 0 under their means, and every model would look bad next to that.
 * *columns becomes the number of columns with a known entry above 0. */
ch_status chi_loss_without_anchors(ch_context *context, double *loss, int64_t *columns,
                                   const chi_usable *usable, const ch_anchors_settings *resolved);
