/* The connected objects of every frame as tables, objects.csv and boxes.csv, written while frames
 * pass. */
#pragma once

#include "film/film_files.h"
#include <conehull/mask.h>

enum { CLI_BOXES_MOST = 100 }; /* of a frame: the largest */

typedef struct cli_boxes {
    cli_folder *folder;
    struct cli_box_table {
        ch_output_file *file; /* NULL: not wanted, or failed */
        char *path;
        char name[CLI_FILM_NAME];
    } objects, boxes;
    ch_mask_object *list; /* CLI_BOXES_MOST of them, for ch_mask_activity()                    */
    int64_t most;         /* how many are wanted of a frame: that, or none                     */
} cli_boxes;

/* These complain themselves and return the exit code. Whatever happens, close them. */
int cli_boxes_open(cli_boxes *boxes, cli_folder *folder, const cli_film_choice *choice,
                   const char *suffix);
/* The first `count` of the list, largest first. */
int cli_boxes_add(cli_boxes *boxes, int64_t count, int64_t index, double time);
/* With code EXIT_DONE finishes the files, else removes them; one that fails is dropped. */
int cli_boxes_close(cli_boxes *boxes, int code);
