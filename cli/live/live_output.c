/* Where the pictures of conehull live go: files of a folder, or standard output. Files appear when
 * the source ends, also by Ctrl-C, or when something fails after the warm-up: what was seen is
 * kept, as far as its files can be finished. */
#include "live/live_command.h"
#include <stdlib.h>
#include <string.h>

static const char *const names[LIVE_KINDS] = {"background.mkv", "mask.mkv", "overlay.mkv",
                                              "side.mkv"};

/* Ends the file of that kind, with the status of its last call. */
static int end_file(live_output *output, int kind, ch_status status) {
    char *path = output->path[kind];
    output->path[kind] = NULL;
    return cli_folder_end(&output->folder, path, status);
}

static int open_file(live_output *output, live_kind kind) {
    static const ch_pixel_format stored[] = {[1] = CH_PIXELS_GRAY8, [3] = CH_PIXELS_RGB24};
    const ch_feed_info *info = &output->pictures.info;
    TRY(cli_folder_begin(&output->folder, &output->path[kind], names[kind]));
    ch_status status = ch_video_writer_open(
        output->session->context, &output->writer[kind], output->path[kind],
        live_picture_width(&output->pictures, kind), info->height,
        stored[live_picture_channels(&output->pictures, kind)], info->rate, NULL);
    return status < 0 ? end_file(output, kind, status) : EXIT_DONE;
}

static int open_folder(live_output *output) {
    int code = cli_folder_open(&output->folder, output->session, output->given->output);
    output->open = 1;
    output->folder.keeps = 1;
    for (int k = 0; k < LIVE_KINDS && code == EXIT_DONE; k++)
        if (output->given->writes[k]) code = open_file(output, (live_kind)k);
    return code;
}

int live_output_open(live_output *output, const cli_session *session, live_arguments *given,
                     const ch_feed_info *info) {
    live_pictures *pictures = &output->pictures;
    *output = (live_output){.session = session, .given = given};
    TRY(live_pictures_create(pictures, session, info));
    if (given->port >= 0)
        TRY(live_page_open(&output->page, given->port, live_picture_width(pictures, LIVE_SIDE),
                           info->height, live_picture_channels(pictures, LIVE_SIDE),
                           session->common.quiet));
    if (!given->output) return EXIT_DONE;
    if (!given->pipe) return open_folder(output);
    int64_t width = live_picture_width(pictures, given->shown);
    output->buffer = malloc((size_t)(3 * width * info->height));
    if (!output->buffer) return cli_no_memory();
    return live_pipe_begin(width, info->height, live_picture_channels(pictures, given->shown),
                           info->rate);
}

static int add_to_pipe(live_output *output, ch_live *live, const ch_live_result *result,
                       const uint8_t *const *planes) {
    live_kind kind = output->given->shown;
    const uint8_t *pixels = live_picture(&output->pictures, kind, live, result, planes);
    if (!pixels) return EXIT_FILES;
    return live_pipe_add(pixels, output->buffer,
                         live_picture_width(&output->pictures, kind) * output->pictures.info.height,
                         live_picture_channels(&output->pictures, kind));
}

static int add_to_file(live_output *output, live_kind kind, ch_live *live,
                       const ch_live_result *result, const uint8_t *const *planes, double time) {
    const uint8_t *pixels = live_picture(&output->pictures, kind, live, result, planes);
    if (!pixels) return EXIT_FILES;
    ch_status status = ch_video_writer_add(output->writer[kind], pixels, time);
    return status < 0 ? end_file(output, kind, status) : EXIT_DONE;
}

int live_output_add(live_output *output, ch_live *live, const ch_live_result *result,
                    const uint8_t *const *planes, double time) {
    if (output->given->pipe) TRY(add_to_pipe(output, live, result, planes));
    for (int k = 0; k < LIVE_KINDS; k++)
        if (output->writer[k]) TRY(add_to_file(output, (live_kind)k, live, result, planes, time));
    output->written++;
    return EXIT_DONE;
}

