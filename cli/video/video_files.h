/* The videos and pictures that one method of conehull video leaves in the folder. */
#ifndef CONEHULL_VIDEO_FILES_H
#define CONEHULL_VIDEO_FILES_H

#include "common/output_folder.h"
#include "video/video_command.h"

enum { VIDEO_FILES_MAX = 4, VIDEO_NAMES = VIDEO_FILES_MAX + 2, VIDEO_NAME_SIZE = 64 };

typedef struct video_files {
    cli_folder *folder;
    const video_clip *video;
    const char *suffix; /* NULL, or the method's name: part of the file names                 */
    double *seconds;    /* what the writing took is added there                               */
    int count;
    struct video_file {
        ch_video_writer *writer;
        char *path;
    } files[VIDEO_FILES_MAX];
    uint8_t *bytes, *picture, *middle; /* planes; interleaved; the background in the middle   */
    uint16_t *levels;
} video_files;

/* Opens the files. Whatever happens, end with video_files_close(). */
int video_files_open(video_files *files, cli_folder *folder, const video_clip *video,
                     const char *suffix, int soft, double *seconds);
/* A listener of video_mask(). */
int video_files_hear(void *files, const video_block *block);
/* With code EXIT_DONE ends the files and writes background.png; else removes them. */
int video_files_close(video_files *files, int code);

/* What each method writes: the videos, a picture, the activity. */
extern const char *const video_names[VIDEO_NAMES];
/* "mask.mkv", or "mask-rpca.mkv" with the suffix. */
void video_file_name(char name[VIDEO_NAME_SIZE], const char *file, const char *suffix);

/* Closes the folder; of what earlier runs left there it removes the files that belong to methods
 * or options of theirs alone. */
int video_folder_close(cli_folder *folder, int code);

#endif
