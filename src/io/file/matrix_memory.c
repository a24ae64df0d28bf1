/* Memory of matrices that were read: allocated after checks, released by the view. */
#include "io/file/format.h"
#include <string.h>
#include <unistd.h>

double chi_machine_bytes(void) {
    long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    return pages > 0 && page > 0 ? (double)pages * (double)page : 1e18;
}

void *chi_take(ch_context *context, const char *path, const char *what, int64_t count,
               size_t size) {
    double bytes = (double)count * (double)size;
    void *block = bytes <= chi_machine_bytes() ? chi_alloc(context, count, size) : NULL;
    if (!block && chi_memory_limit(context) > 0)
        chi_fail(context, CH_ERR_MEMORY,
                 "%s: not enough memory: %s would take %.3g MB, which is more than the memory "
                 "limit leaves",
                 path, what, bytes / 1e6);
    else if (!block)
        chi_fail(
            context, CH_ERR_MEMORY,
            "%s: not enough memory: %s would take %.3g MB, and the machine has %.3g MB in total",
            path, what, bytes / 1e6, chi_machine_bytes() / 1e6);
    return block;
}

ch_status chi_array_enlarge(ch_context *context, void *array, int64_t used, int64_t larger,
                            size_t size, const char *path, const char *what) {
    void *old, *moved = chi_take(context, path, what, larger, size);
    if (!moved) return CH_ERR_MEMORY;
    memcpy(&old, array, sizeof old); /* pointers of all types have the same representation here */
    if (used) memcpy(moved, old, (size_t)used * size);
    chi_free(context, old);
    memcpy(array, &moved, sizeof moved);
    return CH_OK;
}

ch_status chi_array_double(ch_context *context, void *array, int64_t *capacity, int64_t used,
                           size_t size, const char *path, const char *what) {
    int64_t larger = *capacity ? 2 * *capacity : CHI_FIRST_CAPACITY;
    TRY(chi_array_enlarge(context, array, used, larger, size, path, what));
    *capacity = larger;
    return CH_OK;
}

char *chi_text_copy(ch_context *context, const char *text) {
    size_t bytes = strlen(text) + 1;
    char *copy = chi_alloc(context, (int64_t)bytes, 1);
    if (!copy) chi_no_memory(context, "a name", (int64_t)bytes, 1);
    return copy ? memcpy(copy, text, bytes) : NULL;
}

ch_status chi_dense_create(ch_context *context, ch_matrix *X, void **values, const char *path,
                           int64_t rows, int64_t cols, ch_matrix_layout layout,
                           ch_value_type type) {
    int64_t count;
    if (rows < 0 || cols < 0 || __builtin_mul_overflow(rows, cols, &count) || count > INT64_MAX / 8)
        return chi_fail(context, CH_ERR_FORMAT,
                        "%s: a matrix of %lld rows x %lld columns is too large", path,
                        (long long)rows, (long long)cols);
    chi_store *store = chi_store_create(context);
    if (!store) return CH_ERR_MEMORY;
    *values = store->values = chi_take(context, path, "values", count, ch_value_type_size(type));
    if (!*values) {
        chi_store_release(context, store);
        return CH_ERR_MEMORY;
    }
    chi_store_dense(X, store, *values, rows, cols, layout, type);
    return CH_OK;
}

ch_status chi_plausible(ch_context *context, const char *path, int64_t count, size_t size,
                        int64_t file_bytes, int64_t packing) {
    if (file_bytes < 0) return CH_OK;
    if ((double)count * (double)size <= ((double)file_bytes + 1) * (double)packing) return CH_OK;
    return chi_fail(context, CH_ERR_FORMAT,
                    "%s: the header states %lld values, which is more than a file of %lld bytes "
                    "can contain; the file is truncated or damaged",
                    path, (long long)count, (long long)file_bytes);
}

ch_status chi_plausible_shape(ch_context *context, const char *path, int64_t rows, int64_t cols,
                              int64_t file_bytes) {
    if (file_bytes < 0) return CH_OK;
    int64_t most = INT64_MAX, larger = rows > cols ? rows : cols;
    if (file_bytes < (INT64_MAX - CHI_EMPTY_FREE) / CHI_EMPTY_PER_BYTE)
        most = CHI_EMPTY_FREE + CHI_EMPTY_PER_BYTE * file_bytes;
    if (larger <= most) return CH_OK;
    const char *lines = rows > cols ? "rows" : "columns";
    return chi_fail(context, CH_ERR_UNSUPPORTED,
                    "%s: the matrix has %lld %s, which is implausible for a file of %lld bytes; at "
                    "most %lld are accepted. Remove empty %s, or build the matrix in memory with "
                    "the library, which has no such limit",
                    path, (long long)larger, lines, (long long)file_bytes, (long long)most, lines);
}
