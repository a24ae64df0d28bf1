/* Lists of ranks: 20, 10,20,50 or 10:150:10. */
#pragma once

#include "common/command.h"

/* *ranks, for free(), is increasing without duplicates. Prints an error and returns the exit code;
 * *ranks may be set then, too. */
int cli_rank_list(const cli_session *session, int64_t **ranks, int *count, const char *text);
