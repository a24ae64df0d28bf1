/* An arena holds arrays that are allocated one by one and freed all at once: the workspace of a
 * method or of one of its threads. An arena starts as {.context = context} and is used by one
 * thread at a time. */
#pragma once

#include "base/base.h"

typedef struct chi_arena {
    ch_context *context;
    void *newest; /* the last block; each points to the one before it */
    double bytes; /* bytes requested so far                           */
    int failed;
} chi_arena;

/* Like chi_alloc() and chi_alloc_zero(). Once a request has failed, all later requests return NULL.
 * It is enough to check chi_arena_status() after the last request, unless a block is written to
 * earlier. */
CHI_SHARED void *chi_arena_alloc(chi_arena *arena, int64_t count, size_t size);
CHI_SHARED void *chi_arena_alloc_zero(chi_arena *arena, int64_t count, size_t size);
static inline double *chi_arena_doubles(chi_arena *arena, int64_t count) {
    return chi_arena_alloc(arena, count, sizeof(double));
}

/* Returns CH_OK, or CH_ERR_MEMORY if a request has failed. The message says what the memory was
 * for. */
CHI_SHARED ch_status chi_arena_status(const chi_arena *arena, const char *what);

/* Frees every block; the arena can then be used again. An arena that is all zero is allowed. */
CHI_SHARED void chi_arena_free(chi_arena *arena);
