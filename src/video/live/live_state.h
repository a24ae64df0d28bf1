/* Inside a ch_live: what its parts share.
 *
 *     live.c             the calls, one frame after another
 *     live_workspace.c   memory
 *     live_window.c      frames that are remembered
 *     live_weights.c     w of a frame, exactly, on a sample of pixels
 *     live_background.c  a background from remembered frames: anchors, H, ghosts
 *     live_first.c       a median meanwhile, when nobody may wait
 *     live_update.c      H pixel by pixel: following, absorbing
 *     live_reference.c   how far the background is from what frames are compared with
 *     live_worker.c      the thread that does the last two */
#pragma once

#include "base/arena.h"
#include "project/cone.h"
#include "video/mask/mask_parts.h"
#include "video/mask/noise_levels.h"
#include "video/mask/plane_layout.h"
#include <conehull/live.h>
#include <conehull/separate.h>
#include <pthread.h>

enum {
    CHI_LIVE_CONFIRM = 8,  /* frames for which a switch must last to be one                     */
    CHI_LIVE_DELAY = 10,   /* frames from the start of a new background to its use              */
    CHI_LIVE_RETURN = 24,  /* frames after which what was there before is background again      */
    CHI_LIVE_MASKER = 79,  /* bytes a pixel that a masker holds, besides 27 per thread           */
    CHI_LIVE_AUTO = 4,     /* most factors that are chosen from the data                        */
    CHI_LIVE_LIGHTS = 2,   /* so many more may come, each of a light that came later              */
    CHI_LIVE_SPREAD = 100, /* remembered frames that a background is learned from, at most: ... */
    CHI_LIVE_SPREAD_LEAST = 24,        /* ... of large pictures fewer, ...                       */
    CHI_LIVE_SPREAD_PIXELS = 100000000 /* ... so that they have so many pixels (1080p: 48)       */
};

/* H of every plane: those of a plane beside each other, factor after factor. */
typedef struct chi_live_model {
    float *values;
    int64_t rank;
} chi_live_model;

/* What the pixels that are foreground might become: the value that has been there, for how many
 * frames, and the value that was background before, with the frames for which it has been back. */
typedef struct chi_live_pending {
    uint8_t *value;  /* planes x pixels, also of half planes: a pixel has its own */
    uint16_t *age;   /* pixels          */
    uint8_t *former; /* planes x pixels */
    uint8_t *back;   /* pixels          */
    uint8_t *known;  /* pixels: there is a former one */
} chi_live_pending;

/* Remembered frames: a ring of `capacity` frames of all planes, the newest last. */
typedef struct chi_live_window {
    uint8_t *frames;
    int64_t capacity, held, next;
    int64_t since; /* frames from the newest back that show the new light                      */
} chi_live_window;

/* A frame as it came: planes, or the values of a pixel side by side. */
typedef struct chi_live_picture {
    const uint8_t *planes[CH_LIVE_PLANES_MAX]; /* of a packed frame: live->apart              */
    const uint8_t *packed;                     /* NULL: the planes hold it                    */
} chi_live_picture;

typedef struct chi_live_weights {
    int64_t *pixel; /* the sample                                                              */
    int64_t count;  /* pixels in it; rows of the cone: count * planes                          */
    chi_cone cone;
    void *work;
    double *value; /* rows: x, those that are not zero                                         */
    int32_t *index;
    int factor[CH_LIVE_RANK_MAX]; /* which factor an anchor of the cone is                     */
    double w[CH_LIVE_RANK_MAX];   /* of the anchors of the cone                                */
    double gap;
    float *x, *b; /* rows: the sample, and its background */
    float *kept;  /* rows: the sample of a frame before   */
} chi_live_weights;

/* The share of pixels that are off, over time. */
typedef struct chi_live_change {
    double usual; /* a slow median                                                             */
    int64_t high; /* frames in a row for which it was unusual                                  */
    int64_t implausible; /* frames of such rows that were too short to be a switch             */
} chi_live_change;

/* The reference of a strip of rows: its weights, drift then, and what bounds its background. */
typedef struct chi_live_strip {
    int present;
    float w[CH_LIVE_RANK_MAX], most[CH_LIVE_RANK_MAX + 1];
    double drift[CH_LIVE_RANK_MAX];
} chi_live_strip;

