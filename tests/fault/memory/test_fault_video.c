/* Background, masks, ghosts and scores with their k-th allocation failing, for every k. */
#include "support_faults.h"
#include <conehull/conehull.h>
#include <conehull/video.h>
#include <string.h>

RELEASE(ch_roc)
RELEASE(ch_separation)

/* Noise, threshold, masks, scores, regions, outlines and objects of a small clip. */
static ch_status call_masks(ch_context *context, void *output, const void *with) {
    enum { SIDE = 6, AREA = SIDE * SIDE };
    uint8_t frame[AREA] = {0}, mask[AREA], rgb[3 * AREA];
    const uint8_t *planes[] = {frame};
    float background[AREA] = {0};
    ch_polygon_corner corners[] = {{0, 0}, {6, 0}, {6, 6}};
    ch_mask_plane plane = {frame, AREA, background};
    ch_mask_settings set;
    ch_mask_defaults(&set);
    ch_masker *masker;
    (void)with;
    frame[8] = frame[9] = frame[14] = 200;
    ch_status status = ch_masker_create(context, &masker, &(ch_frame_shape){SIDE, SIDE, 1}, &set);
    if (status < 0) return status;
    status = ch_masker_set_region(masker, frame);
    if (status == CH_OK) status = ch_masker_learn(masker, &plane, 1);
    if (status == CH_OK) status = ch_masker_settle(masker, NULL);
    if (status == CH_OK) status = ch_masker_apply(masker, mask, NULL, &plane, 1);
    ch_masker_destroy(masker);
    if (status == CH_OK)
        status = ch_region_add_polygon(context, mask, &(ch_frame_shape){SIDE, SIDE, 1}, corners, 3);
    if (status == CH_OK)
        status = ch_mask_overlay(context, rgb, planes, mask, &(ch_frame_shape){SIDE, SIDE, 1},
                                 &(ch_mask_outline){1, {255, 0, 0}});
    if (status == CH_OK) /* of the rgb bytes half are the planes of 4:2:0 */
        status = ch_mask_overlay_yuv(context, rgb, mask, &(ch_frame_shape){SIDE, SIDE, 1},
                                     &(ch_mask_outline){1, {255, 0, 0}});
    if (status < 0) return status;
    return ch_mask_activity(context, output, NULL, 0, mask, NULL, &(ch_frame_shape){SIDE, SIDE, 1});
}

/* Noise that was learned elsewhere. */
static ch_status call_settle_with(ch_context *context, void *output, const void *with) {
    const float noise[4] = {1, 1, 1, 1};
    ch_masker *masker;
    ch_mask_settings set;
    (void)output, (void)with;
    ch_mask_defaults(&set);
    ch_status status = ch_masker_create(context, &masker, &(ch_frame_shape){2, 2, 1}, &set);
    if (status < 0) return status;
    status = ch_masker_settle_with(masker, NULL, noise);
    ch_masker_destroy(masker);
    return status;
}

/* Four scores of the type that the first letter and the number of bits say. */
static ch_status call_scores(ch_context *context, void *output, const void *with) {
    const uint8_t bytes[] = {3, 1, 2, 2}, truth[] = {1, 0, 1, 0};
    const uint16_t words[] = {3, 1, 2, 2};
    const float numbers[] = {3, 1, 2, 2};
    const char *type = with;
    ch_scorer *scorer;
    ch_status status = ch_scorer_create(context, &scorer);
    if (status < 0) return status;
    status = strcmp(type, "u8") == 0    ? ch_scorer_add_u8(scorer, bytes, truth, NULL, 4)
             : strcmp(type, "u16") == 0 ? ch_scorer_add_u16(scorer, words, truth, NULL, 4)
                                        : ch_scorer_add_f32(scorer, numbers, truth, NULL, 4);
    if (status == CH_OK) status = ch_scorer_finish(scorer, output);
    ch_scorer_destroy(scorer);
    return status;
}

static ch_separate_settings separate_settings(void) {
    ch_separate_settings set;
    ch_separate_defaults(&set);
    set.rank = 1;
    set.refit = 0;
    return set;
}

/* ch_separate with settings in words, and without some frames and pixels. */
typedef struct separation {
    const ch_matrix *X;
    const char *words;
    int left_out;
} separation;

static ch_status call_separate(ch_context *context, void *output, const void *with) {
    const separation *it = with;
    ch_separate_settings set = separate_settings();
    const unsigned char ignore[COLS] = {1, 0, 1};
    const int64_t busy[] = {2, 5};
    if (it->left_out) {
        set.ignore = ignore;
        set.busy = busy;
        set.busy_count = 2;
    }
    ch_status status = ch_settings_set_words(context, ch_separate_table(), &set, it->words);
    return status < 0 ? status : ch_separate(context, output, it->X, &set);
}

