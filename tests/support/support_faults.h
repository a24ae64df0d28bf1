/* Public calls with their k-th allocation failing, for every k: the status is CH_ERR_MEMORY with a
 * message, outputs are untouched, nothing leaks, and the same context works afterwards. */
#ifndef CONEHULL_SUPPORT_FAULTS_H
#define CONEHULL_SUPPORT_FAULTS_H

#include "support_files.h"
#include <string.h>

/* What the calls work on: made once, outside the counted memory, by support_faults_run(). */
enum { ROWS = 15, COLS = 30 };
typedef struct support_inputs {
    ch_context *context;
    ch_matrix dense, rows, csc, bytes; /* column-major f64, row-major f32, CSC f64, u8 */
} support_inputs;
extern support_inputs given;

/* Fills an output with a pattern, and looks for it after a call that failed. */
enum { PATTERN = 0x5A };
#define mark(output) memset((output), PATTERN, sizeof *(output))
#define untouched(output) support_untouched((output), sizeof *(output))
void support_untouched(const void *output, size_t size);

/* Untouched after a failure, freed otherwise. */
#define finish(context, status, output, release) \
    ((status) < 0 ? untouched(output) : release((context), (output)))

/* The same for a matrix; returns the status. */
ch_status finish_matrix(ch_context *context, ch_status status, ch_matrix *X);

/* One call. It returns its status, and holds nothing afterwards. Cases that differ by what they are
 * given have one function, run_with, and are told apart by `with`. */
typedef struct support_fault {
    const char *name;
    ch_status (*run)(ch_context *context);
    ch_status (*run_with)(ch_context *context, const void *with);
    const void *with;
} support_fault;

/* A group of tests: every call, on one thread with one or all later allocations refused, and on
 * two threads; in a folder of support_files.h. Returns the number of tests that failed. */
int support_faults_run(const support_fault *faults, size_t count);

#endif
