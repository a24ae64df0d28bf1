/* Videos written by libav: Matroska with FFV1, MJPEG or H.264, through ch_output_file, so that a
 * file appears whole or not at all. Time stamps are Matroska's milliseconds. */
#include "base/sized.h"
#include "io/av/video_av.h"
#include <errno.h>
#include <math.h>

enum { BUFFER = 1 << 16, MILLISECONDS = 1000 };

struct ch_video_writer {
    ch_context *context;
    ch_output_file *output;
    AVIOContext *io;
    AVFormatContext *format;
    chi_encoder *encoder;
    AVPacket *packet;
    int64_t last, duration; /* milliseconds: of the frame before, and nominally of one        */
    double last_time;       /* seconds, as given                                               */
    ch_status failed;       /* the first failure of a write                                   */
};

static int write_bytes(void *user, uint8_t *bytes, int count) {
    ch_video_writer *writer = user;
    ch_status status = ch_output_file_write(writer->output, bytes, (size_t)count);
    if (status == CH_OK) return count;
    if (!writer->failed) writer->failed = status;
    return AVERROR(EIO);
}

static int64_t seek_bytes(void *user, int64_t offset, int whence) {
    ch_video_writer *writer = user;
    if (whence != SEEK_SET) return AVERROR(ENOSYS);
    if (chi_output_seek(writer->output, offset) == CH_OK) return offset;
    if (!writer->failed) writer->failed = CH_ERR_IO;
    return AVERROR(EIO);
}

static ch_status fail_libav(const ch_video_writer *writer, const char *what, int error) {
    if (writer->failed) return writer->failed; /* its message is kept already */
    if (error == AVERROR(ENOMEM)) return chi_no_memory(writer->context, "writing a video", 1, 1);
    return chi_fail(writer->context, CH_ERR_IO, "%s: %s: %s", chi_output_path(writer->output), what,
                    chi_libav_error(error).text);
}

static ch_status open_stream(ch_video_writer *writer) {
    unsigned char *buffer = av_malloc(BUFFER);
    if (buffer)
        writer->io = avio_alloc_context(buffer, BUFFER, 1, writer, NULL, write_bytes,
                                        chi_output_seekable(writer->output) ? seek_bytes : NULL);
    if (writer->io) return CH_OK;
    av_free(buffer);
    return chi_no_memory(writer->context, "writing a video", BUFFER, 1);
}

/* The same frames give the same bytes: no random identifiers, no versions in the file. */
static ch_status open_container(ch_video_writer *writer, double rate) {
    int error = avformat_alloc_output_context2(&writer->format, NULL, "matroska", NULL);
    AVStream *track = error >= 0 ? avformat_new_stream(writer->format, NULL) : NULL;
    writer->packet = av_packet_alloc();
    if (!track || !writer->packet) return fail_libav(writer, "cannot start", AVERROR(ENOMEM));
    const AVCodecContext *codec = chi_encoder_codec(writer->encoder);
    writer->format->pb = writer->io;
    writer->format->flags |= AVFMT_FLAG_BITEXACT;
    track->time_base = codec->time_base;
    track->avg_frame_rate = av_d2q(rate, 1 << 20);
    error = avcodec_parameters_from_context(track->codecpar, codec);
    if (error >= 0) error = avformat_write_header(writer->format, NULL);
    return error < 0 ? fail_libav(writer, "cannot start", error) : CH_OK;
}

static void release(ch_video_writer *writer) {
    av_packet_free(&writer->packet);
    chi_encoder_free(writer->encoder);
    avformat_free_context(writer->format);
    if (writer->io) av_freep(&writer->io->buffer);
    avio_context_free(&writer->io);
    chi_libav_unsilence();
    chi_free(writer->context, writer);
}

