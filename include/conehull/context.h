/* Contexts: a context holds the memory hooks, the log and progress callbacks, the number of threads
 * and the message of the last error.
 *
 * Use one context per calling thread. The library never prints, exits, traps signals, reads the
 * environment or uses global random state; callbacks run on the thread that made the call. */
#ifndef CONEHULL_CONTEXT_H
#define CONEHULL_CONTEXT_H

#include <conehull/status.h>
#include <stddef.h>
#include <stdint.h>

CH_BEGIN_DECLS

/** A context; opaque, made by ch_context_create(). */
typedef struct ch_context ch_context;

/** The functions that allocate and free all memory of a context. The library aligns blocks itself.
 *  For one context the hooks are never called by two threads at a time. They may be called from
 *  threads other than the caller's, also between the caller's calls, because ch_live, ch_feed and
 *  ch_video_writer start threads that allocate. If two contexts share hooks, both may call them at
 *  the same time. */
typedef struct ch_memory_hooks {
    void *(*alloc)(size_t bytes, void *user); /**< returns a block, or NULL if there is no memory */
    void (*release)(void *block, void *user); /**< frees a block of alloc */
    void *user;                               /**< last argument of both */
} ch_memory_hooks;

/** The importance of a log message; a smaller number is more important. */
typedef enum ch_log_level { CH_LOG_WARNING = 1, CH_LOG_INFO = 2, CH_LOG_DEBUG = 3 } ch_log_level;

/** Receives one log message, which ends without a line feed and is valid during the call. */
typedef void (*ch_log_fn)(ch_log_level level, const char *message, void *user);

/** The progress of a long call. A call consists of phases, and a phase of equal units of work, such
 *  as anchors, blocks of columns or frames. */
typedef struct ch_progress_event {
    size_t size;       /**< size of this struct in bytes, in the version of the library that runs */
    const char *phase; /**< name of the phase: "check", "hash", "select", "project", "read", ... */
    int64_t done;      /**< number of units of work finished in this phase */
    int64_t total;     /**< number of units of work in this phase; 0 if unknown */
    int64_t column; /**< "select": index of the column just chosen as an anchor; other phases: -1 */
    double value; /**< "select": the largest residual; other phases: a figure of that phase, or 0 */
} ch_progress_event;

/** Receives the progress of a long call. Return 0 to go on and non-zero to stop: the call then
 *  returns its best answer so far with CH_STOP_CANCELLED. During long steps the last event is
 *  repeated several times a second so that the callback can stop the call. */
typedef int (*ch_progress_fn)(const ch_progress_event *event, void *user);

/** Creates a context, which ch_context_destroy() frees. *memory is copied; NULL means malloc() and
 *  free(). Returns CH_ERR_ARGUMENT or CH_ERR_MEMORY if it fails. */
CH_API ch_status ch_context_create(ch_context **context, const ch_memory_hooks *memory);

/** Frees a context. Free first what was made with it (results, matrices, streams). NULL is
 *  allowed. */
CH_API void ch_context_destroy(ch_context *context);

/** Sets the callback for log messages; `user` is its last argument. NULL: no messages (default). */
CH_API void ch_context_set_log(ch_context *context, ch_log_fn log, void *user);
/** Sets the callback for progress; `user` is its last argument. NULL: none (default). */
CH_API void ch_context_set_progress(ch_context *context, ch_progress_fn progress, void *user);

/** Sets the number of threads of later calls; 0 means one per core that this process may use, which
 *  is the default. Results do not depend on it. */
CH_API ch_status ch_context_set_threads(ch_context *context, int threads);
/** Returns the number of threads that calls use. */
CH_API int ch_context_threads(const ch_context *context);

/** Sets the instruction set of later calls: "avx512", "avx2" or "portable" on x86-64, "portable"
 *  elsewhere; NULL or "auto" means the best that this processor has. Results with different
 *  instruction sets differ by rounding. Returns CH_ERR_ARGUMENT if this build has no set of that
 *  name and CH_ERR_UNSUPPORTED if this processor cannot run it. The BLAS is not affected; it
 *  chooses its own kernels (ch_blas_name()). */
CH_API ch_status ch_context_set_kernel(ch_context *context, const char *name);
/** Returns the name of the instruction set that calls use. */
CH_API const char *ch_context_kernel(const ch_context *context);

/** Lists the instruction sets of this build, fastest first: returns the name of the set with this
 *  index, from 0, or NULL after the last set. */
CH_API const char *ch_kernel_name(int index);
/** Returns non-zero if this processor can run the instruction set with this index in the list of
 *  ch_kernel_name(). */
CH_API int ch_kernel_usable(int index);

/** Limits the memory that the context may hold at any time. An allocation that would exceed the
 *  limit fails, and the call that needed it returns CH_ERR_MEMORY. 0 means no limit (default). */
CH_API void ch_context_set_memory_limit(ch_context *context, int64_t bytes);

/** Returns how many bytes of matrix values calls with this context have read so far: a pass over
 *  the whole matrix counts its size, a single column its share. This counts what the methods read
 *  from memory or mapped files, not what the operating system loaded from disk. */
CH_API double ch_context_data_read(const ch_context *context);

/** Returns the message of the last call that failed. It states the reason in words and names the
 *  setting or the position in the data, and the bound. Never NULL; empty before the first failure.
 *  Valid until the next call with this context. */
CH_API const char *ch_context_message(const ch_context *context);

/** Makes text from a file safe to print, in place: invalid UTF-8 and control characters, including
 *  line feeds, become "?". Messages and log lines of the library are already safe. */
CH_API void ch_text_make_printable(char *text);

CH_END_DECLS
#endif
