/* The videos of a run of video or live in its folder, and which of them are wanted. */
#pragma once

#include "common/output_folder.h"
#include "film/film_pictures.h"

/* Which files. */
typedef struct cli_film_choice {
    int views[CLI_VIEWS];
    int boxes;    /* boxes.csv                                                        */
    int objects;  /* objects.csv                                                      */
    int lossless; /* FFV1 in .mkv files, the background too                           */
    int none;     /* --write none                                                     */
} cli_film_choice;

#define CLI_WRITE_HELP                                                                            \
    "files to write besides overlay.mp4 and mask.mkv. background: the video without what moves. " \
    "side: original, background and mask beside each other. soft: the score before the "          \
    "threshold, 16 bits, in 1/256 of a gray level. objects: a table of the objects with their "   \
    "corners, area and centre. boxes: a table with x, y, width, height and area of each object. " \
    "none: write no video at all"
#define CLI_WRITE_WORDS "background|side|soft|objects|boxes|none"
#define CLI_LOSSLESS_HELP \
    "write background.mkv, mask.mkv and overlay.mkv, all lossless (FFV1), and no overlay.mp4"

/* The views of --write (NULL: the usual ones); refuses names that are none. */
int cli_film_choose(cli_film_choice *choice, const char *command, const char *list, int lossless);
/* Patterns of all names in the folder of video and of live, for cli_command.writes. */
extern const char *const cli_film_writes[];

/* "overlay.mp4" */
const char *cli_film_name(const cli_film_choice *choice, cli_view view);
/* The view of a name, or -1. */
int cli_view_find(const char *name, size_t length);

enum { CLI_FILM_NAME = 64, CLI_FILM_TABLES = 5 /* files that are no videos */ };
/* All names that a run may leave, with the suffix or without (NULL), for cli_folder_close(): as
 * many of them as fit into `room`, with NULL at the end. */
int cli_film_names(char names[][CLI_FILM_NAME], int room, const char *suffix);
/* "mask.mkv", or with the suffix "rpca" "mask-rpca.mkv". */
const char *cli_film_suffixed(char name[CLI_FILM_NAME], const char *file, const char *suffix);

typedef struct cli_films {
    cli_pictures *pictures;
    const cli_film_choice *choice;
    cli_video_file files[CLI_VIEWS];
    char names[CLI_VIEWS][CLI_FILM_NAME]; /* of files; "": not written */
} cli_films;

/* Calls complain themselves and return the exit code. Whatever happens, close them. */
int cli_films_open(cli_films *films, cli_folder *folder, cli_pictures *pictures,
                   const cli_film_choice *choice, const char *suffix);
/* Whether a file of the choice shows backgrounds. */
int cli_films_show_background(const cli_film_choice *choice);
int cli_films_add(cli_films *films, const cli_moment *now);
/* With code EXIT_DONE ends the files, else removes them. */
int cli_films_close(cli_films *films, int code);
