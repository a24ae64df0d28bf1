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

/** Settings of ch_clip_read(): the part of the input to read. ch_clip_defaults() fills them. In the
 *  comments, the stretch is the range of frames that `from` and `frames` select. */
typedef struct ch_clip_settings {
    size_t size;    /**< sizeof(ch_clip_settings); ch_clip_defaults() sets it */
    int64_t from;   /**< index, from 0, of the first frame of the stretch */
    int64_t frames; /**< length of the stretch in frames of the input; 0: up to the last frame */
    int64_t step;   /**< only every step-th frame of the stretch is read; 1: every frame */
    /** Width in pixels to which pictures are downscaled; 0: pictures keep their size. */
    int64_t width;
    /** 1 reads only the brightness (luma) of a colour source; 0 also reads its colours. */
    int gray;
    /** Maximum memory of the clip, in bytes. 0: the memory that is available. */
    int64_t memory;
    int partial; /**< 1 reads a truncated file as far as it goes, with a warning in the log */

    /* The table of the settings does not list the following members. */

    /** Region of interest, in pixels of the input: pictures are cropped to this rectangle before
     *  they are downscaled. Width and height 0: the whole picture. */
    int64_t roi_x, roi_y, roi_width, roi_height;
    /** Indices of frames, from 0 and increasing, that are read even if step skips them. NULL: no
     *  such frames. */
    const int64_t *keep;
    int64_t keep_count; /**< length of keep */
    /** Sampling: maximum number of frames to read. Of the frames that `step` selects, pairs of
     *  neighbours are read, spread evenly over the stretch; `keep` is then ignored. All frames are
     *  read instead if `step` selects at most 1.5 * spread frames, or if the input can be read only
     *  once. 0: no sampling. */
    int64_t spread;
    /** Sampling: if `step` selects at most this many frames, all of them are read. */
    int64_t spread_above;
    /** Names of files that continue the recording, in this order. The first frame of each file
     *  follows one frame interval after the last frame of the file before it. All pictures must
     *  have the same size. NULL: none. */
    const char *const *more;
    int64_t more_count; /**< length of more */
    /** Sampling of a YUV 4:2:0 source: if pictures are neither cropped nor downscaled and have at
     *  least this many pixels, their colours keep the lower resolution of the source
     *  (ch_clip.halves). 0: never. */
    int halves;
} ch_clip_settings;

/** Returns the constant table of the settings: name, default, bounds and help text of each. */
CH_API const ch_settings_table *ch_clip_table(void);
/** Fills all settings with their defaults and sets `size`. */
static inline void ch_clip_defaults(ch_clip_settings *settings) {
    ch_settings_defaults(ch_clip_table(), settings, sizeof *settings);
}

/** Sets roi_x, roi_y, roi_width and roi_height from text "X,Y,W,H", in pixels of the input. */
CH_API ch_status ch_clip_set_roi(ch_context *context, ch_clip_settings *settings, const char *text);

/** A clip in memory. ch_clip_free() frees its arrays. */
typedef struct ch_clip {
    size_t size;           /**< sizeof(ch_clip); the caller sets it */
    int64_t frames;        /**< number of frames */
    int64_t width, height; /**< size of the pictures in pixels, after cropping and downscaling */
    /** Brightness, frames x (width * height), u8. Pixel (x, y) is column y * width + x. The layout
     *  is CH_COLUMN_MAJOR with stride >= frames: the values of a pixel over time are contiguous. */
    ch_matrix luma;
    int colour;           /**< 1: channel[] is filled; 0: the clip is gray */
    ch_matrix channel[3]; /**< R, G and B, each with the shape of luma */
    int64_t *index;       /**< index of each frame in the input, from 0 */
    /** Time of each frame in seconds since the first frame of the input; times increase. */
    double *time;
    int64_t source_width, source_height; /**< size of the input's pictures, in pixels */
    /** Region of the input's pictures that was read, in pixels. */
    int64_t roi_x, roi_y, roi_width, roi_height;
    double rate; /**< nominal number of frames per second; for single pictures 25 */
    /** Unit of the file's time stamps: time_base[0] / time_base[1] seconds. */
    int64_t time_base[2];
    /** File format, such as "matroska" or "mov"; "pictures" for single pictures. */
    char container[32];
    char codec[32];        /**< name of the codec in libav, such as "h264" or "ffv1" */
    char pixel_format[32]; /**< name of the pixel format in libav, such as "yuv420p" or "gray" */
    /** Number of frames from which the frames of the clip were sampled. 0: no sampling. */
    int64_t spread_over;
    double *file_start; /**< time in seconds at which each file of the recording begins */
    /** Length of file_start: the number of files from which frames were read. */
    int64_t file_count;
    /** 1: colours have half the resolution of luma. channel[0] is red and channel[1] is blue, each
     *  with half the width and half the height; channel[2] is empty. 0: all channels have the full
     *  resolution. */
    int halves;
    int64_t aspect[2]; /**< width : height of a pixel; 0 : 0 if unknown */
    /** Angle by which the stored pictures were rotated clockwise: 0, 90, 180 or 270 degrees. */
    int rotation;
} ch_clip;

