/* Scratch files for matrices of formats that cannot be mapped and that are larger than the memory
 * they may use. Their values are written to a scratch file once, block by block, and that file is
 * mapped. It has no name, so it disappears with the process, however that ends. */
#include "io/file/format.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int chi_scratch_wanted(const ch_context *context, const chi_scratch_place *place, double bytes) {
    double limit = (double)chi_memory_limit(context);
    return place->folder && limit > 0 && bytes > limit / 4; /* the rest is for the method */
}

/* Systems without unnamed files get one whose name is removed at once. */
static int open_nameless(const char *folder) {
    int fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL)) return fd;
    char name[4096];
    if (snprintf(name, sizeof name, "%s/conehull-XXXXXX", folder) >= (int)sizeof name) return -1;
    fd = mkostemp(name, O_CLOEXEC);
    if (fd >= 0) unlink(name);
    return fd;
}

ch_status chi_scratch_open(ch_context *context, int *fd, const char *folder) {
    *fd = open_nameless(folder);
    if (*fd >= 0) return CH_OK;
    return chi_fail_system(context, folder, "a scratch file cannot be created in this folder");
}

ch_status chi_scratch_write(ch_context *context, int fd, const void *bytes, size_t count,
                            int64_t at, const char *folder) {
    if (chi_put(fd, bytes, count, at) == count) return CH_OK;
    return chi_fail_system(context, folder, "a scratch file cannot be written in this folder");
}

ch_status chi_scratch_map(ch_context *context, ch_matrix *X, int fd, int64_t rows, int64_t cols,
                          ch_matrix_layout layout, ch_value_type type, const char *folder) {
    size_t bytes = (size_t)rows * (size_t)cols * ch_value_type_size(type);
    chi_store *store = chi_store_create(context);
    if (!store) return CH_ERR_MEMORY;
    void *map = mmap(NULL, bytes, PROT_READ, MAP_SHARED, fd, 0);
    if (map == MAP_FAILED) {
        chi_store_release(context, store);
        return chi_fail_system(context, folder,
                               "a scratch file in this folder cannot be mapped into memory");
    }
    chi_store_map(store, map, bytes);
    chi_store_dense(X, store, map, rows, cols, layout, type);
    return CH_OK;
}
