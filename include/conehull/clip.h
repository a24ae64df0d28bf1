/* Clips: reading videos and series of pictures as matrices, and writing videos (library
 * conehull_io).
 *
 * What is read:
 *
 *     a file              any container and codec that libav (FFmpeg) knows
 *     a folder            its PNG, JPEG, PGM, PPM, BMP, TIFF and WebP files in the natural order of
 *                         their names: 2.png before 10.png
 *     img%05d.png         the files of that pattern, by number; gaps are skipped
 *     -                   standard input; formats that need to seek (most mp4) cannot come this way
 *
 * A name is always the name of a file: no network, no protocols ("http:", "concat:"). Files that a
 * playlist refers to are not opened.
 *
 * Luma of a gray source is the file's own bytes. Of a YUV source it is the Y plane, 16..235
 * expanded to 0..255 where the stream is of limited range, more than 8 bits rounded to 8. Of an RGB
 * source it is 0.299 R + 0.587 G + 0.114 B, rounded.
 *
 * Pictures are rotated and mirrored as the file requests for display; sizes and positions refer to
 * the displayed picture.
 *
 * A damaged picture is used as far as it decodes, with a warning in the log. A truncated file is
 * refused unless settings.partial allows it.
 *
 * Without libav (CMake: CONEHULL_VIDEO=OFF) folders and patterns of PNG, JPEG (TurboJPEG), BMP,
 * PBM, PGM and PPM files are read; videos, and writing them, fail with CH_ERR_UNSUPPORTED. */
#ifndef CONEHULL_CLIP_H
#define CONEHULL_CLIP_H

#include <conehull/matrix.h>
#include <conehull/picture.h>
#include <conehull/settings.h>

CH_BEGIN_DECLS

/** The part of the input to read. Initialise it by ch_clip_defaults(&set). */
typedef struct ch_clip_settings {
    size_t size;    /**< sizeof(ch_clip_settings); ch_clip_defaults() sets it */
    int64_t from;   /**< first frame, from 0                                                 */
    int64_t frames; /**< length of the stretch in frames of the input; 0: to the end         */
    int64_t step;   /**< every step-th frame of the stretch                                  */
    int64_t width;  /**< pictures are reduced to this width, height in proportion; 0: as is  */
    int gray;       /**< luma alone, also of a colour source                                 */
    int64_t memory; /**< bytes that the clip may take; 0: what the machine has               */
    int partial;    /**< read a truncated file up to its end, with a warning                 */
    /* Not in the table: */
    int64_t roi_x, roi_y, roi_width, roi_height; /**< cut out before reducing; 0 x 0: all    */
    const int64_t *keep; /**< frames of the stretch kept regardless of step, increasing       */
    int64_t keep_count;
    int64_t spread; /**< maximum number of frames, in pairs of neighbours (by step) spread evenly
                         over the stretch; keep is then ignored. 0: all frames, as for inputs
                         that can be read only once                                           */
    int64_t spread_above;    /**< shorter stretches (frames by step) are kept as a whole          */
    const char *const *more; /**< files that continue the recording, in this order, one frame after
                                  the last. All pictures have one size                        */
    int64_t more_count;
    int halves; /**< pixels of a picture, or 0. Of a sample of a source of YUV 4:2:0 whose whole
                   pictures are used and have at least so many pixels: colour at the resolution at
                   which the source has it (clip.halves)                   */
} ch_clip_settings;

CH_API const ch_settings_table *ch_clip_table(void);
static inline void ch_clip_defaults(ch_clip_settings *settings) {
    ch_settings_defaults(ch_clip_table(), settings, sizeof *settings);
}

/** Sets the region of interest from "X,Y,W,H", pixels of the input. */
CH_API ch_status ch_clip_set_roi(ch_context *context, ch_clip_settings *settings, const char *text);

