/* Where the pictures of conehull live go: files of a folder, or standard output. Files appear when
 * the source ends, also by Ctrl-C, or when something fails after the warm-up: what was seen is
 * kept, as far as its files can be finished. */
#include "live/live_command.h"

static int open_folder(live_output *output, int64_t frames) {
    int code = cli_folder_open(&output->folder, output->session, output->given->output);
    output->open = 1;
    output->folder.keeps = 1;
    TRY(code);
    TRY(cli_films_open(&output->films, &output->folder, &output->pictures, &output->given->choice,
                       NULL));
    TRY(cli_stills_create(&output->stills, &output->pictures, 1, frames));
    TRY(cli_boxes_open(&output->boxes, &output->folder, &output->given->choice, NULL));
    return live_activity_open(&output->activity, &output->folder);
}

int live_output_open(live_output *output, const cli_session *session, live_arguments *given,
                     const ch_feed_info *info) {
    cli_pictures *pictures = &output->pictures;
    const cli_film_shape shape = {.width = info->width,
                                  .height = info->height,
                                  .planes = info->planes,
                                  .halves = info->halves,
                                  .yuv = info->yuv,
                                  .full_range = info->full_range,
                                  .matrix = info->matrix,
                                  .aspect = {info->aspect[0], info->aspect[1]},
                                  .rate = info->rate};
    *output = (live_output){.session = session, .given = given};
    TRY(cli_pictures_create(pictures, session, &shape));
    ch_picture side = cli_picture_shape(pictures, CLI_VIEW_SIDE),
               shown = cli_picture_shape(pictures, given->shown);
    if (given->port >= 0)
        TRY(live_page_open(&output->page, given->port, &side, session->common.quiet));
    if (!given->output) return EXIT_DONE;
    if (!given->pipe) return open_folder(output, info->frames);
    output->buffer = malloc((size_t)(3 * shown.width * shown.height));
    if (!output->buffer) return cli_no_memory();
    return live_pipe_begin(&shown, info->rate);
}

int live_output_wants_background(const live_output *output) {
    const live_arguments *given = output->given;
    int piped =
        given->pipe && (given->shown == CLI_VIEW_BACKGROUND || given->shown == CLI_VIEW_SIDE);
    if (piped || live_page_wants(output->page)) return 1;
    return output->open && (cli_films_show_background(&given->choice) ||
                            cli_stills_want(&output->stills, 0, output->written, 0));
}

int live_output_add(live_output *output, const ch_activity *activity, const cli_moment *now) {
    int64_t thickness = cli_outline_thickness(output->pictures.shape.width);
    ch_picture picture;
    if (output->given->pipe) {
        TRY(cli_picture_make(&output->pictures, &picture, output->given->shown, now, thickness));
        TRY(live_pipe_add(&picture, output->buffer));
    }
    if (output->open) {
        TRY(cli_films_add(&output->films, now));
        TRY(cli_stills_add(&output->stills, 0, output->written, 0, now));
        TRY(live_activity_add(&output->activity, activity, now));
        TRY(cli_boxes_add(&output->boxes, activity->objects, now->index, now->time));
    }
    output->written++;
    return EXIT_DONE;
}

int live_output_show(live_output *output, const cli_moment *now, const ch_live_result *result,
                     int warnings) {
    ch_picture picture;
    if (!live_page_wants(output->page)) return EXIT_DONE;
    TRY(cli_picture_make(&output->pictures, &picture, CLI_VIEW_SIDE, now, 1));
    live_page_show(output->page, picture.pixels, result->frame, ch_live_state_name(result->state),
                   warnings);
    return EXIT_DONE;
}

/* The background of the last frame. */
static int write_last(live_output *output, ch_live *live) {
    const cli_film_shape *info = &output->pictures.shape;
    ch_picture picture = {info->width, info->height, info->planes, output->pictures.background};
    if (ch_live_background_bytes(live, picture.pixels) < 0) return EXIT_DONE;
    if (info->halves) TRY(cli_halves_to_rgb(&output->pictures, picture.pixels));
    return cli_folder_picture(&output->folder, "background.png", &picture, info->aspect);
}

static void give_up(live_output *output, int view) {
    cli_video_close(&output->films.files[view], EXIT_EARLY);
    output->given->choice.views[view] = 0;
    if (output->films.names[view][0]) cli_folder_drop(&output->folder, output->films.names[view]);
}

