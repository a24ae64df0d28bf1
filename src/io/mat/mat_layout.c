/* Does a MATLAB file hold all it announces? matio fills what is missing with whatever it finds, and
 * takes as much memory as a length in a head asks for, so everything is followed here first, from
 * element to element, to the end of the file.
 *
 * Version 5, 7: 128 bytes; then elements: type (4 bytes), length (4 bytes), contents, filled up to
 * 8 bytes; up to 4 bytes of contents may stand in the tag itself. Those of a variable are such
 * elements again: flags, sizes, name, and values, or the parts of a cell array or structure, which
 * are variables. A variable may be compressed: its elements are then those of what it unpacks to,
 * and the checksum at its end, which matio does not look at, has to fit. A variable is itself a
 * multiple of 8 bytes long: from any other length matio would go on elsewhere than we.
 *
 * Version 4: type "MOPT", rows, columns, imaginary part, length of the name (4 bytes each), name,
 * values.
 *
 * Version 7.3 is HDF5 (mat73.c), which looks at its own length. Compressed variables are unpacked
 * twice for this, here and by matio. Reference: MathWorks, "MAT-File Format". */
#include "io/file/format.h"
#include <errno.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

enum { HEADER = 128, TAG = 8, OLD_HEADER = 20, HDF5_BEGIN = 512, PACKED = 4096 };
enum { DIMS_MAX = 32, NAME_MAX_BYTES = 4096, DEPTH_MAX = 32 };
enum { INT32 = 5, UINT32 = 6, MATRIX = 14, COMPRESSED = 15 }; /* types of elements */
enum { CELL = 1, STRUCTURE, OBJECT, SPARSE = 5, DOUBLE, UINT64 = 15, FUNCTION, OPAQUE_CLASS };

static const char broken[] = "not a MATLAB file, or a truncated one";
static const char changed[] = "compressed values were damaged: they do not fit their checksum";
static const char too_few[] = "a matrix does not hold as many values as its sizes say";
static const char too_deep[] = "cells or structures are nested more than 32 deep";

/* Bytes in order: of the file, or of what a part of it unpacks to. */
typedef struct source {
    int fd;
    int64_t at, end; /* of the file, or of its packed part */
    int swap, packed;
    z_stream stream;
    unsigned char in[PACKED];
    const char *fault; /* what is wrong, where it is not plainly `broken` */
} source;

/* Reads may be short and may be interrupted; less than count: the end, or a fault. */
static ssize_t read_at(int fd, void *bytes, size_t count, int64_t at) {
    size_t done = 0;
    while (done < count) {
        ssize_t got = pread(fd, (char *)bytes + done, count - done, (off_t)(at + (int64_t)done));
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) break;
        done += (size_t)got;
    }
    return (ssize_t)done;
}

/* The next ones of a packed part; 0 at its end, as at a fault. */
static size_t unpack(source *s, void *bytes, size_t count) {
    s->stream.next_out = bytes;
    s->stream.avail_out = (uInt)count;
    while (s->stream.avail_out > 0) {
        if (s->stream.avail_in == 0) {
            size_t want = s->end - s->at < PACKED ? (size_t)(s->end - s->at) : PACKED;
            ssize_t got = read_at(s->fd, s->in, want, s->at);
            if (got <= 0) break;
            s->at += got;
            s->stream.next_in = s->in;
            s->stream.avail_in = (uInt)got;
        }
        int code = inflate(&s->stream, Z_NO_FLUSH);
        if (code == Z_DATA_ERROR) s->fault = changed;
        if (code != Z_OK) break;
    }
    return count - s->stream.avail_out;
}

static int take(source *s, void *bytes, size_t count) {
    if (s->packed) return unpack(s, bytes, count) == count;
    if ((int64_t)count > s->end - s->at) return 0;
    ssize_t got = read_at(s->fd, bytes, count, s->at);
    s->at += (int64_t)count;
    return got == (ssize_t)count;
}

static int take_words(source *s, uint32_t *words, int count) {
    if (!take(s, words, 4 * (size_t)count)) return 0;
    for (int w = 0; w < count; w++)
        if (s->swap) words[w] = __builtin_bswap32(words[w]);
    return 1;
}

static int pass_over(source *s, int64_t count) {
    unsigned char bytes[PACKED];
    if (!s->packed) {
        s->at += count;
        return s->at <= s->end;
    }
    for (int64_t some; count > 0; count -= some) {
        some = count < PACKED ? count : PACKED;
        if (!take(s, bytes, (size_t)some)) return 0;
    }
    return 1;
}

/* ---- version 5: the elements of a variable ---- */

typedef struct element {
    uint32_t type;
    int64_t size;   /* bytes of contents                                       */
    int64_t behind; /* of them, with what fills them up, that follow the tag   */
    uint32_t word;  /* contents that stand in the tag                          */
} element;

