/* Result folders. */
#include "common/output_folder.h"
#include "common/interrupt.h"
#include "common/json.h"
#include "common/try.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

char *cli_path_join(const char *path, const char *name) {
    char *joined;
    return asprintf(&joined, "%s/%s", path, name) < 0 ? NULL : joined;
}

static int system_error(const char *path, const char *what) {
    return cli_error(EXIT_FILES, "%s: %s: %s", path, what, strerror(errno));
}

/* To be freed; NULL without memory. */
static char *parent_of(const char *path) {
    char *parent = strdup(path[0] ? path : ".");
    if (!parent) return NULL;
    size_t length = strlen(parent);
    while (length > 1 && parent[length - 1] == '/') parent[--length] = 0;
    char *slash = strrchr(parent, '/');
    if (!slash)
        strcpy(parent, ".");
    else
        slash[slash == parent] = 0; /* "/name" has the parent "/" */
    return parent;
}

static int check_parent(const char *path) {
    char *parent = parent_of(path);
    if (!parent) return cli_no_memory();
    int code = access(parent, W_OK | X_OK) == 0 ? EXIT_DONE
               : errno == ENOENT
                   ? cli_error(EXIT_FILES, "%s: the folder %s does not exist; create it first",
                               path, parent)
                   : system_error(path, "cannot be created: its parent folder");
    free(parent);
    return code;
}

int cli_folder_check(const char *path) {
    struct stat seen;
    if (!path) return EXIT_DONE;
    if (!path[0]) return cli_error(EXIT_USAGE, "-o needs the name of a folder");
    if (stat(path, &seen) != 0)
        return errno == ENOENT ? check_parent(path) : system_error(path, "cannot be used");
    if (!S_ISDIR(seen.st_mode))
        return cli_error(EXIT_FILES, "%s: is a file; -o needs a folder, which may exist or not",
                         path);
    return access(path, W_OK | X_OK) == 0 ? EXIT_DONE : system_error(path, "cannot write");
}

/* Of path or, where that does not exist yet, of the folder it will be in; to be freed. */
static char *real_place(const char *path) {
    char *place = realpath(path, NULL);
    if (place) return place;
    char *parent = parent_of(path);
    place = parent ? realpath(parent, NULL) : NULL;
    free(parent);
    return place;
}

static int lies_in(const char *place, const char *folder) {
    size_t length = strcmp(folder, "/") == 0 ? 0 : strlen(folder);
    return strncmp(place, folder, length) == 0 && (!place[length] || place[length] == '/');
}

int cli_folder_apart(const char *path, const char *input) {
    char *place = real_place(path), *from = realpath(input, NULL);
    int inside = place && from && lies_in(place, from);
    free(place);
    free(from);
    if (!inside) return EXIT_DONE;
    return cli_error(EXIT_USAGE,
                     "%s: is the input folder %s, or lies in it; all texts there are read, and the "
                     "next run would count these results as documents: name a folder outside it",
                     path, input);
}

int cli_folder_open(cli_folder *folder, const cli_session *session, const char *path) {
    memset(folder, 0, sizeof *folder);
    folder->lock = -1;
    folder->session = session;
    folder->path = path;
    folder->opened = cli_seconds();
    folder->created = mkdir(path, 0777) == 0;
    if (!folder->created && errno != EEXIST) return system_error(path, "cannot be created");
    cli_folder_sweep(path);
    folder->staging = cli_path_join(path, CLI_FOLDER_STAGING);
    if (!folder->staging) return cli_no_memory();
    if (!mkdtemp(folder->staging)) {
        free(folder->staging);
        folder->staging = NULL;
        return system_error(path, "cannot write");
    }
    folder->lock = cli_folder_lock(folder->staging);
    cli_interrupt_removes(folder->staging, folder->created ? path : NULL);
    return EXIT_DONE;
}

int cli_folder_begin(cli_folder *folder, char **path, const char *name) {
    char *copy = NULL;
    *path = NULL;
    if (cli_interrupted() && !folder->keeps) return EXIT_INTERRUPTED;
    if (folder->count < CLI_FOLDER_FILES) {
        *path = cli_path_join(folder->staging, name);
        copy = strdup(name);
    }
    if (*path && copy) {
        folder->names[folder->count++] = copy;
        return EXIT_DONE;
    }
    free(*path);
    free(copy);
    *path = NULL;
    return cli_no_memory();
}

