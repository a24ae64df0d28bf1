/* What every layer uses: failing, allocating, telling, splitting work over threads. */
#pragma once

#include "base/shared.h"
#include <conehull/context.h>

/* Returns the status of a call that failed; positive statuses pass. */
#define TRY(call)                                \
    do {                                         \
        ch_status try_status_ = (call);          \
        if (try_status_ < 0) return try_status_; \
    } while (0)

/* The same for a call whose work is needed: a positive status, as of a read that was cancelled, is
 * handed on too. */
#define TRY_OK(call)                                  \
    do {                                              \
        ch_status try_status_ = (call);               \
        if (try_status_ != CH_OK) return try_status_; \
    } while (0)

/* Keeps the reason in the context and returns status. Not for use inside parallel regions. */
CHI_SHARED ch_status chi_fail(ch_context *context, ch_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

CHI_SHARED void chi_log(ch_context *context, ch_log_level level, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Tells the progress callback; non-zero: the caller must stop with CH_STOP_CANCELLED. */
CHI_SHARED int chi_notify(ch_context *context, const char *phase, int64_t done, int64_t total,
                          int64_t column, double value);

/* The event that the callback gets in the middle of a phase: nothing done yet. */
CHI_SHARED void chi_begin_phase(ch_context *context, const char *phase, int64_t total);

/* count * size bytes, 64-byte aligned, not cleared; NULL when out of memory or when the product
 * overflows. count 0 gives a valid pointer. chi_alloc_zero clears. */
CHI_SHARED void *chi_alloc(ch_context *context, int64_t count, size_t size);
CHI_SHARED void *chi_alloc_zero(ch_context *context, int64_t count, size_t size);
CHI_SHARED void chi_free(ch_context *context, void *block);
/* Of ch_context_set_memory_limit(); 0: none. */
CHI_SHARED int64_t chi_memory_limit(const ch_context *context);
/* CH_ERR_MEMORY with a message saying what the memory was for. */
CHI_SHARED ch_status chi_no_memory(ch_context *context, const char *what, int64_t count,
                                   size_t size);

/* Whether the system and the limits of the process have space for count (64 at most) blocks of this
 * size now; nothing is held afterwards. */
CHI_SHARED int chi_address_space_left(int count, size_t bytes);

/* Seconds on a clock that never goes back. */
CHI_SHARED double chi_seconds(void);

/* Calls body(user, block, thread) for block = 0..blocks-1, each once, on up to the context's
 * threads; thread < ch_context_threads(). Inside a body the call is serial, and thread is that of
 * the outer call if the context is the same. Blocks are handed out dynamically, so bodies must
 * write to places that depend on the block alone. */
typedef void (*chi_body)(void *user, int64_t block, int thread);
CHI_SHARED void chi_parallel(ch_context *context, int64_t blocks, chi_body body, void *user);

/* The same, for long work: some times a second, between two blocks, the progress callback hears the
 * last event again (column -1) and may say stop. Then not all blocks are done, and the call returns
 * CHI_CANCELLED: a failure, so that TRY hands it on, which the calls of the library turn into
 * CH_STOP_CANCELLED (chi_outside_status()). Over several processes nobody is asked: they must stay
 * together. */
enum { CHI_CANCELLED = -100 };
CHI_SHARED ch_status chi_parallel_until(ch_context *context, int64_t blocks, chi_body body,
                                        void *user);
/* The same where a process may stop by itself: before the next exchange they agree on the status.
 */
ch_status chi_parallel_apart(ch_context *context, int64_t blocks, chi_body body, void *user);
/* For long loops that are not parallel: what chi_parallel_until() does between two blocks. */
ch_status chi_pause(ch_context *context);
static inline ch_status chi_outside_status(ch_status status) {
    return (int)status == CHI_CANCELLED ? CH_STOP_CANCELLED : status;
}

/* The kernel set that this context was given, or NULL: the best one. src/kernels completes the type
 * and makes the choice (chi_kernels_of()). */
struct chi_kernels;
const struct chi_kernels *chi_context_kernels(const ch_context *context);
void chi_context_set_kernels(ch_context *context, const struct chi_kernels *kernels);

/* A context for another thread: the same memory hooks and limit, which count what both hold, number
 * of threads and kernels, no callbacks. It is destroyed before the other one. */
CHI_SHARED ch_status chi_context_beside(ch_context **made, const ch_context *like);

/* Called by whichever thread has done a block, before it takes the next: for what must keep up with
 * the work. NULL: nothing. Loops over columns that are not parallel call it themselves. */
typedef void (*chi_pace)(void *user);
void chi_records_pace(const ch_context *context);
/* Called with what will be read soon; NULL: nobody wants to know. in_order: in a pass over the data
 * from their beginning to their end. */
typedef void (*chi_fetch)(void *user, const void *address, size_t bytes, int in_order);
void chi_prefetch(const ch_context *context, const void *address, size_t bytes, int in_order);
int chi_prefetches(const ch_context *context);
CHI_SHARED void chi_context_set_pace(ch_context *context, chi_pace pace, chi_fetch fetch,
                                     void *user);
/* Adds to ch_context_data_read(). */
CHI_SHARED void chi_count_read(ch_context *context, double bytes);

/* XXH3, 64 bits, of the bytes with this seed (hash.c): the same on every machine, against accidents
 * such as damaged files, not against malice. bytes may be NULL when count is 0. */
CHI_SHARED uint64_t chi_hash(uint64_t seed, const void *bytes, size_t count);
