/* Result folders. */
#include "common/output_folder.h"
#include "common/input_guard.h"
#include "common/interrupt.h"
#include "common/try.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

char *cli_path_join(const char *path, const char *name) {
    char *joined;
    return asprintf(&joined, "%s/%s", path, name) < 0 ? NULL : joined;
}

static int system_error(const char *path, const char *what) {
    return cli_error(EXIT_FILES, "%s: %s: %s", path, what, strerror(errno));
}

/* Returns the parent folder, which the caller frees; NULL without memory. */
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
                   : cli_error(EXIT_FILES, "%s: nothing can be created in the folder %s: %s", path,
                               parent, strerror(errno));
    free(parent);
    return code;
}

/* Checks a path that stat() did not find; errno is that of stat(). */
static int check_missing(const char *path, const char *what) {
    if (errno == ENOENT) return check_parent(path);
    if (errno == ENOTDIR)
        return cli_error(EXIT_FILES, "%s: a part of this path is a file, not a folder", path);
    return system_error(path, what);
}

int cli_folder_check(const char *path) {
    struct stat seen;
    if (!path) return EXIT_DONE;
    if (!path[0]) return cli_refuse("the name after -o is empty; give the name of a folder");
    if (stat(path, &seen) != 0) return check_missing(path, "the folder cannot be opened");
    if (!S_ISDIR(seen.st_mode))
        return cli_error(EXIT_FILES,
                         "%s: this is a file; give -o the name of a folder, which is created if it "
                         "does not exist",
                         path);
    return access(path, W_OK | X_OK) == 0
               ? EXIT_DONE
               : system_error(path, "nothing can be written to this folder");
}

int cli_file_check(const char *path) {
    struct stat seen;
    if (stat(path, &seen) != 0) return check_missing(path, "the file cannot be written");
    if (S_ISDIR(seen.st_mode))
        return cli_error(EXIT_FILES, "%s: this is a folder; give the name of a file to write",
                         path);
    if (!S_ISREG(seen.st_mode))
        return cli_error(
            EXIT_FILES,
            "%s: this is not a regular file, so it cannot be replaced; give another name", path);
    return check_parent(path);
}

/* Returns the real path of `path` or, if it does not exist yet, of the folder it will be in. The
 * caller frees it. */
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
    return cli_refuse("%s: this folder is the input folder %s or lies in it; the next run would "
                      "read these results as documents; choose a folder outside it",
                      path, input);
}

/* Waits for a lock, so that only one run at a time creates its hidden folder (another run would
 * take it for an abandoned one) or moves its files into place (they would mix with those of
 * another). Neither takes long. Closing *lock releases it; it is -1 if the folder cannot be opened
 * or has no locks. */