/* The file's own name in place of the library's message, which names the hidden one. */
int cli_folder_end(cli_folder *folder, char *path, ch_status status) {
    if (status < 0) {
        const char *message = ch_context_message(folder->session->context);
        const char *name = strrchr(path, '/') + 1;
        const char *hidden = strstr(message, strrchr(folder->staging, '/'));
        const char *rest = hidden ? strstr(hidden, name) : NULL;
        cli_complain("%s/%s%s%s%s", folder->path, name, rest ? "" : ": ",
                     rest ? rest + strlen(name) : message,
                     folder->keeps ? "" : "; nothing was written");
    }
    free(path);
    if (status < 0) return cli_exit_code(status);
    return status == CH_STOP_CANCELLED ? EXIT_INTERRUPTED : EXIT_DONE;
}

int cli_folder_matrix(cli_folder *folder, const char *name, const double *values, int64_t rows,
                      int64_t cols) {
    ch_context *context = folder->session->context;
    ch_matrix view;
    char *path;
    TRY(cli_folder_begin(folder, &path, name));
    ch_status status =
        ch_matrix_borrow_dense(context, &view, values, rows, cols, rows, CH_COLUMN_MAJOR, CH_F64);
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
    text[length++] = '\n'; /* takes the place of the terminating zero */
    int code = cli_folder_text(folder, name, text, length);
    free(text);
    return code;
}

/* Before the first file is replaced: a failure in the middle would leave new files beside old. */
static int check_place(const cli_folder *folder, const char *name) {
    struct stat there;
    char *to = cli_path_join(folder->path, name);
    if (!to) return cli_no_memory();
    int in_the_way = lstat(to, &there) == 0 && S_ISDIR(there.st_mode);
    if (in_the_way) cli_complain("%s: is a folder, where a file must go; nothing was written", to);
    free(to);
    return in_the_way ? EXIT_FILES : EXIT_DONE;
}

static int move_into_place(cli_folder *folder, const char *name) {
    char *from = cli_path_join(folder->staging, name), *to = cli_path_join(folder->path, name);
    int code = EXIT_DONE;
    if (!from || !to)
        code = cli_no_memory();
    else if (rename(from, to) != 0)
        code = system_error(to, "cannot be replaced");
    free(from);
    free(to);
    return code;
}

static void remove_file(const char *path, const char *name) {
    char *file = cli_path_join(path, name);
    if (file) unlink(file);
    free(file);
}

void cli_folder_drop(cli_folder *folder, const char *name) {
    for (int i = 0; i < folder->count; i++) {
        if (strcmp(folder->names[i], name) != 0) continue;
        remove_file(folder->staging, name);
        free(folder->names[i]);
        folder->count--;
        memmove(folder->names + i, folder->names + i + 1,
                (size_t)(folder->count - i) * sizeof *folder->names);
        return;
    }
}

static int was_written(const cli_folder *folder, const char *name) {
    for (int i = 0; i < folder->count; i++)
        if (strcmp(folder->names[i], name) == 0) return 1;
    return 0;
}

int cli_folder_close(cli_folder *folder, int code, const char *const *stale) {
    if (code == EXIT_DONE && cli_interrupted() && !folder->keeps) code = EXIT_INTERRUPTED;
    for (int i = 0; i < folder->count && code == EXIT_DONE; i++)
        code = check_place(folder, folder->names[i]);
    for (int i = 0; i < folder->count && code == EXIT_DONE; i++)
        code = move_into_place(folder, folder->names[i]);
    for (; code == EXIT_DONE && stale && *stale; stale++)
        if (!was_written(folder, *stale)) remove_file(folder->path, *stale);
    for (int i = 0; i < folder->count && code != EXIT_DONE; i++)
        remove_file(folder->staging, folder->names[i]);
    for (int i = 0; i < folder->count; i++) free(folder->names[i]);
    cli_interrupt_removes(NULL, NULL);
    if (folder->staging) rmdir(folder->staging);
    if (folder->lock >= 0) close(folder->lock);
    free(folder->staging);
    if (code != EXIT_DONE && folder->created) rmdir(folder->path);
    return code;
}
