/* conehull topics: the request, and the outputs. */
#pragma once

#include "common/output_folder.h"
#include "common/try.h"
#include "text/text_input.h"
#include <conehull/topics.h>

typedef struct topics_arguments {
    cli_text text;
    ch_topics_settings settings;
    const char *rank, *folder, *coherence; /* coherence: "npmi" or "umass"              */
    int64_t *ranks;                        /* numbers to try, increasing                */
    int rank_count, automatic;             /* automatic: -r auto                        */
    int largest, smallest; /* the largest, or the smallest, of several numbers was chosen */
    json_t *sweep;         /* results of each of several numbers; NULL: a single
                                              number */
    int64_t last;          /* number of topics that the last run of the sweep found */
    json_t *equals;        /* smaller numbers within `error` of the largest coherence */
    double error;          /* standard error of the largest coherence */
} topics_arguments;

/* topics_json.c: the object for --json and topics.json, without seconds.write. NULL if memory is
 * short. */
json_t *topics_json(const cli_session *session, const topics_arguments *given,
                    const ch_topics *topics);
/* Mean over the topics whose coherence is known: those of two words or more. NaN if there is
 * none. */
double topics_mean(const ch_topics *topics, const double *coherence);

/* topics_files.c: writes the folder. The time goes to *seconds and seconds.write. Prints an error
 * and returns the exit code. */
int topics_write(const cli_session *session, const topics_arguments *given, const ch_topics *topics,
                 json_t *json, double *seconds);

/* topics_print.c: prints the result; seconds is the time for the folder. */
void topics_print(const topics_arguments *given, const ch_topics *topics, double seconds);
