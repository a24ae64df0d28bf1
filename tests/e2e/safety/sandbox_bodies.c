/* What code in a sandbox of the command (cli/sandbox) can do, and what becomes of it:
 *
 *     sandbox_bodies FOLDER
 *
 * Each body is run as if a file had taken a library over. Results come back in shared memory. */
#include "sandbox/sandbox.h"
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static _Atomic int *shared; /* what a body did, by number */
static char path[4096];     /* a file that must never come to be */
static int failures;

static void expect(int holds, const char *what) {
    if (!holds) failures++;
    printf("%s %s\n", holds ? "ok    " : "FAILED", what);
}

/* ---- bodies ---- */

static void end_well(void *user) {
    *shared = *(int *)user;
}

static void crash(void *user) {
    volatile int *nowhere = NULL;
    (void)user;
    *nowhere = 1; /* NOLINT: that is what it is for */
}

static void loop(void *user) {
    (void)user;
    for (volatile unsigned turn = 0;; turn++) continue;
}

/* More than the limit, at once and in pieces; then it comes to its end. */
static void eat(void *user) {
    (void)user;
    void *volatile whole = malloc((size_t)4 << 30);
    *shared = whole != NULL;
    for (int i = 0; i < 4096; i++) {
        char *piece = malloc(1 << 20);
        if (!piece) return;
        memset(piece, 1, 1 << 20);
    }
    *shared = 2;
}

static void leave(void *user) {
    (void)user;
    exit(7);
}

static void *hello(void *user) {
    *(int *)user = 1;
    return NULL;
}

/* What a reader needs. */
static void read_and_compute(void *user) {
    char byte;
    int ran = 0, file = open("/proc/self/exe", O_RDONLY);
    pthread_t thread;
    (void)user;
    int has_read = file >= 0 && read(file, &byte, 1) == 1;
    if (pthread_create(&thread, NULL, hello, &ran) == 0) pthread_join(thread, NULL);
    *shared = has_read && ran && malloc(64 << 20) != NULL;
}

/* What it must not do: as many bits as were possible. */
static void do_harm(void *user) {
    int done = 0;
    (void)user;
    if (open(path, O_WRONLY | O_CREAT, 0600) >= 0) done |= 1;
    if (open("/dev/null", O_RDWR) >= 0) done |= 2;
    if (socket(AF_INET, SOCK_STREAM, 0) >= 0) done |= 4;
    if (mkdir(path, 0700) == 0) done |= 8;
    if (kill(getppid(), 0) == 0) done |= 16;
    if (rename("/proc/self/exe", path) == 0 || errno != EPERM) done |= 32;
    if (unlink(path) == 0 || errno != EPERM) done |= 64;
    pid_t child = fork();
    if (child == 0) _exit(0);
    if (child > 0) done |= 128;
    execl("/bin/true", "true", (char *)NULL);
    *shared = done;
}

/* ---- in the parent; a sanitizer turns a crash into an exit, and permits no limit of memory ----
 */

static int run(void (*body)(void *), void *user) {
    cli_sandbox sandbox = {"FILE", "LIBRARY", 256 << 20, 1, 0};
    *shared = -1;
    return cli_sandbox_run(&sandbox, body, user);
}

static int said(const char *words) {
    return strstr(cli_last_message(), words) != NULL;
}

int main(int count, char **words) {
    int number = 42;
    if (count != 2) return EXIT_USAGE;
    snprintf(path, sizeof path, "%s/conehull-harm-%d", words[1], (int)getpid());
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) return EXIT_MEMORY;
    expect(run(end_well, &number) == EXIT_DONE && *shared == 42, "a body that ends");
    expect(run(read_and_compute, NULL) == EXIT_DONE && *shared == 1, "files, threads and memory");
    expect(run(crash, NULL) == EXIT_USAGE &&
               said(CLI_LIMITS_MEMORY ? "LIBRARY crashed while it read this file" : "damaged"),
           "a crash");
    expect(run(loop, NULL) == EXIT_USAGE && said("1 seconds of processor time"), "a loop");
    expect(run(leave, NULL) == EXIT_USAGE && said("ended the process"), "exit()");
    if (CLI_LIMITS_MEMORY)
        expect(run(eat, NULL) == EXIT_DONE && *shared == 0, "memory without end");
    expect(run(do_harm, NULL) == EXIT_DONE && *shared == 0, "writing, network, programs");
    if (*shared > 0) printf("    possible were: %#x\n", (unsigned)*shared);
    expect(access(path, F_OK) != 0, "nothing was written");
    return failures ? EXIT_FAILURE : EXIT_SUCCESS;
}
