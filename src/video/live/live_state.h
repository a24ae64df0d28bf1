/* The state of a ch_live, shared by its parts:
 *
 *     live.c             the public functions, one frame after another
 *     live_workspace.c   memory
 *     live_window.c      remembered frames
 *     live_weights.c     exact weights w of a frame, on a sample of pixels
 *     live_background.c  a background from remembered frames: anchors, H, ghosts
 *     live_first.c       a median as a first background if the caller must not wait
 *     live_update.c      updates of H pixel by pixel: following, absorbing
 *     live_reference.c   distance of the background from the reference of the masks
 *     live_worker.c      the thread that learns */
#pragma once

#include "base/arena.h"
#include "project/cone.h"
#include "video/mask/mask_parts.h"
#include "video/mask/masker.h"
#include "video/mask/noise_levels.h"
#include "video/mask/plane_layout.h"
#include <conehull/live.h>
#include <conehull/separate.h>
#include <pthread.h>

enum {
    CHI_LIVE_CONFIRM = 8,       /* frames that a change must last to count as a switch           */
    CHI_LIVE_DELAY = 10,        /* frames from the start of learning a background to its use     */
    CHI_LIVE_RETURN = 24,       /* frames after which a former background is accepted again      */
    CHI_LIVE_MASKER = 88,       /* bytes per pixel that a masker needs, besides 27 per thread    */
    CHI_LIVE_AUTO = 4,          /* maximum number of factors chosen from the data                */
    CHI_LIVE_LIGHTS = 2,        /* maximum number of factors added later, one for each new light */
    CHI_LIVE_SPREAD = 100,      /* maximum number of frames from which a background is learned   */
    CHI_LIVE_SPREAD_LEAST = 24, /* minimum of that number for large pictures,                    */
    /* for which it is chosen so that the frames have this many pixels in total (1080p: 48). */
    CHI_LIVE_SPREAD_PIXELS = 100000000
};

/* H of every plane: the planes one after another, and in each plane factor after factor. */
typedef struct chi_live_model {
    float *values;
    int64_t rank;
} chi_live_model;

/* Candidates for the background at foreground pixels: the value seen there and for how many frames,
 * and the former background value and for how many frames it has been back. */
typedef struct chi_live_pending {
    uint8_t *value;  /* planes x pixels; half planes also have one value per pixel */
    uint16_t *age;   /* pixels                                                     */
    uint8_t *former; /* planes x pixels                                            */
    uint8_t *back;   /* pixels                                                     */
    uint8_t *known;  /* pixels: whether there is a former value                    */
} chi_live_pending;

/* Remembered frames: a ring of `capacity` frames with all planes. The newest frame is the last. */
typedef struct chi_live_window {
    uint8_t *frames;
    int64_t capacity, held, next;
    int64_t since; /* number of newest frames that show the new light */
} chi_live_window;

/* A frame as it arrived: in planes, or with the values of a pixel side by side. */
typedef struct chi_live_picture {
    const uint8_t *planes[CH_LIVE_PLANES_MAX]; /* for a packed frame: live->apart */
    const uint8_t *packed;                     /* NULL if the frame is in planes  */
} chi_live_picture;

typedef struct chi_live_weights {
    int64_t *pixel; /* the sampled pixels                                       */
    int64_t *half;  /* the values of these pixels in half planes                */
    int64_t count;  /* number of these pixels; the cone has count * planes rows */
    chi_cone cone;
    void *work;
    double *value; /* rows: the non-zero entries of x */
    int32_t *index;
    int factor[CH_LIVE_RANK_MAX]; /* the factor that each anchor of the cone represents */
    double w[CH_LIVE_RANK_MAX];   /* weights of the anchors of the cone                 */
    double gap;
    float *x, *b; /* rows: the sample, and its background */
    float *kept;  /* rows: the sample of an earlier frame */
} chi_live_weights;

/* The share of pixels that differ from the background, over time. */
typedef struct chi_live_change {
    double usual;        /* a median that changes slowly                              */
    int64_t high;        /* number of frames in a row with an unusual share           */
    int64_t implausible; /* frames of such sequences that were too short for a switch */
} chi_live_change;

/* The reference of a strip of rows: its weights, the drift at that time, and the bounds of its
 * background. */
