/* The film of conehull demo. */
#include "demo/demo_clip.h"
#include "common/progress.h"
#include "video/video_command.h"
#include <stdlib.h>
#include <string.h>

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
    const ch_picture shape = {.width = scene->width, .height = scene->height};
    cli_video_file film;
    uint8_t *rgb = malloc((size_t)(3 * scene->width * scene->height));
    if (!rgb) return cli_no_memory();
    int code = cli_video_open(&film, folder, "clip.mkv", &shape, CH_PIXELS_RGB24, rate);
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
    return cli_folder_picture(folder, name, &(ch_picture){scene->width, scene->height, 1, mask});
}

static int write_truth(const cli_session *session, const char *path,
                       const ch_scene_settings *scene) {
    cli_folder folder;
    uint8_t *mask = malloc((size_t)(scene->width * scene->height));
    int code = mask ? cli_folder_open(&folder, session, path) : cli_no_memory();
    if (code == EXIT_DONE) {
        int64_t step = DEMO_TRUTH_EVERY * (1 + scene->frames / (DEMO_TRUTH_EVERY * 50));
        for (int64_t f = step / 2; f < scene->frames && code == EXIT_DONE; f += step)
            code = write_mask(&folder, mask, f, scene);
        code = cli_folder_close(&folder, code, NULL);
    }
    free(mask);
    return code;
}

/* The very words that a user would type. */
static int run_words(const cli_session *session, char **words, int count, json_t **scores) {
    cli_session inner = *session;
    video_arguments given;
    memset(&given, 0, sizeof given);
    memset(&inner.options, 0, sizeof inner.options);
    inner.options.command = "video";
    inner.argv = words;
    inner.argc = count;
    video_options_describe(&inner.options, &given);
    int code = cli_options_parse(&inner.options, session->context, count, words);
    if (code == EXIT_DONE) code = video_options_take(&inner, &given);
    if (code != EXIT_DONE) return code;
    video_run run;
    code = video_run_all(&run, &inner, &given);
    *scores = json_incref(run.scores);
    video_run_free(&run);
    return code;
}

int demo_clip_run(const cli_session *session, const char *path, const ch_scene_settings *scene,
                  json_t **scores) {
    char *clip = cli_path_join(path, "clip.mkv"), *truth = cli_path_join(path, "truth"),
         *video = cli_path_join(path, "video");
    char *words[] = {clip, "--truth", truth, "--method", "robust-xray,median", "-o", video};
    int code = clip && truth && video ? write_truth(session, truth, scene) : cli_no_memory();
    ch_context_set_progress(session->context, cli_progress_event, NULL);
    if (code == EXIT_DONE) code = run_words(session, words, sizeof words / sizeof *words, scores);
    free(clip);
    free(truth);
    free(video);
    return code;
}
