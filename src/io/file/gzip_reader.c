/* Reads the bytes of a file, compressed by gzip or not; the first two bytes decide.
 *
 * It reads like gzread() of zlib: members of an archive one after the other; anything after the
 * last one that is not a member is ignored. Unlike gzread(), no read blocks: chi_wait_readable()
 * waits for a silent pipe and calls the progress callback. */
#include "io/file/format.h"
#include <errno.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

enum { BLOCK = 1 << 16, MARK = 2, WINDOW_GZIP = 15 + 16 };

struct chi_gz {
    ch_context *context;
    int fd, waits;
    int begun, packed, ended; /* the kind is known; gzip; the file has ended */
    int inside;               /* inside a member of an archive               */
    int members;
    int cancelled, broken; /* by the progress callback; errno of a read                       */
    int fault;             /* Z_MEM_ERROR, Z_DATA_ERROR, Z_BUF_ERROR, or 0                    */
    int64_t offset;        /* file offset of the bytes read so far                            */
    z_stream stream;       /* next_in and avail_in are the buffered bytes, also of plain text */
    unsigned char held[BLOCK];
};

ch_status chi_gz_open(ch_context *context, chi_gz **file, int64_t *size, const char *path) {
    int fd;
    TRY(chi_open_source(context, &fd, size, path));
    chi_gz *made = chi_alloc(context, 1, sizeof *made);
    if (made) {
        memset(made, 0, offsetof(chi_gz, held));
        made->stream.next_in = made->held;
        if (inflateInit2(&made->stream, WINDOW_GZIP) == Z_OK) {
            made->context = context;
            made->fd = fd;
            made->waits = *size < 0;
            *file = made;
            return CH_OK;
        }
    }
    chi_free(context, made);
    close(fd);
    return chi_no_memory(context, "a decompressor", 1, 1 << 16);
}

void chi_gz_close(chi_gz *file) {
    if (!file) return;
    inflateEnd(&file->stream);
    close(file->fd);
    chi_free(file->context, file);
}

int chi_gz_packed(const chi_gz *file) {
    return file->packed;
}

int64_t chi_gz_offset(const chi_gz *file) {
    return file->offset - file->stream.avail_in;
}

/* Appends more bytes to the buffer; returns 0 on failure. */
static int fill(chi_gz *file) {
    z_stream *stream = &file->stream;
    memmove(file->held, stream->next_in, stream->avail_in);
    stream->next_in = file->held;
    for (;;) {
        if (file->waits && chi_wait_readable(file->context, file->fd, file->offset) != CH_OK) {
            file->cancelled = 1;
            return 0;
        }
        ssize_t got = read(file->fd, file->held + stream->avail_in, BLOCK - stream->avail_in);
        if (got < 0 && (errno == EINTR || (file->waits && errno == EAGAIN))) continue;
        if (got < 0) {
            file->broken = errno;
            return 0;
        }
        file->ended = got == 0;
        file->offset += got;
        stream->avail_in += (unsigned)got;
        return 1;
    }
}

/* Makes sure that at least two bytes are buffered, or all there are. */
static int hold_mark(chi_gz *file) {
    while (file->stream.avail_in < MARK && !file->ended)
        if (!fill(file)) return 0;
    return 1;
}

static int at_member(const chi_gz *file) {
    const unsigned char *next = file->stream.next_in;
    return file->stream.avail_in >= MARK && next[0] == 0x1f && next[1] == 0x8b;
}

static int copy_plain(chi_gz *file, unsigned char *bytes, int count) {
    z_stream *stream = &file->stream;
    if (stream->avail_in == 0 && !file->ended && !fill(file)) return -1;
    int most = stream->avail_in < (unsigned)count ? (int)stream->avail_in : count;
    memcpy(bytes, stream->next_in, (size_t)most);
    stream->next_in += most;
    stream->avail_in -= (unsigned)most;
    return most;
}

/* Begins the next member; returns 0 if there is none, -1 on failure. */
static int begin_member(chi_gz *file) {
    if (!hold_mark(file)) return -1;
    if (!at_member(file)) return 0;
    if (file->members++ > 0) inflateReset(&file->stream);
    file->inside = 1;
    return 1;
}

static int unpack(chi_gz *file, unsigned char *bytes, int count) {
    z_stream *stream = &file->stream;
    stream->next_out = bytes;
    stream->avail_out = (unsigned)count;
    while (stream->avail_out == (unsigned)count) {
        int begun = file->inside ? 1 : begin_member(file);
        if (begun <= 0) return begun;
        if (stream->avail_in == 0 && !file->ended && !fill(file)) return -1;
        int code = inflate(stream, Z_NO_FLUSH);
        if (code == Z_STREAM_END)
            file->inside = 0;
        else if (code == Z_BUF_ERROR && stream->avail_in == 0 && file->ended)
            file->fault = Z_BUF_ERROR; /* the file ends inside the member */
        else if (code != Z_OK && code != Z_BUF_ERROR)
            file->fault = code;
        if (file->fault) return -1;
    }
    return count - (int)stream->avail_out;
}

int chi_gz_read(chi_gz *file, void *bytes, int64_t count) {
    int wanted = count < INT_MAX ? (int)count : INT_MAX, done = 0;
    if (!file->begun) {
        if (!hold_mark(file)) return -1;
        file->packed = at_member(file);
        file->begun = 1;
    }
    while (done < wanted) {
        int got = file->packed ? unpack(file, (unsigned char *)bytes + done, wanted - done)
                               : copy_plain(file, (unsigned char *)bytes + done, wanted - done);
        if (got < 0) return done > 0 && file->fault ? done : -1;
        if (got == 0) break;
        done += got;
    }
    return done;
}

ch_status chi_gz_fail(const chi_gz *file, const char *path, const char *unit, int64_t number) {
    if (file->cancelled) return CH_STOP_CANCELLED;
    errno = file->broken;
    if (file->broken) return chi_fail_system(file->context, path, "cannot read");
    if (file->fault == Z_MEM_ERROR)
        return chi_no_memory(file->context, "a decompressor", 1, 1 << 16);
    const char *reason = file->fault == Z_BUF_ERROR ? "unexpected end of file" : file->stream.msg;
    return chi_fail(file->context, CH_ERR_FORMAT,
                    "%s: the compressed data are truncated or damaged after %s %lld (%s)", path,
                    unit, (long long)number, reason ? reason : "no reason given");
}
