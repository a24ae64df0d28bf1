/* Films for the separation of background and moving objects. */
#ifndef CONEHULL_FILM_H
#define CONEHULL_FILM_H

#include "harness/harness.h"
#include <conehull/clip.h>

typedef struct bench_film {
    ch_clip clip;   /* read; its luma is X ...                                           */
    uint8_t *made;  /* ... or made: pixel after pixel                                     */
    ch_matrix X;    /* frames x pixels                                                    */
    ch_masks truth; /* frame: row of X                                                    */
    char data[BENCH_TEXT];
} bench_film;

/* 200 frames, or with `full` a whole sequence (a fifth of it with --quick): of the Lobby, or made.
 * Complains itself and returns the exit code; close in any case. */
int bench_film_open(const bench_run *run, bench_film *f, int full);
void bench_film_close(const bench_run *run, bench_film *f);

#endif
