/* Some frames of a run, reduced, as PNG and JPEG files in memory, for its page. They are evenly
 * spread however long the run is: whenever there are too many, every second one goes. */
#pragma once

#include "film/film_pictures.h"
#include "report_pages.h"

typedef struct cli_stills {
    report_film film; /* what the page gets */
    const cli_session *session;
    cli_pictures *pictures;
    cli_film_shape shape;
    int64_t *rows;
    uint8_t *known; /* there is a known mask of the frame */
    report_blob *blobs;
    int64_t spacing, known_spacing, known_seen;
    int64_t spread_count, known_count, next; /* next: of the rows, for further methods         */
    int64_t factor; /* one pixel of a picture is factor x factor pixels of the clip           */
    int64_t width, height;
    uint8_t *memory, *planes[3], *background[3], *mask, *rgb;
    uint32_t *sums;
} cli_stills;

/* Complain themselves, and return the exit code. frames: how many there will be; 0: not known. */
int cli_stills_create(cli_stills *stills, cli_pictures *pictures, int methods, int64_t frames);
/* Frame `row` of the run (from 0, rising) by that method; all frames of the first method come
 * before those of the others. known: there is a mask to compare it with. */
int cli_stills_add(cli_stills *stills, int method, int64_t row, int known, const cli_moment *now);
/* Whether that call may need the background of the frame. */
int cli_stills_want(const cli_stills *stills, int method, int64_t row, int known);
/* The frame with the most movement is shown first; share: of each row. */
void cli_stills_start(cli_stills *stills, const ch_activity *activity);
void cli_stills_free(cli_stills *stills);
