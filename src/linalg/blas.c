/* Detects the BLAS that the program runs with, and keeps it to one thread and to the available
 * memory.
 *
 * OpenBLAS 0.3.21 takes some recent processors for a Prescott and runs at a quarter of their speed.
 * The kernel it selected can be queried, and OPENBLAS_CORETYPE can name another one before the
 * program starts.
 *
 * Each thread inside a call of OpenBLAS uses its own buffer. OpenBLAS maps a buffer when the first
 * call needs it and keeps it. If no memory is left (ulimit -v), it retries for ever. Therefore this
 * file checks that the buffers fit and maps them before the first call.
 *
 * The symbols of OpenBLAS are weak: with another BLAS they are simply absent. */
#include "linalg/linalg.h"
#include <pthread.h>
#include <stdio.h>
#include <string.h>

extern char *openblas_get_corename(void) __attribute__((weak));
extern char *openblas_get_config(void) __attribute__((weak));
extern void openblas_set_num_threads(int threads) __attribute__((weak));
extern void *blas_memory_alloc(int unused) __attribute__((weak));
extern void blas_memory_free(void *buffer) __attribute__((weak));

static const struct {
    const char *core;
    int level; /* 1: SSE, 2: AVX2, 3: AVX-512; kernels that are not listed count as 1 */
} cores[] = {
    {"Haswell", 2},  {"Zen", 2},        {"Excavator", 2},
    {"SkylakeX", 3}, {"Cooperlake", 3}, {"SapphireRapids", 3},
};

static int level_of(const char *core) {
    for (size_t c = 0; c < sizeof cores / sizeof *cores; c++)
        if (!strcmp(core, cores[c].core)) return cores[c].level;
    return 1;
}

const char *ch_blas_name(void) {
    static _Thread_local char name[96];
    if (!openblas_get_config || !openblas_get_corename) return "unknown BLAS";
    /* The configuration reads "OpenBLAS 0.3.21 NO_LAPACKE DYNAMIC_ARCH ...". */
    char product[32] = "OpenBLAS", version[32] = "";
    sscanf(openblas_get_config(), "%31s %31s", product, version);
    snprintf(name, sizeof name, "%s %s %s", product, version, openblas_get_corename());
    return name;
}

const char *ch_blas_core_wanted(void) {
    if (!openblas_get_corename) return NULL;
    int have = level_of(openblas_get_corename()), could = chi_processor_level();
    if (have >= could || could < 2) return NULL;
    return could == 3 ? "SkylakeX" : "Haswell";
}

/* BUFFER is the size of a buffer on x86-64, where it is largest; untouched pages of it take no
 * memory. MOST: OpenBLAS can serve twice as many threads as it was built for, which are 64 or
 * more. */
enum { BUFFER = 128 << 20, MOST = 64 };

/* Makes OpenBLAS map `count` buffers. They must all be in use at once, because it reuses a free
 * buffer before it maps another. */
static void map_buffers(int count) {
    void *buffers[MOST];
    for (int i = 0; i < count; i++) buffers[i] = blas_memory_alloc(0);
    for (int i = 0; i < count; i++) blas_memory_free(buffers[i]);
}

ch_status chi_blas_reserve(ch_context *context) {
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static int mapped; /* buffers mapped in this process so far */
    int threads = ch_context_threads(context), fits = 1;
    if (openblas_set_num_threads) openblas_set_num_threads(1);
    if (!blas_memory_alloc || !blas_memory_free) return CH_OK;
    if (threads > MOST) threads = MOST;
    pthread_mutex_lock(&lock);
    if (threads > mapped) {
        fits = chi_address_space_left(threads - mapped, BUFFER);
        if (fits) map_buffers(threads);
        if (fits) mapped = threads;
    }
    pthread_mutex_unlock(&lock);
    if (fits) return CH_OK;
    return chi_fail(context, CH_ERR_MEMORY,
                    "the BLAS library needs %d MB of address space for each of %d threads, which "
                    "is more than the limit of this process (ulimit -v) leaves; use fewer threads",
                    BUFFER >> 20, threads);
}
