/* Declarations shared by the files of `conehull video`: the arguments of the command, the clip, one
 * result per method. Unless its comment states otherwise, a function that returns int prints errors
 * and returns the exit code. */
#pragma once

#include "common/output_folder.h"
#include "common/try.h"
#include "film/film_boxes.h"
#include "film/film_cut.h"
#include "film/film_files.h"
#include "film/film_stills.h"
#include "options/checkpoint_option.h"
#include "options/region_option.h"
#include <conehull/clip.h>
#include <conehull/feed.h>
#include <conehull/live.h>
#include <conehull/mask.h>
#include <conehull/metrics.h>
#include <conehull/separate.h>

enum { VIDEO_METHODS_MAX = 6, VIDEO_PLANES_MAX = 3 };
/* number of parts: luma, and the planes of a colour clip */
enum { VIDEO_PARTS = 1 + VIDEO_PLANES_MAX };

/* ---- video_options.c ---- */

/* The arguments. video_options_take() parses those that are texts. */
typedef struct video_arguments {
    ch_clip_settings clip;
    ch_separate_settings separate;
    ch_mask_settings mask;
    const char *rank, *method, *roi, *memory, *truth, *save, *model, *busy, *folder;
    const char *learn_frames, *write, *every;
    const char *pipe, *spool_folder, *spool_limit;
    struct video_spooling {
        /* wanted: pipes are copied to a scratch file; done: standard input is that file */
        int wanted, done;
        double limit; /* maximum size of the file in bytes; 0: depends on the free space */
    } spool;
    cli_region region;
    int soft, keep_ghosts, lossless, keep_partial;
    int64_t sample; /* --learn-frames: number of frames; 0: depends on their size; -1: all */
    cli_film_choice choice;
    cli_event_choice event;
    int methods[VIDEO_METHODS_MAX], method_count;
    cli_checkpoint checkpoint;
} video_arguments;

void video_options_describe(cli_options *options, void *arguments);
int video_options_take(const cli_session *session, video_arguments *given);

/* Returns the name of a method, such as "robust-xray". */
const char *video_method_name(int method);

/* ---- video_clip.c: the clip, and data of it that do not depend on the method ---- */

typedef struct video_clip {
    ch_clip clip; /* the frames that were read: all, or a sample to learn from */
    int planes;   /* 1: luma, 3: R, G, B, or with clip.halves luma, R, B       */
    int64_t pixels;
    int streams;          /* 1: after learning, frames are read and processed one by one */
    int64_t frames, room; /* number of frames of the run so far; allocated number */
    int64_t *index;       /* per frame: number in the input */
    double *time;         /* per frame: time. index and time belong to the clip unless `streams` */
    cli_film_shape shape;
    ch_masks truth;      /* known masks of the frames that were read; count 0: none */
    int64_t *truth_row;  /* truth.count: row of the clip to which the mask belongs */
    int64_t truth_found; /* number of masks in the folder */
    uint8_t *watched;    /* pixels: 255 where masks are computed; NULL: everywhere */
    uint8_t *ignored;    /* pixels: non-zero where `watched` is 0, for ch_separate() */
    int64_t watched_count;
    int64_t *busy, busy_count; /* rows of the frames that are not used for learning */
    double seconds;
} video_clip;

/* video_plane() returns plane p of the frames that were read. video_part_of_plane() returns the
 * part (index in video_result.parts) to which plane p belongs. */
const ch_matrix *video_plane(const video_clip *video, int p);
int video_part_of_plane(const video_clip *video, int p);
/* Returns the number of parts of a result: luma, then the colours. */
int video_part_count(const video_clip *video);
int video_clip_read(const cli_session *session, video_clip *video, video_arguments *given);
/* Adds a frame of a stream to video->index and video->time. */
int video_clip_count(video_clip *video, int64_t index, double time);
/* Opens the input so that its frames can be read one by one. */
int video_feed_open(const cli_session *session, ch_feed **feed, const video_arguments *given);
void video_clip_free(const cli_session *session, video_clip *video);

