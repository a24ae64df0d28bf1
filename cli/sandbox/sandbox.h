/* Work in a child process with limits and few rights, for files that another library parses, so
 * that its faults do not affect this process. */
#pragma once

#include "common/command.h"

typedef struct cli_sandbox {
    const char *file;    /* for messages: the file that is parsed */
    const char *library; /* for messages: the library that parses it */
    int64_t memory;      /* bytes of address space beyond those of this process */
    int64_t seconds;     /* maximum processor time in seconds */
    int writes;          /* 1: the child may create files, so system calls are not filtered */
} cli_sandbox;

/* Calls body(user) in a child and waits for its end. The parent sees what the child writes only in
 * memory that was mapped as shared before. The child can also read files and write to stderr. It
 * cannot open a file for writing, start a program or use the network, if the system can filter
 * calls (Linux on x86-64 and arm64). Returns EXIT_DONE if body returned; otherwise prints an error
 * and returns the exit code: 2 if the child crashed or took too long, 4 if it ran out of memory,
 * 130 after Ctrl-C. */
int cli_sandbox_run(const cli_sandbox *sandbox, void (*body)(void *user), void *user);
