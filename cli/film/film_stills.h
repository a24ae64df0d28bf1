/* Some frames of a run, reduced, as PNG and JPEG files in memory, for its page. They are evenly
 * spread over a run of any length: whenever there are too many, every second frame is dropped. */
#pragma once

#include "film/film_pictures.h"
#include "report_pages.h"

typedef struct cli_stills {
    report_film film; /* the frames in the form that the page needs */
    const cli_session *session;
    cli_pictures *pictures;
    cli_film_shape shape;
    int64_t *rows;
    uint8_t *known; /* per frame: 1 if it has a known mask */
    report_blob *blobs;
    int64_t spacing, known_spacing, known_seen;
    /* next: index of the next row, for methods after the first */
    int64_t spread_count, known_count, next;
    int64_t factor; /* one pixel of a picture is factor x factor pixels of the clip */
    int64_t width, height;
    uint8_t *memory, *planes[3], *background[3], *mask, *rgb;
    uint32_t *sums;
} cli_stills;

/* Functions that return int, except cli_stills_want(), print errors and return the exit code.
 * frames: number of frames of the run; 0: not known. */
int cli_stills_create(cli_stills *stills, cli_pictures *pictures, int methods, int64_t frames);
/* Adds frame `row` of the run (from 0, increasing) with the results of a method, if it is selected.
 * All frames of a method come before those of the next method. known: the frame has a known
 * mask. */
int cli_stills_add(cli_stills *stills, int method, int64_t row, int known, const cli_moment *now);
/* Returns whether cli_stills_add() for this frame may need its background. */
int cli_stills_want(const cli_stills *stills, int method, int64_t row, int known);
/* Selects the frame with the most movement as the one that is shown first. activity: one entry per
 * row. */
void cli_stills_start(cli_stills *stills, const ch_activity *activity);
void cli_stills_free(cli_stills *stills);