/* The tag of the next one; what it announces is taken from *left, the bytes of its variable. */
static int next_element(source *s, element *e, int64_t *left) {
    uint32_t words[2];
    if (*left < TAG || !take_words(s, words, 2)) return 0;
    *left -= TAG;
    if (words[0] >> 16) {
        *e = (element){words[0] & 0xffff, words[0] >> 16, 0, words[1]};
        return e->size <= 4;
    }
    *e = (element){words[0], words[1], ((int64_t)words[1] + 7) / 8 * 8, 0};
    if (e->size > *left) return 0;
    if (e->behind > *left) e->behind = *left; /* the last one needs no filling */
    *left -= e->behind;
    return 1;
}

static int pass_elements(source *s, int64_t left) {
    element e;
    while (left > 0)
        if (!next_element(s, &e, &left) || !pass_over(s, e.behind)) return 0;
    return 1;
}

/* The sizes: *count is their product, *columns the second one. */
static int take_sizes(source *s, int64_t *count, int64_t *columns, int64_t *left) {
    element e;
    uint32_t sizes[DIMS_MAX + 1]; /* and what fills them up */
    if (!next_element(s, &e, left) || e.type != INT32 || e.size % 4 || e.size < 8 ||
        e.size > 4 * DIMS_MAX || e.behind < e.size || !take_words(s, sizes, (int)(e.behind / 4)))
        return 0;
    *count = 1;
    *columns = sizes[1];
    for (int64_t d = 0; d < e.size / 4; d++)
        if (sizes[d] > INT32_MAX || __builtin_mul_overflow(*count, (int64_t)sizes[d], count))
            return 0;
    return 1;
}

/* Bytes of a value that is stored as the type says; 0: there are none of this type. */
static int64_t value_size(uint32_t type) {
    static const int bytes[] = {[1] = 1, 1, 2, 2, 4, 4, 4, [9] = 8, [12] = 8, 8};
    return type < sizeof bytes / sizeof *bytes ? bytes[type] : 0;
}

/* Values of the real part: as many as the sizes say. What follows is the imaginary part. */
static int values_complete(source *s, int64_t count, int64_t left) {
    element e;
    int64_t need;
    if (count == 0) return pass_elements(s, left);
    if (!next_element(s, &e, &left) || value_size(e.type) == 0) return 0;
    if (__builtin_mul_overflow(count, value_size(e.type), &need) || need != e.size) {
        s->fault = too_few; /* also what Octave writes for a sparse matrix of truth values */
        return 0;
    }
    return pass_over(s, e.behind) && pass_elements(s, left);
}

/* Rows of the entries, where each column begins, values. */
static int entries_complete(source *s, int64_t columns, int64_t left) {
    element rows, starts, values;
    if (!next_element(s, &rows, &left) || (rows.type != INT32 && rows.type != UINT32) ||
        rows.size % 4 || !pass_over(s, rows.behind) || !next_element(s, &starts, &left) ||
        (starts.type != INT32 && starts.type != UINT32))
        return 0;
    if (starts.size != 4 * (columns + 1)) {
        s->fault = too_few;
        return 0;
    }
    return pass_over(s, starts.behind) && next_element(s, &values, &left) &&
           value_size(values.type) > 0 && values.size % value_size(values.type) == 0 &&
           pass_over(s, values.behind) && pass_elements(s, left);
}

static int variable_complete(source *s, int64_t left, int depth);

/* `count` variables, the parts of another. */
static int parts_complete(source *s, int64_t count, int64_t left, int depth) {
    element e;
    if (depth == DEPTH_MAX) s->fault = too_deep;
    if (depth == DEPTH_MAX || count > left / TAG) return 0;
    for (; count > 0; count--) {
        if (!next_element(s, &e, &left) || e.type != MATRIX || e.behind < e.size) return 0;
        if (e.size > 0 && !variable_complete(s, e.size, depth + 1)) return 0; /* 0: empty */
        if (!pass_over(s, e.behind - e.size)) return 0;
    }
    return pass_elements(s, left);
}

/* A structure of `count` entries: the room for a name of a field, the names, and the fields. */
static int fields_complete(source *s, int64_t count, int64_t left, int depth) {
    element room, names;
    int64_t fields;
    if (!next_element(s, &room, &left) || room.type != INT32 || room.size != 4) return 0;
    if (room.behind && (!take_words(s, &room.word, 1) || !pass_over(s, room.behind - 4))) return 0;
    if (room.word < 1 || room.word > NAME_MAX_BYTES || !next_element(s, &names, &left) ||
        !pass_over(s, names.behind))
        return 0;
    if (__builtin_mul_overflow(names.size / room.word, count, &fields)) return 0;
    return parts_complete(s, fields, left, depth);
}

