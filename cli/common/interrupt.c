/* Signals as a flag. The handler calls only functions that are safe in handlers: no memory, no
 * streams. */
#include "common/interrupt.h"
#include "common/exit_codes.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static volatile sig_atomic_t signals;
static int input_only; /* the first signal ends the input, not the work     */
static int announces;  /* whether to confirm the first signal on a terminal */
static const char *volatile temporary_folder, *volatile created_folder;

/* A directory entry as the system call returns it; readdir() would allocate. */
struct entry {
    unsigned long long inode, offset;
    unsigned short length;
    unsigned char type;
    char name[];
};

static void remove_files(const char *folder) {
    _Alignas(struct entry) char block[4096];
    int fd = open(folder, O_RDONLY | O_DIRECTORY);
    long bytes;
    while (fd >= 0 && (bytes = syscall(SYS_getdents64, fd, block, sizeof block)) > 0)
        for (long at = 0; at < bytes;) {
            const struct entry *entry = (const struct entry *)(block + at);
            unlinkat(fd, entry->name, 0); /* "." and ".." are refused */
            at += entry->length;
        }
    rmdir(folder);
}

static void announce(const char *message) {
    int before = errno; /* errno of the interrupted call */
    ssize_t ignored = write(STDERR_FILENO, message, strlen(message));
    (void)ignored;
    errno = before;
}

static void count_signal(int number) {
    (void)number;
    if (++signals < 2) {
        if (announces)
            announce(
                "\nconehull: the run is being stopped; a second Ctrl-C ends the program at once\n");
        return;
    }
    if (temporary_folder) remove_files(temporary_folder);
    if (created_folder) rmdir(created_folder);
    announce("\nconehull: the program was ended at once\n");
    _exit(EXIT_INTERRUPTED);
}

void cli_interrupt_watch(void) {
    static const int watched[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction action, former;
    announces = isatty(STDERR_FILENO);
    memset(&action, 0, sizeof action);
    action.sa_handler = count_signal;
    action.sa_flags = SA_RESTART;
    for (int i = 0; i < 3; i++) {
        sigaction(watched[i], NULL, &former);
        if (former.sa_handler != SIG_IGN) sigaction(watched[i], &action, NULL); /* nohup, & */
    }
    signal(SIGPIPE, SIG_IGN); /* a closed stdout or a full disk must be reported as an error, */
    signal(SIGXFSZ, SIG_IGN); /* not end the program silently                                 */
}

void cli_interrupt_mute(void) {
    announces = 0;
}

int cli_interrupted(void) {
    return signals > 0 && !input_only;
}

void cli_interrupt_ends_input(void) {
    input_only = 1;
}

int cli_input_interrupted(void) {
    return signals > 0;
}

void cli_interrupt_removes(const char *temporary, const char *created) {
    temporary_folder = temporary;
    created_folder = created;
}
