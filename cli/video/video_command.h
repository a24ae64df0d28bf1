/* What the parts of `conehull video` share: the arguments of the command, the clip, one result per
 * method. Unless it says otherwise, a call complains itself and returns the exit code. */
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
enum { VIDEO_PARTS = 1 + VIDEO_PLANES_MAX }; /* luma, then the planes of a colour clip */

/* ---- video_options.c ---- */

/* Lists are taken apart by video_options_take(). */
typedef struct video_arguments {
    ch_clip_settings clip;
    ch_separate_settings separate;
    ch_mask_settings mask;
    const char *rank, *method, *roi, *memory, *truth, *save, *model, *busy, *folder;
    const char *learn_frames, *write, *every;
    const char *pipe, *spool_folder, *spool_limit;
    struct video_spooling {
        int wanted, done; /* pipes go to a scratch file; standard input is one                */
        double limit;     /* its bytes; 0: by what is free                                    */
    } spool;
    cli_region region;
    int soft, keep_ghosts, lossless, keep_partial;
    int64_t sample; /* of --learn-frames: frames; 0: by their size; -1: all */
    cli_film_choice choice;
    cli_event_choice event;
    int methods[VIDEO_METHODS_MAX], method_count;
    cli_checkpoint checkpoint;
} video_arguments;

void video_options_describe(cli_options *options, void *arguments);
int video_options_take(const cli_session *session, video_arguments *given);

/* "robust-xray" */
const char *video_method_name(int method);

/* ---- video_clip.c: the clip, and what belongs to it whatever the method ---- */

typedef struct video_clip {
    ch_clip clip; /* what was read: all frames, or a sample to learn from                    */
    int planes;   /* 1: luma, 3: R, G, B, or with clip.halves luma, R, B                     */
    int64_t pixels;
    int streams;          /* frames pass one by one, after the background was learned         */
    int64_t frames, room; /* of the run, so far ...                                           */
    int64_t *index;       /* ... with their numbers in the input ...                          */
    double *time;         /* ... and times; both the clip's own unless it streams             */
    cli_film_shape shape;
    ch_masks truth;      /* those of the frames that were read; count 0: none                */
    int64_t *truth_row;  /* truth.count: the row of the clip it belongs to                   */
    int64_t truth_found; /* masks in the folder                                              */
    uint8_t *watched;    /* pixels: 255 where masks are made; NULL: everywhere               */
    uint8_t *ignored;    /* the other way round, for ch_separate()                           */
    int64_t watched_count;
    int64_t *busy, busy_count; /* rows of frames that are not learned from                   */
    double seconds;
} video_clip;

/* Plane p of the frames that were read, and its values in a frame; of which part it is the matrix.
 */
const ch_matrix *video_plane(const video_clip *video, int p);
int video_part_of_plane(const video_clip *video, int p);
/* Parts of a method: luma, then the colours. */
int video_part_count(const video_clip *video);
int video_clip_read(const cli_session *session, video_clip *video, video_arguments *given);
/* One more frame of a stream. */
int video_clip_count(video_clip *video, int64_t index, double time);
/* Opens the input for its frames to pass one by one. */
int video_feed_open(const cli_session *session, ch_feed **feed, const video_arguments *given);
void video_clip_free(const cli_session *session, video_clip *video);

/* ---- video_spool.c: pipes ---- */

int video_spool_take(const cli_session *session, video_arguments *given);
/* A pipe becomes a scratch file, which is then standard input. */
int video_spool(cli_session *session, video_arguments *given);
/* Before it is read again. */
int video_spool_rewind(const video_arguments *given);

/* ---- video_model.c: a background that is stored ---- */

/* A background learned before: H of luma and of each colour, and the noise of every pixel. */
typedef struct video_model {
    int method;
    int64_t width, height, rank, anchor_count;
    int colour;
    const double *H[VIDEO_PARTS];
    float *noise;
    const int64_t *anchors;
    struct ch_npz_array *arrays; /* as read; they hold what the rest points to */
    int array_count;
} video_model;

int video_model_read(const cli_session *session, video_model *model, const char *file);
void video_model_free(const cli_session *session, video_model *model);
/* Whether it belongs to clips like this one. */
int video_model_check(const video_model *model, const video_clip *video, const char *file);

/* ---- one method ---- */

typedef struct video_result {
    int method, number;               /* its place among the methods of the run                  */
    ch_separation parts[VIDEO_PARTS]; /* luma, then the colours where there are any            */
    int frozen;                       /* parts[1..] borrow W, and H is the model's               */
    ch_status status;                 /* of the plane that ended worst                           */
    double gap;                       /* of all planes: the worst                                */
    int64_t unproven;                 /* of all planes together                                  */
    int64_t rank;                     /* these two stay when the parts are freed                 */
    char rank_reason[256];
    ch_ghosts ghosts;
    ch_mask_info mask;
    float *noise; /* pixels, for a model                                                      */
    ch_activity *activity;
    ch_activity_run *runs;
    int64_t run_count, active;
    cli_events events;
    ch_roc roc;
    int scored;             /* these were found against known masks: */
    double auc, best_f;     /* of roc, and stay when it is freed     */
    ch_pixel_counts counts; /* of the masks                          */
    int64_t compared;       /* masks                                 */
    double separate, score, write, report;
} video_result;

