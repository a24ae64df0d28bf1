/* Writes text to a file: collected into blocks, compressed by gzip if the name says so. The same
 * text gives the same bytes: no time stamp, no name inside. */
#include "io/file/format.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <zlib.h>

enum { BLOCK = 1 << 17, GZIP_WINDOW = 15 + 16 /* + 16: gzip framing */ };

static void *take_for_zlib(void *context, unsigned items, unsigned size) {
    return chi_alloc(context, items, size);
}

static void free_for_zlib(void *context, void *block) {
    chi_free(context, block);
}

static ch_status start_deflater(chi_sink *sink) {
    z_stream *stream = chi_alloc_zero(sink->context, 1, sizeof *stream);
    if (!stream) return chi_no_memory(sink->context, "a compressor", 1, sizeof *stream);
    *stream = (z_stream){.zalloc = take_for_zlib, .zfree = free_for_zlib, .opaque = sink->context};
    if (deflateInit2(stream, 6, Z_DEFLATED, GZIP_WINDOW, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
        chi_free(sink->context, stream);
        return chi_no_memory(sink->context, "a compressor", 1, 1 << 18);
    }
    sink->deflater = stream;
    return CH_OK;
}

static ch_status compress_block(chi_sink *sink, int finish) {
    z_stream *stream = sink->deflater;
    unsigned char packed[1 << 14];
    int code;
    stream->next_in = (unsigned char *)sink->buffer;
    stream->avail_in = (unsigned)sink->filled;
    do {
        stream->next_out = packed;
        stream->avail_out = sizeof packed;
        code = deflate(stream, finish ? Z_FINISH : Z_NO_FLUSH);
        TRY(ch_output_file_write(sink->output, packed, sizeof packed - stream->avail_out));
    } while (stream->avail_out == 0 && code != Z_STREAM_END);
    return CH_OK;
}

static ch_status empty_buffer(chi_sink *sink, int finish) {
    ch_status status = sink->deflater
                           ? compress_block(sink, finish)
                           : ch_output_file_write(sink->output, sink->buffer, sink->filled);
    sink->filled = 0;
    return status;
}

ch_status chi_sink_open(ch_context *context, chi_sink *sink, const char *path) {
    *sink = (chi_sink){.context = context};
    TRY(ch_output_file_open(context, &sink->output, path));
    ch_status status = CH_OK;
    sink->buffer = chi_take(context, path, "a text buffer", BLOCK, 1);
    if (!sink->buffer) status = CH_ERR_MEMORY;
    if (status == CH_OK && chi_has_suffix(path, ".gz")) status = start_deflater(sink);
    return status == CH_OK ? CH_OK : chi_sink_close(sink, status);
}

ch_status chi_sink_text(chi_sink *sink, const char *text, size_t count) {
    while (count) {
        size_t part = BLOCK - sink->filled < count ? BLOCK - sink->filled : count;
        memcpy(sink->buffer + sink->filled, text, part);
        sink->filled += part;
        text += part;
        count -= part;
        if (sink->filled == BLOCK) TRY(empty_buffer(sink, 0));
    }
    return CH_OK;
}

ch_status chi_sink_print(chi_sink *sink, const char *format, ...) {
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (length < 0 || (size_t)length >= sizeof text)
        return chi_fail(sink->context, CH_ERR_ARGUMENT,
                        "a piece of text is too long to be written");
    return chi_sink_text(sink, text, (size_t)length);
}

ch_status chi_sink_number(chi_sink *sink, double value, char after) {
    char text[CHI_NUMBER_MAX + 1];
    int length = chi_number_format(text, value);
    text[length] = after;
    return chi_sink_text(sink, text, (size_t)length + 1);
}

ch_status chi_sink_close(chi_sink *sink, ch_status status) {
    if (status == CH_OK) status = empty_buffer(sink, 1);
    if (sink->deflater) {
        deflateEnd(sink->deflater);
        chi_free(sink->context, sink->deflater);
    }
    chi_free(sink->context, sink->buffer);
    return chi_output_close(sink->output, status);
}
