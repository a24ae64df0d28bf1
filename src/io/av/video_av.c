/* Videos decoded by libav: open, next frame, close. video_pixels.c converts the pixels. */
#include "io/av/video_av.h"
#include <errno.h>
#include <libavutil/pixdesc.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct chi_video {
    ch_context *context;
    const char *path;
    chi_stream stream;
    AVFormatContext *format;
    AVStream *track; /* the video track */
    AVCodecContext *decoder;
    AVPacket *packet;
    AVFrame *frame;
    chi_converter converter;
    int64_t decoded;
    chi_turn turn;
    chi_turner turner;
    chi_index index; /* built when frames are first skipped */
    int indexed;
    /* Frames before `wanted` are not needed; sent: highest number sent so far. */
    int64_t wanted, sent;
    int64_t sent_stamp; /* highest stamp sent so far, while there is no index */
    /* Packets are sent only from key frame `jump` on, or all if it is -1; `lowest`: none before
     * it. */
    int64_t jump, lowest;
    double start, last; /* time stamps of the first frame and of the last one so far */
    int64_t blamed;     /* damage already reported with a frame                      */
    /* Number of packets that did not decode and of damaged pictures; the first of them. */
    int64_t damaged, first_damaged;
    int ended;     /* no more packets                                */
    int broke_off; /* libav's error if the packets ended early, or 0 */
};

static ch_status pick_track(chi_video *video) {
    int error = avformat_find_stream_info(video->format, NULL);
    int best =
        error < 0 ? error : av_find_best_stream(video->format, AVMEDIA_TYPE_VIDEO, -1, -1, NULL, 0);
    if (video->stream.cancelled) return CH_STOP_CANCELLED;
    if (best < 0 || video->format->streams[best]->disposition & AV_DISPOSITION_ATTACHED_PIC)
        return chi_fail(video->context, CH_ERR_FORMAT, "%s: the file contains no video%s",
                        video->path, video->format->nb_streams ? ", only sound or data" : "");
    for (unsigned s = 0; s < video->format->nb_streams; s++)
        if ((int)s != best) video->format->streams[s]->discard = AVDISCARD_ALL;
    video->track = video->format->streams[best];
    video->turn = chi_turn_read(video->context, video->track, video->path);
    return CH_OK;
}

static ch_status open_decoder(chi_video *video) {
    const AVCodecParameters *facts = video->track->codecpar;
    const AVCodec *codec = avcodec_find_decoder(facts->codec_id);
    if (!codec)
        return chi_fail(video->context, CH_ERR_UNSUPPORTED,
                        "%s: libav has no decoder for the video format %s on this machine; convert "
                        "the file with ffmpeg elsewhere",
                        video->path, avcodec_get_name(facts->codec_id));
    if (facts->width > 0)
        TRY(chi_picture_check(video->context, video->path, facts->width, facts->height));
    video->decoder = avcodec_alloc_context3(codec);
    video->packet = av_packet_alloc();
    video->frame = av_frame_alloc();
    if (!video->decoder || !video->packet || !video->frame)
        return chi_no_memory(video->context, "a decoder", 1, 1);
    int error = avcodec_parameters_to_context(video->decoder, facts);
    video->decoder->pkt_timebase = video->track->time_base;
    video->decoder->thread_count = ch_context_threads(video->context);
    video->decoder->max_pixels = CHI_PIXELS_MAX;
    if (!video->stream.seekable)
        video->decoder->thread_type = FF_THREAD_SLICE; /* delays no frames */
    if (error >= 0) error = avcodec_open2(video->decoder, codec, NULL);
    if (error >= 0) return CH_OK;
    if (chi_libav_no_memory(error)) return chi_no_memory(video->context, "a decoder", 1, 1);
    return chi_fail(video->context, CH_ERR_FORMAT,
                    "%s: the %s video in this file cannot be decoded: %s", video->path,
                    avcodec_get_name(facts->codec_id), chi_libav_error(error).text);
}

static ch_status open_container(chi_video *video, int64_t silence) {
    ch_context *context = video->context;
    chi_stream *stream = &video->stream;
    if (!silence) {
        TRY(chi_stream_open(context, stream, video->path));
        return chi_demuxer_open(context, &video->format, stream, video->path);
    }
    *stream = (chi_stream){.context = context, .fd = -1, .size = -1, .silence = silence};
    return chi_address_open(context, &video->format, stream, video->path);
}

