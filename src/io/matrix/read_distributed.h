/* Reading a matrix whose columns are spread over the ranks (read_distributed.c). */
#ifndef CONEHULL_READ_DISTRIBUTED_H
#define CONEHULL_READ_DISTRIBUTED_H

#include "io/file/format.h"

/* Collective: each rank reads with `read`, which gives it its part or the whole, and says which. */
typedef ch_status (*chi_reader)(ch_context *context, ch_matrix *X, int *part, const char *path,
                                const ch_matrix_read_settings *settings);
ch_status chi_read_distributed(ch_context *context, ch_matrix *X, const char *path,
                               const ch_matrix_read_settings *settings, chi_reader read);

#endif
