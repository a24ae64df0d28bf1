/* Addresses and cameras, which libav reads by itself. A playlist that an address leads to may name
 * further addresses, never files of this machine. While nothing comes, the progress callback is
 * asked, and after the seconds of silence that were set the source has ended. */
#include "io/feed_state.h"
#include "io/video_av.h"
#include <errno.h>

/* libav calls this often while it waits; non-zero ends the wait. */
static int interrupted(void *user) {
    chi_stream *stream = user;
    if (stream->cancelled) return 1;
    if (chi_notify(stream->context, "read", stream->done, 0, -1, 0)) stream->cancelled = 1;
    return stream->cancelled || chi_seconds() - stream->heard > (double)stream->silence;
}

static ch_status fail_open(ch_context *context, const chi_stream *stream, const char *address,
                           int error) {
    if (stream->cancelled) return CH_STOP_CANCELLED;
    if (error == AVERROR(ENOMEM)) return chi_no_memory(context, "a source", 1, 1);
    int format = error == AVERROR_INVALIDDATA || error == AVERROR_DEMUXER_NOT_FOUND;
    if (error == AVERROR_EXIT)
        return chi_fail(context, CH_ERR_IO, "%s: nothing was heard for %lld seconds", address,
                        (long long)stream->silence);
    return chi_fail(context, format ? CH_ERR_FORMAT : CH_ERR_IO, "%s: %s", address,
                    chi_libav_words(error).text);
}

ch_status chi_address_open(ch_context *context, AVFormatContext **format, chi_stream *stream,
                           const char *address) {
    int camera = chi_is_camera(address);
    const AVInputFormat *input = camera ? chi_camera_format() : NULL;
    if (camera && !input)
        return chi_fail(context, CH_ERR_UNSUPPORTED,
                        "%s: this build opens no cameras (CONEHULL_CAMERA=OFF); let ffmpeg read "
                        "it: ffmpeg -f v4l2 -i %s -f nut - | conehull live - ...",
                        address, address);
    AVFormatContext *made = avformat_alloc_context();
    if (!made) return chi_no_memory(context, "a source", 1, 1);
    avformat_network_init();
    stream->heard = chi_seconds();
    made->interrupt_callback = (AVIOInterruptCB){interrupted, stream};
    if (!camera)
        made->protocol_whitelist = av_strdup(
            "rtsp,rtsps,rtmp,rtmps,rtmpt,http,https,httpproxy,srt,udp,rtp,tcp,tls,crypto");
    int error = avformat_open_input(&made, address, input, NULL); /* frees it when it fails */
    if (error < 0) return fail_open(context, stream, address, error);
    *format = made;
    return CH_OK;
}
