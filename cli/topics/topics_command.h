/* conehull topics: what was asked for, and what is made of the answer. */
#pragma once

#include "common/output_folder.h"
#include "common/try.h"
#include "text/text_input.h"
#include <conehull/topics.h>

typedef struct topics_arguments {
    cli_text text;
    ch_topics_settings settings;
    const char *rank, *folder, *coherence; /* coherence: "npmi" or "umass" */
    int64_t *ranks;                        /* to try, rising                */
    int rank_count, automatic;             /* automatic: -r auto */
    int largest;                           /* of several the largest was taken */
    json_t *sweep;                         /* what each of several gave; NULL: one was asked for */
} topics_arguments;

/* topics_json.c: what --json prints and topics.json holds, but for seconds.write. NULL without
 * memory. */
json_t *topics_json(const cli_session *session, const topics_arguments *given,
                    const ch_topics *topics);
/* Over the topics whose coherence is known: those of two words or more. NaN without any. */
double topics_mean(const ch_topics *topics, const double *coherence);

/* topics_files.c: the folder. What that took goes to *seconds and seconds.write. Complains itself,
 * returns the exit code. */
int topics_write(const cli_session *session, const topics_arguments *given, const ch_topics *topics,
                 json_t *json, double *seconds);

/* topics_print.c: the answer for people; seconds: of the folder. */
void topics_print(const topics_arguments *given, const ch_topics *topics, double seconds);
