/* What the jobs of the soak share. A job runs through the public calls, gives back all it took and
 * reduces its results to 64 bits. */
#pragma once

#include <conehull/conehull.h>
#include <conehull/text.h>
#include <conehull/video.h>
#include <stddef.h>

enum { ROWS = 60, COLS = 200, RANK = 6 };
enum { FRAMES = 30, WIDTH = 40, HEIGHT = 24, PIXELS = WIDTH * HEIGHT };

typedef uint64_t bits;

typedef struct place {
    ch_context *context;
    ch_matrix X, S;                 /* dense, and the same with most values zero, CSC            */
    uint8_t film[FRAMES * PIXELS];  /* gray, frame after frame                                   */
    uint8_t truth[FRAMES * PIXELS]; /* 1 where somebody walks                                    */
    ch_matrix clip;                 /* a view of the film, FRAMES x PIXELS                       */
    char folder[64];
} place;

typedef struct job {
    const char *name;
    bits (*run)(const place *p);
} job;

extern const job matrix_jobs[], film_jobs[]; /* end with a row without name */

/* Ends the process, with the context's message, when a call has failed, ... */
void check(const place *p, ch_status status, const char *what);
/* ... and when something does not hold. */
void require(int holds, const char *what);

enum { BITS_NONE = 1 };
bits add(bits sum, const void *bytes, size_t count);
bits add_reals(bits sum, const double *values, int64_t count);

/* The path of a file in the folder of the run; good until the next call. */
const char *path_of(const place *p, const char *name);
