/* What is about to be read of a matrix (prefetch.c). Any thread may say so. */
#ifndef CONEHULL_PREFETCH_H
#define CONEHULL_PREFETCH_H

#include "base/base.h"
#include <conehull/matrix.h>

/* Columns [lo, hi), as far as there are any, will be read soon. */
void chi_prefetch_columns(ch_context *context, const ch_matrix *X, int64_t lo, int64_t hi);

/* A pass over the columns in blocks of `width`, from `block` on, begins: the first of them. */
void chi_prefetch_pass(ch_context *context, const ch_matrix *X, int64_t width, int64_t block);
/* The pass has come to `block`: one further on. */
void chi_prefetch_block(ch_context *context, const ch_matrix *X, int64_t width, int64_t block);

#endif
