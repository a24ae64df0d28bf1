/* A context holds the memory hooks, the log and progress callbacks, and the number of threads.
 *
 * Use one context per calling thread. The library never prints, exits, traps signals, reads the
 * environment or uses global random state; callbacks run on the thread that made the call. */
#ifndef CONEHULL_CONTEXT_H
#define CONEHULL_CONTEXT_H

#include <conehull/status.h>
#include <stddef.h>
#include <stdint.h>

CH_BEGIN_DECLS

typedef struct ch_context ch_context;

/** Memory hooks. alloc may return NULL; the library aligns the blocks by itself. ch_live, ch_feed
 *  and ch_video_writer start threads that allocate too. They call the hooks from threads other than
 *  the caller's, also between the caller's calls, but never two at a time for one context. Hooks
 *  that two contexts share may be called at the same time. */
typedef struct ch_memory_hooks {
    void *(*alloc)(size_t bytes, void *user);
    void (*release)(void *block, void *user);
    void *user;
} ch_memory_hooks;

typedef enum ch_log_level { CH_LOG_WARNING = 1, CH_LOG_INFO = 2, CH_LOG_DEBUG = 3 } ch_log_level;

typedef void (*ch_log_fn)(ch_log_level level, const char *message, void *user);

/** The progress of a long call. */
typedef struct ch_progress_event {
    size_t size;       /**< size of this struct in the library that sends it */
    const char *phase; /**< "check", "hash", "select", "project", "read", ... */
    int64_t done;      /**< units finished in this phase                      */
    int64_t total;     /**< units in this phase; 0 if unknown                 */
    int64_t column;    /**< the column just chosen, or -1                     */
    double value;      /**< the phase's measure, e.g. the largest residual    */
} ch_progress_event;

/** Return non-zero to stop: the call then returns its best answer so far with CH_STOP_CANCELLED.
 *  During long steps the last event is repeated several times a second so that the callback can
 *  cancel. */
typedef int (*ch_progress_fn)(const ch_progress_event *event, void *user);

/** Creates a context. memory is copied; NULL means malloc and free. */
CH_API ch_status ch_context_create(ch_context **context, const ch_memory_hooks *memory);

/** Does nothing if context is NULL. */
CH_API void ch_context_destroy(ch_context *context);

CH_API void ch_context_set_log(ch_context *context, ch_log_fn log, void *user);
CH_API void ch_context_set_progress(ch_context *context, ch_progress_fn progress, void *user);

/** Sets the number of threads of later calls; 0 means one per core that this process may use. */
CH_API ch_status ch_context_set_threads(ch_context *context, int threads);
CH_API int ch_context_threads(const ch_context *context);

/** Sets the instruction set of later calls: "avx512", "avx2" or "portable" on x86-64, "portable"
 *  elsewhere; NULL or "auto" means the best that this processor has. Results of two sets differ by
 *  rounding. Returns CH_ERR_ARGUMENT if this build has no such set and CH_ERR_UNSUPPORTED if this
 *  processor lacks it. BLAS chooses its own kernels (ch_blas_name()). */
CH_API ch_status ch_context_set_kernel(ch_context *context, const char *name);
CH_API const char *ch_context_kernel(const ch_context *context);

/** The instruction sets of this build, best first: the name of set `index`, counted from 0, or NULL
 *  after the last. */
CH_API const char *ch_kernel_name(int index);
/** Returns non-zero if this processor can run set `index`. */
CH_API int ch_kernel_usable(int index);

/** Limits the memory that is held from the hooks at any time. An allocation that would exceed the
 *  limit fails, and its call returns CH_ERR_MEMORY. 0 means no limit. */
CH_API void ch_context_set_memory_limit(ch_context *context, int64_t bytes);

/** Bytes of matrices that calls with this context have read so far, over all passes. A column that
 *  is read by itself counts as its share of the matrix. This counts what the methods asked for, not
 *  what the system loaded. */
CH_API double ch_context_data_read(const ch_context *context);

/** Why the last failed call failed, naming field, position and bound. Never NULL. */
CH_API const char *ch_context_message(const ch_context *context);

/** Makes text from a file safe to print: replaces invalid UTF-8 and control characters, line feeds
 *  included, by "?". Messages and log lines have already been treated. */
CH_API void ch_text_make_printable(char *text);

CH_END_DECLS
#endif
