/* Background, masks, ghosts and scores with their k-th allocation failing, for every k. */
#include "support_faults.h"
#include <conehull/conehull.h>
#include <string.h>

/* Noise, threshold, masks, scores, regions, outlines and objects of a small clip. */
static ch_status run_masks(ch_context *context) {
    enum { SIDE = 6, AREA = SIDE * SIDE };
    uint8_t frame[AREA] = {0}, mask[AREA], rgb[3 * AREA];
    const uint8_t *planes[] = {frame}, colour[3] = {255, 0, 0};
    float background[AREA] = {0};
    ch_polygon_corner corners[] = {{0, 0}, {6, 0}, {6, 6}};
    ch_mask_plane plane = {frame, AREA, background};
    ch_mask_settings set;
    ch_settings_defaults(&ch_mask_table, &set);
    ch_masker *masker;
    ch_activity activity;
    frame[8] = frame[9] = frame[14] = 200;
    ch_status status = ch_masker_create(context, &masker, SIDE, SIDE, 1, &set);
    if (status < 0) return status;
    status = ch_masker_set_region(masker, frame);
    if (status == CH_OK) status = ch_masker_learn(masker, &plane, 1);
    if (status == CH_OK) status = ch_masker_settle(masker, NULL);
    if (status == CH_OK) status = ch_masker_apply(masker, mask, NULL, &plane, 1);
    ch_masker_destroy(masker);
    if (status == CH_OK) status = ch_region_polygon(context, mask, SIDE, SIDE, corners, 3);
    if (status == CH_OK)
        status = ch_mask_overlay(context, rgb, planes, 1, mask, SIDE, SIDE, 1, colour);
    if (status < 0) return status;
    mark(&activity);
    status = ch_mask_activity(context, &activity, NULL, 0, mask, NULL, SIDE, SIDE);
    if (status < 0) untouched(&activity);
    return status;
}

static ch_status run_scores(ch_context *context, const void *reals) {
    uint8_t bytes[] = {3, 1, 2, 2}, truth[] = {1, 0, 1, 0};
    float numbers[] = {3, 1, 2, 2};
    ch_scorer *scorer;
    ch_roc roc;
    mark(&roc);
    ch_status status = ch_scorer_create(context, &scorer);
    if (status < 0) return status;
    status = reals ? ch_scorer_add_f32(scorer, numbers, truth, NULL, 4)
                   : ch_scorer_add_u8(scorer, bytes, truth, NULL, 4);
    if (status == CH_OK) status = ch_scorer_finish(scorer, &roc);
    ch_scorer_destroy(scorer);
    finish(context, status, &roc, ch_roc_free);
    return status;
}

static ch_status finish_separation(ch_context *context, ch_status status, ch_separation *parts) {
    finish(context, status, parts, ch_separation_free);
    return status;
}

static ch_separate_settings separate_settings(void) {
    ch_separate_settings set;
    ch_settings_defaults(&ch_separate_table, &set);
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

static ch_status run_separate(ch_context *context, const void *with) {
    const separation *wanted = with;
    ch_separate_settings set = separate_settings();
    ch_separation parts;
    unsigned char ignore[COLS] = {1, 0, 1};
    int64_t busy[] = {2, 5};
    if (wanted->left_out) {
        set.ignore = ignore;
        set.busy = busy;
        set.busy_count = 2;
    }
    mark(&parts);
    ch_status status = ch_settings_set_words(context, &ch_separate_table, &set, wanted->words);
    if (status == CH_OK) status = ch_separate(context, &parts, wanted->X, &set);
    return finish_separation(context, status, &parts);
}

static ch_status run_separate_again(ch_context *context) {
    ch_separate_settings set = separate_settings();
    ch_separation parts;
    double W[ROWS], H[COLS];
    for (int i = 0; i < ROWS; i++) W[i] = 1;
    for (int j = 0; j < COLS; j++) H[j] = 1 + j;
    ch_separation luma = {.frames = ROWS, .pixels = COLS, .rank = 1, .W = W, .H = H};
    mark(&parts);
    ch_status status = ch_separate_plane(context, &parts, &given.bytes, &luma, &set);
    status = finish_separation(context, status, &parts);
    if (status < 0) return status;
    mark(&parts);
    status = ch_separate_apply(context, &parts, &given.bytes, H, 1, &set);
    return finish_separation(context, status, &parts);
}

static ch_status run_ghosts(ch_context *context) {
    enum { CLIP_FRAMES = 20, AREA = 4 };
    uint8_t pixels[CLIP_FRAMES * AREA];
    double W[CLIP_FRAMES], H[AREA] = {9, 9, 9, 9};
    memset(pixels, 9, sizeof pixels);
    for (int i = 0; i < CLIP_FRAMES; i++) W[i] = 1;
    ch_matrix X = {.rows = CLIP_FRAMES,
                   .cols = AREA,
                   .type = CH_U8,
                   .layout = CH_ROW_MAJOR,
                   .values = pixels,
                   .stride = AREA};
    ch_separation parts = {.frames = CLIP_FRAMES, .pixels = AREA, .rank = 1, .W = W, .H = H};
    ch_separation *planes[] = {&parts};
    const ch_matrix *clips[] = {&X};
    ch_ghosts ghosts;
    mark(&ghosts);
    ch_status status = ch_ghosts_remove(context, &ghosts, planes, clips, 1, 2, 2);
    if (status < 0) untouched(&ghosts);
    return status;
}

#define SEPARATE(name, matrix, words, left_out)         \
    {                                                   \
        name, NULL, run_separate, &(const separation) { \
            &given.matrix, words, left_out              \
        }                                               \
    }

static const support_fault faults[] = {
    {"ch_masker, ch_mask_overlay and others", run_masks, NULL, NULL},
    {"ch_scorer, u8", NULL, run_scores, NULL},
    {"ch_scorer, f32", NULL, run_scores, "reals"},
    SEPARATE("ch_separate, frames and pixels left out", bytes, "", 1),
    SEPARATE("ch_separate, farthest", rows, "choose=farthest", 0),
    SEPARATE("ch_separate, median over a window", bytes, "method=median radius=2", 0),
    {"ch_separate_plane, ch_separate_apply", run_separate_again, NULL, NULL},
    {"ch_ghosts_remove", run_ghosts, NULL, NULL},
};

int main(void) {
    return support_faults_run(faults, sizeof faults / sizeof *faults);
}
