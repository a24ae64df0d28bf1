/* What the parts of `conehull video` share: the words of the command, the clip, one result per
 * method. */
#ifndef CONEHULL_VIDEO_COMMAND_H
#define CONEHULL_VIDEO_COMMAND_H

#include "common/command.h"
#include "options/checkpoint_option.h"
#include <conehull/clip.h>
#include <conehull/ghosts.h>
#include <conehull/mask.h>
#include <conehull/metrics.h>
#include <conehull/separate.h>

enum { VIDEO_METHODS_MAX = 6, VIDEO_PLANES_MAX = 3 };

/* The words of the command line; lists are taken apart by video_options_take(). */
typedef struct video_arguments {
    ch_clip_settings clip;
    ch_separate_settings separate;
    ch_mask_settings mask;
    const char *rank, *method, *roi, *memory, *truth, *save, *model, *busy, *ignore, *watch;
    const char *folder;
    int soft, keep_ghosts;
    int methods[VIDEO_METHODS_MAX], method_count;
    cli_checkpoint checkpoint;
} video_arguments;

void video_options_describe(cli_options *options, void *arguments);
/* Complains itself and returns the exit code, as all calls here. */
int video_options_take(const cli_session *session, video_arguments *given);

/* "robust-xray" */
const char *video_method_name(int method);

/* The clip, and what belongs to it whatever the method. */
typedef struct video_clip {
    ch_clip clip;
    int planes; /* 1: luma, 3: R, G, B                                                       */
    int64_t pixels;
    ch_masks truth;      /* those of the frames that were read; count 0: none                */
    int64_t *truth_row;  /* truth.count: the row of the clip it belongs to                   */
    int64_t truth_found; /* masks in the folder                                              */
    uint8_t *watched;    /* pixels: 255 where masks are made; NULL: everywhere               */
    uint8_t *ignored;    /* the other way round, for ch_separate()                           */
    int64_t watched_count;
    int64_t *busy, busy_count; /* rows of frames that are not learned from                   */
    double seconds;
} video_clip;

int video_clip_read(const cli_session *session, video_clip *video, video_arguments *given);
void video_clip_free(const cli_session *session, video_clip *video);
/* The plane of that number: luma, or a channel. */
const ch_matrix *video_plane(const video_clip *video, int plane);

/* Says how much memory a run of the method takes in all; refuses it, with advice, when that is more
 * than there is or than --memory allows. rank: of a model, else 0. */
int video_memory_check(const cli_session *session, const video_clip *video,
                       const video_arguments *given, int method, int64_t rank);

/* ---- a background that is kept ---- */

enum { VIDEO_HS = 1 + VIDEO_PLANES_MAX }; /* luma, then the planes of a colour clip */

/* A background learned before: H of luma and of each colour, and the noise of every pixel. */
typedef struct video_model {
    int method;
    int64_t width, height, rank, anchor_count;
    int colour;
    const double *H[VIDEO_HS];
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
    int method;
    ch_separation parts[VIDEO_HS]; /* luma, then the colours where there are any               */
    int frozen;                    /* parts[1..] borrow W, and H is the model's               */
    ch_status status;              /* of the plane that ended worst                           */
    double gap;                    /* of all planes: the worst                                */
    int64_t unproven;              /* of all planes together                                  */
    ch_ghosts ghosts;
    ch_mask_info mask;
    float *noise; /* pixels, for a model                                                      */
    ch_activity *activity;
    ch_activity_run *runs;
    int64_t run_count, active;
    ch_roc roc;
    ch_pixel_counts counts; /* of the masks, against the truth */
    double *path; /* path_count: largest residual of `sample` pixels with 1, 2, .. anchors      */
    int64_t path_count, sample;
    double separate, score, write, report;
} video_result;

/* Finds the background; model may be NULL. */
int video_separate(const cli_session *session, video_result *result, const video_clip *video,
                   const video_arguments *given, const video_model *model);
/* Fills path, for methods with anchors. */
int video_find_path(const cli_session *session, video_result *result, const video_clip *video);
void video_result_free(const cli_session *session, video_result *result);

int video_model_write(const cli_session *session, const char *file, const video_result *result,
                      const video_clip *video);

/* ---- frames on their way out ---- */

/* Some frames of all that a method has to say about them, one after another. */
typedef struct video_block {
    int64_t first, count, room;
    uint8_t *pixels[VIDEO_PLANES_MAX];
    float *background[VIDEO_PLANES_MAX];
    uint8_t *masks;
    float *scores;
} video_block;

/* Who gets the frames: files, pictures for the page. Called in order, once per block. */
typedef struct video_listener {
    int (*hear)(void *user, const video_block *block);
    void *user;
} video_listener;

/* Bytes of the blocks that video_mask() works with. */
double video_block_bytes(const video_clip *video);
/* Two passes over the clip: noise and threshold, then masks, scores and activity; each block goes
 * to the listeners. */
int video_mask(const cli_session *session, video_result *result, const video_clip *video,
               const video_arguments *given, const video_model *model,
               const video_listener *listeners, int listener_count);

/* Frame `at` of the block as R G B or gray, side by side, from planes. */
void video_interleave(uint8_t *to, const uint8_t *const *planes, int count, int64_t pixels);
/* Frame `at` of the block's background as bytes, one plane. */
void video_background_bytes(uint8_t *to, const float *from, int64_t pixels);

#endif