/* ---- video_spool.c: pipes ---- */

int video_spool_take(const cli_session *session, video_arguments *given);
/* If the input is a pipe, copies it to a scratch file and makes this file standard input. */
int video_spool(cli_session *session, video_arguments *given);
/* Rewinds the scratch file, so that it can be read again. */
int video_spool_rewind(const video_arguments *given);

/* ---- video_model.c: stored backgrounds ---- */

/* A background that an earlier run learned: H of luma and of each colour, and the noise of every
 * pixel. */
typedef struct video_model {
    int method;
    int64_t width, height, rank, anchor_count;
    int colour;
    const double *H[VIDEO_PARTS];
    float *noise;
    const int64_t *anchors;
    struct ch_npz_array *arrays; /* the arrays of the file, to which the other members point */
    int array_count;
} video_model;

int video_model_read(const cli_session *session, video_model *model, const char *file);
void video_model_free(const cli_session *session, video_model *model);
/* Checks that the model has the size and colours of this clip. */
int video_model_check(const video_model *model, const video_clip *video, const char *file);

/* ---- one method ---- */

typedef struct video_result {
    int method, number;               /* number: index of the method in the run */
    ch_separation parts[VIDEO_PARTS]; /* luma, then the colours, if there are any */
    /* 1: parts[1..] borrow W of luma, and all H belong to the model */
    int frozen;
    ch_status status; /* the worst status of all planes */
    double gap;       /* the largest gap of all planes */
    int64_t unproven; /* sum over all planes */
    int64_t rank;     /* rank and rank_reason stay valid when the parts are freed */
    char rank_reason[256];
    ch_ghosts ghosts;
    ch_mask_info mask;
    float *noise; /* pixels: noise, to be stored in a model */
    ch_activity *activity;
    ch_activity_run *runs;
    int64_t run_count, active;
    cli_events events;
    ch_roc roc;
    int scored;             /* 1: the following were computed from known masks */
    double auc, best_f;     /* from roc; stay valid when roc is freed */
    ch_pixel_counts counts; /* counts over the masks */
    int64_t compared;       /* number of masks */
    double separate, score, write, report;
} video_result;

/* ---- video_run.c: a whole run: clip, methods, files, page ---- */

typedef struct video_run {
    const cli_session *session;
    video_arguments *given;
    video_clip video;
    video_model model; /* only with --model */
    cli_folder folder;
    cli_stills stills;
    cli_pictures pictures;
    cli_recording recording;
    video_result results[VIDEO_METHODS_MAX];
    int count;           /* number of methods                                         */
    json_t *list;        /* JSON of the results                                       */
    json_t *scores;      /* the object of scores.json; NULL unless files were written */
    double start, total; /* seconds                                                  */
    int partial;         /* 1: Ctrl-C ended the input, and the files so far are kept */
} video_run;

/* Runs the command; video_options_take() must have been called. Returns EXIT_EARLY, with files, if
 * a method stopped early. The caller must call video_run_free(), whatever the exit code. */
int video_run_all(video_run *run, const cli_session *session, video_arguments *given);
void video_run_free(video_run *run);

/* video_memory.c: reports how much memory a run of the method needs. Refuses the run, with advice,
 * if this is more than the machine has or --memory allows. */
int video_memory_check(const video_run *run, int method);

/* video_separate.c: computes the background. */
int video_separate(const video_run *run, video_result *result);
/* video_result_shrink() frees the data that are needed only for the files; video_result_free()
 * frees all data. */
void video_result_shrink(const cli_session *session, video_result *result);
void video_result_free(const cli_session *session, video_result *result);

int video_model_write(const video_run *run, const video_result *result);

/* ---- results of frames ---- */