/* A variable of `left` bytes. */
static int variable_complete(source *s, int64_t left, int depth) {
    uint32_t flags[2];
    element e;
    int64_t count = 0, columns = 0;
    if (!next_element(s, &e, &left) || e.type != UINT32 || e.behind != 8 || e.size != 8 ||
        !take_words(s, flags, 2))
        return 0;
    int class_type = flags[0] & 255;
    if (class_type != OPAQUE_CLASS && !take_sizes(s, &count, &columns, &left)) return 0;
    if (!next_element(s, &e, &left) || e.size > NAME_MAX_BYTES || !pass_over(s, e.behind)) return 0;
    if (class_type == OPAQUE_CLASS) return pass_over(s, left);
    if (class_type == CELL) return parts_complete(s, count, left, depth);
    if (class_type == FUNCTION) return parts_complete(s, 1, left, depth);
    if (class_type == OBJECT && (!next_element(s, &e, &left) || !pass_over(s, e.behind))) return 0;
    if (class_type == OBJECT || class_type == STRUCTURE)
        return fields_complete(s, count, left, depth);
    if (class_type >= DOUBLE && class_type <= UINT64) return values_complete(s, count, left);
    if (class_type == SPARSE) return entries_complete(s, columns, left);
    return depth == 0 || pass_over(s, left); /* text; Octave can be wrong about its length */
}

/* A variable in the packed bytes from `at` to `end`, up to the checksum. */
static int packed_complete(source *file, int64_t at, int64_t end) {
    source s = {.fd = file->fd, .at = at, .end = end, .swap = file->swap, .packed = 1};
    unsigned char rest[PACKED];
    element e;
    int64_t left = INT64_MAX;
    if (inflateInit(&s.stream) != Z_OK) return 0;
    int complete = next_element(&s, &e, &left) && e.type == MATRIX && e.behind >= e.size &&
                   variable_complete(&s, e.size, 0);
    while (complete && unpack(&s, rest, sizeof rest) > 0) {
    }
    complete = complete && inflate(&s.stream, Z_FINISH) == Z_STREAM_END;
    inflateEnd(&s.stream);
    file->fault = s.fault;
    return complete;
}

static int elements_complete(source *s) {
    uint32_t tag[2];
    while (s->at < s->end) {
        if (!take_words(s, tag, 2)) return 0;
        int64_t next = s->at + (int64_t)tag[1];
        if (next > s->end) return 0;
        if (tag[0] == COMPRESSED && !packed_complete(s, s->at, next)) return 0;
        if (tag[0] == MATRIX && !variable_complete(s, tag[1], 0)) return 0;
        if (tag[0] != COMPRESSED && tag[1] % 8 && next != s->end) return 0;
        s->at = next;
    }
    return 1;
}

/* ---- version 4 ---- */

/* Bytes of one value, from the decimal digit P of the type. */
static int64_t old_value_size(uint32_t type) {
    static const int sizes[] = {8, 4, 4, 2, 2, 1};
    uint32_t digit = type / 10 % 10;
    return digit < 6 ? sizes[digit] : -1;
}

static int old_complete(source *s) {
    int64_t count, bytes;
    uint32_t head[5];
    while (s->at < s->end) {
        if (!take_words(s, head, 5)) return 0;
        int64_t size = old_value_size(head[0]) * (head[3] ? 2 : 1);
        if (size < 0 || __builtin_mul_overflow((int64_t)head[1], (int64_t)head[2], &count) ||
            __builtin_mul_overflow(count, size, &bytes) || bytes > s->end ||
            head[4] > NAME_MAX_BYTES || !pass_over(s, (int64_t)head[4] + bytes))
            return 0;
    }
    return 1;
}

const char *chi_mat_fault(int *is_hdf5, int fd, int64_t size) {
    static const unsigned char hdf5[8] = "\x89HDF\r\n\x1a\n";
    unsigned char head[HEADER], begin[sizeof hdf5];
    source s = {.fd = fd, .end = size, .fault = NULL};
    int complete, little = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
    ssize_t got = read_at(fd, head, sizeof head, 0);
    *is_hdf5 = 0;
    if (got == HEADER && (!memcmp(head + 126, "IM", 2) || !memcmp(head + 126, "MI", 2))) {
        int version = head[126] == 'I' ? head[125] << 8 | head[124] : head[124] << 8 | head[125];
        s.swap = (head[126] == 'M') == little;
        s.at = HEADER;
        *is_hdf5 = version == 0x200;
        complete = *is_hdf5 ? read_at(fd, begin, sizeof begin, HDF5_BEGIN) == sizeof begin &&
                                  !memcmp(begin, hdf5, sizeof hdf5)
                            : version == 0x100 && elements_complete(&s);
    } else if (got >= OLD_HEADER && (head[0] == 0 || head[3] == 0)) {
        uint32_t type; /* at most 4052 on either side, so the other order is far larger */
        memcpy(&type, head, 4);
        s.swap = type > 9999;
        complete = old_complete(&s);
    } else {
        complete = 0;
    }
    return complete ? NULL : s.fault ? s.fault : broken;
}
