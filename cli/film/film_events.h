/* Events of a run of video or live: periods with movement. They are reported as a table, as
 * events.csv and as JSON. */
#pragma once

#include "common/output_folder.h"
#include <conehull/mask.h>

/* The options of events. */
typedef struct cli_event_choice {
    int events, cut;                           /* --events, --cut */
    const char *length, *gap, *margin, *share; /* as typed        */
    ch_event_settings set;
    int wanted; /* one of these options was given, so the table and events.csv are written */
} cli_event_choice;

extern const cli_option_row cli_event_rows[];
/* Parses the texts into choice->set. Prints errors and returns the exit code. */
int cli_event_take(const cli_session *session, cli_event_choice *choice);

/* A clip that was cut for an event. start and end are its actual times in the recording. */
typedef struct cli_event_clip {
    int64_t event, file; /* indices of the event and of the file */
    char name[48];
    double start, end;
} cli_event_clip;

typedef struct cli_events {
    const cli_session *session;
    const cli_event_choice *choice;
    ch_event_finder *finder;
    ch_event *list;
    int64_t count, room;
    cli_event_clip *clips; /* clips of --cut (film_cut.c), sorted by file, then by event */
    int64_t clip_count, clip_room;
    const char *const *files;
    int64_t frames;     /* number of frames so far */
    double last, space; /* time of the last frame; time between the last two frames */
} cli_events;

/* The functions print errors and return the exit code. rate: nominal number of frames per
 * second. */
int cli_events_begin(cli_events *events, const cli_session *session, const cli_event_choice *choice,
                     double rate);
int cli_events_add(cli_events *events, const ch_activity *activity, int64_t index, double time);
/* Ends the events after the last frame. */
int cli_events_end(cli_events *events);
void cli_events_free(cli_events *events);

/* Returns {events, event_settings}, or NULL if memory is short. */
json_t *cli_events_json(const cli_events *events);
/* Writes the file `name`, if it is requested. */
int cli_events_write(const cli_events *events, cli_folder *folder, const char *name);
/* Prints the table, if it is requested. */
void cli_events_print(FILE *to, const cli_events *events);
