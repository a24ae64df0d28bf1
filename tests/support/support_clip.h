/* Clips for tests: pictures that can be computed again, written by our own writer. */
#pragma once

#include "support_files.h"
#include <conehull/clip.h>

/* The test is skipped in builds without video. */
void support_need_video(void);

/* The value of channel c of pixel (x, y) in frame f: without order, the same every time. */
uint8_t support_clip_value(int64_t f, int64_t x, int64_t y, int c);
/* Those of a whole picture, channels 1 or 3. */
void support_clip_paint(uint8_t *pixels, int64_t f, int64_t width, int64_t height, int channels);

/* Writes frames 0..frames-1 to a file of the test's folder; channels 1 or 3; times NULL: 10 a
 * second. Returns its path. */
const char *support_clip_write(ch_context *context, const char *name, int64_t frames, int64_t width,
                               int64_t height, int channels, const double *times);

/* A log that keeps what it hears, in lines. */
typedef struct support_log {
    char text[4096];
} support_log;
void support_log_keep(ch_log_level level, const char *message, void *log);

/* Runs a command of the system in the test's folder; 0 when it did well. */
int support_run(const char *format, ...) __attribute__((format(printf, 1, 2)));