ch_status chi_video_open(ch_context *context, chi_video **video, const char *path,
                         int64_t silence) {
    chi_video *made = chi_alloc_zero(context, 1, sizeof *made);
    if (!made) return chi_no_memory(context, "reading a video", 1, sizeof *made);
    chi_libav_silence();
    made->context = context;
    made->path = path;
    made->sent = made->jump = made->lowest = -1;
    made->sent_stamp = INT64_MIN;
    made->converter = (chi_converter){.context = context, .path = path, .format = AV_PIX_FMT_NONE};
    ch_status status = open_container(made, silence);
    if (status == CH_OK) status = pick_track(made);
    if (status == CH_OK) status = open_decoder(made);
    if (status == CH_OK)
        *video = made;
    else
        chi_video_close(made);
    return status;
}

void chi_video_close(chi_video *video) {
    if (!video) return;
    chi_converter_free(&video->converter);
    chi_turner_free(&video->turner);
    chi_index_free(video->context, &video->index);
    avcodec_free_context(&video->decoder);
    av_packet_free(&video->packet);
    av_frame_free(&video->frame);
    avformat_close_input(&video->format);
    chi_stream_close(&video->stream);
    chi_libav_unsilence();
    chi_free(video->context, video);
}

/* Counts the packets of the track, up to `enough`. */
static int64_t count_packets(AVFormatContext *format, int track, int64_t enough, AVPacket *packet) {
    int64_t count = 0;
    while (count < enough && av_read_frame(format, packet) >= 0) {
        count += packet->stream_index == track;
        av_packet_unref(packet);
    }
    return count;
}

ch_status chi_video_count(chi_video *video, int64_t *count, int64_t enough) {
    chi_stream stream;
    AVFormatContext *format = NULL;
    *count = -1;
    if (!video->stream.seekable) return CH_OK;
    /* Both readers share the position of standard input. */
    off_t place = lseek(video->stream.fd, 0, SEEK_CUR);
    lseek(video->stream.fd, 0, SEEK_SET);
    TRY(chi_stream_open(video->context, &stream, video->path));
    ch_status status = chi_demuxer_open(video->context, &format, &stream, video->path);
    if (status == CH_OK) {
        int64_t packets = count_packets(format, video->track->index, enough, video->packet);
        if (packets > 0) *count = packets;
    }
    avformat_close_input(&format);
    chi_stream_close(&stream);
    lseek(video->stream.fd, place, SEEK_SET);
    return status;
}

/* ---- frames that are not needed ---- */

static ch_status build_index(chi_video *video) {
    chi_stream stream;
    AVFormatContext *format = NULL;
    off_t place = lseek(video->stream.fd, 0, SEEK_CUR); /* as in chi_video_count() */
    video->indexed = 1;
    lseek(video->stream.fd, 0, SEEK_SET);
    TRY(chi_stream_open(video->context, &stream, video->path));
    ch_status status = chi_demuxer_open(video->context, &format, &stream, video->path);
    /* Parsers find which packets are disposable, and add data that some containers omit. */
    if (status == CH_OK && avformat_find_stream_info(format, NULL) < 0) video->index.usable = 0;
    if (status == CH_OK)
        status = chi_index_build(video->context, &video->index, format, video->track->index);
    if (status == CH_OK && video->index.usable && video->sent_stamp > INT64_MIN)
        video->sent = chi_index_number(&video->index, video->sent_stamp);
    avformat_close_input(&format);
    chi_stream_close(&stream);
    lseek(video->stream.fd, place, SEEK_SET);
    return status;
}

ch_status chi_video_skip(chi_video *video, int64_t *passed, int64_t number) {
    *passed = -1;
    if (!video->stream.seekable || (!video->indexed && number < video->decoded + 2)) return CH_OK;
    if (!video->indexed) TRY_OK(build_index(video));
    const chi_index *index = &video->index;
    if (!index->usable) return CH_OK;
    video->wanted = number;
    if (number >= index->count) {
        *passed = index->count;
        return CH_OK;
    }
    int64_t key = chi_index_key(index, number);
    if (key <= video->sent) return CH_OK;
    video->jump = video->lowest = key;
    avcodec_flush_buffers(video->decoder);
    return CH_OK;
}

ch_status chi_video_near_key(chi_video *video, int64_t *near, int64_t number, int64_t farthest) {
    const chi_index *index = &video->index;
    *near = number;
    if (!video->stream.seekable) return CH_OK;
    if (!video->indexed) TRY_OK(build_index(video));
    if (!index->usable || number >= index->count) return CH_OK;
    int64_t before = chi_index_key(index, number);
    int64_t last = number + farthest < index->count ? number + farthest : index->count - 1;
    int64_t after = chi_index_key(index, last); /* the last key frame within reach */
    if (before >= 0 && number - before <= farthest) *near = before;
    while (after > number && before != number) {
        if (*near == number || after - number < llabs(number - *near)) *near = after;
        after = chi_index_key(index, after - 1);
    }
    return CH_OK;
}

