/* The connected objects of every frame as tables, objects.csv and boxes.csv, written frame by
 * frame. */
#pragma once

#include "film/film_files.h"
#include <conehull/mask.h>

enum { CLI_BOXES_MOST = 100 }; /* maximum number of objects per frame; the largest are written */

typedef struct cli_boxes {
    cli_folder *folder;
    struct cli_box_table {
        ch_output_file *file; /* NULL: the file is not requested, or writing it failed */
        char *path;
        char name[CLI_FILM_NAME];
    } objects, boxes;
    ch_mask_object *list; /* CLI_BOXES_MOST objects, filled by ch_mask_activity() */
    int64_t most;         /* CLI_BOXES_MOST, or 0 if no table is requested */
} cli_boxes;

/* The functions print errors and return the exit code. The caller must call cli_boxes_close(),
 * whatever the exit code. */
int cli_boxes_open(cli_boxes *boxes, cli_folder *folder, const cli_film_choice *choice,
                   const char *suffix);
/* Adds the first `count` objects of boxes->list, which are sorted by decreasing size. */
int cli_boxes_add(cli_boxes *boxes, int64_t count, int64_t index, double time);
/* If code is EXIT_DONE, completes the files, else removes them. A file that cannot be completed is
 * removed. */
int cli_boxes_close(cli_boxes *boxes, int code);
