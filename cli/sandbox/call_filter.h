/* A filter of system calls, for the rest of the life of a process. */
#pragma once

/* From now on this process may read files, use memory and threads, and write to what it has open;
 * other calls fail. Returns 0 where the system has no such filter. */
int cli_filter_calls(void);