double chi_video_stamp(const chi_video *video, int last) {
    const chi_index *index = &video->index;
    if (!index->usable) return NAN;
    return (double)index->stamp[last ? index->count - 1 : 0] * av_q2d(video->track->time_base);
}

/* Returns whether the packet can be skipped. */
static int is_needless(chi_video *video) {
    const AVPacket *packet = video->packet;
    if (!video->index.usable) {
        if (packet->pts > video->sent_stamp) video->sent_stamp = packet->pts;
        return 0;
    }
    int64_t number = chi_index_number(&video->index, packet->pts);
    if (number < 0) return video->jump >= 0;
    if (number == video->jump) video->jump = -1;
    if (video->jump >= 0 || number < video->lowest) return 1;
    int alone = video->index.only_keys || packet->flags & AV_PKT_FLAG_DISPOSABLE;
    if (number < video->wanted && alone) return 1;
    if (number > video->sent) video->sent = number;
    video->decoder->skip_frame = number < video->wanted ? AVDISCARD_NONREF : AVDISCARD_DEFAULT;
    return 0;
}

static void note_damage(chi_video *video) {
    if (video->damaged++ == 0) video->first_damaged = video->decoded;
}

/* Sends the next packet to the decoder, or signals the end. */
static void feed(chi_video *video) {
    video->stream.heard = chi_seconds();
    int error = av_read_frame(video->format, video->packet);
    if (error < 0) {
        if (error != AVERROR_EOF && error != AVERROR(EAGAIN)) video->broke_off = error;
        video->ended = 1;
        avcodec_send_packet(video->decoder, NULL);
        return;
    }
    if (video->packet->stream_index == video->track->index && !is_needless(video)) {
        int corrupt = video->packet->flags & AV_PKT_FLAG_CORRUPT;
        if (avcodec_send_packet(video->decoder, video->packet) < 0 || corrupt) note_damage(video);
    }
    av_packet_unref(video->packet);
}

static void describe_frame(chi_video *video, chi_frame *frame) {
    const AVFrame *native = video->frame;
    int64_t stamp = native->best_effort_timestamp;
    if (native->decode_error_flags || native->flags & AV_FRAME_FLAG_CORRUPT) note_damage(video);
    video->stream.done = ++video->decoded;
    frame->number = video->index.usable ? chi_index_number(&video->index, stamp) : -1;
    frame->width = video->turn.swaps ? native->height : native->width;
    frame->height = video->turn.swaps ? native->width : native->height;
    frame->gray = chi_format_is_gray(native->format);
    frame->damaged = video->damaged > video->blamed;
    video->blamed = video->damaged;
    frame->time = stamp == AV_NOPTS_VALUE ? NAN : (double)stamp * av_q2d(video->track->time_base);
    frame->native = video->frame;
    if (video->decoded == 1) video->start = frame->time;
    video->last = frame->time;
}

/* Applies the rotation and the pixel aspect ratio of the file. */
static ch_status show_frame(chi_video *video, chi_frame *frame) {
    AVFrame *native = video->frame;
    native->sample_aspect_ratio = av_guess_sample_aspect_ratio(video->format, video->track, native);
    if (!video->turn.any) return CH_OK;
    int error = chi_turn_frame(&video->turner, native, &video->turn);
    if (error == AVERROR(ENOMEM)) return chi_no_memory(video->context, "a picture", 1, 1);
    if (error < 0)
        return chi_fail(video->context, CH_ERR_UNSUPPORTED,
                        "%s: a picture of the video cannot be rotated: %s", video->path,
                        chi_libav_error(error).text);
    frame->native = video->turner.turned;
    return CH_OK;
}

ch_status chi_video_next(chi_video *video, chi_frame *frame) {
    for (;;) {
        int error = avcodec_receive_frame(video->decoder, video->frame);
        if (video->stream.cancelled) return CH_STOP_CANCELLED;
        if (error >= 0) {
            describe_frame(video, frame);
            TRY(chi_picture_check(video->context, video->path, frame->width, frame->height));
            return show_frame(video, frame);
        }
        if (error == AVERROR(ENOMEM)) return chi_no_memory(video->context, "decoding", 1, 1);
        if (error == AVERROR_EOF || (video->ended && error == AVERROR(EAGAIN))) break;
        if (error == AVERROR(EAGAIN))
            feed(video);
        else
            note_damage(video);
    }
    frame->native = NULL;
    if (!video->stream.broken) return CH_OK;
    errno = video->stream.broken;
    return chi_fail_system(video->context, video->path, "cannot read");
}

