/* Encodes one picture as a JPEG, as a video of one frame, by the same encoder. */
#include "io/av/video_av.h"
#include <string.h>

static ch_status take_packet(ch_context *context, uint8_t **bytes, size_t *count,
                             chi_encoder *encoder, AVPacket *packet, const ch_picture *picture) {
    int error = chi_encoder_send(encoder, picture->pixels, 0);
    if (error >= 0) error = chi_encoder_send(encoder, NULL, 0);
    if (error >= 0) error = avcodec_receive_packet(chi_encoder_codec(encoder), packet);
    if (error < 0)
        return chi_fail(context, CH_ERR_INTERNAL, "the picture could not be encoded as JPEG: %s",
                        chi_libav_error(error).text);
    uint8_t *made = chi_alloc(context, packet->size, 1);
    if (!made) return chi_no_memory(context, "a JPEG", packet->size, 1);
    memcpy(made, packet->data, (size_t)packet->size);
    *bytes = made;
    *count = (size_t)packet->size;
    return CH_OK;
}

ch_status ch_picture_encode_jpeg(ch_context *context, uint8_t **bytes, size_t *count,
                                 const ch_picture *picture, int quality) {
    ch_video_writer_settings set = {sizeof set, CH_CODEC_MJPEG, quality};
    chi_encoder *encoder = NULL;
    if (!context || !bytes || !count) return CH_ERR_ARGUMENT;
    TRY(ch_settings_check(context, ch_video_writer_table(), &set));
    TRY(chi_picture_given(context, picture));
    chi_libav_silence();
    AVPacket *packet = av_packet_alloc();
    AVRational unit = {1, 25};
    const ch_video_format format = {.width = picture->width,
                                    .height = picture->height,
                                    .pixels =
                                        picture->channels == 3 ? CH_PIXELS_RGB24 : CH_PIXELS_GRAY8,
                                    .rate = 25};
    ch_status status = packet ? chi_encoder_create(context, &encoder, &format, &set, unit)
                              : chi_no_memory(context, "a JPEG", 1, 1);
    if (status == CH_OK) status = take_packet(context, bytes, count, encoder, packet, picture);
    chi_encoder_free(encoder);
    av_packet_free(&packet);
    chi_libav_unsilence();
    return status;
}
