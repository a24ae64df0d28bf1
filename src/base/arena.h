/* Arrays that are allocated one by one and freed all at once: what a method, or one of its threads,
 * works with. An arena starts as {.context = context} and is used by one thread at a time. */
#pragma once

#include "base/base.h"

typedef struct chi_arena {
    ch_context *context;
    void *newest; /* block; each knows the one before it */
    double bytes; /* requested so far                    */
    int failed;
} chi_arena;

/* As chi_alloc() and chi_alloc_zero(). Once a request has failed, all later ones return NULL: it is
 * enough to ask chi_arena_status() after the last one, unless a block is written to before. */
CHI_SHARED void *chi_arena_alloc(chi_arena *arena, int64_t count, size_t size);
CHI_SHARED void *chi_arena_alloc_zero(chi_arena *arena, int64_t count, size_t size);
static inline double *chi_arena_doubles(chi_arena *arena, int64_t count) {
    return chi_arena_alloc(arena, count, sizeof(double));
}

/* CH_OK, or CH_ERR_MEMORY if a request has failed; the message says what all of them were for. */
CHI_SHARED ch_status chi_arena_status(const chi_arena *arena, const char *what);

/* Frees every block; the arena is empty then. Also for one that is all zero. */
CHI_SHARED void chi_arena_free(chi_arena *arena);
