/* Mapped files larger than the memory they may use. After each block of data, a thread checks
 * whether the process uses more than it may, or holds more of the file than an eighth of that plus
 * 32 MB, beyond which a pass gains nothing. The check happens at most five thousand times a second.
 * If so, it drops the pages of the file, while the other threads wait before their next block. That
 * is safe at any moment: the pages are not written to, and a page that is needed again is read
 * again, from the system's cache if it is still there. Passes over the data thus stream through a
 * window.
 *
 * For consecutive columns the system reads ahead by itself, as in plain reading of the file. We
 * request large pages: with pages of 4 KB, which the system chooses when memory is short, a pass
 * takes three times as long, all of it spent on reading, mapping and evicting single pages. Single
 * columns are requested before they are read, so that they bring in nothing around them. In
 * row-major order a pass reads a stretch of each row; all stretches are requested. */
#include "io/file/format.h"
#include <conehull/io.h>

#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

/* What may be read between two checks: a block of each thread, single columns in pages of 2 MB. */
enum { HEADROOM = 256 << 20 };
static const int64_t BETWEEN = 200; /* microseconds */

typedef struct watch {
    ch_context *context;
    int statm; /* open file: pages of the process, those in memory, ... */
    void *map;
    size_t map_bytes;
    int64_t limit, window;
    int64_t others;       /* pages of other files before the passes: libraries */
    int in_order;         /* passes read in order: the system reads ahead by itself */
    pthread_mutex_t lock; /* held during a check */
    _Atomic int64_t next; /* time of the next check, in microseconds; 0 during one */
} watch;

/* Counts the pages of the process in memory, and those of files among them; zeros if unknown. */
static void count_pages(const watch *w, long long *resident, long long *of_files) {
    char text[128];
    long long all;
    *resident = *of_files = 0;
    ssize_t got = pread(w->statm, text, sizeof text - 1, 0);
    if (got <= 0) return;
    text[got] = '\0';
    if (sscanf(text, "%lld %lld %lld", &all, resident, of_files) != 3) *resident = *of_files = 0;
}

/* Returns whether the process uses more than it may, or holds more of the file than passes gain
 * from. */
static int is_too_much(const watch *w) {
    long long resident, of_files;
    count_pages(w, &resident, &of_files);
    int64_t page = sysconf(_SC_PAGESIZE);
    return resident * page > w->limit || (of_files - w->others) * page > w->window;
}

static int64_t microseconds(void) {
    return (int64_t)(1e6 * chi_seconds());
}

static void look(void *user) {
    watch *w = user;
    if (microseconds() < atomic_load(&w->next)) return;
    pthread_mutex_lock(&w->lock);
    if (microseconds() >= atomic_load(&w->next)) {
        atomic_store(&w->next, 0);
        if (is_too_much(w)) madvise(w->map, w->map_bytes, MADV_DONTNEED);
        atomic_store(&w->next, microseconds() + BETWEEN);
    }
    pthread_mutex_unlock(&w->lock);
}

static void fetch(void *user, const void *address, size_t bytes, int in_order) {
    const watch *w = user;
    if (in_order && w->in_order) return;
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), begin = (uintptr_t)w->map;
    uintptr_t low = (uintptr_t)address, high = low + bytes;
    if (low < begin || high > begin + w->map_bytes) return;
    low -= low % page;
    madvise((void *)low, high - low, MADV_WILLNEED);
}

static void stop(chi_store *store) {
    watch *w = store->handle;
    chi_context_set_pace(w->context, NULL, NULL, NULL);
    munmap(w->map, w->map_bytes);
    close(w->statm);
    pthread_mutex_destroy(&w->lock);
    chi_free(w->context, w);
}

ch_status ch_matrix_limit(ch_context *context, ch_matrix *X, int64_t bytes) {
    if (!context || !X) return CH_ERR_ARGUMENT;
    chi_store *store = X->release == chi_store_release ? X->owner : NULL;
    if (!store || !store->map || store->handle || bytes < 1) return CH_OK;
    watch *w = chi_alloc_zero(context, 1, sizeof *w);
    if (!w) return chi_no_memory(context, "the limit of a mapped file", 1, sizeof *w);
    w->context = context;
    w->map = store->map;
    w->map_bytes = store->map_bytes;
    w->limit = bytes > 2 * (int64_t)HEADROOM ? bytes - HEADROOM : bytes / 2;
    w->window = w->limit / 8 + (32 << 20);
    w->statm = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    if (w->statm < 0) {
        chi_free(context, w);
        return chi_fail(
            context, CH_ERR_UNSUPPORTED,
            "the memory that a mapped file takes cannot be limited on this operating system");
    }
    long long resident, of_files;
    madvise(w->map, w->map_bytes, MADV_DONTNEED); /* the remaining pages belong to others */
    count_pages(w, &resident, &of_files);
    w->others = of_files;
    pthread_mutex_init(&w->lock, NULL);
    store->handle = w;
    store->close = stop;
    w->in_order = X->layout == CH_COLUMN_MAJOR;
    madvise(w->map, w->map_bytes, w->in_order ? MADV_SEQUENTIAL : MADV_RANDOM);
    if (w->in_order) madvise(w->map, w->map_bytes, MADV_HUGEPAGE); /* where the system has them */
    chi_context_set_pace(context, look, fetch, w);
    return CH_OK;
}
