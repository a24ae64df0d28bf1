/* A context: where memory comes from, who hears the log, who may cancel, how many threads.
 *
 * One context per calling thread. The library never prints, exits, traps signals, reads the
 * environment or uses global random state; callbacks run on the thread that made the call. */
#ifndef CONEHULL_CONTEXT_H
#define CONEHULL_CONTEXT_H

#include <conehull/status.h>
#include <stddef.h>
#include <stdint.h>

CH_BEGIN_DECLS

typedef struct ch_context ch_context;

/** Memory hooks. alloc may return NULL; the library aligns what it gets. Some calls start threads
 *  that allocate too (ch_live, ch_feed, ch_video_writer): hooks of a context are then called from
 *  other threads than the caller's, also between its calls, but never two of them at a time. The
 *  same hooks in two contexts may be called at the same time. */
typedef struct ch_memory_hooks {
    void *(*alloc)(size_t bytes, void *user);
    void (*release)(void *block, void *user);
    void *user;
} ch_memory_hooks;

typedef enum ch_log_level { CH_LOG_WARNING = 1, CH_LOG_INFO = 2, CH_LOG_DEBUG = 3 } ch_log_level;

typedef void (*ch_log_fn)(ch_log_level level, const char *message, void *user);

/** How far a long call has come. */
typedef struct ch_progress_event {
    size_t size;       /**< of this struct in the library that sends it */
    const char *phase; /**< "check", "hash", "select", "project", "read", ... */
    int64_t done;      /**< units finished in this phase                      */
    int64_t total;     /**< units in this phase; 0 when it is not known       */
    int64_t column;    /**< the column just chosen, or -1                     */
    double value;      /**< phase's own measure, e.g. the largest residual    */
} ch_progress_event;

/** Non-zero means: stop, and return the best answer so far with CH_STOP_CANCELLED. During
 *  long steps the last event is repeated several times a second so that the callback can cancel. */
typedef int (*ch_progress_fn)(const ch_progress_event *event, void *user);

/** Creates a context. memory may be NULL (malloc and free); it is copied. */
CH_API ch_status ch_context_create(ch_context **context, const ch_memory_hooks *memory);

/** NULL is fine. */
CH_API void ch_context_destroy(ch_context *context);

CH_API void ch_context_set_log(ch_context *context, ch_log_fn log, void *user);
CH_API void ch_context_set_progress(ch_context *context, ch_progress_fn progress, void *user);

/** Threads for later calls; 0 means one per core that this process may use. */
CH_API ch_status ch_context_set_threads(ch_context *context, int threads);
CH_API int ch_context_threads(const ch_context *context);

/** The instruction set that later calls compute with: "avx512", "avx2" or "portable" on x86-64,
 *  "portable" elsewhere; NULL or "auto": the best that this processor has. Results of two sets
 *  differ by rounding. CH_ERR_ARGUMENT: no such set in this build; CH_ERR_UNSUPPORTED: this
 *  processor lacks it. BLAS chooses its own (ch_blas_name()). */
CH_API ch_status ch_context_set_kernel(ch_context *context, const char *name);
CH_API const char *ch_context_kernel(const ch_context *context);

/** The sets of this build, best first: name number index, from 0, or NULL behind the last. */
CH_API const char *ch_kernel_name(int index);
/** Non-zero: this processor can run set number index. */
CH_API int ch_kernel_usable(int index);

/** No more than so many bytes at a time from the memory hooks: an allocation that would exceed them
 *  fails, and the call with CH_ERR_MEMORY. 0: no limit. */
CH_API void ch_context_set_memory_limit(ch_context *context, int64_t bytes);

/** Bytes of the matrices that calls with this context have read so far, all passes together; a
 *  column read by itself counts as its share. What the methods asked for, not what the system
 *  brought in. */
CH_API double ch_context_data_read(const ch_context *context);

/** Why the last failed call failed, naming field, position and bound. Never NULL. */
CH_API const char *ch_context_message(const ch_context *context);

/** Makes text from a file harmless to show: every byte that is no letter of UTF-8, and every
 * control character, line feeds too, becomes "?". Messages and the log have passed it. */
CH_API void ch_text_make_printable(char *text);

CH_END_DECLS
#endif
