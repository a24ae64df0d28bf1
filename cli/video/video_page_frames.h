/* Frames for the page: some of them, reduced, as PNG and JPEG files in memory. */
#ifndef CONEHULL_VIDEO_PAGE_FRAMES_H
#define CONEHULL_VIDEO_PAGE_FRAMES_H

#include "report_video.h"
#include "video/video_command.h"

typedef struct video_film {
    const cli_session *session;
    const video_clip *video;
    report_film film; /* what the page gets */
    int64_t *rows;
    report_blob *blobs;
    int64_t factor; /* one pixel of a picture is factor x factor pixels of the clip           */
    int64_t next;   /* the next of rows                                                       */
    int method;     /* the one that is heard                                                  */
    uint8_t *bytes, *whole, *small;
    double *seconds;
} video_film;

int video_film_create(video_film *film, const cli_session *session, const video_clip *video,
                      int methods);
/* The method of that number is next; what encoding takes is added to *seconds. */
void video_film_turn(video_film *film, int method, double *seconds);
/* A listener of video_mask(). */
int video_film_hear(void *film, const video_block *block);
/* Chooses the frame that is shown first: that with the most movement. */
void video_film_start(video_film *film, const ch_activity *activity);
void video_film_free(video_film *film);

#endif
