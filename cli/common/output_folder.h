/* A result folder that gets all of its new files or none.
 *
 * Files are written to a hidden folder inside it and renamed into place at the end. A failure or
 * Ctrl-C removes them, and also the folder if it did not exist before. Files left by a killed run
 * are removed by the next run. Two runs may write to the same folder: at the end one waits for the
 * other, so that all files are from one run. */
#pragma once

#include "common/command.h"
#include <conehull/clip.h>
#include <conehull/io.h>
#include <conehull/picture.h>

enum { CLI_FOLDER_NAME = 64 };
#define CLI_FOLDER_STAGING ".conehull-run-XXXXXX"
/* The name of the file that marks a hidden folder as one that a later run may remove. */
#define CLI_FOLDER_MARK ".made-by-conehull"

typedef struct cli_folder {
    const cli_session *session;
    const char *path;
    char *staging;                  /* path of the hidden folder          */
    int at, staging_at;             /* descriptors of both folders, or -1 */
    char (*names)[CLI_FOLDER_NAME]; /* names of the files written so far  */
    int count, room;
    int created;
    /* Whether Ctrl-C ends the work but keeps the files; set it after cli_folder_open(). */
    int keeps;
    double opened; /* time of opening, by cli_seconds() */
} cli_folder;

/* Checks whether path can be used later: it is a writable folder, or its parent is. Creates
 * nothing; NULL is allowed. This and the functions below print errors and return the exit code. */
int cli_folder_check(const char *path);
/* Checks whether the file path can be written later: a temporary file is written in its folder and
 * then renamed. NULL is allowed. */
int cli_file_check(const char *path);

/* Refuses results at path, which cli_folder_check() has accepted, if path is the folder `input` or
 * inside it. */
int cli_folder_apart(const char *path, const char *input);

/* Creates path (not its parents) and the hidden folder. */
int cli_folder_open(cli_folder *folder, const cli_session *session, const char *path);

int cli_folder_matrix(cli_folder *folder, const char *name, const double *values, int64_t rows,
                      int64_t cols);
int cli_folder_arrays(cli_folder *folder, const char *name, const ch_npz_array *arrays, int count);
int cli_folder_text(cli_folder *folder, const char *name, const char *text, size_t length);
int cli_folder_json(cli_folder *folder, const char *name, const json_t *object);

/* Writes a text file: `write` prints to a stream in memory. */
typedef void (*cli_writer)(FILE *to, const void *user);
int cli_folder_write(cli_folder *folder, const char *name, cli_writer write, const void *user);

/* For files that a library call writes. cli_folder_begin() sets *path to where `name` is to be
 * written; it returns EXIT_INTERRUPTED after Ctrl-C. cli_folder_end() receives the status of that
 * call and frees the path. Several files may be in progress at once. */
int cli_folder_begin(cli_folder *folder, char **path, const char *name);
int cli_folder_end(cli_folder *folder, char *path, ch_status status);
/* Writes a picture. aspect is the width and height of its pixels. */
int cli_folder_picture(cli_folder *folder, const char *name, const ch_picture *picture,
                       const int64_t aspect[2]);

/* A video in the folder, written frame by frame. If it fails, it is ended immediately, and closing
 * it afterwards only frees it. */
typedef struct cli_video_file {
    cli_folder *folder;
    ch_video_writer *writer; /* NULL if not open  */
    char *path;              /* NULL if it failed */
} cli_video_file;
int cli_video_open(cli_video_file *file, cli_folder *folder, const char *name,
                   const ch_video_format *format, const ch_video_writer_settings *settings);
/* Gets the buffer for the next picture (ch_video_writer_place). */
int cli_video_place(cli_video_file *file, void **pixels);
int cli_video_add(cli_video_file *file, const void *pixels, double time);
/* If code is EXIT_DONE, completes the file, else discards it. Returns the exit code. */
int cli_video_close(cli_video_file *file, int code);

/* Abandons a file that was begun; the others continue. */
void cli_folder_drop(cli_folder *folder, const char *name);

/* If code is EXIT_DONE, renames the files into place in the order in which they were written,
 * removes files of an earlier run that match stale[] (patterns of fnmatch(), ended by NULL; NULL
 * for none) and were not written by this run, and syncs the folder. Otherwise removes everything.
 * Returns the exit code. */
int cli_folder_close(cli_folder *folder, int code, const char *const *stale);

/* Opens a hidden folder and locks it until the descriptor is closed. *locked is 0 if another run
 * uses it or the file system has no locks (stale_folders.c). */
int cli_folder_lock(const char *staging, int *locked);
/* Marks a hidden folder as one that a later run may remove with all its files. */
void cli_folder_mark(int staging_at);
/* Removes the hidden folders in path that no run uses. */
void cli_folder_sweep(const char *path);

/* Returns path/name, which the caller frees; NULL if memory is short. */
char *cli_path_join(const char *path, const char *name);
