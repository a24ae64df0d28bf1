/* The videos of a run in its folder: H.264 for players and lossless masks, or all videos in FFV1.
 * Each video is encoded by its own thread (ch_video_writer), while the next frame is processed. */
#include "film/film_files.h"
#include "common/try.h"

static const struct {
    const char *word, *usual, *lossless;
} views[CLI_VIEWS] = {
    [CLI_VIEW_BACKGROUND] = {"background", "background.mp4", "background.mkv"},
    [CLI_VIEW_MASK] = {"mask", "mask.mkv", "mask.mkv"},
    [CLI_VIEW_OVERLAY] = {"overlay", "overlay.mp4", "overlay.mkv"},
    [CLI_VIEW_SIDE] = {"side", "side.mp4", "side.mkv"},
    [CLI_VIEW_SOFT] = {"soft", "soft.mkv", "soft.mkv"},
};

const char *const cli_film_writes[] = {"background.m??",
                                       "background-*.m??",
                                       "mask.m??",
                                       "mask-*.m??",
                                       "overlay.m??",
                                       "overlay-*.m??",
                                       "side.m??",
                                       "side-*.m??",
                                       "soft.m??",
                                       "soft-*.m??",
                                       "background.png",
                                       "background-*.png",
                                       "activity.csv",
                                       "activity-*.csv",
                                       "objects.csv",
                                       "boxes.csv",
                                       "boxes-*.csv",
                                       "events.csv",
                                       "events-*.csv",
                                       "objects-*.csv",
                                       "event_[0-9][0-9][0-9]*.mp4",
                                       "event_[0-9][0-9][0-9]*.mkv",
                                       "scores.json",
                                       "report.html",
                                       NULL};

int cli_view_find(const char *name, size_t length) {
    for (int view = 0; view < CLI_VIEWS; view++)
        if (strlen(views[view].word) == length && strncmp(name, views[view].word, length) == 0)
            return view;
    return -1;
}

static int choose_listed(cli_film_choice *choice, const char *command, const char *list) {
    for (const char *at = list;; at++) {
        size_t length = strcspn(at, ",");
        int view = cli_view_find(at, length);
        if (view >= 0)
            choice->views[view] = 1;
        else if (length == 7 && strncmp(at, "objects", 7) == 0)
            choice->objects = 1;
        else if (length == 5 && strncmp(at, "boxes", 5) == 0)
            choice->boxes = 1;
        else
            return cli_refuse("%s: --write takes background, mask, overlay, side, soft, objects, "
                              "boxes or none; got '%.*s'",
                              command, (int)length, at);
        at += length;
        if (!*at) return EXIT_DONE;
    }
}

int cli_film_choose(cli_film_choice *choice, const char *command, const char *list, int lossless) {
    *choice = (cli_film_choice){.lossless = lossless};
    choice->none = list && strcmp(list, "none") == 0;
    if (choice->none) return EXIT_DONE;
    choice->views[CLI_VIEW_MASK] = choice->views[CLI_VIEW_OVERLAY] = 1;
    choice->views[CLI_VIEW_BACKGROUND] = lossless;
    return list ? choose_listed(choice, command, list) : EXIT_DONE;
}

const char *cli_film_name(const cli_film_choice *choice, cli_view view) {
    return choice->lossless ? views[view].lossless : views[view].usual;
}

const char *cli_film_suffixed(char name[CLI_FILM_NAME], const char *file, const char *suffix) {
    const char *dot = strrchr(file, '.');
    if (suffix)
        snprintf(name, CLI_FILM_NAME, "%.*s-%s%s", (int)(dot - file), file, suffix, dot);
    else
        snprintf(name, CLI_FILM_NAME, "%s", file);
    return name;
}