ch_status chi_video_pixels(chi_video *video, uint8_t *luma, uint8_t *rgb, const chi_frame *frame,
                           const chi_rectangle *part) {
    return chi_converter_pixels(&video->converter, luma, rgb, frame->native, part);
}

/* Copies the first name of a list such as "mov,mp4,m4a". */
static void copy_word(char to[32], const char *from) {
    snprintf(to, 32, "%.*s", (int)strcspn(from, ","), from);
}

void chi_video_size(const chi_video *video, int64_t size[2]) {
    const AVCodecParameters *facts = video->track->codecpar;
    size[video->turn.swaps] = facts->width;
    size[!video->turn.swaps] = facts->height;
}

int chi_video_seekable(const chi_video *video) {
    return video->stream.seekable;
}

void chi_video_describe(const chi_video *video, ch_clip *clip) {
    const char *pixels = av_get_pix_fmt_name(video->decoder->pix_fmt);
    AVRational rate = av_guess_frame_rate(video->format, video->track, NULL);
    clip->rate = rate.num > 0 && rate.den > 0 ? av_q2d(rate) : 25;
    clip->rotation = chi_turn_degrees(&video->turn);
    clip->time_base[0] = video->track->time_base.num;
    clip->time_base[1] = video->track->time_base.den;
    copy_word(clip->container, video->format->iformat->name);
    copy_word(clip->codec, avcodec_get_name(video->track->codecpar->codec_id));
    copy_word(clip->pixel_format, pixels ? pixels : "unknown");
}

int64_t chi_video_promised(const chi_video *video) {
    int64_t frames = video->track->nb_frames;
    return frames > 0 && frames < (int64_t)1e12 ? frames : 0;
}

/* Returns the duration of the pictures according to the header, or 0 if the header does not state
 * it or only estimates it. */
static double promised_seconds(const chi_video *video) {
    const AVFormatContext *format = video->format;
    if (video->track->duration > 0)
        return (double)video->track->duration * av_q2d(video->track->time_base);
    if (format->nb_streams > 1 || format->duration <= 0 ||
        format->duration_estimation_method == AVFMT_DURATION_FROM_BITRATE)
        return 0;
    return (double)format->duration / AV_TIME_BASE;
}

/* Writes the reason why the file seems to be cut short, or "" if it does not. Many containers
 * simply end where they were cut; then the duration in the header is the only evidence. */
static void tell_cut(const chi_video *video, char *why, size_t room) {
    double last = video->index.usable ? chi_video_stamp(video, 1) : video->last;
    double start = video->index.usable ? chi_video_stamp(video, 0) : video->start;
    double seconds = last - start, promised = promised_seconds(video);
    why[0] = '\0';
    if (video->broke_off)
        snprintf(why, room, "%s", chi_libav_error(video->broke_off).text);
    else if (video->ended && promised > seconds * 1.02 + 1) /* false for NaN */
        snprintf(
            why, room,
            "the header states a length of %.1f seconds, but the pictures end after %.1f seconds",
            promised, seconds);
}

ch_status chi_video_report(const chi_video *video, int64_t frames, int partial) {
    char why[200];
    if (video->damaged)
        chi_log(video->context, CH_LOG_WARNING,
                "%s: the file is damaged at %lld place%s, first at frame %lld; everything that "
                "could be decoded is used",
                video->path, (long long)video->damaged, video->damaged == 1 ? "" : "s",
                (long long)video->first_damaged);
    tell_cut(video, why, sizeof why);
    if (!why[0]) return CH_OK;
    if (!partial)
        return chi_fail(video->context, CH_ERR_FORMAT,
                        "%s: the file is truncated after %lld frames (%s); use --partial to "
                        "process these frames",
                        video->path, (long long)frames, why);
    chi_log(video->context, CH_LOG_WARNING,
            "%s: the file is truncated after %lld frames (%s); only these frames are used",
            video->path, (long long)frames, why);
    return CH_OK;
}

const char *ch_video_library(void) {
    static _Thread_local char text[160];
    unsigned format = avformat_version(), codec = avcodec_version();
    snprintf(text, sizeof text, "libavformat %u.%u, libavcodec %u.%u, %s", AV_VERSION_MAJOR(format),
             AV_VERSION_MINOR(format), AV_VERSION_MAJOR(codec), AV_VERSION_MINOR(codec),
             avcodec_license());
    return text;
}
