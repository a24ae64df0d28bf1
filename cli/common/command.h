/* A command: a row of the table in main.c or lab_main.c, and one file cmd_*.c. */
#ifndef CONEHULL_COMMAND_H
#define CONEHULL_COMMAND_H

#include "options/options.h"
#include <conehull/comm.h>

/* Options that several commands share; each command says which of them mean something to it. */
typedef struct cli_common {
    int64_t threads;
    const char *kernel; /* NULL: the best of this processor */
    int quiet, json, help;
} cli_common;

enum { CLI_THREADS = 1, CLI_QUIET = 2, CLI_JSON = 4, CLI_HELP = 8 };

typedef struct cli_session {
    ch_context *context; /* threads, log and progress are set */
    cli_common common;
    cli_options options;
    void *arguments; /* the command's own, arguments_size bytes */
    int word_count;  /* what stood behind "conehull NAME"       */
    char **words;
    char note[512]; /* the last log line at CH_LOG_INFO: what a reader skipped */
} cli_session;

typedef struct cli_command {
    const char *name, *summary;
    const char *synopsis; /* what follows "conehull NAME"                             */
    const char *about;    /* paragraphs before the options                            */
    const char *details;  /* after the options: stopping tests, files, ...            */
    const char *examples;
    const char *program; /* the program beside this one that has it, or NULL: this one  */
    int common;          /* CLI_THREADS | ...                                                  */
    int ranks;           /* may run on several at once                                         */
    size_t arguments_size;
    void (*describe)(cli_options *options, void *arguments); /* adds the command's own options */
    int (*run)(cli_session *session);                        /* returns the exit code          */
} cli_command;

extern const cli_command cli_cmd_anchors, cli_cmd_demo, cli_cmd_exemplars, cli_cmd_info,
    cli_cmd_live, cli_cmd_project, cli_cmd_stream, cli_cmd_text, cli_cmd_topics, cli_cmd_verify,
    cli_cmd_video;

/* Complains with the reason of a failed call, "file: " before it unless file is NULL, and returns
 * the exit code. */
int cli_fail(const cli_session *session, ch_status status, const char *file);

/* The same with a word behind the file (cli_input_turned()). */
int cli_fail_about(const cli_session *session, ch_status status, const char *file,
                   const char *turned);

#endif