/** Reads a clip; settings may be NULL. Free it with ch_clip_free(). Before the memory is allocated,
 *  its size is logged (CH_LOG_INFO); progress has the phase "read". Returns CH_ERR_MEMORY if more
 *  memory is needed than settings.memory (the message says what would fit) or than is available;
 *  CH_ERR_IO if the input is missing or not readable; CH_ERR_FORMAT if it holds no video, is
 *  truncated (with settings.partial: before the first picture) or has pictures of different sizes;
 *  CH_ERR_ARGUMENT if the stretch has no frame or the region lies outside the picture. If the
 *  progress callback cancels, it returns CH_STOP_CANCELLED and an empty clip. */
CH_API ch_status ch_clip_read(ch_context *context, ch_clip *clip, const char *path,
                              const ch_clip_settings *settings);
/** Frees the arrays of a clip. NULL is allowed. */
CH_API void ch_clip_free(ch_context *context, ch_clip *clip);

/** Copies whole pictures out of a matrix of frames x pixels: pixels[(f - lo) * cols + j] = X(f, j)
 *  for frames lo <= f < hi. X is dense, u8 or u16; pixels has the same type and belongs to the
 *  caller. A call for 32 or 64 frames costs little more than a call for one. */
CH_API ch_status ch_clip_frames(ch_context *context, void *pixels, const ch_matrix *X, int64_t lo,
                                int64_t hi);

/** Crops and downscales masks that have the size of the input's pictures in the same way as the
 *  pictures of the clip; a pixel becomes foreground if at least half of its area is foreground.
 *  Masks that already have the size of the clip are not changed. Returns CH_ERR_DATA if the masks
 *  have neither size. */
CH_API ch_status ch_clip_fit_masks(ch_context *context, ch_masks *masks, const ch_clip *clip);
/** Crops and downscales one picture that has the size of the input's pictures in the same way as
 *  the pictures of the clip. The picture stays gray or RGB. */
CH_API ch_status ch_clip_fit_picture(ch_context *context, ch_picture *picture, const ch_clip *clip);

/* ---- writing ---- */

/** How the pixels of a picture to write are stored. */
typedef enum ch_pixel_format {
    CH_PIXELS_GRAY8 = 0,  /**< brightness, one byte per pixel */
    CH_PIXELS_RGB24 = 1,  /**< three bytes per pixel: R, G, B */
    CH_PIXELS_GRAY16 = 2, /**< brightness, one uint16_t per pixel; only for CH_CODEC_FFV1 */
    /** Planes Y, U and V one after the other, one byte per value; U and V have half the width and
     *  height, which must be even. Only for CH_CODEC_H264 and CH_CODEC_PLAY. */
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
    /** For masks, fast and small. Each gray8 value is stored as one bit: it is read back as 255 if
     *  it was at least 128, else as 0. Encoded as PNG, or as FFV1 if libav has no PNG encoder. */
    CH_CODEC_FLAT = 4
} ch_video_codec;

