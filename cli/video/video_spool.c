/* A pipe can be read only once, and video reads twice: a sample to learn from, then every frame. So
 * the bytes of a pipe go to a scratch file first, which takes the place of standard input. It has
 * no name and goes with the process, whatever ends it. */
#include "common/interrupt.h"
#include "common/progress.h"
#include "options/option_values.h"
#include "video/video_command.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

static const double share_of_free = 0.9; /* of the disk, that a scratch file may take unasked */

int video_spool_take(const cli_session *session, video_arguments *given) {
    const char *pipe = given->pipe;
    given->spool.wanted = !pipe || strcmp(pipe, "spool") == 0;
    if (!given->spool.wanted && strcmp(pipe, "memory") != 0)
        return cli_refuse("video: --pipe must be spool or memory; got '%s'", pipe);
    if (!given->spool.wanted && (given->spool_folder || given->spool_limit))
        return cli_wrong_use(session,
                             "--spool-dir and --spool-limit cannot be used with --pipe memory");
    if (!given->spool_limit) return EXIT_DONE;
    given->spool.limit = (double)cli_bytes_take(given->spool_limit);
    if (given->spool.limit > 0) return EXIT_DONE;
    return cli_refuse("video: --spool-limit must be a number of bytes, as in 800M or 40G; got '%s'",
                      given->spool_limit);
}

/* Whether the only input is a pipe; *from is where it is read. */
static int find_pipe(const cli_session *session, int *from) {
    const char *path = session->options.operands[0];
    struct stat facts;
    *from = -1;
    if (session->options.all_count > 1) return EXIT_DONE;
    int standard = strcmp(path, "-") == 0;
    if ((standard ? fstat(STDIN_FILENO, &facts) : stat(path, &facts)) != 0) return EXIT_DONE;
    int once = S_ISFIFO(facts.st_mode) || S_ISSOCK(facts.st_mode);
    if (!once && !(standard && S_ISCHR(facts.st_mode))) return EXIT_DONE;
    *from = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (*from >= 0) return EXIT_DONE;
    return cli_error(EXIT_FILES, "%s: the pipe cannot be opened: %s", path, strerror(errno));
}

static int open_scratch(const char *folder) {
    int fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL)) return fd;
    char name[4096];
    if (snprintf(name, sizeof name, "%s/conehull-XXXXXX", folder) >= (int)sizeof name) return -1;
    fd = mkostemp(name, O_CLOEXEC);
    if (fd >= 0) unlink(name);
    return fd;
}

static int put(int fd, const char *bytes, ssize_t count, const char *folder) {
    while (count > 0) {
        ssize_t done = write(fd, bytes, (size_t)count);
        if (done < 0 && errno == EINTR) continue;
        if (done < 0)
            return cli_error(EXIT_FILES,
                             "%s: a scratch file cannot be written in this folder: %s; choose "
                             "another folder with --spool-dir",
                             folder, strerror(errno));
        bytes += done;
        count -= done;
    }
    return EXIT_DONE;
}

/* Waits for bytes, and for Ctrl-C. */
static int wait_for(int fd) {
    enum { SOON = 200 };
    struct pollfd one = {.fd = fd, .events = POLLIN};
    for (;;) {
        if (cli_interrupted()) return EXIT_INTERRUPTED;
        if (poll(&one, 1, SOON) > 0) return EXIT_DONE;
    }
}

static int copy(int to, int from, double limit, const char *folder) {
    static char block[1 << 18];
    double done = 0;
    for (;;) {
        TRY(wait_for(from));
        ssize_t got = read(from, block, sizeof block);
        if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
        if (got < 0) return cli_error(EXIT_FILES, "the pipe cannot be read: %s", strerror(errno));
        if (got == 0) return EXIT_DONE;
        done += (double)got;
        if (done > limit)
            return cli_error(
                EXIT_MEMORY,
                "the input from the pipe is larger than %.4g MB, the limit of the scratch file in "
                "%s; raise the limit with --spool-limit, choose another folder with --spool-dir, "
                "or use 'conehull live -', which needs no scratch file",
                limit / 1e6, folder);
        TRY(put(to, block, got, folder));
        cli_progress_line("%.1f MB of the pipe are copied to the scratch file", done / 1e6);
    }
}

int video_spool(cli_session *session, video_arguments *given) {
    const char *folder = given->spool_folder ? given->spool_folder : getenv("TMPDIR");
    struct statvfs disk;
    int from;
    if (!folder || !folder[0]) folder = "/var/tmp"; /* on disk, where /tmp may be memory */
    if (!given->spool.wanted) return EXIT_DONE;
    TRY(find_pipe(session, &from));
    if (from < 0) return EXIT_DONE;
    int scratch = open_scratch(folder);
    if (scratch < 0)
        return cli_error(EXIT_FILES,
                         "%s: a scratch file for the pipe cannot be created in this folder: %s; "
                         "choose another folder with --spool-dir",
                         folder, strerror(errno));
    double limit = given->spool.limit;
    if (limit == 0)
        limit = fstatvfs(scratch, &disk) == 0
                    ? share_of_free * (double)disk.f_bavail * (double)disk.f_frsize
                    : 1e9;
    if (!session->common.quiet)
        cli_complain(
            "%s is a pipe, so it is copied to a scratch file of the folder %s, of at most %.4g MB",
            session->options.operands[0], folder, limit / 1e6);
    int code = copy(scratch, from, limit, folder);
    cli_progress_clear();
    if (from != STDIN_FILENO) close(from);
    if (code == EXIT_DONE && dup2(scratch, STDIN_FILENO) < 0) code = cli_no_memory();
    close(scratch);
    given->spool.done = code == EXIT_DONE;
    session->options.operands[0] = session->options.all[0] = "-";
    return code;
}

int video_spool_rewind(const video_arguments *given) {
    if (!given->spool.done || lseek(STDIN_FILENO, 0, SEEK_SET) == 0) return EXIT_DONE;
    return cli_error(EXIT_FILES, "the scratch file cannot be read: %s", strerror(errno));
}
