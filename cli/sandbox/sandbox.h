/* Work in a child process with limits and few rights: for files that another library parses, whose
 * faults must not become ours. */
#pragma once

#include "common/command.h"

typedef struct cli_sandbox {
    const char *file;    /* for messages: what is parsed ...                            */
    const char *library; /* ... and by which library                                    */
    int64_t memory;      /* bytes of address space more than this process has           */
    int64_t seconds;     /* of processor time                                           */
    int writes;          /* it may create files: the filter of system calls is left out */
} cli_sandbox;

/* Calls body(user) in a child and waits for its end. What the child writes is seen here only in
 * memory that was mapped as shared before. Besides, it can read files and write to stderr; it
 * cannot open a file for writing, start a program or reach the network, where the system can filter
 * calls (Linux on x86-64 and arm64). Returns EXIT_DONE when body came to its end; otherwise
 * complains and returns the exit code: 2 when it crashed or took too long, 4 when there was no
 * memory for it, 130 after Ctrl-C. */
int cli_sandbox_run(const cli_sandbox *sandbox, void (*body)(void *user), void *user);
