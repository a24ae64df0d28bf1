/* The videos that a run of video or live writes to its folder, and the choice among them. */
#pragma once

#include "common/output_folder.h"
#include "film/film_pictures.h"

/* The files to write. */
typedef struct cli_film_choice {
    int views[CLI_VIEWS];
    int boxes;    /* boxes.csv                                             */
    int objects;  /* objects.csv                                           */
    int lossless; /* lossless FFV1 in .mkv files, including the background */
    int none;     /* --write none                                          */
} cli_film_choice;

#define CLI_WRITE_HELP                                                                            \
    "files to write besides overlay.mp4 and mask.mkv. background: the video without what moves. " \
    "side: original, background and mask side by side. soft: the score before the "               \
    "threshold, 16 bits, in 1/256 of a gray level. objects: a table of the objects with their "   \
    "corners, area and centre. boxes: a table with x, y, width, height and area of each object. " \
    "none: write no video at all"
#define CLI_WRITE_WORDS "background|side|soft|objects|boxes|none"
#define CLI_LOSSLESS_HELP \
    "write background.mkv, mask.mkv and overlay.mkv, all lossless (FFV1), and no overlay.mp4"

/* Parses the list of --write (NULL: the default views) and refuses unknown names. Returns the exit
 * code. */
int cli_film_choose(cli_film_choice *choice, const char *command, const char *list, int lossless);
/* Patterns of the names of all files that video and live write, for cli_command.writes. */
extern const char *const cli_film_writes[];

/* Returns the file name of a view, such as "overlay.mp4". */
const char *cli_film_name(const cli_film_choice *choice, cli_view view);
/* Returns the view with this name, or -1 if there is none. */
int cli_view_find(const char *name, size_t length);

enum { CLI_FILM_NAME = 64, CLI_FILM_TABLES = 5 /* number of files that are not videos */ };
/* Writes the names of all files that a run may write, with the suffix or without (NULL), for
 * cli_folder_close(). names has space for `room` names. Returns their number. */
int cli_film_names(char names[][CLI_FILM_NAME], int room, const char *suffix);
/* Inserts the suffix into the name of a file: "mask.mkv" with the suffix "rpca" becomes
 * "mask-rpca.mkv". suffix may be NULL. */
const char *cli_film_suffixed(char name[CLI_FILM_NAME], const char *file, const char *suffix);

typedef struct cli_films {
    cli_pictures *pictures;
    const cli_film_choice *choice;
    cli_video_file files[CLI_VIEWS];
    char names[CLI_VIEWS][CLI_FILM_NAME]; /* names of the files; "": not written */
} cli_films;

/* The functions print errors and return the exit code. The caller must call cli_films_close(),
 * whatever the exit code. */
int cli_films_open(cli_films *films, cli_folder *folder, cli_pictures *pictures,
                   const cli_film_choice *choice, const char *suffix);
/* Returns whether one of the chosen files shows the background. */
int cli_films_show_background(const cli_film_choice *choice);
int cli_films_add(cli_films *films, const cli_moment *now);
/* If code is EXIT_DONE, completes the files, else removes them. */
int cli_films_close(cli_films *films, int code);
