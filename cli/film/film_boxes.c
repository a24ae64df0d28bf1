/* Writes the objects of frames as tables. objects.csv has corners and centres; boxes.csv has left,
 * top, width and height, as other programs for boxes require. */
#include "film/film_boxes.h"
#include "common/try.h"

static int give_up(cli_boxes *boxes, struct cli_box_table *table, ch_status status) {
    ch_output_file_discard(table->file);
    char *path = table->path;
    table->file = NULL;
    table->path = NULL;
    int code = cli_folder_end(boxes->folder, path, status);
    cli_folder_drop(boxes->folder, table->name);
    return code;
}

static int put(cli_boxes *boxes, struct cli_box_table *table, const char *text, int length) {
    if (!table->file) return EXIT_DONE;
    ch_status status = ch_output_file_write(table->file, text, (size_t)length);
    return status < 0 ? give_up(boxes, table, status) : EXIT_DONE;
}

static int open_table(cli_boxes *boxes, struct cli_box_table *table, const char *name,
                      const char *suffix, const char *head) {
    cli_film_suffixed(table->name, name, suffix);
    TRY(cli_folder_begin(boxes->folder, &table->path, table->name));
    ch_status status =
        ch_output_file_open(boxes->folder->session->context, &table->file, table->path);
    return status < 0 ? give_up(boxes, table, status) : put(boxes, table, head, (int)strlen(head));
}

int cli_boxes_open(cli_boxes *boxes, cli_folder *folder, const cli_film_choice *choice,
                   const char *suffix) {
    *boxes = (cli_boxes){.folder = folder,
                         .most = choice->objects || choice->boxes ? CLI_BOXES_MOST : 0};
    boxes->list = malloc(CLI_BOXES_MOST * sizeof *boxes->list);
    if (!boxes->list) return cli_no_memory();
    if (choice->objects)
        TRY(open_table(boxes, &boxes->objects, "objects.csv", suffix,
                       "frame,time,object,left,top,right,bottom,area,x,y\n"));
    if (choice->boxes)
        TRY(open_table(boxes, &boxes->boxes, "boxes.csv", suffix,
                       "frame,time,x,y,width,height,area\n"));
    return EXIT_DONE;
}

int cli_boxes_add(cli_boxes *boxes, int64_t count, int64_t index, double time) {
    char line[240];
    for (int64_t k = 0; k < count && k < boxes->most; k++) {
        const ch_mask_object *o = &boxes->list[k];
        long long width = o->right - o->left, height = o->bottom - o->top;
        int length =
            snprintf(line, sizeof line, "%lld,%.3f,%lld,%lld,%lld,%lld,%lld,%lld,%.1f,%.1f\n",
                     (long long)index, time, (long long)k, (long long)o->left, (long long)o->top,
                     (long long)o->right, (long long)o->bottom, (long long)o->area, o->x, o->y);
        TRY(put(boxes, &boxes->objects, line, length));
        length = snprintf(line, sizeof line, "%lld,%.3f,%lld,%lld,%lld,%lld,%lld\n",
                          (long long)index, time, (long long)o->left, (long long)o->top, width,
                          height, (long long)o->area);
        TRY(put(boxes, &boxes->boxes, line, length));
    }
    return EXIT_DONE;
}

static int close_table(cli_boxes *boxes, struct cli_box_table *table, int code) {
    ch_output_file *file = table->file;
    char *path = table->path;
    table->file = NULL;
    table->path = NULL;
    if (!file) return code;
    if (code != EXIT_DONE) {
        ch_output_file_discard(file);
        free(path);
        return code;
    }
    code = cli_folder_end(boxes->folder, path, ch_output_file_commit(file));
    if (code != EXIT_DONE) cli_folder_drop(boxes->folder, table->name);
    return code;
}

int cli_boxes_close(cli_boxes *boxes, int code) {
    int objects = close_table(boxes, &boxes->objects, code);
    int table = close_table(boxes, &boxes->boxes, code);
    free(boxes->list);
    boxes->list = NULL;
    boxes->most = 0;
    return objects != EXIT_DONE ? objects : table;
}
