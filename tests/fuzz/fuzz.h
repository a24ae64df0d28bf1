/* What the fuzz targets share. A target is a function that takes any bytes and comes back; it
 * aborts, after words on stderr, where something does not hold. CMakeLists.txt lists them; each is
 * one libFuzzer program (libfuzzer_entry.c) and one word of replay.c, which needs no clang.
 *
 *     make fuzz                       every target for FUZZ_SECONDS, and a table of what was
 * reached build/tests/replay npy FILE...  the same function on files that are there */
#pragma once

#include <conehull/context.h>

typedef int fuzz_target(const uint8_t *bytes, size_t count);

/* A context whose memory is counted. A single request beyond FUZZ_BLOCK is refused, as a small
 * machine would. One beyond FUZZ_BLOCK and FUZZ_PER_BYTE for each byte of the input is out of
 * proportion and aborts: 1032 bytes come from one by deflate, and take up to 16 times as many as
 * numbers and their places. */
enum { FUZZ_BLOCK = 1 << 26, FUZZ_PER_BYTE = 16 * 1032 };

typedef struct fuzz_run {
    ch_context *context;
    int64_t live;
    size_t most; /* bytes of one request */
} fuzz_run;

/* count: bytes of the input. */
void fuzz_begin(fuzz_run *run, size_t count);
/* A failed call has said why, and all memory came back. */
void fuzz_end(fuzz_run *run, ch_status status);

/* No file, group, set, attribute, type, space or property list of HDF5 is open that was not at the
 * mark, and of all but the last two none at all. */
void fuzz_handles_mark(void);
void fuzz_handles_closed(void);

/* A folder, in memory where the system has one. */
const char *fuzz_folder(void);
/* A name of this process in it, ending as given; the last 8 stay valid. */
const char *fuzz_path(const char *ending);
void fuzz_write(const char *path, const uint8_t *bytes, size_t count);

/* Bytes that are taken one after another; zeros when they are used up. */
typedef struct fuzz_bytes {
    const uint8_t *next;
    size_t left;
} fuzz_bytes;

unsigned fuzz_byte(fuzz_bytes *bytes);
/* 0 .. count - 1 */
int64_t fuzz_below(fuzz_bytes *bytes, int64_t count);
/* A limit on memory near what small matrices take, so that some go through a scratch file. */
int64_t fuzz_limit(fuzz_bytes *bytes);
/* A stretch: its length comes first, two bytes, cut to what there is. */
const uint8_t *fuzz_stretch(fuzz_bytes *bytes, size_t *count);

#define fuzz_require(condition, ...)                                              \
    do {                                                                          \
        if (!(condition)) fuzz_fail(__FILE__, __LINE__, #condition, __VA_ARGS__); \
    } while (0)
void fuzz_fail(const char *file, int line, const char *condition, const char *format, ...)
    __attribute__((format(printf, 4, 5), noreturn));
