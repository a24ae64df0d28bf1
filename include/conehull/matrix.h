/* Matrix views: a plain, copyable description of numbers that live somewhere.
 *
 * A column is a data point. Values keep their storage type; arithmetic is in double.
 * `_borrow` refers to the caller's arrays, `_copy` owns a copy, ch_matrix_read() (io.h) owns or
 * maps what it read. ch_matrix_free() releases what a view owns and is harmless on the others. */
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
    const int64_t *column_start; /**< CSC: cols + 1 offsets, first 0, never falling            */
    const int32_t *row_index;    /**< CSC: rising within a column; so rows <= 2^31 - 1         */
    void *owner;                 /**< set by whoever made an owning view; callers leave NULL   */
    void (*release)(ch_context *context, void *owner);
    int64_t first; /**< of a part: what its column 0 is called in the whole; else 0           */
} ch_matrix;

/** Bytes of one value. */
CH_API size_t ch_value_type_size(ch_value_type type);
/** "f64", "f32", "u8", "u16". */
CH_API const char *ch_value_type_name(ch_value_type type);

/** A view of the caller's arrays, which must outlive it. `of` describes them: rows, cols, layout,
 *  type and values, stride of a dense matrix (0: no gaps), column_start and row_index of a sparse
 *  one; the rest is not looked at. Checks sizes, not values.
 *
 *      ch_matrix_borrow(context, &X, &(ch_matrix){.rows = m, .cols = n, .values = numbers}); */
CH_API ch_status ch_matrix_borrow(ch_context *context, ch_matrix *view, const ch_matrix *of);

/** An owned copy of columns list[0..count) of X, same type and layout kind (dense: column-major);
 *  list NULL means all columns. */
CH_API ch_status ch_matrix_copy(ch_context *context, ch_matrix *copy, const ch_matrix *X,
                                const int64_t *list, int64_t count);

/** The transpose. Dense: a view of the same memory, free of cost, X keeps ownership.
 *  CSC: an owned copy. */
CH_API ch_status ch_matrix_transpose(ch_context *context, ch_matrix *transpose, const ch_matrix *X);

CH_API void ch_matrix_free(ch_context *context, ch_matrix *matrix);

/** Stored entries: rows * cols for a dense view; -1: X is no matrix. */
CH_API int64_t ch_matrix_stored(const ch_matrix *X);

/** Entries that are not zero (reads a dense matrix once); -1: X is no matrix. */
CH_API int64_t ch_matrix_nonzeros(ch_context *context, const ch_matrix *X);

/** Value (i, j); for looking, not for loops. NaN: X is no matrix, or has no such place. */
CH_API double ch_matrix_at(const ch_matrix *X, int64_t i, int64_t j);

/** Refuses NaN, infinite and negative values, naming the first one's row, column and value;
 *  also a broken CSC structure. One pass, in parallel. */
CH_API ch_status ch_matrix_check(ch_context *context, const ch_matrix *X);

/** The BLAS in this process and the kernel it took, e.g. "OpenBLAS 0.3.21 SkylakeX". Belongs to the
 *  calling thread until its next call. */
CH_API const char *ch_blas_name(void);

/** What OPENBLAS_CORETYPE should have been when the program started, for OpenBLAS to use this
 *  processor well: "SkylakeX", "Haswell", or NULL when it does already (or is another BLAS). */
CH_API const char *ch_blas_core_wanted(void);

CH_END_DECLS
#endif