typedef struct ch_clip {
    size_t size;                   /**< sizeof(ch_clip); the caller sets it */
    int64_t frames, width, height; /**< after cropping and reducing                             */
    /** frames x (width * height), u8, CH_COLUMN_MAJOR, stride >= frames: the series of a pixel is
     *  contiguous. Pixel (x, y) is column y * width + x. */
    ch_matrix luma;
    int colour;           /**< channel[] is filled                                            */
    ch_matrix channel[3]; /**< R, G, B, shaped as luma                                        */
    int64_t *index;       /**< frames: position in the input, from 0                          */
    double *time;         /**< frames: seconds from the first frame of the input, increasing  */
    int64_t source_width, source_height;         /**< of the input's pictures                 */
    int64_t roi_x, roi_y, roi_width, roi_height; /**< the cropped region                       */
    double rate;           /**< nominal frames a second; of pictures: 25                   */
    int64_t time_base[2];  /**< unit of the file's time stamps in seconds, a fraction      */
    char container[32];    /**< "matroska", "mov", ..., "pictures"                         */
    char codec[32];        /**< "h264", "ffv1", ...                                        */
    char pixel_format[32]; /**< libav's name: "yuv420p", "gray", ...                       */
    int64_t spread_over;   /**< number of frames sampled from (settings.spread); 0: all kept    */
    double *file_start;    /**< file_count: seconds at which each file begins, of those reached */
    int64_t file_count;
    int halves; /**< channel[0] is red and channel[1] blue, each of half the width and height;
                     channel[2] is empty                                                        */
    int64_t aspect[2]; /**< width : height of a pixel; 0 : 0 if unknown                         */
    int rotation; /**< degrees clockwise by which the stored pictures were turned: 0, 90, 180 or
                            270 */
} ch_clip;

/** Reads a clip; settings may be NULL. Free it with ch_clip_free(). Logs the memory needed
 *  (CH_LOG_INFO) before allocating it and reports progress in phase "read". CH_ERR_MEMORY: more
 *  than settings.memory (the message says what would fit) or than available; CH_ERR_IO: missing,
 *  not permitted; CH_ERR_FORMAT: no video in it, truncated (with settings.partial: before the first
 *  picture), pictures of changing size; CH_ERR_ARGUMENT: no frame in the stretch, a region outside
 *  the picture. If cancelled, returns CH_STOP_CANCELLED and an empty clip. */
CH_API ch_status ch_clip_read(ch_context *context, ch_clip *clip, const char *path,
                              const ch_clip_settings *settings);
CH_API void ch_clip_free(ch_context *context, ch_clip *clip);

/** Extracts whole pictures from a matrix of frames x pixels: pixels[(f - lo) * cols + j] = X(f, j)
 *  for frames lo <= f < hi. X is dense, u8 or u16; pixels has that type. Extracting 32 or 64 frames
 *  in a call costs little more than one. */
CH_API ch_status ch_clip_frames(ch_context *context, void *pixels, const ch_matrix *X, int64_t lo,
                                int64_t hi);

/** Crops and reduces masks of the input's size like the clip; a pixel becomes foreground if half of
 *  its area is. Masks of the clip's size are left unchanged. Returns CH_ERR_DATA if they have
 *  neither size. */
CH_API ch_status ch_clip_fit_masks(ch_context *context, ch_masks *masks, const ch_clip *clip);
/** The same for one picture, e.g. of regions; it stays gray or RGB. */
CH_API ch_status ch_clip_fit_picture(ch_context *context, ch_picture *picture, const ch_clip *clip);

/* ---- writing ---- */

typedef enum ch_pixel_format {
    CH_PIXELS_GRAY8 = 0,
    CH_PIXELS_RGB24 = 1,  /**< R G B side by side                                               */
    CH_PIXELS_GRAY16 = 2, /**< uint16_t; FFV1 only                                             */
    CH_PIXELS_YUV420 = 3  /**< planes Y, U, V one after the other, U and V of half the width and
                               height; even sides; h264 and play only                          */
} ch_pixel_format;

typedef enum ch_video_codec {
    CH_CODEC_FFV1 = 0,
    CH_CODEC_MJPEG = 1,
    CH_CODEC_H264 = 2,
    CH_CODEC_PLAY = 3, /**< for browsers and phones: H.264 if libav can encode it, else MPEG-4;
                           an odd width or height is increased by one                          */
    CH_CODEC_FLAT = 4  /**< for masks, fast and small: a gray8 value is stored as one bit and read
                            back as 255 if it was at least 128, else as 0. PNG, or FFV1 if libav
                            has no PNG encoder */
} ch_video_codec;

