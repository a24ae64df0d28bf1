/* Files and standard input for libav, read through our own descriptor. So a name is never taken for
 * a protocol, errors keep their reason, and Ctrl-C works while a pipe is silent. */
#include "io/av/video_av.h"
#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BUFFER = 1 << 16 };

static pthread_mutex_t silence_lock = PTHREAD_MUTEX_INITIALIZER;
/* Protected by the lock; libav's log level also belongs to the process. */
static int silent_users, level_before;

void chi_libav_silence(void) {
    pthread_mutex_lock(&silence_lock);
    if (silent_users++ == 0) {
        level_before = av_log_get_level();
        av_log_set_level(AV_LOG_QUIET);
    }
    pthread_mutex_unlock(&silence_lock);
}

void chi_libav_unsilence(void) {
    pthread_mutex_lock(&silence_lock);
    if (--silent_users == 0) av_log_set_level(level_before);
    pthread_mutex_unlock(&silence_lock);
}

chi_words chi_libav_error(int error) {
    chi_words words = {""};
    av_strerror(error, words.text, sizeof words.text);
    return words;
}

int chi_libav_no_memory(int error) {
    enum { LITTLE = 128 << 20 }; /* for stacks of threads and pictures that an encoder holds */
    if (error == AVERROR(ENOMEM)) return 1;
    return (error == AVERROR_EXTERNAL || error == AVERROR(EAGAIN)) &&
           !chi_address_space_left(1, LITTLE);
}

/* Waits for data of a pipe, and calls the progress callback meanwhile. */
static int wait_for_bytes(chi_stream *stream) {
    if (chi_wait_readable(stream->context, stream->fd, stream->done) == CH_OK) return 0;
    stream->cancelled = 1;
    return AVERROR_EXIT;
}

static int read_bytes(void *user, uint8_t *bytes, int count) {
    chi_stream *stream = user;
    for (;;) {
        if (!stream->seekable && wait_for_bytes(stream)) return AVERROR_EXIT;
        ssize_t got = read(stream->fd, bytes, (size_t)count);
        if (got > 0) return (int)got;
        if (got == 0) return AVERROR_EOF;
        if (errno == EINTR || (!stream->seekable && errno == EAGAIN)) continue;
        stream->broken = errno;
        return AVERROR(errno);
    }
}

static int64_t seek_bytes(void *user, int64_t offset, int whence) {
    const chi_stream *stream = user;
    if (whence == AVSEEK_SIZE) return stream->size >= 0 ? stream->size : AVERROR(ENOSYS);
    int64_t place = lseek(stream->fd, offset, whence & ~AVSEEK_FORCE);
    return place < 0 ? AVERROR(errno) : place;
}

static ch_status open_descriptor(ch_context *context, chi_stream *stream, const char *path) {
    struct stat facts;
    if (strcmp(path, "-") != 0) {
        TRY(chi_open_source(context, &stream->fd, &stream->size, path));
        stream->owned = 1;
    } else {
        stream->fd = STDIN_FILENO;
        if (fstat(stream->fd, &facts))
            return chi_fail_system(context, "standard input", "cannot read");
        stream->size = S_ISREG(facts.st_mode) ? (int64_t)facts.st_size : -1;
    }
    stream->seekable = stream->size >= 0 && lseek(stream->fd, 0, SEEK_CUR) == 0;
    if (!stream->seekable) stream->size = -1;
    return CH_OK;
}

ch_status chi_stream_open(ch_context *context, chi_stream *stream, const char *path) {
    *stream = (chi_stream){.context = context, .fd = -1, .size = -1};
    TRY(open_descriptor(context, stream, path));
    unsigned char *buffer = av_malloc(BUFFER);
    if (buffer)
        stream->io = avio_alloc_context(buffer, BUFFER, 0, stream, read_bytes, NULL,
                                        stream->seekable ? seek_bytes : NULL);
    if (stream->io) return CH_OK;
    av_free(buffer);
    chi_stream_close(stream);
    return chi_no_memory(context, "reading a video", BUFFER, 1);
}

void chi_stream_close(chi_stream *stream) {
    if (stream->io) av_freep(&stream->io->buffer);
    avio_context_free(&stream->io);
    if (stream->owned) close(stream->fd);
    stream->owned = 0;
}
