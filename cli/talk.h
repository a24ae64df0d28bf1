/* Words to people: errors and notes on stderr, wrapped paragraphs for help. */
#ifndef CONEHULL_CLI_TALK_H
#define CONEHULL_CLI_TALK_H

#include <stdio.h>

/* "conehull: ..." and a newline on stderr, after taking a progress bar away. */
void cli_complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Nothing from now on: another rank speaks. */
void cli_talk_mute(void);

/* Text in lines of at most 80 characters, each starting at column indent. The cursor is at column
 * `at` before the first word. */
void cli_wrap(FILE *to, const char *text, int at, int indent);

#endif
