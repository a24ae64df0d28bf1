/* Contexts, memory through their hooks, and the log and progress callbacks. */
#include "base/context_internal.h"
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    ALIGNMENT = 64, /* one cache line, one AVX-512 register */
    LARGE = 8 << 20 /* bytes: several large pages           */
};
/* Seconds between calls of the progress callback: after Ctrl-C a user waits this long plus the time
 * of one block. */
static const double ASK_EVERY = 0.25;

/* Large blocks are placed in large pages, which the system maps about a hundred times faster and
 * which cause fewer TLB misses. */
static void *plain_alloc(size_t bytes, void *user) {
    (void)user;
    return bytes < LARGE ? malloc(bytes) : chi_large_alloc(bytes);
}

static void plain_release(void *block, void *user) {
    (void)user;
    free(block);
}

/* Calls the allocation hook. Hooks given by the caller are called by one thread at a time. */
static void *call_alloc(ch_context *owner, size_t bytes) {
    if (owner->plain) return plain_alloc(bytes, NULL);
    pthread_mutex_lock(&owner->calls);
    void *block = owner->memory.alloc(bytes, owner->memory.user);
    pthread_mutex_unlock(&owner->calls);
    return block;
}

static void call_release(ch_context *owner, void *block) {
    if (!owner->plain) pthread_mutex_lock(&owner->calls);
    owner->memory.release(block, owner->memory.user);
    if (!owner->plain) pthread_mutex_unlock(&owner->calls);
}

/* Initialises a context in memory from the hooks. owner is the context whose hooks are used; NULL:
 * its own. */
static void begin(ch_context *made, const ch_memory_hooks *memory, ch_context *owner) {
    memset(made, 0, sizeof *made);
    made->memory = *memory;
    made->owner = owner ? owner : made;
    made->plain = memory->alloc == plain_alloc;
    pthread_mutex_init(&made->calls, NULL);
    made->threads = chi_usable_cores();
    made->event.phase = "check";
}

ch_status ch_context_create(ch_context **context, const ch_memory_hooks *memory) {
    static const ch_memory_hooks plain = {plain_alloc, plain_release, NULL};
    if (!context) return CH_ERR_ARGUMENT;
    if (!memory) memory = &plain;
    if (!memory->alloc || !memory->release) return CH_ERR_ARGUMENT;
    ch_context *made = memory->alloc(sizeof *made, memory->user);
    if (!made) return CH_ERR_MEMORY;
    begin(made, memory, NULL);
    *context = made;
    return CH_OK;
}

ch_status chi_context_beside(ch_context **made, const ch_context *like) {
    *made = call_alloc(like->owner, sizeof **made);
    if (!*made) return CH_ERR_MEMORY;
    begin(*made, &like->memory, like->owner);
    (*made)->threads = like->threads;
    (*made)->kernels = like->kernels;
    return CH_OK;
}

void ch_context_destroy(ch_context *context) {
    if (!context) return;
    chi_pool_destroy(context);
    chi_free(context, context->exchange);
    chi_free(context, context->records);
    pthread_mutex_destroy(&context->calls);
    if (context->owner == context)
        context->memory.release(context, context->memory.user);
    else
        call_release(context->owner, context);
}

void ch_context_set_log(ch_context *context, ch_log_fn log, void *user) {
    context->log = log;
    context->log_user = user;
}

void ch_context_set_progress(ch_context *context, ch_progress_fn progress, void *user) {
    context->progress = progress;
    context->progress_user = user;
}

const struct chi_kernels *chi_context_kernels(const ch_context *context) {
    return context->kernels;
}

void chi_context_set_kernels(ch_context *context, const struct chi_kernels *kernels) {
    context->kernels = kernels;
}

const char *ch_context_message(const ch_context *context) {
    return context ? context->message : "";
}

ch_status chi_fail(ch_context *context, ch_status status, const char *format, ...) {
    char made[sizeof context->message]; /* a copy, because an argument may be the old message */
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(made, sizeof made, format, arguments);
    va_end(arguments);
    ch_text_make_printable(made);
    strcpy(context->message, made);
    return status;
}

