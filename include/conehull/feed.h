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

/** What happens if the source delivers frames faster than the caller takes them. */
typedef enum ch_feed_pace {
    CH_FEED_AUTO = 0,  /**< CH_FEED_NEWEST for addresses and cameras, else CH_FEED_EVERY */
    CH_FEED_EVERY = 1, /**< the source waits, and the caller gets every frame */
    CH_FEED_NEWEST = 2 /**< the caller gets the newest frame; older ones are dropped and counted */
} ch_feed_pace;

/** Settings of a feed. ch_feed_defaults() fills them; ch_feed_table() lists their bounds. */
typedef struct ch_feed_settings {
    size_t size;    /**< sizeof(ch_feed_settings); ch_feed_defaults() sets it */
    int64_t frames; /**< number of frames after which the feed ends; 0: no limit */
    /** Width in pixels to which pictures are downscaled; 0: pictures keep their size. */
    int64_t width;
    int gray; /**< 1 returns only the brightness of a colour source; 0 also returns its colours */
    /** What happens if the source delivers frames faster than the caller takes them. */
    ch_feed_pace pace;
    int64_t silence; /**< network addresses: seconds without data after which the feed ends */
    /** 1 allows sources "lavfi:GRAPH", frames that libavfilter generates; 0 refuses them. */
    int graphs;
    int64_t from; /**< index, from 0, of the first frame to return */
    /** Only every step-th frame, beginning with frame `from`, is returned; 1: every frame. */
    int64_t step;

    /* The table of the settings does not list the following members. */

    /** Region of interest, in pixels of the source: pictures are cropped to this rectangle before
     *  they are downscaled. Width and height 0: the whole picture. */
    int64_t roi_x, roi_y, roi_width, roi_height;
    /** 1 also returns each picture in YUV, as the source encodes it (ch_feed_frame.yuv). */
    int yuv;
    int whole; /**< 1: a truncated file ends with CH_ERR_FORMAT; 0: it ends like a complete file */
    /** Indices of frames, from 0 and increasing, that are returned even if step skips them. The
     *  array is copied. NULL: no such frames. */
    const int64_t *keep;
    int64_t keep_count;      /**< length of keep */
    const char *const *more; /**< names of files that continue the recording; copied */
    int64_t more_count;      /**< length of more */
    /** With yuv = 1: pictures of at least this many pixels are returned with colour planes of half
     *  the width and half the height, as the source stores them. 0: all planes have the full
     *  size. */
    int halves;
} ch_feed_settings;

/** Returns the constant table of the settings: name, default, bounds and help text of each. */
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
    /** The pixels: one plane (gray), or R, G and B, with width * height bytes each. If
     *  ch_feed_info.halves is set, they are brightness at full size, then R and B with half the
     *  width and half the height. All are NULL after the last frame of the source. */
    const uint8_t *planes[3];
    int64_t index; /**< index of the frame in the source, from 0; dropped frames are counted too */
    double time;   /**< seconds since the first frame, increasing */
    int damaged;   /**< 1: the frame did not decode correctly */
    double waited; /**< seconds between the decoding of the frame and its return to the caller */
    /** If ch_feed_info.yuv is set: the picture as the source encodes it, planes Y, U and V one
     *  after the other (CH_PIXELS_YUV420). Otherwise NULL. */
    const uint8_t *yuv;
    /** Index of the file that holds the frame: 0 for the source itself, k for entry k - 1 of
     *  settings.more. */
    int64_t file;
    /** Times in seconds at which files 0 .. `file` of the recording begin. */
    const double *file_start;
} ch_feed_frame;

/** The properties of a feed. */
typedef struct ch_feed_info {
    size_t size;                         /**< sizeof(ch_feed_info); the caller sets it */
    int64_t width, height;               /**< size of the frames, in pixels */
    int64_t source_width, source_height; /**< size of the source's pictures, in pixels */
    /** Region of the source's pictures that is used, in pixels. */
    int64_t roi_x, roi_y, roi_width, roi_height;
    int planes;                    /**< planes of a frame: 1 (gray) or 3 (colour) */
    double rate;                   /**< nominal number of frames per second */
    char container[32], codec[32]; /**< names of the file format and of the codec in libav */
    /** Numbers of frames that were dropped and that were damaged, so far. */
    int64_t dropped, damaged;
    int newest; /**< 1: the pace is CH_FEED_NEWEST; 0: CH_FEED_EVERY */
    /** 1: every frame has ch_feed_frame.yuv. This is so if settings.yuv is set, the source is YUV
     *  4:2:0 with 8 bits, and pictures are neither cropped nor downscaled. */
    int yuv;
    /** Value range and colour matrix of ch_feed_frame.yuv, as in ch_video_format. */
    int full_range, matrix;
    int64_t aspect[2]; /**< width : height of a pixel; 0 : 0 if unknown */
    int halves;        /**< 1: colour planes of a frame have half the width and height */
    /** Angle by which the pictures were rotated clockwise: 0, 90, 180 or 270 degrees. */
    int rotation;
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
