/* Streams of columns and of frames, and what is made from results: pictures, backgrounds, texts,
 * with their k-th allocation failing, for every k. */
#include "support_faults.h"
#include <conehull/clip.h>
#include <conehull/conehull.h>
#include <conehull/io.h>
#include <conehull/live.h>
#include <conehull/stream.h>
#include <stdlib.h>
#include <unistd.h>

static void stream_settings(ch_anchors_settings *anchors, ch_stream_settings *settings) {
    ch_settings_defaults(&ch_anchors_table, anchors);
    ch_settings_defaults(&ch_stream_table, settings);
    anchors->rank = 3;
    settings->store = 6;
}

/* A store that is soon full, so that it is reduced and thinned. */
static ch_status run_stream(ch_context *context) {
    ch_anchors_settings anchors;
    ch_stream_settings settings;
    ch_stream *stream = NULL;
    ch_anchors_result result;
    double bound;
    stream_settings(&anchors, &settings);
    ch_status status = ch_stream_create(context, &stream, ROWS, &anchors, &settings);
    ch_matrix few = given.dense;
    few.cols = 9;
    if (status == CH_OK) status = ch_stream_push(stream, &few);
    mark(&result);
    if (status == CH_OK) status = ch_stream_anchors(stream, &result, &bound);
    finish(context, status, &result, ch_anchors_result_free);
    ch_stream_destroy(stream);
    return status;
}

/* Saved and taken up again. */
static ch_status run_stream_saved(ch_context *context) {
    ch_anchors_settings anchors;
    ch_stream_settings settings;
    ch_checkpoint_file *file = NULL;
    ch_stream *stream = NULL, *again = NULL;
    const char *path = support_path("stream.checkpoint");
    unlink(path);
    stream_settings(&anchors, &settings);
    ch_status status = ch_stream_create(context, &stream, ROWS, &anchors, &settings);
    ch_matrix few = given.bytes;
    few.cols = 5;
    if (status == CH_OK) status = ch_stream_push(stream, &few);
    if (status == CH_OK) status = ch_checkpoint_open(context, &file, path, 0);
    if (status == CH_OK) status = ch_stream_save(stream, ch_checkpoint_table(file));
    if (status == CH_OK) status = ch_stream_save(stream, ch_checkpoint_table(file));
    ch_checkpoint_close(file, 0);
    file = NULL;
    if (status == CH_OK) status = ch_checkpoint_open(context, &file, path, 1);
    if (status == CH_OK)
        status = ch_stream_restore(context, &again, &anchors, ch_checkpoint_table(file));
    ch_checkpoint_close(file, 1);
    ch_stream_destroy(stream);
    ch_stream_destroy(again);
    return status;
}

/* Created, and shown frames until there is a background. That of a new light is learned on a thread
 * of its own, and its failure is no error of a call: tests/unit/video/test_live.c has it. */
