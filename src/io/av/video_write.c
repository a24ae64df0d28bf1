/* Videos written by libav: Matroska or MP4, through ch_output_file, so that a file appears whole or
 * not at all. Time stamps are milliseconds.
 *
 * A thread encodes. The caller copies a picture into one of a few places and goes on; who is
 * faster waits, so at most PLACES pictures are held. The thread has a context of its own, whose
 * message the caller's gets when something has failed. */
#include "base/bounded_queue.h"
#include "base/sized.h"
#include "base/thread_start.h"
#include "io/av/video_av.h"
#include <errno.h>
#include <math.h>
#include <string.h>

enum { BUFFER = 1 << 16, MILLISECONDS = 1000, PLACES = 4 };

struct ch_video_writer {
    ch_context *context, *beside; /* the caller's, the thread's                               */
    ch_output_file *output;
    AVIOContext *io;
    AVFormatContext *format;
    chi_encoder *encoder;
    AVPacket *packet;
    int64_t last, duration; /* milliseconds: of the frame before, and nominally of one        */
    double last_time;       /* seconds, as given                                               */
    ch_status failed;       /* the first failure of a write, in the thread                    */

    chi_queue queue;
    pthread_t thread;
    int started, ended; /* the thread                                                         */
    uint8_t *pictures;  /* PLACES of them                                                     */
    int64_t bytes, stamps[PLACES];
    ch_status status; /* of the thread, when the queue is closed                              */
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

/* libav moves the index of an MP4 file to its front: for that it reads what it has written. */
static int read_again(AVFormatContext *format, AVIOContext **io, const char *url, int flags,
                      AVDictionary **options) {
    ch_video_writer *writer = format->opaque;
    const char *name = chi_output_temporary(writer->output);
    char file[4200];
    (void)url;
    if (!name || snprintf(file, sizeof file, "file:%s", name) >= (int)sizeof file)
        return AVERROR(EIO);
    return avio_open2(io, file, flags, NULL, options);
}

static ch_status fail_libav(const ch_video_writer *writer, const char *what, int error) {
    if (writer->failed) return writer->failed; /* its message is kept already */
    if (error == AVERROR(ENOMEM)) return chi_no_memory(writer->beside, "writing a video", 1, 1);
    return chi_fail(writer->beside, CH_ERR_IO, "%s: %s: %s", chi_output_path(writer->output), what,
                    chi_libav_error(error).text);
}

static ch_status open_stream(ch_video_writer *writer) {
    unsigned char *buffer = av_malloc(BUFFER);
    if (buffer)
        writer->io = avio_alloc_context(buffer, BUFFER, 1, writer, NULL, write_bytes,
                                        chi_output_seekable(writer->output) ? seek_bytes : NULL);
    if (writer->io) return CH_OK;
    av_free(buffer);
    return chi_no_memory(writer->beside, "writing a video", BUFFER, 1);
}

static int is_mp4(const char *path) {
    size_t length = strlen(path);
    return length > 4 && strcmp(path + length - 4, ".mp4") == 0;
}

/* The same frames give the same bytes: no random identifiers, no versions in the file. */
static ch_status open_container(ch_video_writer *writer, const char *path, double rate) {
    int mp4 = is_mp4(path);
    int error =
        avformat_alloc_output_context2(&writer->format, NULL, mp4 ? "mp4" : "matroska", NULL);
    AVStream *track = error >= 0 ? avformat_new_stream(writer->format, NULL) : NULL;
    writer->packet = av_packet_alloc();
    if (!track || !writer->packet) return fail_libav(writer, "cannot start", AVERROR(ENOMEM));
    const AVCodecContext *codec = chi_encoder_codec(writer->encoder);
    AVDictionary *options = NULL;
    writer->format->pb = writer->io;
    writer->format->opaque = writer;
    writer->format->io_open = read_again;
    writer->format->flags |= AVFMT_FLAG_BITEXACT;
    track->time_base = codec->time_base;
    track->avg_frame_rate = av_d2q(rate, 1 << 20);
    track->sample_aspect_ratio = codec->sample_aspect_ratio;
    error = avcodec_parameters_from_context(track->codecpar, codec);
    if (mp4 && chi_output_seekable(writer->output))
        av_dict_set(&options, "movflags", "faststart", 0);
    if (error >= 0) error = avformat_write_header(writer->format, &options);
    av_dict_free(&options);
    return error < 0 ? fail_libav(writer, "cannot start", error) : CH_OK;
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

/* ---- the thread ---- */

static ch_status encode(ch_video_writer *writer, int place) {
    int error = chi_encoder_send(writer->encoder, writer->pictures + place * writer->bytes,
                                 writer->stamps[place]);
    if (error < 0) return fail_libav(writer, "cannot encode", error);
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

/* Afterwards nothing of the thread's is in use. */
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
    return chi_fail(writer->context, CH_ERR_MEMORY, "the system refuses a further thread");
}

/* ---- the calls ---- */

static void release(ch_video_writer *writer) {
    av_packet_free(&writer->packet);
    chi_encoder_free(writer->encoder);
    avformat_free_context(writer->format);
    if (writer->io) av_freep(&writer->io->buffer);
    avio_context_free(&writer->io);
    chi_libav_unsilence();
    ch_context *context = writer->context;
    ch_context_destroy(writer->beside);
    chi_free(context, writer->pictures);
    chi_free(context, writer);
}

/* What happened beside, in the caller's words. */
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
    TRY(ch_output_file_open(writer->beside, &writer->output, path));
    TRY(open_stream(writer));
    return open_container(writer, path, format->rate);
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
    if (path && is_mp4(path) && set.codec != CH_CODEC_H264 && set.codec != CH_CODEC_PLAY)
        return chi_fail(context, CH_ERR_UNSUPPORTED, "%s: MP4 files take the codecs h264 and play",
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

/* The stamp of a time in milliseconds, after that of the frame before. */
static ch_status take_time(ch_video_writer *writer, double time) {
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
    return CH_OK;
}

ch_status ch_video_writer_add(ch_video_writer *writer, const void *pixels, double time) {
    if (!writer || !pixels) return CH_ERR_ARGUMENT;
    if (writer->ended)
        return chi_fail(writer->context, writer->status, "%s: an earlier write failed",
                        chi_output_path(writer->output));
    TRY(take_time(writer, time));
    int place = chi_queue_place(&writer->queue);
    if (place < 0) {
        end_thread(writer);
        return report(writer, writer->status);
    }
    memcpy(writer->pictures + place * writer->bytes, pixels, (size_t)writer->bytes);
    writer->stamps[place] = writer->last;
    chi_queue_put(&writer->queue);
    return CH_OK;
}

static ch_status finish(ch_video_writer *writer) {
    end_thread(writer);
    TRY(writer->status);
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
    ch_status status = report(writer, chi_output_close(writer->output, finish(writer)));
    release(writer);
    return status;
}

void ch_video_writer_discard(ch_video_writer *writer) {
    if (!writer) return;
    end_thread(writer);
    ch_output_file_discard(writer->output);
    release(writer);
}
