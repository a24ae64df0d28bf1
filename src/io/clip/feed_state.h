/* Internals of a ch_feed: the source (feed_source.c), and the thread that provides the newest frame
 * (feed_newest.c) or reads ahead (feed_ahead.c). */
#pragma once

#include "base/bounded_queue.h"
#include "io/clip/frames.h"
#include <conehull/feed.h>
#include <pthread.h>

/* One frame with its pixels. */
typedef struct chi_feed_slot {
    uint8_t *pixels; /* planes x width x height; with info.yuv followed by the decoder's planes */
    int64_t index;
    double time, decoded; /* time in the source; time of decoding on our clock */
    int damaged, filled;
    int64_t file; /* file of a recording, and where the files begin; starts belongs to the input */
    const double *starts;
} chi_feed_slot;

typedef struct chi_feed_source {
    ch_context *context;
    const char *path;
    ch_feed_settings set;
    chi_files files;
    chi_input *input;
    chi_frame first; /* decoded when the source was opened */
    int64_t next;    /* position of the next frame         */
    int64_t handed;  /* frames delivered so far            */
    int64_t keep_at; /* position in set.keep               */
    chi_cut cut;
    ch_feed_info info;
} chi_feed_source;

int chi_is_live(const char *path); /* whether path is an address or a camera */
/* Returns the name of the libavdevice format that reads a camera; *device is the name of the camera
 * in that format. */
const char *chi_camera_parts(const char *path, const char **device);
ch_status chi_feed_source_open(ch_context *context, chi_feed_source *source, const char *path,
                               const ch_feed_settings *settings);
void chi_feed_source_close(chi_feed_source *source);
/* Returns the offset of a plane in the pixels of a slot; if plane is info->planes, the offset of
 * the decoder's planes. */
int64_t chi_feed_plane_at(const ch_feed_info *info, int plane);
/* Returns the size of the pixels of a slot in bytes. */
int64_t chi_feed_slot_bytes(const ch_feed_info *info);
/* Reads the next frame; slot->filled is 0 after the last. */
ch_status chi_feed_source_next(chi_feed_source *source, chi_feed_slot *slot);

/* The reader of the newest frame. */
typedef struct chi_feed_newest {
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t news;
    ch_context *context; /* context of the thread */
    chi_feed_source *source;
    chi_feed_slot waiting, spare; /* decoded but not taken; being decoded */
    ch_status status;
    int started, quit, ended;
    int64_t dropped;
} chi_feed_newest;

ch_status chi_feed_newest_start(chi_feed_newest *newest, ch_context *context,
                                chi_feed_source *source);
void chi_feed_newest_stop(chi_feed_newest *newest, ch_context *context);
int64_t chi_feed_newest_dropped(chi_feed_newest *newest);
/* Waits for a frame and swaps the newest into slot. */
ch_status chi_feed_newest_take(chi_feed_newest *newest, ch_context *context, chi_feed_slot *slot);

/* The reader that decodes frames ahead, in order: 3 for large pictures and more for small ones, so
 * that on a busy machine a thread finds more than one frame when it runs. */
enum { CHI_FEED_AHEAD = 64, CHI_FEED_LEAST = 3, CHI_FEED_LOGGED = 8 };
typedef struct chi_feed_ahead {
    pthread_t thread;
    chi_queue queue;
    ch_context *context; /* context of the thread */
    chi_feed_source *source;
    chi_feed_slot slots[CHI_FEED_AHEAD];
    int places; /* number of slots in use */
    struct chi_feed_line {
        ch_log_level level;
        char text[512];
    } lines[CHI_FEED_LOGGED]; /* log messages for the caller's thread; protected by the lock */
    int line_count;
    ch_status status; /* valid once the queue is closed */
    int started;
} chi_feed_ahead;

ch_status chi_feed_ahead_start(chi_feed_ahead *ahead, ch_context *context, chi_feed_source *source);
void chi_feed_ahead_stop(chi_feed_ahead *ahead, ch_context *context);
/* Waits for the next frame and swaps it into slot. */
ch_status chi_feed_ahead_take(chi_feed_ahead *ahead, ch_context *context, chi_feed_slot *slot);
