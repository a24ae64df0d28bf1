/* Clips: reading videos and series of pictures as matrices, and writing videos (library
 * conehull_io).
 *
 * These inputs are read:
 *
 *     a file              a video in any format and codec that libav (FFmpeg) supports
 *     a folder            its PNG, JPEG, PGM, PPM, BMP, TIFF and WebP files in the natural order of
 *                         their names: 2.png before 10.png
 *     img%05d.png         the files whose names match this pattern, in the order of their numbers;
 *                         missing numbers are skipped
 *     -                   standard input; formats that need to seek, such as most MP4 files, cannot
 *                         be read in this way
 *
 * A name is always the name of a local file or folder: network addresses and protocols such as
 * "http:" and "concat:" are not supported. Files that a playlist refers to are not opened.
 *
 * Luma is the brightness of a pixel, 0 to 255. If the source is gray, luma is the value in the
 * file. If the source is YUV, luma is the value Y; a limited range (16 to 235) is expanded to 0 to
 * 255, and values of more than 8 bits are rounded to 8 bits. If the source is RGB, luma is 0.299 R
 * + 0.587 G + 0.114 B, rounded.
 *
 * Pictures are rotated and mirrored as the file requests for display; all sizes and positions in
 * this header refer to the displayed picture.
 *
 * A damaged picture is used as far as it decodes, with a warning in the log. A truncated file is
 * refused unless ch_clip_settings.partial is 1.
 *
 * A build without libav (CMake: CONEHULL_VIDEO=OFF) reads folders and patterns of PNG, JPEG (with
 * TurboJPEG), BMP, PBM, PGM and PPM files; reading and writing videos fails with
 * CH_ERR_UNSUPPORTED. */
#ifndef CONEHULL_CLIP_H
#define CONEHULL_CLIP_H

#include <conehull/matrix.h>
#include <conehull/picture.h>
#include <conehull/settings.h>

CH_BEGIN_DECLS

/** Settings of ch_clip_read(): which part of the input is read, and how. ch_clip_defaults() fills
 *  them; ch_clip_table() lists their bounds. In the comments, the stretch is the range of
 *  consecutive frames that `from` and `frames` select. */
typedef struct ch_clip_settings {
    size_t size;  /**< sizeof(ch_clip_settings); ch_clip_defaults() sets it */
    int64_t from; /**< index, from 0, of the first frame of the stretch */
    /** Number of frames of the stretch, including those that `step` skips; 0: up to the last frame
     *  of the input. */
    int64_t frames;
    /** Only every step-th frame of the stretch is read, beginning with its first; 1: every
     *  frame. */
    int64_t step;
    /** Width in pixels to which pictures are downscaled, with the height in proportion. Narrower
     *  pictures are not enlarged. 0: pictures are not scaled. */
    int64_t width;
    /** 1: only the brightness (luma) of a colour source is read. 0: its colours are read too. */
    int gray;
    /** Maximum memory of the clip in bytes; a larger clip is refused with CH_ERR_MEMORY. 0: the
     *  memory that is available. */
    int64_t memory;
    /** 1: a truncated file is read as far as it goes, with a warning; 0: it is refused. */
    int partial;

    /* The table of the settings does not list the following members. */

    /** Region of interest, in pixels of the input: pictures are cropped to the rectangle with the
     *  top left pixel (roi_x, roi_y) before they are downscaled. Width and height 0: pictures are
     *  not cropped. */
    int64_t roi_x, roi_y, roi_width, roi_height;
    /** Indices, from 0 and increasing, of frames of the input that are read even if `step` skips
     *  them. Frames outside the stretch are not read. NULL: no such frames. */
    const int64_t *keep;
    int64_t keep_count; /**< number of entries of `keep` */
    /** A positive number turns on sampling. Of the frames that `step` selects, only spread / 2
     *  pairs of neighbouring frames are then read, evenly distributed over the stretch, and `keep`
     *  is ignored. There is no sampling if `step` selects at most 1.5 * spread frames, or if the
     *  input can be read only once, such as a pipe. 0: no sampling. */
    int64_t spread;
    /** There is no sampling if `step` selects at most this many frames; all frames that `step`
     *  selects are then read. The number has no effect if `spread` is 0. */
    int64_t spread_above;
    /** Names of further files that continue the recording, in this order. Each file begins one
     *  frame interval after the last frame of the previous file. The pictures of all files must
     *  have the same size. NULL: no further files. */
    const char *const *more;
    int64_t more_count; /**< number of entries of `more` */
    /** Minimum number of pixels of a picture for which the colours stay at half the width and half
     *  the height, as the source stores them (ch_clip.halves). This saves memory. Colours are
     *  stored in this way only if frames are sampled (`spread`), the source is YUV 4:2:0, and
     *  pictures are neither cropped nor downscaled. 0: colours always have the full size. */
    int halves;
} ch_clip_settings;

