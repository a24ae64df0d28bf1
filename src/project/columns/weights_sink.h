/* A callback that receives H in parts, as soon as the weights of columns are computed. The caller
 * decides how to store them. */
#pragma once

#include <conehull/anchors.h>

typedef struct chi_weights_sink {
    ch_weights_fn take;
    void *user;
    /* Whether the first row of H belongs to the origin of a hull and is dropped. */
    int origin;
    int64_t zero_weights; /* number of columns so far whose weights are all zero */
    const double *sums;   /* sum of each anchor                                  */
    int64_t *parts;       /* for each anchor, the number of columns so far of which it is a part */
} chi_weights_sink;

/* Counts the column with weights h in the anchors that are a part of it: those whose h_k sums_k is
 * more than a tenth of the sum over all anchors. Shares do not depend on the scale of an anchor. */
void chi_weights_count(int64_t *parts, const double *h, const double *sums, int64_t rank);

/* Passes H (rows x count), the weights of columns first .. first + count - 1, to the sink.
 * Overwrites H if the origin is dropped. */
ch_status chi_weights_give(chi_weights_sink *sink, double *H, int64_t rows, int64_t first,
                           int64_t count);