/* ---- video_run.c: a whole run: clip, methods, files, page ---- */

typedef struct video_run {
    const cli_session *session;
    video_arguments *given;
    video_clip video;
    video_model model; /* with --model */
    cli_folder folder;
    cli_stills stills;
    cli_pictures pictures;
    cli_recording recording;
    video_result results[VIDEO_METHODS_MAX];
    int count;      /* methods                                                                */
    json_t *list;   /* their results                                                          */
    json_t *scores; /* the object of scores.json; NULL unless files were written              */
    double start, total; /* seconds                                                           */
    int partial; /* Ctrl-C has ended the frames, and what was written is kept                 */
} video_run;

/* Options must have been taken. EXIT_EARLY, with files, when a method stopped early. Free the run
 * in any case. */
int video_run_all(video_run *run, const cli_session *session, video_arguments *given);
void video_run_free(video_run *run);

/* video_memory.c: says how much memory a run of the method takes in all; refuses it, with advice,
 * when that is more than there is or than --memory allows. */
int video_memory_check(const video_run *run, int method);

/* video_separate.c: finds the background. */
int video_separate(const video_run *run, video_result *result);
/* Frees what only the files need, and everything. */
void video_result_shrink(const cli_session *session, video_result *result);
void video_result_free(const cli_session *session, video_result *result);

int video_model_write(const video_run *run, const video_result *result);

/* ---- frames on their way out ---- */

/* Some frames of all that a method has to say about them, one after another. */
typedef struct video_block {
    int64_t first, count, capacity;
    uint8_t *masks; /* these two are allocated, with space for the planes behind them */
    float *scores;
    uint8_t *pixels[VIDEO_PLANES_MAX];
    float *background[VIDEO_PLANES_MAX];
    const uint8_t *yuv; /* of the only frame, as it was decoded; or NULL                      */
} video_block;

/* Frame i of the block on its way out. */
cli_moment video_moment(const video_run *run, const video_block *block, int64_t i);

/* video_files.c: the videos, pictures and tables that one method leaves in the folder. */
typedef struct video_files {
    video_run *run;
    const char *suffix; /* NULL, or the method's name: part of the file names                 */
    cli_films films;
    uint8_t *middle; /* the background in the middle                                          */
    cli_boxes boxes;
} video_files;

/* Opens the files. Whatever happens, end with video_files_close(). */
int video_files_open(video_files *files, video_run *run, const video_result *result);
/* Whether they need the background of a row. */
int video_files_want(const video_files *files, int64_t row);
int video_files_add(video_files *files, const video_block *block, video_result *result);
/* With code EXIT_DONE ends the files and writes background.png; else removes them. */
int video_files_close(video_files *files, video_result *result, int code);
/* activity.csv, events.csv */
int video_activity_write(video_files *files, const video_result *result);
/* Closes the folder; of what earlier runs left there it removes the files that belong to methods
 * or options of theirs alone. */
int video_folder_close(cli_folder *folder, int code);

/* video_mask.c: bytes of the blocks that video_mask() works with. */
double video_block_bytes(const video_clip *video);
/* Two passes over the clip: noise and threshold, then masks, scores and activity; each block goes
 * to the files and to the page. */
int video_mask(video_run *run, video_result *result, video_files *files);

/* Noise and threshold alone. */
int video_mask_settle(video_run *run, video_result *result);
/* video_pass.c: the same for frames that pass one by one, by the background of the sample. */
int video_stream(video_run *run, video_result *result, video_files *files);
/* video_take.c: what both do with the masks of a block. */
typedef struct video_taking {
    video_run *run;
    video_result *result;
    video_files *files;
    ch_scorer *scorer; /* NULL: no truth            */
    int64_t next_truth, room;
} video_taking;
int video_take_begin(video_taking *work, video_run *run, video_result *result, video_files *files);
/* Whether frame `index` of the input has a known mask. Frames must be asked for in order. */
int video_take_known(video_taking *work, int64_t index);
/* Activity, scores against known masks, files, page. */
int video_take(video_taking *work, const video_block *block);
/* Whether Ctrl-C ends the frames here and those so far are kept: only with --keep-partial. */
int video_take_stops(video_run *run, int64_t frames);
/* Curves and stretches of all frames. */
int video_take_end(video_taking *work);
void video_take_free(video_taking *work);

/* ---- the answer ---- */

/* video_json.c: one method, long arrays included. */
json_t *video_json_result(const video_run *run, const video_result *result);
/* The object of scores.json; NULL without memory. The keys of a single result stand beside those of
 * the run, several are results[]. */
json_t *video_json(const video_run *run);
/* Sets seconds.report and seconds.total of every result, and of the run. */
void video_json_seconds(json_t *scores, double report, double total);
/* A copy without the arrays that have a number per frame or threshold, as --json prints it. */
json_t *video_json_short(const json_t *scores);

/* video_print.c: what people read on stdout. */
void video_print(const video_run *run);
/* Where most of the picture moves; NULL: nothing moves. */
const ch_activity_run *video_busiest_run(const video_result *result);
