/* Declarations shared by the files that use libav. */
#pragma once

#include "io/clip/frames.h"
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>

/* ---- video_stream.c ---- */

/* libav prints to stderr, controlled by a setting of the whole process. It is silenced while at
 * least one of our readers or writers exists, and restored afterwards. */
void chi_libav_silence(void);
void chi_libav_unsilence(void);

/* The bytes of a file or of standard input, for libav. */
typedef struct chi_stream {
    ch_context *context;
    AVIOContext *io;
    int fd;
    int owned; /* whether chi_stream closes fd */
    int seekable;
    int64_t size;    /* -1 if unknown                                                        */
    int broken;      /* errno of a failed read                                               */
    int cancelled;   /* whether the progress callback asked to stop while a read was waiting */
    int64_t done;    /* number of frames so far, for the progress callback                   */
    double heard;    /* addresses: time of the last request for a packet                     */
    int64_t silence; /* addresses: maximum number of seconds until the packet arrives        */
} chi_stream;
ch_status chi_stream_open(ch_context *context, chi_stream *stream, const char *path);
void chi_stream_close(chi_stream *stream);

/* The text of a libav error. */
typedef struct chi_words {
    char text[AV_ERROR_MAX_STRING_SIZE];
} chi_words;
chi_words chi_libav_error(int error);
/* Returns whether a codec could not be opened for lack of memory. Either libav reports this, or it
 * passes on an error of another library (such as x264); such an error counts if little memory is
 * left. */
int chi_libav_no_memory(int error);

/* ---- video_open.c ---- */

/* Opens the demuxer of a stream. Refuses demuxers that open other files or render text. */
ch_status chi_demuxer_open(ch_context *context, AVFormatContext **format, chi_stream *stream,
                           const char *path);

/* ---- video_address.c ---- */

/* Opens the demuxer of an address or a camera, which libav reads itself. */
ch_status chi_address_open(ch_context *context, AVFormatContext **format, chi_stream *stream,
                           const char *address);

/* ---- video_camera.c ---- */

/* Returns a format of libavdevice, which is loaded on demand. Returns NULL, with the reason in why,
 * if there is none. */
const AVInputFormat *chi_camera_format(const char *name, char *why, size_t room);

/* ---- video_pixels.c ---- */

typedef struct chi_converter {
    ch_context *context;
    const char *path;
    struct SwsContext *scaler; /* to RGB24                   */
    AVFrame *rgb;              /* the whole picture in RGB24 */
    uint8_t *table;            /* luma of every stored value */
    /* the format and range for which the table was computed; AV_PIX_FMT_NONE if there is no
     * table */
    int format, range;
} chi_converter;
void chi_converter_free(chi_converter *converter);
ch_status chi_converter_pixels(chi_converter *converter, uint8_t *luma, uint8_t *rgb,
                               const AVFrame *frame, const chi_rectangle *part);
int chi_format_is_gray(int format);

/* ---- video_encode.c: pictures into packets, for the writer of videos and for JPEG ---- */

typedef struct chi_encoder chi_encoder;

ch_status chi_encoder_create(ch_context *context, chi_encoder **encoder,
                             const ch_video_format *format, const ch_video_writer_settings *set,
                             AVRational time_base);
void chi_encoder_free(chi_encoder *encoder);
/* Returns the codec from which packets are received. */
AVCodecContext *chi_encoder_codec(const chi_encoder *encoder);
/* Sends one picture without padding, or NULL after the last. Returns 0 or libav's error. */
int chi_encoder_send(chi_encoder *encoder, const void *pixels, int64_t stamp);

/* ---- video_index.c: the numbers of pictures, for skipping those that are not needed ---- */

typedef struct chi_index {
    int usable;
    int only_keys;  /* the codec has key frames only               */
    int64_t *stamp; /* stamps of all pictures, in increasing order */
    int64_t count;
    int64_t *key; /* stamps of key frames */
    int64_t key_count;
} chi_index;

/* Reads all packets of the container. Call chi_index_free() also after a failure. */
ch_status chi_index_build(ch_context *context, chi_index *index, AVFormatContext *format,
                          int track);
void chi_index_free(ch_context *context, chi_index *index);
/* Returns the number of the picture with this stamp, or -1. */
int64_t chi_index_number(const chi_index *index, int64_t stamp);
/* Returns the number of the last key frame at or before a picture, or -1. */
int64_t chi_index_key(const chi_index *index, int64_t number);

/* ---- video_turn.c: rotation of pictures according to their file ---- */

typedef struct chi_turn {
    int any, swaps; /* swaps: width and height are exchanged; then the flips apply */
    int flips_x, flips_y;
} chi_turn;

/* Reads the rotation of a track. Logs a message if the angle is not supported. */
chi_turn chi_turn_read(ch_context *context, const AVStream *track, const char *path);
/* Returns the rotation in degrees clockwise, 0 to 270. */
int chi_turn_degrees(const chi_turn *turn);
/* Copies the side data of a track to another file. Returns 0 or libav's error. */
int chi_side_data_copy(AVStream *to, const AVStream *from);

typedef struct chi_turner {
    AVFrame *turned; /* the result              */
    AVFrame *plain;  /* an intermediate picture */
    struct SwsContext *scaler;
} chi_turner;
int chi_turn_frame(chi_turner *turner, const AVFrame *from, const chi_turn *turn);
void chi_turner_free(chi_turner *turner);

/* ---- video_muxer.c: files that libav writes ---- */

typedef struct chi_muxer {
    ch_context *context;
    ch_output_file *output;
    AVIOContext *io;
    AVFormatContext *format;
    ch_status failed; /* status of the first failed write; the context has its message */
} chi_muxer;

int chi_path_is_mp4(const char *path);
/* Opens a file: MP4 if the name ends in .mp4, else Matroska. The caller adds the streams before
 * chi_muxer_start(). Call chi_muxer_commit() or chi_muxer_discard() also after a failure. The muxer
 * must not be moved. */
ch_status chi_muxer_open(ch_context *context, chi_muxer *muxer, const char *path);
ch_status chi_muxer_start(chi_muxer *muxer);
/* Writes the packet and takes ownership of it. */
ch_status chi_muxer_write(chi_muxer *muxer, AVPacket *packet);
/* If status is CH_OK, completes the file and renames it to its final name; otherwise discards it.
 * Returns the status. */
ch_status chi_muxer_commit(chi_muxer *muxer, ch_status status);
void chi_muxer_discard(chi_muxer *muxer); /* does nothing if *muxer is all zero */
/* Returns the status for a libav error, with a message. */
ch_status chi_muxer_fail(const chi_muxer *muxer, const char *what, int error);