void chi_log(ch_context *context, ch_log_level level, const char *format, ...) {
    if (!context->log) return;
    char line[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    ch_text_make_printable(line);
    context->log(level, line, context->log_user);
}

int chi_notify(ch_context *context, const char *phase, int64_t done, int64_t total, int64_t column,
               double value) {
    if (!context->progress) return 0;
    if (context->within) { /* counts and columns of an inner run mean nothing to the caller */
        phase = context->within;
        done = total = 0;
        column = -1;
        value = 0;
    }
    ch_progress_event event = {sizeof event, phase, done, total, column, value};
    int stop = context->progress(&event, context->progress_user);
    context->event = (ch_progress_event){sizeof(ch_progress_event), phase, done, total, -1, value};
    context->asked = chi_seconds();
    return stop;
}

void chi_within(ch_context *context, const char *phase) {
    context->within = NULL;
    if (phase) chi_begin_phase(context, phase, 0);
    context->within = phase;
}

void chi_begin_phase(ch_context *context, const char *phase, int64_t total) {
    if (context->within) return;
    context->event = (ch_progress_event){sizeof(ch_progress_event), phase, 0, total, -1, 0};
    context->asked = chi_seconds();
}

int chi_ask(ch_context *context) {
    if (!context->progress || chi_seconds() - context->asked < ASK_EVERY) return 0;
    ch_progress_event event = context->event;
    int stop = context->progress(&event, context->progress_user);
    context->asked = chi_seconds();
    return stop;
}

void ch_context_set_memory_limit(ch_context *context, int64_t bytes) {
    context->owner->limit = bytes > 0 ? (size_t)bytes : 0;
}

int64_t chi_memory_limit(const ch_context *context) {
    return (int64_t)context->owner->limit;
}

/* Stored just before the aligned block: the pointer that the hook returned, for the release. */
typedef struct block_head {
    void *block;
    size_t bytes;
} block_head;

static block_head *head_of(void *aligned) {
    return (block_head *)aligned - 1;
}

void *chi_alloc(ch_context *context, int64_t count, size_t size) {
    size_t bytes;
    if (count < 0 || __builtin_mul_overflow(count, size, &bytes)) return NULL;
    if (__builtin_add_overflow(bytes, (size_t)ALIGNMENT + sizeof(block_head), &bytes)) return NULL;
    ch_context *owner = context->owner;
    size_t held = atomic_fetch_add(&owner->held, bytes) + bytes, limit = owner->limit;
    char *block = limit && held > limit ? NULL : call_alloc(owner, bytes);
    if (!block) {
        atomic_fetch_sub(&owner->held, bytes);
        return NULL;
    }
    char *first = block + sizeof(block_head);
    char *aligned = first + (ALIGNMENT - (uintptr_t)first % ALIGNMENT) % ALIGNMENT;
    *head_of(aligned) = (block_head){block, bytes};
    return aligned;
}

void *chi_alloc_zero(ch_context *context, int64_t count, size_t size) {
    void *block = chi_alloc(context, count, size);
    if (block) memset(block, 0, (size_t)count * size);
    return block;
}

void chi_free(ch_context *context, void *block) {
    if (!block) return;
    block_head head = *head_of(block);
    atomic_fetch_sub(&context->owner->held, head.bytes);
    call_release(context->owner, head.block);
}

ch_status chi_no_memory(ch_context *context, const char *what, int64_t count, size_t size) {
    double needed = (double)count * (double)size / 1e6;
    const ch_context *owner = context->owner;
    if (owner->limit)
        return chi_fail(context, CH_ERR_MEMORY,
                        "not enough memory for %s: %.3g MB more are needed, but %.3g MB are "
                        "already in use, and the limit is %.3g MB",
                        what, needed, (double)owner->held / 1e6, (double)owner->limit / 1e6);
    return chi_fail(context, CH_ERR_MEMORY,
                    "not enough memory for %s: %.3g MB could not be allocated", what, needed);
}

double chi_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
