#include "support_clip.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void support_need_video(void) {
    if (!ch_video_library()) skip();
}

uint8_t support_clip_value(int64_t f, int64_t x, int64_t y, int c) {
    uint64_t h = (uint64_t)f * 0x9e3779b97f4a7c15u ^ (uint64_t)x * 0xc2b2ae3d27d4eb4fu ^
                 (uint64_t)y * 0x165667b19e3779f9u ^ (uint64_t)c * 0x27d4eb2f165667c5u;
    h = (h ^ h >> 31) * 0xd6e8feb86659fd93u;
    return (uint8_t)(h >> 40);
}

void support_clip_paint(uint8_t *pixels, int64_t f, int64_t width, int64_t height, int channels) {
    for (int64_t y = 0; y < height; y++)
        for (int64_t x = 0; x < width; x++)
            for (int c = 0; c < channels; c++) *pixels++ = support_clip_value(f, x, y, c);
}

const char *support_clip_write(ch_context *context, const char *name, int64_t frames, int64_t width,
                               int64_t height, int channels, const double *times) {
    const char *path = support_path("%s", name);
    ch_video_writer *writer;
    uint8_t *pixels = malloc((size_t)(width * height * channels));
    ch_status status = ch_video_writer_open(
        context, &writer, path,
        &(ch_video_format){.width = width,
                           .height = height,
                           .pixels = channels == 3 ? CH_PIXELS_RGB24 : CH_PIXELS_GRAY8,
                           .rate = 10},
        NULL);
    support_check(status == CH_OK, "%s", ch_context_message(context));
    for (int64_t f = 0; f < frames; f++) {
        support_clip_paint(pixels, f, width, height, channels);
        status = ch_video_writer_add(writer, pixels, times ? times[f] : (double)f / 10);
        support_check(status == CH_OK, "%s", ch_context_message(context));
    }
    status = ch_video_writer_commit(writer);
    support_check(status == CH_OK, "%s", ch_context_message(context));
    free(pixels);
    return path;
}

void support_log_keep(ch_log_level level, const char *message, void *user) {
    support_log *log = user;
    size_t used = strlen(log->text);
    snprintf(log->text + used, sizeof log->text - used, "%d %s\n", level, message);
}

int support_run(const char *format, ...) {
    char command[4096];
    va_list arguments;
    int used = snprintf(command, sizeof command, "cd '%s' && ", support_path("%s", ""));
    va_start(arguments, format);
    vsnprintf(command + used, sizeof command - (size_t)used, format, arguments);
    va_end(arguments);
    return system(command);
}
