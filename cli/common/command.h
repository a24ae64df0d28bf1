/* A command: a row of the table in main.c or lab_main.c, a folder cli/<command>, and in it one file
 * cmd_<command>.c with its help and its run.
 *
 * A command of several files has one header for what they share, <command>_command.h: arguments,
 * data and results as structs, and the functions of each file under the file's name. A file has its
 * own header only if its subject is independent of the command (the server of a page, lines from
 * standard input), or if another command uses it. This header includes what all commands need: the
 * session, exit codes, messages, options, JSON, and the memory and strings of the C library. */
#pragma once

#include "common/exit_codes.h"
#include "common/json.h"
#include "common/message.h"
#include "options/options.h"
#include <conehull/comm.h>
#include <stdlib.h>
#include <string.h>

/* Options that several commands share; each command selects those it supports. */
typedef struct cli_common {
    size_t size; /* must be the first member, as in all settings */
    int64_t threads;
    const char *kernel; /* NULL for the best of this processor */
    int quiet, json, help, help_all;
} cli_common;

enum { CLI_THREADS = 1, CLI_QUIET = 2, CLI_JSON = 4, CLI_HELP = 8, CLI_HELP_ALL = 16 };

enum { CLI_NOTE = 512 };
typedef struct cli_session {
    ch_context *context; /* threads, log and progress are set */
    cli_common common;
    cli_options options;
    void *arguments; /* the arguments struct of the command, arguments_size bytes */
    int argc;        /* the arguments after "conehull NAME"                       */
    char **argv;
    /* CLI_NOTE bytes, or NULL: the last log line at CH_LOG_INFO, for example what a reader
     * skipped. */
    char *note;
} cli_session;

typedef struct cli_command {
    const char *name, *summary;
    const char *synopsis; /* text after "conehull NAME"                    */
    const char *about;    /* paragraphs before the options                 */
    const char *details;  /* after the options: stopping tests, files, ... */
    const char *examples;
    const char *exit_one;    /* what exit code 1 means, or NULL; see cli_exit_codes_print()  */
    const char *intro;       /* paragraph of the short help, instead of the first of about   */
    const cli_basic *basics; /* options of the short help, or NULL                           */
    const char *program;     /* the separate program that has the command; NULL for this one */
    const char *const *(*files)(void); /* suffixes of its operands, ended by NULL; NULL for any */
    int common;                        /* CLI_THREADS | ...                                     */
    int ranks;                         /* whether it may run on several processes               */
    size_t arguments_size;
    const char *operand;        /* the name of the only operand, or NULL */
    const cli_option_row *rows; /* its own options, or NULL */
    void (*describe)(cli_options *options, void *arguments); /* adds further options; or NULL */
    int (*run)(cli_session *session);                        /* returns the exit code */
    /* Files that may be replaced or removed in --output, as patterns of fnmatch(), ended by NULL.
     * NULL if none of them could be an input (input_guard.h). */
    const char *const *writes;
} cli_command;

extern const cli_command cli_cmd_anchors, cli_cmd_demo, cli_cmd_exemplars, cli_cmd_info,
    cli_cmd_live, cli_cmd_project, cli_cmd_stream, cli_cmd_text, cli_cmd_topics, cli_cmd_unmix,
    cli_cmd_verify, cli_cmd_video;

/* Converts the status of a library call. Returns EXIT_DONE, also for a positive status, and
 * EXIT_INTERRUPTED if the call was cancelled. After a failure it prints the reason and returns the
 * exit code. */
#define cli_check(session, status) cli_check_file(session, status, NULL)
/* Like cli_check(), and prints "file: " before the reason. */
int cli_check_file(const cli_session *session, ch_status status, const char *file);

/* Like cli_check_file(), for a status that is known to be a failure. file may be NULL. */
int cli_fail(const cli_session *session, ch_status status, const char *file);

/* Prints a message about wrong usage, "NAME: ...; see 'conehull NAME --help'", and returns
 * EXIT_USAGE. */
int cli_wrong_use(const cli_session *session, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Returns whether this process is alone, or the one of several that prints and writes. */
int cli_is_first(const cli_session *session);

/* Returns the command as typed, so that a result shows how to reproduce it: "conehull video
 * clip.mp4 -r 2 -o out", with arguments quoted for a shell if needed. The caller frees it. NULL
 * without memory. */
char *cli_command_line(const cli_session *session);

/* The log callback of a session, which is its user pointer: prints warnings and notes to stderr
 * unless --quiet, and stores the last note for results. */
void cli_hear_log(ch_log_level level, const char *message, void *session);

/* Returns seconds on a monotonic clock. */
double cli_seconds(void);
