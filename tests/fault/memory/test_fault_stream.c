/* Streams of columns and of frames, and what is made from results: pictures and texts, with their
 * k-th allocation failing, for every k. */
#include "support_faults.h"
#include <conehull/clip.h>
#include <conehull/conehull.h>
#include <conehull/io.h>
#include <conehull/live.h>
#include <conehull/stream.h>
#include <conehull/text.h>
#include <conehull/video.h>
#include <stdlib.h>
#include <unistd.h>

RELEASE(ch_anchors_result)

static void stream_settings(ch_anchors_settings *anchors, ch_stream_settings *settings) {
    ch_anchors_defaults(anchors);
    ch_stream_defaults(settings);
    anchors->rank = 3;
    settings->store = 6;
}

/* A store that is soon full, so that it is reduced and thinned. */
static ch_status call_stream(ch_context *context, void *output, const void *with) {
    ch_anchors_settings anchors;
    ch_stream_settings settings;
    ch_stream *stream = NULL;
    double bound;
    (void)with;
    stream_settings(&anchors, &settings);
    ch_status status = ch_stream_create(context, &stream, ROWS, &anchors, &settings);
    ch_matrix few = given.dense;
    few.cols = 9;
    if (status == CH_OK) status = ch_stream_push(stream, &few);
    if (status == CH_OK) status = ch_stream_anchors(stream, output, &bound);
    ch_stream_destroy(stream);
    return status;
}

/* Saved and taken up again. */
static ch_status call_stream_saved(ch_context *context, void *output, const void *with) {
    ch_anchors_settings anchors;
    ch_stream_settings settings;
    ch_checkpoint_file *file = NULL;
    ch_stream *stream = NULL, *again = NULL;
    const char *path = support_path("stream.checkpoint");
    (void)output, (void)with;
    stream_settings(&anchors, &settings);
    ch_status status = ch_stream_create(context, &stream, ROWS, &anchors, &settings);
    ch_matrix few = given.bytes;
    few.cols = 5;
    if (status == CH_OK) status = ch_stream_push(stream, &few);
    if (status == CH_OK) status = ch_checkpoint_file_open(context, &file, path, 0);
    if (status == CH_OK) status = ch_stream_save(stream, ch_checkpoint_file_interface(file));
    if (status == CH_OK) status = ch_stream_save(stream, ch_checkpoint_file_interface(file));
    ch_checkpoint_file_close(file, 0);
    file = NULL;
    if (status == CH_OK) status = ch_checkpoint_file_open(context, &file, path, 1);
    if (status == CH_OK)
        status = ch_stream_restore(context, &again, &anchors, ch_checkpoint_file_interface(file));
    ch_checkpoint_file_close(file, 1);
    ch_stream_destroy(stream);
    ch_stream_destroy(again);
    unlink(path);
    return status;
}

/* Created, and shown frames until there is a background. That of a new light is learned on a thread
 * of its own, and its failure is no error of a call: tests/unit/video/test_live.c has it. */
static ch_status call_live(ch_context *context, void *output, const void *with) {
    enum { SIDE = 8, AREA = SIDE * SIDE, WARM = 20 };
    ch_live_settings set;
    ch_live *live = NULL;
    ch_live_result now = {.size = sizeof now};
    uint8_t frame[AREA] = {0}, pixels[AREA];
    const uint8_t *planes[] = {frame};
    int64_t held, learning;
    (void)output, (void)with;
    ch_live_defaults(&set);
    set.warm_up = WARM;
    set.rank = 1;
    ch_status status =
        ch_live_bytes(context, &held, &learning, &(ch_frame_shape){SIDE, SIDE, 1}, &set);
    if (status == CH_OK)
        status = ch_live_create(context, &live, &(ch_frame_shape){SIDE, SIDE, 1}, &set);
    if (status < 0) return status;
    support_check(ch_live_background_bytes(live, pixels) == CH_ERR_ARGUMENT, "no background yet");
    for (int f = 0; f <= WARM && status == CH_OK; f++) {
        for (int i = 0; i < AREA; i++) frame[i] = (uint8_t)(i % SIDE == f % SIDE ? 250 : 60 + i);
        status = ch_live_process(live, &now, planes, CH_LIVE_SCORES);
    }
    if (status == CH_OK) status = ch_live_background_bytes(live, pixels);
    if (status == CH_OK) status = ch_live_freeze(live, 1);
    ch_live_destroy(live);
    return status;
}

static ch_status call_output_file(ch_context *context, void *output, const void *with) {
    ch_output_file *file;
    (void)output;
    ch_status status = ch_output_file_open(context, &file, support_path("%s", (const char *)with));
    if (status < 0) return status;
    status = ch_output_file_write(file, "words\n", 6);
    if (status == CH_OK) return ch_output_file_commit(file);
    ch_output_file_discard(file);
    return status;
}

static ch_status call_encode(ch_context *context, void *output, const void *with) {
    uint8_t pixels[] = {1, 2, 3, 4, 5, 6};
    size_t count;
    ch_picture picture = {2, 1, 3, pixels};
    (void)with;
    return ch_picture_encode_png(context, output, &count, &picture);
}

static void release_bytes(ch_context *context, void *output) {
    ch_picture_bytes_free(context, *(uint8_t **)output);
}

static ch_status call_frames(ch_context *context, void *output, const void *with) {
    return ch_clip_frames(context, output, with, 0, ROWS);
}

static ch_status call_scene(ch_context *context, void *output, const void *with) {
    ch_scene_settings set = {.size = sizeof set, .width = 32, .height = 24, .frames = 8, .seed = 1};
    uint8_t rgb[3 * 32 * 24], truth[32 * 24];
    (void)output, (void)with;
    return ch_scene_make(context, rgb, truth, 2, &set);
}

typedef struct coherence {
    double umass[2], npmi[2];
} coherence;

static ch_status call_coherence(ch_context *context, void *output, const void *with) {
    const int64_t words[] = {0, 1, 2, 3, 4, 5};
    coherence *to = output;
    return ch_topics_coherence(context, to->umass, to->npmi, with, words, 3, 2);
}

static ch_status call_top_rows(ch_context *context, void *output, const void *with) {
    return ch_matrix_top_rows(context, output, 4, with);
}

static const support_fault faults[] = {
    {"ch_stream", call_stream, NULL, OUT_SIZED(ch_anchors_result), .early = 1},
    {.name = "ch_stream_save, ch_stream_restore", .call = call_stream_saved},
    {.name = "ch_live", .call = call_live},
    {"ch_output_file", call_output_file, "output.txt", .makes = "output.txt"},
    {"ch_picture_encode_png", call_encode, NULL, .size = sizeof(uint8_t *),
     .release = release_bytes},
    {"ch_clip_frames", call_frames, &given.bytes, .size = ROWS * COLS},
    {.name = "ch_scene_make", .call = call_scene},
    {"ch_topics_coherence", call_coherence, &given.csc, .size = sizeof(coherence)},
    {"ch_matrix_top_rows", call_top_rows, &given.csc, .size = sizeof(int64_t[4 * COLS])},
};

int main(void) {
    return support_faults_run(faults, sizeof faults / sizeof *faults, NULL);
}
