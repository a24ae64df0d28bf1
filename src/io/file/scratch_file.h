/* Scratch files in place of memory (scratch_file.c). */
#ifndef CONEHULL_SCRATCH_FILE_H
#define CONEHULL_SCRATCH_FILE_H

#include "io/file/format.h"

/* Is so much better put in a scratch file, by the limit of the context? */
int chi_scratch_wanted(const ch_context *context, const chi_scratch_place *place, double bytes);
/* A file without a name; close() it, whenever. */
ch_status chi_scratch_open(ch_context *context, int *fd, const char *folder);
ch_status chi_scratch_write(ch_context *context, int fd, const void *bytes, size_t count,
                            int64_t at, const char *folder);
/* X owns the mapping of its values, which fill the file. */
ch_status chi_scratch_map(ch_context *context, ch_matrix *X, int fd, int64_t rows, int64_t cols,
                          ch_matrix_layout layout, ch_value_type type, const char *folder);

#endif
