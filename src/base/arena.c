/* Arenas: a list of blocks. The header of a block takes one cache line, so that arrays keep the
 * alignment of chi_alloc(). */
#include "base/arena.h"
#include <string.h>

enum { HEAD = 64 };

void *chi_arena_alloc(chi_arena *arena, int64_t count, size_t size) {
    size_t bytes;
    arena->bytes += (double)count * (double)size;
    if (count < 0 || __builtin_mul_overflow(count, size, &bytes) || bytes > PTRDIFF_MAX - HEAD)
        arena->failed = 1;
    char *block = arena->failed ? NULL : chi_alloc(arena->context, (int64_t)bytes + HEAD, 1);
    if (!block) {
        arena->failed = 1;
        return NULL;
    }
    memcpy(block, &arena->newest, sizeof arena->newest);
    arena->newest = block;
    return block + HEAD;
}

void *chi_arena_alloc_zero(chi_arena *arena, int64_t count, size_t size) {
    void *block = chi_arena_alloc(arena, count, size);
    if (block) memset(block, 0, (size_t)count * size);
    return block;
}

ch_status chi_arena_status(const chi_arena *arena, const char *what) {
    if (!arena->failed) return CH_OK;
    return chi_no_memory(arena->context, what, (int64_t)(arena->bytes < 1e18 ? arena->bytes : 1e18),
                         1);
}

void chi_arena_free(chi_arena *arena) {
    while (arena->newest) {
        void *block = arena->newest;
        memcpy(&arena->newest, block, sizeof arena->newest);
        chi_free(arena->context, block);
    }
    arena->bytes = 0;
    arena->failed = 0;
}
