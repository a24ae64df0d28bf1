/* Operations on views from which the methods are built. Blocks of columns depend on the number of
 * columns only, and partial sums are added in block order, so results are the same bits for any
 * number of threads. */
#pragma once

#include "base/arena.h"
#include "kernels/kernels.h"
#include <conehull/matrix.h>

/* scores[c * cols + j] = sum_i D[i + c * rows] X_ij  for c < count (at most CHI_SCORE_MAX vectors),
 * in one pass over X: the hot loop of every method. The error is at most about eps rows sum_i
 * |D_ic| X_ij, for bytes plus 2^-59 max_i |D_ic| sum_i X_ij. A score depends only on its own column
 * and vector, to the bit. After CHI_CANCELLED some columns have no score. */
enum { CHI_SCORE_MAX = 4 };
ch_status chi_score(ch_context *context, double *scores, const ch_matrix *X, const double *D,
                    int count);
/* scores[j] = sum_i d_i X_ij for the listed columns j only, with the same bits as chi_score().
 * Reads the columns one by one: in row-major order every entry costs a cache line. */
void chi_score_columns(ch_context *context, double *scores, const ch_matrix *X, const double *d,
                       const int64_t *list, int64_t listed);

/* Computes the sum of values (l1 norm) and the sum of squares of each column; sums or squares may
 * be NULL (survey.c). */
CHI_SHARED ch_status chi_column_norms(ch_context *context, double *sums, double *squares,
                                      const ch_matrix *X);

/* Expands to STEP(T), where T is the C type of values of this type. */
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

/* Returns a dense view that owns `values`, which come from chi_alloc(); ch_matrix_free() frees
 * them. */
CHI_SHARED ch_matrix chi_matrix_owned(void *values, int64_t rows, int64_t cols,
                                      ch_matrix_layout layout, ch_value_type type);
/* Copies the listed rows and columns of a dense X (NULL: all). The copy is column-major and
 * owned. */
CHI_SHARED ch_status chi_matrix_copy_part(ch_context *context, ch_matrix *part, const ch_matrix *X,
                                          const int64_t *rows, int64_t row_count,
                                          const int64_t *cols, int64_t col_count);

/* x[0..rows) = column j in double. */
CHI_SHARED void chi_column_gather(double *x, const ch_matrix *X, int64_t j);

/* Writes columns [lo, hi) of X in double, in the order of X: column after column, each rows long,
 * or for CH_ROW_MAJOR row after row, each hi - lo long. */
CHI_SHARED void chi_block_gather(double *block, const ch_matrix *X, int64_t lo, int64_t hi);

/* Checks X for methods that accept negative values; everything else that ch_matrix_check() refuses
 * is refused. */
ch_status chi_matrix_check_signed(ch_context *context, const ch_matrix *X);

/* Writes the non-zero entries of column j, with increasing rows and values in double. Returns their
 * number; index and value have space for rows entries. The result is the same for every layout and
 * type that stores the same values. */
CHI_SHARED int64_t chi_column_support(int32_t *index, double *value, const ch_matrix *X, int64_t j);

/* Returns element `at` (from 0) of the sorted values. Reorders x so that no element before that
 * place is larger and none after it is smaller (order_statistic.c). */
CHI_SHARED double chi_select_value(double *x, int64_t count, int64_t at);

/* Computes eigenvalues of symmetric matrices up to order `capacity` (eigen.c). The arena owns the
 * solver. */
typedef struct chi_eigen chi_eigen;
CHI_SHARED ch_status chi_eigen_create(chi_arena *arena, chi_eigen **solver, int64_t capacity);
/* Computes the eigenvalues above bound, in decreasing order, and their vectors (size x count,
 * orthonormal columns, with space for size of them). G (size x size, column-major, upper half) is
 * overwritten. */
CHI_SHARED ch_status chi_eigen_above(chi_eigen *solver, int64_t *count, double *values,
                                     double *vectors, double *G, int64_t size, double bound);

/* The chi_prefetch functions announce reads of a matrix (prefetch.c); any thread may call them.
 * chi_prefetch_columns() announces those of the columns [lo, hi) that exist. */
void chi_prefetch_columns(ch_context *context, const ch_matrix *X, int64_t lo, int64_t hi);
/* A pass over the columns in blocks of `width` begins at `block`; announces its first blocks. */
void chi_prefetch_pass(ch_context *context, const ch_matrix *X, int64_t width, int64_t block);
/* The pass has reached `block`; announces one more block ahead. */
CHI_SHARED void chi_prefetch_block(ch_context *context, const ch_matrix *X, int64_t width,
                                   int64_t block);
/* Passes over the columns in blocks of `width`: calls body(user, block, thread) for each block; the
 * body must begin with chi_prefetch_block(). Small matrices are processed by the calling thread
 * alone, because waking others costs more. If `cancellable`, returns CHI_CANCELLED if the progress
 * callback asks to stop. */
CHI_SHARED ch_status chi_pass(ch_context *context, const ch_matrix *X, int64_t width,
                              int cancellable, chi_body body, void *user);

/* Call this before BLAS is used. From then on BLAS runs on the calling thread alone, as code inside
 * our threads requires, and has its buffers, one for each thread of the context. Both hold for the
 * whole process. Returns CH_ERR_MEMORY if a limit of the address space leaves no space for the
 * buffers. Does nothing if the BLAS has no such settings. */
CHI_SHARED ch_status chi_blas_reserve(ch_context *context);

/* Checks a view that a caller filled by hand. Returns CH_ERR_ARGUMENT for NULL, an unknown type or
 * layout, negative sizes, a stride that is too short, or missing arrays. Does not read the values.
 * Every public call that takes a matrix begins with this check or with a survey that includes
 * it. */
CHI_SHARED ch_status chi_check_view(ch_context *context, const ch_matrix *X);
