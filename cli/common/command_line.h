/* The command as it was typed, so that a result says how to get it again. */
#ifndef CONEHULL_COMMAND_LINE_H
#define CONEHULL_COMMAND_LINE_H

#include "common/command.h"

/* "conehull video clip.mp4 -r 2 -o out", words quoted for a shell where they need it; to be freed.
 * NULL without memory. */
char *cli_command_line(const cli_session *session);

#endif
