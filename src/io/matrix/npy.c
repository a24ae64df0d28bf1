/* NumPy arrays. Little-endian f8, f4, u2 and u1 are used directly in the mapped file, in C order (a
 * row-major view) or Fortran order; all others become one converted copy.
 *
 * A mapped file must keep its length while it is in use: if another program truncates it, reading
 * the lost part ends the process (SIGBUS), as with any mapping. Replacing it by rename, as all
 * writers here do, is safe: the old contents stay until the mapping is released. */
#include "io/file/format.h"
#include <stdio.h>
#include <string.h>

ch_status chi_npy_check_length(ch_context *context, const chi_npy *npy, const char *path,
                               int64_t size) {
    char third[32] = "";
    if (npy->dims > 2) snprintf(third, sizeof third, " x %lld", (long long)npy->shape[2]);
    int64_t bytes;
    if (__builtin_mul_overflow(npy->count, npy->element.size, &bytes) ||
        __builtin_add_overflow(bytes, npy->offset, &bytes))
        return chi_fail(context, CH_ERR_FORMAT,
                        "%s: the header states an array of %lld x %lld%s values, which is "
                        "impossibly large; the file is damaged",
                        path, (long long)npy->shape[0], (long long)npy->shape[1], third);
    if (bytes == size) return CH_OK;
    return chi_fail(context, CH_ERR_FORMAT,
                    "%s: the header states %lld x %lld%s values of type '%s', %lld bytes in total, "
                    "but the file has %lld bytes: %s",
                    path, (long long)npy->shape[0], (long long)npy->shape[1], third, npy->descr,
                    (long long)bytes, (long long)size,
                    bytes > size ? "it is truncated" : "something was appended to it");
}

ch_status chi_npy_read(ch_context *context, ch_matrix *X, const char *path, chi_request *request) {
    const unsigned char *bytes;
    int64_t size;
    chi_npy npy;
    ch_value_type type;
    (void)request;
    chi_store *store = chi_store_create(context);
    if (!store) return CH_ERR_MEMORY;
    ch_status status = chi_load_source(context, store, &bytes, &size, path);
    if (status == CH_OK) status = chi_npy_parse(context, &npy, path, bytes, size);
    if (status == CH_OK) status = chi_npy_check_real(context, &npy, path);
    if (status == CH_OK) status = chi_npy_check_length(context, &npy, path, size);
    if (status == CH_OK) /* where the other dimension is 0 */
        status = chi_plausible_shape(context, path, npy.shape[0], npy.shape[1], size);
    if (status == CH_OK) {
        const unsigned char *raw = bytes + npy.offset;
        if (npy.dims == 1)
            chi_log(context, CH_LOG_INFO,
                    "%s: the array has one dimension, so it is read as a matrix of one column",
                    path);
        if (chi_element_direct(npy.element, &type) &&
            (uintptr_t)raw % (size_t)npy.element.size == 0) {
            chi_store_dense(X, store, raw, npy.shape[0], npy.shape[1], chi_npy_layout(&npy), type);
            return CH_OK;
        }
        chi_raw stored = {raw, npy.count, npy.element};
        status = chi_dense_from_raw(context, X, path, &stored, npy.shape, chi_npy_layout(&npy),
                                    chi_element_type(npy.element));
    }
    chi_store_release(context, store);
    return status;
}

static const char *descr_of(ch_value_type type) {
    static const char *const little[] = {
        [CH_F64] = "<f8", [CH_F32] = "<f4", [CH_U8] = "|u1", [CH_U16] = "<u2"};
    static const char *const big[] = {
        [CH_F64] = ">f8", [CH_F32] = ">f4", [CH_U8] = "|u1", [CH_U16] = ">u2"};
    return __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? little[type] : big[type];
}

/* Writes column by column (or row by row), or all at once if there is no padding. */
static ch_status write_dense(ch_output_file *output, const ch_matrix *X) {
    int by_row = X->layout == CH_ROW_MAJOR;
    int64_t lines = by_row ? X->rows : X->cols, length = by_row ? X->cols : X->rows;
    size_t size = ch_value_type_size(X->type);
    const char *at = X->values;
    if (X->stride == length) {
        length *= lines;
        lines = lines > 0;
    }
    for (int64_t line = 0; line < lines; line++)
        TRY(ch_output_file_write(output, at + (size_t)(line * X->stride) * size,
                                 (size_t)length * size));
    return CH_OK;
}

static ch_status write_sparse(ch_context *context, ch_output_file *output, const ch_matrix *X,
                              const char *path) {
    size_t size = ch_value_type_size(X->type);
    char *column = chi_take(context, path, "one column", X->rows, size);
    ch_status status = column ? CH_OK : CH_ERR_MEMORY;
    for (int64_t j = 0; j < X->cols && status == CH_OK; j++) {
        memset(column, 0, (size_t)X->rows * size);
        for (int64_t k = X->column_start[j]; k < X->column_start[j + 1]; k++)
            memcpy(column + (size_t)X->row_index[k] * size,
                   (const char *)X->values + (size_t)k * size, size);
        status = ch_output_file_write(output, column, (size_t)X->rows * size);
    }
    chi_free(context, column);
    return status;
}

ch_status chi_npy_write(ch_context *context, const char *path, const ch_matrix *X) {
    char head[CHI_NPY_WRITE_MAX];
    int64_t shape[2] = {X->rows, X->cols};
    ch_output_file *output;
    TRY(ch_output_file_open(context, &output, path));
    int length = chi_npy_format(head, descr_of(X->type), X->layout != CH_ROW_MAJOR, 2, shape);
    ch_status status = ch_output_file_write(output, head, (size_t)length);
    if (status == CH_OK)
        status =
            X->layout == CH_CSC ? write_sparse(context, output, X, path) : write_dense(output, X);
    return chi_output_close(output, status);
}