/** Returns the constant table of the settings: name, default, bounds and help text of each. */
CH_API const ch_settings_table *ch_clip_table(void);
/** Fills all settings with their defaults and sets `size`. */
static inline void ch_clip_defaults(ch_clip_settings *settings) {
    ch_settings_defaults(ch_clip_table(), settings, sizeof *settings);
}

/** Sets settings->roi_x, roi_y, roi_width and roi_height from a text of the form "X,Y,W,H", in
 *  pixels of the input. Returns CH_ERR_SETTING if the text is malformed. */
CH_API ch_status ch_clip_set_roi(ch_context *context, ch_clip_settings *settings, const char *text);

/** A clip in memory. ch_clip_read() fills it; ch_clip_free() frees its arrays. */
typedef struct ch_clip {
    size_t size;           /**< sizeof(ch_clip); the caller sets it */
    int64_t frames;        /**< number of frames */
    int64_t width, height; /**< size of the pictures in pixels, after cropping and downscaling */
    /** Brightness: a matrix frames x (width * height) of type u8. Row i is frame i; pixel (x, y) is
     *  column y * width + x. The layout is CH_COLUMN_MAJOR with stride >= frames, so the values of
     *  a pixel over time are contiguous. */
    ch_matrix luma;
    int colour;           /**< 1: channel[] is filled; 0: the clip is gray */
    ch_matrix channel[3]; /**< R, G and B, each with the shape of luma */
    int64_t *index; /**< for each frame of the clip, its number in the input, counted from 0 */
    /** Time of each frame, in seconds since the first frame of the input; times increase. */
    double *time;
    int64_t source_width, source_height; /**< size of the pictures of the input, in pixels */
    /** The part of each picture of the input that was read: its top left pixel and its size, in
     *  pixels. Without cropping it is the whole picture. */
    int64_t roi_x, roi_y, roi_width, roi_height;
    double rate; /**< nominal number of frames per second; 25 for a series of pictures */
    /** Unit of the file's time stamps: time_base[0] / time_base[1] seconds. */
    int64_t time_base[2];
    /** Name of the file format, such as "matroska" or "mov"; "pictures" for a series of
     *  pictures. */
    char container[32];
    char codec[32];        /**< name of the codec in libav, such as "h264" or "ffv1" */
    char pixel_format[32]; /**< name of the pixel format in libav, such as "yuv420p" or "gray" */
    /** Number of frames from which the frames of the clip were sampled (ch_clip_settings.spread).
     *  0: no sampling. */
    int64_t spread_over;
    /** Time at which each file of the recording begins, in seconds since the first frame. */
    double *file_start;
    /** Length of file_start: the number of files from which frames were read. */
    int64_t file_count;
    /** 1: colours have half the width and half the height of luma; channel[0] is then R, channel[1]
     *  is B, and channel[2] is empty. 0: all three channels, R, G and B, have the full size. */
    int halves;
    /** Shape of a pixel: aspect[0] : aspect[1] is width : height; 0 : 0 if unknown. */
    int64_t aspect[2];
    /** Angle by which the reader rotated the stored pictures clockwise, as the file requests: 0,
     *  90, 180 or 270 degrees. Sizes and pixels are those after the rotation. */
    int rotation;
} ch_clip;

/** Reads a clip from `path`, which the head of this file describes. settings may be NULL. The
 *  caller sets clip->size and later calls ch_clip_free(). The amount of memory is logged
 *  (CH_LOG_INFO) before it is allocated; the phase of the progress is "read". Returns CH_ERR_MEMORY
 *  if the clip needs more memory than settings->memory (the message says what would fit) or than is
 *  available; CH_ERR_IO if the input is missing or not readable; CH_ERR_FORMAT if the input holds
 *  no video, is truncated (with settings->partial: before the first picture) or has pictures of
 *  different sizes; CH_ERR_ARGUMENT if the stretch has no frame or the region of interest lies
 *  outside the picture. If the progress callback cancels, the call returns CH_STOP_CANCELLED and an
 *  empty clip. */
