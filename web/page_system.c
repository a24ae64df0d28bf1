/* What the command asks of its system, as a page has it: no signals, no child processes, no other
 * program beside it, no terminal. Progress goes to the page; cancelling ends the worker. */
#include "common/input_guard.h"
#include "common/interrupt.h"
#include "common/progress.h"
#include "main/launch.h"
#include "main/program.h"
#include "sandbox/matrix_apart.h"
#include <conehull/corpus.h>
#include <emscripten.h>

/* ---- progress ---- */

EM_JS(void, page_progress, (const char *phase, double done, double total), {
    if (Module.onProgress) Module.onProgress(UTF8ToString(phase), done, total);
});

static double last_shown;

void cli_progress_start(int quiet) {
    (void)quiet;
    last_shown = 0;
}

void cli_progress_clear(void) {
}

int cli_progress_event(const ch_progress_event *event, void *user) {
    double now = cli_seconds();
    (void)user;
    if (now - last_shown < 0.05) return 0;
    last_shown = now;
    page_progress(event->phase, (double)event->done, (double)event->total);
    return 0;
}

/* ---- signals ---- */

void cli_interrupt_watch(void) {
}

void cli_interrupt_mute(void) {
}

int cli_interrupted(void) {
    return 0;
}

/* ---- other processes and programs ---- */

void cli_blas_start(char **words) {
    (void)words;
}

int cli_launch_begin(int *count, char ***words) {
    (void)count, (void)words;
    return EXIT_DONE;
}

int cli_launch_end(int code) {
    return code;
}

const ch_comm *cli_launch_comm(void) {
    return NULL;
}

int cli_launch_threads(void) {
    return 1;
}

int cli_hand_over(const char *name, const char *command, char **words) {
    (void)name, (void)words;
    return cli_refuse("%s: is not part of the page; install the command", command);
}

int cli_matrix_read_apart(const cli_session *session, ch_matrix *X, int *apart, const char *file,
                          const ch_matrix_read_settings *settings, int64_t memory) {
    (void)session, (void)X, (void)file, (void)settings, (void)memory;
    *apart = 0; /* no library that could crash parses anything here */
    return EXIT_DONE;
}

int cli_cube_try_apart(const cli_session *session, const char *file,
                       const ch_cube_open_settings *cube, const char *scratch, int64_t memory) {
    (void)session, (void)file, (void)cube, (void)scratch, (void)memory;
    return EXIT_DONE;
}

/* ---- files ---- */

int cli_inputs_guard(const cli_options *options, const char *const *writes) {
    (void)options, (void)writes; /* inputs and results lie in folders of their own */
    return EXIT_DONE;
}

int cli_refuse_special(const char *path) {
    (void)path;
    return EXIT_DONE;
}

/* Lists of names (--library-names) belong to libconehull_text, which is not in the page. */
ch_status ch_text_list_read(ch_context *context, ch_text_list *lines, const char *path,
                            int64_t expected, const char *what) {
    (void)context, (void)lines, (void)path, (void)expected, (void)what;
    return CH_ERR_UNSUPPORTED;
}
