/* Signals as a flag. */
#include "interrupt.h"
#include "exit_codes.h"
#include <signal.h>
#include <string.h>
#include <unistd.h>

static volatile sig_atomic_t signals, held;

static void count_signal(int number) {
    (void)number;
    if (++signals < 2 || held) return;
    static const char word[] = "\nconehull: ended at once\n";
    ssize_t ignored = write(STDERR_FILENO, word, sizeof word - 1);
    (void)ignored;
    _exit(EXIT_INTERRUPTED);
}

void cli_interrupt_watch(void) {
    static const int watched[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction action, former;
    memset(&action, 0, sizeof action);
    action.sa_handler = count_signal;
    action.sa_flags = SA_RESTART;
    for (int i = 0; i < 3; i++) {
        sigaction(watched[i], NULL, &former);
        if (former.sa_handler != SIG_IGN) sigaction(watched[i], &action, NULL); /* nohup, & */
    }
    signal(SIGPIPE, SIG_IGN); /* a closed stdout is an error to report, not a silent death */
}

int cli_interrupted(void) {
    return signals > 0;
}

void cli_interrupt_hold(int writing) {
    held = writing;
}
