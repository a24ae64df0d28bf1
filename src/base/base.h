/* Functions that every layer uses: errors, memory, progress, threads. */
#pragma once

#include "base/shared.h"
#include <conehull/context.h>

/* Returns from the calling function if the call failed (negative status); a positive status is
 * ignored. */
#define TRY(call)                                \
    do {                                         \
        ch_status try_status_ = (call);          \
        if (try_status_ < 0) return try_status_; \
    } while (0)

/* Like TRY(), for a call that must have done all of its work: positive statuses, such as that of a
 * cancelled read, are returned too. */
#define TRY_OK(call)                                  \
    do {                                              \
        ch_status try_status_ = (call);               \
        if (try_status_ != CH_OK) return try_status_; \
    } while (0)

/* Stores the message in the context and returns `status`. Must not be called inside a parallel
 * region. */
CHI_SHARED ch_status chi_fail(ch_context *context, ch_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

CHI_SHARED void chi_log(ch_context *context, ch_log_level level, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Calls the progress callback. If it returns non-zero, the caller must stop with
 * CH_STOP_CANCELLED. */
CHI_SHARED int chi_notify(ch_context *context, const char *phase, int64_t done, int64_t total,
                          int64_t column, double value);

/* Sets the event that is repeated during a long step to the start of a phase, with nothing done
 * yet. The progress callback is not called. */
CHI_SHARED void chi_begin_phase(ch_context *context, const char *phase, int64_t total);
/* Begins a phase that calls ch_anchors() or similar for a part of its own work: until
 * chi_within(context, NULL), all progress events have this phase, and neither counts nor
 * columns. */
CHI_SHARED void chi_within(ch_context *context, const char *phase);

/* Allocates count * size bytes, aligned to 64 bytes; chi_alloc_zero() also sets them to 0. Returns
 * NULL if memory runs out, the memory limit would be exceeded or the product overflows. A count of
 * 0 gives a valid pointer. Free the memory with chi_free(). */
CHI_SHARED void *chi_alloc(ch_context *context, int64_t count, size_t size);
CHI_SHARED void *chi_alloc_zero(ch_context *context, int64_t count, size_t size);
CHI_SHARED void chi_free(ch_context *context, void *block);
/* Returns the limit set by ch_context_set_memory_limit(), in bytes; 0 means no limit. */
CHI_SHARED int64_t chi_memory_limit(const ch_context *context);
/* Returns CH_ERR_MEMORY and sets a message that names what the memory was needed for (`what`) and
 * how much: count * size bytes. */
CHI_SHARED ch_status chi_no_memory(ch_context *context, const char *what, int64_t count,
                                   size_t size);

/* Returns whether the system and the limits of the process now have space for `count` blocks (at
 * most 64) of this size. Nothing stays allocated. */
CHI_SHARED int chi_address_space_left(int count, size_t bytes);

/* Returns the time of a monotonic clock, in seconds. */
CHI_SHARED double chi_seconds(void);

/* Calls body(user, block, thread) once for each block = 0..blocks-1, on up to ch_context_threads()
 * threads; thread is below that number. A call from inside a body runs serially, with the thread
 * number of the outer call if the context is the same. Blocks are handed out dynamically, so a body
 * must write only to places that depend on its block alone. */
typedef void (*chi_body)(void *user, int64_t block, int thread);
CHI_SHARED void chi_parallel(ch_context *context, int64_t blocks, chi_body body, void *user);

/* Like chi_parallel(), for long work. Several times per second, between two blocks, the progress
 * callback gets the last event again (with column -1) and may cancel. Then some blocks are not
 * done, and the call returns CHI_CANCELLED. This status is negative, so that TRY returns it;
 * chi_outside_status() turns it into CH_STOP_CANCELLED for callers of the library. With several
 * processes the callback is not called, because all processes must take the same steps. */
enum { CHI_CANCELLED = -100 };
CHI_SHARED ch_status chi_parallel_until(ch_context *context, int64_t blocks, chi_body body,
                                        void *user);
/* Like chi_parallel_until(), but the callback is called with several processes too, so that one
 * process may stop alone. The processes must agree on a status (ch_comm_agree()) before their next
 * exchange. */
ch_status chi_parallel_apart(ch_context *context, int64_t blocks, chi_body body, void *user);
/* For long serial loops: does what chi_parallel_until() does between two blocks, and returns
 * CHI_CANCELLED if the progress callback cancels. */
CHI_SHARED ch_status chi_pause(ch_context *context);
static inline ch_status chi_outside_status(ch_status status) {
    return (int)status == CHI_CANCELLED ? CH_STOP_CANCELLED : status;
}

/* The kernel set that was chosen for this context; NULL means the best one for this processor.
 * src/kernels defines the type and makes the choice (chi_kernels_of()). */
struct chi_kernels;
const struct chi_kernels *chi_context_kernels(const ch_context *context);
void chi_context_set_kernels(ch_context *context, const struct chi_kernels *kernels);

/* Creates a context for another thread with the memory hooks, number of threads and kernels of
 * `like`, but without callbacks. Both contexts count towards one memory limit. *made must be
 * destroyed before `like`. */
CHI_SHARED ch_status chi_context_beside(ch_context **made, const ch_context *like);

/* A hook that each thread of chi_parallel() calls after a block, before it takes the next block.
 * NULL means no hook. Serial loops over columns call chi_records_pace(), which calls the hook. */
typedef void (*chi_pace)(void *user);
void chi_records_pace(const ch_context *context);
/* A hook that is called with the address of data that will be read soon. NULL means no hook.
 * in_order is non-zero during a pass over the data from start to end. */
typedef void (*chi_fetch)(void *user, const void *address, size_t bytes, int in_order);
void chi_prefetch(const ch_context *context, const void *address, size_t bytes, int in_order);
int chi_prefetches(const ch_context *context);
CHI_SHARED void chi_context_set_pace(ch_context *context, chi_pace pace, chi_fetch fetch,
                                     void *user);
/* Adds `bytes` to the count that ch_context_data_read() returns. */
CHI_SHARED void chi_count_read(ch_context *context, double bytes);

/* 64-bit XXH3 of the bytes with this seed (hash.c). It is the same on every machine. It detects
 * accidents such as damaged files, not malicious changes. bytes may be NULL when count is 0. */
CHI_SHARED uint64_t chi_hash(uint64_t seed, const void *bytes, size_t count);
