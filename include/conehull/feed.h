/* Reads frames one after another from a source that may never end (library conehull_io).
 *
 * A source is an input that <conehull/clip.h> reads (a file, a folder or a pattern of pictures, "-"
 * for standard input), or one of these:
 *
 *     rtsp:// rtsps:// rtmp:// rtmps:// http:// https:// srt:// udp:// rtp:// tcp://
 *                     a network address, if libav supports the protocol; never a local file
 *     /dev/video0 v4l2:NAME x11grab:NAME
 *                     a camera or another device of libavdevice, which is loaded on demand
 *     lavfi:GRAPH     frames that filters of libavfilter generate; ch_feed_settings.graphs must be
 *                     1, because some filters write files or open files and addresses
 *                     (metadata=print:file=, movie=)
 *
 * Simple use:
 *
 *     ch_feed *feed;
 *     ch_feed_open(context, &feed, "rtsp://camera/stream", NULL);
 *     ch_feed_frame frame = {.size = sizeof frame};
 *     while (ch_feed_next(feed, &frame) == CH_OK && frame.planes[0]) use(&frame);
 *     ch_feed_close(feed);
 *
 * A separate thread reads and decodes a few frames ahead of the caller.
 *
 * Network addresses and cameras do not wait for the caller. If they deliver frames faster than the
 * caller takes them, the caller gets the newest frame; older frames are dropped and counted. Other
 * sources wait, so that the caller gets every frame. ch_feed_settings.pace can change this.
 *
 * Names of sources can give access to the network, to cameras and to the screen, because they can
 * be addresses (http://...) or begin with a prefix (v4l2:, x11grab:, lavfi:). A program that takes
 * names from untrusted users must refuse names that contain a colon or begin with /dev/. */
#ifndef CONEHULL_FEED_H
#define CONEHULL_FEED_H

#include <conehull/settings.h>

CH_BEGIN_DECLS

/** What happens if the source delivers frames faster than the caller takes them. */
typedef enum ch_feed_pace {
    CH_FEED_AUTO = 0,  /**< CH_FEED_NEWEST for network addresses and cameras, else CH_FEED_EVERY */
    CH_FEED_EVERY = 1, /**< the source waits, and the caller gets every frame */
    /** The caller gets the newest frame; older frames are dropped and counted. */
    CH_FEED_NEWEST = 2
} ch_feed_pace;

/** Settings of a feed. ch_feed_defaults() fills them; ch_feed_table() lists their bounds. */
typedef struct ch_feed_settings {
    size_t size;    /**< sizeof(ch_feed_settings); ch_feed_defaults() sets it */
    int64_t frames; /**< the feed ends after this many frames; 0: no limit */
    /** Width in pixels to which pictures are downscaled, with the height in proportion. Narrower
     *  pictures are not enlarged. 0: pictures are not scaled. */
    int64_t width;
    /** 1: frames of a colour source have one plane, its brightness; 0: they have colours. */
    int gray;
    /** What happens if the source delivers frames faster than the caller takes them. */
    ch_feed_pace pace;
    int64_t silence; /**< network addresses: the feed ends after this many seconds without data */
    /** 1 allows sources of the form "lavfi:GRAPH", whose frames libavfilter generates; 0 refuses
     *  them. */
    int graphs;
    int64_t from; /**< index, from 0, of the first frame to return */
    /** Only every step-th frame of the source is returned, beginning with frame `from`; 1: every
     *  frame. */
    int64_t step;

    /* The table of the settings does not list the following members. */

    /** Region of interest, in pixels of the source: pictures are cropped to the rectangle with the
     *  top left pixel (roi_x, roi_y) before they are downscaled. Width and height 0: pictures are
     *  not cropped. */
    int64_t roi_x, roi_y, roi_width, roi_height;
    /** 1: each picture is also returned in YUV as the source encodes it, if possible
     *  (ch_feed_frame.yuv). */
    int yuv;
    /** What happens at the end of a truncated file. 1: ch_feed_next() returns CH_ERR_FORMAT. 0: the
     *  feed ends as after a complete file. */
    int whole;
    /** Indices, from 0 and increasing, of frames of the source that are returned even if `step`
     *  skips them. The array is copied. NULL: no such frames. */
    const int64_t *keep;
    int64_t keep_count; /**< number of entries of `keep` */
    /** Names of further files that continue the recording, in this order; they are copied. NULL: no
     *  further files. */
    const char *const *more;
    int64_t more_count; /**< number of entries of `more` */
    /** With yuv = 1: pictures with at least this many pixels are returned with colour planes of
     *  half the width and half the height, as the source stores them (ch_feed_info.halves). 0: all
     *  planes have the full size. */
    int halves;
} ch_feed_settings;

/** Returns the constant table of the settings: name, default, bounds and help text of each. */
CH_API const ch_settings_table *ch_feed_table(void);
/** Fills all settings with their defaults and sets `size`. */
static inline void ch_feed_defaults(ch_feed_settings *settings) {
    ch_settings_defaults(ch_feed_table(), settings, sizeof *settings);
}

