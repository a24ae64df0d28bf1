/* Films for the separation of background and moving objects. */
#pragma once

#include "harness/harness.h"
#include <conehull/clip.h>

typedef struct bench_film {
    ch_clip clip;   /* a film that was read; X is its luma        */
    uint8_t *made;  /* values of a generated film, pixel by pixel */
    ch_matrix X;    /* frames x pixels                            */
    ch_masks truth; /* frame: row of X                            */
    char data[BENCH_TEXT];
} bench_film;

/* A part of a sequence in the data folder; if there are no data, a film is generated. */
typedef struct bench_scene {
    const char *folder, *title; /* "airport_hall", "Airport Hall"       */
    int64_t from, frames, step; /* frames 0: up to the end              */
    int64_t made;               /* number of frames of a generated film */
} bench_scene;

extern const bench_scene bench_window; /* 200 frames of the Lobby */

/* Reads or generates the film. Prints errors and returns the exit code. The caller must call
 * bench_film_close(), whatever the exit code. */
int bench_film_open(const bench_run *run, bench_film *f, const bench_scene *of);
void bench_film_close(const bench_run *run, bench_film *f);
