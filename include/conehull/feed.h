/* Reads frames one after another from a source that may never end (library conehull_io).
 *
 * A source is what <conehull/clip.h> reads (a file, a folder or a pattern of pictures, "-" for
 * standard input), or
 *
 *     rtsp:// rtsps:// rtmp:// rtmps:// http:// https:// srt:// udp:// rtp:// tcp://
 *                     an address, as far as libav opens it; never a file of this machine
 *     /dev/video0 v4l2:NAME x11grab:NAME
 *                     a camera or another device of libavdevice, which is loaded on demand
 *     lavfi:GRAPH     frames made by filters of libavfilter; with settings.graphs only, since some
 *                     write files or open files and addresses (metadata=print:file=, movie=)
 * Simple use:
 *     ch_feed *feed;
 *     ch_feed_open(context, &feed, "rtsp://camera/stream", NULL);
 *     ch_feed_frame frame = {.size = sizeof frame};
 *     while (ch_feed_next(feed, &frame) == CH_OK && frame.planes[0]) use(&frame);
 *     ch_feed_close(feed);
 *
 * A thread reads and decodes a few frames ahead of the caller.
 *
 * Addresses and cameras do not wait: if frames come faster than the caller takes them, it gets the
 * newest one, and the frames before it are dropped and counted. Other sources wait, and the caller
 * gets every frame. settings.pace overrides both.
 *
 * Addresses and names with a prefix are for trusted callers only: they reach the network, cameras
 * and the screen. A program that takes names from strangers must refuse names that contain a colon
 * or begin with /dev/. */
#ifndef CONEHULL_FEED_H
#define CONEHULL_FEED_H

#include <conehull/settings.h>

CH_BEGIN_DECLS

/** What happens if frames come faster than the caller takes them. */
typedef enum ch_feed_pace {
    CH_FEED_AUTO = 0,  /**< CH_FEED_NEWEST for addresses and cameras, else CH_FEED_EVERY */
    CH_FEED_EVERY = 1, /**< the source waits, and the caller gets every frame */
    CH_FEED_NEWEST = 2 /**< the caller gets the newest frame; older ones are dropped and counted */
} ch_feed_pace;

/** Settings of a feed. ch_feed_defaults() fills them; ch_feed_table() lists their bounds. */
typedef struct ch_feed_settings {
    size_t size;       /**< sizeof(ch_feed_settings); ch_feed_defaults() sets it */
    int64_t frames;    /**< number of frames after which the feed ends; 0: no limit */
    int64_t width;     /**< width in pixels to which pictures are reduced; 0: not reduced */
    int gray;          /**< 1 returns brightness only, also of a colour source */
    ch_feed_pace pace; /**< what happens if frames come too fast */
    int64_t silence;   /**< addresses: seconds without data after which the feed ends */
    int graphs;        /**< 1 allows sources "lavfi:GRAPH" */
    int64_t from;      /**< number of the first frame to return, from 0 */
    int64_t step;      /**< only every step-th frame from there on is returned */

    /* The following members are not in the table. */

    /** Region of the source's pictures, in pixels, that is cut out before they are reduced; width
     *  and height 0: the whole picture. */
    int64_t roi_x, roi_y, roi_width, roi_height;
    int yuv;   /**< 1 also returns the picture in YUV as it was decoded (ch_feed_frame.yuv) */
    int whole; /**< 1: a truncated file ends with CH_ERR_FORMAT; 0: like a complete one */
    const int64_t *keep; /**< numbers of frames to return whatever step says, increasing; copied */
    int64_t keep_count;  /**< length of keep */
    const char *const *more; /**< names of files that continue the recording; copied */
    int64_t more_count;      /**< length of more */
    /** With yuv: pictures of at least this many pixels have their colour planes at half the width
     *  and height, as the source stores them. 0: planes always have the full size. */
    int halves;
} ch_feed_settings;