typedef struct chi_live_strip {
    int present;
    float w[CH_LIVE_RANK_MAX], most[CH_LIVE_RANK_MAX + 1];
    double drift[CH_LIVE_RANK_MAX];
} chi_live_strip;

typedef struct chi_live_reference {
    chi_live_strip *strips;
    /* Strips in which the last update absorbed something. */
    uint8_t *absorbed;
    double drift[CH_LIVE_RANK_MAX]; /* bound on the change of each factor by all updates */
} chi_live_reference;

typedef enum chi_live_task {
    CHI_LIVE_IDLE,
    CHI_LIVE_UPDATE, /* of the caller's threads; the others are tasks of the worker */
    CHI_LIVE_LEARN,
    CHI_LIVE_FIRST
} chi_live_task;

typedef struct chi_live_worker {
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t wake, done;
    int started, quit, busy; /* busy: the worker has a task that is not done */
    chi_live_task task;      /* the last task, until it is collected         */
    ch_context *context;     /* the worker's own context                     */
    ch_status status;
    /* The worker's data; the caller must not touch them while it is busy. */
    chi_live_model made;  /* the model that is not in use                           */
    int64_t replaced;     /* the factor that a new light replaces; the rank if none */
    int64_t due;          /* number of the frame at which the task is collected */
    chi_mask_noise noise; /* for a first background that was learned late       */
    ch_ghosts ghosts;
    char reason[256];
    int64_t anchors[CH_LIVE_RANK_MAX];
} chi_live_worker;

/* An update of the model by a frame. */
typedef struct chi_live_updating {
    int64_t slot;  /* slot of the window with the frame */
    uint8_t *mask; /* mask of the frame                 */
    double w[CH_LIVE_RANK_MAX];
    _Atomic int64_t absorbed;       /* number of pixels absorbed by the last update          */
    double drift[CH_LIVE_RANK_MAX]; /* bound on the change of each factor by the last update */
} chi_live_updating;

struct ch_live {
    ch_context *context;
    const chi_live_loops *loops;
    ch_live_settings set;
    ch_mask_settings mask_set;
    chi_size size;
    int64_t pixels;
    int planes, frozen;
    chi_layout layout;
    int64_t capacity; /* maximum number of factors */
    uint8_t *watch;   /* NULL means all pixels     */
    chi_live_model model;
    chi_live_pending pending;
    chi_live_window window;
    chi_live_weights weights;
    chi_live_change change;
    chi_live_reference reference;
    chi_live_worker worker;
    chi_live_updating update;
    ch_masker *masker;
    float *background;              /* a frame                                                 */
    int rendered;                   /* whether the whole background belongs to the last result */
    float last_w[CH_LIVE_RANK_MAX]; /* weights of the last result                              */
    float *score;
    uint8_t *mask;
    /* A frame that arrived packed, split into planes where they are needed; NULL if none did. */
    uint8_t *apart;
    ch_live_info info;
    ch_mask_info settled;           /* noise and threshold in use                     */
    int64_t since_switch;           /* frames since a switch was detected; -1 if none */
    int64_t used[CH_LIVE_RANK_MAX]; /* last frame in which each factor had a share    */
    /* Median of the noise over the frames, which changes slowly; it takes effect when it has
     * changed enough. */
    double noise;
    int64_t moved;   /* while adapting: frames in a row of yet another light    */
    int64_t calm;    /* while adapting: frames in a row with nothing unusual    */
    chi_arena arena; /* owns all arrays except those of cone, masker and worker */
};

/* ---- live_workspace.c ---- */
/* Checks the arguments, sets the shape, and allocates from the arena of live->context. */
ch_status chi_live_reserve(ch_live *live, const ch_frame_shape *shape,
                           const ch_live_settings *settings);

static inline int64_t chi_live_strips(const ch_live *live) {
    return (live->size.height + CHI_MASK_STRIP - 1) / CHI_MASK_STRIP;
}

