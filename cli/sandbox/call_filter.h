/* A filter of system calls for the rest of a process. */
#pragma once

/* From now on this process may read files, use memory and threads, and write to open files; other
 * calls fail. Returns 0 if the system has no such filter. */
int cli_filter_calls(void);
