/* The page of `conehull video`: a player, and everything that scores.json says. */
#ifndef CONEHULL_REPORT_VIDEO_H
#define CONEHULL_REPORT_VIDEO_H

#include <jansson.h>
#include <stdint.h>
#include <stdio.h>

/* A picture as a file in memory. */
typedef struct report_blob {
    const char *type; /* "image/jpeg"; NULL: no picture */
    uint8_t *bytes;
    size_t length;
} report_blob;

enum report_view {
    REPORT_ORIGINAL = 0,
    REPORT_BACKGROUND = 1,
    REPORT_MASK = 2,
    REPORT_OVERLAY = 3,
    REPORT_VIEWS = 4
};

/* Some frames of the clip, reduced. */
typedef struct report_film {
    int64_t count;
    const int64_t *rows; /* count: which frames of "index" and "time" of the scores          */
    int methods;
    const report_blob *blobs; /* blobs[(i * methods + method) * REPORT_VIEWS + view]; the
                                 original with the first method only                         */
    int64_t start;            /* the one that is shown first                                 */
} report_film;

/* scores: the object of scores.json (docs/video.md). */
void report_video_write(FILE *to, const json_t *scores, const report_film *film);

/* ---- for the parts of the page ---- */

/* results[] of several methods, or the object itself; never NULL. */
const json_t *report_video_result(const json_t *scores, size_t i);
size_t report_video_count(const json_t *scores);
/* Numbers of an array (null: NaN), to be freed; NULL when there are none. */
double *report_reals(const json_t *array, int *count);
const char *report_string(const json_t *object, const char *key);
double report_real(const json_t *object, const char *key);

/* Each a section of its own; some write nothing when the scores hold nothing for them. */
void report_video_activity(FILE *to, const json_t *scores);
void report_video_anchors(FILE *to, const json_t *scores, const report_film *film);
void report_video_rank(FILE *to, const json_t *scores);
void report_video_roc(FILE *to, const json_t *scores);

#endif
