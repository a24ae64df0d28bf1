/* Temporary files for tests of readers and writers. */
#pragma once

#include "support.h"

/* A group fixture: one empty folder per program, removed with all it holds at the end. */
int support_folder_make(void **state);
int support_folder_remove(void **state);

/* A name in that folder; the last 8 stay valid. */
const char *support_path(const char *format, ...) __attribute__((format(printf, 1, 2)));

void support_file_write(const char *path, const void *bytes, size_t count);
/* The contents, for free(). */
unsigned char *support_file_read(const char *path, size_t *count);
/* Files in the folder. */
int support_folder_count(void);

/* The path of a file of the research data, in $CONEHULL_DATA or beside the project; NULL, and a
 * word about it, when it is not there: the caller skips. Valid until the next call. */
const char *support_data(const char *name);

/* Same sizes and the same numbers (NaN equals NaN), whatever layout and type. */
#define support_same_matrix(A, B) support_same_matrix_at((A), (B), __FILE__, __LINE__)
void support_same_matrix_at(const ch_matrix *A, const ch_matrix *B, const char *file, int line);

/* Runs Debian's Python on a script, in the folder, and fails the test when the script fails.
 * Returns 0, without running anything, when Python or one of the modules ("numpy, scipy.io") is
 * missing: the caller skips. */
int support_python(const char *modules, const char *script);
