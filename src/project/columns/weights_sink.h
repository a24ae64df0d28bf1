/* H in parts: for whoever takes the weights of columns as they are found, and holds them as he
 * likes. */
#pragma once

#include <conehull/anchors.h>

typedef struct chi_weights_sink {
    ch_weights_fn take;
    void *user;
    int origin;           /* the first row of H belongs to the origin of a hull: dropped     */
    int64_t zero_weights; /* columns without any weight so far */
} chi_weights_sink;

/* H: rows x count, changed by dropping the origin. */
ch_status chi_weights_give(chi_weights_sink *sink, double *H, int64_t rows, int64_t first,
                           int64_t count);
