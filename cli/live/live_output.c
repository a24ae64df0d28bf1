/* Where the pictures of conehull live go: files of a folder, or standard output. Files appear when
 * the source ends, also by Ctrl-C, or when something fails after the warm-up: what was seen is
 * kept, as far as its files can be finished. */
#include "live/live_command.h"

static const char *const names[LIVE_KINDS] = {"background.mkv", "mask.mkv", "overlay.mkv",
                                              "side.mkv"};

static int open_folder(live_output *output) {
    int code = cli_folder_open(&output->folder, output->session, output->given->output);
    output->open = 1;
    output->folder.keeps = 1;
    for (int k = 0; k < LIVE_KINDS && code == EXIT_DONE; k++) {
        ch_picture shape = live_picture_shape(&output->pictures, (live_kind)k);
        const ch_video_format format = {shape.width, shape.height,
                                        shape.channels == 1 ? CH_PIXELS_GRAY8 : CH_PIXELS_RGB24,
                                        output->pictures.info.rate};
        if (output->given->writes[k])
            code = cli_video_open(&output->films[k], &output->folder, names[k], &format);
    }
    return code;
}

int live_output_open(live_output *output, const cli_session *session, live_arguments *given,
                     const ch_feed_info *info) {
    live_pictures *pictures = &output->pictures;
    *output = (live_output){.session = session, .given = given};
    TRY(live_pictures_create(pictures, session, info));
    ch_picture side = live_picture_shape(pictures, LIVE_SIDE),
               shown = live_picture_shape(pictures, given->shown);
    if (given->port >= 0)
        TRY(live_page_open(&output->page, given->port, &side, session->common.quiet));
    if (!given->output) return EXIT_DONE;
    if (!given->pipe) return open_folder(output);
    output->buffer = malloc((size_t)(3 * shown.width * shown.height));
    if (!output->buffer) return cli_no_memory();
    return live_pipe_begin(&shown, info->rate);
}

int live_output_add(live_output *output, const live_moment *now) {
    ch_picture picture;
    if (output->given->pipe) {
        TRY(live_picture_make(&output->pictures, &picture, output->given->shown, now));
        TRY(live_pipe_add(&picture, output->buffer));
    }
    for (int k = 0; k < LIVE_KINDS; k++) {
        if (!output->films[k].writer) continue;
        TRY(live_picture_make(&output->pictures, &picture, (live_kind)k, now));
        TRY(cli_video_add(&output->films[k], picture.pixels, now->time));
    }
    output->written++;
    return EXIT_DONE;
}

int live_output_show(live_output *output, const live_moment *now) {
    ch_picture picture;
    if (!live_page_wants(output->page)) return EXIT_DONE;
    TRY(live_picture_make(&output->pictures, &picture, LIVE_SIDE, now));
    live_page_show(output->page, picture.pixels, now->result->frame,
                   ch_live_state_name(now->result->state));
    return EXIT_DONE;
}

/* The background of the last frame. */
static int write_last(live_output *output, ch_live *live) {
    const ch_feed_info *info = &output->pictures.info;
    ch_picture picture = {info->width, info->height, info->planes, output->pictures.background};
    if (ch_live_background_bytes(live, picture.pixels) < 0) return EXIT_DONE;
    return cli_folder_picture(&output->folder, "background.png", &picture);
}

static void give_up(live_output *output, int kind) {
    cli_video_close(&output->films[kind], EXIT_EARLY);
    output->given->writes[kind] = 0;
    cli_folder_drop(&output->folder, names[kind]);
}

/* Each file by itself: one that fails does not take the others along. The first failure. */
static int finish_files(live_output *output, ch_live *live, const json_t *scores) {
    int code = EXIT_DONE;
    for (int k = 0; k < LIVE_KINDS; k++) /* first: it frees space on a full disk */
        if (output->films[k].writer && !output->films[k].path) give_up(output, k);
    for (int k = 0; k < LIVE_KINDS; k++) {
        int ended = cli_video_close(&output->films[k], EXIT_DONE);
        if (ended != EXIT_DONE) give_up(output, k);
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
    free(output->pictures.side);
    return code;
}
