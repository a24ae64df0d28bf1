/* Matrices: a ch_matrix is a plain, copyable description (a view) of numbers stored elsewhere.
 *
 * Each column is a data point. Values stay in their storage type; the library computes in double.
 * ch_matrix_borrow() makes a view of the caller's arrays, ch_matrix_copy() a view that owns a copy,
 * and ch_matrix_read() (io.h) a view that owns or maps the contents of a file. ch_matrix_free()
 * releases what a view owns; for a view that owns nothing it does nothing. */
#ifndef CONEHULL_MATRIX_H
#define CONEHULL_MATRIX_H

#include <conehull/context.h>

CH_BEGIN_DECLS

/** How values are stored: double, float, or unsigned integers of 8 or 16 bits. */
typedef enum ch_value_type { CH_F64 = 0, CH_F32 = 1, CH_U8 = 2, CH_U16 = 3 } ch_value_type;

/** How the values of a matrix are arranged: dense by columns, dense by rows, or sparse (CSC). */
typedef enum ch_matrix_layout {
    CH_COLUMN_MAJOR = 0, /**< value (i, j) is values[i + j * stride] */
    CH_ROW_MAJOR = 1,    /**< value (i, j) is values[i * stride + j] (NumPy's default) */
    /** Compressed sparse columns. The stored entries of column j are values[e] in row row_index[e]
     *  for column_start[j] <= e < column_start[j + 1]; all other entries are 0. */
    CH_CSC = 2
} ch_matrix_layout;

/** A matrix view. ch_matrix_borrow(), ch_matrix_copy() and similar functions fill it. Read its
 *  members, but do not change them. */
typedef struct ch_matrix {
    int64_t rows, cols;      /**< numbers of rows, at most 2^31 - 1, and of columns */
    ch_matrix_layout layout; /**< how the values are arranged */
    ch_value_type type;      /**< storage type of the values */
    const void *values;      /**< the values; for CSC only the stored entries */
    /** Distance, counted in values, between the starts of two consecutive columns (CH_COLUMN_MAJOR;
     *  at least `rows`) or of two consecutive rows (CH_ROW_MAJOR; at least `cols`). Not used for
     *  CSC. */
    int64_t stride;
    /** CSC: cols + 1 offsets into `values` and `row_index`. The entries of column j begin at offset
     *  column_start[j]. The first offset is 0; offsets never decrease. */
    const int64_t *column_start;
    /** CSC: row index, from 0, of each stored entry; indices increase within a column. */
    const int32_t *row_index;
    void *owner; /**< memory of the view, which `release` frees; NULL if the view owns nothing */
    /** Function that ch_matrix_free() calls to free `owner`. NULL if the view owns nothing. */
    void (*release)(ch_context *context, void *owner);
    /** If this matrix holds consecutive columns of a larger matrix, such as the part of one process
     *  or a chunk of a stream: the index, from 0, that its first column has in the larger matrix.
     *  Otherwise 0. */
    int64_t first;
} ch_matrix;

/** Returns the size of one value in bytes, or 0 for an unknown type. */
CH_API size_t ch_value_type_size(ch_value_type type);
/** Returns the name of a type: "f64", "f32", "u8" or "u16"; "unknown" for any other value. */
CH_API const char *ch_value_type_name(ch_value_type type);

/** Makes *view a view of the caller's arrays, which must outlive the view. The caller describes the
 *  arrays in `of`: rows, cols, layout, type and values; stride for a dense matrix (0: columns or
 *  rows follow each other directly); column_start and row_index for a sparse matrix. The other
 *  members of `of` are ignored. The call checks the sizes, but not the values; ch_matrix_check()
 *  checks the values. Returns CH_ERR_ARGUMENT if the description is inconsistent.
 *
 *      ch_matrix_borrow(context, &X, &(ch_matrix){.rows = m, .cols = n, .values = numbers}); */
CH_API ch_status ch_matrix_borrow(ch_context *context, ch_matrix *view, const ch_matrix *of);

/** Makes *copy a matrix that owns copies of columns list[0], ..., list[count - 1] of X, in this
 *  order; indices count from 0. If list is NULL, all columns are copied and count is ignored. The
 *  copy has the type of X; it is sparse if X is sparse, else column-major. Free it with
 *  ch_matrix_free(). Returns CH_ERR_ARGUMENT if an index is out of range. */
CH_API ch_status ch_matrix_copy(ch_context *context, ch_matrix *copy, const ch_matrix *X,
                                const int64_t *list, int64_t count);

/** Makes *transpose the transpose of X. If X is dense, *transpose is a view of the memory of X, so
 *  X must stay valid while *transpose is used. If X is sparse, *transpose owns a copy. In both
 *  cases free *transpose with ch_matrix_free(). */
CH_API ch_status ch_matrix_transpose(ch_context *context, ch_matrix *transpose, const ch_matrix *X);

/** Releases the memory that a matrix owns and sets all its members to 0. NULL is allowed. */
CH_API void ch_matrix_free(ch_context *context, ch_matrix *matrix);

/** Returns the number of stored entries of X, which is rows * cols if X is dense, or -1 if X is not
 *  a valid matrix. */
CH_API int64_t ch_matrix_stored(const ch_matrix *X);

/** Returns the number of entries of X that are not zero, or -1 if X is not a valid matrix. The call
 *  reads all values once. */
CH_API int64_t ch_matrix_nonzeros(ch_context *context, const ch_matrix *X);

/** Returns the value in row i and column j (both from 0), or NaN if i or j is out of range or X is
 *  not a valid matrix. Each call checks X, which makes this function too slow for loops over all
 *  entries. */
CH_API double ch_matrix_at(const ch_matrix *X, int64_t i, int64_t j);

/** Checks, in one parallel pass over X, that all values are finite and not negative and that the
 *  arrays of a CSC matrix are consistent. Returns CH_OK if they are and CH_ERR_DATA if not; the
 *  message then names row, column and value of the first bad entry. */
CH_API ch_status ch_matrix_check(ch_context *context, const ch_matrix *X);

/** Returns the name of the BLAS library that this process uses and of the processor type for which
 *  the BLAS selected its kernels, for example "OpenBLAS 0.3.21 SkylakeX". The string is valid until
 *  the calling thread calls this function again. */
CH_API const char *ch_blas_name(void);

/** Reports whether OpenBLAS selected kernels that are slower than this processor allows. If so,
 *  returns the value that the environment variable OPENBLAS_CORETYPE should have at program start
 *  to avoid this: "SkylakeX" or "Haswell". Returns NULL if the kernels are suitable or the BLAS is
 *  not OpenBLAS. */
CH_API const char *ch_blas_core_wanted(void);

CH_END_DECLS
#endif
