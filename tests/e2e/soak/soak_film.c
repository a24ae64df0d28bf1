/* Jobs on a film: written and read back, taken apart, masks, live. */
#include "soak.h"
#include <conehull/clip.h>
#include <conehull/feed.h>
#include <conehull/separate.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Written without loss, read as a whole and frame by frame; both give the film. A build without
 * video refuses to write. */
static bits job_video(const place *p) {
    const char *path = path_of(p, "film.mkv");
    ch_video_writer *writer;
    ch_clip clip = {.size = sizeof clip};
    ch_feed *feed;
    ch_feed_frame frame = {.size = sizeof frame};
    static uint8_t back[FRAMES * PIXELS];
    if (!ch_video_library()) return BITS_NONE;
    check(p,
          ch_video_writer_open(
              p->context, &writer, path,
              &(ch_video_format){
                  .width = WIDTH, .height = HEIGHT, .pixels = CH_PIXELS_GRAY8, .rate = 25},
              NULL),
          path);
    for (int f = 0; f < FRAMES; f++)
        check(p, ch_video_writer_add(writer, p->film + (size_t)f * PIXELS, f * 0.04), path);
    check(p, ch_video_writer_commit(writer), path);

    check(p, ch_clip_read(p->context, &clip, path, NULL), path);
    require(clip.frames == FRAMES && clip.width == WIDTH, "the film's size");
    check(p, ch_clip_frames(p->context, back, &clip.luma, 0, FRAMES), path);
    ch_clip_free(p->context, &clip);
    require(memcmp(back, p->film, sizeof back) == 0, "the film, read as a clip");

    check(p, ch_feed_open(p->context, &feed, path, NULL), path);
    for (int f = 0; f < FRAMES; f++) {
        check(p, ch_feed_next(feed, &frame), path);
        require(frame.planes[0] && !memcmp(frame.planes[0], p->film + (size_t)f * PIXELS, PIXELS),
                "the film, read as a feed");
    }
    ch_feed_close(feed);
    unlink(path);
    return add(BITS_NONE, back, sizeof back);
}

static bits job_separate(const place *p) {
    ch_separate_settings set;
    ch_separation parts = {.size = sizeof parts};
    ch_separate_defaults(&set);
    set.rank = 1;
    check(p, ch_separate(p->context, &parts, &p->X, &set), "separate");
    bits sum = add_reals(BITS_NONE, parts.H, parts.rank * parts.pixels);
    ch_separation_free(p->context, &parts);
    return sum;
}

/* The background of the film, ghosts removed, as numbers. */
static bits take_apart(const place *p, float *background) {
    ch_separate_settings set;
    ch_separation parts = {.size = sizeof parts}, *planes[] = {&parts};
    ch_ghosts ghosts = {.size = sizeof ghosts};
    const ch_matrix *clips[] = {&p->clip};
    ch_separate_defaults(&set);
    set.rank = 2;
    check(p, ch_separate(p->context, &parts, &p->clip, &set), "film");
    check(p,
          ch_ghosts_remove(p->context, &ghosts, planes, clips, &(ch_frame_shape){WIDTH, HEIGHT, 1}),
          "ghosts");
    check(p, ch_separation_background(p->context, background, &parts, 0, FRAMES), "background");
    bits sum = add_reals(BITS_NONE, parts.W, parts.rank * parts.frames);
    ch_separation_free(p->context, &parts);
    return add(sum, background, sizeof *background * FRAMES * PIXELS);
}

/* One mask goes through a folder of pictures. */
static void store_mask(const place *p, uint8_t *mask) {
    ch_picture picture = {.width = WIDTH, .height = HEIGHT, .channels = 1, .pixels = mask};
    ch_masks back = {.size = sizeof back};
    require(mkdir(path_of(p, "masks"), 0700) == 0, "a folder for masks");
    check(p, ch_picture_write(p->context, path_of(p, "masks/0.png"), &picture), "picture");
    check(p, ch_masks_read(p->context, &back, path_of(p, "masks")), "masks");
    for (int i = 0; i < PIXELS; i++)
        require(back.foreground[i] == (mask[i] >= 128), "a mask, read from its picture");
    ch_masks_free(p->context, &back);
    unlink(path_of(p, "masks/0.png"));
    rmdir(path_of(p, "masks"));
}

static bits job_masks(const place *p) {
    static float background[FRAMES * PIXELS];
    static uint8_t masks[FRAMES * PIXELS];
    ch_mask_settings set;
    ch_masker *masker;
    ch_mask_info info = {.size = sizeof info};
    ch_pixel_counts counts = {0};
    bits sum = take_apart(p, background);
    ch_mask_plane plane = {p->film, PIXELS, background};
    ch_mask_defaults(&set);
    check(p, ch_masker_create(p->context, &masker, &(ch_frame_shape){WIDTH, HEIGHT, 1}, &set),
          "masker");
    check(p, ch_masker_learn(masker, &plane, FRAMES), "masker");
    check(p, ch_masker_settle(masker, &info), "masker");
    check(p, ch_masker_apply(masker, masks, NULL, &plane, FRAMES), "masker");
    ch_masker_destroy(masker);
    ch_pixel_counts_add(&counts, masks, p->truth, NULL, FRAMES * PIXELS);
    require(ch_pixel_counts_f_measure(&counts) > 0.5, "masks that find who walks");
    store_mask(p, masks + (size_t)(FRAMES / 2) * PIXELS);
    return add(sum, masks, sizeof masks);
}

static bits job_live(const place *p) {
    ch_live_settings set;
    ch_live *live;
    bits sum = BITS_NONE;
    ch_live_defaults(&set);
    set.warm_up = 20;
    check(p, ch_live_create(p->context, &live, &(ch_frame_shape){WIDTH, HEIGHT, 1}, &set), "live");
    for (int f = 0; f < FRAMES; f++) {
        const uint8_t *planes[] = {p->film + (size_t)f * PIXELS};
        ch_live_result result = {.size = sizeof result};
        check(p, ch_live_process(live, &result, planes, 0), "live");
        if (result.mask) sum = add(sum, result.mask, PIXELS);
    }
    require(sum != BITS_NONE, "masks after the warm-up");
    ch_live_destroy(live);
    return sum;
}

const job film_jobs[] = {{"video", job_video},
                         {"separate", job_separate},
                         {"masks", job_masks},
                         {"live", job_live},
                         {NULL, NULL}};
