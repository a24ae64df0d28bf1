/* Files written by libav through ch_output_file, so that a file appears complete or not at all. */
#include "io/av/video_av.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { BUFFER = 1 << 16 };

static int write_bytes(void *user, uint8_t *bytes, int count) {
    chi_muxer *muxer = user;
    ch_status status = ch_output_file_write(muxer->output, bytes, (size_t)count);
    if (status == CH_OK) return count;
    if (!muxer->failed) muxer->failed = status;
    return AVERROR(EIO);
}

static int64_t seek_bytes(void *user, int64_t offset, int whence) {
    chi_muxer *muxer = user;
    if (whence != SEEK_SET) return AVERROR(ENOSYS);
    if (chi_output_seek(muxer->output, offset) == CH_OK) return offset;
    if (!muxer->failed) muxer->failed = CH_ERR_IO;
    return AVERROR(EIO);
}

/* Opens the written file for reading. libav needs this to move the index of an MP4 file to its
 * start. */
static int read_again(AVFormatContext *format, AVIOContext **io, const char *url, int flags,
                      AVDictionary **options) {
    const chi_muxer *muxer = format->opaque;
    const char *name = chi_output_temporary(muxer->output);
    char file[4200];
    (void)url;
    if (!name || snprintf(file, sizeof file, "file:%s", name) >= (int)sizeof file)
        return AVERROR(EIO);
    return avio_open2(io, file, flags, NULL, options);
}

ch_status chi_muxer_fail(const chi_muxer *muxer, const char *what, int error) {
    if (muxer->failed) return muxer->failed; /* its message is already set */
    if (error == AVERROR(ENOMEM)) return chi_no_memory(muxer->context, "writing a video", 1, 1);
    return chi_fail(muxer->context, CH_ERR_IO, "%s: %s: %s", chi_output_path(muxer->output), what,
                    chi_libav_error(error).text);
}

static ch_status open_stream(chi_muxer *muxer) {
    unsigned char *buffer = av_malloc(BUFFER);
    if (buffer)
        muxer->io = avio_alloc_context(buffer, BUFFER, 1, muxer, NULL, write_bytes,
                                       chi_output_seekable(muxer->output) ? seek_bytes : NULL);
    if (muxer->io) return CH_OK;
    av_free(buffer);
    return chi_no_memory(muxer->context, "writing a video", BUFFER, 1);
}

int chi_path_is_mp4(const char *path) {
    size_t length = strlen(path);
    return length > 4 && strcmp(path + length - 4, ".mp4") == 0;
}

ch_status chi_muxer_open(ch_context *context, chi_muxer *muxer, const char *path) {
    *muxer = (chi_muxer){.context = context};
    TRY(ch_output_file_open(context, &muxer->output, path));
    TRY(open_stream(muxer));
    int error = avformat_alloc_output_context2(&muxer->format, NULL,
                                               chi_path_is_mp4(path) ? "mp4" : "matroska", NULL);
    if (error < 0) return chi_muxer_fail(muxer, "cannot begin to write the video", error);
    muxer->format->pb = muxer->io;
    muxer->format->opaque = muxer;
    muxer->format->io_open = read_again;
    muxer->format->flags |= AVFMT_FLAG_BITEXACT;
    return CH_OK;
}

ch_status chi_muxer_start(chi_muxer *muxer) {
    AVDictionary *options = NULL;
    if (chi_path_is_mp4(chi_output_path(muxer->output)) && chi_output_seekable(muxer->output))
        av_dict_set(&options, "movflags", "faststart", 0);
    int error = avformat_write_header(muxer->format, &options);
    av_dict_free(&options);
    return error < 0 ? chi_muxer_fail(muxer, "cannot begin to write the video", error) : CH_OK;
}

ch_status chi_muxer_write(chi_muxer *muxer, AVPacket *packet) {
    int error = av_interleaved_write_frame(muxer->format, packet);
    if (error >= 0 && muxer->io->error < 0) error = muxer->io->error;
    return error < 0 ? chi_muxer_fail(muxer, "cannot write the video", error) : CH_OK;
}

static ch_status finish(chi_muxer *muxer) {
    int error = av_write_trailer(muxer->format);
    avio_flush(muxer->io);
    if (error >= 0 && muxer->io->error < 0) error = muxer->io->error;
    return error < 0 || muxer->failed
               ? chi_muxer_fail(muxer, "cannot finish writing the video", error)
               : CH_OK;
}

static void release(chi_muxer *muxer) {
    avformat_free_context(muxer->format);
    if (muxer->io) av_freep(&muxer->io->buffer);
    avio_context_free(&muxer->io);
    muxer->format = NULL;
    muxer->output = NULL;
}

ch_status chi_muxer_commit(chi_muxer *muxer, ch_status status) {
    status = chi_output_close(muxer->output, status == CH_OK ? finish(muxer) : status);
    release(muxer);
    return status;
}

void chi_muxer_discard(chi_muxer *muxer) {
    ch_output_file_discard(muxer->output);
    release(muxer);
}