/* ---- models ---- */
/* Returns factor k of a plane. */
static inline float *chi_live_factor(const ch_live *live, const chi_live_model *model, int plane,
                                     int64_t k) {
    return model->values + live->capacity * chi_plane_offset(&live->layout, plane) +
           k * chi_plane_pixels(&live->layout, plane);
}
/* Returns the background of a plane. */
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
/* Stores a frame and returns its slot. */
int64_t chi_live_remember(ch_live *live, const chi_live_picture *picture);
/* Sets the pointers to the planes of the frame in a slot. */
void chi_live_frame(const ch_live *live, const uint8_t **planes, int64_t slot);
/* Returns the maximum number of frames from which a background is learned. */
static inline int64_t chi_live_spread(const ch_live *live) {
    int64_t most = CHI_LIVE_SPREAD_PIXELS / live->pixels;
    if (most < CHI_LIVE_SPREAD_LEAST) return CHI_LIVE_SPREAD_LEAST;
    return most < CHI_LIVE_SPREAD ? most : CHI_LIVE_SPREAD;
}
/* Chooses up to `most` remembered frames and stores their slots in order of time: the latest frames
 * that show a new light (window.since), or evenly spread frames if there is no new light. Returns
 * their number. */
int64_t chi_live_sample_frames(const ch_live *live, int64_t *slots, int64_t most);
/* Writes plane p of these frames as a count x pixels matrix in which the values of a pixel over
 * time are contiguous. `context` belongs to the calling thread. */
void chi_live_courses(ch_context *context, const ch_live *live, uint8_t *values,
                      const int64_t *slots, int64_t count, int plane);

/* ---- live_weights.c ---- */
ch_status chi_live_weights_create(ch_live *live);
void chi_live_weights_destroy(ch_live *live);
/* Builds the cone of a new H. If `anew`, the weights restart. */
void chi_live_weights_take(ch_live *live, int anew);
/* Fits w of a frame and sets the gap; *off becomes the share of the sample that differs from the
 * background. */
void chi_live_weights_fit(ch_live *live, double *off, const chi_live_picture *picture);
/* chi_live_weights_keep() stores the sample of the last frame. chi_live_weights_moved() returns the
 * share of pixels that differ from it. */
void chi_live_weights_keep(ch_live *live);
double chi_live_weights_moved(const ch_live *live);
/* Returns the noise of the last fitted frame, as in mask_noise.c, over the sample. */
double chi_live_weights_noise(ch_live *live);
/* Returns the share of a factor in the background of the last fitted frame. */
double chi_live_weights_share(const ch_live *live, int64_t factor);
/* Writes the weight of each factor to w (CH_LIVE_RANK_MAX numbers); unused factors get 0. */
void chi_live_weights_get(const ch_live *live, double *w);

/* ---- live_background.c ---- */
/* Learns a background into worker.made: a complete one or, after a switch of the light, the model
 * in use plus a factor for the new light. May run on any thread; `context` belongs to that
 * thread. */
ch_status chi_live_learn(ch_context *context, ch_live *live);

/* ---- live_first.c ---- */
/* Computes the median for a share of the pixels; called with each frame of the warm-up. */
void chi_live_first_slice(ch_live *live);
/* Makes the median of chi_live_first_slice() the model, with a threshold for this frame. */
void chi_live_first_begin(ch_live *live, const chi_live_picture *picture);
/* Computes worker.noise, the noise of every pixel, for a background learned from the frames in
 * these slots. */
ch_status chi_live_first_noise(ch_context *context, ch_live *live, const ch_separation *parts,
                               const int64_t *slots, int64_t count);

/* ---- live_update.c ---- */
/* Updates the model from the frame, the mask and the weights of `update`. */
void chi_live_update(ch_live *live);
void chi_live_forget_pending(ch_live *live);

/* ---- live_reference.c ---- */
ch_status chi_live_reference_create(ch_live *live);
/* chi_live_reference_drop() drops the reference of all strips. chi_live_reference_follow() is
 * called after an update was collected. */
void chi_live_reference_drop(ch_live *live);
void chi_live_reference_follow(ch_live *live);
/* The functions for `hold` and `moved` of chi_mask_making. */
void chi_live_reference_hold(const ch_live *live, int64_t strip, int first,
                             const chi_live_stretch *part, const float *b);
double chi_live_reference_moved(const ch_live *live, int64_t strip, const float *w);

/* ---- live_worker.c ---- */
ch_status chi_live_worker_start(ch_live *live);
void chi_live_worker_stop(ch_live *live);
/* Gives a task to the worker, which must be idle with its last task collected. */
void chi_live_give(ch_live *live, chi_live_task task);
/* Waits for the task unless `late`. Returns the finished task, or CHI_LIVE_IDLE if none is
 * ready. */
chi_live_task chi_live_collect(ch_live *live, int late);
