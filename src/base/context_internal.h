/* The inside of a context; only src/base looks. */
#ifndef CONEHULL_CONTEXT_INTERNAL_H
#define CONEHULL_CONTEXT_INTERNAL_H

#include "base/base.h"

struct ch_context {
    ch_memory memory;
    ch_log_fn log;
    void *log_user;
    ch_progress_fn progress;
    void *progress_user;
    int threads;
    char message[512];
};

/* Cores that this process may use, at least 1. */
int chi_usable_cores(void);

#endif
