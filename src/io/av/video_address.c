/* Addresses and cameras, which libav reads itself. A playlist at an address may name further
 * addresses, but never files of this machine. While no data arrive, the progress callback is
 * called; after the set number of seconds of silence the source counts as ended. */
#include "io/av/video_av.h"
#include "io/clip/feed_state.h"
#include <errno.h>

/* libav calls this function often while it waits; a non-zero result ends the wait. */
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
        return chi_fail(context, CH_ERR_IO,
                        "%s: the connection was given up, because no data arrived for %lld seconds",
                        address, (long long)stream->silence);
    return chi_fail(context, format ? CH_ERR_FORMAT : CH_ERR_IO, "%s: %s", address,
                    chi_libav_error(error).text);
}

static ch_status fail_camera(ch_context *context, const char *camera, const char *format,
                             const char *device, const char *why) {
    return chi_fail(context, CH_ERR_UNSUPPORTED,
                    "%s: the camera cannot be opened, because this needs libavdevice (Debian: "
                    "install the package ffmpeg): %s. Or let ffmpeg read the camera: ffmpeg -f %s "
                    "-i %s -f nut - | conehull live - ...",
                    camera, why, format, device);
}

/* Opens an address or a camera. Uses TCP if the camera offers it: over UDP lost packets become
 * damaged pictures, and firewalls block all packets. */
ch_status chi_address_open(ch_context *context, AVFormatContext **format, chi_stream *stream,
                           const char *address) {
    const char *name = address, *kind = chi_camera_parts(address, &name);
    char why[200] = "";
    const AVInputFormat *input = kind ? chi_camera_format(kind, why, sizeof why) : NULL;
    if (kind && !input) return fail_camera(context, address, kind, name, why);
    AVFormatContext *made = avformat_alloc_context();
    if (!made) return chi_no_memory(context, "a source", 1, 1);
    avformat_network_init();
    stream->heard = chi_seconds();
    made->interrupt_callback = (AVIOInterruptCB){interrupted, stream};
    AVDictionary *options = NULL;
    if (!kind) {
        made->protocol_whitelist = av_strdup(
            "rtsp,rtsps,rtmp,rtmps,rtmpt,http,https,httpproxy,srt,udp,rtp,tcp,tls,crypto");
        av_dict_set(&options, "rtsp_flags", "prefer_tcp", 0);
    }
    int error = avformat_open_input(&made, name, input, &options); /* frees it on failure */
    av_dict_free(&options);
    if (error < 0) return fail_open(context, stream, address, error);
    stream->heard = chi_seconds();
    *format = made;
    return CH_OK;
}
