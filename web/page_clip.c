/* A clip, frame by frame: the engine of `conehull live` on brightness. The page decodes the clip
 * and puts the RGBA pixels of a frame where page_clip_pixels() says; a mask per frame comes back:
 *
 *     page_clip_open(width, height, frames)      frames of the warm-up: all, up to the default
 *     page_clip_pixels()                         width * height * 4 bytes
 *     page_clip_next()                           1: mask and background are those of this frame;
 *                                                0: still in the warm-up; -1: page_clip_message()
 *     page_clip_replay(i)                        1: those of frame i of the warm-up
 *
 * The frame at which page_clip_learned() is 1 for the first time ends the warm-up: only then, and
 * before the next frame, can its frames be replayed. */
#include "page.h"
#include <conehull/live.h>
#include <conehull/scene.h>
#include <stdlib.h>
#include <string.h>

static struct {
    ch_context *context;
    ch_live *live;
    ch_live_result now;
    int64_t pixels, warm_up;
    uint8_t *rgba, *gray, *background;
} clip;

EMSCRIPTEN_KEEPALIVE void page_clip_close(void) {
    ch_live_destroy(clip.live);
    ch_context_destroy(clip.context);
    free(clip.rgba);
    free(clip.gray);
    free(clip.background);
    memset(&clip, 0, sizeof clip);
}

EMSCRIPTEN_KEEPALIVE const char *page_clip_message(void) {
    return clip.context ? ch_context_message(clip.context) : "out of memory";
}

/* 1: ready for its frames; 0: page_clip_message() says why not. */
EMSCRIPTEN_KEEPALIVE int page_clip_open(int width, int height, int frames) {
    ch_frame_shape shape = {width, height, 1};
    ch_live_settings set;
    page_clip_close();
    if (ch_context_create(&clip.context, NULL) < 0) return 0;
    if (ch_context_set_threads(clip.context, 1) < 0) return 0;
    ch_live_defaults(&set);
    if (frames < set.warm_up) set.warm_up = frames;
    clip.warm_up = set.warm_up;
    clip.pixels = (int64_t)width * height;
    clip.rgba = malloc((size_t)clip.pixels * 4);
    clip.gray = malloc((size_t)clip.pixels);
    clip.background = malloc((size_t)clip.pixels);
    return clip.rgba && clip.gray && clip.background &&
           ch_live_create(clip.context, &clip.live, &shape, &set) == CH_OK;
}

EMSCRIPTEN_KEEPALIVE uint8_t *page_clip_pixels(void) {
    return clip.rgba;
}

/* Luma of BT.601, in whole numbers. */
static void make_gray(void) {
    for (int64_t i = 0; i < clip.pixels; i++) {
        const uint8_t *p = clip.rgba + 4 * i;
        clip.gray[i] = (uint8_t)((19595 * p[0] + 38470 * p[1] + 7471 * p[2] + 32768) >> 16);
    }
}

static int finish(ch_status status) {
    if (status != CH_OK) return -1;
    return clip.now.mask && ch_live_background_bytes(clip.live, clip.background) == CH_OK;
}

EMSCRIPTEN_KEEPALIVE int page_clip_next(void) {
    const uint8_t *planes[] = {clip.gray};
    make_gray();
    clip.now = (ch_live_result){.size = sizeof clip.now};
    return finish(ch_live_process(clip.live, &clip.now, planes, 0));
}

EMSCRIPTEN_KEEPALIVE int page_clip_replay(int i) {
    clip.now = (ch_live_result){.size = sizeof clip.now};
    return finish(ch_live_replay(clip.live, &clip.now, NULL, i, 0));
}

EMSCRIPTEN_KEEPALIVE int page_clip_learned(void) {
    return clip.now.learned_anew && clip.now.frame == clip.warm_up - 1;
}

EMSCRIPTEN_KEEPALIVE const uint8_t *page_clip_mask(void) {
    return clip.now.mask;
}

EMSCRIPTEN_KEEPALIVE const uint8_t *page_clip_background(void) {
    return clip.background;
}

/* Factors of the background, and why so many. */
EMSCRIPTEN_KEEPALIVE int page_clip_rank(void) {
    return (int)clip.now.rank;
}

EMSCRIPTEN_KEEPALIVE const char *page_clip_reason(void) {
    static ch_live_info info;
    info.size = sizeof info;
    return ch_live_get_info(clip.live, &info) == CH_OK ? info.rank_reason : "";
}

/* ---- the film of `conehull demo`, to try ---- */

/* Its frame into page_clip_pixels(); the clip is open with that width and height. */
EMSCRIPTEN_KEEPALIVE int page_clip_sample(int width, int height, int frames, int frame) {
    ch_scene_settings scene;
    ch_scene_defaults(&scene);
    scene.width = width;
    scene.height = height;
    scene.frames = frames;
    uint8_t *rgb = clip.rgba + clip.pixels; /* the last three quarters, widened from the front */
    if (ch_scene_make(clip.context, rgb, NULL, frame, &scene) != CH_OK) return 0;
    for (int64_t i = 0; i < clip.pixels; i++) {
        uint8_t *to = clip.rgba + 4 * i;
        memmove(to, rgb + 3 * i, 3);
        to[3] = 255;
    }
    return 1;
}