typedef struct page_parts {
    json_t *scores;
    const report_film *film;
} page_parts;

static void put_page(FILE *to, const void *user) {
    const page_parts *parts = user;
    report_live_write(to, parts->scores, parts->film);
}

/* The page of what was seen: the answer, the curve of movement, some frames. */
static int write_page(live_output *output, const json_t *scores) {
    cli_stills *stills = &output->stills;
    const live_activity *activity = &output->activity;
    json_t *all = cli_json_merge(json_deep_copy(scores), live_activity_json(activity));
    if (!all || stills->film.count == 0) {
        json_decref(all);
        return all ? EXIT_DONE : cli_no_memory();
    }
    for (int64_t i = 0; i < stills->film.count; i++) {
        stills->rows[i] /= activity->spacing; /* spacings are powers of 2: the same frames */
        if (activity->points[stills->rows[i]].share >
            activity->points[stills->rows[stills->film.start]].share)
            stills->film.start = i;
    }
    int code = cli_folder_write(&output->folder, "report.html", put_page,
                                &(page_parts){all, &stills->film});
    json_decref(all);
    return code;
}

/* Each file by itself: one that fails does not take the others along. The first failure. */
static int finish_files(live_output *output, ch_live *live, const json_t *scores,
                        const cli_events *events) {
    cli_video_file *files = output->films.files;
    int code = EXIT_DONE;
    for (int k = 0; k < CLI_VIEWS; k++) /* first: it frees space on a full disk */
        if (files[k].writer && !files[k].path) give_up(output, k);
    for (int k = 0; k < CLI_VIEWS; k++) {
        if (!files[k].writer) continue;
        int ended = cli_video_close(&files[k], EXIT_DONE);
        if (ended != EXIT_DONE) give_up(output, k);
        if (code == EXIT_DONE) code = ended;
    }
    int listed = live_activity_close(&output->activity, EXIT_DONE);
    if (listed != EXIT_DONE) cli_folder_drop(&output->folder, "activity.csv");
    if (code == EXIT_DONE) code = listed;
    int boxes = cli_boxes_close(&output->boxes, EXIT_DONE);
    if (code == EXIT_DONE) code = boxes;
    int table = cli_events_write(events, &output->folder, "events.csv");
    if (table != EXIT_DONE) cli_folder_drop(&output->folder, "events.csv");
    if (code == EXIT_DONE) code = table;
    int page = scores ? write_page(output, scores) : EXIT_DONE;
    if (page != EXIT_DONE) cli_folder_drop(&output->folder, "report.html");
    if (code == EXIT_DONE) code = page;
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
        cli_complain("the results before this error are kept in %s:%s", folder->path, list);
    else
        cli_complain("nothing was written");
}

int live_output_close(live_output *output, int code, ch_live *live, const json_t *scores,
                      const cli_events *events) {
    enum { NAMES = 2 * CLI_VIEWS + CLI_FILM_TABLES };
    char names[NAMES][CLI_FILM_NAME];
    const char *stale[NAMES + 5];
    int count = cli_film_names(names, NAMES, NULL);
    for (int k = 0; k < count; k++) stale[k] = names[k];
    stale[count] = "scores.json";
    stale[count + 1] = "report.html";
    stale[count + 2] = cli_cut_names[0];
    stale[count + 3] = cli_cut_names[1];
    stale[count + 4] = NULL;
    if (output->open) {
        int seen = output->written > 0 && live;
        int finished = seen ? finish_files(output, live, scores, events) : EXIT_DONE;
        if (!failed(code) && finished != EXIT_DONE) code = finished;
        if (seen && failed(code)) report_kept(output);
        int kept = seen && output->folder.count > 0;
        for (int k = 0; k < CLI_VIEWS && !kept; k++) give_up(output, k);
        live_activity_close(&output->activity, EXIT_EARLY);
        cli_boxes_close(&output->boxes, EXIT_EARLY);
        int closed = cli_folder_close(&output->folder, kept ? EXIT_DONE : EXIT_EARLY, stale);
        if (kept && closed != EXIT_DONE) code = closed;
    }
    live_page_close(output->page);
    free(output->buffer);
    cli_stills_free(&output->stills);
    cli_pictures_free(&output->pictures);
    return code;
}
