/* What the files that use libav share. */
#pragma once

#include "io/clip/frames.h"
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>

/* ---- video_stream.c ---- */

/* libav prints to stderr, by a setting of the whole process: it is silent while at least one reader
 * or writer of ours exists, and as before afterwards. */
void chi_libav_silence(void);
void chi_libav_unsilence(void);

/* Bytes of a file, or of standard input, for libav. */
typedef struct chi_stream {
    ch_context *context;
    AVIOContext *io;
    int fd;
    int owned; /* close it                                                                */
    int seekable;
    int64_t size;    /* -1: not known                                                           */
    int broken;      /* errno of a read that failed                                             */
    int cancelled;   /* the progress callback said stop while a read was waiting                */
    int64_t done;    /* frames so far, for that callback                                        */
    double heard;    /* addresses: when a packet was last asked for ...                         */
    int64_t silence; /* ... and the seconds it may take                                       */
} chi_stream;
ch_status chi_stream_open(ch_context *context, chi_stream *stream, const char *path);
void chi_stream_close(chi_stream *stream);

/* Words for an error of libav. */
typedef struct chi_words {
    char text[AV_ERROR_MAX_STRING_SIZE];
} chi_words;
chi_words chi_libav_error(int error);
/* Whether a codec could not be opened for want of memory. libav says so itself, or hands on what a
 * library behind it (x264, say) reports: then it counts as that if there is little memory left. */
int chi_libav_no_memory(int error);

/* ---- video_open.c ---- */

/* The demuxer of a stream; refuses those that open other files or paint text. */
ch_status chi_demuxer_open(ch_context *context, AVFormatContext **format, chi_stream *stream,
                           const char *path);

/* ---- video_address.c ---- */

/* The demuxer of an address or a camera, which libav reads by itself. */
ch_status chi_address_open(ch_context *context, AVFormatContext **format, chi_stream *stream,
                           const char *address);

/* ---- video_camera.c ---- */

/* A format of libavdevice, which is loaded for it; NULL: there is none, and why. */
const AVInputFormat *chi_camera_format(const char *name, char *why, size_t room);

/* ---- video_pixels.c ---- */

typedef struct chi_converter {
    ch_context *context;
    const char *path;
    struct SwsContext *scaler; /* to RGB24                                                    */
    AVFrame *rgb;              /* the whole picture in RGB24                                  */
    uint8_t *table;            /* luma of every stored value                                  */
    int format, range;         /* what the table is for; AV_PIX_FMT_NONE: nothing yet         */
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
/* What packets are received from. */
AVCodecContext *chi_encoder_codec(const chi_encoder *encoder);
/* One picture without padding, or NULL after the last; libav's error or 0. */
int chi_encoder_send(chi_encoder *encoder, const void *pixels, int64_t stamp);

/* ---- video_index.c: the numbers of pictures, for skipping those that are not needed ---- */

typedef struct chi_index {
    int usable;
    int only_keys;  /* the codec has no other pictures                                        */
    int64_t *stamp; /* of all pictures, rising                                                */
    int64_t count;
    int64_t *key; /* those of key frames                                                      */
    int64_t key_count;
} chi_index;

/* Reads all packets of the container; for chi_index_free() whatever happens. */
ch_status chi_index_build(ch_context *context, chi_index *index, AVFormatContext *format,
                          int track);
void chi_index_free(ch_context *context, chi_index *index);
/* The number of the picture with this stamp, or -1. */
int64_t chi_index_number(const chi_index *index, int64_t stamp);
/* The number of the last key frame at or before a picture, or -1. */
int64_t chi_index_key(const chi_index *index, int64_t number);

/* ---- video_turn.c: pictures turned as their file says ---- */

typedef struct chi_turn {
    int any, swaps; /* width and height are exchanged, then ...                                */
    int flips_x, flips_y;
} chi_turn;

/* Tells the log when the angle is not one that can be followed. */
chi_turn chi_turn_read(ch_context *context, const AVStream *track, const char *path);
/* Clockwise, 0 to 270. */
int chi_turn_degrees(const chi_turn *turn);
/* Side data of a track that goes to another file; 0 or libav's error. */
int chi_side_data_copy(AVStream *to, const AVStream *from);

typedef struct chi_turner {
    AVFrame *turned; /* the result                                                            */
    AVFrame *plain;  /* between                                                               */
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
    ch_status failed; /* the first write that did; the context has its message */
} chi_muxer;

int chi_path_is_mp4(const char *path);
/* MP4 where the name ends in .mp4, else Matroska; the streams are the caller's to add before it is
 * started. For chi_muxer_commit() or chi_muxer_discard() whatever happens; it must not be moved. */
ch_status chi_muxer_open(ch_context *context, chi_muxer *muxer, const char *path);
ch_status chi_muxer_start(chi_muxer *muxer);
/* Takes the packet over. */
ch_status chi_muxer_write(chi_muxer *muxer, AVPacket *packet);
/* With status CH_OK ends the file and gives it its name, else discards it; the status. */
ch_status chi_muxer_commit(chi_muxer *muxer, ch_status status);
void chi_muxer_discard(chi_muxer *muxer); /* one that is all zero is fine */
/* A status for an error of libav, with a message. */
ch_status chi_muxer_fail(const chi_muxer *muxer, const char *what, int error);