int cli_film_names(char names[][CLI_FILM_NAME], int room, const char *suffix) {
    static const char *const others[] = {"background.png", "activity.csv", "objects.csv",
                                         "boxes.csv", "events.csv"};
    int count = 0;
    for (int view = 0; view < CLI_VIEWS && count + 1 < room; view++) {
        cli_film_suffixed(names[count++], views[view].usual, suffix);
        cli_film_suffixed(names[count++], views[view].lossless, suffix);
    }
    for (size_t i = 0; i < sizeof others / sizeof *others && count < room; i++)
        cli_film_suffixed(names[count++], others[i], suffix);
    return count;
}

static ch_video_format format_of(const cli_pictures *pictures, cli_view view, int yuv) {
    const cli_film_shape *shape = &pictures->shape;
    ch_picture picture = cli_picture_shape(pictures, view);
    return (ch_video_format){.width = picture.width,
                             .height = picture.height,
                             .pixels = yuv                     ? CH_PIXELS_YUV420
                                       : view == CLI_VIEW_SOFT ? CH_PIXELS_GRAY16
                                       : picture.channels == 1 ? CH_PIXELS_GRAY8
                                                               : CH_PIXELS_RGB24,
                             .rate = shape->rate,
                             .aspect = {shape->aspect[0], shape->aspect[1]},
                             .full_range = shape->full_range,
                             .matrix = shape->matrix};
}

/* Returns whether a view is written in the planes of the decoder (YUV); this is so for overlays. */
static int goes_as_yuv(const cli_films *films, cli_view view) {
    return view == CLI_VIEW_OVERLAY && films->pictures->shape.yuv && !films->choice->lossless;
}

int cli_films_open(cli_films *films, cli_folder *folder, cli_pictures *pictures,
                   const cli_film_choice *choice, const char *suffix) {
    /* Gives H.264 a constant quantiser of 27. For 1080p with sensor noise the PSNR is 44 dB (mp4v
     * of OpenCV: 41.2). tune_play() in video_encode.c has the other parameters. */
    enum { QUALITY = 66 };
    *films = (cli_films){.pictures = pictures, .choice = choice};
    for (int view = 0; view < CLI_VIEWS; view++) {
        if (!choice->views[view]) continue;
        int exact = choice->lossless || view == CLI_VIEW_SOFT;
        ch_video_format format = format_of(pictures, view, goes_as_yuv(films, view));
        ch_video_writer_settings set;
        ch_video_writer_defaults(&set);
        set.codec = exact ? CH_CODEC_FFV1 : view == CLI_VIEW_MASK ? CH_CODEC_FLAT : CH_CODEC_PLAY;
        set.quality = QUALITY;
        cli_film_suffixed(films->names[view], cli_film_name(choice, view), suffix);
        TRY(cli_video_open(&films->files[view], folder, films->names[view], &format, &set));
    }
    return EXIT_DONE;
}

static int add_view(cli_films *films, cli_view view, const cli_moment *now) {
    const void *pixels;
    ch_picture picture;
    if (goes_as_yuv(films, view)) {
        void *place;
        TRY(cli_video_place(&films->files[view], &place));
        TRY(cli_overlay_yuv(films->pictures, place, now));
        pixels = place;
    } else if (view == CLI_VIEW_SOFT) {
        pixels = cli_soft_levels(films->pictures, now->score);
    } else {
        TRY(cli_picture_make(films->pictures, &picture, view, now,
                             cli_outline_thickness(films->pictures->shape.width)));
        pixels = picture.pixels;
    }
    return cli_video_add(&films->files[view], pixels, now->time);
}

int cli_films_show_background(const cli_film_choice *choice) {
    return choice->views[CLI_VIEW_BACKGROUND] || choice->views[CLI_VIEW_SIDE];
}

int cli_films_add(cli_films *films, const cli_moment *now) {
    for (int view = 0; view < CLI_VIEWS; view++)
        if (films->files[view].writer) TRY(add_view(films, view, now));
    return EXIT_DONE;
}

int cli_films_close(cli_films *films, int code) {
    for (int view = 0; view < CLI_VIEWS; view++)
        if (films->names[view][0]) code = cli_video_close(&films->files[view], code);
    return code;
}
