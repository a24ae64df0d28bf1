/* Result folders in the memory of the page. Nobody else writes there and nothing survives the page,
 * so files are written in place: no hidden folder, no locks (cli/common/output_folder.c). */
#include "common/output_folder.h"
#include <errno.h>
#include <sys/stat.h>

char *cli_path_join(const char *path, const char *name) {
    char *joined;
    return asprintf(&joined, "%s/%s", path, name) < 0 ? NULL : joined;
}

int cli_folder_check(const char *path) {
    (void)path;
    return EXIT_DONE;
}

int cli_file_check(const char *path) {
    (void)path;
    return EXIT_DONE;
}

int cli_folder_open(cli_folder *folder, const cli_session *session, const char *path) {
    *folder = (cli_folder){
        .session = session, .path = path, .opened = cli_seconds(), .at = -1, .staging_at = -1};
    if (mkdir(path, 0777) == 0 || errno == EEXIST) return EXIT_DONE;
    return cli_error(EXIT_FILES, "%s: cannot be created: %s", path, strerror(errno));
}

int cli_folder_begin(cli_folder *folder, char **path, const char *name) {
    *path = cli_path_join(folder->path, name);
    return *path ? EXIT_DONE : cli_no_memory();
}

int cli_folder_end(cli_folder *folder, char *path, ch_status status) {
    free(path);
    return status < 0 ? cli_fail(folder->session, status, NULL) : EXIT_DONE;
}

int cli_folder_close(cli_folder *folder, int code, const char *const *stale) {
    (void)folder, (void)stale; /* the page names a new folder for every run */
    return code;
}
