/* -r N, or -r auto where a command can choose: the words that are refused are refused alike. */
#ifndef CONEHULL_RANK_OPTION_H
#define CONEHULL_RANK_OPTION_H

#include "common/command.h"

/* Sets `rank` of the settings to the number in text. Complains of anything else, with the bounds of
 * the table, and returns the exit code. "auto" is the caller's; or_auto: it would be understood. */
int cli_rank_take(const cli_session *session, const ch_settings_table *table, void *settings,
                  const char *text, int or_auto);

#endif
