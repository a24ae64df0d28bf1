/* The files of a result folder by kind: matrices, arrays, texts, pictures, videos. */
#include "common/output_folder.h"
#include "common/try.h"

int cli_folder_matrix(cli_folder *folder, const char *name, const double *values, int64_t rows,
                      int64_t cols) {
    ch_context *context = folder->session->context;
    ch_matrix view;
    char *path;
    TRY(cli_folder_begin(folder, &path, name));
    ch_status status = ch_matrix_borrow(context, &view,
                                        &(ch_matrix){.rows = rows, .cols = cols, .values = values});
    if (status >= 0) status = ch_matrix_write(context, path, &view);
    return cli_folder_end(folder, path, status);
}

int cli_folder_arrays(cli_folder *folder, const char *name, const ch_npz_array *arrays, int count) {
    char *path;
    TRY(cli_folder_begin(folder, &path, name));
    return cli_folder_end(folder, path,
                          ch_npz_write(folder->session->context, path, arrays, count));
}

int cli_folder_text(cli_folder *folder, const char *name, const char *text, size_t length) {
    ch_output_file *output = NULL;
    char *path;
    TRY(cli_folder_begin(folder, &path, name));
    ch_status status = ch_output_file_open(folder->session->context, &output, path);
    if (status >= 0) status = ch_output_file_write(output, text, length);
    if (status < 0)
        ch_output_file_discard(output);
    else
        status = ch_output_file_commit(output);
    return cli_folder_end(folder, path, status);
}

int cli_folder_write(cli_folder *folder, const char *name, cli_writer write, const void *user) {
    char *text = NULL;
    size_t length = 0;
    FILE *to = open_memstream(&text, &length);
    if (to) write(to, user);
    int code =
        to && fclose(to) == 0 ? cli_folder_text(folder, name, text, length) : cli_no_memory();
    free(text);
    return code;
}

int cli_folder_json(cli_folder *folder, const char *name, const json_t *object) {
    char *text = cli_json_text(object, JSON_INDENT(1));
    if (!text) return cli_no_memory();
    size_t length = strlen(text);
    text[length++] = '\n'; /* replaces the terminating zero */
    int code = cli_folder_text(folder, name, text, length);
    free(text);
    return code;
}

int cli_folder_picture(cli_folder *folder, const char *name, const ch_picture *picture,
                       const int64_t aspect[2]) {
    char *path;
    TRY(cli_folder_begin(folder, &path, name));
    return cli_folder_end(folder, path,
                          ch_picture_write_shaped(folder->session->context, path, picture, aspect));
}

/* Ends the video with the status of the last call for it. */
static int end_video(cli_video_file *file, ch_status status) {
    char *path = file->path;
    file->path = NULL;
    return cli_folder_end(file->folder, path, status);
}

int cli_video_open(cli_video_file *file, cli_folder *folder, const char *name,
                   const ch_video_format *format, const ch_video_writer_settings *settings) {
    *file = (cli_video_file){.folder = folder};
    TRY(cli_folder_begin(folder, &file->path, name));
    ch_status status =
        ch_video_writer_open(folder->session->context, &file->writer, file->path, format, settings);
    return status < 0 ? end_video(file, status) : EXIT_DONE;
}

int cli_video_place(cli_video_file *file, void **pixels) {
    ch_status status = ch_video_writer_place(file->writer, pixels);
    return status < 0 ? end_video(file, status) : EXIT_DONE;
}

int cli_video_add(cli_video_file *file, const void *pixels, double time) {
    ch_status status = ch_video_writer_add(file->writer, pixels, time);
    return status < 0 ? end_video(file, status) : EXIT_DONE;
}

int cli_video_close(cli_video_file *file, int code) {
    ch_video_writer *writer = file->writer;
    file->writer = NULL;
    if (code == EXIT_DONE && writer && file->path)
        return end_video(file, ch_video_writer_commit(writer));
    ch_video_writer_discard(writer);
    free(file->path);
    file->path = NULL;
    return code;
}
