/* Pictures into packets (video_encode.c): what the writer of videos and JPEG share. */
#ifndef CONEHULL_VIDEO_ENCODE_H
#define CONEHULL_VIDEO_ENCODE_H

#include "io/av/video_av.h"

typedef struct chi_encoder chi_encoder;

ch_status chi_encoder_create(ch_context *context, chi_encoder **encoder, int64_t width,
                             int64_t height, ch_pixel_format pixels,
                             const ch_video_writer_settings *set, AVRational time_base);
void chi_encoder_free(chi_encoder *encoder);
const AVCodecContext *chi_encoder_codec(const chi_encoder *encoder);
/* One picture without padding, or NULL after the last; libav's error or 0. */
int chi_encoder_send(chi_encoder *encoder, const void *pixels, int64_t stamp);
/* libav's error or 0; AVERROR(EAGAIN): send more, AVERROR_EOF: that was all. */
int chi_encoder_packet(chi_encoder *encoder, AVPacket *packet);

#endif