typedef struct chi_live_reference {
    chi_live_strip *strips;
    uint8_t *absorbed; /* strips in which the last update has absorbed something; the worker's  */
    double drift[CH_LIVE_RANK_MAX]; /* by how much all updates have moved a factor, at most     */
} chi_live_reference;

typedef enum chi_live_task {
    CHI_LIVE_IDLE,
    CHI_LIVE_UPDATE,
    CHI_LIVE_LEARN,
    CHI_LIVE_FIRST
} chi_live_task;

typedef struct chi_live_worker {
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t wake, done;
    int started, quit, busy; /* busy: a task was given and is not done                         */
    chi_live_task task;      /* given last, until it is collected                              */
    ch_context *context;     /* its own                                                        */
    ch_status status;
    /* what it works on; the caller leaves these alone while it is busy */
    chi_live_model made; /* the other model                                                    */
    int64_t replaced;    /* the factor that a new light takes the place of; the rank: none     */
    int64_t slot;        /* of the window: the frame of an update                              */
    uint8_t *mask;       /* of that frame                                                      */
    double w[CH_LIVE_RANK_MAX];
    int64_t due;      /* frame number at which the task is collected                           */
    int64_t absorbed; /* by the last update                                                    */
    double drift[CH_LIVE_RANK_MAX]; /* by how much it has moved factors elsewhere, at most      */
    chi_mask_noise noise; /* of a first background that was learned late                        */
    ch_ghosts ghosts;
    char reason[256];
    int64_t anchors[CH_LIVE_RANK_MAX];
} chi_live_worker;

struct ch_live {
    ch_context *context;
    const chi_live_loops *loops;
    ch_live_settings set;
    ch_mask_settings mask_set;
    chi_size size;
    int64_t pixels;
    int planes, frozen;
    chi_layout layout;
    int64_t capacity; /* most factors                                                          */
    uint8_t *watch;   /* NULL: all                                                             */
    chi_live_model model;
    chi_live_pending pending;
    chi_live_window window;
    chi_live_weights weights;
    chi_live_change change;
    chi_live_reference reference;
    chi_live_worker worker;
    ch_masker *masker;
    float *background;              /* a frame */
    int rendered;                   /* non-zero: all of it is of the last result, ... */
    float last_w[CH_LIVE_RANK_MAX]; /* ... which has these weights */
    float *score;
    uint8_t *mask;
    uint8_t *apart; /* a frame that came packed, in planes, where they are needed; NULL: none did */
    ch_live_info info;
    ch_mask_info settled; /* noise and threshold in use                                        */
    int64_t since_switch; /* frames since a switch was noticed; -1: none                       */
    int64_t used[CH_LIVE_RANK_MAX]; /* last frame that a factor had a share in                 */
    double noise;                   /* a slow median over the frames, in use when it has moved */
    int64_t moved;   /* frames in a row, while adapting, of yet another light             */
    int64_t calm;    /* frames in a row, while adapting, with nothing unusual             */
    chi_arena arena; /* all arrays but those of cone, masker and worker                  */
};

/* ---- live_workspace.c ---- */
/* Checks, fills in the shape, and allocates from the arena of live->context. */
ch_status chi_live_reserve(ch_live *live, const ch_frame_shape *shape,
                           const ch_live_settings *settings);

/* ---- models ---- */
/* Factor k of a plane, and what the loops need of its pixels from..from + count. */
static inline float *chi_live_factor(const ch_live *live, const chi_live_model *model, int plane,
                                     int64_t k) {
    return model->values + live->capacity * chi_plane_offset(&live->layout, plane) +
           k * chi_plane_pixels(&live->layout, plane);
}
/* The background of a plane. */
static inline float *chi_live_background_of(const ch_live *live, int plane) {
    return live->background + chi_plane_offset(&live->layout, plane);
}
static inline chi_live_stretch chi_live_stretch_of(const ch_live *live, int plane, int64_t from,
                                                   int64_t count, const float *w) {
    return (chi_live_stretch){.H = chi_live_factor(live, &live->model, plane, 0) + from,
                              .stride = chi_plane_pixels(&live->layout, plane),
                              .rank = live->model.rank,
                              .count = count,
                              .w = w};
}

