/* A matrix view is a plain, copyable description of numbers that are stored elsewhere.
 *
 * A column is a data point. Values keep their storage type; arithmetic is in double.
 * `_borrow` refers to the caller's arrays, `_copy` owns a copy, and ch_matrix_read() (io.h) owns or
 * maps the file's contents. ch_matrix_free() releases what a view owns; it does nothing to a view
 * that owns nothing. */
#ifndef CONEHULL_MATRIX_H
#define CONEHULL_MATRIX_H

#include <conehull/context.h>

CH_BEGIN_DECLS

typedef enum ch_value_type { CH_F64 = 0, CH_F32 = 1, CH_U8 = 2, CH_U16 = 3 } ch_value_type;

typedef enum ch_matrix_layout {
    CH_COLUMN_MAJOR = 0, /**< value (i, j) at values[i + j * stride]                          */
    CH_ROW_MAJOR = 1,    /**< value (i, j) at values[i * stride + j] (NumPy's default)        */
    CH_CSC = 2           /**< column j: row_index/values[column_start[j] .. column_start[j+1]) */
} ch_matrix_layout;

typedef struct ch_matrix {
    int64_t rows, cols;
    ch_matrix_layout layout;
    ch_value_type type;
    const void *values;
    int64_t stride;              /**< dense: elements between columns (or rows)                */
    const int64_t *column_start; /**< CSC: cols + 1 offsets, from 0, not decreasing            */
    const int32_t *row_index;    /**< CSC: increasing within a column; rows <= 2^31 - 1        */
    void *owner;                 /**< set by constructors of owning views; else NULL           */
    void (*release)(ch_context *context, void *owner);
    int64_t first; /**< number of column 0 in the whole matrix, if this is a part of it; else 0 */
} ch_matrix;

/** The size of one value in bytes. */
CH_API size_t ch_value_type_size(ch_value_type type);
/** "f64", "f32", "u8", "u16". */
CH_API const char *ch_value_type_name(ch_value_type type);

/** Makes a view of the caller's arrays, which must outlive it. `of` describes them: rows, cols,
 *  layout, type and values; stride for a dense matrix (0: no gaps); column_start and row_index for
 *  a sparse one. Other members of `of` are ignored. Checks sizes, not values.
 *
 *      ch_matrix_borrow(context, &X, &(ch_matrix){.rows = m, .cols = n, .values = numbers}); */
CH_API ch_status ch_matrix_borrow(ch_context *context, ch_matrix *view, const ch_matrix *of);

/** Makes an owned copy of columns list[0..count) of X; NULL means all columns. The copy has the
 *  type of X; it is sparse if X is, else column-major. */
CH_API ch_status ch_matrix_copy(ch_context *context, ch_matrix *copy, const ch_matrix *X,
                                const int64_t *list, int64_t count);

/** The transpose. For a dense X this is a view of the same memory, which X keeps owning; for CSC it
 *  is an owned copy. */
CH_API ch_status ch_matrix_transpose(ch_context *context, ch_matrix *transpose, const ch_matrix *X);

CH_API void ch_matrix_free(ch_context *context, ch_matrix *matrix);

/** The number of stored entries (rows * cols if dense), or -1 if X is not a valid matrix. */
CH_API int64_t ch_matrix_stored(const ch_matrix *X);

/** The number of entries that are not zero, or -1 if X is not a valid matrix. Reads a dense matrix
 *  once. */
CH_API int64_t ch_matrix_nonzeros(ch_context *context, const ch_matrix *X);

/** Value (i, j), or NaN if X is not a valid matrix or has no such entry. Slow: not for loops. */
CH_API double ch_matrix_at(const ch_matrix *X, int64_t i, int64_t j);

/** Refuses NaN, infinite and negative values and a broken CSC structure. The message names row,
 *  column and value of the first bad entry. One pass over X, in parallel. */
CH_API ch_status ch_matrix_check(ch_context *context, const ch_matrix *X);

/** The BLAS of this process and the kernel it chose, e.g. "OpenBLAS 0.3.21 SkylakeX". The string is
 *  valid until the calling thread's next call of this function. */
CH_API const char *ch_blas_name(void);

/** The value that OPENBLAS_CORETYPE should have had at program start so that OpenBLAS uses this
 *  processor well: "SkylakeX", "Haswell", or NULL if it does so already or the BLAS is another. */
CH_API const char *ch_blas_core_wanted(void);

CH_END_DECLS
#endif
