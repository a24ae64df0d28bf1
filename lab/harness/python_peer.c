/* Finding a Python, and asking it. */
#include "harness/python_peer.h"
#include "common/exit_codes.h"
#include "common/interrupt.h"
#include "common/message.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int start(bench_python *python, const bench_run *run, char *const *words) {
    char answer[BENCH_PYTHON_LINE];
    if (bench_peer_start(&python->peer, words, run->threads) != 0) return 0;
    if (bench_peer_ask(&python->peer, answer, sizeof answer, NULL) == 0) {
        int ready = strncmp(answer, "ready ", 6) == 0;
        snprintf(python->about, sizeof python->about, "%s%s", ready ? "" : words[0],
                 ready ? answer + 6 : answer + strcspn(answer, " "));
        if (ready) return 1;
    }
    bench_peer_stop(&python->peer);
    return 0;
}

void bench_python_start(bench_python *python, const char *name, const bench_run *run,
                        const char *script, char *const *words, int count) {
    static char *const pythons[] = {"/usr/bin/python3", "python3"};
    enum { MOST = 8 };
    char *all[MOST + 4] = {NULL, "-c", (char *)(uintptr_t)script};
    memset(python, 0, sizeof *python);
    python->name = name;
    snprintf(python->about, sizeof python->about, "no python3 here starts");
    for (int i = 0; i < count && i < MOST; i++) all[3 + i] = words[i];
    for (int i = 0; i < 2 && !cli_interrupted(); i++) {
        all[0] = pythons[i];
        if (start(python, run, all)) return;
    }
}

int bench_python_ask(void *user, bench_time *time) {
    bench_python *python = user;
    char answer[BENCH_PYTHON_LINE];
    if (bench_peer_ask(&python->peer, answer, sizeof answer, python->line) != 0) {
        if (cli_interrupted()) return EXIT_INTERRUPTED;
        cli_complain("bench: the Python process that runs %s ended before it gave an answer",
                     python->name);
        return EXIT_EARLY;
    }
    if (sscanf(answer, "%lf %lf %lf %lf", &time->wall, &time->processor, &python->values[0],
               &python->values[1]) == 4)
        return EXIT_DONE;
    cli_complain("bench: %s gave no valid answer, but '%s'", python->name, answer);
    return EXIT_EARLY;
}

void bench_python_stop(bench_python *python) {
    bench_peer_stop(&python->peer);
}

int bench_temporary(char *path, size_t size, const char *suffix) {
    const char *folder = getenv("TMPDIR");
    snprintf(path, size, "%s/conehull-bench-XXXXXX%s", folder ? folder : "/tmp", suffix);
    int file = mkstemps(path, (int)strlen(suffix));
    if (file >= 0) {
        close(file);
        return EXIT_DONE;
    }
    cli_complain(
        "%s: nothing can be written to this folder; set TMPDIR to a folder for temporary files",
        path);
    return EXIT_FILES;
}

void bench_list_text(char *text, size_t size, const int64_t *list, int64_t count) {
    size_t used = 0;
    for (int64_t k = 0; k < count && used < size; k++)
        used +=
            (size_t)snprintf(text + used, size - used, "%s%lld", k ? "," : "", (long long)list[k]);
}
