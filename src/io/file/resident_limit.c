/* Mapped files larger than the memory they may take. Whoever has read a block of the data looks
 * whether the process holds more than it may, or of the file more than an eighth of that and 32 MB,
 * which is as much as a pass gains from; five thousand times a second at most. It then lets go of
 * the pages of the file, while the others wait with their next block. That is safe at any moment:
 * they are not written to, and who needs one again gets it again, from the system's cache as long
 * as that has it. Passes over the data thus stream through a window.
 *
 * Columns one after the other are what the system reads ahead by itself, as for a plain reading of
 * the file. We ask for large pages: with those of 4 KB, which it chooses by itself
 * as soon as memory is short, a pass takes three times as long, all of it spent on bringing pages
 * in one by one, on mapping them and on looking for some to give up. It is asked for single
 * columns, which are there then when they are touched, so that they bring in nothing around them.
 * Of rows side by side a pass takes a stretch of each: all of that is asked for. */
#include "io/file/format.h"
#include <conehull/io.h>

#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

/* What comes in between two looks: a block of each thread, single columns in pages of 2 MB. */
enum { HEADROOM = 256 << 20 };
static const int64_t BETWEEN = 200; /* microseconds */

typedef struct watch {
    ch_context *context;
    int statm; /* open file: pages of the process, those in memory, ... */
    void *map;
    size_t map_bytes;
    int64_t limit, window;
    int64_t others;       /* pages of other files before the passes: libraries */
    int in_order;         /* passes are: the system reads ahead by itself */
    pthread_mutex_t lock; /* held while looking */
    _Atomic int64_t next; /* when to look again, in microseconds; 0 meanwhile */
} watch;

/* Pages of the process that are in memory, and of files among them; zeros if unknown. */
static void count_pages(const watch *w, long long *resident, long long *of_files) {
    char text[128];
    long long all;
    *resident = *of_files = 0;
    ssize_t got = pread(w->statm, text, sizeof text - 1, 0);
    if (got <= 0) return;
    text[got] = '\0';
    if (sscanf(text, "%lld %lld %lld", &all, resident, of_files) != 3) *resident = *of_files = 0;
}

/* Whether the process holds more than it may, or more of the file than passes over it gain from. */
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
        return chi_fail(context, CH_ERR_UNSUPPORTED,
                        "the memory of a mapped file cannot be limited on this system");
    }
    long long resident, of_files;
    madvise(w->map, w->map_bytes, MADV_DONTNEED); /* what is left is of others */
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
