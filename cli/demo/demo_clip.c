/* The film of conehull demo. */
#include "common/progress.h"
#include "demo/demo_command.h"

static const double rate = 25; /* frames a second */

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

static int write_mask(cli_folder *folder, uint8_t *mask, int64_t frame,
                      const ch_scene_settings *scene) {
    const cli_session *session = folder->session;
    char name[32];
    snprintf(name, sizeof name, "%06lld.png", (long long)frame);
    TRY(cli_check(session, ch_scene_make(session->context, NULL, mask, frame, scene)));
    for (int64_t j = 0; j < scene->width * scene->height; j++) mask[j] = mask[j] ? 255 : 0;
    return cli_folder_picture(folder, name, &(ch_picture){scene->width, scene->height, 1, mask},
                              (const int64_t[2]){1, 1});
}

/* Of every tenth frame, of fewer where the film is long. */
static int write_truth(const demo_run *demo) {
    enum { EVERY = 10, MOST = 50 };
    const ch_scene_settings *scene = &demo->scene;
    cli_folder folder;
    uint8_t *mask = malloc((size_t)(scene->width * scene->height));
    int code = mask ? cli_folder_open(&folder, demo->session, demo->truth) : cli_no_memory();
    if (code == EXIT_DONE) {
        int64_t step = EVERY * (1 + scene->frames / (EVERY * MOST));
        for (int64_t f = step / 2; f < scene->frames && code == EXIT_DONE; f += step)
            code = write_mask(&folder, mask, f, scene);
        code = cli_folder_close(&folder, code, NULL);
    }
    free(mask);
    return code;
}

/* The very arguments that a user would type. */
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
    demo->clip = cli_path_join(demo->folder, "clip.mkv");
    demo->truth = cli_path_join(demo->folder, "truth");
    demo->output = cli_path_join(demo->folder, "video");
    if (!demo->clip || !demo->truth || !demo->output) return cli_no_memory();
    char *arguments[] = {demo->clip, "--truth",    demo->truth, "--method",  "robust-xray,median",
                         "--write",  "background", "-o",        demo->output};
    TRY(write_truth(demo));
    ch_context_set_progress(demo->session->context, cli_progress_event, NULL);
    return run_typed(demo, arguments, sizeof arguments / sizeof *arguments);
}
