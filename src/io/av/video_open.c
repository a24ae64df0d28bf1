/* Opens the container of a file. Its format is detected from its content, never from its name, and
 * it cannot open any other file. */
#include "io/av/video_av.h"
#include <errno.h>
#include <string.h>

/* Containers that are lists of other files or addresses, or that render text. */
static const char *const refused[] = {
    "concat", "hls",        "dash",   "imf",      "sdp",
    "rtsp",   "tty",        "bin",    "xbin",     "adf",
    "idf",    "ffmetadata", "vobsub", "avisynth", "webm_dash_manifest",
    "lavfi",  "image2"};

static int is_refused(const AVInputFormat *input) {
    if (input->flags & AVFMT_NOFILE) return 1;
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        if (strcmp(input->name, refused[i]) == 0) return 1;
    return 0;
}

/* Replaces libav's function for opening files, so that only the given stream is ever opened. */
static int open_nothing(AVFormatContext *format, AVIOContext **io, const char *url, int flags,
                        AVDictionary **options) {
    (void)format, (void)url, (void)flags, (void)options;
    *io = NULL;
    return AVERROR(EACCES);
}

static ch_status fail_open(ch_context *context, const chi_stream *stream, const char *path,
                           int error) {
    if (stream->cancelled) return CH_STOP_CANCELLED;
    if (error == AVERROR(ENOMEM)) return chi_no_memory(context, "a video's container", 1, 1);
    if (stream->broken) {
        errno = stream->broken;
        return chi_fail_system(context, path, "cannot read");
    }
    if (stream->size == 0) return chi_fail(context, CH_ERR_FORMAT, "%s: the file is empty", path);
    return chi_fail(
        context, CH_ERR_FORMAT,
        "%s: the file cannot be read as a video; it has another format, or it is truncated (%s)%s",
        path, chi_libav_error(error).text,
        stream->seekable ? ""
                         : "; some formats, such as most mp4 files, cannot be read from a pipe");
}

ch_status chi_demuxer_open(ch_context *context, AVFormatContext **format, chi_stream *stream,
                           const char *path) {
    const AVInputFormat *input = NULL;
    int error = av_probe_input_buffer2(stream->io, &input, "", NULL, 0, 0);
    if (error < 0) return fail_open(context, stream, path, error);
    if (is_refused(input))
        return chi_fail(context, CH_ERR_FORMAT, "%s: the file is not a video (%s)", path,
                        input->long_name ? input->long_name : input->name);
    AVFormatContext *made = avformat_alloc_context();
    if (!made) return chi_no_memory(context, "a video's container", 1, 1);
    made->pb = stream->io;
    made->io_open = open_nothing;
    made->protocol_whitelist = av_strdup("none");
    error = avformat_open_input(&made, "", input, NULL); /* frees it on failure */
    if (error < 0) return fail_open(context, stream, path, error);
    *format = made;
    return CH_OK;
}
