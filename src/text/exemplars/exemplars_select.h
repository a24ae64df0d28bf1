/* Choosing columns by any method; shared by finding exemplars and measuring them. */
#ifndef CONEHULL_EXEMPLARS_SELECT_H
#define CONEHULL_EXEMPLARS_SELECT_H

#include "base/base.h"
#include <conehull/exemplars.h>
#include <conehull/random.h>

typedef struct chi_exemplar_columns {
    int64_t *columns; /* room for rank: of the matrix, in the order chosen */
    int64_t found;
    double seconds;
} chi_exemplar_columns;

/* rank columns of `weighted` by settings->method. Random numbers come from `random`. Columns of
 * zeros are never chosen. CH_STOP_COMPLETE: fewer are enough. */
ch_status chi_select_exemplars(ch_context *context, chi_exemplar_columns *choice,
                               const ch_matrix *weighted, int64_t rank, ch_random *random,
                               const ch_exemplars_settings *settings);

/* X usable, and 1 <= rank <= `most` columns of `where`. */
ch_status chi_check_exemplars(ch_context *context, const ch_matrix *X, int64_t rank, int64_t most,
                              const char *where);

/* A generator for number 0, 1, 2, ... of this seed. */
ch_random chi_numbered_random(int64_t seed, int64_t number);

#endif
