/* Videos written frame by frame while the masks are made. */
#include "video/video_files.h"
#include "common/exit_codes.h"
#include "common/matrix_input.h"
#include "common/message.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const uint8_t outline[3] = {255, 64, 0};

static int no_memory(void) {
    cli_complain("out of memory");
    return EXIT_MEMORY;
}

const char *const video_names[VIDEO_NAMES] = {"background.mkv", "mask.mkv",       "overlay.mkv",
                                              "soft.mkv",       "background.png", "activity.csv"};

void video_file_name(char name[VIDEO_NAME_SIZE], const char *file, const char *suffix) {
    const char *dot = strrchr(file, '.');
    if (suffix)
        snprintf(name, VIDEO_NAME_SIZE, "%.*s-%s%s", (int)(dot - file), file, suffix, dot);
    else
        snprintf(name, VIDEO_NAME_SIZE, "%s", file);
}

int video_folder_close(cli_folder *folder, int code) {
    char names[VIDEO_METHODS_MAX + 1][VIDEO_NAMES][VIDEO_NAME_SIZE];
    const char *stale[(VIDEO_METHODS_MAX + 1) * VIDEO_NAMES + 1];
    int count = 0;
    for (int m = 0; m <= VIDEO_METHODS_MAX; m++)
        for (int k = 0; k < VIDEO_NAMES; k++) {
            video_file_name(names[m][k], video_names[k], m ? video_method_name(m - 1) : NULL);
            stale[count++] = names[m][k];
        }
    stale[count] = NULL;
    return cli_folder_close(folder, code, stale);
}

/* ---- what a frame of each file is ---- */

typedef ch_status (*make_frame)(video_files *files, const video_block *block, int64_t i,
                                const void **pixels);

static ch_status background_frame(video_files *files, const video_block *block, int64_t i,
                                  const void **pixels) {
    int64_t size = files->video->pixels;
    const uint8_t *planes[VIDEO_PLANES_MAX];
    for (int p = 0; p < files->video->planes; p++) {
        planes[p] = files->bytes + p * size;
        video_background_bytes(files->bytes + p * size, block->background[p] + i * size, size);
    }
    video_interleave(files->picture, planes, files->video->planes, size);
    *pixels = files->picture;
    if (block->first + i == files->video->clip.frames / 2)
        memcpy(files->middle, files->picture, (size_t)(size * files->video->planes));
    return CH_OK;
}

static ch_status mask_frame(video_files *files, const video_block *block, int64_t i,
                            const void **pixels) {
    *pixels = block->masks + i * files->video->pixels;
    return CH_OK;
}

static ch_status overlay_frame(video_files *files, const video_block *block, int64_t i,
                               const void **pixels) {
    const ch_clip *clip = &files->video->clip;
    int64_t size = files->video->pixels, thickness = clip->width / 400 + 1;
    const uint8_t *planes[VIDEO_PLANES_MAX];
    for (int p = 0; p < files->video->planes; p++) planes[p] = block->pixels[p] + i * size;
    *pixels = files->picture;
    return ch_mask_overlay(files->folder->session->context, files->picture, planes,
                           files->video->planes, block->masks + i * size, clip->width, clip->height,
                           thickness, outline);
}

static ch_status soft_frame(video_files *files, const video_block *block, int64_t i,
                            const void **pixels) {
    const float *scores = block->scores + i * files->video->pixels;
    for (int64_t j = 0; j < files->video->pixels; j++)
        files->levels[j] = (uint16_t)fminf(scores[j] * 256.0f + 0.5f, 65535.0f);
    *pixels = files->levels;
    return CH_OK;
}

/* The first of video_names[], in their order. */
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
    const ch_clip *clip = &files->video->clip;
    struct video_file *file = &files->files[files->count];
    char name[VIDEO_NAME_SIZE];
    int code;
    video_file_name(name, video_names[k], files->suffix);
    file->path = cli_folder_begin(files->folder, &code, name);
    if (!file->path) return code;
    ch_status status = ch_video_writer_open(
        files->folder->session->context, &file->writer, file->path, clip->width, clip->height,
        clip->colour ? kinds[k].colour : kinds[k].gray, clip->rate, NULL);
    if (status < 0) return cli_folder_end(files->folder, file->path, status);
    files->count++;
    return EXIT_DONE;
}

int video_files_open(video_files *files, cli_folder *folder, const video_clip *video,
                     const char *suffix, int soft, double *seconds) {
    memset(files, 0, sizeof *files);
    files->folder = folder;
    files->video = video;
    files->suffix = suffix;
    files->seconds = seconds;
    size_t pixels = (size_t)video->pixels;
    files->bytes = malloc(3 * pixels);
    files->picture = malloc(3 * pixels);
    files->middle = malloc(3 * pixels);
    files->levels = malloc(pixels * sizeof *files->levels);
    if (!files->bytes || !files->picture || !files->middle || !files->levels) return no_memory();
    int code = EXIT_DONE, count = soft ? VIDEO_FILES_MAX : VIDEO_FILES_MAX - 1;
    for (int k = 0; k < count && code == EXIT_DONE; k++) code = open_file(files, k);
    return code;
}

int video_files_hear(void *user, const video_block *block) {
    video_files *files = user;
    double start = cli_seconds();
    ch_status status = CH_OK;
    int k = 0;
    for (int64_t i = 0; i < block->count && status >= 0; i++)
        for (k = 0; k < files->count && status >= 0; k++) {
            const void *pixels;
            status = kinds[k].make(files, block, i, &pixels);
            if (status >= 0)
                status = ch_video_writer_add(files->files[k].writer, pixels,
                                             files->video->clip.time[block->first + i]);
        }
    *files->seconds += cli_seconds() - start;
    if (status >= 0) return EXIT_DONE;
    struct video_file *file = &files->files[k - 1];
    char *path = file->path;
    file->path = NULL;
    return cli_folder_end(files->folder, path, status);
}

static int write_middle(video_files *files) {
    char name[VIDEO_NAME_SIZE];
    int code;
    video_file_name(name, "background.png", files->suffix);
    char *path = cli_folder_begin(files->folder, &code, name);
    if (!path) return code;
    const ch_clip *clip = &files->video->clip;
    ch_picture picture = {clip->width, clip->height, files->video->planes, files->middle};
    return cli_folder_end(files->folder, path,
                          ch_picture_write(files->folder->session->context, path, &picture));
}

int video_files_close(video_files *files, int code) {
    double start = cli_seconds();
    for (int k = 0; k < files->count; k++) {
        struct video_file *file = &files->files[k];
        if (code == EXIT_DONE) {
            code = cli_folder_end(files->folder, file->path, ch_video_writer_commit(file->writer));
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
    if (files->seconds) *files->seconds += cli_seconds() - start;
    return code;
}
