/* Declarations shared by the files of `conehull live`. Unless its comment states otherwise, a
 * function that returns int prints errors and returns the exit code. */
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
    ch_mask_settings mask; /* the mask settings of `live` */
    const char *rank, *absorb, *output, *write, *show, *truth, *page, *roi;
    cli_region region;
    int port; /* port of --page; -1: no page */
    int freeze;
    int lossless;
    cli_film_choice choice; /* the files to write, if -o is a folder */
    cli_event_choice event;
    int pipe;       /* 1: -o -, the output is a pipe */
    cli_view shown; /* the view that is written to the pipe */
} live_arguments;

void live_options_describe(cli_options *options, void *arguments);
int live_options_take(const cli_session *session, live_arguments *given);
/* Converts --absorb to frames, for a source with this number of frames per second. */
int live_options_absorb(live_arguments *given, double rate);

/* ---- live_latency.c: percentiles in fixed memory ---- */

enum { LIVE_LEVELS = 2000 };
typedef struct live_latency {
    /* level: histogram in steps of 1 %, from one microsecond on */
    int64_t count, level[LIVE_LEVELS];
    double sum, most;
} live_latency;
void live_latency_add(live_latency *latency, double seconds);
/* Returns the quantile `share` (0 to 1) of the latencies in seconds, accurate to 1 %; NaN if there
 * are none. */
double live_latency_at(const live_latency *latency, double share);

/* ---- live_pipe.c: YUV4MPEG2 on standard output ---- */

int live_pipe_begin(const ch_picture *shape, double rate);
/* Writes a picture. buffer: workspace of 3 bytes per pixel. Returns EXIT_INTERRUPTED after Ctrl-C
 * while the reader of the pipe did not read. */
int live_pipe_add(const ch_picture *picture, uint8_t *buffer);

/* ---- live_activity.c: activity.csv, and its curve for the page ---- */

enum { LIVE_CURVE_POINTS = 2048 };
typedef struct live_activity {
    cli_folder *folder;
    ch_output_file *file; /* NULL: the file is not written, or writing it failed */
    char *path;
    struct live_point {
        int64_t index, objects;
        double time, share;
        /* per stretch of `spacing` frames: its first frame, its largest activity */
    } points[LIVE_CURVE_POINTS];
    int64_t count, spacing, rows;
} live_activity;
int live_activity_open(live_activity *activity, cli_folder *folder);
int live_activity_add(live_activity *activity, const ch_activity *now, const cli_moment *moment);
int live_activity_close(live_activity *activity, int code);
/* Returns index, time and activity in the form that the page needs. */
json_t *live_activity_json(const live_activity *activity);

/* ---- live_output.c: the files of a folder, or the pipe ---- */

typedef struct live_output {
    const cli_session *session;
    live_arguments *given;
    cli_pictures pictures;
    cli_folder folder;
    int open; /* 1: the folder is open */
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
/* Returns whether the background of the next frame is needed for a file, the pipe or the page. */
int live_output_wants_background(const live_output *output);
int live_output_add(live_output *output, const ch_activity *activity, const cli_moment *now);
/* Shows the frame on the page, if there is one and a browser requests pictures; also in the
 * warm-up. */
int live_output_show(live_output *output, const cli_moment *now, const ch_live_result *result,
                     int warnings);
/* Completes the files if frames were written, for any code; scores, unless NULL, becomes
 * scores.json. Files that cannot be completed are removed, also from given->choice. Returns `code`,
 * or the exit code of a failure. */
int live_output_close(live_output *output, int code, ch_live *live, const json_t *scores,
                      const cli_events *events);

/* ---- live_truth.c: known masks ---- */

/* Returns a clip with the shape of the pictures of the source, for known masks and regions, which
 * must have this shape. */
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
/* Returns whether the frame with this number has a known mask. */
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
    ch_live_info model;     /* state at the end of the run */
    uint8_t *watched;       /* per pixel: 0 if it is ignored; NULL: all pixels are watched */
    int64_t held, learning; /* bytes of memory */
    live_output output;
    live_truth truth;
    live_latency latency;
    int64_t frames, active; /* number of frames; number of frames with foreground */
    cli_events events;
    cli_recording recording;
    struct live_place {
        double time;
        int64_t index;
    } * warm_up; /* time stamps and numbers of the frames of the warm-up */
    double start, read, process, write, learn, total; /* seconds */
    const char *status; /* "done", "interrupted", "stopped"                             */
    json_t *scores;     /* object of scores.json; NULL: no frame came after the warm-up */
} live_run;

/* Runs the command. The caller must call live_run_free(), whatever the exit code. */
int live_run_all(live_run *run, const cli_session *session, live_arguments *given);
void live_run_free(live_run *run);

/* live_json.c, live_print.c: return or print the result. */
json_t *live_json(const live_run *run);
void live_print(const live_run *run);
