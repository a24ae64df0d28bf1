/* Videos written frame by frame while the masks are made. */
#include "common/frame_planes.h"
#include "video/video_command.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

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

/* ---- what a frame of each file is ---- */

typedef ch_status (*make_frame)(video_files *files, const video_block *block, int64_t i,
                                const void **pixels);

static ch_status background_frame(video_files *files, const video_block *block, int64_t i,
                                  const void **pixels) {
    const video_clip *video = &files->run->video;
    const uint8_t *planes[VIDEO_PLANES_MAX];
    int64_t size = video->pixels;
    for (int p = 0; p < video->planes; p++) {
        planes[p] = files->bytes + p * size;
        video_background_bytes(files->bytes + p * size, block->background[p] + i * size, size);
    }
    cli_interleave(files->picture, planes, video->planes, size);
    *pixels = files->picture;
    if (block->first + i == video->clip.frames / 2)
        memcpy(files->middle, files->picture, (size_t)(size * video->planes));
    return CH_OK;
}

static ch_status mask_frame(video_files *files, const video_block *block, int64_t i,
                            const void **pixels) {
    *pixels = block->masks + i * files->run->video.pixels;
    return CH_OK;
}

static ch_status overlay_frame(video_files *files, const video_block *block, int64_t i,
                               const void **pixels) {
    const video_clip *video = &files->run->video;
    const ch_clip *clip = &video->clip;
    const uint8_t *planes[VIDEO_PLANES_MAX];
    for (int p = 0; p < video->planes; p++) planes[p] = block->pixels[p] + i * video->pixels;
    *pixels = files->picture;
    return ch_mask_overlay(files->run->session->context, files->picture, planes, video->planes,
                           block->masks + i * video->pixels, clip->width, clip->height,
                           clip->width / 400 + 1, cli_outline);
}

static ch_status soft_frame(video_files *files, const video_block *block, int64_t i,
                            const void **pixels) {
    int64_t size = files->run->video.pixels;
    const float *scores = block->scores + i * size;
    for (int64_t j = 0; j < size; j++)
        files->levels[j] = (uint16_t)fminf(scores[j] * 256.0f + 0.5f, 65535.0f);
    *pixels = files->levels;
    return CH_OK;
}

/* The first of names[], in their order. */
static const struct kind {
    ch_pixel_format gray, colour; /* how frames are stored, of a gray clip and of a colour clip */
    make_frame make;
} kinds[VIDEO_FILES_MAX] = {
    {CH_PIXELS_GRAY8, CH_PIXELS_RGB24, background_frame},
    {CH_PIXELS_GRAY8, CH_PIXELS_GRAY8, mask_frame},
    {CH_PIXELS_RGB24, CH_PIXELS_RGB24, overlay_frame},
    {CH_PIXELS_GRAY16, CH_PIXELS_GRAY16, soft_frame},
};

/* ---- open, add, close ---- */

static int open_file(video_files *files, int k) {
    video_run *run = files->run;
    const ch_clip *clip = &run->video.clip;
    struct video_file *file = &files->files[files->count];
    char name[VIDEO_NAME_SIZE];
    TRY(cli_folder_begin(&run->folder, &file->path, name_file(name, names[k], files->suffix)));
    ch_status status = ch_video_writer_open(
        run->session->context, &file->writer, file->path, clip->width, clip->height,
        clip->colour ? kinds[k].colour : kinds[k].gray, clip->rate, NULL);
    if (status < 0) return cli_folder_end(&run->folder, file->path, status);
    files->count++;
    return EXIT_DONE;
}

int video_files_open(video_files *files, video_run *run, const video_result *result) {
    size_t pixels = (size_t)run->video.pixels;
    *files = (video_files){.run = run,
                           .suffix = result->number ? video_method_name(result->method) : NULL,
                           .bytes = malloc(3 * pixels),
                           .picture = malloc(3 * pixels),
                           .middle = malloc(3 * pixels),
                           .levels = malloc(pixels * sizeof *files->levels)};
    if (!files->bytes || !files->picture || !files->middle || !files->levels)
        return cli_no_memory();
    for (int k = 0; k < (run->given->soft ? VIDEO_FILES_MAX : VIDEO_FILES_MAX - 1); k++)
        TRY(open_file(files, k));
    return EXIT_DONE;
}

int video_files_add(video_files *files, const video_block *block, video_result *result) {
    double start = cli_seconds();
    ch_status status = CH_OK;
    int k = 0;
    for (int64_t i = 0; i < block->count && status >= 0; i++)
        for (k = 0; k < files->count && status >= 0; k++) {
            const void *pixels;
            status = kinds[k].make(files, block, i, &pixels);
            if (status >= 0)
                status = ch_video_writer_add(files->files[k].writer, pixels,
                                             files->run->video.clip.time[block->first + i]);
        }
    result->write += cli_seconds() - start;
    if (status >= 0) return EXIT_DONE;
    struct video_file *file = &files->files[k - 1];
    char *path = file->path;
    file->path = NULL;
    return cli_folder_end(&files->run->folder, path, status);
}

static int write_middle(video_files *files) {
    video_run *run = files->run;
    char name[VIDEO_NAME_SIZE], *path;
    TRY(cli_folder_begin(&run->folder, &path, name_file(name, "background.png", files->suffix)));
    ch_picture picture = {run->video.clip.width, run->video.clip.height, run->video.planes,
                          files->middle};
    return cli_folder_end(&run->folder, path,
                          ch_picture_write(run->session->context, path, &picture));
}

int video_files_close(video_files *files, video_result *result, int code) {
    double start = cli_seconds();
    for (int k = 0; k < files->count; k++) {
        struct video_file *file = &files->files[k];
        if (code == EXIT_DONE) {
            code = cli_folder_end(&files->run->folder, file->path,
                                  ch_video_writer_commit(file->writer));
        } else {
            ch_video_writer_discard(file->writer);
            free(file->path);
        }
    }
    if (code == EXIT_DONE) code = write_middle(files);
    free(files->bytes);
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
