/* Messages to people: errors and notes on stderr, wrapped paragraphs for help. */
#pragma once

#include "common/exit_codes.h"
#include <stdio.h>

/* "conehull: ..." and a newline on stderr, after taking a progress bar away. What came out of data
 * or names cannot steer the terminal: see cli_plain(). Returns code: return cli_error(EXIT_FILES,
 * "..."). */
int cli_error(int code, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The same with EXIT_USAGE: the arguments of the command, or the data, are refused. */
#define cli_refuse(...) cli_error(EXIT_USAGE, __VA_ARGS__)
/* The same without a code: a warning, a note. */
#define cli_complain(...) ((void)cli_error(EXIT_DONE, __VA_ARGS__))
#define cli_no_memory() cli_error(EXIT_MEMORY, "out of memory")

/* Names and terms of the data, as people may see them on stdout: ch_text_make_printable() of a
 * copy, which the CLI_PLAIN_KEPT-th call after this one frees. JSON and files get the text itself.
 */
const char *cli_plain(const char *text);
enum { CLI_PLAIN_KEPT = 8 };

/* "written to FOLDER" on stdout, and which page of it to look at, unless that is NULL. */
void cli_say_written(const char *folder, const char *page);

/* Nothing from now on: another process of the same run prints. */
void cli_messages_mute(void);
void cli_messages_unmute(void);
/* The last one, also while they are muted. */
const char *cli_last_message(void);

/* Why something was chosen, indented under what was. */
void cli_print_reason(FILE *to, const char *reason);

/* Text in lines of at most 80 characters, each starting at column indent. The cursor is at column
 * `at` before the first word. */
void cli_wrap(FILE *to, const char *text, int at, int indent);
