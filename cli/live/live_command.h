/* What the parts of `conehull live` share. Unless it says otherwise, a call complains itself and
 * returns the exit code. */
#pragma once

#include "common/output_folder.h"
#include "common/try.h"
#include "film/film_boxes.h"
#include "film/film_cut.h"
#include "film/film_files.h"
#include "film/film_stills.h"
#include "live/live_page.h"
#include "options/region_option.h"
#include <conehull/clip.h>
#include <conehull/feed.h>
#include <conehull/live.h>
#include <conehull/metrics.h>

/* ---- live_options.c ---- */

typedef struct live_arguments {
    ch_feed_settings feed;
    ch_live_settings live;
    ch_mask_settings mask; /* of live */
    const char *rank, *absorb, *output, *write, *show, *truth, *page, *roi;
    cli_region region;
    int port; /* of --page; -1: none */
    int freeze;
    int lossless;
    cli_film_choice choice; /* files of a folder ...                    */
    cli_event_choice event;
    int pipe;       /* -o -                                     */
    cli_view shown; /* ... and what goes through it             */
} live_arguments;

void live_options_describe(cli_options *options, void *arguments);
int live_options_take(const cli_session *session, live_arguments *given);
/* --absorb in frames, for a source of this rate. */
int live_options_absorb(live_arguments *given, double rate);

/* ---- live_latency.c: percentiles in fixed memory ---- */

enum { LIVE_LEVELS = 2000 };
typedef struct live_latency {
    int64_t count, level[LIVE_LEVELS]; /* by steps of 1 %, from a microsecond on               */
    double sum, most;
} live_latency;
void live_latency_add(live_latency *latency, double seconds);
/* The smallest value that is not below `share` of all, to 1 %; NaN without any. */
double live_latency_at(const live_latency *latency, double share);

/* ---- live_pipe.c: YUV4MPEG2 on standard output ---- */

int live_pipe_begin(const ch_picture *shape, double rate);
/* EXIT_INTERRUPTED: Ctrl-C while the reader did not read. buffer: 3 bytes a pixel. */
int live_pipe_add(const ch_picture *picture, uint8_t *buffer);

/* ---- live_activity.c: activity.csv, and its curve for the page ---- */

enum { LIVE_CURVE_POINTS = 2048 };
typedef struct live_activity {
    cli_folder *folder;
    ch_output_file *file; /* NULL: not written, or failed */
    char *path;
    struct live_point {
        int64_t index, objects;
        double time, share;
    } points[LIVE_CURVE_POINTS]; /* stretches of `spacing` frames: the first one, the most      */
    int64_t count, spacing, rows;
} live_activity;
int live_activity_open(live_activity *activity, cli_folder *folder);
int live_activity_add(live_activity *activity, const ch_activity *now, const cli_moment *moment);
int live_activity_close(live_activity *activity, int code);
/* index, time and activity, as the page wants them. */
json_t *live_activity_json(const live_activity *activity);

/* ---- live_output.c: the files of a folder, or the pipe ---- */

typedef struct live_output {
    const cli_session *session;
    live_arguments *given;
    cli_pictures pictures;
    cli_folder folder;
    int open; /* the folder is                                                                 */
    cli_films films;
    uint8_t *buffer;
    int64_t written;
    live_page *page;
    cli_stills stills;
    live_activity activity;
    cli_boxes boxes;
} live_output;
int live_output_open(live_output *output, const cli_session *session, live_arguments *given,
                     const ch_feed_info *info);
/* Whether the next frame's background is needed for what is written or shown. */
int live_output_wants_background(const live_output *output);
int live_output_add(live_output *output, const ch_activity *activity, const cli_moment *now);
/* For the page, if there is one and somebody looks; in the warm-up too. */
int live_output_show(live_output *output, const cli_moment *now, const ch_live_result *result,
                     int warnings);
/* Finishes the files if there are frames, whatever code says; scores (or NULL) goes beside them.
 * Files that cannot be finished are given up, and given->choice no longer names them. */
int live_output_close(live_output *output, int code, ch_live *live, const json_t *scores,
                      const cli_events *events);

/* ---- live_truth.c: known masks, and what they share with regions ---- */

/* The shape of the source's pictures, for what must fit them. */
ch_clip live_shape(const ch_feed_info *info);

typedef struct live_truth {
    ch_masks masks;
    int64_t found, next, used;
    ch_scorer *scorer;
    ch_pixel_counts counts;
    ch_roc roc;
} live_truth;
int live_truth_read(const cli_session *session, live_truth *truth, const char *folder,
                    const ch_feed_info *info);
/* Whether the frame of that number has a mask. */
int live_truth_has(live_truth *truth, int64_t index);
int live_truth_add(const cli_session *session, live_truth *truth, const ch_live_result *result,
                   const uint8_t *watched, int64_t pixels);
void live_truth_free(const cli_session *session, live_truth *truth);

/* ---- live_run.c ---- */

typedef struct live_run {
    const cli_session *session;
    live_arguments *given;
    ch_feed *feed;
    ch_feed_info info;
    ch_live *live;
    ch_live_info model;     /* at the end                                                       */
    uint8_t *watched;       /* 0 where nothing is learned nor found; NULL: all is watched       */
    int64_t held, learning; /* bytes */
    live_output output;
    live_truth truth;
    live_latency latency;
    int64_t frames, active; /* taken; with something in their masks                            */
    cli_events events;
    cli_recording recording;
    struct live_place {
        double time;
        int64_t index;
    } * warm_up; /* of its frames: time stamp and number                                      */
    double start, read, process, write, learn, total; /* seconds                               */
    const char *status; /* "done", "interrupted", "stopped"                                    */
    json_t *scores;     /* of scores.json; NULL: nothing was seen after the warm-up            */
} live_run;

/* Free the run in any case. */
int live_run_all(live_run *run, const cli_session *session, live_arguments *given);
void live_run_free(live_run *run);

/* live_json.c, live_print.c: the answer. */
json_t *live_json(const live_run *run);
void live_print(const live_run *run);
