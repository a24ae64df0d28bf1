/* Writes the files of one method, frame by frame while the masks are computed. */
#include "video/video_command.h"

enum { NAMES = 2 * CLI_VIEWS + CLI_FILM_TABLES };

int video_folder_close(cli_folder *folder, int code) {
    char buffers[(VIDEO_METHODS_MAX + 1) * NAMES][CLI_FILM_NAME];
    const char *stale[(VIDEO_METHODS_MAX + 1) * NAMES + 3];
    int count = 0;
    for (int m = 0; m <= VIDEO_METHODS_MAX; m++)
        count += cli_film_names(buffers + count, NAMES, m ? video_method_name(m - 1) : NULL);
    for (int k = 0; k < count; k++) stale[k] = buffers[k];
    stale[count] = cli_cut_names[0];
    stale[count + 1] = cli_cut_names[1];
    stale[count + 2] = NULL;
    return cli_folder_close(folder, code, stale);
}

int video_files_open(video_files *files, video_run *run, const video_result *result) {
    *files = (video_files){.run = run,
                           .suffix = result->number ? video_method_name(result->method) : NULL,
                           .middle = malloc(3 * (size_t)run->video.pixels)};
    if (!files->middle) return cli_no_memory();
    TRY(cli_boxes_open(&files->boxes, &run->folder, &run->given->choice, files->suffix));
    return cli_films_open(&files->films, &run->folder, &run->pictures, &run->given->choice,
                          files->suffix);
}

cli_moment video_moment(const video_run *run, const video_block *block, int64_t i) {
    int64_t size = run->video.pixels, row = block->first + i;
    cli_moment now = {.yuv = block->yuv,
                      .halves = run->video.clip.halves,
                      .mask = block->masks + i * size,
                      .score = block->scores ? block->scores + i * size : NULL,
                      .index = run->video.index[row],
                      .time = run->video.time[row]};
    for (int p = 0; p < run->video.planes; p++) {
        now.planes[p] = block->pixels[p] + i * size;
        if (block->background[p]) now.background[p] = block->background[p] + i * size;
    }
    return now;
}

/* Returns the frame whose background becomes background.png. If the clip ends before it, the first
 * frame is used. */
static int64_t middle_of(const video_clip *video) {
    return (video->streams ? video->clip.spread_over : video->frames) / 2;
}

int video_files_want(const video_files *files, int64_t row) {
    return cli_films_show_background(&files->run->given->choice) ||
           row == middle_of(&files->run->video);
}

int video_files_add(video_files *files, const video_block *block, video_result *result) {
    video_run *run = files->run;
    double start = cli_seconds();
    for (int64_t i = 0; i < block->count; i++) {
        cli_moment now = video_moment(run, block, i);
        if (block->first + i == 0 || block->first + i == middle_of(&run->video)) {
            ch_picture picture;
            TRY(cli_picture_make(&run->pictures, &picture, CLI_VIEW_BACKGROUND, &now, 0));
            memcpy(files->middle, picture.pixels, (size_t)(run->video.pixels * picture.channels));
        }
        TRY(cli_films_add(&files->films, &now));
    }
    result->write += cli_seconds() - start;
    return EXIT_DONE;
}

int video_files_close(video_files *files, video_result *result, int code) {
    const video_clip *video = &files->run->video;
    char name[CLI_FILM_NAME];
    double start = cli_seconds();
    code = cli_films_close(&files->films, code);
    if (code == EXIT_DONE)
        code = cli_folder_picture(
            &files->run->folder, cli_film_suffixed(name, "background.png", files->suffix),
            &(ch_picture){video->clip.width, video->clip.height, video->planes, files->middle},
            video->shape.aspect);
    code = cli_boxes_close(&files->boxes, code);
    free(files->middle);
    result->write += cli_seconds() - start;
    return code;
}

/* ---- activity.csv ---- */

typedef struct activity {
    const video_result *result;
    const video_clip *clip;
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
    char name[CLI_FILM_NAME];
    TRY(cli_folder_write(&files->run->folder,
                         cli_film_suffixed(name, "activity.csv", files->suffix), put_activity,
                         &(activity){result, &files->run->video}));
    return cli_events_write(&result->events, &files->run->folder,
                            cli_film_suffixed(name, "events.csv", files->suffix));
}
