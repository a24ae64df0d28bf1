/* A folder that gets all of its new files or none of them.
 *
 * Files are written in a hidden folder inside it and renamed into place at the end; a failure or
 * Ctrl-C on the way removes them, and the folder too when it did not exist before. What a killed
 * run has left is removed by the next. Two runs may write to one folder: at the end one waits for
 * the other, so that all files are of one run. */
#pragma once

#include "common/command.h"
#include <conehull/clip.h>
#include <conehull/io.h>
#include <conehull/picture.h>

enum { CLI_FOLDER_NAME = 64 };
#define CLI_FOLDER_STAGING ".conehull-run-XXXXXX"
#define CLI_FOLDER_MARK \
    ".made-by-conehull" /* in the hidden folder: it is ours, and may be swept \
                         */

typedef struct cli_folder {
    const cli_session *session;
    const char *path;
    char *staging;                  /* the hidden folder                                      */
    int at, staging_at;             /* descriptors of both, or -1                             */
    char (*names)[CLI_FOLDER_NAME]; /* written so far                                         */
    int count, room;
    int created;
    int keeps;     /* Ctrl-C ends the work and keeps the files: set it after cli_folder_open() */
    double opened; /* when, by cli_seconds() */
} cli_folder;

/* Whether path could be used later: it is a writable folder, or its parent is. Creates nothing;
 * NULL is fine. This and the calls below complain themselves and return the exit code. */
int cli_folder_check(const char *path);
/* The same of a file, which is written beside its place and then renamed. */
int cli_file_check(const char *path);

/* Refuses results at path, which cli_folder_check() has passed, when that is the folder `input` or
 * lies in it. */
int cli_folder_apart(const char *path, const char *input);

/* Creates path (not its parents) and the hidden folder. */
int cli_folder_open(cli_folder *folder, const cli_session *session, const char *path);

int cli_folder_matrix(cli_folder *folder, const char *name, const double *values, int64_t rows,
                      int64_t cols);
int cli_folder_arrays(cli_folder *folder, const char *name, const ch_npz_array *arrays, int count);
int cli_folder_text(cli_folder *folder, const char *name, const char *text, size_t length);
int cli_folder_json(cli_folder *folder, const char *name, const json_t *object);

/* A text file: what `write` puts into the stream, which is in memory. */
typedef void (*cli_writer)(FILE *to, const void *user);
int cli_folder_write(cli_folder *folder, const char *name, cli_writer write, const void *user);

/* For files that a library call writes: *path is where `name` is to be written; then how that call
 * ended, which frees the path. Several files may be under way at once. Begin returns
 * EXIT_INTERRUPTED after Ctrl-C. */
int cli_folder_begin(cli_folder *folder, char **path, const char *name);
int cli_folder_end(cli_folder *folder, char *path, ch_status status);
/* aspect: of its pixels. */
int cli_folder_picture(cli_folder *folder, const char *name, const ch_picture *picture,
                       const int64_t aspect[2]);

/* A video in the folder, frame by frame. One that fails is ended at once, and closing it afterwards
 * only frees it. */
typedef struct cli_video_file {
    cli_folder *folder;
    ch_video_writer *writer; /* NULL: not open    */
    char *path;              /* NULL: it failed   */
} cli_video_file;
int cli_video_open(cli_video_file *file, cli_folder *folder, const char *name,
                   const ch_video_format *format, const ch_video_writer_settings *settings);
/* Where the next picture may be made (ch_video_writer_place). */
int cli_video_place(cli_video_file *file, void **pixels);
int cli_video_add(cli_video_file *file, const void *pixels, double time);
/* With code EXIT_DONE finishes the file, else discards it. Returns the exit code. */
int cli_video_close(cli_video_file *file, int code);

/* Gives up a file that was begun; the others go on. */
void cli_folder_drop(cli_folder *folder, const char *name);

/* With code EXIT_DONE renames the files into place, in the order they were written, removes those
 * of stale[] (patterns of fnmatch(), NULL at the end; NULL itself: none) that an earlier run left
 * and this one has not written, and brings the folder to disk. Otherwise removes everything.
 * Returns the exit code. */
int cli_folder_close(cli_folder *folder, int code, const char *const *stale);

/* Opens a hidden folder, and marks it as in use until the descriptor is closed; *locked 0: somebody
 * uses it, or the file system has no locks (stale_folders.c). */
int cli_folder_lock(const char *staging, int *locked);
/* Marks a hidden folder as one that a later run may remove with all its files. */
void cli_folder_mark(int staging_at);
/* Removes the hidden folders in path that nobody uses. */
void cli_folder_sweep(const char *path);

/* path/name, to be freed; NULL without memory. */
char *cli_path_join(const char *path, const char *name);