CH_API ch_status ch_clip_read(ch_context *context, ch_clip *clip, const char *path,
                              const ch_clip_settings *settings);
/** Frees the arrays of a clip. NULL is allowed. */
CH_API void ch_clip_free(ch_context *context, ch_clip *clip);

/** Copies frames lo to hi - 1 of a matrix X of frames x pixels, such as ch_clip.luma, to `pixels`,
 *  an array of the caller: pixels[(f - lo) * X->cols + j] = X(f, j) for lo <= f < hi. X is dense
 *  and of type u8 or u16, and `pixels` has the same type. A call for 32 or 64 frames takes little
 *  more time than a call for one frame. */
CH_API ch_status ch_clip_frames(ch_context *context, void *pixels, const ch_matrix *X, int64_t lo,
                                int64_t hi);

/** Crops and downscales masks of the size of the input's pictures (clip->source_width x
 *  source_height) as ch_clip_read() did with the pictures. A pixel of the result is foreground if
 *  at least half of its area is foreground. Masks that already have the size of the clip are not
 *  changed. Returns CH_ERR_DATA if the masks have neither of these sizes. */
CH_API ch_status ch_clip_fit_masks(ch_context *context, ch_masks *masks, const ch_clip *clip);
/** Crops and downscales one picture of the size of the input's pictures (clip->source_width x
 *  source_height) as ch_clip_read() did with the pictures. The number of channels does not
 *  change. */
CH_API ch_status ch_clip_fit_picture(ch_context *context, ch_picture *picture, const ch_clip *clip);

/* ---- writing ---- */

/** How the pixels of a picture are stored when it is passed to a video writer. */
typedef enum ch_pixel_format {
    CH_PIXELS_GRAY8 = 0,  /**< brightness, one byte per pixel */
    CH_PIXELS_RGB24 = 1,  /**< three bytes per pixel: R, G, B */
    CH_PIXELS_GRAY16 = 2, /**< brightness, one uint16_t per pixel; only for CH_CODEC_FFV1 */
    /** Planes Y, U and V one after the other, one byte per value. U and V have half the width and
     *  half the height of Y; width and height of Y must be even. Only for CH_CODEC_H264 and
     *  CH_CODEC_PLAY. */
    CH_PIXELS_YUV420 = 3
} ch_pixel_format;

/** How a video is encoded. */
typedef enum ch_video_codec {
    CH_CODEC_FFV1 = 0,  /**< FFV1, lossless */
    CH_CODEC_MJPEG = 1, /**< Motion JPEG */
    CH_CODEC_H264 = 2,  /**< H.264 */
    /** For browsers and phones: H.264 if libav can encode it, else MPEG-4. An odd width or height
     *  is increased by one. */
    CH_CODEC_PLAY = 3,
    /** For masks, fast and small. Only CH_PIXELS_GRAY8. Each pixel is stored as one bit: a value of
     *  at least 128 is read back as 255, a smaller value as 0. Pictures are encoded as PNG, or as
     *  FFV1 if libav has no PNG encoder. */
    CH_CODEC_FLAT = 4
} ch_video_codec;

/** Settings of a video writer. ch_video_writer_defaults() fills them; ch_video_writer_table() lists
 *  their bounds. */
typedef struct ch_video_writer_settings {
    size_t size; /**< sizeof(ch_video_writer_settings); ch_video_writer_defaults() sets it */
    ch_video_codec codec; /**< how the video is encoded; default CH_CODEC_FFV1 */
    /** CH_CODEC_MJPEG, CH_CODEC_H264 and CH_CODEC_PLAY: quality from 1 (smallest file) to 100 (best
     *  picture); default 85. */
    int64_t quality;
} ch_video_writer_settings;

/** Returns the constant table of the settings: name, default, bounds and help text of each. */
CH_API const ch_settings_table *ch_video_writer_table(void);
/** Fills all settings with their defaults and sets `size`. */
static inline void ch_video_writer_defaults(ch_video_writer_settings *settings) {
    ch_settings_defaults(ch_video_writer_table(), settings, sizeof *settings);
}

/** A video that is being written; opaque, made by ch_video_writer_open(). The file format is MP4 if
 *  the name ends in .mp4 (only for CH_CODEC_H264 and CH_CODEC_PLAY), else Matroska. The index of an
 *  MP4 file is at its beginning, so that a browser can play the file while loading it. The file
 *  appears under its name only when ch_video_writer_commit() is called. A separate thread encodes
 *  the pictures. */