/** Sets settings->roi_x, roi_y, roi_width and roi_height from a text of the form "X,Y,W,H", in
 *  pixels of the source. Returns CH_ERR_SETTING if the text is malformed. */
CH_API ch_status ch_feed_set_roi(ch_context *context, ch_feed_settings *settings, const char *text);

/** One frame of a feed. Its pixels belong to the feed and are valid until the next call with this
 *  feed. */
typedef struct ch_feed_frame {
    size_t size; /**< sizeof(ch_feed_frame); the caller sets it */
    /** The planes of the frame, row by row: one plane (gray), or R, G and B, with width * height
     *  bytes each. If ch_feed_info.halves is 1, the planes are brightness in full size, and R and B
     *  with half the width and half the height. All are NULL after the last frame of the source. */
    const uint8_t *planes[3];
    /** number of the frame in the source, counted from 0; dropped frames count too */
    int64_t index;
    /** Time of the frame in seconds since the first frame of the source; times increase. */
    double time;
    int damaged;   /**< 1: the frame did not decode correctly; 0: it did */
    double waited; /**< seconds that passed from the decoding of the frame until it was returned */
    /** If ch_feed_info.yuv is 1: the picture as the source encodes it, planes Y, U and V one after
     *  the other (CH_PIXELS_YUV420). Otherwise NULL. */
    const uint8_t *yuv;
    /** Index of the file that holds the frame: 0 for the source itself, k >= 1 for
     *  ch_feed_settings.more[k - 1]. */
    int64_t file;
    /** file + 1 numbers: the time at which each file of the recording so far begins, in seconds
     *  since the first frame of the source. */
    const double *file_start;
} ch_feed_frame;

/** The properties of a feed. */
typedef struct ch_feed_info {
    size_t size;                         /**< sizeof(ch_feed_info); the caller sets it */
    int64_t width, height;               /**< size of the frames, in pixels */
    int64_t source_width, source_height; /**< size of the pictures of the source, in pixels */
    /** The part of each picture of the source that is used: its top left pixel and its size, in
     *  pixels. Without cropping it is the whole picture. */
    int64_t roi_x, roi_y, roi_width, roi_height;
    int planes;                    /**< number of planes of a frame: 1 (gray) or 3 (colour) */
    double rate;                   /**< nominal number of frames per second */
    char container[32], codec[32]; /**< names of the file format and of the codec in libav */
    /** Number of frames dropped so far, and number of damaged frames so far. */
    int64_t dropped, damaged;
    int newest; /**< 1: the pace is CH_FEED_NEWEST; 0: CH_FEED_EVERY */
    /** 1: every frame has ch_feed_frame.yuv; 0: no frame has it. The member is 1 if
     *  ch_feed_settings.yuv is 1, the source is YUV 4:2:0 with 8 bits, and pictures are neither
     *  cropped nor downscaled. */
    int yuv;
    /** Range of values and colour matrix of ch_feed_frame.yuv, as in ch_video_format. */
    int full_range, matrix;
    /** Shape of a pixel: aspect[0] : aspect[1] is width : height; 0 : 0 if unknown. */
    int64_t aspect[2];
    /** 1: colour planes of a frame have half the width and half the height; 0: full size. */
    int halves;
    /** Angle by which the pictures of the source were rotated clockwise: 0, 90, 180 or 270
     *  degrees. */
    int rotation;
    /** Number of frames that the feed will return, as the header of the source states it; 0:
     *  unknown. The header may be wrong, so this number is only a hint. */
    int64_t frames;
} ch_feed_info;

/** A feed: an open source of frames; opaque, made by ch_feed_open(). */
typedef struct ch_feed ch_feed;

/** Opens the source called `source` and decodes its first frame. settings may be NULL.
 *  ch_feed_close() frees the feed. Returns the same errors as ch_clip_read(). While the source
 *  sends nothing, the progress callback (phase "read") is called and can cancel. */
CH_API ch_status ch_feed_open(ch_context *context, ch_feed **feed, const char *source,
                              const ch_feed_settings *settings);
/** Waits for the next frame and describes it in *frame. The caller sets frame->size. After the last
 *  frame the call returns CH_OK, and frame->planes[0] is NULL. Returns CH_ERR_FORMAT if the size of
 *  the pictures changed, CH_ERR_IO if reading failed, and CH_STOP_CANCELLED if the progress
 *  callback cancelled. */
CH_API ch_status ch_feed_next(ch_feed *feed, ch_feed_frame *frame);
/** Reports the properties of a feed. The caller sets info->size. */
CH_API ch_status ch_feed_get_info(ch_feed *feed, ch_feed_info *info);
/** Closes a feed and frees it. NULL is allowed. */
CH_API void ch_feed_close(ch_feed *feed);

CH_END_DECLS
#endif
