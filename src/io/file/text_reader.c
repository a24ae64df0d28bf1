/* Lines of a text file, compressed by gzip or not, in UTF-8, or in UTF-16 with a byte order mark,
 * through one buffer that grows to the longest line. Compressed text longer than the first buffer
 * is decompressed by another thread, if the context has more than one. */
#include "io/file/format.h"
#include <string.h>

enum { FIRST_CAPACITY = 1 << 20, NOTIFY_EVERY = 1 << 22 };

ch_status chi_text_open(ch_context *context, chi_text *text, const char *path) {
    *text = (chi_text){.context = context, .path = path, .capacity = FIRST_CAPACITY};
    TRY(chi_gz_open(context, &text->file, &text->size, path));
    text->buffer = chi_take(context, path, "a line buffer", text->capacity, 1);
    if (text->buffer) return CH_OK;
    chi_text_close(text);
    return CH_ERR_MEMORY;
}

void chi_text_close(chi_text *text) {
    chi_ahead_stop(text->ahead);
    chi_gz_close(text->file);
    chi_free(text->context, text->buffer);
    text->ahead = NULL;
    text->file = NULL;
    text->buffer = NULL;
}

static ch_status reserve(chi_text *text) {
    int64_t held = text->end - text->begin;
    memmove(text->buffer, text->buffer + text->begin, (size_t)held);
    text->begin = 0;
    text->end = held;
    if (held <= text->capacity / 2) return CH_OK;
    return chi_array_double(text->context, &text->buffer, &text->capacity, held, 1, text->path,
                            "a line");
}

static int64_t offset_of(const chi_text *text) {
    return text->ahead ? chi_ahead_offset(text->ahead) : chi_gz_offset(text->file);
}

/* As chi_gz_read(). */
static int read_bytes(chi_text *text, char *bytes, int64_t count) {
    if (text->ahead) return chi_ahead_read(text->ahead, bytes, count);
    int got = chi_gz_read(text->file, bytes, count);
    text->packed = chi_gz_packed(text->file);
    if (got == count && text->packed && text->size >= 0 && ch_context_threads(text->context) > 1)
        text->ahead = chi_ahead_start(text->context, text->file);
    return got;
}

/* As chi_gz_read(), but UTF-16 becomes UTF-8 at the same place: what was read moves to the end of
 * the space and is converted from there. *ended is set if the file has ended. */
static int64_t read_text(chi_text *text, char *to, int64_t space, int *ended) {
    int may_be_utf16 = text->utf16 || text->passed == 0;
    int64_t wanted = may_be_utf16 ? (space - 8) * 2 / 3 : space, held = text->held;
    memcpy(to, text->holds, (size_t)held);
    int got = read_bytes(text, to + held, wanted - held);
    if (got < 0) return -1;
    *ended = got == 0;
    int64_t count = held + got, big = text->passed == 0 ? chi_utf16_big(to, count) : -1;
    if (big >= 0) {
        text->utf16 = 1;
        text->big_endian = big > 0;
    }
    if (!text->utf16) return count;
    char *from = to + space - count;
    memmove(from, to, (size_t)count);
    int64_t used = count, length = chi_utf16_convert(to, from, &used, text->big_endian, *ended);
    text->held = (int)(count - used);
    memcpy(text->holds, from + used, (size_t)text->held);
    return length;
}

/* One byte of the buffer stays free for the zero that ends a last line without line feed. */
static ch_status refill(chi_text *text) {
    TRY(reserve(text));
    int64_t got =
        read_text(text, text->buffer + text->end, text->capacity - text->end - 1, &text->finished);
    if (got < 0) return chi_gz_fail(text->file, text->path, "line", text->number);
    text->end += got;
    text->passed += got;
    int64_t offset = offset_of(text);
    if (offset - text->notified < NOTIFY_EVERY) return CH_OK;
    text->notified = offset;
    return chi_notify(text->context, "read", offset, text->size > 0 ? text->size : 0, -1, 0)
               ? CH_STOP_CANCELLED
               : CH_OK;
}

ch_status chi_text_line(chi_text *text, char **line, char **end) {
    char *feed = NULL;
    int64_t searched = 0;
    for (;;) {
        char *from = text->buffer + text->begin;
        int64_t held = text->end - text->begin;
        feed = memchr(from + searched, '\n', (size_t)(held - searched));
        if (feed || text->finished) break;
        searched = held;
        TRY_OK(refill(text));
    }
    if (text->number == 0 && text->end - text->begin >= 3 &&
        !memcmp(text->buffer + text->begin, "\xef\xbb\xbf", 3))
        text->begin += 3; /* UTF-8 byte order mark, as spreadsheets write it */
    if (!feed && text->begin == text->end) {
        *line = *end = NULL;
        return CH_OK;
    }
    if (!feed) feed = text->buffer + text->end;
    *line = text->buffer + text->begin;
    text->begin = feed - text->buffer + (feed < text->buffer + text->end);
    text->number++;
    if (feed > *line && feed[-1] == '\r') feed--;
    *feed = '\0';
    *end = feed;
    return CH_OK;
}

ch_status chi_text_fail(const chi_text *text, const char *what, const char *from) {
    char shown[41];
    size_t length = 0;
    for (; length < sizeof shown - 1 && from[length]; length++)
        shown[length] = (unsigned char)from[length] < ' ' ? '?' : from[length];
    shown[length] = '\0';
    if (!length)
        return chi_fail(text->context, CH_ERR_FORMAT, "%s: line %lld: %s", text->path,
                        (long long)text->number, what);
    return chi_fail(text->context, CH_ERR_FORMAT, "%s: line %lld: %s: \"%s%s\"", text->path,
                    (long long)text->number, what, shown, from[length] ? "..." : "");
}
