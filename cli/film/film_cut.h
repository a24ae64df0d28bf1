/* Cuts events out of a recording as clips, which are copied from its files without encoding. */
#pragma once

#include "film/film_events.h"

/* The files of a recording, in order, and the time in seconds at which each begins. The time of
 * files that were not reached is not known. */
typedef struct cli_recording {
    const char *const *files;
    int64_t count; /* number of files */
    double *start; /* begin of the files 0 .. reached - 1 */
    int64_t reached;
} cli_recording;

/* Checks that the files can be cut. These functions print errors and return the exit code. */
int cli_cut_check(const cli_session *session, const char *const *files, int64_t count);
/* Stores that files 0 .. `file` begin at the times start[]. */
int cli_recording_note(cli_recording *recording, int64_t file, const double *start);
/* Returns {files: [{file, start}]} for the files read so far. */
json_t *cli_recording_json(const cli_recording *recording);
void cli_recording_free(cli_recording *recording);
/* Writes the clips of all events, and adds their names and times to events->clips. */
int cli_cut_events(cli_events *events, cli_folder *folder, const cli_recording *recording);
/* Patterns of the names of clips, which an earlier run may have written; ended by NULL. */
extern const char *const cli_cut_names[];