ch_status ch_video_writer_open(ch_context *context, ch_video_writer **writer, const char *path,
                               const ch_video_format *format,
                               const ch_video_writer_settings *settings) {
    ch_video_writer_settings set;
    if (!context || !writer || !format) return CH_ERR_ARGUMENT;
    double rate = format->rate;
    TRY(chi_settings_take(context, &set, ch_video_writer_table(), settings));
    if (!(rate >= 1e-3 && rate <= 1e6))
        return chi_fail(context, CH_ERR_ARGUMENT,
                        "a rate of %g frames a second; 0.001 to 1e6 are taken", rate);
    ch_video_writer *made = chi_alloc_zero(context, 1, sizeof *made);
    if (!made) return chi_no_memory(context, "writing a video", 1, sizeof *made);
    chi_libav_silence();
    made->context = context;
    made->last = INT64_MIN;
    made->duration = llround(fmax(1, MILLISECONDS / rate));
    AVRational unit = {1, MILLISECONDS};
    ch_status status = chi_encoder_create(context, &made->encoder, format->width, format->height,
                                          format->pixels, &set, unit);
    if (status == CH_OK) status = ch_output_file_open(context, &made->output, path);
    if (status == CH_OK) status = open_stream(made);
    if (status == CH_OK) status = open_container(made, rate);
    if (status == CH_OK)
        *writer = made;
    else
        ch_video_writer_discard(made);
    return status;
}

/* What the encoder has ready goes to the file. */
static ch_status write_packets(ch_video_writer *writer) {
    for (;;) {
        AVCodecContext *codec = chi_encoder_codec(writer->encoder);
        int error = avcodec_receive_packet(codec, writer->packet);
        if (error == AVERROR(EAGAIN) || error == AVERROR_EOF) return CH_OK;
        if (error >= 0) {
            AVStream *track = writer->format->streams[0];
            writer->packet->duration = writer->duration;
            av_packet_rescale_ts(writer->packet, codec->time_base, track->time_base);
            writer->packet->stream_index = 0;
            error = av_interleaved_write_frame(writer->format, writer->packet);
        }
        if (error >= 0 && writer->io->error < 0) error = writer->io->error;
        if (error < 0) return fail_libav(writer, "cannot write", error);
    }
}

ch_status ch_video_writer_add(ch_video_writer *writer, const void *pixels, double time) {
    if (!writer || !pixels) return CH_ERR_ARGUMENT;
    if (writer->failed)
        return chi_fail(writer->context, writer->failed, "%s: an earlier write failed",
                        chi_output_path(writer->output));
    if (!(time >= 0 && time < 1e12))
        return chi_fail(writer->context, CH_ERR_ARGUMENT, "a time of %g seconds", time);
    int64_t stamp = llround(time * MILLISECONDS);
    if (stamp <= writer->last && time <= writer->last_time)
        return chi_fail(writer->context, CH_ERR_ARGUMENT,
                        "the time of a frame is %g s, that of the one before %g s; it must rise",
                        time, writer->last_time);
    if (stamp <= writer->last) stamp = writer->last + 1; /* more than 1000 frames a second */
    writer->last_time = time;
    writer->last = stamp;
    int error = chi_encoder_send(writer->encoder, pixels, stamp);
    if (error < 0) return fail_libav(writer, "cannot encode", error);
    return write_packets(writer);
}

static ch_status finish(ch_video_writer *writer) {
    int error = chi_encoder_send(writer->encoder, NULL, 0);
    if (error < 0) return fail_libav(writer, "cannot encode", error);
    TRY(write_packets(writer));
    error = av_write_trailer(writer->format);
    avio_flush(writer->io);
    if (error >= 0 && writer->io->error < 0) error = writer->io->error;
    return error < 0 || writer->failed ? fail_libav(writer, "cannot finish", error) : CH_OK;
}

ch_status ch_video_writer_commit(ch_video_writer *writer) {
    if (!writer) return CH_ERR_ARGUMENT;
    ch_status status = chi_output_close(writer->output, finish(writer));
    release(writer);
    return status;
}

void ch_video_writer_discard(ch_video_writer *writer) {
    if (!writer) return;
    ch_output_file_discard(writer->output);
    release(writer);
}
