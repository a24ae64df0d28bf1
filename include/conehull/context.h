/* Contexts: a context holds the memory hooks, the log and progress callbacks, the number of threads
 * and the message of the last error. Nearly every call takes a context.
 *
 * Use one context per calling thread. The library never prints, exits, traps signals, reads the
 * environment or uses global random state; log and progress callbacks run on the thread that called
 * the library. */
#ifndef CONEHULL_CONTEXT_H
#define CONEHULL_CONTEXT_H

#include <conehull/status.h>
#include <stddef.h>
#include <stdint.h>

CH_BEGIN_DECLS

/** A context: holds the memory hooks, the callbacks and the number of threads that calls use, and
 *  the message of the last error. It is opaque; ch_context_create() makes it. */
typedef struct ch_context ch_context;

/** The functions that allocate and free all memory of a context. Blocks need no special alignment,
 *  because the library aligns them itself. Two threads never call the hooks of the same context at
 *  the same time. ch_live, ch_feed and ch_video_writer start threads of their own; these threads
 *  call the hooks too, even while the caller is outside the library. If two contexts have the same
 *  hooks, both contexts may call them at the same time. */
typedef struct ch_memory_hooks {
    /** Returns a block of `bytes` bytes, or NULL on failure. */
    void *(*alloc)(size_t bytes, void *user);
    void (*release)(void *block, void *user); /**< frees a block that alloc returned */
    void *user;                               /**< last argument of alloc and release */
} ch_memory_hooks;

/** The importance of a log message; a smaller number is more important. */
typedef enum ch_log_level { CH_LOG_WARNING = 1, CH_LOG_INFO = 2, CH_LOG_DEBUG = 3 } ch_log_level;

/** A callback that receives one log message. The message has no line feed at its end and is valid
 *  only during the call. `user` is the pointer given to ch_context_set_log(). */
typedef void (*ch_log_fn)(ch_log_level level, const char *message, void *user);

/** The progress of a long call. A call consists of one or more phases, and each phase counts its
 *  work in units, such as anchors, blocks of columns or frames. */
typedef struct ch_progress_event {
    size_t size;       /**< size of this struct in bytes; the library sets it */
    const char *phase; /**< name of the phase: "check", "hash", "select", "project", "read", ... */
    int64_t done;      /**< number of units of work finished so far in this phase */
    int64_t total;     /**< number of units of work in this phase; 0 if unknown */
    /** Phase "select": index, from 0, of the column that was just chosen as an anchor; -1 if the
     *  event does not report an anchor. */
    int64_t column;
    /** The meaning depends on the phase. Phases "project", "refine" and "fit": the loss so far.
     *  Phase "select" with Hottopixx, FGNSR and SMRS: the objective minus a proven lower bound of
     *  the optimum, relative to the scale of ch_anchors_settings.gap; with random SPA: the
     *  Frobenius norm of the residual of the best run so far; with PSPA: 0; with all other methods:
     *  the largest residual, as in ch_anchors_result.max_residual. Other phases: a number without
     *  fixed meaning, usually 0. */
    double value;
} ch_progress_event;

/** A callback that receives the progress of a long call. Return 0 to continue and non-zero to stop
 *  the call, which then ends with CH_STOP_CANCELLED and its best answer so far. During long steps
 *  the last event is repeated several times per second so that the callback can stop the call.
 *  `user` is the pointer given to ch_context_set_progress(). */
typedef int (*ch_progress_fn)(const ch_progress_event *event, void *user);

/** Creates a context; ch_context_destroy() frees it. `memory` gives the functions that allocate and
 *  free memory and is copied; NULL means malloc() and free(). Returns CH_ERR_ARGUMENT if context or
 *  a hook is NULL and CH_ERR_MEMORY if the allocation fails. */
CH_API ch_status ch_context_create(ch_context **context, const ch_memory_hooks *memory);

/** Frees a context. Everything that was made with it (results, matrices, streams) must be freed
 *  before. NULL is allowed. */
CH_API void ch_context_destroy(ch_context *context);

/** Sets the callback for log messages; `user` becomes its last argument. log NULL: messages are
 *  dropped, which is the default. */
CH_API void ch_context_set_log(ch_context *context, ch_log_fn log, void *user);
/** Sets the callback for progress; `user` becomes its last argument. progress NULL: progress is not
 *  reported, which is the default. */
CH_API void ch_context_set_progress(ch_context *context, ch_progress_fn progress, void *user);

/** Sets the number of threads of later calls, 0 to 4096. 0, the default, means one thread per core
 *  that this process may use. Results do not depend on the number of threads. Returns
 *  CH_ERR_ARGUMENT if the number is out of range. */
CH_API ch_status ch_context_set_threads(ch_context *context, int threads);
/** Returns the number of threads that calls with this context use, at least 1. */
CH_API int ch_context_threads(const ch_context *context);

/** Sets the instruction set of later calls: "avx512", "avx2" or "portable" on x86-64, "portable"
 *  elsewhere; NULL or "auto" means the best that this processor has. Results with different
 *  instruction sets differ by rounding. Returns CH_ERR_ARGUMENT if this build has no set of that
 *  name and CH_ERR_UNSUPPORTED if this processor cannot run it. The BLAS is not affected; it
 *  chooses its own kernels (ch_blas_name()). */
CH_API ch_status ch_context_set_kernel(ch_context *context, const char *name);
/** Returns the name of the instruction set that calls with this context use. */
CH_API const char *ch_context_kernel(const ch_context *context);

/** Lists the instruction sets of this build, fastest first. Returns the name of the set with the
 *  given index, from 0, or NULL if there is no such index. */
CH_API const char *ch_kernel_name(int index);
/** Returns non-zero if this processor can run the instruction set ch_kernel_name(index), else 0. */
CH_API int ch_kernel_usable(int index);

/** Limits the memory, in bytes, that the context may hold at any time. A call that would exceed the
 *  limit returns CH_ERR_MEMORY. 0, the default, means no limit. */
CH_API void ch_context_set_memory_limit(ch_context *context, int64_t bytes);

/** Returns how many bytes of matrix values calls with this context have read so far. A pass over
 *  the whole matrix counts the size of the matrix, a single column the size of the column. Reads
 *  from memory and from mapped files count alike; how many bytes the operating system loaded from
 *  disk is not measured. */
CH_API double ch_context_data_read(const ch_context *context);

/** Returns the message of the last call with this context that failed. The message states the
 *  reason in words and names the setting or the position in the data, and the bound that was
 *  violated. Before the first failure the message is empty. The returned string is never NULL and
 *  is valid until the next call with this context. */
CH_API const char *ch_context_message(const ch_context *context);

/** Makes a text safe to print, for instance a line of a file. The call changes the text in place:
 *  it replaces invalid UTF-8 and control characters, line feeds included, by "?". Messages and log
 *  lines of the library are already safe. */
CH_API void ch_text_make_printable(char *text);

CH_END_DECLS
#endif
