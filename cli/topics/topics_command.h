/* conehull topics: what was asked for, and what is made of the answer. */
#ifndef CONEHULL_TOPICS_COMMAND_H
#define CONEHULL_TOPICS_COMMAND_H

#include "common/command.h"
#include "text/text_input.h"
#include <conehull/topics.h>
#include <jansson.h>

typedef struct topics_arguments {
    cli_text text;
    ch_topics_settings settings;
    const char *rank, *folder, *coherence; /* coherence: "npmi" or "umass" */
} topics_arguments;

/* topics_json.c: what --json prints and topics.json holds, but for seconds.write. NULL without
 * memory. */
json_t *topics_json(const cli_session *session, const topics_arguments *given,
                    const ch_topics *topics);

/* topics_files.c: the folder. Adds seconds.write. Complains itself, returns the exit code. */
int topics_write(const cli_session *session, const topics_arguments *given, const ch_topics *topics,
                 json_t *json);

/* topics_print.c: the answer for people. */
void topics_print(const json_t *json);

#endif
