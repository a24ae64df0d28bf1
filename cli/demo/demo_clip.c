/* The film of conehull demo: writes the generated film and runs `conehull video` on it. */
#include "common/progress.h"
#include "demo/demo_command.h"

const char demo_left_out[] =
    "This build has no video (libav): the film is a folder of pictures, clip/, and clip.mkv, "
    "video/background.mp4, video/overlay.mp4 and video/mask.mkv were left out. The page of the "
    "film "
    "shows background, masks and outlines all the same.";

static const double rate = 25; /* frames per second, as for a folder of pictures */

static int add_frames(cli_video_file *film, uint8_t *rgb, const ch_scene_settings *scene) {
    const cli_session *session = film->folder->session;
    for (int64_t f = 0; f < scene->frames; f++) {
        ch_progress_event event = {sizeof event, "film", f, scene->frames, -1, 0};
        if (cli_progress_event(&event, NULL)) return EXIT_INTERRUPTED;
        TRY(cli_check(session, ch_scene_make(session->context, rgb, NULL, f, scene)));
        TRY(cli_video_add(film, rgb, (double)f / rate));
    }
    return EXIT_DONE;
}

int demo_clip_write(cli_folder *folder, const ch_scene_settings *scene) {
    const ch_video_format format = {
        .width = scene->width, .height = scene->height, .pixels = CH_PIXELS_RGB24, .rate = rate};
    cli_video_file film;
    uint8_t *rgb = malloc((size_t)(3 * scene->width * scene->height));
    if (!rgb) return cli_no_memory();
    int code = cli_video_open(&film, folder, "clip.mkv", &format, NULL);
    if (code == EXIT_DONE) code = add_frames(&film, rgb, scene);
    free(rgb);
    return cli_video_close(&film, code);
}

/* ---- frames and masks as pictures ---- */

/* Writes a frame (channels 3) or its mask (channels 1). */
static int write_picture(cli_folder *folder, uint8_t *pixels, int channels, int64_t frame,
                         const ch_scene_settings *scene) {
    const cli_session *session = folder->session;
    uint8_t *mask = channels == 1 ? pixels : NULL;
    char name[32];
    snprintf(name, sizeof name, "%06lld.png", (long long)frame);
    TRY(cli_check(session,
                  ch_scene_make(session->context, mask ? NULL : pixels, mask, frame, scene)));
    for (int64_t j = 0; mask && j < scene->width * scene->height; j++) mask[j] = mask[j] ? 255 : 0;
    return cli_folder_picture(folder, name,
                              &(ch_picture){scene->width, scene->height, channels, pixels},
                              (const int64_t[2]){1, 1});
}

static int write_pictures(cli_folder *folder, int channels, int64_t first, int64_t step,
                          const ch_scene_settings *scene) {
    uint8_t *pixels = malloc((size_t)(channels * scene->width * scene->height));
    int code = pixels ? EXIT_DONE : cli_no_memory();
    for (int64_t f = first; f < scene->frames && code == EXIT_DONE; f += step) {
        ch_progress_event event = {sizeof event, "film", f, scene->frames, -1, 0};
        code = cli_progress_event(&event, NULL) ? EXIT_INTERRUPTED
                                                : write_picture(folder, pixels, channels, f, scene);
    }
    free(pixels);
    return code;
}

/* Writes frames or masks as pictures, and removes pictures of an earlier, longer film. */
static int write_folder(const demo_run *demo, const char *path, int channels, int64_t first,
                        int64_t step) {
    static const char *const stale[] = {"[0-9][0-9][0-9][0-9][0-9][0-9].png", NULL};
    cli_folder folder;
    TRY(cli_folder_open(&folder, demo->session, path));
    int code = write_pictures(&folder, channels, first, step, &demo->scene);
    return cli_folder_close(&folder, code, stale);
}

/* Writes the true masks of every tenth frame; if the film is long, of fewer frames. */
static int write_truth(const demo_run *demo) {
    enum { EVERY = 10, MOST = 50 };
    int64_t step = EVERY * (1 + demo->scene.frames / (EVERY * MOST));
    return write_folder(demo, demo->truth, 1, step / 2, step);
}

/* ---- separating background and people ---- */

/* Runs conehull video with arguments as a user would type them. */
static int run_typed(demo_run *demo, char **arguments, int count) {
    demo->typed = *demo->session;
    demo->typed.options = (cli_options){.command = "video"};
    demo->typed.argv = arguments;
    demo->typed.argc = count;
    video_options_describe(&demo->typed.options, &demo->given);
    TRY(cli_options_parse(&demo->typed.options, demo->session->context, count, arguments));
    TRY(video_options_take(&demo->typed, &demo->given));
    return video_run_all(&demo->video, &demo->typed, &demo->given);
}

int demo_clip_run(demo_run *demo) {
    demo->clip = cli_path_join(demo->folder, demo->has_video ? "clip.mkv" : "clip");
    demo->truth = cli_path_join(demo->folder, "truth");
    demo->output = cli_path_join(demo->folder, "video");
    if (!demo->clip || !demo->truth || !demo->output) return cli_no_memory();
    char *arguments[] = {demo->clip,
                         "--truth",
                         demo->truth,
                         "--method",
                         "robust-xray,median",
                         "--write",
                         demo->has_video ? "background" : "none",
                         "-o",
                         demo->output};
    if (!demo->has_video) TRY(write_folder(demo, demo->clip, 3, 0, 1));
    TRY(write_truth(demo));
    ch_context_set_progress(demo->session->context, cli_progress_event, NULL);
    return run_typed(demo, arguments, sizeof arguments / sizeof *arguments);
}
