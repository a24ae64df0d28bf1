/* What hottopixx.c and smrs.c share: limits, dense blocks, the inverse of a Gram matrix. */
#ifndef CONEHULL_GRAM_INVERSE_H
#define CONEHULL_GRAM_INVERSE_H

#include "base/base.h"
#include <conehull/matrix.h>

/* Products are made for this many columns at a time: the sizes that BLAS sees depend on the matrix
 * alone, so the bits do not depend on the threads. */
enum { CHI_PANEL = 64 };

static inline int64_t chi_panels(int64_t columns) {
    return (columns + CHI_PANEL - 1) / CHI_PANEL;
}

/* CH_ERR_UNSUPPORTED, with advice, when a method that keeps columns x columns numbers would need
 * too much: more than 20,000 columns, or more than 60 % of the machine's memory. */
ch_status chi_refuse_large(ch_context *context, const char *method, int64_t columns,
                           double doubles);

/* 1 <= rank (0 too where it may be chosen) <= columns that are not zero; no columns to keep. */
ch_status chi_check_selector(ch_context *context, const char *method, int64_t rank, int may_choose,
                             int64_t usable, int64_t keep_count);

/* inverse (size x size, both triangles) of A + shift I, A symmetric and positive semidefinite with
 * both triangles; A stays. work holds size x size numbers. By Cholesky, on the calling thread.
 * O(size^3). 0: not definite. */
int chi_spd_invert(double *inverse, double *work, const double *A, int64_t size, double shift);

#endif