typedef struct ch_video_writer_settings {
    size_t size; /**< sizeof(ch_video_writer_settings); ch_video_writer_defaults() sets it */
    ch_video_codec codec; /**< ffv1 (lossless, the default), mjpeg, h264, play, flat           */
    int64_t quality;      /**< mjpeg, h264, play: 1 (small) to 100                             */
} ch_video_writer_settings;

CH_API const ch_settings_table *ch_video_writer_table(void);
static inline void ch_video_writer_defaults(ch_video_writer_settings *settings) {
    ch_settings_defaults(ch_video_writer_table(), settings, sizeof *settings);
}

/** A video being written, as MP4 where the name ends in .mp4 (h264 and play; its index comes first,
 *  so that it plays while it is loaded), else as Matroska. It appears under its name when it is
 *  committed, and players can seek in it. A separate thread encodes the pictures. */
typedef struct ch_video_writer ch_video_writer;

/** The format of a video's pictures. */
typedef struct ch_video_format {
    int64_t width, height;
    ch_pixel_format pixels;
    double rate; /**< nominal frames a second, for players                                     */
    /* These may be left 0. */
    int64_t aspect[2]; /**< width : height of a pixel; 0: square                               */
    int full_range; /**< yuv420: non-zero if black is 0 and white 255, 0 if they are 16 and 235 */
    int matrix;     /**< yuv420: number of the colour matrix in ITU-T H.273; 0: unspecified   */
} ch_video_format;

/** settings may be NULL. */
CH_API ch_status ch_video_writer_open(ch_context *context, ch_video_writer **writer,
                                      const char *path, const ch_video_format *format,
                                      const ch_video_writer_settings *settings);
/** One picture, height x width without padding. time is in seconds and must increase; it is stored
 *  in milliseconds, and two frames never get the same one. The picture is copied; an encoding error
 *  is reported by a later call. */
CH_API ch_status ch_video_writer_add(ch_video_writer *writer, const void *pixels, double time);
/** The buffer of the next picture. A caller who draws there and passes this address to
 *  ch_video_writer_add() saves a copy. Waits until a buffer is free. */
CH_API ch_status ch_video_writer_place(ch_video_writer *writer, void **pixels);
/** Finishes the file and gives it its name. Frees the writer in any case. */
CH_API ch_status ch_video_writer_commit(ch_video_writer *writer);
/** Frees the writer and removes the unfinished file. Does nothing if writer is NULL. */
CH_API void ch_video_writer_discard(ch_video_writer *writer);

/* ---- cutting without re-encoding ---- */

/** A piece of a video file: what is requested and what was cut, in seconds from the first
 *  picture. */
typedef struct ch_video_piece {
    size_t size;       /**< sizeof(ch_video_piece); the caller sets it                         */
    const char *path;  /**< MP4 where the name ends in .mp4, else Matroska                     */
    double start, end; /**< wanted                                                             */
    double cut_start;  /**< the key frame before start, where the piece begins                 */
    double cut_end;    /**< where its last picture ends                                        */
    int64_t pictures;
    int tracks; /**< pictures, sound, subtitles: as many as were copied ...                    */
    int lost;   /**< ... and those that the container cannot hold                              */
} ch_video_piece;

/** Copies pieces of a file without re-encoding pictures or sound, so that a piece begins at the key
 *  frame before its start. Each output appears complete or not at all; if one fails, those written
 *  before remain. The input is read twice. CH_ERR_ARGUMENT: a folder of pictures, an address, an
 *  input that can be read only once; CH_ERR_FORMAT: not a video; CH_STOP_CANCELLED. */
CH_API ch_status ch_video_cut(ch_context *context, ch_video_piece *pieces, int64_t count,
                              const char *input);
/** The container that can hold all tracks of a file: "mp4" for MP4 and MOV files whose tracks it
 *  supports, else "mkv". */
CH_API ch_status ch_video_cut_suffix(ch_context *context, const char **suffix, const char *input);

/** The video library with its licence ("libavformat 59.27, libavcodec 59.37, GPL version 2 or
 *  later"), or NULL if this build has no video. */
CH_API const char *ch_video_library(void);

CH_END_DECLS
#endif
