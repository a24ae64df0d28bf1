/* The inside of a context; only src/base looks. */
#pragma once

#include "base/base.h"
#include <conehull/comm.h>
#include <pthread.h>

typedef struct chi_pool chi_pool;

struct ch_context {
    ch_memory_hooks memory;
    ch_context *owner; /* of the hooks, and of what is counted: itself, or the one it is beside */
    pthread_mutex_t calls; /* held while a hook that the caller gave is called; the owner's */
    int plain; /* non-zero: malloc() and free(), which need no lock                     */
    ch_log_fn log;
    void *log_user;
    ch_progress_fn progress;
    void *progress_user;
    ch_progress_event event; /* the last, without its column          */
    double asked;            /* when the callback was last called     */
    _Atomic size_t held;     /* bytes of all blocks, the owner's    */
    _Atomic size_t limit;    /* of these, the owner's; 0: none      */
    _Atomic int64_t read;    /* bytes of data                      */
    chi_pace pace;           /* between blocks of parallel work, or NULL */
    chi_fetch fetch;         /* before data are read, or NULL      */
    void *pace_user;
    int threads;
    const struct chi_kernels *kernels; /* NULL: the best of this processor */
    chi_pool *pool;                    /* the threads, once they have been needed */
    const ch_comm *comm;               /* NULL: one process alone; else the next */
    ch_comm comm_table;
    char *records; /* one of every process */
    ch_comm_cost comm_cost;
    double *exchange; /* seconds of the last exchanges, ...               */
    int exchanges;    /* ... so many                                      */
    char message[512];
};

/* Asks the progress callback, if it has not been asked for a while: non-zero, stop. */
int chi_ask(ch_context *context);

/* Ends the threads of the context; it may start new ones. */
void chi_pool_destroy(ch_context *context);

/* A block for free(), in large pages if the system has them (large_pages_linux.c). */
void *chi_large_alloc(size_t bytes);

/* Cores that this process may use, at least 1. */
int chi_usable_cores(void);