int live_output_show(live_output *output, ch_live *live, const ch_live_result *result,
                     const uint8_t *const *planes) {
    if (!live_page_wants(output->page)) return EXIT_DONE;
    const uint8_t *pixels = live_picture(&output->pictures, LIVE_SIDE, live, result, planes);
    if (!pixels) return EXIT_FILES;
    live_page_show(output->page, pixels, result->frame, ch_live_state_name(result->state));
    return EXIT_DONE;
}

/* The background of the last frame. */
static int write_last(live_output *output, ch_live *live) {
    const ch_feed_info *info = &output->pictures.info;
    char *path;
    if (ch_live_background_bytes(live, output->pictures.background) < 0) return EXIT_DONE;
    TRY(cli_folder_begin(&output->folder, &path, "background.png"));
    ch_picture picture = {info->width, info->height, info->planes, output->pictures.background};
    return cli_folder_end(&output->folder, path,
                          ch_picture_write(output->session->context, path, &picture));
}

static void give_up(live_output *output, int kind) {
    ch_video_writer_discard(output->writer[kind]);
    free(output->path[kind]);
    output->writer[kind] = NULL;
    output->path[kind] = NULL;
    output->given->writes[kind] = 0;
    cli_folder_drop(&output->folder, names[kind]);
}

static int finish_film(live_output *output, int kind) {
    ch_video_writer *writer = output->writer[kind];
    output->writer[kind] = NULL;
    int code = end_file(output, kind, ch_video_writer_commit(writer));
    if (code != EXIT_DONE) give_up(output, kind);
    return code;
}

/* Each file by itself: one that fails does not take the others along. The first failure. */
static int finish_files(live_output *output, ch_live *live, const json_t *scores) {
    int code = EXIT_DONE;
    for (int k = 0; k < LIVE_KINDS; k++) /* first: it frees space on a full disk */
        if (output->writer[k] && !output->path[k]) give_up(output, k);
    for (int k = 0; k < LIVE_KINDS; k++) {
        int ended = output->writer[k] ? finish_film(output, k) : EXIT_DONE;
        if (code == EXIT_DONE) code = ended;
    }
    int last = write_last(output, live);
    if (last != EXIT_DONE) cli_folder_drop(&output->folder, "background.png");
    int json = scores ? cli_folder_json(&output->folder, "scores.json", scores) : EXIT_DONE;
    if (json != EXIT_DONE) cli_folder_drop(&output->folder, "scores.json");
    return code != EXIT_DONE ? code : last != EXIT_DONE ? last : json;
}

static int failed(int code) {
    return code > EXIT_EARLY && code != EXIT_INTERRUPTED;
}

/* What there is in spite of a failure. */
static void report_kept(const live_output *output) {
    const cli_folder *folder = &output->folder;
    char list[256] = "";
    for (int i = 0; i < folder->count; i++) {
        size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, " %s", folder->names[i]);
    }
    if (folder->count > 0)
        cli_complain("what was seen before that is kept in %s:%s", folder->path, list);
    else
        cli_complain("nothing was written");
}

int live_output_close(live_output *output, int code, ch_live *live, const json_t *scores) {
    static const char *const stale[] = {"background.mkv", "mask.mkv",    "overlay.mkv", "side.mkv",
                                        "background.png", "scores.json", NULL};
    if (output->open) {
        int seen = output->written > 0 && live;
        int finished = seen ? finish_files(output, live, scores) : EXIT_DONE;
        if (!failed(code) && finished != EXIT_DONE) code = finished;
        if (seen && failed(code)) report_kept(output);
        int kept = seen && output->folder.count > 0;
        for (int k = 0; k < LIVE_KINDS && !kept; k++) give_up(output, k);
        int closed = cli_folder_close(&output->folder, kept ? EXIT_DONE : EXIT_EARLY, stale);
        if (kept && closed != EXIT_DONE) code = closed;
    }
    live_page_close(output->page);
    free(output->buffer);
    live_pictures_free(&output->pictures);
    return code;
}
