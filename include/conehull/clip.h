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

/** The part of the input to read. Initialise it by ch_clip_defaults(&set). The stretch is the range
 *  of frames that `from` and `frames` select. */
typedef struct ch_clip_settings {
    size_t size;    /**< sizeof(ch_clip_settings); ch_clip_defaults() sets it */
    int64_t from;   /**< number of the first frame of the stretch, from 0 */
    int64_t frames; /**< length of the stretch in frames of the input; 0: to the end */
    int64_t step;   /**< only every step-th frame of the stretch is kept */
    int64_t width;  /**< width in pixels to which pictures are reduced; 0: not reduced */
    int gray;       /**< 1 reads brightness (luma) only, also of a colour source */
    int64_t memory; /**< largest number of bytes that the clip may take; 0: what the machine has */
    int partial;    /**< 1 reads a truncated file as far as it goes, with a warning in the log */

    /* The following members are not in the table. */

    /** Region of the pictures, in pixels, that is cut out before they are reduced; width and height
     *  0: the whole picture. */
    int64_t roi_x, roi_y, roi_width, roi_height;
    const int64_t *keep; /**< numbers of frames to keep whatever step says, increasing */
    int64_t keep_count;  /**< length of keep */
    /** Sampling: largest number of frames to keep, as pairs of frames that are neighbours (by
     *  step), spread evenly over the stretch; `keep` is then ignored. 0: no sampling. Inputs that
     *  can be read only once are not sampled. */
    int64_t spread;
    int64_t spread_above; /**< no sampling if the stretch has at most this many frames (by step) */
    /** Files that continue the recording, in this order; each begins one frame after the end of the
     *  file before it. All pictures have the same size. NULL: none. */
    const char *const *more;
    int64_t more_count; /**< length of more */
    /** Sampling of a YUV 4:2:0 source: if the whole picture is used and has at least this many
     *  pixels, colour is kept at the lower resolution of the source (ch_clip.halves). 0: never. */
    int halves;
} ch_clip_settings;

/** The table of the settings: name, default, bounds and help of each. */
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
    int64_t width, height; /**< size of the pictures, after cutting and reducing */
    /** Brightness, frames x (width * height), u8. Pixel (x, y) is column y * width + x. The layout
     *  is CH_COLUMN_MAJOR with stride >= frames: the values of a pixel over time are contiguous. */
    ch_matrix luma;
    int colour;           /**< 1: channel[] is filled; 0: the clip is gray */
    ch_matrix channel[3]; /**< R, G and B, each with the shape of luma */
    int64_t *index;       /**< number of each frame in the input, from 0 */
    double *time; /**< time of each frame: seconds since the input's first frame, increasing */
    int64_t source_width, source_height;         /**< size of the input's pictures, in pixels */
    int64_t roi_x, roi_y, roi_width, roi_height; /**< region of them that was cut out, in pixels */
    double rate; /**< nominal number of frames per second; for single pictures 25 */
    /** Unit of the file's time stamps: time_base[0] / time_base[1] seconds. */
    int64_t time_base[2];
    char container[32]; /**< file format: "matroska", "mov", ...; "pictures" for single pictures */
    char codec[32];     /**< codec, as libav spells it: "h264", "ffv1", ... */
    char pixel_format[32]; /**< pixel format, as libav spells it: "yuv420p", "gray", ... */
    int64_t spread_over;   /**< sampling: number of frames sampled from; 0: all frames were kept */
    double *file_start; /**< seconds at which each file begins, for the files that were reached */
    int64_t file_count; /**< length of file_start */
    /** 1: colour has half the resolution. channel[0] is red and channel[1] blue, each of half the
     *  width and height; channel[2] is empty. */
    int halves;
    int64_t aspect[2]; /**< width : height of a pixel; 0 : 0 if unknown */
    /** Degrees by which the stored pictures were turned clockwise: 0, 90, 180, 270. */
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

/** Cuts and reduces masks that have the size of the input's pictures, as the clip was; a pixel
 *  becomes foreground if half of its area is. Masks that have the size of the clip are not changed.
 *  Returns CH_ERR_DATA if they have neither size. */
CH_API ch_status ch_clip_fit_masks(ch_context *context, ch_masks *masks, const ch_clip *clip);
/** Cuts and reduces one picture like ch_clip_fit_masks(), for instance a picture of a region. It
 *  stays gray or RGB. */
CH_API ch_status ch_clip_fit_picture(ch_context *context, ch_picture *picture, const ch_clip *clip);

/* ---- writing ---- */

/** How the pixels of a picture to write are stored. */
typedef enum ch_pixel_format {
    CH_PIXELS_GRAY8 = 0,  /**< one byte per pixel */
    CH_PIXELS_RGB24 = 1,  /**< R, G, B side by side, one byte each */
    CH_PIXELS_GRAY16 = 2, /**< one uint16_t per pixel; only for CH_CODEC_FFV1 */
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
    int64_t quality;      /**< mjpeg, h264, play: 1 (small file) to 100 (good picture) */
} ch_video_writer_settings;

/** The table of the settings: name, default, bounds and help of each. */
CH_API const ch_settings_table *ch_video_writer_table(void);
/** Fills all settings with their defaults and sets `size`. */
static inline void ch_video_writer_defaults(ch_video_writer_settings *settings) {
    ch_settings_defaults(ch_video_writer_table(), settings, sizeof *settings);
}

/** A video that is being written. The container is MP4 if the name ends in .mp4 (h264 and play
 *  only; the index is at the beginning, so that the file plays while it is loaded), else Matroska.
 *  The file appears under its name when it is committed. A separate thread encodes the pictures. */
typedef struct ch_video_writer ch_video_writer;

/** The format of the pictures of a video. */
typedef struct ch_video_format {
    int64_t width, height;  /**< in pixels */
    ch_pixel_format pixels; /**< how pixels are stored */
    double rate;            /**< nominal number of frames per second, for players */
    /* The following members may be left 0. */
    int64_t aspect[2]; /**< width : height of a pixel; 0 : 0 means square */
    int full_range;    /**< YUV420: 1 if black is 0 and white is 255; 0 if they are 16 and 235 */
    int matrix;        /**< YUV420: number of the colour matrix in ITU-T H.273; 0: unspecified */
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
/** Saves a copy: sets *pixels to the buffer of the next picture, waiting until one is free. Draw
 *  the picture there and pass the same address to ch_video_writer_add(). */
CH_API ch_status ch_video_writer_place(ch_video_writer *writer, void **pixels);
/** Finishes the file and gives it its final name. Frees the writer even if this fails. */
CH_API ch_status ch_video_writer_commit(ch_video_writer *writer);
/** Frees the writer and removes the unfinished file. NULL is allowed. */
CH_API void ch_video_writer_discard(ch_video_writer *writer);

/* ---- cutting without re-encoding ---- */

/** A piece to cut out of a video file. The caller sets size, path, start and end; ch_video_cut()
 *  sets the other members. Times are seconds since the first picture. */
typedef struct ch_video_piece {
    size_t size;       /**< sizeof(ch_video_piece); the caller sets it */
    const char *path;  /**< name of the output: MP4 if it ends in .mp4, else Matroska */
    double start, end; /**< the stretch of time that is wanted */
    double cut_start;  /**< where the piece really begins: at the key frame before start */
    double cut_end;    /**< where the last picture of the piece ends */
    int64_t pictures;  /**< number of pictures in the piece */
    int tracks;        /**< number of tracks (pictures, sound, subtitles) that were copied */
    int lost;          /**< number of tracks left out because the container cannot hold them */
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
