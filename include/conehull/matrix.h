/* Matrices: a ch_matrix is a plain, copyable description (a view) of numbers stored elsewhere.
 *
 * A column is a data point. Values keep their storage type; arithmetic is in double.
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
    int64_t rows, cols;      /**< shape; at most 2^31 - 1 rows */
    ch_matrix_layout layout; /**< arrangement of the values */
    ch_value_type type;      /**< storage type of the values */
    const void *values;      /**< the values; for CSC only the stored ones */
    int64_t stride; /**< dense: number of elements from one column (row-major: row) to the next */
    /** CSC: cols + 1 offsets into values, which never decrease; the first is 0. */
    const int64_t *column_start;
    const int32_t *row_index; /**< CSC: row of each stored value; rows increase within a column */
    void *owner;              /**< memory that `release` frees; NULL if the view owns nothing */
    /** Function that ch_matrix_free() calls to free `owner`. NULL if the view owns nothing. */
    void (*release)(ch_context *context, void *owner);
    /** For a matrix that is a range of columns of a larger matrix (several processes, streams): the
     *  index, from 0, of its first column in the larger matrix. Otherwise 0. */
    int64_t first;
} ch_matrix;

/** Returns the size of one value in bytes, or 0 for an unknown type. */
CH_API size_t ch_value_type_size(ch_value_type type);
/** Returns the name of a type: "f64", "f32", "u8" or "u16"; "unknown" for any other value. */
CH_API const char *ch_value_type_name(ch_value_type type);

/** Makes a view of the caller's arrays, which must outlive the view. `of` describes them: rows,
 *  cols, layout, type and values; stride for a dense matrix (0: no gaps between columns or rows);
 *  column_start and row_index for a sparse one. Its other members are ignored. Sizes are checked,
 *  values are not (ch_matrix_check()). Returns CH_ERR_ARGUMENT if the description is
 *  inconsistent.
 *
 *      ch_matrix_borrow(context, &X, &(ch_matrix){.rows = m, .cols = n, .values = numbers}); */
CH_API ch_status ch_matrix_borrow(ch_context *context, ch_matrix *view, const ch_matrix *of);

/** Makes a view that owns a copy of the columns list[0 .. count) of X, in this order; list NULL
 *  means all columns. The copy has the type of X; it is sparse if X is, else column-major. Free it
 *  with ch_matrix_free(). */
CH_API ch_status ch_matrix_copy(ch_context *context, ch_matrix *copy, const ch_matrix *X,
                                const int64_t *list, int64_t count);

/** Makes the transpose of X. For a dense X it is a view of the same memory, which X still owns and
 *  which must outlive it; for a sparse X it is an owned copy. In both cases call ch_matrix_free()
 *  for it. */
CH_API ch_status ch_matrix_transpose(ch_context *context, ch_matrix *transpose, const ch_matrix *X);

/** Releases what the view owns and sets its members to 0. NULL is allowed. */
CH_API void ch_matrix_free(ch_context *context, ch_matrix *matrix);

/** Returns the number of stored entries (rows * cols if dense), or -1 if X is not a valid
 *  matrix. */
CH_API int64_t ch_matrix_stored(const ch_matrix *X);

/** Counts the entries of X that are not zero, in one pass over the values. Returns -1 if X is not a
 *  valid matrix. */
CH_API int64_t ch_matrix_nonzeros(ch_context *context, const ch_matrix *X);

/** Returns the value in row i and column j (from 0), or NaN if there is no such entry or X is not a
 *  valid matrix. Each call checks X, so this is too slow for loops over all entries. */
CH_API double ch_matrix_at(const ch_matrix *X, int64_t i, int64_t j);

/** Checks that all values are finite and not negative and that a CSC structure is consistent, in
 *  one parallel pass over X. Otherwise it returns a negative status, and the message names row,
 *  column and value of the first bad entry. */
CH_API ch_status ch_matrix_check(ch_context *context, const ch_matrix *X);

/** Returns the name of the BLAS that this process uses and the kernel that the BLAS chose, for
 *  example "OpenBLAS 0.3.21 SkylakeX". The string is valid until the calling thread calls this
 *  function again. */
CH_API const char *ch_blas_name(void);

/** OpenBLAS may choose a kernel that is too slow for the processor. Returns the value that the
 *  environment variable OPENBLAS_CORETYPE should have had at program start, "SkylakeX" or
 *  "Haswell"; NULL if the kernel is suitable or the BLAS is not OpenBLAS. */
CH_API const char *ch_blas_core_wanted(void);

CH_END_DECLS
#endif
