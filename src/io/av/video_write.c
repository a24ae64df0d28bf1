/* Videos written by libav: Matroska or MP4, through ch_output_file, so that a file appears whole or
 * not at all. Time stamps are milliseconds.
 *
 * A separate thread encodes. The caller copies each picture into one of PLACES buffers and goes on;
 * it waits only if all of them are full. The thread has a context of its own; if it fails, its
 * message is copied to the context of the caller. */
#include "base/bounded_queue.h"
#include "base/sized.h"
#include "base/thread_start.h"
#include "io/av/video_av.h"
#include <errno.h>
#include <math.h>
#include <string.h>

enum { MILLISECONDS = 1000, PLACES = 4 };

struct ch_video_writer {
    ch_context *context, *beside; /* of the caller; of the thread */
    chi_muxer muxer;
    chi_encoder *encoder;
    AVPacket *packet;
    /* Milliseconds: stamp of the previous frame; nominal duration of a frame. */
    int64_t last, duration;
    double last_time; /* time of the previous frame in seconds, as given */

    chi_queue queue;
    pthread_t thread;
    int started, ended; /* state of the thread */
    uint8_t *pictures;  /* PLACES pictures     */
    int64_t bytes, stamps[PLACES];
    ch_status status; /* status of the thread, valid once the queue is closed */
};

/* The same frames give the same bytes: the file has no random identifiers and no versions. */
static ch_status open_container(ch_video_writer *writer, double rate) {
    AVStream *track = avformat_new_stream(writer->muxer.format, NULL);
    writer->packet = av_packet_alloc();
    if (!track || !writer->packet)
        return chi_muxer_fail(&writer->muxer, "cannot begin to write the video", AVERROR(ENOMEM));
    const AVCodecContext *codec = chi_encoder_codec(writer->encoder);
    track->time_base = codec->time_base;
    track->avg_frame_rate = av_d2q(rate, 1 << 20);
    track->sample_aspect_ratio = codec->sample_aspect_ratio;
    int error = avcodec_parameters_from_context(track->codecpar, codec);
    return error < 0 ? chi_muxer_fail(&writer->muxer, "cannot begin to write the video", error)
                     : chi_muxer_start(&writer->muxer);
}

/* Writes the packets that the encoder has ready. */
static ch_status write_packets(ch_video_writer *writer) {
    for (;;) {
        AVCodecContext *codec = chi_encoder_codec(writer->encoder);
        int error = avcodec_receive_packet(codec, writer->packet);
        if (error == AVERROR(EAGAIN) || error == AVERROR_EOF) return CH_OK;
        if (error < 0) return chi_muxer_fail(&writer->muxer, "cannot write the video", error);
        writer->packet->duration = writer->duration;
        av_packet_rescale_ts(writer->packet, codec->time_base,
                             writer->muxer.format->streams[0]->time_base);
        writer->packet->stream_index = 0;
        TRY(chi_muxer_write(&writer->muxer, writer->packet));
    }
}

/* ---- the thread ---- */

static ch_status encode(ch_video_writer *writer, int place) {
    int error = chi_encoder_send(writer->encoder, writer->pictures + place * writer->bytes,
                                 writer->stamps[place]);
    if (error < 0) return chi_muxer_fail(&writer->muxer, "cannot encode the video", error);
    return write_packets(writer);
}

static void *encode_all(void *argument) {
    ch_video_writer *writer = argument;
    int place;
    while (writer->status == CH_OK && (place = chi_queue_take(&writer->queue, 0)) >= 0) {
        writer->status = encode(writer, place);
        chi_queue_free(&writer->queue);
    }
    chi_queue_close(&writer->queue);
    return NULL;
}

/* Ends the thread. Afterwards none of its data is in use. */
static void end_thread(ch_video_writer *writer) {
    if (!writer->started || writer->ended) return;
    chi_queue_close(&writer->queue);
    pthread_join(writer->thread, NULL);
    chi_queue_destroy(&writer->queue);
    writer->ended = 1;
}

static ch_status start_thread(ch_video_writer *writer) {
    writer->pictures = chi_alloc(writer->context, writer->bytes, PLACES);
    if (!writer->pictures)
        return chi_no_memory(writer->context, "pictures of a video", writer->bytes, PLACES);
    chi_queue_create(&writer->queue, PLACES);
    writer->started = chi_thread_start(&writer->thread, encode_all, writer);
    if (writer->started) return CH_OK;
    chi_queue_destroy(&writer->queue);
    return chi_fail(
        writer->context, CH_ERR_MEMORY,
        "another thread cannot be started, because the limit of threads or of memory is reached");
}

/* ---- the calls ---- */

static void release(ch_video_writer *writer) {
    av_packet_free(&writer->packet);
    chi_encoder_free(writer->encoder);
    chi_libav_unsilence();
    ch_context *context = writer->context;
    ch_context_destroy(writer->beside);
    chi_free(context, writer->pictures);
    chi_free(context, writer);
}

/* Returns the status of the thread, with its message in the caller's context. */
static ch_status report(const ch_video_writer *writer, ch_status status) {
    if (status >= 0) return status;
    return chi_fail(writer->context, status, "%s", ch_context_message(writer->beside));
}

