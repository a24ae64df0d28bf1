/* Public calls with their k-th allocation failing, for every k: the status is CH_ERR_MEMORY with a
 * message, the output is untouched, no block and no file is left, and the same context works
 * afterwards. A test is a table of calls; the rest is here. */
#pragma once

#include "support_files.h"
#include <string.h>

/* What the calls work on: made once, outside the counted memory, by support_faults_run(). */
enum { ROWS = 15, COLS = 30 };
typedef struct support_inputs {
    ch_context *context;
    ch_matrix dense, rows, csc, bytes; /* column-major f64, row-major f32, CSC f64, u8 */
} support_inputs;
extern support_inputs given;

/* One call. It writes its output, if the row has one, returns its status, and holds nothing else
 * afterwards. Rows that differ by what they are given share a function and differ by `with`. It is
 * called once with given.context before anything fails, and may make files then that later calls
 * find. */
typedef struct support_fault {
    const char *name;
    ch_status (*call)(ch_context *context, void *output, const void *with);
    const void *with;
    size_t size;  /* of the output in bytes, which are set to a pattern before the call */
    size_t sized; /* of the struct that the output begins with, if that begins with its own size */
    void (*release)(ch_context *context, void *output); /* after a call that did well, or NULL */
    const char *makes; /* a file of the folder, which only a call that does well leaves  */
    int (*possible)(const void *with); /* whether this build can run it; NULL: yes               */
    int early; /* the status may be positive                                 */
} support_fault;

/* The output is of this type, and TYPE_free(context, output) frees it. */
#define OUT(type) .size = sizeof(type), .release = release_##type
/* The same for a result, which begins with its own size. */
#define OUT_SIZED(type) OUT(type), .sized = sizeof(type)
#define RELEASE(type)                                               \
    static void release_##type(ch_context *context, void *output) { \
        type##_free(context, output);                               \
    }

/* A group of tests: every call, on one thread with one or all later allocations refused, and on
 * two threads; in a folder of support_files.h, in which prepare (or NULL) has made what it likes;
 * it returns 0. Returns the number of tests that failed. */
int support_faults_run(const support_fault *faults, size_t count, int (*prepare)(void));

/* Whether every byte is as the driver set it before the call. */
int support_untouched(const void *output, size_t size);
