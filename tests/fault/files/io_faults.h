/* The faults of io_faults.c in a program that it is linked to. */
#pragma once

/* From here on this fault ("broken 3"), NULL: none, for files whose path holds `path`; it is
 * counted from 0 again. */
void io_faults_set(const char *fault, const char *path);
/* How often it was met since. */
long io_faults_met(void);
