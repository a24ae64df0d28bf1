/* Films for the separation of background and moving objects. */
#pragma once

#include "harness/harness.h"
#include <conehull/clip.h>

typedef struct bench_film {
    ch_clip clip;   /* read; its luma is X ...                                           */
    uint8_t *made;  /* ... or made: pixel after pixel                                     */
    ch_matrix X;    /* frames x pixels                                                    */
    ch_masks truth; /* frame: row of X                                                    */
    char data[BENCH_TEXT];
} bench_film;

/* A part of a sequence of the data; what is made where there are none. */
typedef struct bench_scene {
    const char *folder, *title; /* "airport_hall", "Airport Hall"                       */
    int64_t from, frames, step; /* frames 0: to the end                                 */
    int64_t made;               /* frames of a made film                                */
} bench_scene;

extern const bench_scene bench_window; /* 200 frames of the Lobby */

/* Complains itself and returns the exit code; close in any case. */
int bench_film_open(const bench_run *run, bench_film *f, const bench_scene *of);
void bench_film_close(const bench_run *run, bench_film *f);
