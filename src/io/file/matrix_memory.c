/* Memory behind matrices that were read: taken with care, given back by the view's release. */
#include "io/clip/frames.h"
#include <sys/mman.h>
#include <unistd.h>

chi_store *chi_store_create(ch_context *context) {
    chi_store *store = chi_alloc_zero(context, 1, sizeof *store);
    if (!store) chi_no_memory(context, "the owner of a matrix", 1, sizeof *store);
    return store;
}

void chi_store_release(ch_context *context, void *owner) {
    chi_store *store = owner;
    if (!store) return;
    for (int i = 0; i < 3; i++) chi_free(context, store->block[i]);
    if (store->close) store->close(store->handle); /* it may be looking at the map */
    if (store->map) munmap(store->map, store->map_bytes);
    chi_free(context, store);
}

double chi_machine_bytes(void) {
    long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    return pages > 0 && page > 0 ? (double)pages * (double)page : 1e18;
}

void *chi_take(ch_context *context, const char *path, const char *what, int64_t count,
               size_t size) {
    double bytes = (double)count * (double)size;
    void *block = bytes <= chi_machine_bytes() ? chi_alloc(context, count, size) : NULL;
    if (!block && chi_memory_limit(context) > 0)
        chi_fail(context, CH_ERR_MEMORY, "%s: not enough memory: %s of %.3g MB, beyond the limit",
                 path, what, bytes / 1e6);
    else if (!block)
        chi_fail(context, CH_ERR_MEMORY,
                 "%s: not enough memory: %s of %.3g MB, the machine has %.3g MB", path, what,
                 bytes / 1e6, chi_machine_bytes() / 1e6);
    return block;
}

ch_status chi_dense_create(ch_context *context, ch_matrix *X, void **values, const char *path,
                           int64_t rows, int64_t cols, ch_matrix_layout layout,
                           ch_value_type type) {
    int64_t count;
    if (rows < 0 || cols < 0 || __builtin_mul_overflow(rows, cols, &count) || count > INT64_MAX / 8)
        return chi_fail(context, CH_ERR_FORMAT, "%s: %lld x %lld is beyond any matrix", path,
                        (long long)rows, (long long)cols);
    chi_store *store = chi_store_create(context);
    if (!store) return CH_ERR_MEMORY;
    store->block[0] = chi_take(context, path, "values", count, ch_value_type_size(type));
    if (!store->block[0]) {
        chi_store_release(context, store);
        return CH_ERR_MEMORY;
    }
    *values = store->block[0];
    *X = (ch_matrix){.rows = rows,
                     .cols = cols,
                     .layout = layout,
                     .type = type,
                     .values = store->block[0],
                     .stride = layout == CH_ROW_MAJOR ? cols : rows,
                     .owner = store,
                     .release = chi_store_release};
    return CH_OK;
}

ch_status chi_plausible(ch_context *context, const char *path, int64_t count, size_t size,
                        int64_t file_bytes, int64_t packing) {
    if (file_bytes < 0) return CH_OK;
    if ((double)count * (double)size <= ((double)file_bytes + 1) * (double)packing) return CH_OK;
    return chi_fail(context, CH_ERR_FORMAT,
                    "%s: promises %lld values, more than a file of %lld bytes can hold; it is "
                    "truncated or damaged",
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
                    "%s: %lld %s are out of proportion to a file of %lld bytes, from which at most "
                    "%lld are read; drop %s that are empty, or build the matrix in memory by the "
                    "library, which has no such limit",
                    path, (long long)larger, lines, (long long)file_bytes, (long long)most, lines);
}

double chi_stored_value(const ch_matrix *X, int64_t k) {
    switch (X->type) {
    case CH_F32:
        return ((const float *)X->values)[k];
    case CH_U8:
        return ((const uint8_t *)X->values)[k];
    case CH_U16:
        return ((const uint16_t *)X->values)[k];
    default:
        return ((const double *)X->values)[k];
    }
}
