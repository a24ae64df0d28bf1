/* Videos written frame by frame while the masks are made. */
#include "video/video_command.h"
#include <math.h>

/* What each method writes: the videos, a picture, the activity. */
enum { NAMES = VIDEO_FILES_MAX + 2 };
static const char *const names[NAMES] = {"background.mkv", "mask.mkv",       "overlay.mkv",
                                         "soft.mkv",       "background.png", "activity.csv"};

/* "mask.mkv", or "mask-rpca.mkv" with the suffix. */
static const char *name_file(char name[VIDEO_NAME_SIZE], const char *file, const char *suffix) {
    const char *dot = strrchr(file, '.');
    if (!suffix) return file;
    snprintf(name, VIDEO_NAME_SIZE, "%.*s-%s%s", (int)(dot - file), file, suffix, dot);
    return name;
}

int video_folder_close(cli_folder *folder, int code) {
    char buffers[VIDEO_METHODS_MAX + 1][NAMES][VIDEO_NAME_SIZE];
    const char *stale[(VIDEO_METHODS_MAX + 1) * NAMES + 1];
    int count = 0;
    for (int m = 0; m <= VIDEO_METHODS_MAX; m++)
        for (int k = 0; k < NAMES; k++)
            stale[count++] =
                name_file(buffers[m][k], names[k], m ? video_method_name(m - 1) : NULL);
    stale[count] = NULL;
    return cli_folder_close(folder, code, stale);
}

/* The first of names[], in their order. */
enum { SOFT = REPORT_VIEWS };
static const struct kind {
    ch_pixel_format gray, colour; /* how frames are stored, of a gray clip and of a colour clip */
    int view;
} kinds[VIDEO_FILES_MAX] = {
    {CH_PIXELS_GRAY8, CH_PIXELS_RGB24, REPORT_BACKGROUND},
    {CH_PIXELS_GRAY8, CH_PIXELS_GRAY8, REPORT_MASK},
    {CH_PIXELS_RGB24, CH_PIXELS_RGB24, REPORT_OVERLAY},
    {CH_PIXELS_GRAY16, CH_PIXELS_GRAY16, SOFT},
};

int video_files_open(video_files *files, video_run *run, const video_result *result) {
    const ch_clip *clip = &run->video.clip;
    size_t pixels = (size_t)run->video.pixels;
    *files = (video_files){.run = run,
                           .suffix = result->number ? video_method_name(result->method) : NULL,
                           .picture = malloc(6 * pixels),
                           .middle = malloc(3 * pixels),
                           .levels = malloc(pixels * sizeof *files->levels)};
    if (!files->picture || !files->middle || !files->levels) return cli_no_memory();
    for (int k = 0; k < (run->given->soft ? VIDEO_FILES_MAX : VIDEO_FILES_MAX - 1); k++) {
        char name[VIDEO_NAME_SIZE];
        const ch_video_format format = {clip->width, clip->height,
                                        clip->colour ? kinds[k].colour : kinds[k].gray, clip->rate};
        TRY(cli_video_open(&files->files[files->count++], &run->folder,
                           name_file(name, names[k], files->suffix), &format));
    }
    return EXIT_DONE;
}

/* The score before the threshold, in 1/256 of a gray level. */
static int add_soft(video_files *files, const float *scores, double time) {
    for (int64_t j = 0; j < files->run->video.pixels; j++)
        files->levels[j] = (uint16_t)fminf(scores[j] * 256.0f + 0.5f, 65535.0f);
    return cli_video_add(&files->files[VIDEO_FILES_MAX - 1], files->levels, time);
}

static int add_frame(video_files *files, const video_block *block, int64_t i, int k) {
    const video_run *run = files->run;
    const ch_clip *clip = &run->video.clip;
    int64_t row = block->first + i, size = run->video.pixels;
    ch_picture picture;
    if (kinds[k].view == SOFT) return add_soft(files, block->scores + i * size, clip->time[row]);
    TRY(cli_check(run->session, video_frame(run, &picture, files->picture, block, i, kinds[k].view,
                                            clip->width / 400 + 1)));
    if (kinds[k].view == REPORT_BACKGROUND && row == clip->frames / 2)
        memcpy(files->middle, picture.pixels, (size_t)(size * picture.channels));
    return cli_video_add(&files->files[k], picture.pixels, clip->time[row]);
}

int video_files_add(video_files *files, const video_block *block, video_result *result) {
    double start = cli_seconds();
    for (int64_t i = 0; i < block->count; i++)
        for (int k = 0; k < files->count; k++) TRY(add_frame(files, block, i, k));
    result->write += cli_seconds() - start;
    return EXIT_DONE;
}

int video_files_close(video_files *files, video_result *result, int code) {
    const video_clip *video = &files->run->video;
    char name[VIDEO_NAME_SIZE];
    double start = cli_seconds();
    for (int k = 0; k < files->count; k++) code = cli_video_close(&files->files[k], code);
    if (code == EXIT_DONE)
        code = cli_folder_picture(
            &files->run->folder, name_file(name, "background.png", files->suffix),
            &(ch_picture){video->clip.width, video->clip.height, video->planes, files->middle});
    free(files->picture);
    free(files->middle);
    free(files->levels);
    result->write += cli_seconds() - start;
    return code;
}

/* ---- activity.csv ---- */

typedef struct activity {
    const video_result *result;
    const ch_clip *clip;
} activity;

static void put_activity(FILE *to, const void *user) {
    const activity *of = user;
    fputs("frame,time,foreground,share,objects,left,top,right,bottom\n", to);
    for (int64_t i = 0; i < of->clip->frames; i++) {
        const ch_activity *now = &of->result->activity[i];
        fprintf(to, "%lld,%.3f,%lld,%.6f,%lld,%lld,%lld,%lld,%lld\n", (long long)of->clip->index[i],
                of->clip->time[i], (long long)now->foreground, now->share, (long long)now->objects,
                (long long)now->left, (long long)now->top, (long long)now->right,
                (long long)now->bottom);
    }
}

int video_activity_write(video_files *files, const video_result *result) {
    char name[VIDEO_NAME_SIZE];
    return cli_folder_write(&files->run->folder, name_file(name, "activity.csv", files->suffix),
                            put_activity, &(activity){result, &files->run->video.clip});
}
