/* Reading a matrix whose columns are spread over the ranks (read_distributed.c). */
#ifndef CONEHULL_READ_DISTRIBUTED_H
#define CONEHULL_READ_DISTRIBUTED_H

#include "io/file/format.h"

/* Collective: X becomes the part of this rank. */
ch_status chi_read_distributed(ch_context *context, ch_matrix *X, const char *path,
                               const ch_matrix_read_settings *settings);
/* One rank by itself (format_table.c). *part: whether X, of formats that can, is the part of this
 * rank; else it is the whole. */
ch_status chi_read_here(ch_context *context, ch_matrix *X, int *part, const char *path,
                        const ch_matrix_read_settings *settings);

#endif