static int wait_for_turn(const cli_folder *folder, int *lock) {
    enum { STEP_MS = 20, MOST_MS = 60000 };
    *lock = openat(folder->at, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    for (int waited = 0; *lock >= 0 && flock(*lock, LOCK_EX | LOCK_NB) != 0; waited += STEP_MS) {
        if (errno != EWOULDBLOCK) return EXIT_DONE;
        if (cli_interrupted() && !folder->keeps) return EXIT_INTERRUPTED;
        if (waited >= MOST_MS)
            return cli_error(
                EXIT_FILES,
                "%s: another run has been writing to this folder for a minute; nothing was written",
                folder->path);
        nanosleep(&(struct timespec){0, STEP_MS * 1000000L}, NULL);
    }
    return EXIT_DONE;
}

static int make_staging(cli_folder *folder) {
    int lock = -1, locked, code = wait_for_turn(folder, &lock);
    char *staging = cli_path_join(folder->path, CLI_FOLDER_STAGING);
    if (code == EXIT_DONE && !staging) code = cli_no_memory();
    if (code == EXIT_DONE) cli_folder_sweep(folder->path);
    if (code == EXIT_DONE && mkdtemp(staging)) {
        folder->staging = staging;
        folder->staging_at = cli_folder_lock(staging, &locked);
        cli_interrupt_removes(staging, folder->created ? folder->path : NULL);
        cli_folder_mark(folder->staging_at);
    }
    if (code == EXIT_DONE && folder->staging_at < 0)
        code = system_error(folder->path, "nothing can be written to this folder");
    if (!folder->staging) free(staging);
    if (lock >= 0) close(lock);
    return code;
}

int cli_folder_open(cli_folder *folder, const cli_session *session, const char *path) {
    *folder = (cli_folder){
        .session = session, .path = path, .opened = cli_seconds(), .at = -1, .staging_at = -1};
    folder->created = mkdir(path, 0777) == 0;
    if (!folder->created && errno != EEXIST)
        return system_error(path, "the folder cannot be created");
    folder->at = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
    return folder->at < 0 ? system_error(path, "nothing can be written to this folder")
                          : make_staging(folder);
}

static int reserve_name(cli_folder *folder) {
    if (folder->count < folder->room) return 1;
    int room = folder->room ? 2 * folder->room : 64;
    void *more = realloc(folder->names, (size_t)room * sizeof *folder->names);
    if (!more) return 0;
    folder->names = more;
    folder->room = room;
    return 1;
}

int cli_folder_begin(cli_folder *folder, char **path, const char *name) {
    int fits = strlen(name) < CLI_FOLDER_NAME && reserve_name(folder);
    *path = NULL;
    if (cli_interrupted() && !folder->keeps) return EXIT_INTERRUPTED;
    if (fits) *path = cli_path_join(folder->staging, name);
    if (!*path) return cli_no_memory();
    strcpy(folder->names[folder->count++], name);
    return EXIT_DONE;
}

/* Reports the final name of the file instead of the library's message, which has the hidden one. */
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

/* Checks a target before the first file is replaced: a failure in the middle would leave new files
 * next to old ones. */
static int check_place(const cli_folder *folder, const char *name) {
    struct stat there;
    if (fstatat(folder->at, name, &there, AT_SYMLINK_NOFOLLOW) != 0) return EXIT_DONE;
    const char *input = cli_input_with(&there);
    if (input)
        return cli_refuse(
            "%s/%s: since the run began, this name leads to the input file %s; nothing was "
            "written, because that would overwrite the input",
            folder->path, name, input);
    if (!S_ISDIR(there.st_mode)) return EXIT_DONE;
    return cli_error(
        EXIT_FILES,
        "%s/%s: this is a folder, but the run writes a file of this name; nothing was written",
        folder->path, name);
}

/* Reports a failure in the middle: names[0..count) are from this run, the rest are unchanged. */
static int half_done(const cli_folder *folder, int count) {
    char *list = NULL;
    size_t length = 0;
    const char *reason = strerror(errno);
    FILE *to = open_memstream(&list, &length);
    for (int i = 0; i < count && to; i++) fprintf(to, "%s %s", i ? "," : "", folder->names[i]);
    int listed = to && fclose(to) == 0;
    int code = cli_error(EXIT_FILES, "%s/%s: the file cannot be replaced: %s; %s%s", folder->path,
                         folder->names[count], reason,
                         count == 0 ? "nothing was written" : "only these files are new:",
                         count > 0 && listed ? list : "");
    free(list);
    return code;
}

static int move_into_place(const cli_folder *folder) {
    for (int i = 0; i < folder->count; i++)
        if (renameat(folder->staging_at, folder->names[i], folder->at, folder->names[i]) != 0)
            return half_done(folder, i);
    return EXIT_DONE;
}

/* Syncs the folder, so that new names survive a crash of the machine. Only then may a checkpoint be
 * removed. Some file systems do not support this. */
static int sync_folder(const cli_folder *folder, int at) {
    if (at < 0 || fsync(at) == 0 || errno == EINVAL || errno == ENOSYS || errno == EOPNOTSUPP)
        return EXIT_DONE;
    return cli_error(EXIT_FILES,
                     "%s: the folder cannot be flushed to disk: %s; the new files exist, but they "
                     "may be lost if the machine crashes",
                     folder->path, strerror(errno));
}

/* Returns the index of the name, or -1. */
static int find_name(const cli_folder *folder, const char *name) {
    for (int i = 0; i < folder->count; i++)
        if (strcmp(folder->names[i], name) == 0) return i;
    return -1;
}

void cli_folder_drop(cli_folder *folder, const char *name) {
    int i = find_name(folder, name);
    if (i < 0) return;
    unlinkat(folder->staging_at, name, 0);
    folder->count--;
    memmove(folder->names[i], folder->names[i + 1],
            (size_t)(folder->count - i) * sizeof *folder->names);
}

/* Removes files of an earlier run that match stale[] and that this run has not written. */
static void remove_stale(const cli_folder *folder, const char *const *stale) {
    int at = openat(folder->at, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *entries = at < 0 ? NULL : fdopendir(at);
    for (struct dirent *entry; entries && (entry = readdir(entries));) {
        int old = 0;
        for (const char *const *name = stale; *name && !old; name++)
            old = fnmatch(*name, entry->d_name, FNM_PERIOD) == 0;
        if (old && find_name(folder, entry->d_name) < 0) unlinkat(folder->at, entry->d_name, 0);
    }
    if (entries)
        closedir(entries);
    else if (at >= 0)
        close(at);
}

static int publish(const cli_folder *folder, const char *const *stale) {
    int lock = -1, code = wait_for_turn(folder, &lock);
    for (int i = 0; i < folder->count && code == EXIT_DONE; i++)
        code = check_place(folder, folder->names[i]);
    if (code == EXIT_DONE) code = move_into_place(folder);
    if (code == EXIT_DONE && stale) remove_stale(folder, stale);
    if (code == EXIT_DONE) code = sync_folder(folder, lock);
    if (lock >= 0) close(lock);
    return code;
}

int cli_folder_close(cli_folder *folder, int code, const char *const *stale) {
    if (code == EXIT_DONE && cli_interrupted() && !folder->keeps) code = EXIT_INTERRUPTED;
    if (code == EXIT_DONE) code = publish(folder, stale);
    for (int i = 0; i < folder->count && code != EXIT_DONE; i++)
        unlinkat(folder->staging_at, folder->names[i], 0);
    if (folder->staging_at >= 0) unlinkat(folder->staging_at, CLI_FOLDER_MARK, 0);
    cli_interrupt_removes(NULL, NULL);
    if (folder->staging) rmdir(folder->staging);
    if (folder->at >= 0) close(folder->at);
    if (folder->staging_at >= 0) close(folder->staging_at);
    free(folder->staging);
    free(folder->names);
    folder->names = NULL;
    if (code != EXIT_DONE && folder->created) rmdir(folder->path);
    return code;
}
