/* Events as clips: pieces of the recording's files, copied without encoding anything anew. */
#pragma once

#include "film/film_events.h"

/* The files of a recording, one after the other, and the second of it at which each begins. Files
 * that were not reached have none. */
typedef struct cli_recording {
    const char *const *files;
    int64_t count; /* files ...                                                              */
    double *start; /* ... and those of them that were reached                                */
    int64_t reached;
} cli_recording;

/* Checks that the files can be cut. These functions print errors and return the exit code. */
int cli_cut_check(const cli_session *session, const char *const *files, int64_t count);
/* Files 0 to `file` begin at start[]. */
int cli_recording_note(cli_recording *recording, int64_t file, const double *start);
/* Returns {files: [{file, start}]} for the files read so far. */
json_t *cli_recording_json(const cli_recording *recording);
void cli_recording_free(cli_recording *recording);
/* Writes the clips of all events, and adds to the events where they are. */
int cli_cut_events(cli_events *events, cli_folder *folder, const cli_recording *recording);
/* What an earlier run may have left: patterns, NULL at the end. */
extern const char *const cli_cut_names[];