typedef struct ch_video_writer ch_video_writer;

/** The format of the pictures of a video. */
typedef struct ch_video_format {
    int64_t width, height;  /**< size of a picture in pixels */
    ch_pixel_format pixels; /**< how pixels are stored */
    double rate;            /**< nominal number of frames per second that is written to the file */
    /* The following members may be left 0. */
    /** Shape of a pixel: aspect[0] : aspect[1] is width : height; 0 : 0 means square. */
    int64_t aspect[2];
    /** CH_PIXELS_YUV420: range of Y. 1: black is 0 and white is 255. 0: black is 16 and white is
     *  235. */
    int full_range;
    int matrix; /**< CH_PIXELS_YUV420: code of the colour matrix in ITU-T H.273; 0: unspecified */
} ch_video_format;

/** Opens the video file `path` for writing. settings may be NULL. Finish with
 *  ch_video_writer_commit() or ch_video_writer_discard(), which free the writer. */
CH_API ch_status ch_video_writer_open(ch_context *context, ch_video_writer **writer,
                                      const char *path, const ch_video_format *format,
                                      const ch_video_writer_settings *settings);
/** Adds one picture to a video: height x width pixels, row by row without padding, in the format
 *  given to ch_video_writer_open(). The pixels are copied. time, in seconds, must increase from
 *  picture to picture. The file stores times in whole milliseconds; if two pictures fall into the
 *  same millisecond, the second is stored one millisecond later. An encoding error may be reported
 *  by a later call. */
CH_API ch_status ch_video_writer_add(ch_video_writer *writer, const void *pixels, double time);
/** Sets *pixels to a buffer of the writer for one picture. Write the next picture to this buffer
 *  and pass the same address to ch_video_writer_add(), which then copies nothing. The call waits
 *  until a buffer is free. */
CH_API ch_status ch_video_writer_place(ch_video_writer *writer, void **pixels);
/** Completes the video file and renames it to its final name. Frees the writer, even if the call
 *  fails. */
CH_API ch_status ch_video_writer_commit(ch_video_writer *writer);
/** Frees a writer and removes its unfinished file. NULL is allowed. */
CH_API void ch_video_writer_discard(ch_video_writer *writer);

/* ---- cutting pieces out of a video, without encoding again ---- */

/** A piece that ch_video_cut() copies from a video file to a new file. The caller sets size, path,
 *  start and end; ch_video_cut() sets the other members. Times are in seconds since the first
 *  picture of the input. */
typedef struct ch_video_piece {
    size_t size; /**< sizeof(ch_video_piece); the caller sets it */
    /** Name of the new file; its format is MP4 if the name ends in .mp4, else Matroska. */
    const char *path;
    double start, end; /**< range of time that the piece must cover, in seconds */
    /** Time at which the piece begins, in seconds: the time of the last key frame at or before
     *  start. */
    double cut_start;
    double cut_end;   /**< time at which the last picture of the piece ends, in seconds */
    int64_t pictures; /**< number of pictures in the piece */
    int tracks;       /**< number of tracks (pictures, sound, subtitles) that were copied */
    int lost; /**< number of tracks that were left out because the output format cannot hold them */
} ch_video_piece;

/** Copies pieces[0 .. count) of the video file `input` to new files without encoding them again;
 *  therefore each piece begins at a key frame. Each new file appears complete or not at all; if
 *  writing a file fails, the files written before it remain. The input is read twice. Returns
 *  CH_ERR_ARGUMENT if the input is a folder of pictures, a network address or can be read only
 *  once, CH_ERR_FORMAT if it is not a video, and CH_STOP_CANCELLED if the progress callback
 *  cancels. */
CH_API ch_status ch_video_cut(ch_context *context, ch_video_piece *pieces, int64_t count,
                              const char *input);
/** Sets *suffix to the suffix of a file format that can hold all tracks of the video file `input`:
 *  "mp4" for MP4 and MOV files whose tracks MP4 supports, else "mkv". The string is constant. */
CH_API ch_status ch_video_cut_suffix(ch_context *context, const char **suffix, const char *input);

/** Returns names, versions and licence of the video library that is used, such as "libavformat
 *  59.27, libavcodec 59.37, GPL version 2 or later"; NULL if this build cannot read videos. */
CH_API const char *ch_video_library(void);

CH_END_DECLS
#endif