static int64_t picture_bytes(const ch_video_format *format) {
    static const int halves[] = {[CH_PIXELS_GRAY8] = 2,
                                 [CH_PIXELS_RGB24] = 6,
                                 [CH_PIXELS_GRAY16] = 4,
                                 [CH_PIXELS_YUV420] = 3};
    return format->width * format->height * halves[format->pixels] / 2;
}

static ch_status open_file(ch_video_writer *writer, const char *path, const ch_video_format *format,
                           const ch_video_writer_settings *set) {
    AVRational unit = {1, MILLISECONDS};
    TRY(chi_encoder_create(writer->beside, &writer->encoder, format, set, unit));
    TRY(chi_muxer_open(writer->beside, &writer->muxer, path));
    return open_container(writer, format->rate);
}

ch_status ch_video_writer_open(ch_context *context, ch_video_writer **writer, const char *path,
                               const ch_video_format *format,
                               const ch_video_writer_settings *settings) {
    ch_video_writer_settings set;
    if (!context || !writer || !format) return CH_ERR_ARGUMENT;
    double rate = format->rate;
    TRY(chi_settings_take(context, &set, ch_video_writer_table(), settings));
    if (!(rate >= 1e-3 && rate <= 1e6))
        return chi_fail(
            context, CH_ERR_ARGUMENT,
            "a video cannot have %g frames per second; the frame rate must be from 0.001 to 1e6",
            rate);
    if (path && chi_path_is_mp4(path) && set.codec != CH_CODEC_H264 && set.codec != CH_CODEC_PLAY)
        return chi_fail(context, CH_ERR_UNSUPPORTED,
                        "%s: an MP4 file can be written with the codecs h264 and play only; choose "
                        "one of them, or another file type",
                        path);
    ch_video_writer *made = chi_alloc_zero(context, 1, sizeof *made);
    if (!made) return chi_no_memory(context, "writing a video", 1, sizeof *made);
    chi_libav_silence();
    made->context = context;
    made->last = INT64_MIN;
    made->duration = llround(fmax(1, MILLISECONDS / rate));
    ch_status status = chi_context_beside(&made->beside, context) < 0
                           ? chi_no_memory(context, "the context of a thread", 1, 1)
                           : CH_OK;
    if (status == CH_OK) status = report(made, open_file(made, path, format, &set));
    if (status == CH_OK) {
        made->bytes = picture_bytes(format);
        status = start_thread(made);
    }
    if (status == CH_OK)
        *writer = made;
    else
        ch_video_writer_discard(made);
    return status;
}

/* Converts a time to a stamp in milliseconds, later than that of the previous frame. */
static ch_status take_time(ch_video_writer *writer, double time) {
    if (!(time >= 0 && time < 1e12))
        return chi_fail(
            writer->context, CH_ERR_ARGUMENT,
            "the time of a frame cannot be %g seconds; it must be at least 0 and below 1e12", time);
    int64_t stamp = llround(time * MILLISECONDS);
    if (stamp <= writer->last && time <= writer->last_time)
        return chi_fail(writer->context, CH_ERR_ARGUMENT,
                        "the time of a frame is %g seconds, but the time of the frame before is %g "
                        "seconds; times must increase",
                        time, writer->last_time);
    if (stamp <= writer->last) stamp = writer->last + 1; /* more than 1000 frames per second */
    writer->last_time = time;
    writer->last = stamp;
    return CH_OK;
}

ch_status ch_video_writer_place(ch_video_writer *writer, void **pixels) {
    if (!writer || !pixels) return CH_ERR_ARGUMENT;
    if (writer->ended)
        return chi_fail(
            writer->context, writer->status,
            "%s: nothing more can be written to this file, because an earlier write failed",
            chi_output_path(writer->muxer.output));
    int place = chi_queue_place(&writer->queue);
    if (place < 0) {
        end_thread(writer);
        return report(writer, writer->status);
    }
    *pixels = writer->pictures + place * writer->bytes;
    return CH_OK;
}

ch_status ch_video_writer_add(ch_video_writer *writer, const void *pixels, double time) {
    if (!writer || !pixels) return CH_ERR_ARGUMENT;
    if (writer->ended)
        return chi_fail(
            writer->context, writer->status,
            "%s: nothing more can be written to this file, because an earlier write failed",
            chi_output_path(writer->muxer.output));
    TRY(take_time(writer, time));
    void *to;
    TRY(ch_video_writer_place(writer, &to));
    if (to != pixels) memcpy(to, pixels, (size_t)writer->bytes);
    writer->stamps[((uint8_t *)to - writer->pictures) / writer->bytes] = writer->last;
    chi_queue_put(&writer->queue);
    return CH_OK;
}

static ch_status encode_rest(ch_video_writer *writer) {
    end_thread(writer);
    TRY(writer->status);
    int error = chi_encoder_send(writer->encoder, NULL, 0);
    if (error < 0) return chi_muxer_fail(&writer->muxer, "cannot encode the video", error);
    return write_packets(writer);
}

ch_status ch_video_writer_commit(ch_video_writer *writer) {
    if (!writer) return CH_ERR_ARGUMENT;
    ch_status status = report(writer, chi_muxer_commit(&writer->muxer, encode_rest(writer)));
    release(writer);
    return status;
}

void ch_video_writer_discard(ch_video_writer *writer) {
    if (!writer) return;
    end_thread(writer);
    chi_muxer_discard(&writer->muxer);
    release(writer);
}
