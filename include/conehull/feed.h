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

typedef enum ch_feed_pace {
    CH_FEED_AUTO = 0, /**< addresses and cameras: newest, else every                          */
    CH_FEED_EVERY = 1,
    CH_FEED_NEWEST = 2
} ch_feed_pace;

/** Described by ch_feed_table(). */
typedef struct ch_feed_settings {
    size_t size;    /**< sizeof(ch_feed_settings); ch_feed_defaults() sets it */
    int64_t frames; /**< number of frames after which the feed ends; 0: no limit              */
    int64_t width;  /**< pictures are reduced to this width; 0: as is                         */
    int gray;       /**< luma alone, also of a colour source                                  */
    ch_feed_pace pace;
    int64_t silence; /**< addresses: seconds without a packet after which the feed ends        */
    int graphs;      /**< allow names "lavfi:GRAPH"                                            */
    int64_t from;    /**< first frame, from 0                                                  */
    int64_t step;    /**< every step-th frame from there on                                    */

    /* Not in the table. */
    int64_t roi_x, roi_y, roi_width, roi_height; /**< cut out before reducing; 0 x 0: all      */
    int yuv;             /**< also return the decoder's planes                                 */
    int whole;           /**< end a truncated file with CH_ERR_FORMAT                          */
    const int64_t *keep; /**< frames returned regardless of step, increasing; copied            */
    int64_t keep_count;
    const char *const *more; /**< files that continue the recording; copied                    */
    int64_t more_count;
    int halves; /**< with yuv: colour at the resolution at which the source has it, of pictures of
                   at least so many pixels; 0: never                                             */
} ch_feed_settings;

CH_API const ch_settings_table *ch_feed_table(void);
static inline void ch_feed_defaults(ch_feed_settings *settings) {
    ch_settings_defaults(ch_feed_table(), settings, sizeof *settings);
}

/** Fills the roi_ fields from "X,Y,W,H", as ch_clip_set_roi() does. */
CH_API ch_status ch_feed_set_roi(ch_context *context, ch_feed_settings *settings, const char *text);

/** A frame. Its pixels belong to the feed and are valid until the next call. */
typedef struct ch_feed_frame {
    size_t size;              /**< sizeof(ch_feed_frame); the caller sets it */
    const uint8_t *planes[3]; /**< gray, or R, G and B, width * height each; with info.halves
                                   brightness, and R and B of half the width and height; NULL:
                                   no more                                                    */
    int64_t index;            /**< its number in the source, from 0; dropped ones count        */
    double time;              /**< seconds from the first frame, increasing                    */
    int damaged;              /**< it did not decode correctly                                 */
    double waited;            /**< seconds since it was decoded                                */
    const uint8_t *yuv;       /**< with info.yuv: the same picture as it was decoded, planes Y, U
                                   and V one after the other (CH_PIXELS_YUV420); else NULL     */
    int64_t file;             /**< the number of its file, from 0, and ...                     */
    const double *file_start; /**< ... the seconds of the recording at which files 0 to this one
                                   begin                                                       */
} ch_feed_frame;

typedef struct ch_feed_info {
    size_t size;                         /**< sizeof(ch_feed_info); the caller sets it */
    int64_t width, height;               /**< of the frames                                    */
    int64_t source_width, source_height; /**< of the source's pictures                         */
    int64_t roi_x, roi_y, roi_width, roi_height; /**< the cropped region                       */
    int planes;  /**< 1 or 3                                           */
    double rate; /**< nominal frames a second                          */
    char container[32], codec[32];
    int64_t dropped, damaged; /**< frames so far                                               */
    int newest;               /**< the pace                                                    */
    int yuv;                  /**< frames have their own YUV planes too: settings.yuv, and the
                                   whole picture of a source of 8-bit YUV 4:2:0 is used        */
    int full_range, matrix;   /**< of those, as in ch_video_format                             */
    int64_t aspect[2];        /**< width : height of a pixel; 0 : 0 if unknown                 */
    int halves;               /**< settings.halves, and yuv is there and in colour             */
    int rotation;             /**< as of ch_clip                                               */
} ch_feed_info;

typedef struct ch_feed ch_feed;

/** Opens a source and decodes its first frame; settings may be NULL. Errors as ch_clip_read(). The
 *  progress callback (phase "read") is called while the source is silent and may cancel. */
CH_API ch_status ch_feed_open(ch_context *context, ch_feed **feed, const char *source,
                              const ch_feed_settings *settings);
/** The next frame. At the end of the source: CH_OK and planes[0] NULL. CH_ERR_FORMAT: its size
 *  changed; CH_ERR_IO: reading failed; CH_STOP_CANCELLED. */
CH_API ch_status ch_feed_next(ch_feed *feed, ch_feed_frame *frame);
CH_API ch_status ch_feed_get_info(ch_feed *feed, ch_feed_info *info);
CH_API void ch_feed_close(ch_feed *feed);

CH_END_DECLS
#endif
