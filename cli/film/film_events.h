/* Events of a run of video or live: stretches with movement, as a table, events.csv and JSON. */
#pragma once

#include "common/output_folder.h"
#include <conehull/mask.h>

/* What the command line says of them. */
typedef struct cli_event_choice {
    int events, cut;                           /* --events, --cut                             */
    const char *length, *gap, *margin, *share; /* as typed                                    */
    ch_event_settings set;
    int wanted; /* the table and events.csv: one of these options was given                  */
} cli_event_choice;

extern const cli_option_row cli_event_rows[];
/* Takes the texts apart. Complains itself and returns the exit code. */
int cli_event_take(const cli_session *session, cli_event_choice *choice);

/* A clip that was cut for an event: where it really begins and ends, in the recording. */
typedef struct cli_event_clip {
    int64_t event, file; /* places in their lists */
    char name[48];
    double start, end;
} cli_event_clip;

typedef struct cli_events {
    const cli_session *session;
    const cli_event_choice *choice;
    ch_event_finder *finder;
    ch_event *list;
    int64_t count, room;
    cli_event_clip *clips; /* of --cut (film_cut.c), by file, then by event                  */
    int64_t clip_count, clip_room;
    const char *const *files;
    int64_t frames;     /* that were seen ...                                                */
    double last, space; /* ... the time of the last one, and from the one before it          */
} cli_events;

/* These complain themselves and return the exit code. rate: nominal frames a second. */
int cli_events_begin(cli_events *events, const cli_session *session, const cli_event_choice *choice,
                     double rate);
int cli_events_add(cli_events *events, const ch_activity *activity, int64_t index, double time);
/* No more frames. */
int cli_events_end(cli_events *events);
void cli_events_free(cli_events *events);

/* {events, event_settings}; NULL without memory. */
json_t *cli_events_json(const cli_events *events);
/* The file, if it is wanted. */
int cli_events_write(const cli_events *events, cli_folder *folder, const char *name);
/* The table, if it is wanted. */
void cli_events_print(FILE *to, const cli_events *events);
