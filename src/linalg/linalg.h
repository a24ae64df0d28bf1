/* Operations on views that the methods are made of. Blocks of columns depend on the number of
 * columns only, and partial sums are added in block order: the same bits for any thread count. */
#pragma once

#include "base/arena.h"
#include "kernels/kernels.h"
#include <conehull/matrix.h>

/* scores[c * cols + j] = sum_i D[i + c * rows] X_ij  for c < count (at most CHI_SCORE_MAX vectors),
 * in one pass over X: the hot loop of every method. The error is at most about
 * eps rows sum_i |D_ic| X_ij, for bytes plus 2^-59 max_i |D_ic| sum_i X_ij. A score depends on its
 * own column and vector alone, to the bit. CHI_CANCELLED: not all columns have one. */
enum { CHI_SCORE_MAX = 4 };
ch_status chi_score(ch_context *context, double *scores, const ch_matrix *X, const double *D,
                    int count);
/* scores[j] = sum_i d_i X_ij for the columns j of the list alone, the same bits. Reads them one by
 * one: in row-major order every entry costs a cache line. */
void chi_score_columns(ch_context *context, double *scores, const ch_matrix *X, const double *d,
                       const int64_t *list, int64_t listed);

/* Per column: sum of values (l1 norm) and sum of squares; either may be NULL (survey.c). */
CHI_SHARED ch_status chi_column_norms(ch_context *context, double *sums, double *squares,
                                      const ch_matrix *X);

/* STEP(T), T being the C type of the values. */
#define CHI_BY_TYPE(type, STEP) \
    switch (type) {             \
    case CH_F64: {              \
        STEP(double)            \
    } break;                    \
    case CH_F32: {              \
        STEP(float)             \
    } break;                    \
    case CH_U8: {               \
        STEP(uint8_t)           \
    } break;                    \
    case CH_U16: {              \
        STEP(uint16_t)          \
    } break;                    \
    }

/* A dense view that owns values from chi_alloc(): ch_matrix_free() frees them. */
CHI_SHARED ch_matrix chi_matrix_owned(void *values, int64_t rows, int64_t cols,
                                      ch_matrix_layout layout, ch_value_type type);
/* The rows and columns of a dense X that are listed (NULL: all), an owned copy, column-major. */
CHI_SHARED ch_status chi_matrix_copy_part(ch_context *context, ch_matrix *part, const ch_matrix *X,
                                          const int64_t *rows, int64_t row_count,
                                          const int64_t *cols, int64_t col_count);

/* x[0..rows) = column j in double. */
CHI_SHARED void chi_column_gather(double *x, const ch_matrix *X, int64_t j);

/* Columns [lo, hi) of X in double, in X's own order: column after column, each rows long; for
 * CH_ROW_MAJOR row after row, each hi - lo long. */
CHI_SHARED void chi_block_gather(double *block, const ch_matrix *X, int64_t lo, int64_t hi);

/* ch_matrix_check() for methods that take negative values. */
ch_status chi_matrix_check_signed(ch_context *context, const ch_matrix *X);

/* The non-zero entries of column j: rows rising, values in double. Returns their number; index and
 * value hold up to rows entries. The same for every layout and type of the same numbers. */
CHI_SHARED int64_t chi_column_support(int32_t *index, double *value, const ch_matrix *X, int64_t j);

/* Element number `at` of the sorted values, counted from 0. x is reordered: what stands before that
 * place is no larger, what stands behind it no smaller (order_statistic.c). */
CHI_SHARED double chi_select_value(double *x, int64_t count, int64_t at);

/* Eigenvalues of symmetric matrices up to order capacity (eigen.c); the solver is in the arena. */
typedef struct chi_eigen chi_eigen;
CHI_SHARED ch_status chi_eigen_create(chi_arena *arena, chi_eigen **solver, int64_t capacity);
/* Those above bound, falling, and their vectors (size x count, orthonormal columns; space for size
 * of them). G (size x size, column-major, upper half) is destroyed. */
CHI_SHARED ch_status chi_eigen_above(chi_eigen *solver, int64_t *count, double *values,
                                     double *vectors, double *G, int64_t size, double bound);

/* What is about to be read of a matrix (prefetch.c); any thread may say so. Columns [lo, hi), as
 * far as there are any, will be read soon. */
void chi_prefetch_columns(ch_context *context, const ch_matrix *X, int64_t lo, int64_t hi);
/* A pass over the columns in blocks of `width`, from `block` on, begins: the first of them. */
void chi_prefetch_pass(ch_context *context, const ch_matrix *X, int64_t width, int64_t block);
/* The pass has come to `block`: one further on. */
CHI_SHARED void chi_prefetch_block(ch_context *context, const ch_matrix *X, int64_t width,
                                   int64_t block);
/* A pass over the columns in blocks of `width`: body(user, block, thread) for each, which begins
 * with chi_prefetch_block(). Small matrices are done by the calling thread alone: starting others
 * costs more. cancellable: CHI_CANCELLED may be the answer, as of chi_parallel_until(). */
CHI_SHARED ch_status chi_pass(ch_context *context, const ch_matrix *X, int64_t width,
                              int cancellable, chi_body body, void *user);

/* Before BLAS is called: it runs on the calling thread alone from now on, as code inside our
 * threads needs, and has its buffers, one for each thread of the context; both for the whole
 * process. CH_ERR_MEMORY: a limit of address space leaves no space for them. Nothing happens with a
 * BLAS that has no such settings. */
CHI_SHARED ch_status chi_blas_reserve(ch_context *context);

/* Views that callers filled by hand: CH_ERR_ARGUMENT for NULL, an unknown type or layout, negative
 * sizes, a stride that is too short, missing arrays; without a look at the values. Every public
 * call that takes a matrix begins with it, or with a survey that checks. */
CHI_SHARED ch_status chi_check_view(ch_context *context, const ch_matrix *X);