/* Some consecutive frames with their masks, scores and backgrounds by one method. */
typedef struct video_block {
    int64_t first, count, capacity;
    /* masks and scores are allocated; the planes are in the same memory, after them */
    uint8_t *masks;
    float *scores;
    uint8_t *pixels[VIDEO_PLANES_MAX];
    float *background[VIDEO_PLANES_MAX];
    const uint8_t *yuv; /* the decoded planes if the block has one frame; or NULL */
} video_block;

/* Returns frame i of the block in the form that files and pages need. */
cli_moment video_moment(const video_run *run, const video_block *block, int64_t i);

/* video_files.c: the videos, pictures and tables that are written for one method. */
typedef struct video_files {
    video_run *run;
    const char *suffix; /* NULL, or the name of the method, which becomes part of the file names */
    cli_films films;
    uint8_t *middle; /* the background of the frame in the middle */
    cli_boxes boxes;
} video_files;

/* Opens the files. The caller must call video_files_close(), whatever the exit code. */
int video_files_open(video_files *files, video_run *run, const video_result *result);
/* Returns whether the files need the background of a row. */
int video_files_want(const video_files *files, int64_t row);
int video_files_add(video_files *files, const video_block *block, video_result *result);
/* If code is EXIT_DONE, completes the files and writes background.png, else removes the files. */
int video_files_close(video_files *files, video_result *result, int code);
/* Writes activity.csv and events.csv. */
int video_activity_write(video_files *files, const video_result *result);
/* Closes the folder, and removes files of earlier runs that this run did not replace because it had
 * other methods or options. */
int video_folder_close(cli_folder *folder, int code);

/* video_mask.c: returns the number of bytes of the blocks that video_mask() uses. */
double video_block_bytes(const video_clip *video);
/* Makes two passes over the clip: the first computes noise and threshold, the second masks, scores
 * and activity. Each block is added to the files and to the page. */
int video_mask(video_run *run, video_result *result, video_files *files);

/* Computes noise and threshold only. */
int video_mask_settle(video_run *run, video_result *result);
/* video_pass.c: computes masks, scores and activity for frames that are read one by one, with the
 * background that was learned from the sample. */
int video_stream(video_run *run, video_result *result, video_files *files);
/* video_take.c: the processing of masks that video_mask() and video_stream() share. */
typedef struct video_taking {
    video_run *run;
    video_result *result;
    video_files *files;
    ch_scorer *scorer; /* NULL: there are no known masks */
    int64_t next_truth, room;
} video_taking;
int video_take_begin(video_taking *work, video_run *run, video_result *result, video_files *files);
/* Returns whether frame `index` of the input has a known mask. index must increase from call to
 * call. */
int video_take_known(video_taking *work, int64_t index);
/* Computes activity and scores of a block, and adds the block to the files and to the page. */
int video_take(video_taking *work, const video_block *block);
/* Returns whether Ctrl-C ends the input after `frames` frames, which are kept: only with
 * --keep-partial. */
int video_take_stops(video_run *run, int64_t frames);
/* To be called after the last frame: computes the periods of activity, the events and the ROC
 * curve. */
int video_take_end(video_taking *work);
void video_take_free(video_taking *work);

/* ---- output of the results ---- */

/* video_json.c: returns the result of one method, including long arrays. */
json_t *video_json_result(const video_run *run, const video_result *result);
/* Returns the object of scores.json, or NULL if memory is short. The keys of a single result are
 * among those of the run; several results are in results[]. */
json_t *video_json(const video_run *run);
/* Sets seconds.report and seconds.total of every result, and of the run. */
void video_json_seconds(json_t *scores, double report, double total);
/* Returns a copy, for --json, without the arrays that have a number per frame or per threshold. */
json_t *video_json_short(const json_t *scores);

/* video_print.c: prints the results as text on stdout. */
void video_print(const video_run *run);
/* Returns the period in which the largest part of the picture moves, or NULL if nothing moves. */
const ch_activity_run *video_busiest_run(const video_result *result);
