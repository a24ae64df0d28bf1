/* Messages to users: errors and notes on stderr, wrapped paragraphs for help. */
#pragma once

#include "common/exit_codes.h"
#include <stdio.h>

/* Prints "conehull: ..." and a newline on stderr, after removing a progress bar. Text from data or
 * names cannot control the terminal: see cli_plain(). Returns code, for use as return
 * cli_error(EXIT_FILES, "..."). */
int cli_error(int code, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Prints an error as cli_error() does and returns EXIT_USAGE: the arguments of the command or the
 * data are refused. */
#define cli_refuse(...) cli_error(EXIT_USAGE, __VA_ARGS__)
/* Prints a warning or a note as cli_error() does; returns nothing. */
#define cli_complain(...) ((void)cli_error(EXIT_DONE, __VA_ARGS__))
#define cli_no_memory() cli_error(EXIT_MEMORY, "out of memory")

/* Returns names and terms of the data in printable form, for stdout: ch_text_make_printable() of a
 * copy, which the CLI_PLAIN_KEPT-th later call frees. JSON and files get the original text. */
const char *cli_plain(const char *text);
enum { CLI_PLAIN_KEPT = 8 };

/* Prints "written to FOLDER" on stdout, and the page to open, unless it is NULL. */
void cli_say_written(const char *folder, const char *page);

/* Suppresses all messages, because another process of the same run prints. */
void cli_messages_mute(void);
void cli_messages_unmute(void);
/* Returns the last message, also if it was suppressed. */
const char *cli_last_message(void);

/* Prints the reason for a choice, indented below it. */
void cli_print_reason(FILE *to, const char *reason);

/* Wraps text in lines of at most 80 characters, each starting at column indent. The cursor is at
 * column `at` before the first word. */
void cli_wrap(FILE *to, const char *text, int at, int indent);