/** Settings of a video writer. ch_video_writer_defaults() fills them. */
typedef struct ch_video_writer_settings {
    size_t size; /**< sizeof(ch_video_writer_settings); ch_video_writer_defaults() sets it */
    ch_video_codec codec; /**< how the video is encoded; default CH_CODEC_FFV1 */
    /** CH_CODEC_MJPEG, _H264 and _PLAY: 1 (smallest file) to 100 (best picture). */
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
 *  MP4 file is at its beginning, so that it can play while it is loaded. The file appears under its
 *  name when ch_video_writer_commit() is called. A separate thread encodes the pictures. */
typedef struct ch_video_writer ch_video_writer;

/** The format of the pictures of a video. */
typedef struct ch_video_format {
    int64_t width, height;  /**< size of a picture in pixels */
    ch_pixel_format pixels; /**< how pixels are stored */
    double rate; /**< nominal number of frames per second, which the file states for players */
    /* The following members may be left 0. */
    int64_t aspect[2]; /**< width : height of a pixel; 0 : 0 means square */
    /** CH_PIXELS_YUV420: 1 if black is 0 and white is 255; 0 if black is 16 and white is 235. */
    int full_range;
    int matrix; /**< CH_PIXELS_YUV420: code of the colour matrix in ITU-T H.273; 0: unspecified */
} ch_video_format;

/** Opens a video file for writing; settings may be NULL. Finish with ch_video_writer_commit() or
 *  ch_video_writer_discard(), which free the writer. */
CH_API ch_status ch_video_writer_open(ch_context *context, ch_video_writer **writer,
                                      const char *path, const ch_video_format *format,
                                      const ch_video_writer_settings *settings);
/** Adds one picture, height x width pixels without padding, which is copied. time is in seconds and
 *  must increase; it is stored in milliseconds, and two frames never get the same one. An encoding
 *  error may be reported by a later call. */
CH_API ch_status ch_video_writer_add(ch_video_writer *writer, const void *pixels, double time);
/** Sets *pixels to a buffer of the writer for the next picture, so that ch_video_writer_add() need
 *  not copy it. Draw the picture there and pass the same address to ch_video_writer_add(). The call
 *  waits until a buffer is free. */
CH_API ch_status ch_video_writer_place(ch_video_writer *writer, void **pixels);
/** Completes the file and renames it to its final name. Frees the writer, also if the call
 *  fails. */
CH_API ch_status ch_video_writer_commit(ch_video_writer *writer);
/** Frees the writer and removes the unfinished file. NULL is allowed. */
CH_API void ch_video_writer_discard(ch_video_writer *writer);

/* ---- cutting pieces out of a video, without encoding again ---- */

/** A piece to cut out of a video file. The caller sets size, path, start and end; ch_video_cut()
 *  sets the other members. Times are seconds since the first picture. */
typedef struct ch_video_piece {
    size_t size; /**< sizeof(ch_video_piece); the caller sets it */
    /** Name of the output file; its format is MP4 if the name ends in .mp4, else Matroska. */
    const char *path;
    double start, end; /**< the wanted range of time, in seconds */
    /** Time at which the piece really begins: that of the last key frame before start. */
    double cut_start;
    double cut_end;   /**< time at which the last picture of the piece ends */
    int64_t pictures; /**< number of pictures in the piece */
    int tracks;       /**< number of tracks (pictures, sound, subtitles) that were copied */
    int lost; /**< number of tracks that were left out because the output format cannot hold them */
} ch_video_piece;

/** Copies `count` pieces of a video file without encoding again, so a piece begins at the key frame
 *  before its start. Each output appears complete or not at all; if one fails, those written before
 *  it remain. The input is read twice. Returns CH_ERR_ARGUMENT if the input is a folder of
 *  pictures, an address or can be read only once, CH_ERR_FORMAT if it is not a video, and
 *  CH_STOP_CANCELLED if the progress callback cancels. */
CH_API ch_status ch_video_cut(ch_context *context, ch_video_piece *pieces, int64_t count,
                              const char *input);
/** Sets *suffix to the name of a container that can hold all tracks of a file: "mp4" for MP4 and
 *  MOV files whose tracks MP4 supports, else "mkv". */
CH_API ch_status ch_video_cut_suffix(ch_context *context, const char **suffix, const char *input);

/** Returns the names, versions and licence of the video library, such as "libavformat 59.27,
 *  libavcodec 59.37, GPL version 2 or later"; NULL if this build has no video. */
CH_API const char *ch_video_library(void);

CH_END_DECLS
#endif