/* ---- live_window.c ---- */
/* Remembers a frame; returns its slot. */
int64_t chi_live_remember(ch_live *live, const chi_live_picture *picture);
/* The planes of the frame in a slot. */
void chi_live_frame(const ch_live *live, const uint8_t **planes, int64_t slot);
/* How many frames a background is learned from at most. */
static inline int64_t chi_live_spread(const ch_live *live) {
    int64_t most = CHI_LIVE_SPREAD_PIXELS / live->pixels;
    if (most < CHI_LIVE_SPREAD_LEAST) return CHI_LIVE_SPREAD_LEAST;
    return most < CHI_LIVE_SPREAD ? most : CHI_LIVE_SPREAD;
}
/* slots[0 .. returned): remembered frames in the order of time, at most `most` of them: the latest
 * that show a new light (window.since), or evenly spread ones where there is none. */
int64_t chi_live_sample_frames(const ch_live *live, int64_t *slots, int64_t most);
/* Plane p of those frames as a matrix, a pixel's course side by side: count x its pixels. */
void chi_live_courses(const ch_live *live, uint8_t *values, const int64_t *slots, int64_t count,
                      int plane);

/* ---- live_weights.c ---- */
ch_status chi_live_weights_create(ch_live *live);
void chi_live_weights_destroy(ch_live *live);
/* The cone of a new H; weights start afresh when `anew`. */
void chi_live_weights_take(ch_live *live, int anew);
/* w of a frame, and what follows from it: gap, and the share of the sample that is off. */
void chi_live_weights_fit(ch_live *live, double *off, const chi_live_picture *picture);
/* Keeps the sample of the last frame; the share of pixels that differ from the kept one. */
void chi_live_weights_keep(ch_live *live);
double chi_live_weights_moved(const ch_live *live);
/* The noise of the frame that was fitted last, as in mask_noise.c, over the sample. */
double chi_live_weights_noise(ch_live *live);
/* The share of a factor in the background of that frame. */
double chi_live_weights_share(const ch_live *live, int64_t factor);
/* w by factors: capacity numbers. */
void chi_live_weights_get(const ch_live *live, double *w);

/* ---- live_background.c ---- */
/* Learns a background into worker.made: a whole one, or after a switch of the light the model in
 * use with a factor for the new light. May run on any thread; `context` is that of the thread. */
ch_status chi_live_learn(ch_context *context, ch_live *live);

/* ---- live_first.c ---- */
/* A share of the pixels of the median, with each frame of the warm-up. */
void chi_live_first_slice(ch_live *live);
/* That median becomes the model, with a threshold for this frame. */
void chi_live_first_begin(ch_live *live, const chi_live_picture *picture);
/* worker.noise: of every pixel, for a background learned from the frames in some slots.
 */
ch_status chi_live_first_noise(ch_context *context, ch_live *live, const ch_separation *parts,
                               const int64_t *slots, int64_t count);

/* ---- live_update.c ---- */
/* worker.made from model, the frame in worker.slot, its mask and weights. */
void chi_live_update(ch_live *live);
void chi_live_forget_pending(ch_live *live);

/* ---- live_reference.c ---- */
ch_status chi_live_reference_create(ch_live *live);
/* Of all strips; and after an update was collected. */
void chi_live_reference_drop(ch_live *live);
void chi_live_reference_follow(ch_live *live);
/* chi_mask_making: hold and moved. */
void chi_live_reference_hold(const ch_live *live, int64_t strip, int first,
                             const chi_live_stretch *part, const float *b);
double chi_live_reference_moved(const ch_live *live, int64_t strip, const float *w);

/* ---- live_worker.c ---- */
ch_status chi_live_worker_start(ch_live *live);
void chi_live_worker_stop(ch_live *live);
/* The worker must be idle, and its last task collected. */
void chi_live_give(ch_live *live, chi_live_task task);
/* Waits unless `late`; what was done, or IDLE when nothing is ready. */
chi_live_task chi_live_collect(ch_live *live, int late);