/** The table of the settings: name, default, bounds and help of each. */
CH_API const ch_settings_table *ch_feed_table(void);
/** Fills all settings with their defaults and sets `size`. */
static inline void ch_feed_defaults(ch_feed_settings *settings) {
    ch_settings_defaults(ch_feed_table(), settings, sizeof *settings);
}

/** Sets roi_x, roi_y, roi_width and roi_height from text "X,Y,W,H", as ch_clip_set_roi() does. */
CH_API ch_status ch_feed_set_roi(ch_context *context, ch_feed_settings *settings, const char *text);

/** One frame. Its pixels belong to the feed and are valid until the next call. */
typedef struct ch_feed_frame {
    size_t size; /**< sizeof(ch_feed_frame); the caller sets it */
    /** Gray, or R, G and B: width * height bytes each. If ch_feed_info.halves is set: brightness,
     *  then R and B at half the width and height. All NULL: the source has ended. */
    const uint8_t *planes[3];
    int64_t index; /**< number of the frame in the source, from 0; dropped frames count */
    double time;   /**< seconds since the first frame, increasing */
    int damaged;   /**< 1: the frame did not decode correctly */
    double waited; /**< seconds since the frame was decoded */
    /** If ch_feed_info.yuv is set: the picture as it was decoded, planes Y, U and V one after the
     *  other (CH_PIXELS_YUV420); else NULL. */
    const uint8_t *yuv;
    int64_t file; /**< number of the file that holds the frame (settings.more), from 0 */
    const double *file_start; /**< second of the recording at which each file 0 .. `file` begins */
} ch_feed_frame;

/** The properties of a feed. */
typedef struct ch_feed_info {
    size_t size;                                 /**< sizeof(ch_feed_info); the caller sets it */
    int64_t width, height;                       /**< size of the frames, in pixels */
    int64_t source_width, source_height;         /**< size of the source's pictures, in pixels */
    int64_t roi_x, roi_y, roi_width, roi_height; /**< region of them that is used, in pixels */
    int planes;                                  /**< planes of a frame: 1 (gray) or 3 (colour) */
    double rate;                                 /**< nominal number of frames per second */
    char container[32], codec[32]; /**< names of file format and codec, as libav spells them */
    int64_t dropped, damaged;      /**< number of frames dropped and damaged so far */
    int newest;                    /**< 1: the pace is CH_FEED_NEWEST; 0: CH_FEED_EVERY */
    /** 1: frames have ch_feed_frame.yuv. This needs settings.yuv, an 8-bit YUV 4:2:0 source, and
     *  pictures that are neither cut nor reduced. */
    int yuv;
    int full_range, matrix; /**< value range and colour matrix of yuv, as in ch_video_format */
    int64_t aspect[2];      /**< width : height of a pixel; 0 : 0 if unknown */
    int halves;             /**< 1: colour planes of a frame have half the width and height */
    int rotation;           /**< rotation of the pictures, as in ch_clip */
} ch_feed_info;

/** An open source; opaque, made by ch_feed_open(). */
typedef struct ch_feed ch_feed;

/** Opens a source and decodes its first frame; settings may be NULL. ch_feed_close() frees it.
 *  Errors are those of ch_clip_read(). The progress callback (phase "read") is called while the
 *  source sends nothing and may cancel. */
CH_API ch_status ch_feed_open(ch_context *context, ch_feed **feed, const char *source,
                              const ch_feed_settings *settings);
/** Waits for the next frame. At the end of the source it returns CH_OK, and frame->planes[0] is
 *  NULL. Returns CH_ERR_FORMAT if the size of the pictures changed, CH_ERR_IO if reading failed,
 *  and CH_STOP_CANCELLED if the progress callback cancelled. */
CH_API ch_status ch_feed_next(ch_feed *feed, ch_feed_frame *frame);
/** Reports the properties of a feed. The caller sets info->size. */
CH_API ch_status ch_feed_get_info(ch_feed *feed, ch_feed_info *info);
/** Closes a feed and frees it. NULL is allowed. */
CH_API void ch_feed_close(ch_feed *feed);

CH_END_DECLS
#endif