/* A background of one picture, as bright as its number of the frame says. */
static double ones[ROWS], ramp[COLS];
static const ch_separation simple = {
    .size = sizeof simple, .frames = ROWS, .pixels = COLS, .rank = 1, .W = ones, .H = ramp};

static int make_background(void) {
    for (int i = 0; i < ROWS; i++) ones[i] = 1;
    for (int j = 0; j < COLS; j++) ramp[j] = 1 + j;
    return 0;
}

static ch_status call_plane(ch_context *context, void *output, const void *with) {
    const ch_separate_settings set = separate_settings();
    return ch_separate_plane(context, output, &given.bytes, with, &set);
}

/* Pictures two pixels wide. */
static ch_status call_apply(ch_context *context, void *output, const void *with) {
    const ch_separate_settings set = separate_settings();
    return ch_separate_apply(context, output, &given.bytes, with, 1, &set);
}

/* Frames of a background, as numbers, as bytes, and what is left of the clip. */
static ch_status call_background(ch_context *context, void *output, const void *with) {
    float frames[ROWS * COLS];
    uint8_t bytes[ROWS * COLS];
    (void)output;
    ch_status status = ch_separation_background(context, frames, with, 0, ROWS);
    if (status == CH_OK) status = ch_separation_background_bytes(context, bytes, with, 0, ROWS);
    if (status == CH_OK)
        status = ch_separation_residual(context, frames, with, &given.bytes, 0, ROWS);
    return status;
}

static ch_status call_ghosts(ch_context *context, void *output, const void *with) {
    enum { CLIP_FRAMES = 20, AREA = 4 };
    uint8_t pixels[CLIP_FRAMES * AREA];
    double W[CLIP_FRAMES], H[AREA] = {9, 9, 9, 9};
    (void)with;
    memset(pixels, 9, sizeof pixels);
    for (int i = 0; i < CLIP_FRAMES; i++) W[i] = 1;
    ch_matrix X = {.rows = CLIP_FRAMES,
                   .cols = AREA,
                   .type = CH_U8,
                   .layout = CH_ROW_MAJOR,
                   .values = pixels,
                   .stride = AREA};
    ch_separation parts = {
        .size = sizeof parts, .frames = CLIP_FRAMES, .pixels = AREA, .rank = 1, .W = W, .H = H};
    ch_separation *planes[] = {&parts};
    const ch_matrix *clips[] = {&X};
    return ch_ghosts_remove(context, output, planes, clips, &(ch_frame_shape){2, 2, 1});
}

/* Two frames that move, and one that does not. */
static ch_status call_events(ch_context *context, void *output, const void *with) {
    ch_event_settings set;
    ch_event_finder *finder = NULL;
    ch_event event = {.size = sizeof event};
    int found = 0;
    (void)output;
    (void)with;
    ch_event_defaults(&set);
    ch_status status = ch_event_finder_create(context, &finder, &set);
    for (int f = 0; f < 3 && status == CH_OK; f++) {
        ch_activity activity = {.foreground = f < 2, .share = f < 2 ? 0.5 : 0};
        status = ch_event_finder_add(finder, &event, &found, &activity, f, f);
    }
    if (status == CH_OK) status = ch_event_finder_finish(finder, &event, &found, 4);
    ch_event_finder_destroy(finder);
    return status;
}

static const separation left_out = {&given.bytes, "", 1},
                        farthest = {&given.rows, "choose=farthest", 0},
                        median = {&given.bytes, "method=median radius=2", 0};

static const support_fault faults[] = {
    {"ch_masker, ch_mask_overlay and others", call_masks, NULL, .size = sizeof(ch_activity)},
    {.name = "ch_masker_settle_with", .call = call_settle_with},
    {.name = "ch_event_finder", .call = call_events},
    {"ch_scorer, u8", call_scores, "u8", OUT_SIZED(ch_roc)},
    {"ch_scorer, u16", call_scores, "u16", OUT_SIZED(ch_roc)},
    {"ch_scorer, f32", call_scores, "f32", OUT_SIZED(ch_roc)},
    {"ch_separate, frames and pixels left out", call_separate, &left_out, OUT_SIZED(ch_separation)},
    {"ch_separate, farthest", call_separate, &farthest, OUT_SIZED(ch_separation)},
    {"ch_separate, median over a window", call_separate, &median, OUT_SIZED(ch_separation)},
    {"ch_separate_plane", call_plane, &simple, OUT_SIZED(ch_separation)},
    {"ch_separate_apply", call_apply, ramp, OUT_SIZED(ch_separation)},
    {.name = "ch_separation_background, ch_separation_residual",
     .call = call_background,
     .with = &simple},
    {"ch_ghosts_remove", call_ghosts, NULL, .size = sizeof(ch_ghosts), .sized = sizeof(ch_ghosts)},
};

int main(void) {
    return support_faults_run(faults, sizeof faults / sizeof *faults, make_background);
}
