/* Exchanges lines with another program through pipes. */
#include "harness/peer.h"
#include "common/interrupt.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { WORDS_MAX = 16, LOOK = 200 /* milliseconds between tests for Ctrl-C */ };

static int spawn(pid_t *pid, char *const *words, int in, int out) {
    posix_spawn_file_actions_t files;
    if (posix_spawn_file_actions_init(&files) != 0) return -1;
    int failed =
        posix_spawn_file_actions_adddup2(&files, in, STDIN_FILENO) ||
        posix_spawn_file_actions_adddup2(&files, out, STDOUT_FILENO) ||
        posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0) ||
        posix_spawnp(pid, words[0], &files, NULL, words, environ);
    posix_spawn_file_actions_destroy(&files);
    return failed ? -1 : 0;
}

int bench_peer_start(bench_peer *peer, char *const *words, int threads) {
    int down[2], up[2];
    char blas[40], openmp[40], *all[WORDS_MAX + 4] = {"env", blas, openmp};
    memset(peer, 0, sizeof *peer);
    snprintf(blas, sizeof blas, "OPENBLAS_NUM_THREADS=%d", threads);
    snprintf(openmp, sizeof openmp, "OMP_NUM_THREADS=%d", threads);
    for (int i = 0; i < WORDS_MAX && words[i]; i++) all[3 + i] = words[i];
    if (pipe2(down, O_CLOEXEC) != 0) return -1;
    if (pipe2(up, O_CLOEXEC) != 0) {
        close(down[0]);
        close(down[1]);
        return -1;
    }
    int failed = spawn(&peer->pid, all, down[0], up[1]);
    close(down[0]);
    close(up[1]);
    peer->to = down[1];
    peer->from = up[0];
    if (failed) {
        peer->pid = 0;
        close(peer->to);
        close(peer->from);
    }
    return failed;
}

int bench_peer_ask(bench_peer *peer, char *answer, size_t size, const char *line) {
    size_t length = line ? strlen(line) : 0, used = 0;
    if (length && write(peer->to, line, length) != (ssize_t)length) return -1;
    while (!cli_interrupted()) {
        struct pollfd look = {peer->from, POLLIN, 0};
        int ready = poll(&look, 1, LOOK);
        if (ready == 0 || (ready < 0 && errno == EINTR)) continue;
        if (ready < 0 || used + 1 == size || read(peer->from, answer + used, 1) != 1) return -1;
        if (answer[used] == '\n') {
            answer[used] = 0;
            return 0;
        }
        used++;
    }
    return -1;
}

void bench_peer_stop(bench_peer *peer) {
    if (!peer->pid) return;
    close(peer->to);
    close(peer->from);
    kill(peer->pid, SIGTERM);
    while (waitpid(peer->pid, NULL, 0) < 0 && errno == EINTR) continue;
    peer->pid = 0;
}
