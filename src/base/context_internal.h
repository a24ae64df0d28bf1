/* The members of a context; used by src/base only. */
#pragma once

#include "base/base.h"
#include <conehull/comm.h>
#include <pthread.h>

typedef struct chi_pool chi_pool;

struct ch_context {
    ch_memory_hooks memory;
    ch_context *owner; /* owns hooks and memory counts: itself, or the context it was made beside */
    pthread_mutex_t calls; /* held during a call of the caller's hooks; the owner's lock is used */
    int plain; /* non-zero: malloc() and free(), which need no lock                     */
    ch_log_fn log;
    void *log_user;
    ch_progress_fn progress;
    void *progress_user;
    ch_progress_event event; /* the last event, without its column                */
    double asked;            /* when the callback was last called                 */
    const char *within;      /* not NULL: all events have this phase and no counts (chi_within()) */
    _Atomic size_t held;     /* bytes in all blocks; in the owner                 */
    _Atomic size_t limit;    /* largest `held` allowed; in the owner; 0: no limit */
    _Atomic int64_t read;    /* bytes of data read                                */
    chi_pace pace;           /* called between blocks of parallel work, or NULL   */
    chi_fetch fetch;         /* called before data are read, or NULL              */
    void *pace_user;
    int threads;
    const struct chi_kernels *kernels; /* NULL: the best for this processor */
    chi_pool *pool;                    /* the threads, once needed */
    const ch_comm *comm;               /* NULL: a single process */
    ch_comm comm_table;
    char *records; /* one record of every process */
    ch_comm_cost comm_cost;
    double *exchange; /* seconds of the last exchanges */
    int exchanges;    /* how many of them              */
    char message[512];
};

/* Calls the progress callback if its last call was at least a quarter of a second ago. Returns
 * non-zero if the callback requests to stop. */
int chi_ask(ch_context *context);

/* Ends the threads of the context. New threads are started when they are needed. */
void chi_pool_destroy(ch_context *context);

/* Returns a block that free() frees, in large pages if the system has them, or NULL
 * (large_pages_linux.c). */
void *chi_large_alloc(size_t bytes);

/* Returns the number of cores that this process may use, at least 1. */
int chi_usable_cores(void);