static ch_status run_live(ch_context *context) {
    enum { SIDE = 8, AREA = SIDE * SIDE, WARM = 20 };
    ch_live_settings set;
    ch_live *live = NULL;
    ch_live_result now;
    uint8_t frame[AREA] = {0}, pixels[AREA];
    const uint8_t *planes[] = {frame};
    int64_t held, learning;
    ch_live_defaults(&set);
    set.warm_up = WARM;
    set.rank = 1;
    ch_status status = ch_live_bytes(context, &held, &learning, SIDE, SIDE, 1, &set);
    if (status == CH_OK) status = ch_live_create(context, &live, SIDE, SIDE, 1, &set);
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

static ch_status run_output(ch_context *context) {
    ch_output_file *output;
    ch_status status = ch_output_file_open(context, &output, support_path("output.txt"));
    if (status < 0) return status;
    status = ch_output_file_write(output, "words\n", 6);
    if (status == CH_OK) return ch_output_file_commit(output);
    ch_output_file_discard(output);
    return status;
}

static ch_status run_encode(ch_context *context) {
    uint8_t pixels[] = {1, 2, 3, 4, 5, 6}, *bytes;
    size_t count;
    ch_picture picture = {2, 1, 3, pixels};
    mark(&bytes);
    ch_status status = ch_picture_encode_png(context, &bytes, &count, &picture);
    if (status < 0)
        untouched(&bytes);
    else
        ch_bytes_free(context, bytes);
    return status;
}

static ch_status run_frames(ch_context *context) {
    uint8_t pixels[ROWS * COLS];
    return ch_clip_frames(context, pixels, &given.bytes, 0, ROWS);
}

static ch_status run_scene(ch_context *context) {
    ch_scene_settings set = {.width = 32, .height = 24, .frames = 8, .seed = 1};
    uint8_t rgb[3 * 32 * 24], truth[32 * 24];
    return ch_scene_make(context, rgb, truth, 2, &set);
}

static ch_status run_coherence(ch_context *context) {
    const int64_t words[] = {0, 1, 2, 3, 4, 5};
    double umass[2], npmi[2];
    mark(&umass);
    ch_status status = ch_topics_coherence(context, umass, npmi, &given.csc, words, 3, 2);
    if (status < 0) untouched(&umass);
    return status;
}

static ch_status run_top_rows(ch_context *context) {
    int64_t rows[4 * COLS];
    mark(&rows);
    ch_status status = ch_matrix_top_rows(context, rows, 4, &given.csc);
    if (status < 0) untouched(&rows);
    return status;
}

/* Frames of a background, as numbers, as bytes, and what is left of the clip. */
static ch_status run_background(ch_context *context) {
    double W[ROWS], H[COLS];
    float frames[ROWS * COLS];
    uint8_t bytes[ROWS * COLS];
    for (int i = 0; i < ROWS; i++) W[i] = 1;
    for (int j = 0; j < COLS; j++) H[j] = 1 + j;
    ch_separation parts = {.frames = ROWS, .pixels = COLS, .rank = 1, .W = W, .H = H};
    ch_status status = ch_separation_background(context, frames, &parts, 0, ROWS);
    if (status == CH_OK) status = ch_separation_background_bytes(context, bytes, &parts, 0, ROWS);
    if (status == CH_OK)
        status = ch_separation_residual(context, frames, &parts, &given.bytes, 0, ROWS);
    return status;
}

/* Scores of 16 bits, and noise that was learned elsewhere. */
static ch_status run_again(ch_context *context) {
    uint16_t scores[] = {3, 1, 2, 2};
    uint8_t truth[] = {1, 0, 1, 0};
    float noise[4] = {1, 1, 1, 1};
    ch_scorer *scorer;
    ch_masker *masker;
    ch_roc roc;
    ch_mask_settings set;
    ch_settings_defaults(&ch_mask_table, &set);
    ch_status status = ch_masker_create(context, &masker, 2, 2, 1, &set);
    if (status < 0) return status;
    status = ch_masker_settle_with(masker, NULL, noise);
    ch_masker_destroy(masker);
    if (status == CH_OK) status = ch_scorer_create(context, &scorer);
    if (status < 0) return status;
    status = ch_scorer_add_u16(scorer, scores, truth, NULL, 4);
    if (status == CH_OK) status = ch_scorer_finish(scorer, &roc);
    ch_scorer_destroy(scorer);
    if (status == CH_OK) ch_roc_free(context, &roc);
    return status;
}

static const support_fault faults[] = {
    {"ch_stream", run_stream, NULL, NULL},
    {"ch_stream_save, ch_stream_restore", run_stream_saved, NULL, NULL},
    {"ch_live", run_live, NULL, NULL},
    {"ch_output_file", run_output, NULL, NULL},
    {"ch_picture_encode_png", run_encode, NULL, NULL},
    {"ch_clip_frames", run_frames, NULL, NULL},
    {"ch_scene_make", run_scene, NULL, NULL},
    {"ch_topics_coherence", run_coherence, NULL, NULL},
    {"ch_matrix_top_rows", run_top_rows, NULL, NULL},
    {"ch_separation_background, ch_separation_residual", run_background, NULL, NULL},
    {"ch_scorer_add_u16, ch_masker_settle_with", run_again, NULL, NULL},
};

int main(void) {
    return support_faults_run(faults, sizeof faults / sizeof *faults);
}
